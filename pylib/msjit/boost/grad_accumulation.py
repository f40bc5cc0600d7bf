"""Gradients summed over several steps before one update."""
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from ..nn.cell import Cell
from ..ops import HyperMap, MultitypeFuncGraph, assign, assign_add, partial, zeros_like

gradient_accumulation_op = MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def _accumulate(steps, total, gradient):
    return assign_add(total, gradient / steps)


@gradient_clear_op.register("Tensor")
def _clear(total):
    return assign(total, zeros_like(total))


class GradientAccumulation(Cell):
    """Calls the optimizer with the mean of the gradients of every max_accumulation_step calls; returns the loss it is given."""

    def __init__(self, max_accumulation_step, optimizer):
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer, self.weights, self.hyper_map = optimizer, optimizer.parameters, HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, mstype.int32), name="accumulation_step")

    def construct(self, loss, grads):
        self.hyper_map(partial(gradient_accumulation_op, self._max_accumulation_step), self._grad_accumulation, grads)
        self._accumulation_step += 1
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            assign(self._accumulation_step, 0)
            self.hyper_map(gradient_clear_op, self._grad_accumulation)
        return loss
