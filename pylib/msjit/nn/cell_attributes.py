"""Attributes of Cell that programs set and read, and the registration of hooks.

Some attributes describe the Cell. Others are settings that only MindSpore's graph compiler, or networks divided over processes, use.
"""
import time
import warnings
from weakref import WeakKeyDictionary

from ..common.dtype import DType, bfloat16, complex_type, float16, float32, float_type
from ..common.tensor import Tensor
from ..saved_tensors import _check_hooks as check_saved_hooks
from .hooks import HookHandle

_FLAGS = {"fp16": float16, "fp32": float32, "bf16": bfloat16}


def __getattr__(name):
    """Makes MixedPrecisionType, the dtypes that a Cell may compute in, on first use, so that `import msjit` need not load enum."""
    if name != "MixedPrecisionType":
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    import enum
    made = globals()[name] = enum.Enum(name, {"NOTSET": 0, "FP16": 1, "FP32": 2, "AUTO": 3, "BF16": 4}, module=__name__)
    return made


def _precision_types():
    return globals().get("MixedPrecisionType") or __getattr__("MixedPrecisionType")


def _warn(name):
    from .. import log
    log.warning("%r will be deprecated in future versions.", name)


def precision_flags(dtype):
    """The flags that to_float sets on a Cell."""
    return {name: dtype == kind for name, kind in _FLAGS.items()}


def _checked(name, kinds, check=None):
    """A property stored in the instance; setting a value of another type raises TypeError. `kinds` is (type, maker of
    the default or None)."""
    kind = kinds[0]

    def read(self):
        store = self.__dict__
        if "_" + name not in store:
            if kinds[1] is None:
                raise AttributeError("[cell] %s has no attribute %r before it is set" % (type(self).__name__, name))
            store["_" + name] = kinds[1]()
        return store["_" + name]

    def write(self, value):
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError("[cell] %s, got %s, expected %s" % (name, type(value).__name__, kind.__name__))
        if kind is int and value < 0:
            raise ValueError("[cell] %s, got %d, expected 0 or more" % (name, value))
        self.__dict__["_" + name] = value
    return property(read, write, doc="Kept for programs that set it; nothing here reads it.")


def _kept(name, make):
    """A property without a setter, whose value is made at its first read."""
    def read(self):
        return self.__dict__.setdefault("_" + name, make())
    return property(read, doc="Kept for programs that read it; nothing here writes it.")


def _leaves(self):
    """Yields (cell, name or None, Tensor) for the buffers and Parameters of this Cell and all below; Parameters have no name."""
    for _, cell in self.cells_and_names():
        for param in cell._param_index.values():
            if param is not None:
                yield cell, None, param
        for name in cell.__dict__.get("_buffers", ()):
            if cell.__dict__.get(name) is not None:
                yield cell, name, cell.__dict__[name]


def check_names_of_arguments(where, function, given):
    """Raises ValueError if a key of `given` is not an argument of `function`, unless that has **kwargs."""
    import inspect  # imported here, so that `import msjit` need not load it
    known = inspect.signature(function).parameters
    if not any(one.kind is one.VAR_KEYWORD for one in known.values()):
        for name in given:
            if name not in known:
                raise ValueError("[%s] name of an input, got %r, expected one of %s" % (where, name, list(known)))


class CellAttributes:
    """The part of Cell that holds attributes for programs, hooks, and settings without effect here."""

    IGNORE_LIST = ["_scope", "_cell_init_args", "_auto_prefix", "_cells", "_params", "_create_time", "_func_graph_flags",
                   "_parameter_layout_dict", "_params_list", "_phase", "_bprop_debug", "_forward_pre_hook", "_forward_hook",
                   "_backward_pre_hook", "_backward_hook", "_cell_backward_pre_hook", "_cell_backward_hook", "_param_prefix",
                   "requires_grad", "cell_type", "_in_strategy", "_out_strategy"]
    cell_type = None
    global_cells = WeakKeyDictionary()
    _phase = "train"

    cell_init_args = _checked("cell_init_args", (str, None))
    bprop_debug = _checked("bprop_debug", (bool, bool))
    pipeline_stage = _checked("pipeline_stage", (int, None))
    pipeline_segment = _checked("pipeline_segment", (int, None))
    parameter_layout_dict = _checked("parameter_layout_dict", (dict, dict))
    parallel_parameter_merge_net_dict = _checked("parallel_parameter_merge_net_dict", (dict, dict))
    parallel_parameter_name_list = _checked("parallel_parameter_name_list", (list, tuple))
    exist_names, exist_objs = _kept("exist_names", set), _kept("exist_objs", set)
    compile_cache, phase_cache = _kept("compile_cache", set), _kept("phase_cache", dict)
    create_time = _kept("create_time", time.time_ns if hasattr(time, "time_ns") else lambda: int(time.time() * 1e9))

    @property
    def phase(self):
        """The text that the program has set, or else 'train' or 'predict' as set_train has set it.

        Setting anything but a str raises TypeError.
        """
        return self._phase

    @phase.setter
    def phase(self, value):
        if not isinstance(value, str):
            raise TypeError("[cell] phase, got %s, expected a str" % type(value).__name__)
        self.__dict__["_phase"] = value

    @property
    def compile_phase(self):
        """A text that the program has set on this Cell or on one above it, or None.

        Setting it sets it on all Cells below; anything but a str raises TypeError.
        """
        return self.__dict__.get("_compile_phase")

    @compile_phase.setter
    def compile_phase(self, value):
        if not isinstance(value, str):
            raise TypeError("[cell] compile_phase, got %s, expected a str" % type(value).__name__)
        for _, cell in self.cells_and_names():
            cell.__dict__["_compile_phase"] = value

    @property
    def compiled(self):
        """Always False: compiled graphs belong to the code of construct, not to the Cell."""
        return False

    def _get_attr_from_cell(self, network):
        """Takes over the options of compilation and the amp level of a Cell that this one wraps; does nothing for anything else."""
        settings = getattr(network, "__dict__", {})
        if settings.get("_ms_jit_config") is not None:
            self.set_jit_config(settings["_ms_jit_config"])
        if settings.get("_amp_level") is not None:
            self.add_flags(_amp_level=settings["_amp_level"])

    @property
    def jit_config_dict(self):
        """The options given to set_jit_config, as a dict."""
        return {} if self._ms_jit_config is None else dict(self._ms_jit_config.jit_config_dict)

    @property
    def param_prefix(self):
        """The path of attributes to this Cell from the Cell whose update_cell_prefix was called; "" before a call."""
        return self.__dict__.get("_param_prefix", "")

    def update_cell_prefix(self):
        """Sets param_prefix on this Cell and every Cell below to the path of attributes that leads to it."""
        for name, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = name

    def generate_scope(self):
        """Sets the text that get_scope returns on every Cell below, such as "Default/hidden-Dense" for a Dense named hidden."""
        self._set_scopes("Default", {id(self)})

    def _set_scopes(self, above, seen):
        for name, cell in self._cell_index.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                scope = cell.__dict__["_scope"] = "%s/%s-%s" % (above, name, type(cell).__name__)
                cell._set_scopes(scope, seen)

    def get_scope(self):
        """Returns the text that generate_scope of a Cell above has set, or None."""
        return self.__dict__.get("_scope")

    def update_cell_type(self, cell_type):
        """Sets the attribute cell_type."""
        self.cell_type = cell_type

    def check_names_and_refresh_name(self):
        """If two Parameters share a name, renames all Parameters after their attributes. Raises ValueError where names are equal even then."""
        names = [param.name for param in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    def _update_local_parameters_name(self, prefix="", recurse=True):
        """Renames the Parameters as update_parameters_name does; with recurse=False only those of this Cell itself.

        Raises ValueError if prefix is empty or has other characters than letters, digits, dots and underscores, TypeError if it is no str.
        """
        if not isinstance(prefix, str):
            raise TypeError("[cell] prefix, got %s, expected a str" % type(prefix).__name__)
        if not (prefix.isascii() and prefix.replace(".", "_").replace("_", "a").isalnum()) or prefix.startswith("."):
            raise ValueError("[cell] prefix, got %r, expected letters, digits, dots and underscores" % (prefix,))
        self.update_parameters_name(prefix, recurse)

    # -- flags --------------------------------------------------------------------------------------------------

    def set_boost(self, boost_type):
        """Sets the flag less_bn on this Cell and every Cell below; nothing here reads it. Raises ValueError unless
        boost_type is 'less_bn'."""
        if boost_type != "less_bn":
            raise ValueError("[set_boost] boost_type, got %s, expected 'less_bn'" % (boost_type,))
        return self.add_flags_recursive(less_bn=True)

    def set_broadcast_flag(self, mode=True):
        """Sets the flag broadcast_flag on this Cell and every Cell below; nothing here reads it. Returns self."""
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_comm_fusion(self, fusion_type, recurse=True):
        """Sets comm_fusion of the trainable Parameters; nothing here reads it. Raises ValueError for a number below 0."""
        if not isinstance(fusion_type, int) or isinstance(fusion_type, bool) or fusion_type < 0:
            raise ValueError("[set_comm_fusion] fusion_type, got %r, expected an int of 0 or more" % (fusion_type,))
        for param in self.trainable_params(recurse):
            param.comm_fusion = fusion_type
        return self

    def shard(self, in_strategy, out_strategy=None, parameter_plan=None):
        """Checks strategies for several devices, which change nothing in one process. Raises TypeError for anything but a tuple."""
        from ..parallel.layouts import shard
        shard(self, in_strategy, out_strategy, parameter_plan)

    def register_forward_pre_hook(self, hook_fn, *, prepend=False, with_kwargs=False):
        """Runs hook_fn(cell, inputs) before construct; it may return other inputs. Returns a handle with remove().

        With with_kwargs it runs hook_fn(cell, inputs, keywords), which may return (inputs, keywords). With prepend the hook
        runs before the existing ones.
        """
        return HookHandle(self, "forward_pre", hook_fn, prepend, with_kwargs)

    def register_forward_hook(self, hook_fn, *, prepend=False, with_kwargs=False, always_call=False):
        """Runs hook_fn(cell, inputs, output) after construct; it may return another output. Returns a handle with
        remove().

        With with_kwargs it runs hook_fn(cell, inputs, keywords, output). With prepend the hook runs before the existing
        ones.
        """
        if always_call:
            raise NotImplementedError("[register_forward_hook] always_call, got True, expected False")
        return HookHandle(self, "forward", hook_fn, prepend, with_kwargs)

    def register_backward_hook(self, hook_fn):
        """Runs hook_fn(cell, grad_inputs, grad_outputs) once the gradients of the inputs are known; it may return
        others.

        grad_inputs has one item for each positional Tensor, grad_outputs one for each output. A missing gradient is None.
        """
        return HookHandle(self, "backward", hook_fn)

    def register_backward_pre_hook(self, hook_fn):
        """Runs hook_fn(cell, grad_outputs) once the gradients of the outputs are known; it may return others. Returns a handle with remove().

        grad_outputs is a tuple with one item for each output. Raises TypeError for a hook that is not callable.
        """
        return HookHandle(self, "backward_pre", hook_fn)

    def register_saved_tensors_hooks(self, pack_hook, unpack_hook):
        """Runs construct inside msjit.saved_tensors_hooks with these functions.

        Raises TypeError for hooks that are not callable.
        """
        check_saved_hooks("register_saved_tensors_hooks", pack_hook, unpack_hook)
        self.__dict__["_ms_saved_hooks"] = (pack_hook, unpack_hook)
        self.__dict__["_ms_intercept"] = True

    def compile_and_run(self, *args, **kwargs):
        """Calls this Cell and returns its outputs; compilation happens at the first call."""
        return self(*args, **kwargs)

    def offload(self, backward_prefetch="Auto"):
        """Does nothing but check its argument; in MindSpore it says where tensors are kept until the gradient needs
        them.

        Raises TypeError for anything but a str or an int, ValueError for a str other than "Auto" and for an int below 0.
        """
        if isinstance(backward_prefetch, bool) or not isinstance(backward_prefetch, (int, str)):
            raise TypeError("[offload] backward_prefetch, got %s, expected 'Auto' or an int" % type(backward_prefetch).__name__)
        if backward_prefetch != "Auto" and (isinstance(backward_prefetch, str) or backward_prefetch < 0):
            raise ValueError("[offload] backward_prefetch, got %r, expected 'Auto' or an int of 0 or more" % (backward_prefetch,))

    def set_data_parallel(self):
        """Does nothing; in MindSpore it says how processes divide this Cell's operators."""

    def get_mixed_precision_type(self):
        """Returns the dtype that to_float gave this Cell, as a MixedPrecisionType."""
        for name, dtype in _FLAGS.items():
            if self._ms_compute_dtype == dtype:
                return _precision_types()[name.upper()]
        return _precision_types().NOTSET

    def set_mixed_precision_type(self, mixed_type):
        """Makes this Cell alone compute in the dtype of a MixedPrecisionType; NOTSET ends that. Raises TypeError for another value."""
        if not isinstance(mixed_type, _precision_types()):
            raise TypeError("[set_mixed_precision_type] mixed_type, got %s, expected a MixedPrecisionType"
                            % type(mixed_type).__name__)
        dtype = _FLAGS.get(mixed_type.name.lower())
        object.__setattr__(self, "_ms_compute_dtype", dtype)
        if dtype is not None:
            object.__setattr__(self, "_ms_intercept", True)

    # -- without effect, in MindSpore too ---------------------------------------------------------------

    def cast_inputs(self, inputs, dst_type):
        """Does nothing but warn; it is deprecated in MindSpore and does nothing there either."""
        _warn("cast_inputs")

    def remove_redundant_parameters(self):
        """Does nothing but warn; it is deprecated in MindSpore and does nothing there either."""
        _warn("remove_redundant_parameters")

    # -- dtypes and devices -------------------------------------------------------------------------------------

    def to(self, *args, **kwargs):
        """Casts the Parameters and buffers of this Cell and all below in place; returns self.

        The forms are to(device=None, dtype=None, non_blocking=False), to(dtype) and to(tensor). Integers and bools stay as
        they are.

        Raises TypeError for a dtype that is neither float nor complex and for other arguments. Raises ValueError for a device that
        MindSpore does not know, RuntimeError for one other than the CPU.
        """
        device, dtype = _to_arguments(*args, **kwargs)
        if dtype is not None and dtype not in float_type + complex_type:
            raise TypeError("[to] dtype, got %s, expected a float or complex dtype" % (dtype,))
        if dtype in complex_type:
            warnings.warn("[to] complex Parameters are new in MindSpore; some layers may not compute with them",
                          stacklevel=2)
        _check_device("to", device)
        for cell, name, value in _leaves(self) if dtype is not None else ():
            if value.dtype == dtype or value.dtype not in float_type + complex_type:
                continue
            if name is None:
                value.assign_value(value.detach().astype(dtype))
            else:
                object.__setattr__(cell, name, value.astype(dtype))
        return self

    def register_parameter_forward_hook(self, hook):
        """Not offered: MindSpore calls such hooks only in graphs."""
        raise NotImplementedError("[register_parameter_forward_hook] hooks on Parameters are not offered: call "
                                  "the function in construct")

    def to_empty(self, *, device=None, recurse=True):
        """Returns self. It promises only shapes and dtypes of the Parameters and buffers, not their values.

        The errors of `device` are those of to().
        """
        _check_device("to_empty", device)
        return self


def _to_arguments(device=None, dtype=None, non_blocking=False, **unknown):
    """Returns (device, dtype) of a call of to, in any of its forms."""
    if isinstance(device, Tensor):
        device, dtype, non_blocking = None, device.dtype, non_blocking if dtype is None else dtype
    elif isinstance(device, DType):
        device, dtype, non_blocking = None, device, non_blocking if dtype is None else dtype
    elif "tensor" in unknown:
        dtype = unknown.pop("tensor").dtype
    if unknown:
        raise TypeError("[to] arguments, got %s, expected device, dtype, tensor or non_blocking" % ", ".join(sorted(unknown)))
    for name, value, kinds in (("device", device, str), ("dtype", dtype, DType), ("non_blocking", non_blocking, bool)):
        if value is not None and not isinstance(value, kinds):
            raise TypeError("[to] %s, got %s, expected %s" % (name, type(value).__name__, kinds.__name__))
    return device, dtype


def _check_device(where, device):
    if device is None:
        return
    name = str(device).split(":")[0]
    if name.lower() not in ("cpu", "gpu", "ascend", "npu", "meta"):
        raise ValueError("[%s] device, got %r, expected 'CPU'" % (where, device))
    if name.lower() != "cpu":
        raise RuntimeError("[%s] device, got %r, expected 'CPU': it is the only one" % (where, device))
