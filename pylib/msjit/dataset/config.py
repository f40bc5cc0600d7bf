"""Settings of the data pipelines, as mindspore.dataset.config has them."""
import copy
import json
import os
from enum import IntEnum

from ..common.seed import dataset_seed, set_dataset_seed

INT32_MAX, UINT32_MAX = 2147483647, 4294967295
UNSEEDED = 5489  # the seed that means: a different order in each run


class ErrorSamplesMode(IntEnum):
    """What happens to a row whose processing fails."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


_state = {
    "numParallelWorkers": os.cpu_count() or 1, "prefetchSize": 16, "monitorSamplingInterval": 1000,
    "callbackTimeout": 60, "multiprocessingTimeoutInterval": 300, "autoNumWorkers": False, "enableSharedMem": True,
    "enableWatchdog": True, "startMethod": "fork", "autotune": False, "autotuneInterval": 0, "numaEnable": False,
    "debugMode": False, "debugHooks": (), "dynamicShape": False, "videoBackend": "", "autoOffload": False, "fastRecovery": True, "sendingBatches": 0,
    "errorSamplesMode": ErrorSamplesMode.RETURN, "iteratorMode": {"do_copy": False, "parallel_convert": False},
}
_state["numParallelWorkers"] = min(8, _state["numParallelWorkers"])


def _whole(value, name, low, high):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[config] %s, got %s, expected an int" % (name, type(value).__name__))
    if not low <= value <= high:
        raise ValueError("[config] %s, got %d, expected %d to %d" % (name, value, low, high))
    return value


def _flag(value, name):
    if not isinstance(value, bool):
        raise TypeError("[config] %s, got %s, expected a bool" % (name, type(value).__name__))
    return value


def set_seed(seed):
    """Sets the seed for the order of rows and the random transforms of pipelines that start later; so does msjit.set_seed."""
    set_dataset_seed(_whole(seed, "seed", 0, UINT32_MAX))


def get_seed():
    """Returns the seed. 5489 means that none was set, so that every run differs."""
    seed = dataset_seed()
    return UNSEEDED if seed is None else seed


def set_num_parallel_workers(num):
    """Sets the greatest number of workers that a step may have; get_num_parallel_workers returns the number."""
    _state["numParallelWorkers"] = _whole(num, "num_parallel_workers", 1, INT32_MAX)


def get_num_parallel_workers():
    """Returns the number of workers that was set."""
    return _state["numParallelWorkers"]


def set_prefetch_size(size):
    """Sets how many rows each worker of a parallel step may be ahead of its reader."""
    _state["prefetchSize"] = _whole(size, "prefetch_size", 1, INT32_MAX)


def get_prefetch_size():
    """Returns how many rows a worker may be ahead."""
    return _state["prefetchSize"]


def set_multiprocessing_timeout_interval(interval):
    """Sets after how many seconds of waiting for a worker a warning is logged."""
    _state["multiprocessingTimeoutInterval"] = _whole(interval, "interval", 1, INT32_MAX)


def get_multiprocessing_timeout_interval():
    """Returns the seconds until the warning about a slow worker."""
    return _state["multiprocessingTimeoutInterval"]


def set_multiprocessing_start_method(start_method="fork"):
    """Sets how worker processes start: 'fork', or 'spawn', which pickles functions and sources."""
    if not isinstance(start_method, str):
        raise TypeError("[config] start_method, got %s, expected a str" % type(start_method).__name__)
    if start_method not in ("fork", "spawn"):
        raise ValueError("[config] start_method, got %r, expected 'fork' or 'spawn'" % (start_method,))
    _state["startMethod"] = start_method


def get_multiprocessing_start_method():
    """Returns how worker processes start."""
    return _state["startMethod"]


def set_monitor_sampling_interval(interval):
    """Stores the interval; there is no monitor."""
    _state["monitorSamplingInterval"] = _whole(interval, "interval", 1, INT32_MAX)


def get_monitor_sampling_interval():
    """Returns the interval that was set."""
    return _state["monitorSamplingInterval"]


def set_callback_timeout(timeout):
    """Sets how many seconds a read waits for sync_update before it raises."""
    _state["callbackTimeout"] = _whole(timeout, "timeout", 1, INT32_MAX)


def get_callback_timeout():
    """Returns the seconds that were set."""
    return _state["callbackTimeout"]


def set_auto_num_workers(enable):
    """Stores the flag; each step has as many workers as it asks for."""
    _state["autoNumWorkers"] = _flag(enable, "enable")


def get_auto_num_workers():
    """Returns the flag that was set."""
    return _state["autoNumWorkers"]


def set_enable_shared_mem(enable):
    """Stores the flag; rows are sent between processes through pipes."""
    _state["enableSharedMem"] = _flag(enable, "enable")


def get_enable_shared_mem():
    """Returns the flag that was set."""
    return _state["enableSharedMem"]


def set_enable_watchdog(enable):
    """Stores the flag; a worker that dies is always reported."""
    _state["enableWatchdog"] = _flag(enable, "enable")


def get_enable_watchdog():
    """Returns the flag that was set."""
    return _state["enableWatchdog"]


def set_fast_recovery(fast_recovery):
    """Stores the flag; skipped rows are never computed where that is possible."""
    _state["fastRecovery"] = _flag(fast_recovery, "fast_recovery")


def get_fast_recovery():
    """Returns the flag that was set."""
    return _state["fastRecovery"]


def set_sending_batches(batch_num):
    """Stores the number; there is no device queue."""
    _state["sendingBatches"] = _whole(batch_num, "batch_num", 0, INT32_MAX)


def set_iterator_mode(do_copy=False, parallel_convert=False):
    """Stores the flags; rows are always new arrays."""
    _state["iteratorMode"] = {"do_copy": _flag(do_copy, "do_copy"),
                              "parallel_convert": _flag(parallel_convert, "parallel_convert")}


def get_iterator_mode():
    """Returns the flags that were set."""
    return dict(_state["iteratorMode"])


def set_enable_autotune(enable, filepath_prefix=None):
    """Stores the flag; nothing is tuned, and no file is written."""
    if _flag(enable, "enable") and filepath_prefix is not None:
        raise NotImplementedError("[config] filepath_prefix, got %r, expected None: nothing is tuned" % (filepath_prefix,))
    _state["autotune"] = enable


def get_enable_autotune():
    """Returns the flag that was set."""
    return _state["autotune"]


def set_autotune_interval(interval):
    """Stores the interval; nothing is tuned."""
    _state["autotuneInterval"] = _whole(interval, "interval", 0, INT32_MAX)


def get_autotune_interval():
    """Returns the interval that was set."""
    return _state["autotuneInterval"]


def set_auto_offload(offload):
    """Stores the flag; there is no device for transforms."""
    _state["autoOffload"] = _flag(offload, "offload")


def get_auto_offload():
    """Returns the flag that was set."""
    return _state["autoOffload"]


def set_numa_enable(numa_enable):
    """Stores the flag; processes are not bound to a node."""
    _state["numaEnable"] = _flag(numa_enable, "numa_enable")


def get_numa_enable():
    """Returns the flag that was set."""
    return _state["numaEnable"]


def set_dynamic_shape(is_dynamic):
    """Stores the flag; rows may always differ in shape."""
    _state["dynamicShape"] = _flag(is_dynamic, "is_dynamic")


def get_dynamic_shape():
    """Returns the flag that was set."""
    return _state["dynamicShape"]


def set_video_backend(backend):
    """Stores the backend, 'CPU' or 'Ascend'; videos are not read."""
    if not isinstance(backend, str):
        raise TypeError("[config] backend, got %s, expected a str" % type(backend).__name__)
    if backend not in ("CPU", "Ascend"):
        raise ValueError("[config] backend, got %r, expected 'CPU' or 'Ascend'" % (backend,))
    _state["videoBackend"] = backend


def get_video_backend():
    """Returns the name that was set, '' before."""
    return _state["videoBackend"]


def set_debug_mode(debug_mode_flag, debug_hook_list=None):
    """Switches the debug mode, in which no step has workers: functions run in the reading thread, where a debugger can
    stop.

    debug_hook_list holds DebugHooks, which get the columns before the first operation of map and after each; by default PrintMetaDataHook.
    """
    from .debug import DebugHook, PrintMetaDataHook
    flag, hooks = _flag(debug_mode_flag, "debug_mode_flag"), debug_hook_list or [PrintMetaDataHook()]
    if not isinstance(hooks, list):
        raise TypeError("[config] debug_hook_list, got %s, expected a list" % type(hooks).__name__)
    for hook in hooks:
        if not isinstance(hook, DebugHook):
            raise TypeError("[config] hook, got %s, expected a DebugHook" % type(hook).__name__)
    _state["debugMode"], _state["debugHooks"] = flag, tuple(hooks)


def get_debug_mode():
    """Says whether the debug mode is on."""
    return _state["debugMode"]


def hooks(operation, first=False):
    """The debug hooks that run after an operation, or before the first one."""
    name = getattr(operation, "__name__", type(operation).__name__)
    made = [copy.deepcopy(hook) for hook in _state["debugHooks"]]
    for hook in made:
        hook.prev_op_name, hook.is_first_op = name, first
    return made


def set_error_samples_mode(error_samples_mode):
    """Sets whether map raises for a failing row (RETURN) or leaves it out (SKIP).

    REPLACE raises NotImplementedError.
    """
    if not isinstance(error_samples_mode, ErrorSamplesMode):
        raise TypeError("[config] error_samples_mode, got %s, expected an ErrorSamplesMode"
                        % type(error_samples_mode).__name__)
    if error_samples_mode == ErrorSamplesMode.REPLACE:
        raise NotImplementedError("[config] ErrorSamplesMode.REPLACE is not offered; RETURN and SKIP are")
    _state["errorSamplesMode"] = error_samples_mode


def get_error_samples_mode():
    """Returns the mode that was set."""
    return _state["errorSamplesMode"]


def load(file):
    """Loads settings from a JSON file: numParallelWorkers, seed, prefetchSize, monitorSamplingInterval."""
    with open(file, encoding="utf-8") as stream:
        found = json.load(stream)
    setters = {"numParallelWorkers": set_num_parallel_workers, "seed": set_seed, "prefetchSize": set_prefetch_size,
               "monitorSamplingInterval": set_monitor_sampling_interval}
    for name, value in found.items():
        if name in setters:
            setters[name](value)
