"""mindspore.hal and mindspore.runtime: devices and their memory. Work on the CPU is done when a call returns, work on a GPU later."""
import os

from . import _paths
from ._native import _msjit
from .absent import attributes as _absent
from .context import get_current_device as _current_device
from .context import set_device as _set_device
from .streams import (  # noqa: F401
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    set_cur_stream,
)

_NAMES = {"cpu": "CPU"}


def _target(device_target):
    if device_target is not None and not isinstance(device_target, str):
        raise TypeError("[hal] device_target, got %s, expected a str" % type(device_target).__name__)
    if device_target is not None and device_target not in ("CPU", "GPU", "Ascend"):
        raise ValueError("[hal] device_target, got %r, expected 'CPU', 'GPU' or 'Ascend'" % (device_target,))
    return device_target or _current_device()[0]


def is_available(device_target):
    """Whether there is such a device: True for 'CPU', and for 'GPU' if there is one with a driver."""
    target = _target(device_target)
    return target == "CPU" or (target == "GPU" and not _msjit.gpu_problem())


def is_initialized(device_target):
    """Whether such a device is in use."""
    return _target(device_target) in ("CPU", _current_device()[0])


def device_count(device_target=None):
    """The number of such devices: 1 CPU, and the GPUs; ValueError for another target."""
    target = _target(device_target)
    if target not in ("CPU", "GPU"):
        raise ValueError("[device_count] device_target, got %r, expected 'CPU' or 'GPU'" % (device_target,))
    return _msjit.gpu_count() if target == "GPU" else 1


def get_device_name(device_id=None, device_target=None):
    """The name of a device: 'CPU', or the GPU's own."""
    target = _target(device_target)
    return _msjit.device_figures(int(device_id or 0))["name"] if target == "GPU" else target


def get_device_capability(device_id=None, device_target=None):
    """None: CPUs have no such numbers, in MindSpore too."""


def get_device_properties(device_id=None, device_target=None):
    """None: as get_device_capability."""


def get_arch_list(device_target=None):
    """None: as get_device_capability."""


def synchronize():
    """Waits for all work of the current GPU. Work on the CPU is done when a call returns."""
    kind, number = _current_device()
    if kind == "GPU":
        _msjit.synchronize_device(number)


def empty_cache():
    """Returns memory that the allocators keep for reuse to the system, and to the current GPU."""
    _msjit.allocator_trim()
    kind, number = _current_device()
    if kind == "GPU":
        _msjit.trim_device(number)


def launch_blocking():
    """Calls wait for their work already."""


def dispatch_threads_num(threads_num):
    """The number is checked and forgotten."""
    if isinstance(threads_num, bool) or not isinstance(threads_num, int):
        raise TypeError("[dispatch_threads_num] threads_num, got %s, expected an int" % type(threads_num).__name__)
    if threads_num < 1:
        raise ValueError("[dispatch_threads_num] threads_num, got %d, expected 1 or more" % threads_num)


class DeviceCtx:
    """`with DeviceCtx("GPU", 0):`, in which new tensors lie on that device; behind it, on the device of before.

    ValueError for a name that is none of MindSpore's, NotImplementedError for its other devices. A GPU that cannot be used is an error of
    set_device() at `with`.
    """

    def __init__(self, name, device_id=None):
        if name not in ("CPU", "GPU", "Ascend", "meta"):
            raise ValueError("[DeviceCtx] name, got %r, expected one of 'CPU', 'GPU', 'Ascend', 'meta'" % (name,))
        if name not in ("CPU", "GPU"):
            raise NotImplementedError("[DeviceCtx] device %r is not offered: tensors lie on CPUs and GPUs" % name)
        self.name, self.device_id, self._before = name, device_id, []

    def __enter__(self):
        before = _current_device()
        try:
            _set_device(self.name, self.device_id)
        except Exception:
            _set_device(*before)
            raise
        self._before.append(before)
        return self

    def __exit__(self, *error):
        _set_device(*self._before.pop())


def set_cpu_affinity(enable_affinity, affinity_cpu_list=None, module_to_cpu_dict=None, bind_file=None):
    """With enable_affinity and a list of ranges such as ["0-3"], binds the process to those CPUs; with neither, to all. bind_file concerns
    other machines and changes nothing."""
    if not isinstance(enable_affinity, bool):
        raise TypeError("[set_cpu_affinity] enable_affinity, got %s, expected a bool" % type(enable_affinity).__name__)
    if not enable_affinity or not affinity_cpu_list:
        return
    chosen = set()
    for part in affinity_cpu_list:
        first, _, last = str(part).partition("-")
        chosen.update(range(int(first), int(last or first) + 1))
    os.sched_setaffinity(0, chosen)


def set_memory(*args, **kwargs):
    """Sizes of a device's pools: accepted, the CPU has none."""


def memory_stats(device_target=None):
    """Bytes of the tensors' allocator as a dict: allocated now, kept for reuse (idle), both (reserved), and the peak of allocated bytes since
    the start or reset_peak_memory_stats (for a GPU since the start). The peak is the sum of the peaks of all threads."""
    on_gpu = _target(device_target) == "GPU"
    figures = _msjit.device_figures(_current_device()[1]) if on_gpu else _msjit.allocator_stats()
    allocated, idle, most = figures["live_bytes"], figures["cached_bytes"], figures["peak_bytes"]
    return {"total_reserved_memory": allocated + idle, "total_allocated_memory": allocated, "total_idle_memory": idle,
            "total_eager_free_memory": 0, "max_reserved_memory": max(most, allocated + idle), "max_allocated_memory": most}


def memory_allocated(device_target=None):
    """Bytes of tensors now."""
    return memory_stats(device_target)["total_allocated_memory"]


def memory_reserved(device_target=None):
    """Bytes of tensors now, with those kept for reuse."""
    return memory_stats(device_target)["total_reserved_memory"]


def max_memory_allocated(device_target=None):
    """The peak of the bytes of tensors since the start or reset_peak_memory_stats."""
    return memory_stats(device_target)["max_allocated_memory"]


def max_memory_reserved(device_target=None):
    """The larger of max_memory_allocated and memory_reserved."""
    return memory_stats(device_target)["max_reserved_memory"]


def memory_summary(device_target=None):
    """memory_stats as a text."""
    return "\n".join("%s: %d" % item for item in sorted(memory_stats().items()))


def reset_peak_memory_stats(device_target=None):
    """Starts the count of the peak of bytes again."""
    _msjit.allocator_reset_peaks()


reset_max_memory_allocated, reset_max_memory_reserved = reset_peak_memory_stats, reset_peak_memory_stats


__getattr__ = _absent(__name__, lambda name: "device" if name in _STREAMS else None)
_STREAMS = """MemPool PluggableAllocator StreamLimitCtx
    get_device_limit get_stream_limit memory_replay reset_stream_limit set_device_limit
    set_kernel_launch_capture set_kernel_launch_group set_stream_limit use_mem_pool""".split()
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

_paths.reach(__name__)
