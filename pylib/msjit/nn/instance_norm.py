"""Instance normalisation."""
from ..common import dtype as mstype
from ..common.initializer import initializer
from ..common.parameter import Parameter
from ..ops import registry as _k
from .basic import positive_int
from .cell import Cell


class _InstanceNorm(Cell):
    """Normalises each channel of each example by its own statistics, in training or not; `mean` and `variance` are
    Parameters that MindSpore has, which nothing reads and which stay as they are."""

    _dims = 2

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, gamma_init="ones", beta_init="zeros",
                 dtype=mstype.float32):
        super().__init__()
        self.num_features = positive_int(num_features, "instance_norm", "num_features")
        if not 0 <= momentum <= 1:
            raise ValueError("[instance_norm] momentum must be in [0, 1], got %s" % momentum)
        self.eps, self.momentum = float(eps), float(momentum)
        shape = [num_features]
        self.moving_mean = Parameter(initializer("zeros", shape, dtype), "mean", False)
        self.moving_variance = Parameter(initializer("ones", shape, dtype), "variance", False)
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), "gamma", affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), "beta", affine)

    def construct(self, x):
        if x.ndim != self._dims + 2:
            raise ValueError("[instance_norm] input must have %d dimensions, got %d" % (self._dims + 2, x.ndim))
        return _k.group_norm(x, self.num_features, self.gamma, self.beta, self.eps)

    def extend_repr(self):
        return "num_features=%d, eps=%s, momentum=%s" % (self.num_features, self.eps, self.momentum)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) inputs."""

    _dims = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) inputs."""


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) inputs."""

    _dims = 3
