"""msjit.numpy against NumPy: windows, convolution, histograms, polynomials, grids, functions that call functions; in every mode."""
import numpy as np
import pytest

import msjit as ms
import msjit.numpy as mnp
from msjit import Tensor

RNG = np.random.RandomState(5)
A, B, C = RNG.rand(7).astype(np.float32), RNG.rand(3).astype(np.float32), RNG.rand(3, 4).astype(np.float32) * 4 - 2
WITH_NAN = np.where(C > 1, np.nan, C).astype(np.float32)

# name: (function of tensors, the same in NumPy, operands)
CASES = {
    "convolve": (mnp.convolve, np.convolve, A, B),
    "convolve_same": (lambda a, b: mnp.convolve(a, b, "same"), lambda a, b: np.convolve(a, b, "same"), A, B),
    "convolve_short_first": (lambda a, b: mnp.convolve(a, b, "valid"), lambda a, b: np.convolve(a, b, "valid"), B, A),
    "correlate": (mnp.correlate, np.correlate, A, B),
    "correlate_full": (lambda a, b: mnp.correlate(a, b, "full"), lambda a, b: np.correlate(a, b, "full"), A, B),
    "correlate_short_first": (lambda a, b: mnp.correlate(a, b, "full"), lambda a, b: np.correlate(a, b, "full"), B, A),
    "polyadd": (mnp.polyadd, np.polyadd, A, B), "polysub": (mnp.polysub, np.polysub, B, A), "polymul": (mnp.polymul, np.polymul, A, B),
    "polyder": (lambda p: mnp.polyder(p, 2), lambda p: np.polyder(p, 2), A),
    "polyint": (lambda p: mnp.polyint(p, 2, [3, 4]), lambda p: np.polyint(p, 2, [3, 4]), A),
    "interp": (lambda x, f: mnp.interp(x, Tensor([-1.0, 0.5, 1.0]), f), lambda x, f: np.interp(x, [-1, 0.5, 1], f), C, B),
    "interp_ends": (lambda x, f: mnp.interp(x, Tensor([-1.0, 0.5, 1.0]), f, 5, -5), lambda x, f: np.interp(x, [-1, 0.5, 1], f, 5, -5), C, B),
    "unwrap": (lambda x: mnp.unwrap(x * 3, axis=0), lambda x: np.unwrap(x * 3, axis=0), C),
    "gradient": (lambda x: mnp.gradient(x, 2.0, axis=1), lambda x: np.gradient(x, 2.0, axis=1), C),
    "ediff1d": (lambda x: mnp.ediff1d(x, [9.0], [1.0, 2.0]), lambda x: np.ediff1d(x, [9], [1, 2]), C),
    "geomspace": (lambda a, b: mnp.geomspace(a, b, 5), lambda a, b: np.geomspace(a, b, 5), np.float32(1.5), np.float32(7.5)),
    "corrcoef": (mnp.corrcoef, np.corrcoef, C),
    "nancumsum": (lambda x: mnp.nancumsum(x, 1), lambda x: np.nancumsum(x, 1), WITH_NAN),
    "nanvar": (lambda x: mnp.nanvar(x, 0, ddof=1), lambda x: np.nanvar(x, 0, ddof=1), WITH_NAN + np.float32([[0], [1], [2]])),
    "nanstd": (mnp.nanstd, np.nanstd, WITH_NAN),
    "histogram": (lambda x: mnp.histogram(x, 5)[0], lambda x: np.histogram(x, 5)[0], C),
    "histogram_density": (lambda x: mnp.histogram(x, 4, (-1, 1), None, True)[0], lambda x: np.histogram(x, 4, (-1, 1), True)[0], C),
    "histogram_weights": (lambda x, w: mnp.histogram(x, 4, weights=w)[0], lambda x, w: np.histogram(x, 4, weights=w)[0], A, A[::-1].copy()),
    "histogram_edges": (lambda x: mnp.histogram_bin_edges(x, 6), lambda x: np.histogram_bin_edges(x, 6), C),
    "histogram2d": (lambda x, y: mnp.histogram2d(x, y, 3)[0], lambda x, y: np.histogram2d(x, y, 3)[0], A, A[::-1].copy()),
    "histogramdd": (lambda x: mnp.histogramdd(x, (2, 3, 2, 2))[0], lambda x: np.histogramdd(x, (2, 3, 2, 2))[0], C),
    "apply_along_axis": (lambda x: mnp.apply_along_axis(lambda r: r[:2] * r.sum(), 0, x), lambda x: np.apply_along_axis(
        lambda r: r[:2] * r.sum(), 0, x), C),
    "apply_to_numbers": (lambda x: mnp.apply_along_axis(mnp.max, 1, x), lambda x: x.max(1), C),
    "apply_over_axes": (lambda x: mnp.apply_over_axes(mnp.sum, x, [0, 1]), lambda x: np.apply_over_axes(np.sum, x, [0, 1]), C),
    "piecewise": (lambda x: mnp.piecewise(x, [x < 0, x > 1], [-1.0, 1.0, 0.5]), lambda x: np.piecewise(x, [x < 0, x > 1], [-1, 1, 0.5]), C),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    function, reference, *operands = CASES[name]
    want = reference(*operands)

    def called(*xs):
        return function(*xs)
    for run in [function] + [ms.jit(eval("lambda *xs: f(*xs)", {"f": function}), mode="PIJit"), ms.jit(called, mode="PSJit")] * ms.has_jit:
        for _ in range(2):
            out = run(*[Tensor(x) for x in operands])
            assert tuple(out.shape) == np.shape(want) and out.dtype == ms.float32
            np.testing.assert_allclose(out.asnumpy(), want, rtol=2e-5, atol=1e-5)


SMOOTH = "convolve correlate_full polymul polyint interp gradient ediff1d geomspace corrcoef unwrap nanvar apply_along_axis".split()


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients(name):
    function, _, *operands = CASES[name]
    shape = function(*[Tensor(x) for x in operands]).shape
    weights = Tensor(np.cos(np.arange(int(np.prod(shape)))).reshape(tuple(shape)).astype(np.float32))

    def loss(*xs):
        return (function(*xs) * weights).sum()
    found = ms.grad(loss, tuple(range(len(operands))))(*[Tensor(x) for x in operands])
    for at, grad in enumerate(found if isinstance(found, tuple) else (found,)):
        usable = ~np.isnan(operands[at])
        direction = (np.sin(1 + np.arange(np.size(operands[at]))).reshape(np.shape(operands[at])) * usable).astype(np.float32)
        sides = [float(loss(*[Tensor(np.float32(x + step * direction)) if i == at else Tensor(x) for i, x in enumerate(operands)]))
                 for step in (1e-2, -1e-2)]
        want = (sides[0] - sides[1]) / 2e-2
        assert abs(float((grad.asnumpy() * direction)[usable].sum()) - want) < 2e-2 * (1 + abs(want))


def test_windows():
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        for count in (0, 1, 2, 7):
            np.testing.assert_allclose(getattr(mnp, name)(count).asnumpy(), getattr(np, name)(count), atol=1e-6)
        with pytest.raises(TypeError):
            getattr(mnp, name)(2.5)


def test_grids():
    for ours, theirs in ((mnp.mgrid, np.mgrid), (mnp.ogrid, np.ogrid)):
        np.testing.assert_array_equal(ours[2:5].asnumpy(), theirs[2:5])
        np.testing.assert_allclose(ours[0:1:3j].asnumpy(), theirs[0:1:3j])
        for a, b in zip(ours[0:3, 1:7:2], theirs[0:3, 1:7:2]):
            np.testing.assert_array_equal(a.asnumpy(), b)
        with pytest.raises(TypeError):
            ours[3]
    for sparse in (False, True):
        for a, b in zip(mnp.indices((2, 3), sparse=sparse), np.indices((2, 3), sparse=sparse)):
            np.testing.assert_array_equal(a.asnumpy(), b)
    for a, b in zip(mnp.ix_(Tensor([0, 1]), Tensor([2, 4, 5])), np.ix_([0, 1], [2, 4, 5])):
        np.testing.assert_array_equal(a.asnumpy(), b)
    for order in "CF":
        for a, b in zip(mnp.unravel_index([22, 41, 37], (7, 6), order), np.unravel_index([22, 41, 37], (7, 6), order)):
            np.testing.assert_array_equal(a.asnumpy(), b)
        want = np.ravel_multi_index(([3, 6, 6], [4, 5, 1]), (7, 6), order=order)
        np.testing.assert_array_equal(mnp.ravel_multi_index(([3, 6, 6], [4, 5, 1]), (7, 6), order=order).asnumpy(), want)
    square = Tensor(np.ones((3, 4), np.float32))
    for name in ("tril_indices_from", "triu_indices_from"):
        for a, b in zip(getattr(mnp, name)(square, 1), getattr(np, name)(square.asnumpy(), 1)):
            np.testing.assert_array_equal(a.asnumpy(), b)
    assert [i.tolist() for i in mnp.diag_indices(3)] == [[0, 1, 2]] * 2


def test_sets_and_dtypes():
    assert mnp.intersect1d([1, 3, 4, 3], [3, 1, 2, 1]).tolist() == [1, 3] and mnp.setdiff1d([1, 2, 3, 2, 4, 1], [3, 4]).tolist() == [1, 2]
    assert [t.tolist() for t in mnp.intersect1d([1, 3, 4], [3, 1], return_indices=True)] == [[1, 3], [0, 1], [1, 0]]
    assert mnp.choose([2, 5, -1], [[0, 1, 2], [10, 11, 12], [20, 21, 22]]).tolist() == [20, 21, 2]
    assert mnp.choose([2, 4, -1], [[0, 1, 2], [10, 11, 12], [20, 21, 22]], "wrap").tolist() == [20, 11, 22]
    assert mnp.array_equiv([1, 2], [[1, 2], [1, 2]]).item() is True and mnp.array_equiv([1, 2], [1, 2, 3]).item() is False
    assert mnp.array_str(Tensor([1, 2])) == "[1 2]" and mnp.asfarray([1, 2], ms.int32).dtype == ms.float32
    assert mnp.promote_types(ms.int8, ms.float16) == ms.float16 and mnp.result_type(ms.int8, 3) == ms.int32
    assert mnp.result_type(np.float64, Tensor([1])) == ms.float64


@pytest.mark.parametrize("call, kind", [
    (lambda: mnp.convolve(Tensor(A), Tensor(B), "x"), ValueError), (lambda: mnp.histogram(Tensor(A), "auto"), NotImplementedError),
    (lambda: mnp.histogram(Tensor(A), 0), ValueError), (lambda: mnp.histogram(Tensor(A), 2.5), TypeError),
    (lambda: mnp.histogram(Tensor(A), 2, weights=Tensor(B)), ValueError), (lambda: mnp.polyder(Tensor(A), -1), ValueError),
    (lambda: mnp.polyint(Tensor(A), 3, [1, 2]), ValueError), (lambda: mnp.polyadd(Tensor(C), Tensor(A)), ValueError),
    (lambda: mnp.interp(Tensor(A), Tensor(A), Tensor(B)), ValueError), (lambda: mnp.unwrap(Tensor(A), axis=3), ValueError),
    (lambda: mnp.gradient(Tensor(A), 1.0, 2.0), TypeError), (lambda: mnp.gradient(Tensor(A[:1])), ValueError),
    (lambda: mnp.geomspace(1, 2, 0), ValueError), (lambda: mnp.apply_along_axis(mnp.sum, 5, Tensor(C)), ValueError),
    (lambda: mnp.piecewise(Tensor(A), [Tensor(A) > 0], []), ValueError), (lambda: mnp.choose([0], [[1]], "raise"), NotImplementedError),
    (lambda: mnp.ix_(Tensor(C)), ValueError), (lambda: mnp.array_str([1]), TypeError), (lambda: mnp.result_type(), TypeError),
    (lambda: mnp.promote_types("no dtype", ms.float32), TypeError), (lambda: mnp.unravel_index([1], (2, 2), "X"), ValueError),
    (lambda: mnp.ravel_multi_index(([1],), (2, 2)), ValueError), (lambda: mnp.tril_indices_from(Tensor(A)), ValueError),
    (lambda: mnp.histogramdd(Tensor(C), (2, 2)), ValueError),
])
def test_errors(call, kind):
    with pytest.raises(kind):
        call()


def test_transforms_of_numpy_fft():
    x = np.random.RandomState(0).rand(3, 4)
    for name in "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
        if not hasattr(np.fft, name):
            continue
        for norm in (None, "ortho", "forward"):
            want = getattr(np.fft, name)(x, norm=norm)
            np.testing.assert_allclose(getattr(mnp.fft, name)(Tensor(x), norm=norm).asnumpy(), want, 1e-10, 1e-10)
    np.testing.assert_allclose(mnp.fft.fft(Tensor(x), n=2, axis=0).asnumpy(), np.fft.fft(x, 2, 0), 1e-10)
    np.testing.assert_allclose(mnp.fft.rfftn(Tensor(x), s=(2, 2), axes=(0, 1)).asnumpy(), np.fft.rfftn(x, (2, 2), (0, 1)), 1e-10)
    for name in ("hfft2", "hfftn"):  # NumPy has none of these
        assert getattr(mnp.fft, name)(Tensor(np.ones((4, 4), np.float32)), s=(4, 4)).asnumpy()[0].tolist() == [16, 0, 0, 0]
    assert mnp.fft.fftfreq(5, 0.5).asnumpy() == pytest.approx(np.fft.fftfreq(5, 0.5))
    assert mnp.fft.rfftfreq(5).asnumpy() == pytest.approx(np.fft.rfftfreq(5))
    assert (mnp.fft.fftshift(Tensor(x)).asnumpy() == np.fft.fftshift(x)).all()
    assert (mnp.fft.ifftshift(Tensor(x), 1).asnumpy() == np.fft.ifftshift(x, 1)).all()


def test_pad_in_every_mode():
    x = np.array([[1, 2, 5], [4, 6, 9], [-3, -4, -4]])
    for mode, options in (("mean", {}), ("mean", {"stat_length": 2}), ("maximum", {"stat_length": ((1, 2), (2, 1))}), ("minimum", {}),
                          ("linear_ramp", {}), ("linear_ramp", {"end_values": ((1, -2), (3, 4))}),
                          ("constant", {"constant_values": ((1, 2), (3, 4))})):
        for kind in (np.float32, np.int64):
            if kind is np.int64 and mode in ("mean", "linear_ramp"):
                continue
            want = np.pad(x.astype(kind), ((1, 2), (0, 2)), mode, **options)
            got = mnp.pad(Tensor(x.astype(kind)), ((1, 2), (0, 2)), mode, **options)
            assert got.asnumpy().dtype == kind and got.asnumpy() == pytest.approx(want), (mode, options)
    assert mnp.pad(Tensor([[1, 2, 5]]), ((0, 0), (2, 1)), "mean").asnumpy().tolist() == [[2, 2, 1, 2, 5, 2]]  # cut off, not rounded
    assert mnp.pad(Tensor([-3, 4]), 1, "linear_ramp", end_values=2).asnumpy().tolist() == [2, -3, 4, 2]
    with pytest.raises(NotImplementedError, match="median"):
        mnp.pad(Tensor([1.0]), 1, "median")
    with pytest.raises(ValueError, match="pad_width"):
        mnp.pad(Tensor([1.0]), ((1, 1), (1, 1)))


def test_values_that_are_broadcast_and_smaller_functions():
    assert mnp.full((3, 2), [1, 2]).asnumpy().tolist() == [[1, 2]] * 3 and mnp.full((3, 2), [1, 2]).dtype == ms.int32
    assert mnp.full((2, 2), [1.0, 2]).dtype == ms.float32 and mnp.full((1, 2), [True, False]).dtype == ms.bool_
    x = Tensor([1.25, -2.5])
    assert mnp.around(x).asnumpy().tolist() == [1, -2] and mnp.around(x, 1).asnumpy() == pytest.approx([1.2, -2.5])
    assert mnp.around(Tensor([1, 2])).dtype == ms.int64 and mnp.copy([1, 2]).dtype == ms.int32
    held = mnp.copy(x)
    held[0] = 7
    assert x.asnumpy()[0] == 1.25
    a = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    assert mnp.matrix_power(Tensor(a), 3).asnumpy() == pytest.approx(np.linalg.matrix_power(a, 3))
    with pytest.raises(ValueError, match="matrix_power"):
        mnp.matrix_power(Tensor(a), -1)
    rows, at = np.arange(12).reshape(3, 4), np.arange(3).reshape(1, 3)
    for axis, index in ((1, at), (-1, at), (0, np.array([[2, 0, 1, 1]])), (None, np.array([5, 7]))):
        if axis is not None and index is at:
            want = np.take_along_axis(rows, np.broadcast_to(at, (3, 3)), axis)
        else:
            want = np.take_along_axis(rows, index, axis)
        assert mnp.take_along_axis(Tensor(rows), Tensor(index), axis).asnumpy().tolist() == want.tolist()
    for bad in (np.array([1]), np.array([[1, 2, 3]] * 2)):
        with pytest.raises(ValueError, match="take_along_axis"):
            mnp.take_along_axis(Tensor(rows), Tensor(bad), 1)
    a, b = np.array([0, 1, 2, np.inf, np.inf, np.nan, -np.inf]), np.array([0, 1, -2, -np.inf, np.inf, np.nan, 3])
    for nan in (False, True):
        assert mnp.isclose(Tensor(a), Tensor(b), equal_nan=nan).asnumpy().tolist() == np.isclose(a, b, equal_nan=nan).tolist()


def test_vander_of_integers_keeps_the_dtype():
    for dtype in (ms.int8, ms.uint8, ms.int32, ms.int64):
        out = ms.numpy.vander(ms.Tensor([1, 2, 3], dtype), 3, increasing=True)
        assert out.dtype == dtype and out.asnumpy().tolist() == [[1, 1, 1], [1, 2, 4], [1, 3, 9]]
