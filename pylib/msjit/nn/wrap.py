"""Cells that wrap a network: with its loss, for a training step, for evaluation, for gradients."""
from .. import _paths, autograd, context, function_transforms, importer, ops
from ..common import dtype as mstype
from ..common.checks import check_axis
from ..common.parameter import Parameter, ParameterTuple
from ..context import FLOAT_DTYPES
from .basic import Identity
from .cell import Cell
from .data_parallel import DistributedGradReducer

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
__all__ = """TimeDistributed ForwardValueAndGrad TrainOneStepCell WithLossCell WithGradCell WithEvalCell GetNextSingleOp
    TrainOneStepWithLossScaleCell DistributedGradReducer ParameterUpdate DynamicLossScaleUpdateCell FixedLossScaleUpdateCell
    VirtualDatasetCellTriple MicroBatchInterleaved PipelineGradReducer PipelineCell GradAccumulationCell""".split()


class WithLossCell(Cell):
    """Computes loss_fn(backbone(data), label): the network and its loss as one Cell, such as TrainOneStepCell takes.

    >>> import msjit as ms
    >>> net = ms.nn.WithLossCell(ms.nn.Dense(2, 1), ms.nn.MSELoss())
    >>> net(ms.ops.zeros((3, 2), ms.float32), ms.ops.zeros((3, 1), ms.float32)).shape
    ()
    """

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
    """Runs one training step: gradient of the network's loss, then an update by the optimizer. Returns the loss.

    With return_grad it returns (loss, dict from the Parameters' names to gradients). sens scales the loss for the gradient. Made in the mode
    DATA_PARALLEL (set_auto_parallel_context), it adds up the gradients of all processes before the update. Raises TypeError for a network that
    cannot be called and for an optimizer without parameters.

    >>> import msjit as ms
    >>> net = ms.nn.Dense(2, 1)
    >>> step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), ms.nn.SGD(net.trainable_params(), 0.1))
    >>> x, y = ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0]])
    >>> losses = [float(step(x, y)) for _ in range(20)]
    >>> losses[-1] < 0.1 * max(losses[0], 0.01)
    True
    """

    use_graceful_exit = False  # the construct of a subclass may use it

    def __init__(self, network, optimizer, sens=None, return_grad=False):
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise TypeError("[%s] network must be a Cell, got %s" % (type(self).__name__, type(network).__name__))
        if not hasattr(optimizer, "parameters"):
            raise TypeError("[%s] optimizer must be an Optimizer, got %s" % (type(self).__name__, type(optimizer).__name__))
        self.network = network
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.sens, self.sense_flag, self.return_grad = 1.0 if sens is None else sens, sens is not None, return_grad
        self.grad_no_sens = ops.GradOperation(get_by_list=True)
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.parallel_mode = context.get_auto_parallel_context("parallel_mode")
        self.reducer_flag = context.is_data_parallel()
        self.grad_reducer = Identity()
        if self.reducer_flag:
            self.mean, self.degree = (context.get_auto_parallel_context(name) for name in ("gradients_mean", "device_num"))
            self.grad_reducer = DistributedGradReducer(self.weights, self.mean, self.degree)
        self._step = autograd.value_and_grad(self._scaled, None, self.weights)
        self.set_train()

    def _scaled(self, *inputs):
        loss = self.network(*inputs)
        return loss if self.sens == 1.0 else loss * self.sens

    def construct(self, *inputs):
        loss, grads = self._step(*inputs)
        if self.reducer_flag:
            grads = self.grad_reducer(grads)
        self.optimizer(grads)
        loss = loss if self.sens == 1.0 else loss / self.sens
        if self.return_grad:
            return loss, {param.name: grad for param, grad in zip(self.weights, grads)}
        return loss


class _VirtualDatasetCell(Cell):
    """Calls the network. In MindSpore this marks where a batch is divided over devices; here it changes nothing."""

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs):
        return self._backbone(*inputs)


class WithEvalCell(Cell):
    """Returns (loss, output, label), where output = network(data) and loss = loss_fn(output, label).

    With add_cast_fp32 the output, and a label of floats, are cast to float32 first. Raises TypeError for an add_cast_fp32 that is no bool.
    """

    def __init__(self, network, loss_fn, add_cast_fp32=False):
        super().__init__(auto_prefix=False)
        if not isinstance(add_cast_fp32, bool):
            raise TypeError("[WithEvalCell] add_cast_fp32 must be a bool, got %s" % type(add_cast_fp32).__name__)
        self._network, self._loss_fn, self.add_cast_fp32 = network, loss_fn, add_cast_fp32

    def construct(self, data, label):
        output = self._network(data)
        if self.add_cast_fp32:
            output = ops.cast(output, mstype.float32)
            label = ops.cast(label, mstype.float32) if label.dtype in FLOAT_DTYPES else label
        return self._loss_fn(output, label), output, label


class ParameterUpdate(Cell):
    """Writes its input into a Parameter, in the Parameter's dtype, and returns the input.

    Raises TypeError for anything but a Parameter, ValueError for another shape.
    """

    def __init__(self, param):
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise TypeError("[ParameterUpdate] param must be a Parameter, got %s" % type(param).__name__)
        self._param = param

    def construct(self, x):
        ops.assign(self._param, x)
        return x


class TimeDistributed(Cell):
    """Applies a layer to each step along time_axis.

    With reshape_with_axis it calls the layer only once, with the steps merged into that axis. Raises ValueError for less than three axes and for
    a time_axis out of range, TypeError for a layer that is neither a Cell nor a Primitive.
    """

    def __init__(self, layer, time_axis, reshape_with_axis=None):
        super().__init__()
        for name, value in (("time_axis", time_axis), ("reshape_with_axis", reshape_with_axis)):
            if isinstance(value, bool) or not isinstance(value, int) and (name == "time_axis" or value is not None):
                raise TypeError("[TimeDistributed] %s must be an int, got %s" % (name, type(value).__name__))
        if not callable(layer):
            raise TypeError("[TimeDistributed] layer must be a Cell or a Primitive, got %s" % type(layer).__name__)
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def construct(self, inputs):
        if inputs.ndim < 3:
            raise ValueError("[TimeDistributed] rank of inputs, got %d, expected 3 or more" % inputs.ndim)
        axis = check_axis(self.time_axis, inputs.ndim, "TimeDistributed", "time_axis")
        if self.reshape_with_axis is None:
            return ops.stack([self.layer(x) for x in ops.unstack(inputs, axis)], axis)
        return self._joined(inputs, axis, check_axis(self.reshape_with_axis, inputs.ndim, "TimeDistributed", "reshape_with_axis"))

    def _joined(self, inputs, axis, other):
        """Moves the step axis beside `other`, merges the two for the layer's call, then splits and moves them back."""
        if axis == other:
            raise ValueError("[TimeDistributed] reshape_with_axis, got the time axis %d, expected another" % axis)
        order = [i for i in range(inputs.ndim) if i != axis]
        at = order.index(other) + (0 if other > axis else 1)
        moved = ops.transpose(inputs, tuple(order[:at] + [axis] + order[at:]))
        first = min(at, at - 1 if other < axis else at)
        shape = moved.shape
        out = self.layer(moved.reshape(shape[:first] + (-1,) + shape[first + 2:]))
        if out.ndim != inputs.ndim - 1 or out.shape[first] != shape[first] * shape[first + 1]:
            raise ValueError("[TimeDistributed] shape of the layer's output, got %s, expected axis %d to be %d"
                             % (out.shape, first, shape[first] * shape[first + 1]))
        out = out.reshape(out.shape[:first] + shape[first:first + 2] + out.shape[first + 1:])
        back = [i for i in range(out.ndim) if i != at]
        return ops.transpose(out, tuple(back[:axis] + [at] + back[axis:]))


class ForwardValueAndGrad(Cell):
    """Returns (the network's output, its gradient): by the first input, by all inputs (get_all), by the weights (get_by_list) or by both.

    With sens_param the last argument of the call is the gradient by the output, with which the backward pass starts. Raises TypeError for
    a network that cannot be called, ValueError for get_by_list without weights.

    >>> import msjit as ms
    >>> output, slope = ms.nn.ForwardValueAndGrad(ms.nn.ReLU())(ms.Tensor([-1.0, 2.0]))
    >>> slope.asnumpy().tolist()
    [0.0, 1.0]
    """

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False):
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise TypeError("[forward_value_and_grad] network, got %s, expected a Cell or a function" % type(network).__name__)
        if get_by_list and weights is None:
            raise ValueError("[forward_value_and_grad] get_by_list needs weights")
        self.network = network
        object.__setattr__(self, "weights", ParameterTuple(weights) if isinstance(weights, (list, tuple)) else weights)
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs):
        operation = ops.GradOperation(self.get_all, self.get_by_list, self.sens_param)
        return operation.value_and_gradient(self.network, self.weights if self.get_by_list else None, inputs, {})


class WithGradCell(Cell):
    """Computes the gradients by the network's trainable Parameters, a tuple: of loss_fn(network(data), label), or of the network's output
    if loss_fn is None.

    sens, if given, is the gradient by that result, with which the backward pass starts.
    """

    def __init__(self, network, loss_fn=None, sens=None):
        super().__init__(auto_prefix=False)
        if not isinstance(network, Cell):
            raise TypeError("[WithGradCell] network, got %s, expected a Cell" % type(network).__name__)
        self.network = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.sens = sens

    def construct(self, *inputs):
        operation = ops.GradOperation(get_by_list=True, sens_param=self.sens is not None)
        extra = () if self.sens is None else (self.sens,)
        return operation(self.network, self.network.trainable_params())(*(inputs + extra))


class Jvp(Cell):
    """Computes (output, directional derivative) of fn at its inputs: called with the inputs, then the direction v, a Tensor or a tuple of them.

    The derivative is J v, where J is the Jacobian (forward mode). Errors are those of ms.jvp.
    """

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = fn

    def construct(self, *args):
        return function_transforms.jvp(self.fn, args[:-1], args[-1])


class Vjp(Cell):
    """Computes (output, gradients of the inputs) of fn: called with the inputs, then v, the gradient of the output.

    The gradients are v J, where J is the Jacobian (reverse mode). Errors are those of ms.vjp.
    """

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = fn

    def construct(self, *args):
        value, pullback = function_transforms.vjp(self.fn, *args[:-1])
        return value, pullback(args[-1])


class no_init_parameters:  # noqa: N801 - used like a function
    """A context manager for MindSpore, which delays initial values inside; here Parameters get theirs when they are made."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def capture_steps():
    """Marks the training step for capture by the JIT in Model.train and in loops at the top level of a script."""
    importer.mark(TrainOneStepCell.construct.__code__)


if importer.transparent:
    capture_steps()
