"""Similarity of two images: PSNR, SSIM and multi-scale SSIM."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_number
from ..common.tensor import Tensor, check_tensor
from .cell import Cell


def _positive(where, what, value, types=(int, float)):
    if not check_number(value, where, what, types) > 0:
        raise ValueError("[%s] %s, got %s, expected above 0" % (where, what, value))
    return value


def _pair(where, first, second, least=1):
    """Checks two (N, C, H, W) images of at least `least` rows and columns; uint8 ones become floats in [0, 1]."""
    if check_tensor(first, where).ndim != 4 or check_tensor(second, where).shape != first.shape:
        raise ValueError("[%s] shapes of the images, got %s and %s, expected the same with 4 axes" % (where, first.shape, second.shape))
    if first.dtype != second.dtype:
        raise TypeError("[%s] dtypes of the images, got %s and %s, expected the same" % (where, first.dtype, second.dtype))
    if min(first.shape[2:]) < least:
        raise ValueError("[%s] rows and columns of the images, got %s, expected %d at least" % (where, first.shape[2:], least))
    if first.dtype == mstype.uint8:
        return ops.cast(first, mstype.float32) / 255, ops.cast(second, mstype.float32) / 255
    return first, second


class PSNR(Cell):
    """Peak signal-to-noise ratio, in dB, of each pair of (N, C, H, W) images: 10 log10(max_val^2 / mean squared difference), shape (N,).

    It is infinite for equal images. max_val is the greatest possible value. Raises ValueError for other shapes and for a max_val that is not
    positive, TypeError for one that is no number.
    """

    def __init__(self, max_val=1.0):
        super().__init__()
        self.max_val = _positive("psnr", "max_val", max_val)

    def construct(self, img1, img2):
        first, second = _pair("psnr", img1, img2)
        error = ops.mean(ops.square(first - second), (1, 2, 3))
        return 10 * ops.log(self.max_val * self.max_val / error) / math.log(10)


class SSIM(Cell):
    """Structural similarity of each pair of (N, C, H, W) images, shape (N,) (Wang et al. 2004). Means and variances are under a Gaussian window.

    The window has filter_size rows and columns and the deviation filter_sigma; k1 and k2 times max_val are the constants of the formula. Raises
    ValueError for images smaller than the window or of two shapes and for numbers out of range, TypeError for constants of another type.
    """

    def __init__(self, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
        super().__init__()
        where = self._where = type(self).__name__.lower()
        self.max_val = _positive(where, "max_val", max_val)
        self.filter_size = _positive(where, "filter_size", filter_size, int)
        self.filter_sigma = _positive(where, "filter_sigma", filter_sigma, float)
        self.k1, self.k2 = _positive(where, "k1", k1, float), _positive(where, "k2", k2, float)
        self.c1, self.c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
        self._window = _gaussian(filter_size, filter_sigma)

    def construct(self, img1, img2):
        first, second = _pair(self._where, img1, img2, self.filter_size)
        return ops.mean(self._parts(first, second)[0], 1)

    def _parts(self, first, second):
        """Returns (similarity, its contrast factor) of each image and channel, (N, C)."""
        n, channels, rows, columns = first.shape
        flat = [ops.reshape(x, (n * channels, 1, rows, columns)) for x in (first, second)]
        mean1, mean2 = self._blurred(flat[0]), self._blurred(flat[1])
        light = (2 * mean1 * mean2 + self.c1) / (ops.square(mean1) + ops.square(mean2) + self.c1)
        product = self._blurred(flat[0] * flat[1])
        squares = self._blurred(ops.square(flat[0]) + ops.square(flat[1]))
        contrast = (2 * (product - mean1 * mean2) + self.c2) / (squares - ops.square(mean1) - ops.square(mean2) + self.c2)
        return [ops.reshape(ops.mean(x, (1, 2, 3)), (n, channels)) for x in (light * contrast, contrast)]

    def _blurred(self, x):
        window = ops.cast(self._window, x.dtype)
        across = ops.conv2d(x, ops.reshape(window, (1, 1, 1, -1)))
        return ops.conv2d(across, ops.reshape(window, (1, 1, -1, 1)))


def _gaussian(size, sigma):
    weights = [math.exp(-0.5 * ((i - (size - 1) / 2) / sigma) ** 2) for i in range(size)]
    return Tensor([w / sum(weights) for w in weights], mstype.float32)


class MSSSIM(SSIM):
    """Structural similarity over several scales, each half as large as the one before.

    It is the product of the contrasts at all scales but the last and of the similarity at the last one, each to its power
    in power_factors. Raises ValueError if an image is too small for that many scales.
    """

    def __init__(self, max_val=1.0, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11, filter_sigma=1.5,
                 k1=0.01, k2=0.03):
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        if not isinstance(power_factors, (tuple, list)) or not power_factors:
            raise TypeError("[msssim] power_factors, got %r, expected a tuple of floats" % (power_factors,))
        self.power_factors = tuple(_positive("msssim", "power_factors", p, float) for p in power_factors)
        self.level = len(self.power_factors)

    def construct(self, img1, img2):
        first, second = _pair(self._where, img1, img2, self.filter_size << (self.level - 1))
        found = 1
        for i, power in enumerate(self.power_factors):
            if i:
                first, second = [ops.avg_pool2d(x, 2, 2) for x in (first, second)]
            whole, contrast = self._parts(first, second)
            found = found * ops.relu(whole if i == self.level - 1 else contrast) ** power
        return ops.mean(found, 1)
