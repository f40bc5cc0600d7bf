"""Primitives for Fourier transforms, confusion matrices and accidental hits."""
from ..common import dtype as _mstype
from ..common.checks import check_int as _check_int
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from . import array_func as _a
from . import fft_func as _f
from . import registry as _k
from .operands import check_items as _check_items
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows


def _fourier(p, x):
    """Computes fft, or ifft with `inverse`, over the last signal_ndim axes; `real` is for real numbers, `onesided` for
    half of the frequencies."""
    if _check_int(p.signal_ndim, "FFTWithSize", "signal_ndim") not in (1, 2, 3):
        raise ValueError("[fft_with_size] signal_ndim, got %r, expected 1, 2 or 3" % (p.signal_ndim,))
    axes = tuple(range(-p.signal_ndim, 0))
    if not p.real:
        return (_f.ifftn if p.inverse else _f.fftn)(x, None, axes, p.norm)
    if not p.onesided:
        found = (_f.ifftn if p.inverse else _f.fftn)(x if x.is_complex() else _k.cast(x, _mstype.complex64), None, axes, p.norm)
        return found.real() if p.inverse else found
    sizes = tuple(_check_items(p.signal_sizes, "FFTWithSize", "signal_sizes", "ints")) or None
    return _f.irfftn(x, sizes, axes, p.norm) if p.inverse else _f.rfftn(x, None, axes, p.norm)


def _short_time(p, x, window):
    return _f.stft(x, p.n_fft, p.hop_length, p.win_length, window, False, "REFLECT", p.normalized, p.onesided, p.return_complex)


def _confusion(p, labels, predictions, weights=None):
    """Element [i, j] counts label i predicted as j, or sums the weights of these cases."""
    _check_int(p.num_classes, "ConfusionMatrix", "num_classes")
    if not isinstance(p.dtype, str):
        raise TypeError("[ConfusionMatrix] dtype, got %s, expected a str" % type(p.dtype).__name__)
    places = _k.cast(labels, _mstype.int64) * p.num_classes + _k.cast(predictions, _mstype.int64)
    dtype = getattr(_mstype, p.dtype)
    amount = _a.ones(labels.shape, dtype) if weights is None else _k.cast(weights, dtype)
    return _a.zeros((p.num_classes ** 2,), dtype).index_add(0, places, amount).reshape((p.num_classes, p.num_classes))


def _accidental_hits(p, true_classes, sampled_candidates):
    """Returns (rows of true_classes, positions in sampled_candidates, weights) where a candidate is a true class of the row."""
    import numpy
    _check_tensor(true_classes, "ComputeAccidentalHits")
    _check_int(p.num_true, "ComputeAccidentalHits", "num_true")
    if true_classes.ndim != 2 or true_classes.shape[1] != p.num_true:
        raise ValueError("[compute_accidental_hits] shape of true_classes, got %s, expected (rows, %d)"
                         % (true_classes.shape, p.num_true))
    if _check_tensor(sampled_candidates, "ComputeAccidentalHits").ndim != 1:
        raise ValueError("[ComputeAccidentalHits] sampled_candidates has a wrong rank, got %d, expected 1" % sampled_candidates.ndim)
    rows, _, places = numpy.nonzero(true_classes.asnumpy()[:, :, None] == sampled_candidates.asnumpy()[None, None, :])
    least = numpy.full(len(rows), numpy.finfo(numpy.float32).min, numpy.float32)
    return _Tensor(rows.astype(numpy.int32)), _Tensor(places.astype(numpy.int64)), _Tensor(least)


__all__ = _rows(globals(), (
    ("FFTWithSize", {"signal_ndim": _REQUIRED, "inverse": _REQUIRED, "real": _REQUIRED, "norm": "backward", "onesided": True,
                     "signal_sizes": ()}, _fourier),
    ("STFT", {"n_fft": _REQUIRED, "hop_length": _REQUIRED, "win_length": _REQUIRED, "normalized": _REQUIRED, "onesided": _REQUIRED,
              "return_complex": _REQUIRED}, _short_time),
    ("ConfusionMatrix", {"num_classes": _REQUIRED, "dtype": "int32"}, _confusion),
    ("ComputeAccidentalHits", {"num_true": 1}, _accidental_hits),
))
