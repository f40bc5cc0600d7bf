"""Names that MindSpore keeps in common.api."""
from ..absent import attributes as _absent
from ..autograd import _no_grad, no_grad
from ..first_use import kept as _kept
from ..graph_hints import ms_memory_recycle  # noqa: F401
from ..jit import JitConfig, jit, jit_class
from .eager_executor import _pynative_executor, _PyNativeExecutor  # noqa: F401
from .parameter import Parameter  # noqa: F401
from .tensor import Tensor, mutable  # noqa: F401


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
