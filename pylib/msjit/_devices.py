"""Names of devices: 'CPU', 'GPU' or 'CUDA', and a number behind a colon."""
import functools
import os
import sys

from ._native import _msjit


@functools.lru_cache(maxsize=None)
def find_libraries():
    """Tells the core where Python packages keep cuBLAS and cuDNN: nvidia/*/lib and torch/lib on sys.path."""
    import glob  # which loads re
    folders = []
    for path in sys.path:
        for found in [*sorted(glob.glob(os.path.join(glob.escape(path or "."), "nvidia", "*", "lib"))), os.path.join(path, "torch", "lib")]:
            if os.path.isdir(found) and found not in folders:
                folders.append(found)
    _msjit.set_library_folders(folders)


def device_number(where, parameter, name):
    """The number of a GPU, None for the CPU. TypeError if the name is no str, ValueError for other devices. A GPU that cannot be used is a
    ValueError that names the cause: no driver, a driver that is too old, no device of that number."""
    if not isinstance(name, str):
        raise TypeError("[%s] %s, got %s, expected a str" % (where, parameter, type(name).__name__))
    kind, colon, number = name.partition(":")
    if kind.upper() == "CPU" and not number:
        return None
    if kind.upper() not in ("GPU", "CUDA") or bool(colon) != number.isdigit():
        raise ValueError("[%s] %s, got %r, expected 'CPU' or 'GPU'" % (where, parameter, name))
    find_libraries()
    problem = _msjit.gpu_problem()
    if problem:
        raise ValueError("[%s] %s, got %r, expected 'CPU'; %s" % (where, parameter, name, problem))
    return int(number or 0)


def move(tensor, device):
    """The tensor on the GPU of that number, or on the CPU for None. A tensor that already lies there is returned itself. Gradients are moved back."""
    here = None if tensor.device == "CPU" else int(tensor.device.partition(":")[2])
    if here == device:
        return tensor
    if not tensor.requires_grad:
        return _msjit.move_tensor(tensor, device)
    return _move_class().apply(tensor, device, here)


@functools.lru_cache(maxsize=None)
def _move_class():
    """The class is made on first use, as the module of _Function imports modules that import this one."""
    from .custom_function import _Function

    class Move(_Function):
        @staticmethod
        def forward(ctx, tensor, to, back):
            ctx.back = back
            return _msjit.move_tensor(tensor, to)

        @staticmethod
        def backward(ctx, grad):
            return _msjit.move_tensor(grad, ctx.back), None, None

    return Move
