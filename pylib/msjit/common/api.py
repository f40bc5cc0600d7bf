"""Names that MindSpore keeps in common.api."""
from .._native import _msjit
from ..absent import attributes as _absent
from ..autograd import _no_grad, no_grad
from ..first_use import kept as _kept
from ..graph_hints import ms_memory_recycle  # noqa: F401
from ..jit import JitConfig, jit, jit_class
from .parameter import Parameter  # noqa: F401
from .tensor import Tensor, mutable  # noqa: F401


class _Executor:
    """Stands in for MindSpore's eager executor. Here every call is complete when it returns, so there is nothing to wait for."""

    def sync(self):
        """Does nothing."""

    def set_grad_flag(self, flag):
        """Does nothing."""

    def set_async_for_graph(self, flag):
        """Does nothing."""

    def enable_grad(self):
        """Whether what runs now would be recorded for gradients, as outside of no_grad."""
        return not _closed and (_msjit.grad_level() == 0 or _msjit.grad_recording())

    def requires_grad(self):
        """Whether a gradient is being computed and what runs now is recorded for it."""
        return _msjit.grad_level() > 0 and _msjit.grad_recording()

    def set_enable_grad(self, flag):
        """Records nothing more, as inside of no_grad, from set_enable_grad(False) on until set_enable_grad(True)."""
        if not isinstance(flag, bool):
            raise TypeError("[set_enable_grad] flag, got %s, expected a bool" % type(flag).__name__)
        if flag and _closed:
            _closed.pop().__exit__(None, None, None)
        elif not flag and not _closed:
            _closed.append(no_grad().__enter__())


_closed = []  # the scope that set_enable_grad(False) opened


_pynative_executor = _Executor()


class _GraphExecutor:
    """Stands for MindSpore's graph executor."""

    def compile(self, obj, *args, phase="predict", **kwargs):
        """Returns (phase, True). It compiles nothing: a function or Cell is compiled at its first call."""
        return phase, True

    def __call__(self, obj, *args, phase=""):
        return obj(*args)


_cell_graph_executor = _GraphExecutor()


def _convert_python_data(data):
    """Returns `data` itself: graphs here return Python objects."""
    return data


def deprecated(version, substitute, use_substitute_name=False):
    """A decorator: the first call of the function warns that another name should be used."""
    def decorate(function):
        from functools import wraps
        told = []

        @wraps(function)
        def call(*args, **kwargs):
            if not told:
                from .. import log
                told.append(True)
                log.warning("'%s' is deprecated from version %s and will be removed in a future version, use '%s' instead.",
                            function.__name__, version, substitute)
            return function(*args, **kwargs)
        return call
    return decorate


def set_recursion_limit(recursion_limit=1000):
    """As msjit.set_recursion_limit."""
    import msjit
    msjit.set_recursion_limit(recursion_limit)


__all__ = ["jit", "jit_class", "JitConfig", "no_grad", "_no_grad", "_pynative_executor",
           "_cell_graph_executor"]
_refuse = _absent(__name__)


@_kept
def __getattr__(name):
    if name in ("COOTensor", "CSRTensor"):
        from . import sparse_tensor
        return getattr(sparse_tensor, name)
    if name in ("saved_tensors_hooks", "register_saved_tensors_hooks"):
        from .. import saved_tensors
        return getattr(saved_tensors, name)
    return _refuse(name)
