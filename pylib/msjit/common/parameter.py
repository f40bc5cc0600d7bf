"""Parameter: a named Tensor that belongs to a Cell and is updated by an optimizer."""
import copy
import itertools

from .._native import Tensor, _msjit
from ..absent import attributes as _absent
from .dtype import int_type

PARAMETER_NAME_DEFAULT, PARAMETER_NAME_PREFIX_MAX_LEN = "Parameter", 1024
_MADE_UP = "Parameter#"  # this and a number: the name of a Parameter that the program has not named
_numbers = itertools.count(2)  # MindSpore itself has used the first number when a program starts


def has_own_name(param):
    """Whether the program has named the Parameter. If not, a Cell names it after the attribute."""
    return not param.name.startswith(_MADE_UP)


class Parameter(Tensor):
    """A trainable tensor. `default_input` is copied: a Parameter owns its data.

    set_data, assignments such as ops.assign_add and optimizers change its values; the object stays the same. Raises ValueError for a name
    that is no text.

    >>> from msjit import Parameter, Tensor
    >>> weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    >>> weight.set_data(Tensor([3.0, 4.0])).asnumpy().tolist()
    [3.0, 4.0]
    >>> weight.name, weight.shape, weight.requires_grad
    ('weight', (2,), True)
    """

    # Settings for several processes, caches and devices. Nothing here reads them.
    cache_enable = sliced = parallel_optimizer_comm_recompute = is_in_parallel = False
    cache_shape, comm_fusion, key, inited_param, init_mode, requires_aggr = [], 1, -1, None, None, True
    # For a Parameter these are attributes; for a Tensor they are methods.
    unique = is_init = False

    def __init__(self, default_input, name=None, requires_grad=True, layerwise_parallel=False,
                 parallel_optimizer=True, storage_format="", device=None):
        if name is not None and not isinstance(name, str):
            raise ValueError("[parameter] name must be a str, got %s" % type(name).__name__)
        if isinstance(default_input, bool):
            raise ValueError("[parameter] default_input must be a Tensor or a number, got bool")
        if not isinstance(requires_grad, bool):
            raise TypeError("[parameter] requires_grad must be a bool, got %s" % type(requires_grad).__name__)
        if device not in (None, "CPU", "Remote"):
            raise ValueError("[parameter] device, got %r, expected 'CPU', 'Remote' or None" % (device,))
        # A plain attribute, so that code that renames Parameters can be captured, such as a construct that slices a CellList.
        self.name = name if name and not name.isspace() else _MADE_UP + str(next(_numbers))
        if isinstance(default_input, int):  # int32, as MindSpore has it
            Tensor.__init__(self, default_input, "int32")
        else:
            Tensor.__init__(self, default_input)
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        self._set_requires_grad(requires_grad)

    def _set_requires_grad(self, value):
        self._requires_grad = bool(value)
        _msjit.mark_parameter(self, bool(value))

    @property
    def requires_grad(self):
        """True when grad transforms and optimizers should treat it as trainable."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise TypeError("[parameter] requires_grad must be a bool, got %s" % type(value).__name__)
        self._set_requires_grad(value)

    @property
    def layerwise_parallel(self):
        """For MindSpore: whether each of several processes holds a part. Here one process holds all. TypeError for anything but a bool."""
        return self._layerwise_parallel

    @layerwise_parallel.setter
    def layerwise_parallel(self, value):
        if not isinstance(value, bool):
            raise TypeError("[parameter] layerwise_parallel, got %s, expected a bool" % type(value).__name__)
        self._layerwise_parallel = value

    @property
    def parallel_optimizer(self):
        """For MindSpore: whether several processes share the update of this Parameter. Here one process does it. TypeError for anything but a bool."""
        return self._parallel_optimizer

    @parallel_optimizer.setter
    def parallel_optimizer(self, value):
        if not isinstance(value, bool):
            raise TypeError("[parameter] parallel_optimizer, got %s, expected a bool" % type(value).__name__)
        self._parallel_optimizer = value

    def add_pipeline_stage(self, stage):
        """Checks the number of a pipeline stage; here one process runs all stages. TypeError for anything but an int of 0 or more."""
        if not isinstance(stage, int) or isinstance(stage, bool) or stage < 0:
            raise TypeError("[parameter] stage, got %r, expected an int of 0 or more" % (stage,))

    @property
    def param_info(self):
        """What MindSpore keeps about a Parameter besides its values: its name and flags. Here the Parameter itself. Assigning that of another
        Parameter, or a clone of it, takes over name and flags. TypeError for anything else."""
        return self

    @param_info.setter
    def param_info(self, info):
        if not isinstance(info, Parameter):
            raise TypeError("[parameter] param_info, got %s, expected the param_info of a Parameter" % type(info).__name__)
        self.name = info.name
        for flag in ("requires_grad", "layerwise_parallel", "parallel_optimizer", "comm_fusion", "cache_enable", "cache_shape"):
            setattr(self, flag, getattr(info, flag))

    @property
    def data(self):
        """A Tensor on the same memory, without gradients. Writes into either are seen in the other; set_data() gives the Parameter other
        memory, which this Tensor does not see. Assigning a Tensor of any shape replaces the values."""
        return self.detach()

    @data.setter
    def data(self, value):
        if value is not self:
            Tensor.data.__set__(self, value)

    def value(self):
        """A copy of the current values, which later changes of the Parameter leave as it is. Gradients of results computed from it flow to the
        Parameter."""
        return Tensor.copy(self)

    def clone(self, init="same"):
        """A new Parameter of the same name; init 'same' copies the values, else see initializer()."""
        if init == "same":
            values = self.detach()
        else:
            from .initializer import initializer
            values = initializer(init, self.shape, self.dtype)
        made = _restore(type(self), values, self.name, self.requires_grad)
        made.__dict__.update(self.__dict__)  # with attributes that the program has set
        return made

    def copy(self):
        """As clone()."""
        return self.clone()

    def init_data(self, *args, **kwargs):
        """Kept for compatibility: data is there from the start."""
        return self

    def set_data(self, data, slice_shape=False):
        """Replaces the values by a copy of `data`, a Tensor or a number, cast to this dtype. The Parameter gets the shape of `data`.

        Raises TypeError for other data, and for a float if the Parameter holds ints.
        """
        if not isinstance(data, (Tensor, int, float)):
            raise TypeError("[set_data] data, got %s, expected a Tensor, an int or a float" % type(data).__name__)
        if not isinstance(data, Tensor):
            if isinstance(data, float) and self.dtype in int_type:
                raise TypeError("[set_data] data, got a float, expected an int or a Tensor: the Parameter holds %s" % self.dtype)
            data = Tensor(data, self.dtype)
        Tensor.set_data(self, Tensor(data), slice_shape or data.shape != self.shape)
        return self

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        made = memo[id(self)] = _restore(type(self), self.detach(), self.name, self.requires_grad)
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made

    def __reduce__(self):
        return _restore, (type(self), self.detach(), self.name, self.requires_grad), self.__dict__

    def __repr__(self):
        return "Parameter (name=%s, shape=%s, dtype=%s, requires_grad=%s)" % (
            self.name, tuple(self.shape), self.dtype, self.requires_grad)

    __str__ = __repr__

    def __format__(self, spec):
        return super().__format__(spec) if spec else str(self)  # as it prints

    __hash__ = object.__hash__


def _restore(cls, values, name, requires_grad):
    """Makes a Parameter of a class without calling its __init__, which may take other arguments."""
    made = cls.__new__(cls)
    Parameter.__init__(made, Tensor(values), name=name, requires_grad=requires_grad)
    return made


class ParameterTuple(tuple):
    """Tuple of Parameters, as optimizers and grad transforms take them: ParameterTuple(iterable).

    Raises TypeError for items that are no Parameters, ValueError for two with one name.
    """

    __slots__ = ()

    def __new__(cls, iterable):
        if not hasattr(iterable, "__iter__"):
            raise TypeError("[parameter_tuple] iterable, got %s, expected Parameters in an iterable" % type(iterable).__name__)
        items, named = tuple(iterable), {}
        for item in items:
            if not isinstance(item, Parameter):
                raise TypeError("[parameter_tuple] items must be Parameters, got %s" % type(item).__name__)
            if named.setdefault(item.name, item) is not item:
                raise ValueError("[parameter_tuple] names, got %r twice, expected each once" % (item.name,))
        return tuple.__new__(cls, items)

    def clone(self, prefix, init="same"):
        """A ParameterTuple of clones whose names are prefixed with `prefix` and a dot; init is as in Parameter.clone."""
        clones = []
        for param in self:
            copied = param.clone(init)
            copied.name = prefix + "." + param.name
            clones.append(copied)
        return ParameterTuple(clones)
_keys = itertools.count(1)


def _get_unique_parameter_key():
    """1, 2, 3, ...: another number at each call."""
    return next(_keys)


__getattr__ = _absent(__name__)


__all__ = ["Parameter", "ParameterTuple"]
