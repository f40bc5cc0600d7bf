"""extract_glimpse, which cuts windows out of images."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k

_NOISE = ("uniform", "gaussian", "zero")


def _options(p):
    for name in ("centered", "normalized", "uniform_noise"):
        if not isinstance(getattr(p, name), bool):
            raise TypeError("[ExtractGlimpse] %s, got %s, expected a bool" % (name, type(getattr(p, name)).__name__))
    if p.noise not in _NOISE:
        raise ValueError("[ExtractGlimpse] noise, got %r, expected one of %s" % (p.noise, list(_NOISE)))
    if p.uniform_noise and p.noise != "uniform":
        raise ValueError("[ExtractGlimpse] noise, got %r, expected 'uniform' with uniform_noise=True" % (p.noise,))


def _operands(x, size, offsets):
    """Checks the inputs; returns the two sizes, and the two offsets of each image."""
    for name, value, dtype in (("x", x, _mstype.float32), ("size", size, _mstype.int32), ("offsets", offsets, _mstype.float32)):
        if _check(value, "ExtractGlimpse").dtype != dtype:
            raise TypeError("[ExtractGlimpse] dtype of %s, got %s, expected %s" % (name, value.dtype, dtype))
    if x.ndim != 4:
        raise RuntimeError("[ExtractGlimpse] rank of x, got %d, expected 4" % x.ndim)
    if tuple(size.shape) != (2,) or min(size.tolist()) <= 0:
        raise ValueError("[ExtractGlimpse] size, got %s, expected two numbers above 0" % (size.tolist(),))
    if tuple(offsets.shape) != (x.shape[0], 2):
        raise ValueError("[ExtractGlimpse] shape of offsets, got %s, expected %s" % (tuple(offsets.shape), (x.shape[0], 2)))
    return size.tolist(), offsets.tolist()


def _start(p, offset, length, size):
    """Start of a window along an axis, truncated towards 0."""
    if p.normalized:
        offset *= length
    if p.centered:
        offset = offset / 2 + length / 2
    return int(offset - size / 2)


def _noise(p, shape):
    """Draws noise as MindSpore 2.10 does: uniform in [-1, 1), or normal with mean 10 and standard deviation 1/2."""
    if p.noise == "zero":
        return _k.zeros(shape, _mstype.float32)
    from . import random_func as _r
    return _r.standard_normal(shape) * 0.5 + 10.0 if p.noise == "gaussian" else _r.rand(*shape, dtype=_mstype.float32) * 2.0 - 1.0


def extract_glimpse(p, x, size, offsets):
    """Cuts windows (N, size[0], size[1], C) out of images x (N, H, W, C), centred at offsets (N, 2), (y, x).

    Outside of an image the window is noise. Attributes of `p`: normalized takes offsets in units of the image's size;
    centered halves them and counts from the middle of the image; noise and uniform_noise choose the noise.
    """
    import numpy
    _options(p)
    sizes, places = _operands(x, size, offsets)
    windows = []
    for number, place in enumerate(places):
        at = [numpy.arange(length) + _start(p, offset, whole, length) for offset, whole, length in zip(place, x.shape[1:3], sizes)]
        inside = [(one >= 0) & (one < whole) for one, whole in zip(at, x.shape[1:3])]
        rows, columns = (Tensor(one.clip(0, whole - 1)) for one, whole in zip(at, x.shape[1:3]))
        cut = _k.gather(_k.gather(x[number], rows, 0), columns, 1)
        seen = Tensor((inside[0][:, None] & inside[1][None, :])[..., None])
        windows.append(_k.where(seen, cut, _noise(p, tuple(cut.shape))))
    return _k.stack(windows, 0)
