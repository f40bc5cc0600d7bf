"""The attributes that MindSpore's Optimizer has for subclasses that define construct: flags, operators, and the number of steps as a Parameter."""
from .. import ops
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from ..nn.cell import Cell

_OWN = __name__.rpartition(".")[0]  # the package of msjit's own optimizers, which count their steps as a Python int


def is_own(cls):
    """Whether an optimizer's construct is the program's."""
    return not cls.construct.__module__.startswith(_OWN)


def own_step():
    """The count of steps of such an optimizer."""
    return Parameter(Tensor([0], mstype.int32), name="global_step", requires_grad=False)


def value_at(rate, step):
    """A learning rate or weight decay at a step, which is a Tensor of one int. The result is a Tensor without axes, so that graphs do not treat it as
    a constant."""
    if isinstance(rate, tuple):
        return ops.gather(Tensor(rate, mstype.float32), ops.minimum(step, len(rate) - 1), 0).reshape(())
    value = rate(step) if callable(rate) and not isinstance(rate, Tensor) else rate
    return value.reshape(()) if isinstance(value, Tensor) else Tensor(value, mstype.float32)


def settable(read):
    """A property of an optimizer that a subclass may set: what was set is read then, as MindSpore keeps these as attributes."""
    name = "_set_" + read.__name__

    def get(self):
        value = getattr(self, name, None)
        return read(self) if value is None else value

    def put(self, value):
        object.__setattr__(self, name, value)
    return property(get, put, doc=read.__doc__)


class OwnOptimizers:
    """The part of Optimizer for programs that define construct; msjit's own optimizers do not use it."""

    grad_centralization = False
    enable_tuple_broaden = unique = True

    def _give_operators(self, given):
        """Sets the operators and flags. `given`: the argument that had the Parameters."""
        groups, share = [item for item in given if isinstance(item, dict)] if self._grouped else [], self._share
        made = {
            "assignadd": ops.AssignAdd(), "hyper_map": ops.HyperMap(), "map_": ops.Map(),
            "hyper_map_reverse": ops.HyperMap(reverse=True), "map_reverse": ops.Map(reverse=True),
            "global_step_increase_tensor": Tensor([1], mstype.int32), "optim_filter": (True,) * self.param_length if share is None else share.filter(),
            "use_parallel": share is not None, "param_rank": None if share is None else share.owners,
            "is_group_lr": any("lr" in item for item in groups),
            "is_group_params_ordered": any("order_params" in item for item in groups),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @settable
    def need_scale(self):
        """Whether there is a loss scale."""
        return self.loss_scale != 1.0

    @settable
    def reciprocal_scale(self):
        """1 / loss_scale, a Tensor."""
        return Tensor(1.0 / self.loss_scale, mstype.float32)

    @settable
    def dynamic_decay_flags(self):
        """Whether the weight decay is a schedule; with groups a tuple, one for each of the parameters."""
        flags = tuple(isinstance(group.decay, Cell) for group in self._group_of)
        return flags if self._grouped else flags[0]

    @settable
    def dynamic_weight_decay(self):
        """Whether any weight decay is a schedule."""
        return any(isinstance(group.decay, Cell) for group in self._groups)

    @settable
    def exec_weight_decay(self):
        """Whether anything decays."""
        return any(isinstance(group.decay, Cell) or group.decay > 0 for group in self._groups)

    @settable
    def decay_flags(self):
        """One for each of the parameters: with groups whether it has a weight decay, else whether it may have one."""
        if self._grouped:
            return tuple(isinstance(group.decay, Cell) or group.decay != 0 for group in self._group_of)
        return tuple(self._decays)

    @settable
    def grad_centralization_flags(self):
        """Whether the gradient is centred, one for each of the parameters."""
        return tuple(group.centred for group in self._group_of)

    def _is_dynamic_lr_or_weight_decay(self):
        """Whether a learning rate or a weight decay changes with the step."""
        return self.dynamic_lr or self.dynamic_weight_decay

    def flatten_gradients(self, gradients):
        """The gradients themselves: Parameters are not joined to larger ones here."""
        return gradients

    def _grad_sparse_indices_deduplicate(self, gradients):
        """The gradients themselves: sparse ones are added up where they are applied."""
        return gradients
