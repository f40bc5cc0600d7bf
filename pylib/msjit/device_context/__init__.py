"""mindspore.device_context: settings of devices. `cpu` is the device; those of `ascend` and `gpu` are taken and forgotten."""
from . import ascend, cpu, gpu

__all__ = ["ascend", "gpu", "cpu"]
