"""The extension's work on images of bytes: the same as the formulas in NumPy, and errors instead of memory beyond an image."""
import numpy as np
import pytest

from msjit._native import _msjit
from msjit.dataset import vision
from msjit.dataset.vision import Inter, hues, resampling

images = _msjit.images
SHAPES = [(7, 5, 3), (1, 1, 1), (5, 9, 1), (4, 6, 4), (3, 8, 5)]


def image(shape, seed=0):
    return np.random.RandomState(seed).randint(0, 256, shape).astype(np.uint8)


def mixed(values, other, factor):
    found = np.float32(1 - factor) * np.float32(other) + np.float32(factor) * values.astype(np.float32)
    return np.clip(np.rint(found), 0, 255).astype(np.uint8)


def gray(values):
    wide = values.astype(np.int64)
    return (wide[..., 0] * 9798 + wide[..., 1] * 19235 + wide[..., 2] * 3735 + (1 << 14)) >> 15


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [(11, 13), (3, 2), (1, 1)])
@pytest.mark.parametrize("way", ["_linear", "_cubic"])
def test_resize(shape, size, way):
    x, kind = image(shape), getattr(resampling, way)
    rows, columns = kind(shape[0], size[0]), kind(shape[1], size[1])
    found = resampling._weighted_bytes(x, rows, columns)
    wr, wc = [np.rint(w * np.float32(2048)).astype(np.int64) for _, w in (rows, columns)]
    across = sum(x.astype(np.int64)[:, columns[0][:, k]] * wc[None, :, k, None] for k in range(wc.shape[1]))
    if way == "_linear":
        total = 2 + sum(((across >> 4)[rows[0][:, k]] * wr[:, k, None, None]) >> 16 for k in range(2))
        wanted = total >> 2
    else:
        total = sum(across[rows[0][:, k]] * wr[:, k, None, None] for k in range(4))
        wanted = (total + (1 << 21)) >> 22
    np.testing.assert_array_equal(found, np.clip(wanted, 0, 255))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fraction", [False, True])
def test_sample(shape, fraction):
    x, fill = image(shape), np.arange(shape[2]).astype(np.uint8) + 7
    steps = 32 if fraction else 1
    random = np.random.RandomState(1)
    rows, columns = [random.randint(-3 * steps, (n + 3) * steps, (6, 4)) for n in shape[:2]]
    rows[0, 0], columns[0, 0] = 2**62, -2**62
    places = resampling._between if fraction else resampling._at
    np.testing.assert_array_equal(resampling._sampled(x, rows, columns, fraction, fill), places(x, rows, columns, fill))


@pytest.mark.parametrize("shape", SHAPES)
def test_mirror_normalize_and_tables(shape):
    x, count = image(shape), shape[2]
    np.testing.assert_array_equal(vision.HorizontalFlip()(x), x[:, ::-1])
    mean, std = np.linspace(3, 99, count, dtype=np.float32), np.linspace(9, 60, count, dtype=np.float32)
    wanted = (x.astype(np.float32) - mean) / std
    for given in (x, x.astype(np.float32), np.asfortranarray(x)):
        found = vision.Normalize(list(mean), list(std))(given)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(vision.Normalize([3.0], [9.0])(x[:, :, 0]), (x[:, :, 0].astype(np.float32) - 3) / 9)


@pytest.mark.parametrize("factor", [0, 0.3, 1, 1.7, 250.0])
def test_colors(factor):
    x = image((9, 300, 3), 2)
    np.testing.assert_array_equal(vision.AdjustBrightness(factor)(x), mixed(x, 0, factor))
    np.testing.assert_array_equal(vision.AdjustContrast(factor)(x), mixed(x, int(gray(x).mean() + 0.5), factor))
    np.testing.assert_array_equal(vision.AdjustSaturation(factor)(x), mixed(x, gray(x)[..., None], factor))


def shares(whole):
    """round(whole / i) with 12 bits of fraction."""
    at = np.arange(256, dtype=np.float64)
    at[0] = np.inf
    return np.rint(whole * 4096 / at).astype(np.int64)


@pytest.mark.parametrize("turn", [-0.5, -0.13, 0.0, 0.004, 0.5])
def test_hue(turn):
    x = image((40, 50, 3), 3)
    x[0] = x[0, :, :1]  # without colours
    red, green, blue = np.moveaxis(x.astype(np.int64), -1, 0)
    high, low = x.max(-1).astype(np.int64), x.min(-1).astype(np.int64)
    spread = high - low
    around = np.where(high == red, green - blue, np.where(high == green, blue - red + 2 * spread, red - green + 4 * spread))
    hue = ((around * shares(256 / 6.0)[spread] + 2048 >> 12) + int(turn * 255)) % 256
    hsv = np.stack([hue / 255.0, (spread * shares(255)[high] + 2048 >> 12) / 255.0, high / 255.0], -1)
    wanted = np.clip(np.rint(hues.hsv_to_rgb(hsv) * 255), 0, 255).astype(np.uint8)
    np.testing.assert_array_equal(vision.AdjustHue(turn)(x), wanted)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [(3, 5), (7, 1)])
def test_blur(shape, size):
    """Bytes are blurred as floats are."""
    x = image(shape)
    found = vision.GaussianBlur(list(size), 1.3)(x)
    wanted = vision.GaussianBlur(list(size), 1.3)(x.astype(np.float64))
    np.testing.assert_array_equal(found, np.rint(wanted).astype(np.uint8))


@pytest.mark.parametrize("way", [Inter.BILINEAR, Inter.NEAREST])
def test_without_channels_and_with_gaps(way):
    x = image((16, 12, 3))
    for given in (x[2:9, 1:11], x[::2, ::-1], x[:, :, 0], x[:, :, 1:2]):
        copied = given.copy()
        for change in (vision.Resize((5, 6), way), vision.Rotate(30, way), vision.HorizontalFlip(), vision.Equalize(), vision.AutoContrast()):
            found = change(given)
            assert found.ndim == given.ndim
            np.testing.assert_array_equal(found, change(copied))


def test_bad_arguments():
    """Nothing of the package passes such arguments; a mistake in it must not read beyond an image."""
    x, out = image((4, 5, 3)), np.empty((4, 5, 3), np.uint8)
    places, weights = np.zeros((4, 2), np.int64), np.zeros((4, 2), np.int64)
    across = np.zeros((5, 2), np.int64), np.zeros((5, 2), np.int64)
    images.resize(x, places, weights, *(across + (out,)))
    beyond, large = places.copy(), weights.copy()
    beyond[3, 1], large[0, 0] = 4, 5000
    bad = [(images.resize, (x, beyond, weights) + across + (out,)), (images.resize, (x, places - 1, weights) + across + (out,)),
           (images.resize, (x, places, large) + across + (out,)), (images.resize, (x, places[:3], weights) + across + (out,)),
           (images.resize, (x, places, weights) + across + (out[:3],)), (images.resize, (x[::2], places, weights) + across + (out,)),
           (images.resize, (x,)), (images.resize, (x, places, weights) + across + (out.astype(np.int8),)),
           (images.smooth, (x, np.zeros(4, np.int64), np.zeros(2), np.zeros(5, np.int64), np.zeros(1), out)),
           (images.smooth, (x, np.zeros(4, np.int64), np.zeros(0), np.zeros(5, np.int64), np.zeros(1), out)),
           (images.sample, (x, places, across[0], True, np.zeros(3, np.uint8), out)),
           (images.sample, (x, places, places, True, np.zeros(2, np.uint8), np.empty((4, 2, 3), np.uint8))),
           (images.look_up, (x, np.zeros((2, 256), np.uint8), out, False)), (images.look_up, (x, np.zeros((1, 255), np.uint8), out, False)),
           (images.look_up, (x, np.zeros((1, 256), np.float32), out, False)), (images.look_up, (x, None, out, True)),
           (images.gray, (x, out)), (images.gray, (x[:, :, :2].copy(), out[:, :, :1].copy())), (images.mirror, (x, out[:, :4].copy())),
           (images.saturate, (x, float("nan"), out)), (images.turn_hue, (x, 1e9, out)), (images.turn_hue, (x, "a", out)),
           (images.saturate, (x, 1.0, memoryview(bytes(60)).cast("B", (4, 5, 3))))]
    for function, arguments in bad:
        with pytest.raises((TypeError, ValueError, BufferError)):
            function(*arguments)
    frozen = out.copy()
    frozen.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        images.mirror(x, frozen)
