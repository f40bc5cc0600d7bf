"""msjit.numpy.fft: Fourier transforms under NumPy's names of parameters."""
from .. import ops as _ops
from .shared import as_tensor as _tensor

__all__ = []


def _put(name, call, what):
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "As numpy.fft.%s: %s." % (name, what)
    globals()[name] = call
    __all__.append(name)


def _make(name, function, last):
    """The transform along one axis, along two of them, and along any."""
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
    """As numpy.fft.fftshift: the zero frequency moved to the middle of the axes."""
    return _ops.fftshift(_tensor(x), axes)


def ifftshift(x, axes=None):
    """As numpy.fft.ifftshift: the inverse of fftshift."""
    return _ops.ifftshift(_tensor(x), axes)


def fftfreq(n, d=1.0, dtype=None):
    """As numpy.fft.fftfreq: the frequencies of n samples that lie d apart."""
    return _ops.fftfreq(n, d, dtype)


def rfftfreq(n, d=1.0, dtype=None):
    """As numpy.fft.rfftfreq: the frequencies that are not negative."""
    return _ops.rfftfreq(n, d, dtype)


__all__ += ["fftshift", "ifftshift", "fftfreq", "rfftfreq"]
