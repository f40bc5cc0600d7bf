"""Fourier transforms: values against numpy.fft, gradients against differences, and PIJit and PSJit against eager runs."""
import os
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

RNG = np.random.RandomState(3)
REAL = RNG.rand(3, 4, 5)
COMPLEX = REAL + 1j * RNG.rand(3, 4, 5)
NORMS = [None, "backward", "forward", "ortho"]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn"]
modes = pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
OF_REALS = ("rfft", "ihfft", "rfft2", "rfftn", "ihfft2", "ihfftn")


def jitted(fn, mode):
    return fn if mode is None else ms.jit(fn, mode=mode)


def close(got, want, tolerance=1e-12):
    got, want = got.asnumpy(), np.asarray(want)
    assert got.shape == want.shape and np.iscomplexobj(got) == np.iscomplexobj(want)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1, np.abs(want).max() if want.size else 1))


def given(name):
    return REAL if name in OF_REALS else COMPLEX


def transform(name, *args, **kwargs):
    function = getattr(ops, name)

    def run(x):
        return function(x, *args, **kwargs)
    return run


@modes
@pytest.mark.parametrize("name", ONE)
def test_one_axis(name, mode):
    for norm in NORMS:
        for dim in (-1, 0, 1):
            for n in (None, 1, 2, 6, 7):
                run = jitted(transform(name, n, dim, norm), mode)
                close(run(Tensor(given(name))), getattr(np.fft, name)(given(name), n, dim, norm))
        if mode is not None:
            break


@modes
@pytest.mark.parametrize("name", TWO + MANY)
def test_several_axes(name, mode):
    axes = [(-2, -1), (0, 2), (2, 0)] + ([None, (1,), (2, 0, 1)] if name in MANY else [])
    for dim in axes:
        sizes = [None, tuple(range(2, 2 + len(dim))), (6,) * len(dim)] if dim else [None]
        for s in sizes:
            for norm in NORMS[:4 if mode is None else 1]:
                run = jitted(transform(name, s, dim, norm), mode)
                close(run(Tensor(given(name))), getattr(np.fft, name)(given(name), s, dim, norm))


@pytest.mark.parametrize("norm", NORMS)
def test_hermitian_over_several_axes(norm):
    swapped = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    close(ops.hfftn(Tensor(COMPLEX), norm=norm), np.fft.irfftn(COMPLEX.conj(), axes=(0, 1, 2), norm=swapped))
    close(ops.hfft2(Tensor(COMPLEX), (4, 6), (0, -1), norm), np.fft.irfftn(COMPLEX.conj(), (4, 6), (0, 2), swapped))
    close(ops.ihfftn(Tensor(REAL), norm=norm), np.fft.rfftn(REAL, norm=swapped).conj())
    close(ops.ihfft2(Tensor(REAL), norm=norm), np.fft.rfft2(REAL, norm=swapped).conj())
    x = ops.hfft2(Tensor(COMPLEX), (4, 7), norm=norm)
    close(ops.hfft2(ops.ihfft2(x, norm=norm), (4, 7), norm=norm), x.asnumpy())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int64", "uint8", "uint16", "complex64"])
def test_dtypes(dtype):
    values = np.array([[1, 2, 3, 4], [5, 0, 1, 2]])
    x = Tensor(values).astype(getattr(ms, dtype))
    for name, want in (("fft", "complex64"), ("ifft2", "complex64"), ("irfft", "float32"), ("hfft", "float32"), ("rfft", "complex64")):
        got = getattr(ops, name)(x)
        assert got.dtype.name == want
        if name != "rfft" or dtype != "complex64":
            close(got, getattr(np.fft, name)(values), 2e-6)
    # As MindSpore, a complex signal is transformed whole and cut.
    close(ops.rfft(Tensor([1j, 2])), [2 + 1j, -2 + 1j])
    close(ops.ihfft(Tensor([1j])), [1j])


@pytest.mark.parametrize("n", [1, 2, 3, 8, 97, 128, 1000, 1009, 4096])
def test_lengths(n):
    x = RNG.rand(2, n).astype("float32")
    close(ops.fft(Tensor(x)), np.fft.fft(x.astype("float64")), 3e-6)
    close(ops.irfft(ops.rfft(Tensor(x)), n), x, 3e-6)
    close(ops.ifft(ops.fft(Tensor(x.astype("float64")))), x.astype("complex128"))


def test_layouts():
    close(ops.fft(Tensor(COMPLEX).T), np.fft.fft(COMPLEX.T))
    close(ops.rfft(Tensor(REAL)[:, ::2, 1:], dim=0), np.fft.rfft(REAL[:, ::2, 1:], axis=0))
    close(ops.fft2(ops.broadcast_to(Tensor(COMPLEX[0, 0]), (3, 5))), np.fft.fft2(np.broadcast_to(COMPLEX[0, 0], (3, 5))))
    close(ops.fft(Tensor(np.zeros((0, 4)))), np.zeros((0, 4), "complex128"))
    assert ops.irfft(Tensor([1j])).shape == (0,)


@modes
def test_shifts_and_frequencies(mode):
    for x in (np.arange(5), np.arange(12.0).reshape(3, 4)):
        close(jitted(transform("fftshift"), mode)(Tensor(x)), np.fft.fftshift(x))
        close(jitted(transform("ifftshift"), mode)(Tensor(x)), np.fft.ifftshift(x))
        close(jitted(transform("fftshift", 0), mode)(Tensor(x)), np.fft.fftshift(x, 0))
        close(jitted(transform("ifftshift", (-1,)), mode)(Tensor(x)), np.fft.ifftshift(x, -1))
    for n in (1, 2, 5, 8):
        close(ops.fftfreq(n, 0.5), np.fft.fftfreq(n, 0.5), 1e-6)
        close(ops.rfftfreq(n, d=2.0, dtype=ms.float64), np.fft.rfftfreq(n, 2.0))
    assert ops.fftfreq(4).dtype == ms.float32 and ops.fftfreq(4, dtype=ms.int32).tolist() == [0, 0, 0, 0]
    assert ops.rfftfreq(4, dtype=ms.complex64).tolist() == [0, 0.25, 0.5]


# -- gradients -------------------------------------------------------------------------------------------------------------

def differences(f, values):
    grad = np.zeros(values.shape, "complex128")
    for place in np.ndindex(*values.shape):
        for direction in (1, 1j) if values.dtype.kind == "c" else (1,):
            moved = [values.copy(), values.copy()]
            moved[0][place] += 1e-6 * direction
            moved[1][place] -= 1e-6 * direction
            grad[place] += direction * (f(Tensor(moved[0])).item() - f(Tensor(moved[1])).item()) / 2e-6
    return grad


def loss_of(function):
    def loss(x):
        y = function(x)
        weights = ops.cast(ops.reshape(ops.arange(1, y.size + 1), y.shape), ms.float64) / 10
        return ops.sum(ops.real(y) * ops.real(y) * weights) + ops.sum(ops.imag(y) * ops.cos(weights) * ops.real(y))
    return loss


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", ONE)
def test_gradient_of_one_axis(name, norm):
    x = given(name)[0]
    for n in (None, 3, 6):
        loss = loss_of(transform(name, n, -1, norm))
        got = ms.grad(loss)(Tensor(x))
        np.testing.assert_allclose(got.asnumpy(), differences(loss, x), rtol=1e-5, atol=1e-5)
        captured = ms.grad(ms.jit(loss, mode="PIJit"))(Tensor(x))
        np.testing.assert_allclose(captured.asnumpy(), got.asnumpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", TWO + MANY + ["hfft2", "ihfft2", "hfftn", "ihfftn"])
def test_gradient_of_several_axes(name):
    x = given(name)[:2, :3, :3]
    loss = loss_of(transform(name))
    np.testing.assert_allclose(ms.grad(loss)(Tensor(x)).asnumpy(), differences(loss, x), rtol=1e-5, atol=1e-5)


def test_gradient_of_a_real_signal_is_real():
    x = Tensor(np.arange(4).astype("float32"))
    for name, want in (("fft", [-1.4142135, 0.5857864, 1.4142135, 3.4142136]), ("rfft", [-0.7071068, 1.2928932, 0.7071068, 2.7071068]),
                       ("irfft", [-0.3333333, 0.3333333, 0.3333333, 0.6666667])):  # printed by MindSpore 2.10
        got = ms.grad(lambda x: ops.abs(getattr(ops, name)(x)))(x)
        assert got.dtype == ms.float32
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-5)


def filtered(x, weight):
    return ops.irfft(ops.rfft(x) * weight, x.shape[-1])


@modes
def test_a_filter_that_learns(mode):
    x, weight = Tensor(REAL), Tensor(COMPLEX[0, 0, :3])
    run = jitted(filtered, mode)
    close(run(x, weight), np.fft.irfft(np.fft.rfft(REAL) * COMPLEX[0, 0, :3], 5))
    grads = ms.grad(lambda w: ops.sum(ops.square(run(x, w))))(weight)
    want = differences(lambda w: ops.sum(ops.square(filtered(x, w))), COMPLEX[0, 0, :3])
    np.testing.assert_allclose(grads.asnumpy(), want, rtol=1e-5, atol=1e-5)


# -- short-time transforms -------------------------------------------------------------------------------------------------

def frames_of(x, n, hop, window):
    starts = range(0, x.shape[-1] - n + 1, hop)
    return np.stack([x[..., s:s + n] * window for s in starts], -2)


@pytest.mark.parametrize("shape", [(20,), (2, 20)])
def test_stft(shape):
    x, w = RNG.rand(*shape), RNG.rand(4)
    wide = np.concatenate(([0, 0], w, [0, 0]))
    want = np.swapaxes(np.fft.rfft(frames_of(x, 8, 3, wide)), -1, -2)
    got = ops.stft(Tensor(x), 8, 3, 4, Tensor(w), center=False)
    close(got, np.stack([want.real, want.imag], -1))
    close(ops.stft(Tensor(x), 8, 3, 4, Tensor(w), center=False, return_complex=True, normalized=True), want / np.sqrt(8))
    full = np.swapaxes(np.fft.fft(frames_of(x, 8, 3, wide)), -1, -2)
    close(ops.stft(Tensor(x.astype("complex128")), 8, 3, 4, Tensor(w), center=False), full)
    close(ops.stft(Tensor(x), 8, 3, 4, Tensor(w), False, onesided=False), np.stack([full.real, full.imag], -1))
    edges = [(0, 0)] * (len(shape) - 1) + [(2, 2)]
    for mode in ("reflect", "constant", "symmetric"):
        want = np.swapaxes(np.fft.rfft(frames_of(np.pad(x, edges, mode), 4, 1, 1.0)), -1, -2)
        close(ops.stft(Tensor(x), 4, pad_mode=mode.upper(), return_complex=True), want)


# -- errors ----------------------------------------------------------------------------------------------------------------

X = Tensor([[1.0, 2], [3, 4]])
BAD = [
    (ValueError, lambda x: ops.fft(x, 0)), (ValueError, lambda x: ops.fft(x, dim=2)), (ValueError, lambda x: ops.fft(x, norm="x")),
    (TypeError, lambda x: ops.fft(x, 2.0)), (TypeError, lambda x: ops.fft(x, dim=1.0)), (TypeError, lambda x: ops.fft(x, norm=1)),
    (TypeError, lambda x: ops.fft(x > 1)), (ValueError, lambda x: ops.fft(x[0, 0])), (ValueError, lambda x: ops.fft2(x[0])),
    (ValueError, lambda x: ops.fftn(x, s=(3,), dim=(0, 1))), (ValueError, lambda x: ops.fftn(x, dim=(0, 0))),
    (ValueError, lambda x: ops.fftn(x, s=(-1, 2))), (TypeError, lambda x: ops.fftn(x, dim=5)), (TypeError, lambda x: ops.fftn(x, s=3)),
    (ValueError, lambda x: ops.rfftn(x, s=(1, 2, 3))), (ValueError, lambda x: ops.irfft(x, -1)), (ValueError, lambda x: ops.fftn(x, dim=())),
    (ValueError, lambda x: ops.fftshift(x, 3)), (TypeError, lambda x: ops.fftshift(x, "a")), (ValueError, lambda x: ops.stft(x, 40, center=False)),
    (ValueError, lambda x: ops.stft(x, 2, 0)), (ValueError, lambda x: ops.stft(x, 2, 1, pad_mode="x")), (TypeError, lambda x: ops.stft(x > 1, 2, 1)),
    (ValueError, lambda x: ops.stft(x, 2, 1, win_length=3)), (ValueError, lambda x: ops.stft(x, 2, 1, window=Tensor([1.0]))),
    (TypeError, lambda x: ops.stft(x, 2, 1, center=1)), (ValueError, lambda x: ops.fft(ops.zeros((2, 0)))),
]


@pytest.mark.parametrize("index", range(len(BAD)))
def test_bad_arguments(index):
    kind, run = BAD[index]
    texts = []
    for function in (run, ms.jit(run, mode="PIJit")):
        with pytest.raises(kind) as caught:
            function(X)
        texts.append(str(caught.value))
    assert texts[0] == texts[1] and texts[0].startswith("[")


def test_bad_frequencies():
    for bad, kind in (((0,), ValueError), ((2.5,), TypeError), ((4, 1), TypeError), ((True,), TypeError)):
        for function in (ops.fftfreq, ops.rfftfreq):
            with pytest.raises(kind):
                function(*bad)
    with pytest.raises(TypeError):
        ops.fft([1.0])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_transforms_are_shared_by_threads(dtype):
    x = RNG.rand(90, 7, 400).astype(dtype)
    tolerance = 2e-6 if dtype == "float32" else 1e-12
    spectrum = ops.rfft(Tensor(x))
    close(spectrum, np.fft.rfft(x.astype("float64")), tolerance)
    close(ops.irfft(spectrum, 400), x, tolerance)
    close(ops.fft(Tensor(x), dim=0), np.fft.fft(x.astype("float64"), axis=0), tolerance)
    close(ops.fft2(Tensor(x), dim=(0, 2)), np.fft.fft2(x.astype("float64"), axes=(0, 2)), tolerance)


@pytest.mark.costly
def test_the_number_of_threads_changes_no_bit():
    program = ("import hashlib, numpy as np; from msjit import Tensor, ops; x = np.random.RandomState(0).rand(90, 7, 400);"
               "r = [f(Tensor(x.astype(d))).asnumpy() for d in ('float32', 'float64') for f in (ops.fft, ops.rfft, ops.ihfft)];"
               "r.append(ops.irfft(Tensor(x.astype('complex64'))).asnumpy());"
               "print(hashlib.sha256(b''.join(a.tobytes() for a in r)).hexdigest())")
    found = {subprocess.run([sys.executable, "-c", program], env=dict(os.environ, MSJIT_NUM_THREADS=n), check=True,
                            stdout=subprocess.PIPE).stdout for n in ("1", "2", "3")}
    assert len(found) == 1
