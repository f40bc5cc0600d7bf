"""Execution context: MindSpore's set_context and get_context, for the options that have a meaning here."""
import os
from operator import itemgetter

from ._devices import device_number
from ._native import _msjit
from ._native import dtypes as _dtypes
from .context_options import OPTIONS as _ACCEPTED

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT = 0
COMPATIBLE = 1
LAX = 2

FLOAT_DTYPES = frozenset(_dtypes[n] for n in ("float16", "bfloat16", "float32", "float64"))

_state = dict({name: row[0] for name, row in _ACCEPTED.items()}, mode=PYNATIVE_MODE, device_target="CPU", jit_syntax_level=LAX, jit_config={}, jit_level="")


class DeviceInfo(tuple):
    """A named tuple (device_target, device_id): the kind of device and its number."""

    __slots__ = ()
    device_target, device_id = property(itemgetter(0)), property(itemgetter(1))


def get_current_device():
    """The device that tensors are made on, as a DeviceInfo.

    >>> import msjit as ms
    >>> ms.get_current_device(), ms.get_current_device().device_target
    (('CPU', 0), 'CPU')
    """
    return DeviceInfo((_state["device_target"], _state["device_id"] if _state["device_target"] == "GPU" else 0))


class ParallelMode:
    """Names of MindSpore's parallel modes. Only stand-alone and data-parallel runs are supported."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


def is_graph_mode():
    """True in GRAPH_MODE."""
    return _state["mode"] == GRAPH_MODE


def set_context(**kwargs):
    """Sets options, by MindSpore's keywords; they hold from now on.

    mode                PYNATIVE_MODE: Cells run op by op; GRAPH_MODE: a call of a Cell is compiled by PSJit
    jit_syntax_level    STRICT, COMPATIBLE or LAX (default), for PSJit functions that do not set a level. The environment
                        variable MS_DEV_JIT_SYNTAX_LEVEL=0|1|2 sets the same. COMPATIBLE means LAX here
    jit_config          a dict of JitConfig's options; only jit_syntax_level has an effect
    jit_level           "O0", "O1" or "O2": accepted; every level runs all passes
    device_target       "CPU", or "GPU": new tensors lie there, and operators run where their inputs lie
    device_id           the number of the GPU
    Other keywords of MindSpore are checked and change nothing. Raises TypeError for values of other types, ValueError for unknown
    keywords and values.

    >>> import msjit as ms
    >>> ms.set_context(mode=ms.PYNATIVE_MODE)
    >>> ms.get_context("mode") == ms.PYNATIVE_MODE
    True
    """
    # The device comes first, as in MindSpore. A program that then goes on without a GPU is still in the mode that it was in.
    if "device_id" in kwargs:
        _set_device_id(kwargs.pop("device_id"))
    if "device_target" in kwargs:
        _set_device(kwargs.pop("device_target"))
    for name, value in kwargs.items():
        if name == "mode":
            _set_mode(value)
        elif name == "jit_syntax_level":
            _set_syntax_level(value, "jit_syntax_level")
        elif name == "jit_config":
            _set_jit_config(value)
        elif name == "jit_level":
            _set_jit_level(value)
        elif name in _ACCEPTED:
            _state[name] = _ACCEPTED[name][1](name, value)
        else:
            raise ValueError("[set_context] unknown keyword %r" % name)


def _get_mode():
    """The mode, as get_context("mode")."""
    return get_context("mode")


def get_context(attr_key):
    """Value of one keyword of set_context."""
    if attr_key not in _state:
        raise ValueError("[get_context] unknown keyword %r" % (attr_key,))
    return _state[attr_key]


def set_device(device_target, device_id=None):
    """Selects the device on which new tensors lie: "CPU", or "GPU" with its number. TypeError if the name is no str, ValueError for other
    devices. A GPU that cannot be used is a ValueError that names the cause: no driver, a driver that is too old, no device."""
    if device_id is not None:
        _set_device_id(device_id)
    _set_device(device_target)


def _set_mode(mode):
    if not isinstance(mode, int):
        raise TypeError("[set_context] mode, got %s, expected an int" % type(mode).__name__)
    if mode not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError("[set_context] mode must be GRAPH_MODE (0) or PYNATIVE_MODE (1), got %r" % (mode,))
    _state["mode"] = mode
    from .autograd import transforms
    from .nn.cell import Cell
    Cell._ms_intercept = True if mode == GRAPH_MODE else transforms


def _set_syntax_level(value, where):
    if not isinstance(value, int) and where == "jit_syntax_level":
        raise TypeError("[set_context] jit_syntax_level, got %s, expected an int" % type(value).__name__)
    if value not in (STRICT, COMPATIBLE, LAX) or isinstance(value, bool):
        raise ValueError("[set_context] %s, got %r, expected STRICT (0), COMPATIBLE (1) or LAX (2)" % (where, value))
    _state["jit_syntax_level"] = value
    if _msjit.has_jit:
        _msjit.set_strict_syntax(value == STRICT)


def _set_jit_level(value):
    if value not in ("", "O0", "O1", "O2"):
        raise ValueError("[set_context] jit_level, got %r, expected 'O0', 'O1' or 'O2'" % (value,))
    _state["jit_level"] = value


def _set_jit_config(value):
    from .common.jit_config import OPTIONS, JitConfig
    if not isinstance(value, dict):
        raise TypeError("[set_context] jit_config, got %s, expected a dict" % type(value).__name__)
    for name in value:  # MindSpore refuses other keys here, though not in JitConfig
        if name not in OPTIONS:
            raise ValueError("[set_context] key of jit_config, got %r, expected one of %s" % (name, list(OPTIONS)))
    level = JitConfig(**value).syntax_level
    if level is not None:
        _set_syntax_level(STRICT if level else LAX, "jit_syntax_level")
    _state["jit_config"] = dict(value)
    _state["jit_level"] = value.get("jit_level", _state["jit_level"])


def _level_of_environment():
    text = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL", "")
    if text:
        _set_syntax_level(int(text) if text in ("0", "1", "2") else text, "MS_DEV_JIT_SYNTAX_LEVEL")


def _set_device(name):
    number = device_number("set_context", "device_target", name)
    if number is not None and ":" not in name:
        number = _state["device_id"]
    _msjit.set_default_device(number)
    _state["device_target"] = "CPU" if number is None else "GPU"
    if number is not None:
        _state["device_id"] = number


def _set_device_id(value):
    before = _state["device_id"]
    _state["device_id"] = _ACCEPTED["device_id"][1]("device_id", value)
    if _state["device_target"] == "GPU":
        try:
            _set_device("GPU")
        except RuntimeError:
            _state["device_id"] = before
            raise


_MODES = tuple(ParallelMode.MODE_LIST)
# Keywords of set_auto_parallel_context with their defaults. Those after the first line change nothing here, except those of the parallel optimizer.
_PARALLEL = {
    "parallel_mode": ParallelMode.STAND_ALONE, "gradients_mean": False, "parameter_broadcast": False, "device_num": None, "global_rank": None,
    "gradient_fp32_sync": True, "loss_repeated_mean": True, "search_mode": "recursive_programming",
    "auto_parallel_search_mode": "recursive_programming", "strategy_ckpt_load_file": "", "strategy_ckpt_save_file": "",
    "full_batch": False, "dataset_strategy": "data_parallel", "enable_parallel_optimizer": False, "force_fp32_communication": False,
    "enable_alltoall": False, "all_reduce_fusion_config": [], "pipeline_stages": 1, "pipeline_segments": 1,
    "pipeline_result_broadcast": False, "parallel_optimizer_config": {}, "pipeline_config": {}, "comm_fusion": {},
    "strategy_ckpt_config": {}, "group_ckpt_save_file": "", "auto_pipeline": False, "dump_local_norm": False, "dump_local_norm_path": "",
    "dump_device_local_norm": False, "pipeline_interleave": False, "pipeline_scheduler": "1f1b", "sharding_propagation": False,
    "communi_parallel_mode": "all_group_parallel", "optimizer_weight_shard_size": -1, "optimizer_weight_shard_aggregated_save": False,
    "init_param_in_compile": True, "auto_parallel_new_interface": False, "grad_accumulation_step": 1,
}
_parallel = dict(_PARALLEL)
_parallel_set = set()  # the keywords that the program has given


def set_auto_parallel_context(**kwargs):
    """Sets how the processes of mpirun train together, by MindSpore's keywords.

    parallel_mode         "stand_alone" (default) or "data_parallel": each process trains on its part of the data, and TrainOneStepCell
                          and Model add up the gradients of all processes
    gradients_mean        whether the sums of gradients are divided by the number of processes (default: False)
    parameter_broadcast   whether Model.train starts with the parameters of rank 0 on all processes (default: False)
    enable_parallel_optimizer   whether each process keeps the state of its share of the Parameters only, in optimizers made from now on
                          (default: False); parallel_optimizer_config: {"parallel_optimizer_threshold": KiB from which a Parameter is divided}
    device_num, global_rank   the number of processes and the number of this one; by default those of mpirun
    Other keywords of MindSpore are accepted and change nothing. Raises ValueError for unknown keywords and values, TypeError for
    values of another type, NotImplementedError for other modes.
    """
    for name, value in kwargs.items():
        if name not in _PARALLEL:
            raise ValueError("[set_auto_parallel_context] unknown keyword %r" % name)
        _check_parallel(name, value)
    _parallel.update(kwargs)
    _parallel_set.update(kwargs)


def _check_parallel(name, value):
    default = 0 if name in ("device_num", "global_rank") else _PARALLEL[name]
    if name != "dataset_strategy" and (not isinstance(value, type(default)) or isinstance(value, bool) != isinstance(default, bool)):
        raise TypeError("[set_auto_parallel_context] %s, got %s, expected %s" % (name, type(value).__name__, type(default).__name__))
    if name == "parallel_mode" and value not in _MODES:
        raise ValueError("[set_auto_parallel_context] parallel_mode, got %r, expected one of %s" % (value, ", ".join(_MODES)))
    if name == "parallel_mode" and value not in _MODES[:2]:
        raise NotImplementedError("[set_auto_parallel_context] parallel_mode, got %r, expected %r or %r" % (value, _MODES[0], _MODES[1]))
    if name == "device_num" and value < 1 or name == "global_rank" and value < 0:
        raise ValueError("[set_auto_parallel_context] %s, got %d, expected a number of processes" % (name, value))
    if name == "grad_accumulation_step":
        raise ValueError("[set_auto_parallel_context] %s, got %r, expected no such keyword: nn.GradAccumulationCell adds up gradients"
                         % (name, value))
    if name == "pipeline_stages" and value != 1:
        raise NotImplementedError("[set_auto_parallel_context] %s, got %r, expected %r" % (name, value, _PARALLEL[name]))


def get_auto_parallel_context(attr_key):
    """The value of one keyword of set_auto_parallel_context. If the mode is "data_parallel" and nobody has set device_num and global_rank,
    they are those of mpirun. ValueError for an unknown keyword."""
    if attr_key not in _PARALLEL:
        raise ValueError("[get_auto_parallel_context] unknown keyword %r" % (attr_key,))
    value = _parallel[attr_key]
    if value is not None:
        return value
    if _parallel["parallel_mode"] == ParallelMode.STAND_ALONE:
        return 1 if attr_key == "device_num" else 0
    from .communication import get_group_size, get_rank
    return get_group_size() if attr_key == "device_num" else get_rank()


def reset_auto_parallel_context():
    """Back to a single process's defaults."""
    _parallel.update(_PARALLEL)
    _parallel_set.clear()


def is_data_parallel():
    """Whether training steps add up the gradients of all processes."""
    return _parallel["parallel_mode"] == ParallelMode.DATA_PARALLEL


def set_deterministic(deterministic):
    """Checks its argument: kernels always give the same bits in every run. TypeError for anything but a bool."""
    if not isinstance(deterministic, bool):
        raise TypeError("[set_deterministic] deterministic, got %s, expected a bool" % type(deterministic).__name__)


_servers = {"enable_ps": False, "config_file_path": "", "enable_ssl": False}


def _server_key(name, where):
    if name not in _servers and name not in ("client_password", "server_password", "scheduler_manage_port"):
        raise ValueError("[%s] name, got %r, expected one of %s" % (where, name, sorted(_servers)))


def set_ps_context(**kwargs):
    """Stores settings of parameter servers, which are not supported. ValueError for an unknown name, and for enable_ps=True."""
    for name, value in kwargs.items():
        _server_key(name, "set_ps_context")
        if name == "enable_ps" and value:
            raise ValueError("[set_ps_context] enable_ps, got %r, expected False: there are no parameter servers" % (value,))
    _servers.update((name, value) for name, value in kwargs.items() if name in _servers)


def get_ps_context(attr_key):
    """The value that set_ps_context has stored, False or '' before."""
    _server_key(attr_key, "get_ps_context")
    return _servers.get(attr_key)


def reset_ps_context():
    """Resets the settings of set_ps_context."""
    _servers.update(enable_ps=False, config_file_path="", enable_ssl=False)


_level_of_environment()
__all__ = ["GRAPH_MODE", "PYNATIVE_MODE", "STRICT", "COMPATIBLE", "LAX", "set_context", "get_context", "set_auto_parallel_context",
           "get_auto_parallel_context", "reset_auto_parallel_context", "ParallelMode", "set_ps_context", "get_ps_context"]
