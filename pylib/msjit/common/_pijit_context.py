"""Names of mindspore.common._pijit_context."""
from .._native import CompileError as Unsupported
from ..jit import jit


class PIJitCaptureContext:
    """Compiles functions, methods and Cells from their bytecode: PIJitCaptureContext(fullgraph)(function).

    With fullgraph=True a call raises Unsupported (msjit.CompileError) if something cannot be captured.
    """

    def __init__(self, fullgraph=False, jit_config=None):
        self._fullgraph, self._jit_config = fullgraph, jit_config

    def __call__(self, fn):
        return jit(fn, capture_mode="bytecode", fullgraph=self._fullgraph, jit_config=self._jit_config)


__all__ = ["PIJitCaptureContext", "Unsupported"]
