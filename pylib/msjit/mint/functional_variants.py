"""Functions of mint.nn.functional whose arguments mean something else than those of ops."""
from .. import ops as _ops
from ..common.checks import check_operand as _check_operand
from ..common.checks import check_real as _check_real
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import check_tensor as _check_tensor


def _axis(where, x, dim):
    """The axis of softmax; without one, the axis that PyTorch implies."""
    if dim is not None:
        return dim
    _check_tensor(x, where)
    return 0 if x.ndim in (0, 1, 3) else 1


def softmax(input, dim=None, dtype=None):
    """Computes exp(x) / sum(exp(x)) over an axis, without overflow; dim None means 0 for 0, 1 or 3 axes, else 1. dtype casts the input first.

    Raises TypeError for integers without dtype and for anything but a Tensor, ValueError for an axis that the input does not have.
    """
    return _ops.softmax(input, _axis("softmax", input, dim), dtype=dtype)


def log_softmax(input, dim=None, dtype=None):
    """Computes x - log(sum(exp(x))) over an axis, without overflow; dim None means 0 for 0, 1 or 3 axes, else 1. dtype casts the input first.

    Raises TypeError for integers without dtype and for anything but a Tensor, ValueError for an axis that the input does not have.
    """
    return _ops.log_softmax(input if dtype is None else _ops.cast(input, dtype), _axis("log_softmax", input, dim))


def glu(input, dim=-1):
    """Gated linear unit: the first half along an axis times the sigmoid of the second half (Dauphin et al. 2016).

    The axis of the result is half as long. Raises ValueError for an odd size and for an axis that the input does not have.
    """
    return _ops.glu(input, dim)


def hardshrink(input, lambd=0.5):
    """Hard shrink, element by element: x where |x| > lambd, else 0. Shape and dtype are those of the input.

    Raises TypeError for anything but a Tensor.
    """
    return _ops.hardshrink(input, lambd)


def hardswish(input):
    """Hard swish, element by element: x * relu6(x + 3) / 6 (Howard et al. 2019). Integers give float32.

    Raises TypeError for anything but a Tensor.
    """
    return _ops.hardswish(input)


def flatten(input, start_dim=0, end_dim=-1):
    """Joins the axes from start_dim to end_dim into one, by default all. Results and errors are those of mint.flatten."""
    return _ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def l1_loss(input, target, reduction="mean"):
    """Absolute error |input - target|, element by element, with broadcasting; reduction is 'mean' (by default), 'sum' or 'none'.

    Raises ValueError for shapes that do not broadcast and another reduction, TypeError for anything but Tensors.
    """
    return _ops.l1_loss(input, target, reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """Smooth L1 loss of d = |input - target|: 0.5 * d^2 / beta where d < beta, else d - 0.5 * beta (Girshick 2015).

    reduction is 'mean', 'sum' or 'none'. Raises ValueError for different shapes, a beta that is not positive and another reduction,
    TypeError for anything but Tensors.
    """
    return _ops.smooth_l1_loss(input, target, beta, reduction)


def kl_div(input, target, reduction="mean", log_target=False):
    """Kullback-Leibler divergence target * (log(target) - input), where input is a log probability.

    With log_target, target is a log probability too. reduction 'batchmean' divides the sum by the size of axis 0. Raises ValueError for shapes
    that do not broadcast and for another reduction.
    """
    _check_operand(input, "kl_div", "input"), _check_tensor(target, "kl_div", "target")
    try:
        if log_target:
            loss = _ops.exp(target) * (target - input)
        else:
            safe = _ops.where(target > 0, target, _ops.ones_like(target))
            loss = target * (_ops.log(safe) - input)
    except _ERRORS as error:
        _rename(error, "kl_div")
        raise
    if reduction == "batchmean":
        _check_tensor(input, "kl_div")
        return _ops.sum(loss) / input.shape[0]
    return _ops.reduce_loss(loss, reduction, "kl_div")


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """Divides x by its p-norm (sum of |x|^p)^(1 / p) along an axis, or by eps if that is greater. Integers give float32.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    p = _check_real(p, "normalize", "p")
    try:
        size = _ops.norm(input, p, dim, True)
    except _ERRORS as error:
        _rename(error, "normalize")
        raise
    return input / _ops.clamp(size, eps, None)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Normalises each channel (axis 1), then scales by weight and adds bias.

    With training it uses the mean and variance of the batch, and moves running_mean and running_var towards them by the
    share `momentum`, unless they are None. Otherwise it uses running_mean and running_var. Raises ValueError where these are
    None without training.
    """
    if _check_tensor(input, "batch_norm").ndim < 2:
        raise ValueError("[batch_norm] rank of the input, got %d, expected 2 or more" % input.ndim)
    channels = (input.shape[1],)
    weight = _ops.ones(channels, input.dtype) if weight is None else weight
    bias = _ops.zeros(channels, input.dtype) if bias is None else bias
    return _ops.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
