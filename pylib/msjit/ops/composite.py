"""Functions that apply other functions: GradOperation, Map, HyperMap, MultitypeFuncGraph."""
import operator as _operator

from .. import _paths
from .._native import _msjit
from ..absent import attributes as _absent
from ..autograd import KeepsForward, _differentiated, _Pull, _seeds, _unpacked, _weight_list
from ..common.checks import check_callable
from ..common.dtype import Type as dtype_type
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from .argument_kinds import check_iterable


class GradOperation:
    """MindSpore's older way to gradients: GradOperation(get_all, get_by_list, sens_param)(fn, weights)(*inputs).

    The gradient is by the first input, with get_all by all inputs (a tuple), with get_by_list by `weights` (a tuple; of a Cell by default
    its trainable Parameters), with both a pair of tuples. With sens_param the last argument, or the keyword `sens`, is the gradient by the
    output, with which the backward pass starts.

    Raises TypeError for options that are no bools and an fn that cannot be called, ValueError for missing weights or `sens`.

    >>> import msjit as ms
    >>> square = ms.ops.GradOperation(get_all=True)(lambda x, y: x * x + y)
    >>> [float(g) for g in square(ms.Tensor(3.0), ms.Tensor(1.0))]
    [6.0, 1.0]
    """

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise TypeError("[grad_operation] %s must be a bool, got %s" % (name, type(value).__name__))
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn, weights=None, grad_position=None):
        check_callable(fn, "grad_operation")
        if self.get_by_list and weights is None:
            if not hasattr(fn, "trainable_params"):
                raise ValueError("[grad_operation] get_by_list needs weights where fn is not a Cell")
            weights = fn.trainable_params()

        def gradient(*args, **kwargs):
            return self.value_and_gradient(fn, weights, args, kwargs)[1]
        return gradient

    def value_and_gradient(self, fn, weights, args, kwargs):
        """(output, gradients) of one call."""
        seeds = None
        if self.sens_param:
            if "sens" in kwargs:
                seeds = kwargs.pop("sens")
            elif args:
                args, seeds = args[:-1], args[-1]
            else:
                raise ValueError("[grad_operation] sens_param needs the gradient of the output as the last argument")
        count = len(args) + len(kwargs)
        positions = range(count) if self.get_all else range(0 if self.get_by_list else min(1, count))
        chosen = _weight_list(weights, "grad_operation") if self.get_by_list else []
        pull = _last_forward(fn, args, kwargs, positions, chosen)
        if pull is None:
            pull = _Pull(fn, args, kwargs, positions, chosen, containers=True)
        outputs = _differentiated(pull.output, False, "grad_operation")
        by_position, by_weight = pull.gradients(outputs, _seeds(seeds, outputs, "grad_operation"))
        if not self.get_by_list:
            return pull.value(), (tuple(by_position) if self.get_all else _unpacked(by_position))
        of_weights = by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight)
        return pull.value(), ((tuple(by_position), of_weights) if self.get_all else of_weights)


def _last_forward(fn, args, kwargs, positions, weights):
    """The record of the last call of a Cell (recorded_forward.py), restricted to these positions and weights; None if it was another call."""
    if not isinstance(fn, KeepsForward) or fn._ms_forward is None:
        return None
    record = fn._ms_forward
    object.__setattr__(fn, "_ms_forward", None)
    given, pull = record
    if kwargs or len(given) != len(args) or _msjit.grad_level() > 0:
        return None
    for one, other in zip(given, args):
        if one is not other:
            return None
    pull.restrict(positions, weights)
    return pull


class MultitypeFuncGraph:
    """A function with one definition for each combination of argument types, added by `register`.

    A call uses the first definition that fits the arguments. A single definition accepts any arguments. Raises ValueError if none fits.

    >>> from msjit import ops
    >>> twice = ops.MultitypeFuncGraph("twice")
    >>> _ = twice.register("Number")(lambda x: 2 * x), twice.register("String")(lambda x: x + x)
    >>> twice(2), twice("ab")
    (4, 'abab')
    """

    def __init__(self, name, read_value=False, doc_url=""):
        if not isinstance(name, str):
            raise TypeError("[multitype_func_graph] name, got %s, expected a str" % type(name).__name__)
        self.name = name
        self.entries = []

    def register(self, *type_names, **kwargs):
        """Returns a decorator that adds a definition for arguments of these types ("Tensor", "Number", "Tuple", ms.int64, float, ...).

        The decorator raises RuntimeError for a name that no type has, and TypeError for anything but a name, an element type or a class.
        """
        def deco(fn):
            for kind in type_names:
                _check_kind(kind)
            self.entries.append((tuple(type_names), fn))
            return fn
        return deco

    def set_need_unpack(self, *args):
        """Does nothing; accepted for compatibility."""

    set_doc_url = set_need_unpack

    def __call__(self, *args):
        if len(self.entries) == 1:
            return self.entries[0][1](*args)
        for names, fn in self.entries:
            if len(names) == len(args) and all(_is_a(a, n) for a, n in zip(args, names)):
                return fn(*args)
        raise ValueError("[%s] no definition for (%s)" % (self.name, ", ".join(type(a).__name__ for a in args)))


_KINDS = {
    "Tensor": Tensor, "Number": (bool, int, float, complex), "Bool": bool, "bool": bool, "Tuple": tuple, "List": list, "Dict": dict,
    "Dictionary": dict, "String": str, "Int": int, "int": int, "Int64": int, "Float": float, "float": float, "Float64": float,
    "Complex": complex, "None": type(None), "NoneType": type(None), "Slice": slice, "Ellipsis": type(...),
}
# Names of types that arguments here may have only as classes or never.
_OTHER_NAMES = frozenset("""UInt Function TypeType RowTensor COOTensor CSRTensor Keyword Problem EnvType MapTensor UMonad Parameter Ref Set Cell
    Primitive Int8 Int16 Int32 UInt8 UInt16 UInt32 UInt64 Float16 Float32 BFloat16 Complex64 Complex128""".split())
_PLAIN = (bool, int, float, complex, str, tuple, list, dict, slice, type(None), type(...))
_INTS = ("Int", "int", "Int64")  # a bool does not count as one of these
_NUMPY = {"Number": "iufc", "Int": "iu", "int": "iu", "Float": "f", "float": "f", "Complex": "c"}  # kinds of NumPy's scalars


def _check_kind(kind):
    if isinstance(kind, str):
        if kind.partition("[")[0] not in _KINDS and kind not in _OTHER_NAMES:
            raise RuntimeError("[multitype_func_graph] type, got %r, expected the name of a type" % (kind,))
    elif not isinstance(kind, (type, dtype_type)):
        raise TypeError("[multitype_func_graph] type, got %s, expected a name, an element type or a class" % type(kind).__name__)


def _is_a(value, kind):
    if isinstance(kind, type):
        return isinstance(value, kind)
    name = kind if isinstance(kind, str) else str(kind)
    if isinstance(value, Tensor):
        dtype = str(value.dtype)
        return name == "Tensor" or name == "Tensor[%s]" % dtype or (name == dtype and not isinstance(kind, str))
    if name in _KINDS and isinstance(value, _KINDS[name]):
        return not (name in _INTS and isinstance(value, bool))
    if name == "Function":
        return callable(value) and not isinstance(value, type)
    if name == "TypeType":
        return isinstance(value, dtype_type)
    # _PLAIN is tested first, because captured code cannot read the module of a class.
    return type(value) not in _PLAIN and type(value).__module__ == "numpy" and _is_numpy(value, name)


def _is_numpy(value, name):
    """Whether a NumPy scalar has the type that a name stands for."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return getattr(value, "shape", None) == () and (kind in _NUMPY.get(name, ()) or value.dtype.name.capitalize() == name)


class Map:
    """Applies an operation to the items of sequences of equal length, one level deep; returns a tuple.

    The operation is `ops`, or the first argument of the call if that is None. `reverse` changes nothing. Raises RuntimeError for sequences of
    different lengths, TypeError for an operation that cannot be called.

    >>> from msjit import ops
    >>> ops.Map()(lambda a, b: a + b, (1, 2), (10, 20))
    (11, 22)
    """

    def __init__(self, ops=None, reverse=False):
        if ops is not None and not callable(ops):
            raise TypeError("[%s] ops, got %s, expected a function or None" % (type(self).__name__.lower(), type(ops).__name__))
        self.ops, self.reverse = ops, reverse

    def _items(self, args):
        op, sequences = _operation("map", self.ops, args)
        # Tuples and lists first: whether a tuple has __len__ is not captured.
        sequences = [value if isinstance(value, (tuple, list)) or hasattr(value, "__len__") else tuple(check_iterable(value, "map", "argument", "a sequence")) for value in sequences]
        length = len(sequences[0])
        for sequence in sequences:
            if len(sequence) != length:
                raise RuntimeError("[map] sequences must have the same length, got %d and %d" % (length, len(sequence)))
        return op, sequences

    def __call__(self, *args):
        op, sequences = self._items(args)
        return tuple([op(*items) for items in zip(*sequences)])


class HyperMap(Map):
    """Applies an operation to the leaves of nested tuples and lists of the same structure; returns nested tuples.

    The operation is `ops`, or the first argument of the call if that is None. An argument that is no sequence goes to each call. Raises
    RuntimeError for sequences of different lengths.

    >>> from msjit import ops
    >>> ops.HyperMap(lambda a, b: a * b)(((1, 2), 3), 10)
    ((10, 20), 30)
    """

    def __call__(self, *args):
        op, values = _operation("hyper_map", self.ops, args)
        return _hyper(op, values)


def _operation(where, op, args):
    """(the operation of a map, `op` or the first argument, and the values it is applied to)."""
    if len(args) < (2 if op is None else 1):
        raise TypeError("[%s] arguments, got %d, expected a function and one sequence at least" % (where, len(args)))
    if op is not None:
        return op, args
    if not callable(args[0]):
        raise TypeError("[%s] ops, got %s, expected a function" % (where, type(args[0]).__name__))
    return args[0], args[1:]


def _hyper(op, values):
    first = next((v for v in values if isinstance(v, (tuple, list))), None)
    if first is None:
        return op(*values)
    for value in values:
        if isinstance(value, (tuple, list)) and len(value) != len(first):
            raise RuntimeError("[hyper_map] sequences must have the same length, got %d and %d"
                               % (len(first), len(value)))
    columns = [value if isinstance(value, (tuple, list)) else [value] * len(first) for value in values]
    return tuple([_hyper(op, items) for items in zip(*columns)])


def core(fn=None, **flags):
    """Returns the function unchanged; it is accepted for compatibility."""
    return fn if fn is not None else (lambda decorated: decorated)


def add_flags(fn=None, **flags):
    """Returns the function unchanged; it is accepted for compatibility."""
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
    """Marks a function whose result depends only on constants. Here it is plain Python, which runs when it is called.

    As a decorator it returns the function, or with get_instance=False a class whose instances call it. The other keywords concern
    MindSpore's graphs and change nothing here.
    """
    if fn is None:
        return lambda function: constexpr(function, get_instance, name, reuse_result, check)
    check_callable(fn, "constexpr")
    if name is not None and not isinstance(name, str):
        raise TypeError("[constexpr] name, got %s, expected a str" % type(name).__name__)
    return fn if get_instance else type(name or fn.__name__, (), {"__call__": staticmethod(fn), "__doc__": fn.__doc__})

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
# Functions that MindSpore has here too: __init__.py adds them, as the modules that define them import this one.
_FUNCTIONS = """batch_dot clip_by_global_norm clip_by_value count_nonzero cummin dot gamma laplace matmul mm multinomial normal ones_like poisson repeat_elements
    repeat_interleave sequence_mask tensor_dot uniform vecdot zeros_like""".split()
__all__ += ["augassign_add", "augassign_div", "augassign_floordiv", "augassign_mod", "augassign_mul", "augassign_sub", *_FUNCTIONS]
__getattr__ = _absent(__name__)

_paths.reach(__name__)
