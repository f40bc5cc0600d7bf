"""msjit.numpy.fft: Fourier transforms under NumPy's parameter names."""
from .. import ops as _ops
from .shared import as_tensor as _tensor

__all__ = []


def _put(name, call, what):
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "As numpy.fft.%s: %s." % (name, what)
    globals()[name] = call
    __all__.append(name)


def _make(name, function, last):
    """Makes the transform along one axis, along two ("2") or along several ("n")."""
    def one(a, n=None, axis=-1, norm=None):
        return function(_tensor(a), n, axis, norm)

    def two(a, s=None, axes=(-2, -1), norm=None):
        return function(_tensor(a), s, axes, norm)

    def several(a, s=None, axes=None, norm=None):
        return function(_tensor(a), s, axes, norm)
    _put(name, {"2": two, "n": several}.get(last, one), "the transform of tensors, of the sizes given along these axes")


for _kind in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    for _last in ("", "2", "n"):
        _make(_kind + _last, getattr(_ops, _kind + _last), _last)


def fftshift(x, axes=None):
    """Moves the zero frequency to the middle of the axes, as numpy.fft.fftshift."""
    return _ops.fftshift(_tensor(x), axes)


def ifftshift(x, axes=None):
    """Undoes fftshift, as numpy.fft.ifftshift."""
    return _ops.ifftshift(_tensor(x), axes)


def fftfreq(n, d=1.0, dtype=None):
    """Returns the frequencies of the transform of n samples that are d apart, as numpy.fft.fftfreq."""
    return _ops.fftfreq(n, d, dtype)


def rfftfreq(n, d=1.0, dtype=None):
    """Returns the frequencies that are not negative, as numpy.fft.rfftfreq."""
    return _ops.rfftfreq(n, d, dtype)


__all__ += ["fftshift", "ifftshift", "fftfreq", "rfftfreq"]
