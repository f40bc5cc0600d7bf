"""Names of mindspore.ops.auto_generate, where MindSpore generates a class, an instance and a function for each of its
kernels.

Here a name is resolved by its spelling when it is first used: `abs_op` is an instance of the primitive Abs, `abs_impl` is ops.abs,
`sum_ext` and the primitive SumExt are mint.sum (if mint has that name), `inplace_exp` is Tensor.exp_, `pyboost_abs` takes a
primitive and the list of all arguments. `relu_grad_op` is an instance of the gradient ReluGrad, and `log_softmax_grad_impl` a
function of its inputs and its attributes. Unsupported names can be imported and raise when they are called.
"""
import importlib
import sys

from .. import _paths
from .. import absent as _absent
from ..common.tensor import Tensor
from . import _inner_operations as _inner
from . import function as _function
from . import generated_calls as _calls
from . import generated_func as _generated
from . import operations as _operations
from .primitive import Primitive, rows
from .primitive import text_of as _text_of

# Names for which mint has another name.
_RENAMED = {"matrix_inverse": "inverse", "solve_triangular": "triangular_solve", "kthvalue": "kthvalue", "argmax": "argmax",
            "reduce_sum": "sum", "batch_mat_mul": "bmm", "muls": "mul", "split_with_size": "split"}
_FIRST = ("pyboost_", "inner_")
_GRADIENTS = ("gradient_kernels", "window_gradients", "norm_gradients", "value_gradients", "later_gradients")
_OTHER = {"CountNonZero": "count_nonzero"}  # {generated class whose parameters are not those of the class in ops: its function}
_LAST = ("_impl", "_ext", "_op", "_view")


def contiguous(input):
    """Returns the tensor with its elements contiguous in memory."""
    return input.contiguous()


def copy(input):
    """Copies a tensor."""
    return _function.deepcopy(input)


def clone(input):
    """Copies a tensor."""
    return _function.deepcopy(input)


def detach(input):
    """Returns the tensor without its gradient history."""
    return input.detach()


def view(input, shape):
    """Reshapes a tensor without copying, as Tensor.view."""
    return input.view(shape)


def tuple_to_tensor(input_tuple, dtype=None):
    """Converts a tuple of numbers to a Tensor."""
    return _operations.TupleToTensor()(input_tuple, dtype)


def list_to_tensor(input_list, dtype=None):
    """Converts a list of numbers to a Tensor."""
    return _operations.ListToTensor()(input_list, dtype)


def _snake(name):
    """The snake-case name of a class, as MindSpore spells it: max_pool2d for MaxPool2D."""
    out = ""
    for i, letter in enumerate(name):
        starts = letter.isupper() and i and (not name[i - 1].isupper() or name[i + 1:i + 2].islower())
        out += ("_" if starts and not name[i - 1].isdigit() else "") + letter.lower()
    return out


class _Named(Primitive):
    def __call__(self, *args, **kwargs):
        return self._op(*args, **kwargs)


def _camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _of_mint(name):
    for path in ("..mint", "..mint.functional", "..mint.linalg"):
        found = getattr(importlib.import_module(path, __package__), name, None)
        if found is not None and not isinstance(found, _absent.Absent):
            return found
    return None


def _function_named(name):
    """Finds the function that a name stands for, or None."""
    for module in (_calls, _generated):
        if name in module.__all__:
            return getattr(module, name)
    base = name
    for first in _FIRST:
        base = base[len(first):] if base.startswith(first) else base
    if base.startswith("inplace_"):
        return getattr(Tensor, base[len("inplace_"):].replace("_ext", "") + "_", None)
    extended = base.endswith("_ext") or "_ext_" in base
    for last in _LAST:
        base = base[:-len(last)] if base.endswith(last) else base
    base = _RENAMED.get(base, base)
    if extended:
        return _of_mint(base)
    return getattr(_function, base, None) if base in _function.__all__ else _of_mint(base)


def _stack(self, tensors):
    return _function.stack(tensors, self.dim)


def _diagonal(self, input):
    return _function.diagonal(input, self.offset, self.dim1, self.dim2)


def _scatter_elements(self, data, indices, updates):
    return _function.tensor_scatter_elements(data, indices, updates, self.axis, self.reduce)


def _one_hot(self, tensor, num_classes, on_value, off_value):
    if num_classes == -1:
        num_classes = int(tensor.max()) + 1
    return _function.one_hot(tensor, num_classes, on_value, off_value, self.axis)


# Primitives whose attributes are given to the constructor, and which differ from those of the same name in ops, if there is one.
_ROWS = (
    ("StackExt", {"dim": 0}, _stack),
    ("Diagonal", {"offset": 0, "dim1": 0, "dim2": 1}, _diagonal),
    ("TensorScatterElements", {"axis": 0, "reduce": "none"}, _scatter_elements),
    ("OneHotExt", {"axis": -1}, _one_hot),
    ("EluExt", {"alpha": 1.0}, lambda self, input: _of_mint("elu")(input, self.alpha)),
)


def _class_named(name):
    """Finds or makes the primitive that a name stands for, or None."""
    base = name[:-len("Prim_")] if name.endswith("Prim_") else name
    if base in _operations.__all__ and base not in _OTHER:
        return getattr(_operations, base)
    spelling = _OTHER.get(base) or (_snake(base[:-3]) + "_ext" if base.endswith("Ext") else _snake(base))
    function = _function_named(spelling)
    if function is None:
        return None
    return type(name, (_Named,), {"_function": staticmethod(function), "__module__": __name__, "__doc__": _text_of(name, function)})


def instance_named(name):
    """Makes an instance of the primitive that NAME_op stands for, or None."""
    wanted = _camel(name).lower()
    for known in _operations.__all__:
        if known.lower() == wanted:
            try:
                return getattr(_operations, known)()
            except TypeError:  # it needs attributes
                return None
    made = _class_named(_camel(name))
    return None if made is None else made()


def _gradient_class(name):
    """The class of the gradient that a name in small letters stands for, or None: MSELossGradExt for mse_loss_grad_ext."""
    wanted = name.replace("_", "")
    for path in _GRADIENTS:
        module = importlib.import_module("." + path, __package__)
        for known in module.__all__:
            if known.lower() == wanted:
                return getattr(module, known)
    return None


def _gradient_named(name):
    """What a name of the kernel of a gradient stands for, or None: an instance, a function, or (NAMEPrim_) a primitive of it."""
    if name.endswith("Prim_"):
        function = _gradient_named(name[:-5].lower() + "_impl")
        return None if function is None else type(name, (_Named,), {"_function": staticmethod(function), "__module__": __name__})
    kind = _gradient_class(name[:-3] if name.endswith("_op") else name[:-5] if name.endswith("_impl") else name)
    if kind is None:
        return None
    count = len(kind._attributes)
    if name.endswith("_op"):
        return kind()

    def gradient(*arguments):
        """The gradient, of the inputs of its primitive and then the attributes, all of them where there are any."""
        if count and len(arguments) <= count:
            raise TypeError("[%s] number of arguments, got %d, expected the inputs and %s" % (name, len(arguments), list(kind._attributes)))
        return kind(*arguments[len(arguments) - count:])(*arguments[:len(arguments) - count])
    gradient.__name__ = gradient.__qualname__ = name
    return gradient


def _boosted(name):
    """The function that MindSpore calls with a primitive and the list of all arguments, or None."""
    base = name[len("pyboost_"):]
    function = _gradient_named(base) if _reason(name) == "gradient kernel" else _function_named(base)
    if function is None:
        return None

    def call(*arguments):
        if len(arguments) != 2:
            raise RuntimeError("[%s] number of arguments, got %d, expected 2: a primitive and a list" % (name, len(arguments)))
        return function(*arguments[1])
    call.__name__ = call.__qualname__ = name
    return call


def _reason(name):
    if "Grad" in name or "_grad" in name or "ackward" in name:
        return "gradient kernel"
    if name.startswith("_"):
        return None
    return _absent.reason_of(name) or "device"


_refuse = _absent.attributes(__name__, _reason)
rows(globals(), _ROWS)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    if name in ("gen_ops_def", "gen_ops_prim"):
        return sys.modules[__name__]
    found = _inner.find(name) if name[0].isupper() and name not in _OTHER else None
    if name.startswith("pyboost_"):
        found = _boosted(name)
    elif found is None and _reason(name) == "gradient kernel":
        found = _gradient_named(name)
    elif found is None:
        if name[0].isupper():
            found = _class_named(name)
        elif name.endswith("_op"):
            found = instance_named(name[:-3])
        else:
            found = _function_named(name)
    found = _refuse(name) if found is None else found
    globals()[name] = found
    return found
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
