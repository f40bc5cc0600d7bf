"""Functions of mint.nn.functional whose arguments differ from those of ops."""
from .. import ops as _ops
from ..common.tensor import check_tensor as _check_tensor


def _axis(x, dim):
    """The axis of softmax; where none is given, as in PyTorch."""
    if dim is not None:
        return dim
    _check_tensor(x, "softmax")
    return 0 if x.ndim in (0, 1, 3) else 1


def softmax(input, dim=None, dtype=None):
    """exp(x) / sum(exp(x)) over an axis; None: 0 for 0, 1 or 3 axes, else 1."""
    return _ops.softmax(input, _axis(input, dim), dtype=dtype)


def log_softmax(input, dim=None, dtype=None):
    """log(softmax(x)); the axis as in softmax."""
    return _ops.log_softmax(input if dtype is None else _ops.cast(input, dtype), _axis(input, dim))


def glu(input, dim=-1):
    """The first half along an axis times the sigmoid of the second half."""
    return _ops.glu(input, dim)


def hardshrink(input, lambd=0.5):
    """x where |x| > lambd, else 0"""
    return _ops.hardshrink(input, lambd)


def hardswish(input):
    """x relu6(x + 3) / 6"""
    return _ops.hardswish(input)


def flatten(input, start_dim=0, end_dim=-1):
    """Joins axes, all by default."""
    return _ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def l1_loss(input, target, reduction="mean"):
    """|input - target|"""
    return _ops.l1_loss(input, target, reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """Quadratic below beta, linear above."""
    return _ops.smooth_l1_loss(input, target, beta, reduction)


def kl_div(input, target, reduction="mean", log_target=False):
    """target (log(target) - input), where input is a logarithm; with log_target the target is one too."""
    if log_target:
        loss = _ops.exp(target) * (target - input)
    else:
        safe = _ops.where(target > 0, target, _ops.ones_like(target))
        loss = target * (_ops.log(safe) - input)
    if reduction == "batchmean":
        _check_tensor(input, "kl_div")
        return _ops.sum(loss) / input.shape[0]
    return _ops.reduce_loss(loss, reduction)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """x over its p-norm along an axis, at least eps."""
    return input / _ops.clamp(_ops.norm(input, float(p), dim, True), eps, None)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Normalises channels by batch statistics, moving the running ones by `momentum`, or (not training) by those."""
    _check_tensor(input, "batch_norm")
    channels = (input.shape[1],)
    weight = _ops.ones(channels, input.dtype) if weight is None else weight
    bias = _ops.zeros(channels, input.dtype) if bias is None else bias
    return _ops.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
