"""Activations as Cells."""
from .. import ops
from ..common.initializer import initializer
from ..common.parameter import Parameter
from .cell import Cell


class ReLU(Cell):
    """max(x, 0)"""

    def construct(self, x):
        return ops.relu(x)


class ReLU6(Cell):
    """min(max(x, 0), 6)"""

    def construct(self, x):
        return ops.relu6(x)


class LeakyReLU(Cell):
    """x where x > 0, else alpha x"""

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = float(alpha)

    def construct(self, x):
        return ops.leaky_relu(x, self.alpha)


class PReLU(Cell):
    """LeakyReLU with a learnt slope a channel."""

    def __init__(self, channel=1, w=0.25):
        super().__init__()
        self.w = Parameter(initializer(w, [channel]), name="a")
        self.channel = channel

    def construct(self, x):
        slope = self.w
        if self.channel > 1 and x.ndim > 2:
            slope = slope.reshape((self.channel,) + (1,) * (x.ndim - 2))
        return ops.maximum(x, 0) + slope * ops.minimum(x, 0)


class ELU(Cell):
    """x where x > 0, else alpha (exp(x) - 1)"""

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = float(alpha)

    def construct(self, x):
        return ops.elu(x, self.alpha)


class GELU(Cell):
    """x times the normal distribution function; the tanh form by default, as in MindSpore."""

    def __init__(self, approximate=True):
        super().__init__()
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x):
        return ops.gelu(x, approximate=self.approximate)


class Sigmoid(Cell):
    """1 / (1 + exp(-x))"""

    def construct(self, x):
        return ops.sigmoid(x)


class Tanh(Cell):
    """Hyperbolic tangent."""

    def construct(self, x):
        return ops.tanh(x)


class SiLU(Cell):
    """x sigmoid(x)"""

    def construct(self, x):
        return ops.silu(x)


class HSigmoid(Cell):
    """relu6(x + 3) / 6"""

    def construct(self, x):
        return ops.relu6(x + 3) / 6


class HSwish(Cell):
    """x relu6(x + 3) / 6"""

    def construct(self, x):
        return x * ops.relu6(x + 3) / 6


class Softplus(Cell):
    """log(1 + exp(x))"""

    def construct(self, x):
        return ops.softplus(x)


class Softmax(Cell):
    """exp(x) / sum(exp(x)) over an axis."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return ops.softmax(x, self.axis)


class LogSoftmax(Cell):
    """log(softmax(x)) over an axis."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return ops.log_softmax(x, self.axis)


_BY_NAME = {
    "relu": ReLU, "relu6": ReLU6, "leakyrelu": LeakyReLU, "prelu": PReLU, "elu": ELU, "gelu": GELU,
    "fast_gelu": GELU, "sigmoid": Sigmoid, "tanh": Tanh, "silu": SiLU, "swish": SiLU, "hsigmoid": HSigmoid,
    "hswish": HSwish, "softplus": Softplus, "softmax": Softmax, "logsoftmax": LogSoftmax,
}


def get_activation(name):
    """A Cell for a name; Cells, functions and None come back as they are."""
    if name is None or callable(name):
        return name
    if not isinstance(name, str):
        raise TypeError("[activation] expected a name or a Cell, got %s" % type(name).__name__)
    if not name:
        return None
    if name not in _BY_NAME:
        raise KeyError("[activation] unknown name %r, expected one of %s" % (name, ", ".join(sorted(_BY_NAME))))
    return _BY_NAME[name]()
