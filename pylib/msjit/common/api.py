"""Names that MindSpore keeps in common.api."""
from ..autograd import _no_grad, no_grad
from ..jit import JitConfig, jit, jit_class


class _Executor:
    """Stands for MindSpore's eager executor: every call here is already done when it returns."""

    def sync(self):
        """Does nothing."""

    def set_grad_flag(self, flag):
        """Does nothing."""


_pynative_executor = _Executor()


__all__ = ["jit", "jit_class", "JitConfig", "no_grad", "_no_grad", "_pynative_executor"]
