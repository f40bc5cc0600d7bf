"""Cell: the building block of networks. It holds Parameters and other Cells; `construct` is its computation.

Everything assigned to a Cell lives in the instance dictionary, so reading `self.weight` is a plain attribute read
(fast in eager mode, one guard for the bytecode JIT); `_params` and `_cells` only index what was assigned. The indexes
themselves are `_param_index` and `_cell_index`, which code of this library reads.

Private names that a program may choose for itself, such as `_forward` and `_hooks`, begin with `_ms_` here.
"""
from weakref import ref

from .. import context
from .._native import _msjit
from ..auto_cast import in_precision
from ..autograd import KeepsForward, transforms
from ..common.notebook import cell_html
from ..common.parameter import Parameter, ParameterTuple, has_own_name
from ..jit import LeveledConstruct, graph_construct, leveled_construct
from ..jit_cell import JitCell, set_plain_call
from ..recorded_forward import forget, recorded, records
from ..saved_tensors import register_saved_tensors_hooks
from .bprop import internal_params, recorded_call
from .cell_attributes import CellAttributes
from .cell_index import Index, drop_item, owned, store_item
from .cell_names import CellNames
from .cell_settings import CellSettings
from .cell_state import CellState
from .hooks import run_with_hooks
from .recompute import recomputed_call

_NOT_INITIALISED = "[cell] super().__init__() must be called before {} is assigned"


class Cell(CellSettings, CellState, CellAttributes, CellNames, KeepsForward):
    """Base class of all networks and layers.

    >>> import msjit as ms
    >>> from msjit import nn, ops
    >>> class Net(nn.Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden, self.output = nn.Dense(4, 8), nn.Dense(8, 2)
    ...     def construct(self, x):
    ...         return self.output(ops.relu(self.hidden(x)))
    >>> net = Net()
    >>> net(ops.zeros((3, 4), ms.float32)).shape
    (3, 2)
    >>> [p.name for p in net.trainable_params()]
    ['hidden.weight', 'hidden.bias', 'output.weight', 'output.bias']
    """

    # Whether a call needs more than construct: hooks, mixed precision, a custom gradient, graph mode. It is one flag for all, so that the
    # usual call pays one attribute read. GRAPH_MODE sets it to True on this class, bprop on the class that defines it, the others on the
    # instance. The default is the list of active gradient transforms: while one is active, every call looks for a bprop, because a
    # program may have set one on the class, on a base or in __dict__, where neither __init__ nor __setattr__ sees it.
    _ms_intercept = transforms
    _ms_jit_config = None
    _ms_recompute = False
    _ms_auto_cast = None  # the dtype of amp level "auto"
    _keeps_casts = None  # the class itself if its `construct` only reads its Parameters, neither returning nor storing them
    _keeps_dtype = ()  # names of Parameters that construct writes to: these are not cast
    _ms_output_dtype = None  # the dtype to which returned floats are cast, if construct computes in another one
    _ms_leveled = LeveledConstruct()
    training = False
    requires_grad = False
    def __init__(self, auto_prefix=True, flags=None):
        set_attr = object.__setattr__
        params, cells = Index(), Index()
        set_attr(self, "_param_index", params)
        set_attr(self, "_cell_index", cells)
        if not _msjit.in_graph_call():  # a weak reference would end the region
            params.owner = cells.owner = ref(self)
        set_attr(self, "_auto_prefix", auto_prefix)
        set_attr(self, "_ms_hooks", None)
        set_attr(self, "_ms_compute_dtype", None)
        set_attr(self, "training", False)
        if hasattr(self, "bprop"):
            set_attr(self, "_ms_intercept", True)
        if flags:
            if not hasattr(type(flags), "keys"):
                raise TypeError("[cell] flags, got %s, expected a dict" % type(flags).__name__)
            self.add_flags(**flags)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "bprop"):
            cls._ms_intercept = True

    # -- calls --------------------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        if self._ms_intercept:
            return self._call_intercepted(self.construct, args, kwargs)
        return self.construct(*args, **kwargs)

    def construct(self, *args, **kwargs):
        """Computes the outputs of the Cell from its inputs; a call of the Cell runs it. Every subclass defines its own.

        Inputs and outputs are Tensors, tuples, or any other objects. Raises AttributeError in a class that defines none.
        """
        hint = "; did you mean to rename forward?" if hasattr(type(self), "forward") else ""
        raise AttributeError("[cell] %s, got no construct method, expected one%s" % (type(self).__name__, hint))

    def _call_intercepted(self, construct, args, kwargs):
        """A call that needs more than construct. `construct` is the compiled one if the result of jit(cell) was called."""
        given = construct
        if self._ms_jit_config is not None:
            construct = leveled_construct(self, construct)
        # A Cell called by compiled code is part of that code's graph.
        casts = self._ms_auto_cast is not None
        if construct is given and context.is_graph_mode() and not _msjit.in_graph_call():
            construct = graph_construct(self, construct)
            casts = casts and construct is given
        elif self.requires_grad and records(self, args, kwargs):
            return recorded(self, lambda *inputs: self._call_intercepted(given, inputs, {}), args)
        elif self._ms_forward is not None:
            forget(self)
        if casts:
            construct = in_precision(construct, self._ms_auto_cast)
        if "_ms_saved_hooks" in self.__dict__:
            construct = register_saved_tensors_hooks(*self._ms_saved_hooks)(construct)
        if self._ms_hooks is not None:
            return run_with_hooks(self, construct, args, kwargs)
        return self._call_construct(construct, args, kwargs)

    def _call_construct(self, construct, args, kwargs):
        """The call without forward hooks: casts, a custom gradient, recomputation, then construct."""
        run = construct
        if self._ms_compute_dtype is not None:
            def run(*args, **kwargs):
                return self._call_in_precision(construct, args, kwargs)
        if hasattr(self, "bprop") and _msjit.records(args + internal_params(self), kwargs):
            return recorded_call(self, run, args, kwargs)
        if self._ms_recompute and _msjit.records(args, kwargs):
            return recomputed_call(type(self).__name__ + ".recompute", self.trainable_params(), run, args, kwargs)
        return run(*args, **kwargs)

    def _call_in_precision(self, construct, args, kwargs):
        """Runs construct with its inputs and the Cell's own Parameters cast. The tape records the casts, so gradients
        reach the Parameters."""
        dtype, store = self._ms_compute_dtype, self.__dict__
        args = tuple(_cast_float(a, dtype) for a in args)
        own = {name: p for name, p in store["_param_index"].items()
               if p is not None and store.get(name) is p and name not in self._keeps_dtype}
        cast = _cast_weight if self._keeps_casts is type(self) and not _msjit.in_graph_call() else _cast_float
        try:
            for name, param in own.items():
                store[name] = cast(param, dtype)
            result = construct(*args, **kwargs)
            return result if self._ms_output_dtype is None else _cast_float(result, self._ms_output_dtype)
        finally:
            store.update(own)

    # -- attributes ---------------------------------------------------------------------------------------------

    def __setattr__(self, name, value):
        store = self.__dict__
        if isinstance(value, JitCell):  # the Parameters of the wrapped Cell belong to this Cell too
            self._ms_register_cell(name, value.__wrapped__)
        elif isinstance(value, Parameter):
            self._ms_register_parameter(name, value)
        elif isinstance(value, Cell):
            self._ms_register_cell(name, value)
        elif isinstance(value, ParameterTuple):
            for item in value:
                if not has_own_name(item):  # equal default names would replace one another
                    item.name = self._free_parameter_name()
                self._ms_register_parameter(item.name, item, attribute=False)
        elif "_param_index" in store and self._set_registered(name, value):
            return
        if name == "bprop":
            object.__setattr__(self, "_ms_intercept", True)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        drop_item(self._param_index, name)
        drop_item(self._cell_index, name)
        self.__dict__.get("_buffers", {}).pop(name, None)
        object.__delattr__(self, name)

    @property
    def _params(self):
        """The Parameters of this Cell alone, by their attributes; what is written there is an attribute too."""
        return _for_programs(self, self._param_index)

    @_params.setter
    def _params(self, items):
        owned(self, self._param_index).replace(items)

    @property
    def _cells(self):
        """The Cells right below this one, by their attributes; what is written there is an attribute too."""
        return _for_programs(self, self._cell_index)

    @_cells.setter
    def _cells(self, items):
        owned(self, self._cell_index).replace(items)

    def _index_written(self):
        """A program has written to _cells or _params."""

    def _free_parameter_name(self):
        number = 1
        while "Parameter$%d" % number in self.__dict__.get("_param_index", ()):
            number += 1
        return "Parameter$%d" % number

    def _ms_register_parameter(self, name, param, attribute=True):
        store = self.__dict__
        if "_param_index" not in store:
            raise AttributeError(_NOT_INITIALISED.format("parameter %r" % name))
        if attribute:
            self._ms_check_free(name, "_cell_index", "_buffers")
            if not has_own_name(param):
                param.name = name
        store_item(store["_param_index"], name, param)

    def _ms_register_cell(self, name, cell, rename=True):
        store = self.__dict__
        if "_cell_index" not in store:
            raise AttributeError(_NOT_INITIALISED.format("cell %r" % name))
        self._ms_check_free(name, "_param_index", "_buffers")
        if rename and store["_auto_prefix"]:
            cell.update_parameters_name(name + ".")
        store_item(store["_cell_index"], name, cell)

    def insert_child_to_cell(self, child_name, child_cell):
        """Adds a Cell under a name. Its Parameters keep their names, as in MindSpore.

        Raises TypeError for a wrong type, KeyError for an empty, dotted or taken name.
        """
        if not isinstance(child_name, str):
            raise TypeError("[cell] child_name must be a str, got %s" % type(child_name).__name__)
        if not child_name or "." in child_name:
            raise KeyError("[cell] child_name must be a name without '.', got %r" % (child_name,))
        if not isinstance(child_cell, Cell):
            raise TypeError("[cell] child_cell must be a Cell, got %s" % type(child_cell).__name__)
        self._check_insert(child_name, self._cell_index)
        self._ms_register_cell(child_name, child_cell, False)
        object.__setattr__(self, child_name, child_cell)

    def insert_param_to_cell(self, param_name, param, check_name_contain_dot=True):
        """Adds a Parameter under a name, as an attribute of this Cell; None reserves the name.

        Raises TypeError for a name that is no str and anything but a Parameter, KeyError for a name that is empty or taken by something else, and
        for one with a '.' unless check_name_contain_dot is False.
        """
        if param is not None and not isinstance(param, Parameter):
            raise TypeError("[cell] param must be a Parameter, got %s" % type(param).__name__)
        if not isinstance(param_name, str):
            raise TypeError("[cell] param_name must be a str, got %s" % type(param_name).__name__)
        if not param_name or (check_name_contain_dot and "." in param_name):
            raise KeyError("[cell] a parameter name must not be empty or contain '.', got %r" % (param_name,))
        self._check_insert(param_name, self._param_index)
        if param is None:
            self._param_index[param_name] = None
        object.__setattr__(self, param_name, param) if param is None else setattr(self, param_name, param)

    # -- text ---------------------------------------------------------------------------------------------------

    def extend_repr(self):
        """Returns the text inside the parentheses when the Cell is printed, such as its sizes; "" unless a subclass defines it."""
        return ""

    def _get_name(self):
        """The name with which the Cell is printed."""
        return type(self).__name__

    def __repr__(self):
        own = self.extend_repr()
        lines = [own] if own else []
        for name, cell in self._cell_index.items():
            lines.append("(%s): %s" % (name, repr(cell).replace("\n", "\n  ")))
        if not self._cell_index:
            return "%s(%s)" % (self._get_name(), own)
        return "%s(\n  %s\n)" % (self._get_name(), "\n  ".join(lines))

    _repr_html_ = cell_html

    def __dir__(self):
        return sorted(set(object.__dir__(self)) | set(self._cell_index) | set(self._param_index))


set_plain_call(Cell.__call__)


def _for_programs(cell, index):
    """The index with its owner. Compiled code asks for no weak reference where there is an owner, as `owned` would: that ends a region."""
    return index if index.owner is not None and _msjit.in_graph_call() else owned(cell, index)


def __getattr__(name):
    if name == "GraphCell":
        from .graph_cell import GraphCell
        return GraphCell
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def _cast_weight(param, dtype):
    return _msjit.cast_weight(param, dtype) if param.dtype in context.FLOAT_DTYPES and param.dtype != dtype else param


def _cast_float(value, dtype):
    if getattr(value, "dtype", None) in context.FLOAT_DTYPES and value.dtype != dtype:
        return value.astype(dtype)
    if isinstance(value, (tuple, list)):
        return type(value)(_cast_float(v, dtype) for v in value)
    return value
