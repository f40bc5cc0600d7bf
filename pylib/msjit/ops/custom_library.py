"""The compiled form of Custom (func_type 'aot'): a C function of a shared library, or of a C++ source that is built here."""
import ctypes
import os
import subprocess

from ..common.dtype import dtype_to_nptype
from ..context import get_context

_SOURCES = (".cc", ".cpp")


class LibraryFunction:
    """The C function `int NAME(int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes, void
    *stream, void *extra)`.

    text is "FILE:NAME", as in MindSpore. FILE is a shared library, or a .cc or .cpp file that g++ builds in
    `akg_kernel_meta`. The function gets the inputs, then the outputs, all contiguous; it returns 0 on success.

    Raises TypeError for another text, or a file outside of MS_CUSTOM_AOT_WHITE_LIST. Raises RuntimeError if the library
    cannot be built or opened, or the function fails. Raises NotImplementedError for CUDA sources, and for a function with
    C++ companions in the library (NAMEInit, NAMEInferShape, NAMEInferType).
    """

    def __init__(self, text):
        parts = text.split(":") if isinstance(text, str) else ()
        if len(parts) != 2:
            raise TypeError("[Custom] func, got %s, expected a str 'file:function'" % (repr(text) if parts else type(text).__name__))
        path = os.path.realpath(parts[0])
        _check_allowed(path)
        if path.endswith(".cu"):
            raise NotImplementedError("[Custom] func, got %r, expected a .cc, .cpp or a shared library: CUDA sources" % (text,))
        path = _built(path) if path.endswith(_SOURCES) else path
        self.name = parts[1]
        try:
            library = ctypes.CDLL(path)
            self._call = getattr(library, self.name)
        except (OSError, AttributeError) as error:
            raise RuntimeError("[Custom] func, got %r, expected a function of a shared library: %s" % (text, error)) from None
        for companion in ("Init", "InferShape", "InferType"):
            if hasattr(library, self.name + companion):
                raise NotImplementedError("[Custom] func, got a library that defines %s%s, expected %s alone: its C++ interface is not offered"
                                          % (self.name, companion, self.name))

    def __call__(self, inputs, outputs):
        """Runs the function on NumPy arrays; the function writes to outputs."""
        import numpy
        arrays = [numpy.array(item, order="C", copy=True) for item in inputs] + outputs
        count = len(arrays)
        shapes = [(ctypes.c_int64 * max(a.ndim, 1))(*a.shape) for a in arrays]
        names = (ctypes.c_char_p * count)(*[a.dtype.name.encode() for a in arrays])
        data = (ctypes.c_void_p * count)(*[a.ctypes.data for a in arrays])
        rows = (ctypes.POINTER(ctypes.c_int64) * count)(*[ctypes.cast(s, ctypes.POINTER(ctypes.c_int64)) for s in shapes])
        status = self._call(ctypes.c_int(count), data, (ctypes.c_int * count)(*[a.ndim for a in arrays]), rows, names, None, None)
        if status:
            raise RuntimeError("[Custom] %s, got status %d, expected 0" % (self.name, status))


def empty_outputs(shapes, dtypes):
    """Returns (new arrays with the shapes of out_shape and the dtypes of out_dtype, whether the result is a tuple)."""
    import numpy
    many = len(shapes) > 0 and isinstance(shapes[0], (tuple, list))
    rows = list(shapes) if many else [shapes]
    kinds = list(dtypes) if isinstance(dtypes, (tuple, list)) else [dtypes] * len(rows)
    if len(rows) != len(kinds):
        raise ValueError("[Custom] out_dtype, got %d dtypes, expected %d, one for each shape of out_shape" % (len(kinds), len(rows)))
    return [numpy.empty(tuple(shape), dtype_to_nptype(kind)) for shape, kind in zip(rows, kinds)], many


def _check_allowed(path):
    allowed = os.environ.get("MS_CUSTOM_AOT_WHITE_LIST")
    if allowed is None:
        return
    allowed = os.path.realpath(allowed)
    if os.path.commonpath([path, allowed]) != allowed:
        raise TypeError("[Custom] func, got the file %s, expected one in %s, as MS_CUSTOM_AOT_WHITE_LIST says" % (path, allowed))


def _built(source):
    """Builds the library from a C++ source; returns its path."""
    if get_context("device_target") != "CPU":
        raise NotImplementedError("[Custom] func, got a C++ source on %s, expected CPU" % get_context("device_target"))
    folder = os.path.join(os.getcwd(), "akg_kernel_meta")
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, os.path.basename(source) + ".so")
    command = ["g++", "-std=c++17", "-O2", "--shared", "-fPIC", "-I" + os.path.dirname(source), "-o", target + ".new", source]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    except OSError as error:
        raise RuntimeError("[Custom] func, got a C++ source, expected g++ to build it: %s" % error) from None
    if done.returncode:
        raise RuntimeError("[Custom] func, got a source that g++ refuses, expected C++: %s" % done.stderr.strip())
    # The file is replaced, not overwritten, so a process that uses the old library keeps its contents.
    os.replace(target + ".new", target)
    return target
