"""Primitives that convert tuples, lists and scalars, under MindSpore's path."""
from ...common import dtype as _mstype
from ...common.tensor import check_tensor
from ..operations import DtypeToEnum, TensorToTuple
from ..primitive import Primitive


def _sequence(name, value, kind):
    if not isinstance(value, kind):
        raise TypeError("[%s] x, got %s, expected a %s" % (name, type(value).__name__, kind.__name__))
    return value


class ListToTuple(Primitive):
    """Converts a list to a tuple."""

    def __call__(self, x):
        return tuple(_sequence(self.name, x, list))


class TupleToList(Primitive):
    """Converts a tuple to a list."""

    def __call__(self, x):
        return list(_sequence(self.name, x, tuple))


class TensorToScalar(Primitive):
    """Returns the number in a Tensor of one element. Raises TypeError for anything but a Tensor."""

    def __call__(self, input_tensor):
        return check_tensor(input_tensor, self.name).item()


def is_integral_mstype(dtype):
    """Tells whether a dtype is bool or an integer type."""
    return dtype in (_mstype.bool_,) + _mstype.int_type + _mstype.uint_type


def is_floating_point_mstype(dtype):
    """Tells whether a dtype is a float type."""
    return dtype in _mstype.float_type


__all__ = ["DtypeToEnum", "ListToTuple", "TensorToScalar", "TensorToTuple", "TupleToList", "is_floating_point_mstype", "is_integral_mstype"]
