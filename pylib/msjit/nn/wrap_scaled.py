"""Training steps with a loss scale, and the Cells that update the scale."""
from .. import autograd, importer, ops
from ..common import dtype as mstype
from ..common.checks import check_real
from ..common.parameter import Parameter
from ..common.tensor import Tensor, check_tensor
from ..ops.composite import MultitypeFuncGraph
from .cell import Cell
from .wrap import TrainOneStepCell

reciprocal = ops.Reciprocal()  # a name that training steps of packages import

_grad_scale = MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def _without_scale(scale, grad):
    """Divides a gradient by the loss scale, in the gradient's dtype."""
    return grad * ops.cast(ops.reciprocal(scale), grad.dtype)


_grad_overflow = MultitypeFuncGraph("_grad_overflow")


@_grad_overflow.register("Tensor")
def _overflowed(grad):
    """Says whether a gradient has a NaN or an infinity, as a Tensor: 1 or 0."""
    return ops.cast(ops.logical_not(ops.all(ops.isfinite(grad))), mstype.float32)


class DynamicLossScaleUpdateCell(Cell):
    """Divides the loss scale by scale_factor on overflow, and multiplies it after scale_window steps without overflow.

    The scale never falls below 1.
    """

    def __init__(self, loss_scale_value, scale_factor, scale_window):
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor = check_real(scale_factor, "DynamicLossScaleUpdateCell", "scale_factor")
        check_real(scale_window, "DynamicLossScaleUpdateCell", "scale_window")
        self.scale_window = int(scale_window)
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step", requires_grad=False)
        self.last_overflow_iter = Parameter(Tensor(0, mstype.int32), name="last_overflow_iterator_step", requires_grad=False)

    def get_loss_scale(self):
        """Returns the scale at the start, the number that was given."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        """Writes the next scale into loss_scale, a Parameter; returns overflow."""
        check_tensor(loss_scale, "DynamicLossScaleUpdateCell", "loss_scale")
        scale, step, last = loss_scale.detach(), self.cur_iter.detach(), self.last_overflow_iter.detach()
        grows = step - last >= self.scale_window
        shrunk = ops.where(overflow, ops.maximum(scale / self.scale_factor, 1), scale)
        ops.assign(self.last_overflow_iter, ops.where(ops.logical_or(overflow, grows), step, last))
        ops.assign(loss_scale, ops.where(grows, shrunk * self.scale_factor, shrunk))
        ops.assign(self.cur_iter, step + 1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Keeps the loss scale constant: called with (scale, overflow) it changes nothing and returns overflow."""

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self):
        """Returns the scale, the number that was given."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """Runs one training step with a scaled loss; returns (loss, overflow, scale).

    The update is skipped where a gradient is infinite or NaN.

    scale_sense is the scale as a Tensor of one number, or a Cell that has get_loss_scale() and updates the scale. When compiled, the whole step
    is one graph. Raises TypeError for a scale_sense that is neither a Tensor nor a Cell.
    """

    gpu_target = ascend_910a_target = ascend_910b_target = is_distributed = False
    enable_allfinite = True

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer)
        self.loss_scaling_manager = None
        self._give_operators()
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(scale_sense.get_loss_scale(), mstype.float32)
        elif not isinstance(scale_sense, Tensor):
            raise TypeError("[TrainOneStepWithLossScaleCell] scale_sense must be a Cell or a Tensor, got %s"
                            % type(scale_sense).__name__)
        if scale_sense.shape not in ((), (1,)):
            raise ValueError("[TrainOneStepWithLossScaleCell] shape of scale_sense, got %s, expected () or (1,)"
                             % (scale_sense.shape,))
        self.scale_sense = Parameter(scale_sense, name="scale_sense", requires_grad=False)
        self._scaled_step = autograd.value_and_grad(self._with_scale, None, self.weights, has_aux=True)

    def _give_operators(self):
        """Sets the attributes that the construct of a subclass may use, as in MindSpore."""
        self.hyper_map, self.allreduce = ops.HyperMap(), ops.AllReduce()
        self.base, self.base0 = Tensor(1.0, mstype.float32), Tensor(0, mstype.int32)
        self.reduce_sum, self.reduce_all = ops.ReduceSum(keep_dims=False), ops.ReduceAll(keep_dims=False)
        self.less_equal, self.equal, self.logic_not = ops.LessEqual(), ops.Equal(), ops.LogicalNot()

    def _with_scale(self, scale, *inputs):
        loss = self.network(*inputs)
        return loss * ops.cast(scale, loss.dtype), loss

    def construct(self, *inputs):
        scale = self.scale_sense.detach().reshape(())
        (_, loss), gradients = self._scaled_step(scale, *inputs)
        gradients = tuple([g / ops.cast(scale, g.dtype) for g in gradients])
        if self.reducer_flag:
            gradients = self.grad_reducer(gradients)
        overflow = self.get_overflow_status(None, gradients)
        if not self.process_loss_scale(overflow):
            self.optimizer(gradients)
        return loss, overflow, self.scale_sense

    def set_sense_scale(self, sens):
        """Replaces the loss scale. Raises TypeError for anything but a Tensor."""
        if not isinstance(sens, Tensor):
            raise TypeError("[TrainOneStepWithLossScaleCell] sens must be a Tensor, got %s" % type(sens).__name__)
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input):
        """Returns (status, compute_input): in MindSpore it starts a check, and here nothing must be started."""
        return Tensor([0] * 8, mstype.int32), compute_input

    def get_overflow_status(self, status, compute_output):
        """Says whether any tensor has an infinity or a NaN: a Tensor of one bool."""
        finite = ops.isfinite(compute_output[0]).all()
        for x in compute_output[1:]:
            finite = ops.logical_and(finite, ops.isfinite(x).all())
        return ops.logical_not(finite)

    def process_loss_scale(self, overflow):
        """Updates the loss scale if there is a Cell for it; returns overflow."""
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)


def _capture():
    importer.mark(TrainOneStepWithLossScaleCell.construct.__code__)


if importer.transparent:
    _capture()
