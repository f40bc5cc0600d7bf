"""Function transforms that are not operators: Map, HyperMap, MultitypeFuncGraph."""
import operator as _operator

from .. import _paths
from ..absent import attributes as _absent
from ..autograd import GradOperation
from ..common.tensor import Tensor


class MultitypeFuncGraph:
    """A function with one definition for each combination of argument types, registered with `register`."""

    def __init__(self, name, read_value=False, doc_url=""):
        self.name = name
        self.entries = []

    def register(self, *type_names, **kwargs):
        """Decorator: the function serves arguments of these types ("Tensor", "Number", "Tuple", float, ...)."""
        def deco(fn):
            self.entries.append((tuple(type_names), fn))
            return fn
        return deco

    set_need_unpack = set_doc_url = lambda self, *args: None

    def __call__(self, *args):
        for names, fn in reversed(self.entries):
            if len(names) == len(args) and all(_is_a(a, n) for a, n in zip(args, names)):
                return fn(*args)
        raise ValueError("[%s] no definition for (%s)" % (self.name, ", ".join(type(a).__name__ for a in args)))


_KINDS = {
    "Tensor": Tensor, "Number": (bool, int, float), "Bool": bool, "Tuple": tuple, "List": list, "Dict": dict,
    "String": str, "Int": int, "Float": float, "Float32": float, "Float64": float, "Int32": int, "Int64": int,
    "None": type(None), "NoneType": type(None), "Function": object,
}


def _is_a(value, kind):
    if isinstance(kind, str):
        return isinstance(value, _KINDS.get(kind, object if kind == "TypeType" else ()))
    return isinstance(value, kind) if isinstance(kind, type) else getattr(value, "dtype", None) == kind


class Map:
    """Applies an operation to the items of sequences, one level deep."""

    def __init__(self, ops=None, reverse=False):
        self.ops, self.reverse = ops, reverse

    def _items(self, args):
        op, sequences = (self.ops, args) if self.ops is not None else (args[0], args[1:])
        length = len(sequences[0])
        for sequence in sequences:
            if len(sequence) != length:
                raise ValueError("[map] sequences must have the same length, got %d and %d" % (length, len(sequence)))
        return op, sequences

    def __call__(self, *args):
        op, sequences = self._items(args)
        return tuple([op(*items) for items in zip(*sequences)])


class HyperMap(Map):
    """Applies an operation to the leaves of nested sequences."""

    def __call__(self, *args):
        op, values = (self.ops, args) if self.ops is not None else (args[0], args[1:])
        return _hyper(op, values)


def _hyper(op, values):
    first = next((v for v in values if isinstance(v, (tuple, list))), None)
    if first is None:
        return op(*values)
    for value in values:
        if isinstance(value, (tuple, list)) and len(value) != len(first):
            raise ValueError("[hyper_map] sequences must have the same length, got %d and %d"
                             % (len(first), len(value)))
    columns = [value if isinstance(value, (tuple, list)) else [value] * len(first) for value in values]
    made = [_hyper(op, items) for items in zip(*columns)]
    return made if isinstance(first, list) else tuple(made)  # results of a ParameterTuple are no Parameters


def core(fn=None, **flags):
    """Accepted for compatibility."""
    return fn if fn is not None else (lambda decorated: decorated)


def add_flags(fn=None, **flags):
    """Accepted for compatibility."""
    return core(fn, **flags)


def _nested(name, op):
    def call(x, y):
        if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
            return _hyper(op, (x, y))
        return op(x, y)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "%s of two values: a new one." % name
    return call


augassign_add, augassign_sub = _nested("augassign_add", _operator.add), _nested("augassign_sub", _operator.sub)
augassign_mul, augassign_div = _nested("augassign_mul", _operator.mul), _nested("augassign_div", _operator.truediv)
augassign_mod, augassign_floordiv = _nested("augassign_mod", _operator.mod), _nested("augassign_floordiv", _operator.floordiv)
hyper_add = _nested("hyper_add", _operator.add)

__all__ = ["GradOperation", "HyperMap", "Map", "MultitypeFuncGraph", "core", "add_flags", "hyper_add"]


def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Marks a function whose result depends on constants alone: plain Python that runs where it is called.

    As a decorator it gives the function, or with get_instance=False a class whose instances are called like it.
    The other keywords say how a graph keeps the result and change nothing here.
    """
    if fn is None:
        return lambda function: constexpr(function, get_instance, name, reuse_result, check)
    return fn if get_instance else type(name or fn.__name__, (), {"__call__": staticmethod(fn), "__doc__": fn.__doc__})

__path__ = _paths.extend([])  # a package in MindSpore: alias.py finds what programs import from below it
_FUNCTIONS = """batch_dot clip_by_global_norm clip_by_value count_nonzero cummin dot gamma laplace matmul mm multinomial normal ones_like poisson repeat_elements
    repeat_interleave sequence_mask tensor_dot uniform vecdot zeros_like""".split()
_refuse = _absent(__name__)


def __getattr__(name):
    if name in _FUNCTIONS:
        from . import function
        return getattr(function, name)
    return _refuse(name)
