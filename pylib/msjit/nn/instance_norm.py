"""Instance normalisation."""
from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_real
from ..common.initializer import initializer
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from ..ops import registry as _k
from .basic import positive_int
from .cell import Cell


class _InstanceNorm(Cell):
    """Normalises each channel of each example by its own mean and variance, in training or not.

    In training it also updates moving_mean and moving_variance: new = (1 - momentum) * old + momentum * (mean over the
    examples). Nothing here reads them. The variance of n elements is divided by n - 1 for this.
    """

    _dims = 2

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, gamma_init="ones", beta_init="zeros",
                 dtype=mstype.float32):
        super().__init__()
        self.num_features = positive_int(num_features, "instance_norm", "num_features")
        if not 0 <= check_real(momentum, "instance_norm", "momentum") <= 1:
            raise ValueError("[instance_norm] momentum must be in [0, 1], got %s" % (momentum,))
        self.eps, self.momentum = check_real(eps, "instance_norm", "eps"), float(momentum)
        shape = [num_features]
        self.moving_mean = Parameter(initializer("zeros", shape, dtype), "mean", False)
        self.moving_variance = Parameter(initializer("ones", shape, dtype), "variance", False)
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), "gamma", affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), "beta", affine)

    def construct(self, x):
        if check_tensor(x, "instance_norm").ndim != self._dims + 2:
            raise ValueError("[instance_norm] input must have %d dimensions, got %d" % (self._dims + 2, x.ndim))
        if x.shape[1] != self.num_features:
            raise ValueError("[instance_norm] channels of the input, got %d in shape %s, expected %d"
                             % (x.shape[1], tuple(x.shape), self.num_features))
        if self.training:
            self._follow(x)
        return _k.group_norm(x, self.num_features, self.gamma, self.beta, self.eps)

    def _follow(self, x):
        """Moves the running statistics."""
        rows = _k.reshape(_k.cast(x.detach(), mstype.float32), (x.shape[0], x.shape[1], -1))
        count = rows.shape[2]
        variance = ops.var(rows, 2, 0) * (count / max(count - 1, 1))
        for moving, found in ((self.moving_mean, ops.mean(rows, 2)), (self.moving_variance, variance)):
            found = ops.mean(found, 0) * self.momentum + moving.detach() * (1 - self.momentum)
            _k.assign(moving, _k.cast(found, moving.dtype))

    def extend_repr(self):
        return "num_features=%d, eps=%s, momentum=%s, gamma=%s, beta=%s, moving_mean=%s, moving_variance=%s" % (
            self.num_features, self.eps, self.momentum, self.gamma, self.beta, self.moving_mean, self.moving_variance)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) inputs: (x - mean) / sqrt(variance + eps) * gamma + beta (Ulyanov et al. 2016).

    Mean and variance are those of one channel of one example, in training or not. gamma and beta have the shape (num_features,); without
    `affine` they are not trained. Training also moves moving_mean and moving_variance, which nothing here reads. Raises ValueError for a
    momentum outside [0, 1], another rank and another number of channels.
    """

    _dims = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) inputs: (x - mean) / sqrt(variance + eps) * gamma + beta (Ulyanov et al. 2016).

    Mean and variance are those of one channel of one example, in training or not. gamma and beta have the shape (num_features,); without
    `affine` they are not trained. Training also moves moving_mean and moving_variance, which nothing here reads. Raises ValueError for a
    momentum outside [0, 1], another rank and another number of channels.
    """


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) inputs: (x - mean) / sqrt(variance + eps) * gamma + beta (Ulyanov et al. 2016).

    Mean and variance are those of one channel of one example, in training or not. gamma and beta have the shape (num_features,); without
    `affine` they are not trained. Training also moves moving_mean and moving_variance, which nothing here reads. Raises ValueError for a
    momentum outside [0, 1], another rank and another number of channels.
    """

    _dims = 3
