"""mindspore.device_context: settings of devices. `cpu` has threads_num; `ascend` and `gpu` are not offered."""
from ..absent import absent as _absent
from . import cpu

ascend, gpu = _absent(__name__, "ascend", "device"), _absent(__name__, "gpu", "device")
__all__ = ["ascend", "gpu", "cpu"]
