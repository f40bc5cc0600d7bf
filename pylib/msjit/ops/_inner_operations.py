"""Kernels that MindSpore keeps to itself (ops.operations._inner_ops, _grad_ops, ...), which some packages import nevertheless.

A primitive of that name among the public ones is that, and gradients have rows of their own; the others can be imported and raise when
they are called.
"""
from .. import absent as _absent
from . import gradient_kernels as _gradients
from . import operations as _operations

_refuse = _absent.attributes(
    __name__, lambda name: None if not name[:1].isupper() else "gradient kernel" if "Grad" in name else "compiler")


def __getattr__(name):
    for module in (_operations, _gradients):
        if name in module.__all__:
            return getattr(module, name)
    return _refuse(name)
