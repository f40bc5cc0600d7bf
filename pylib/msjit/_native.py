"""The compiled half of the package, and a clear error where it cannot be loaded."""
import sys

from . import _platform

_platform.check()
try:
    with _platform.bounded_waiting():
        from . import _msjit
except ImportError as error:
    raise ImportError(
        "msjit has no compiled extension that works with Python %d.%d here (%s); run `make build` in its source "
        "tree or `pip install` it for this interpreter" % (sys.version_info[0], sys.version_info[1], error)) from error
if not _msjit.in_main_interpreter():
    raise ImportError("msjit works in the main interpreter only: its compiled half keeps one state a process, got an "
                      "import in a sub-interpreter")

Tensor = _msjit.Tensor
dtypes = _msjit.dtypes
CompileError = _msjit.CompileError
InternalError = _msjit.InternalError
