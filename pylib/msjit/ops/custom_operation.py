"""Custom: a primitive from a Python function on NumPy arrays, or from a function of a shared library."""
from .._native import Tensor
from ..common.dtype import DType, dtype_to_nptype
from .primitive import Primitive

_KINDS = ("hybrid", "akg", "tbe", "aicpu", "aot", "pyfunc", "julia")


class Custom(Primitive):
    """Calls func with NumPy arrays instead of Tensors. Its result, an array or a tuple of them, is converted to Tensors.

    Results are cast to out_dtype: one dtype, one for each result, or a function of the dtypes of the inputs. out_shape has no effect on a
    Python function, whose results keep their shapes.
    bprop(*inputs, output, gradient) returns the gradients of the inputs. Without it a gradient raises RuntimeError.
    With func_type 'aot', func is "FILE:NAME", a C function of a shared library, or of a .cc or .cpp file, which g++ builds. It fills results
    whose shapes and dtypes come from out_shape and out_dtype: values, or functions of those of the inputs, which must be Tensors.
    The other kinds name compilers of MindSpore, and raise NotImplementedError.

    >>> import numpy as np
    >>> from msjit import Tensor, ops
    >>> ops.Custom(np.sort, lambda shape: shape, lambda dtype: dtype)(Tensor([2.0, 1.0])).asnumpy().tolist()
    [1.0, 2.0]
    """

    def __init__(self, func, out_shape=None, out_dtype=None, func_type="pyfunc", bprop=None, reg_info=None):
        super().__init__()
        if func_type not in _KINDS:
            raise ValueError("[Custom] func_type, got %r, expected one of %s" % (func_type, ", ".join(_KINDS)))
        if not callable(func) and not isinstance(func, str):
            raise TypeError("[Custom] func, got %s, expected a function" % type(func).__name__)
        if func_type not in ("pyfunc", "aot"):
            raise NotImplementedError("[Custom] func_type, got %r, expected 'pyfunc' or 'aot': the others are compilers of MindSpore" % (func_type,))
        if func_type == "pyfunc" and isinstance(func, str):
            raise TypeError("[Custom] func, got a str, expected a function")
        if not callable(out_shape) and not isinstance(out_shape, (tuple, list)):
            raise TypeError("[Custom] out_shape, got %s, expected a tuple or a function" % type(out_shape).__name__)
        if not callable(out_dtype) and not isinstance(out_dtype, (tuple, list, DType)):
            raise TypeError("[Custom] out_dtype, got %s, expected a dtype, a tuple of them or a function" % type(out_dtype).__name__)
        if bprop is not None and not callable(bprop):
            raise TypeError("[Custom] bprop, got %s, expected a function" % type(bprop).__name__)
        self.func, self.out_dtype, self.out_shape = func, out_dtype, out_shape
        self.func_type, self.bprop = func_type, bprop
        self._library = None
        if func_type == "aot":  # imported on first use, as few programs need it
            from .custom_library import LibraryFunction
            self._library = LibraryFunction(func)

    def __call__(self, *inputs):
        from ..custom_function import with_gradient
        return with_gradient(self._run if self._library is None else self._run_library, self.bprop or _no_gradient)(*inputs)

    def _run_library(self, *inputs):
        for item in inputs:
            if not isinstance(item, Tensor):
                raise TypeError("[Custom] input of %s, got %s, expected a Tensor" % (self._library.name, type(item).__name__))
        shapes, dtypes = self.out_shape, self.out_dtype
        if callable(shapes):
            shapes = shapes(*[list(item.shape) for item in inputs])
        if callable(dtypes) and not isinstance(dtypes, DType):
            dtypes = dtypes(*[item.dtype for item in inputs])
        from .custom_library import empty_outputs
        outputs, many = empty_outputs(shapes, dtypes)
        self._library([item.asnumpy() for item in inputs], outputs)
        return tuple(Tensor.from_numpy(array) for array in outputs) if many else Tensor.from_numpy(outputs[0])

    def _run(self, *inputs):
        given = [item.asnumpy() if isinstance(item, Tensor) else item for item in inputs]
        out = self.func(*given)
        dtypes = self.out_dtype
        if callable(dtypes) and not isinstance(dtypes, DType):
            dtypes = dtypes(*[item.dtype if isinstance(item, Tensor) else type(item) for item in inputs])
        if isinstance(out, (tuple, list)):
            dtypes = [dtypes] * len(out) if isinstance(dtypes, DType) else dtypes
            if len(dtypes) != len(out):
                raise ValueError("[Custom] number of results, got %d, expected %d as of out_dtype" % (len(out), len(dtypes)))
            return tuple(_tensor(value, dtype) for value, dtype in zip(out, dtypes))
        return _tensor(out, dtypes[0] if isinstance(dtypes, (tuple, list)) else dtypes)


def _tensor(value, dtype):
    import numpy
    if not isinstance(dtype, DType):
        raise TypeError("[Custom] out_dtype, got %s, expected a dtype" % type(dtype).__name__)
    if not isinstance(value, (numpy.ndarray, numpy.generic, int, float)):
        raise TypeError("[Custom] what func returns, got %s, expected an array or a tuple of them" % type(value).__name__)
    return Tensor(numpy.array(value, dtype_to_nptype(dtype)), dtype)


def _no_gradient(*args):
    raise RuntimeError("[Custom] bprop, got None, expected a function: a gradient is asked for")


__all__ = ["Custom"]
