"""The Cells by which an optimizer shows learning rates that are no plain number, as MindSpore's optimizers do."""
from .. import ops
from ..nn.dynamic_lr import LearningRateSchedule


class _IteratorLearningRate(LearningRateSchedule):
    """The learning rates of a list: called with a step number, a Tensor of ints, it gives the rates of these steps."""

    def __init__(self, learning_rate):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step):
        """A float32 Tensor of the shape of global_step; RuntimeError or IndexError for a step behind the list."""
        return ops.gather(self.learning_rate, global_step, 0)

    def rate_at(self, step):
        """The rate of a step that is a number."""
        return float(self.learning_rate.asnumpy()[min(int(step), self.learning_rate.size - 1)])


class _ConvertToCell(LearningRateSchedule):
    """One learning rate as a schedule, where other groups have rates that change with the step."""

    def __init__(self, learning_rate):
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step):
        """A float32 Tensor without axes, whatever the step is."""
        return self.learning_rate + 0.0

    def rate_at(self, step):
        """The rate, a float."""
        return float(self.learning_rate.asnumpy())
