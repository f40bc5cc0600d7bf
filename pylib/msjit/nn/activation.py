"""Activation functions as Cells."""
from .. import ops
from ..common import dtype as mstype
from ..common.initializer import initializer
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from .cell import Cell

__all__ = """Softmin Softmax Softmax2d LogSoftmax LogSoftmaxExt ReLU ReLU6 RReLU SeLU SiLU Tanh Tanhshrink Hardtanh GELU FastGelu Sigmoid Softsign
    PReLU PReLUExt get_activation LeakyReLU HSigmoid HSwish ELU LogSigmoid LRN SoftShrink HShrink CELU Threshold Mish GLU""".split()


def number(value, where, what):
    """Returns an int or a float as a float; raises TypeError for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("[%s] %s must be a float, got %s" % (where, what, type(value).__name__))
    return float(value)


class ReLU(Cell):
    """ReLU activation: max(x, 0).

    Element by element; shape and dtype are those of x, and booleans give int32. Raises TypeError for anything but a Tensor.

    >>> import msjit as ms
    >>> ms.nn.ReLU()(ms.Tensor([-1.0, 2.0])).asnumpy().tolist()
    [0.0, 2.0]
    """

    def construct(self, input):
        return ops.relu(input)


class ReLU6(Cell):
    """ReLU6 activation, element by element: min(max(x, 0), 6). Shape and dtype are those of x; TypeError for anything but a Tensor."""

    def construct(self, x):
        return ops.relu6(x)


class LeakyReLU(Cell):
    """Leaky ReLU activation, element by element: x where x > 0, else alpha * x.

    Floats keep their dtype, integers give float32. Raises TypeError for an alpha that is no number and for anything but a Tensor.

    >>> import msjit as ms
    >>> ms.nn.LeakyReLU(0.5)(ms.Tensor([-1.0, 2.0])).asnumpy().tolist()
    [-0.5, 2.0]
    """

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = number(alpha, "leaky_relu", "alpha")

    def construct(self, x):
        return ops.leaky_relu(x, self.alpha)


class PReLU(Cell):
    """Leaky ReLU with a learnt slope for negative x: one for all, or one for each of `channel` channels (axis 1) (He et al. 2015).

    The slopes are the Parameter w, (channel,), which starts at the argument w. The result has the shape of x. Raises ValueError for another
    number of channels, TypeError for anything but a Tensor.
    """

    def __init__(self, channel=1, w=0.25):
        super().__init__()
        self.w = Parameter(initializer(w, [channel]), name="a")
        self.channel = channel

    def construct(self, x):
        return ops.prelu(x, self.w if check_tensor(x, "prelu").dtype == mstype.float32 else ops.cast(self.w, x.dtype))


class ELU(Cell):
    """ELU activation, element by element: x where x > 0, else alpha * (exp(x) - 1) (Clevert et al. 2015). The result has the shape of x.

    Raises TypeError for an alpha that is neither an int nor a float.
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = number(alpha, "elu", "alpha")
        self.elu = ops.Elu(self.alpha)

    def construct(self, x):
        return ops.elu(x, self.alpha)


class GELU(Cell):
    """GELU activation, element by element: x times the normal distribution function of x (Hendrycks and Gimpel 2016).

    By default, as in MindSpore, it is the approximation 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))); approximate=False computes
    it exactly. Raises TypeError for an `approximate` that is no bool.
    """

    def __init__(self, approximate=True):
        super().__init__()
        if not isinstance(approximate, bool):
            raise TypeError("[gelu] approximate must be a bool, got %s" % type(approximate).__name__)
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x):
        return ops.gelu(x, approximate=self.approximate)


class Sigmoid(Cell):
    """Sigmoid activation, element by element: 1 / (1 + exp(-x)). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """

    def construct(self, x):
        return ops.sigmoid(x)


class Tanh(Cell):
    """Hyperbolic tangent activation, element by element: (exp(x) - exp(-x)) / (exp(x) + exp(-x)). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """

    def construct(self, x):
        return ops.tanh(x)


class SiLU(Cell):
    """SiLU (swish) activation, element by element: x * sigmoid(x) (Elfwing et al. 2017). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """

    def construct(self, x):
        return ops.silu(x)


class HSigmoid(Cell):
    """Piecewise linear sigmoid, element by element: relu6(x + 3) / 6. The result has the shape of x; TypeError for anything but a Tensor."""

    def construct(self, input):
        return ops.hardsigmoid(input)


class HSwish(Cell):
    """Hard swish activation, element by element: x * relu6(x + 3) / 6 (Howard et al. 2019). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """

    def construct(self, input):
        return ops.hardswish(input)


class Softplus(Cell):
    """Softplus activation, element by element: log(1 + exp(x)), without overflow. The result has the shape of x; integers give float32.

    Raises TypeError for anything but a Tensor.
    """

    def construct(self, x):
        return ops.softplus(x)


class Softsign(Cell):
    """Softsign activation, element by element: x / (1 + |x|). The result has the shape of x; integers give float32.

    Raises TypeError for anything but a Tensor.
    """

    def construct(self, x):
        return ops.softsign(x)


class Mish(Cell):
    """Mish activation, element by element: x * tanh(softplus(x)) (Misra 2019).

    The result has the shape of x; integers give float32. Raises TypeError for anything but a Tensor.
    """

    def construct(self, input_x):
        return ops.mish(input_x)


class LogSigmoid(Cell):
    """Logarithm of the sigmoid, element by element: log(1 / (1 + exp(-x))). The result has the shape of x; integers give float32."""

    def construct(self, input_x):
        return ops.logsigmoid(input_x)


class Tanhshrink(Cell):
    """Tanh shrink activation, element by element: x - tanh(x). The result has the shape of x; integers give float32."""

    def construct(self, x):
        return ops.tanhshrink(x)


class CELU(Cell):
    """CELU activation, element by element: x where x > 0, else alpha * (exp(x / alpha) - 1) (Barron 2017). The result has the shape of x.

    Raises TypeError for an alpha that is neither an int nor a float; ValueError, in the call, for one that is 0.
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = number(alpha, "celu", "alpha")
        self.celu = ops.CeLU(self.alpha)

    def construct(self, x):
        return ops.celu(x, self.alpha)


class HShrink(Cell):
    """Hard shrink activation, element by element: x where |x| > lambd, else 0. Shape and dtype are those of x.

    Raises TypeError for a lambd that is neither an int nor a float.
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = number(lambd, "hshrink", "lambd")
        self.hshrink = ops.HShrink(self.lambd)

    def construct(self, input):
        return ops.hardshrink(input, self.lambd)


class SoftShrink(Cell):
    """Soft shrink activation, element by element: moves x towards 0 by lambd; elements with |x| <= lambd become 0.

    The result has the shape of x. Raises TypeError for a lambd that is neither an int nor a float; ValueError, in the call, for one below 0.
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = number(lambd, "softshrink", "lambd")
        self.softshrink = ops.SoftShrink(self.lambd)

    def construct(self, input):
        return ops.softshrink(input, self.lambd)


class Hardtanh(Cell):
    """Limits x to [min_val, max_val], element by element. The result has the shape of x; TypeError for limits that are neither ints nor floats."""

    def __init__(self, min_val=-1.0, max_val=1.0):
        super().__init__()
        self.min_val, self.max_val = number(min_val, "hardtanh", "min_val"), number(max_val, "hardtanh", "max_val")

    def construct(self, x):
        return ops.hardtanh(x, self.min_val, self.max_val)


class Softmax(Cell):
    """Softmax activation: exp(x) / sum(exp(x)), the sum over an axis. The result has the shape of x.

    Raises TypeError for an axis that is no int, ValueError for one that x does not have.

    >>> import msjit as ms
    >>> ms.nn.Softmax()(ms.Tensor([[0.0, 0.0]])).asnumpy().tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis
        self.softmax = ops.Softmax(axis)

    def construct(self, input):
        return ops.softmax(input, self.axis)


class LogSoftmax(Cell):
    """Logarithm of the softmax, x - log(sum(exp(x))), the sum over an axis; without overflow. Shape and dtype are those of x.

    Raises, in the call, TypeError for an axis that is no int and for integer elements, ValueError for an axis that x does not have.
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis
        self.log_softmax = ops.LogSoftmax(axis)

    def construct(self, x):
        return ops.log_softmax(x, self.axis)


class FastGelu(Cell):
    """Approximate GELU activation, element by element: x * sigmoid(1.702 x) (Hendrycks and Gimpel 2016). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for anything but a Tensor.
    """

    def construct(self, x):
        return ops.fast_gelu(x)


class SeLU(Cell):
    """SELU activation, element by element: 1.0507 * x where x > 0, else 1.0507 * 1.6733 * (exp(x) - 1) (Klambauer et al. 2017).

    The result has the shape of x; integers give float32. Raises TypeError for anything but a Tensor.
    """

    def construct(self, input_x):
        return ops.selu(input_x)


class GLU(Cell):
    """Gated linear unit: the first half along an axis times the sigmoid of the second half (Dauphin et al. 2016).

    The axis of the result is half as long. Raises TypeError for an axis that is no int, ValueError for an odd size.
    """

    def __init__(self, axis=-1):
        super().__init__()
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError("[glu] axis must be an int, got %s" % type(axis).__name__)
        self.axis = axis
        self.dim, self.spilt = axis, ops.Split(axis, 2)  # sic: MindSpore misspells it

    def construct(self, x):
        return ops.glu(x, self.axis)


class Threshold(Cell):
    """Returns x where x > threshold, else value, element by element. Shape and dtype are those of x; TypeError for arguments that are no numbers."""

    def __init__(self, threshold, value):
        super().__init__()
        number(threshold, "threshold", "threshold"), number(value, "threshold", "value")
        self.threshold, self.value = threshold, value

    def construct(self, input_x):
        return ops.threshold(input_x, self.threshold, self.value)


class RReLU(Cell):
    """Randomized leaky ReLU: x where x > 0, else x times a slope that is drawn from [lower, upper) for each element (Xu et al. 2015).

    It draws in prediction too. Raises TypeError for limits that are no numbers, ValueError for a lower above upper.
    """

    def __init__(self, lower=1 / 8, upper=1 / 3):
        super().__init__()
        if number(lower, "rrelu", "lower") > number(upper, "rrelu", "upper"):
            raise ValueError("[rrelu] lower must not be above upper, got %s and %s" % (lower, upper))
        self.lower, self.upper = lower, upper

    def construct(self, x):
        return ops.rrelu(x, self.lower, self.upper)


class Softmin(Cell):
    """Softmin activation: exp(-x) / sum(exp(-x)), the sum over an axis. The result has the shape of x.

    Raises, in the call, TypeError for an axis that is no int, ValueError for one that x does not have.
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return ops.softmin(x, self.axis)


class Softmax2d(Cell):
    """Softmax over the channels of (C, H, W) or (N, C, H, W) inputs. Shape and dtype are those of x; ValueError for another rank."""

    def construct(self, x):
        if check_tensor(x, "softmax2d").ndim not in (3, 4):
            raise ValueError("[softmax2d] rank of the input, got %d, expected 3 or 4" % x.ndim)
        return ops.softmax(x, -3)


_BY_NAME = {
    "relu": ReLU, "relu6": ReLU6, "leakyrelu": LeakyReLU, "prelu": PReLU, "elu": ELU, "gelu": GELU, "sigmoid": Sigmoid,
    "tanh": Tanh, "tanhshrink": Tanhshrink, "silu": SiLU, "swish": SiLU, "hsigmoid": HSigmoid, "hswish": HSwish,
    "softplus": Softplus, "softsign": Softsign, "softmax": Softmax, "logsoftmax": LogSoftmax, "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink, "hshrink": HShrink, "hardtanh": Hardtanh, "mish": Mish,
    "fast_gelu": FastGelu, "rrelu": RReLU, "softmin": Softmin, "softmax2d": Softmax2d, "threshold": Threshold,
}


_activation = _BY_NAME  # MindSpore's name


def get_activation(name, prim_name=None):
    """Returns a Cell for the name of an activation; Cells, functions and None are returned unchanged.

    prim_name is ignored. Raises KeyError for an unknown name.
    """
    if name is None or callable(name):
        return name
    if not isinstance(name, str):
        raise TypeError("[activation] expected a name or a Cell, got %s" % type(name).__name__)
    if name not in _BY_NAME:
        raise KeyError("[activation] unknown name %r, expected one of %s" % (name, ", ".join(sorted(_BY_NAME))))
    return _BY_NAME[name]()
