"""Activation functions and dropout, under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_number as _number
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import check_tensor as _check_tensor
from ..context import FLOAT_DTYPES as _FLOATS
from . import registry as _k
from .argument_kinds import check_factor as _factor
from .math_func import clamp as _clamp
from .random_func import draw_uniform as _draw_uniform


def prelu(input, weight):
    """Returns x where x > 0, else weight x, element by element (He et al. 2015). The result has the shape and dtype of input.

    weight is a Tensor with one number, or one for each channel (axis 1). Raises ValueError for another number of them, TypeError for anything but
    Tensors.
    """
    _check_tensor(weight, "prelu")
    if _check_tensor(input, "prelu").ndim == 0:
        weight = weight.reshape(())
    elif weight.size > 1 and input.ndim > 2:
        weight = weight.reshape((-1,) + (1,) * (input.ndim - 2))
    try:
        return _k.cast(_k.where(_k.greater(input, 0), input, weight * input), input.dtype)
    except _ERRORS as error:
        _rename(error, "prelu")
        raise


def selu(input_x):
    """SELU activation, element by element: 1.0507 x where x > 0, else 1.0507 * 1.6733 (exp(x) - 1) (Klambauer et al. 2017, self-normalizing
    networks).

    The result has the shape of input_x. Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return 1.0507009873554805 * _k.elu(_check_tensor(input_x, "selu"), 1.6732632423543772)


def celu(x, alpha=1.0):
    """CELU activation, element by element: x where x > 0, else alpha (exp(x / alpha) - 1) (Barron 2017). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises ValueError for an alpha of 0, TypeError for an input that is no Tensor
    and for an alpha that is no number.
    """
    _check_tensor(x, "celu")
    if _factor(alpha, "celu", "alpha") == 0:
        raise ValueError("[celu] alpha must not be 0")
    return _k.maximum(x, 0) + alpha * _k.expm1(_k.minimum(x, 0) / alpha)


def softshrink(input, lambd=0.5):
    """Moves x towards 0 by lambd, element by element: x - lambd above lambd, x + lambd below -lambd, else 0. The result has the shape of input.

    Floats keep their dtype, integers give float32. Raises ValueError for a negative lambd, TypeError for one that is no number and for an input that
    is no Tensor.
    """
    _check_tensor(input, "softshrink")
    if _number(lambd, "softshrink", "lambd") < 0:
        raise ValueError("[softshrink] lambd must not be negative, got %s" % (lambd,))
    return input - _clamp(input, -lambd, lambd)


def tanhshrink(input):
    """Computes x - tanh(x), element by element. The result has the shape of input. Floats keep their dtype, integers give float32.

    Raises TypeError for an input that is no Tensor.
    """
    return input - _k.tanh(_check_tensor(input, "tanhshrink"))


def glu(x, axis=-1):
    """Gated linear unit: the first half along an axis times the sigmoid of the second half (Dauphin et al. 2016).

    The axis of the result is half as long. Raises ValueError for an odd size.
    """
    axis = _check_axis(axis, _check_tensor(x, "glu").ndim, "glu")
    if x.shape[axis] % 2:
        raise ValueError("[glu] size of the axis must be even, got %d" % x.shape[axis])
    first, second = _k.split(x, [x.shape[axis] // 2] * 2, axis)
    return first * _k.sigmoid(second)


def gelu(input, approximate="none"):
    """GELU activation, element by element: x times the normal distribution function of x (Hendrycks and Gimpel 2016).

    approximate='tanh' computes 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) instead. Raises ValueError for another word.
    """
    if approximate == "none":
        return _k.gelu(input)
    if approximate != "tanh":
        raise ValueError("[gelu] approximate, got %r, expected 'none' or 'tanh'" % (approximate,))
    try:
        return _k.gelu_tanh(input)
    except _ERRORS as error:
        _rename(error, "gelu")
        raise


def leaky_relu(input, alpha=0.2):
    """Leaky ReLU: x where x > 0, else alpha * x, element by element (Maas et al. 2013). The result has the shape of x.

    alpha is a number. Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return _k.leaky_relu(input, alpha)


def elu(input_x, alpha=1.0):
    """ELU activation, element by element: x where x > 0, else alpha * (exp(x) - 1) (Clevert et al. 2015). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return _k.elu(input_x, alpha)


def relu6(x):
    """Limits x to [0, 6], element by element: min(max(x, 0), 6). Shape and dtype are those of x.

    Raises TypeError for an input that is no Tensor.
    """
    return _k.relu6(x)


def silu(input):
    """SiLU (swish) activation, element by element: x * sigmoid(x) = x / (1 + exp(-x)) (Elfwing et al. 2017). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return _k.silu(input)


def softplus(input, beta=1, threshold=20):
    """Computes log(1 + exp(beta * x)) / beta, without overflow.

    Elements with beta * x above the threshold are returned as they are. Raises TypeError for an input that is no Tensor, and for a beta or threshold
    that is no number.
    """
    if beta == 1 and isinstance(threshold, (int, float)) and threshold >= 20:  # above 17 the result is x in float32 anyway
        return _k.softplus(input)
    scaled = _check_tensor(input, "softplus") * _factor(beta, "softplus", "beta")
    _factor(threshold, "softplus", "threshold")
    return _k.where(_k.greater(scaled, threshold), input, _k.softplus(scaled) / beta)


swish = silu


def mish(x):
    """Mish activation, element by element: x * tanh(log(1 + exp(x))) (Misra 2019). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return x * _k.tanh(_k.softplus(_check_tensor(x, "mish")))


def hardswish(input):
    """Hard swish, element by element: x * relu6(x + 3) / 6 (Howard et al. 2019). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return _check_tensor(input, "hardswish") * (_clamp(input + 3, 0, 6) / 6)  # the product before the division may overflow in 16 bits


def hardsigmoid(input):
    """Hard sigmoid, element by element: relu6(x + 3) / 6. The result has the shape of x; its gradient is 0 where it is 0 or 1.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    raised = _check_tensor(input, "hardsigmoid") + 3
    raised = _k.where(_k.less_equal(raised, 0), 0, raised)
    return _k.where(_k.greater_equal(raised, 6), 6, raised) / 6


def hardshrink(input, lambd=0.5):
    """Hard shrink, element by element: x where |x| > lambd, else 0. Shape and dtype are those of x.

    lambd is a number, 0.5 by default. Raises TypeError for an input that is no Tensor.
    """
    return _k.where(_k.greater(_k.abs(_check_tensor(input, "hardshrink")), lambd), input, _k.zeros_like(input))


def softsign(x):
    """Softsign, element by element: x / (1 + |x|), a number in (-1, 1). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return x / (1 + _k.abs(_check_tensor(x, "softsign")))


def logsigmoid(x):
    """Computes log(sigmoid(x)) = -log(1 + exp(-x)), element by element, without overflow. The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return -_k.softplus(-_check_tensor(x, "logsigmoid"))


def softmax(input, axis=-1, *, dtype=None):
    """Computes exp(x) / sum(exp(x)), the sum over an axis, without overflow; the result has the shape of x.

    dtype converts the input first. Raises TypeError for integers, ValueError for an axis that the input does not have.

    >>> import msjit as ms
    >>> ms.ops.softmax(ms.Tensor([1000.0, 1000.0])).asnumpy().tolist()
    [0.5, 0.5]
    """
    if dtype is not None:
        input = _k.cast(input, dtype)
    return _k.softmax(input, axis)


def log_softmax(logits, axis=-1):
    """Computes log(softmax(x)) = x - log(sum(exp(x))), the sum over an axis, without overflow. Shape and dtype are those of the logits.

    Raises TypeError for integers and for an input that is no Tensor, ValueError for an axis that the input does not have.
    """
    return _k.log_softmax(logits, axis)


def dropout(input, p=0.5, training=True, seed=None):
    """Sets each element to 0 with probability p and scales the others by 1 / (1 - p); without training it returns the input.

    The input is a tensor of floats, TypeError for another one. The numbers come from the generator that set_seed sets, or from `seed`.
    """
    if not training or p == 0:
        return input
    if _check_tensor(input, "dropout").dtype not in _FLOATS:
        raise TypeError("[dropout] dtype of input, got %s, expected a float" % (input.dtype,))
    if seed is None:
        return _k.dropout(input, p)
    kept = _k.greater_equal(_draw_uniform(input.shape, _mstype.float32, seed), p)
    return _k.where(kept, input * (1 / (1 - p) if p < 1 else 0), _k.zeros_like(input))


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """Limits elements to [min_val, max_val]: min(max(x, min_val), max_val). The result has the shape of x.

    Integers become float32 if a limit is a float. A min_val above max_val gives max_val everywhere. Raises TypeError for an input that is no Tensor.
    """
    _check_tensor(input, "hardtanh")
    return _k.minimum(_k.maximum(input, min_val), max_val)


def softmin(x, axis=-1, *, dtype=None):
    """Computes softmax(-x): exp(-x) / sum(exp(-x)), the sum over an axis, without overflow. The result has the shape of x.

    dtype converts the input first. Raises TypeError for integers, ValueError for an axis that the input does not have.
    """
    if dtype is not None:
        x = _k.cast(x, dtype)
    return _k.softmax(-_check_tensor(x, "softmin"), axis)


def threshold(input, thr, value):
    """Returns x where x > thr, else value, element by element; thr and value are numbers. Shape and dtype are those of x.

    Raises TypeError for an input that is no Tensor, and for a thr or value that is no number.
    """
    _check_tensor(input, "threshold")
    _number(thr, "threshold", "thr"), _number(value, "threshold", "value")
    return _k.where(_k.greater(input, thr), input, _k.full_like(input, value))


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3):
    """Randomized leaky ReLU: x where x > 0, else x times a slope that is drawn from [lower, upper) for each element (Xu et al. 2015).

    Shape and dtype are those of the input. The numbers come from the generator that set_seed sets. Raises TypeError for an input that is no
    Tensor and for limits that are no numbers, ValueError for a lower above upper.
    """
    _check_tensor(input, "rrelu")
    if _number(lower, "rrelu", "lower") > _number(upper, "rrelu", "upper"):
        raise ValueError("[rrelu] lower must not be above upper, got %s and %s" % (lower, upper))
    slope = lower + (upper - lower) * _draw_uniform(input.shape, _mstype.float32, None)
    return _k.where(_k.greater(input, 0), input, input * _k.cast(slope, input.dtype))


def fast_gelu(x):
    """Approximate GELU activation, element by element: x * sigmoid(1.702 x) (Hendrycks and Gimpel 2016). The result has the shape of x.

    Floats keep their dtype, integers give float32. Raises TypeError for an input that is no Tensor.
    """
    return _check_tensor(x, "fast_gelu") * _k.sigmoid(1.702 * x)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
