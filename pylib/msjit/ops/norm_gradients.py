"""Primitives for the first and second gradients of normalisations, and related ones, as rows.

Statistics are arguments, in the form that MindSpore's forward operations return (a variance, or 1 / sqrt(variance +
epsilon)). Second gradients include their dependence on x. All are computed with ordinary operators, so they can be
differentiated and compiled.
"""
from ..common import dtype as _mstype
from . import gradient_kernels as _g
from . import operations as _op
from . import registry as _k
from .gradient_kernels import _pulled
from .primitive import rows as _rows


def _scaled(dout, x, mean, rstd, gamma, axes):
    """Returns (the gradient by x of gamma (x - mean) rstd, (x - mean) rstd), where mean and rstd are statistics of x over axes."""
    centred = (x - mean) * rstd
    weighted = dout * gamma
    return rstd * (weighted - weighted.mean(axes, True) - centred * (weighted * centred).mean(axes, True)), centred


def _lines(p, x):
    """Returns (axes of the statistics, axes that gamma does not have) of a layer norm."""
    return tuple(range(p.begin_norm_axis % x.ndim, x.ndim)), tuple(range(p.begin_params_axis % x.ndim))


def _layer_norm_v3(p, x, dout, rstd, mean, gamma):
    axes, rows = _lines(p, x)
    dx, centred = _scaled(dout, x, mean, rstd, gamma, axes)
    return dx, _summed(dout * centred, rows), _summed(dout, rows)


def _summed(x, axes):
    return x.sum(axes) if axes else x


def _layer_norm_again(p, x, dout, variance, mean, gamma, d_dx, d_dg, d_db):
    """Computes the gradients of LayerNormGrad: (by x, by dout, by gamma)."""
    axes, rows = _lines(p, x)

    def gradient(x, dout, gamma):
        mean = x.mean(axes, True)
        rstd = (_k.square(x - mean).mean(axes, True) + 1e-12).rsqrt()
        dx, centred = _scaled(dout, x, mean, rstd, gamma, axes)
        return dx, _summed(dout * centred, rows), _summed(dout, rows)
    return _pulled(gradient, (x, dout, gamma), (d_dx, d_dg, d_db))


def _layer_norm_ext(p, dout, x, normalized_shape, mean, rstd, gamma, beta, output_mask=(1, 1, 1)):
    axes = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    rows = tuple(range(x.ndim - len(normalized_shape)))
    dx, centred = _scaled(dout, x, mean, rstd, gamma, axes)
    return dx, _summed(dout * centred, rows), _summed(dout, rows)


def _batch_norm_again(p, x, dout, scale, mean, variance, d_dx, d_dscale, d_dbias):
    """Computes the gradients of BatchNormGrad: (by x, by dout, by scale)."""
    axes, shape = _g._channels(x, p.data_format)

    def gradient(x, dout, scale):
        if not p.is_training:
            return _g._batch_norm(p, dout, x, scale, mean, variance, None)
        middle = x.mean(axes)
        spread = _k.square(x - middle.reshape(shape)).mean(axes)
        return _g._batch_norm(p, dout, x, scale, middle, spread, None)
    return _pulled(gradient, (x, dout, scale), (d_dx, d_dscale, d_dbias))


def _batch_norm_ext(p, dout, x, weight=None, running_mean=None, running_var=None, mean=None, rstd=None, output_mask=(1, 1, 1)):
    """Returns (dx, dweight, dbias); training uses mean and rstd, those of the batch, otherwise the running statistics."""
    axes, shape = _g._channels(x, "NCHW")
    middle, inverse = (mean, rstd) if p.training else (running_mean, (running_var + p.eps).rsqrt())
    gamma = 1.0 if weight is None else weight.reshape(shape)
    middle, inverse = middle.reshape(shape), inverse.reshape(shape)
    dx, centred = _scaled(dout, x, middle, inverse, gamma, axes)
    return (dx if p.training else dout * gamma * inverse), (dout * centred).sum(axes), dout.sum(axes)


def _rms_norm(p, dout, x, rstd, gamma):
    """Returns (dx, dgamma in float32)."""
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    wide, dwide = _k.cast(x, _mstype.float32), _k.cast(dout, _mstype.float32)
    centred, weighted = wide * rstd, dwide * gamma
    dx = rstd * (weighted - centred * (weighted * centred).mean(axes, True))
    return _k.cast(dx, x.dtype), _summed(dwide * centred, tuple(range(x.ndim - gamma.ndim)))


def _group_norm(p, dout, x, mean, rstd, gamma, groups, dx_is_require=True, dgamma_is_require=True, dbeta_is_require=True):
    """Returns (dx, dgamma, dbeta); mean and rstd have the shape (N, groups)."""
    n, channels = x.shape[:2]
    shape, one = (n, groups, channels // groups, -1), (n, groups, 1, 1)
    weight = _k.ones((channels,), x.dtype) if gamma is None else gamma
    dx, centred = _scaled(dout.reshape(shape), x.reshape(shape), mean.reshape(one), rstd.reshape(one),
                          weight.reshape((1, groups, channels // groups, 1)), (2, 3))
    gains = (dout.reshape(shape) * centred).sum((0, 3)).reshape((channels,))
    return dx.reshape(x.shape), gains, dout.reshape((n, channels, -1)).sum((0, 2))


def _update(p, dout, x, mean, variance):
    """Returns the gradients of a batch norm (by scale, by offset)."""
    axes, shape = _g._channels(x, p.data_format)
    centred = (x - mean.reshape(shape)) * (variance.reshape(shape) + p.epsilon).rsqrt()
    return (dout * centred).sum(axes), dout.sum(axes)


def _reduce(p, dout, x, by_scale, by_offset, scale, mean, variance):
    """Computes the gradient of a batch norm by x from the gradients by scale and offset."""
    axes, shape = _g._channels(x, p.data_format)
    rstd = (variance.reshape(shape) + p.epsilon).rsqrt()
    count = x.size // scale.size
    inner = dout - (by_offset.reshape(shape) + (x - mean.reshape(shape)) * rstd * by_scale.reshape(shape)) / count
    return inner * rstd * scale.reshape(shape)


def _planes(x):
    return tuple(range(2, x.ndim))


def _keep(p, kept, new):
    """Moves a stored value towards a new one by the fraction `momentum`, in place."""
    _k.assign(kept, (kept * (1 - p.momentum) + new * p.momentum).detach())


def instance_norm(p, x, gamma, beta, mean, variance):
    """Normalises each plane; returns (y, mean, 1 / sqrt(variance + epsilon) of each plane) and updates mean and variance."""
    axes, shape = _planes(x), (1, -1) + (1,) * (x.ndim - 2)
    middle = x.mean(axes, True)
    spread = _k.square(x - middle).mean(axes, True)
    rstd = (spread + p.epsilon).rsqrt()
    count = x.size // (x.shape[0] * x.shape[1])
    _keep(p, mean, middle.mean((0,) + axes))
    _keep(p, variance, spread.mean((0,) + axes) * (count / max(count - 1, 1)))
    y = (x - middle) * rstd * gamma.reshape(shape) + beta.reshape(shape)
    return y, middle.reshape((-1,)), rstd.reshape((-1,))


def _instance_norm(p, dout, x, gamma, mean, rstd):
    """Returns (dx, dgamma, dbeta)."""
    planes = tuple(x.shape[:2]) + (1,) * (x.ndim - 2)
    dx, centred = _scaled(dout, x, mean.reshape(planes), rstd.reshape(planes), gamma.reshape((1, -1) + planes[2:]), _planes(x))
    axes = (0,) + _planes(x)
    return dx, (dout * centred).sum(axes), dout.sum(axes)


def instance_norm_v2(p, x, gamma, beta, mean, variance):
    """Normalises each plane; returns (y, mean, 1 / sqrt(variance + epsilon) of each plane).

    Without is_training it uses the given mean and variance, and the other two results are zeros. All but x and y have the
    shape (N, C, 1, ...).
    """
    if not p.is_training:
        y = (x - mean) * (variance + p.epsilon).rsqrt() * gamma + beta
        return y, _k.zeros_like(mean), _k.zeros_like(variance)
    axes = _planes(x)
    middle = x.mean(axes, True)
    spread = _k.square(x - middle).mean(axes, True)
    count = x.size // (x.shape[0] * x.shape[1])
    rstd = (spread + p.epsilon).rsqrt()
    _keep(p, mean, middle)
    _keep(p, variance, spread * (count / max(count - 1, 1)))
    return (x - middle) * rstd * gamma + beta, middle, rstd


def _instance_norm_v2(p, dout, x, gamma, mean, variance, saved_mean, saved_rstd):
    """Returns (dx, dgamma, dbeta)."""
    axes = _planes(x)
    if not p.is_training:
        rstd = (variance + p.epsilon).rsqrt()
        return dout * gamma * rstd, (dout * (x - mean) * rstd).sum(axes, keepdims=True), dout.sum(axes, keepdims=True)
    dx, centred = _scaled(dout, x, saved_mean, saved_rstd, gamma, axes)
    return dx, (dout * centred).sum(axes, keepdims=True), dout.sum(axes, keepdims=True)


def _lrn(p, dout, x, y):
    return _pulled(_op.LRN(p.depth_radius, p.bias, p.alpha, p.beta), (x,), dout)[0]


def _chosen(first):
    """A rule for the second gradients of Maximum and Minimum: (by x, by y, by the gradient)."""
    def rule(p, x, y, dx, dy):
        zeros = _k.zeros_like(x), _k.zeros_like(y)
        return zeros + (_k.where(first(x, y), dx, dy),)
    return rule


def _product(p, x, y, z):
    """Returns (x * y, the sums of x * z over axes)."""
    axes = (p.axis,) if isinstance(p.axis, int) else tuple(p.axis)
    return x * y, (x * z).sum(axes or None, keepdims=p.keep_dims)


_LINES = {"begin_norm_axis": 1, "begin_params_axis": 1}
_TRAINING = {"epsilon": 1e-4, "data_format": "NCHW"}
_CHOICE = {"grad_x": True, "grad_y": True}
__all__ = _rows(globals(), (
    ("LayerNormGradV3", _LINES, _layer_norm_v3), ("LayerNormGradGrad", _LINES, _layer_norm_again),
    ("LayerNormGradExt", {}, _layer_norm_ext), ("RmsNormGrad", {}, _rms_norm), ("GroupNormGrad", {}, _group_norm),
    ("BatchNormGradGrad", {"is_training": False, "epsilon": 1e-5, "data_format": "NCHW"}, _batch_norm_again),
    ("BatchNormGradExt", {"training": False, "eps": 1e-5}, _batch_norm_ext),
    ("BNTrainingUpdateGrad", _TRAINING, _update), ("BNTrainingReduceGrad", _TRAINING, _reduce),
    ("InstanceNorm", {"epsilon": 1e-5, "momentum": 0.1}, instance_norm),
    ("InstanceNormGrad", {"epsilon": 0.0, "momentum": 0.1}, _instance_norm),
    ("InstanceNormV2", {"is_training": True, "momentum": 0.1, "epsilon": 1e-5}, instance_norm_v2),
    ("InstanceNormV2Grad", {"is_training": True, "epsilon": 1e-5}, _instance_norm_v2),
    ("LRNGrad", {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5}, _lrn),
    ("MaximumGradGrad", _CHOICE, _chosen(lambda x, y: x >= y)), ("MinimumGradGrad", {}, _chosen(lambda x, y: x <= y)),
    ("ConfusionMulGrad", {"axis": (), "keep_dims": False}, _product),
))
