"""Activations as Cells that activation.py does not hold."""
from .. import ops
from .activation import _BY_NAME, number
from .cell import Cell


class FastGelu(Cell):
    """x sigmoid(1.702 x)"""

    def construct(self, x):
        return ops.fast_gelu(x)


class SeLU(Cell):
    """scale (x where x > 0, else alpha (exp(x) - 1)), with the constants of self-normalising networks."""

    def construct(self, input_x):
        return ops.selu(input_x)


class GLU(Cell):
    """The first half along an axis times the sigmoid of the second half."""

    def __init__(self, axis=-1):
        super().__init__()
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError("[glu] axis must be an int, got %s" % type(axis).__name__)
        self.axis = axis

    def construct(self, x):
        return ops.glu(x, self.axis)


class Threshold(Cell):
    """x where x > threshold, else value"""

    def __init__(self, threshold, value):
        super().__init__()
        number(threshold, "threshold", "threshold"), number(value, "threshold", "value")
        self.threshold, self.value = threshold, value

    def construct(self, input_x):
        return ops.threshold(input_x, self.threshold, self.value)


class RReLU(Cell):
    """x where x > 0, else x times a number drawn from [lower, upper)."""

    def __init__(self, lower=1 / 8, upper=1 / 3):
        super().__init__()
        if number(lower, "rrelu", "lower") > number(upper, "rrelu", "upper"):
            raise ValueError("[rrelu] lower must not be above upper, got %s and %s" % (lower, upper))
        self.lower, self.upper = lower, upper

    def construct(self, x):
        return ops.rrelu(x, self.lower, self.upper)


class Softmin(Cell):
    """softmax(-x) over an axis."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return ops.softmin(x, self.axis)


class Softmax2d(Cell):
    """softmax over the channels of (C, H, W) or (N, C, H, W) inputs."""

    def construct(self, x):
        if x.ndim not in (3, 4):
            raise ValueError("[softmax2d] rank of the input, got %d, expected 3 or 4" % x.ndim)
        return ops.softmax(x, -3)


class LRN(Cell):
    """x / (bias + alpha s)^beta, s being the sum of the squares of the 2 depth_radius + 1 channels around (axis 1)."""

    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
        super().__init__()
        if isinstance(depth_radius, bool) or not isinstance(depth_radius, int):
            raise TypeError("[lrn] depth_radius must be an int, got %s" % type(depth_radius).__name__)
        if depth_radius < 0:
            raise ValueError("[lrn] depth_radius must not be negative, got %d" % depth_radius)
        for name, value in (("bias", bias), ("alpha", alpha), ("beta", beta)):
            if not isinstance(value, float):
                raise TypeError("[lrn] %s must be a float, got %s" % (name, type(value).__name__))
        if norm_region != "ACROSS_CHANNELS":
            raise ValueError("[lrn] norm_region, got %r, expected 'ACROSS_CHANNELS'" % (norm_region,))
        self.depth_radius, self.bias, self.alpha, self.beta = depth_radius, bias, alpha, beta

    def construct(self, input_x):
        if input_x.ndim != 4:
            raise ValueError("[lrn] rank of the input, got %d, expected 4" % input_x.ndim)
        square, channels = ops.square(input_x), input_x.shape[1]
        reach = min(self.depth_radius, channels - 1)
        padded = ops.registry.pad(square, [0, reach, 0, 0], [0, reach, 0, 0], 0)
        total = square
        for shift in range(2 * reach + 1):
            if shift != reach:
                total = total + padded[:, shift:shift + channels]
        return input_x / ops.pow(self.bias + self.alpha * total, self.beta)


_BY_NAME.update({"fast_gelu": FastGelu, "rrelu": RReLU, "softmin": Softmin, "softmax2d": Softmax2d, "threshold": Threshold})
