"""Cells that wrap a network for training."""
from .. import autograd, importer
from ..common.parameter import ParameterTuple
from .cell import Cell


class WithLossCell(Cell):
    """loss_fn(backbone(data), label)"""

    def __init__(self, backbone, loss_fn):
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data, label):
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self):
        """The network without the loss."""
        return self._backbone


class TrainOneStepCell(Cell):
    """One training step: gradient of the network's loss, optimizer update; returns the loss."""

    def __init__(self, network, optimizer, sens=1.0):
        super().__init__(auto_prefix=False)
        self.network = network
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.sens = sens
        self._step = autograd.value_and_grad(self._scaled, None, self.weights)
        self.set_train()

    def _scaled(self, *inputs):
        loss = self.network(*inputs)
        return loss if self.sens == 1.0 else loss * self.sens

    def construct(self, *inputs):
        loss, grads = self._step(*inputs)
        self.optimizer(grads)
        return loss if self.sens == 1.0 else loss / self.sens


class ForwardValueAndGrad(Cell):
    """Returns the network's output and its gradient by inputs (get_all) and weights (get_by_list)."""

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False):
        super().__init__(auto_prefix=False)
        if get_by_list and weights is None:
            raise ValueError("[forward_value_and_grad] get_by_list needs weights")
        self.network = network
        object.__setattr__(self, "weights", ParameterTuple(weights) if isinstance(weights, (list, tuple)) else weights)
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs):
        operation = autograd.GradOperation(self.get_all, self.get_by_list, self.sens_param)
        return operation.value_and_gradient(self.network, self.weights if self.get_by_list else None, inputs, {})


class WithGradCell(Cell):
    """Gradient of loss_fn(network(data), label) by the network's trainable Parameters."""

    def __init__(self, network, loss_fn=None, sens=None):
        super().__init__(auto_prefix=False)
        self.network = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.sens = sens

    def construct(self, *inputs):
        operation = autograd.GradOperation(get_by_list=True, sens_param=self.sens is not None)
        extra = () if self.sens is None else (self.sens,)
        return operation(self.network, self.network.trainable_params())(*(inputs + extra))


class Jvp(Cell):
    """(output, directional derivative): called with the inputs and the direction(s) last."""

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = fn

    def construct(self, *args):
        return autograd.jvp(self.fn, args[:-1], args[-1])


class Vjp(Cell):
    """(output, gradients): called with the inputs and the gradient of the output last."""

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = fn

    def construct(self, *args):
        value, pullback = autograd.vjp(self.fn, *args[:-1])
        return value, pullback(args[-1])


def capture_steps():
    """Makes the training step a candidate of the JIT, for Model.train and loops at the top of a script."""
    importer.mark(TrainOneStepCell.construct.__code__)


if importer.transparent:
    capture_steps()
