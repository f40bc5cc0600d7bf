"""Primitives that turn tuples into lists and back, under their path of MindSpore."""
from ...common import dtype as _mstype
from ..operations import DtypeToEnum, TensorToTuple
from ..primitive import Primitive


def _sequence(name, value, kind):
    if not isinstance(value, kind):
        raise TypeError("[%s] x, got %s, expected a %s" % (name, type(value).__name__, kind.__name__))
    return value


class ListToTuple(Primitive):
    """A list as a tuple."""

    def __call__(self, x):
        return tuple(_sequence(self.name, x, list))


class TupleToList(Primitive):
    """A tuple as a list."""

    def __call__(self, x):
        return list(_sequence(self.name, x, tuple))


class TensorToScalar(Primitive):
    """The number in a Tensor of one element."""

    def __call__(self, input_tensor):
        return input_tensor.item()


def is_integral_mstype(dtype):
    """Whether a dtype is one of integers or bool."""
    return dtype in (_mstype.bool_,) + _mstype.int_type + _mstype.uint_type


def is_floating_point_mstype(dtype):
    """Whether a dtype is one of floats."""
    return dtype in _mstype.float_type


__all__ = ["DtypeToEnum", "ListToTuple", "TensorToScalar", "TensorToTuple", "TupleToList", "is_floating_point_mstype", "is_integral_mstype"]
