"""Normalisation layers."""
from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_format, check_real
from ..common.error_names import ERRORS, rename, wrong_channels
from ..common.initializer import initializer
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from ..ops import registry as _k
from .basic import positive_int
from .cell import Cell

__all__ = """BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm LayerNormExt GroupNorm SyncBatchNorm InstanceNorm1d InstanceNorm2d
    InstanceNorm3d""".split()


class _BatchNorm(Cell):
    """Normalises each channel by the statistics of the batch (in training) or by running statistics.

    eps and momentum are taken from the primitives bn_train and bn_infer: setting them on the layer later changes nothing. As in
    MindSpore, the attribute momentum is 1 minus the argument.
    """

    _keeps_dtype = ("moving_mean", "moving_variance")

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones", beta_init="zeros",
                 moving_mean_init="zeros", moving_var_init="ones", use_batch_statistics=None, data_format="NCHW",
                 dtype=mstype.float32):
        super().__init__()
        check_format(data_format, "batch_norm")
        self.num_features = positive_int(num_features, "batch_norm", "num_features")
        if not 0 <= check_real(momentum, "batch_norm", "momentum") <= 1:
            raise ValueError("[batch_norm] momentum must be in [0, 1], got %s" % (momentum,))
        self.eps, self.momentum, self.use_batch_statistics = check_real(eps, "batch_norm", "eps"), 1.0 - momentum, use_batch_statistics
        shape = [num_features]
        self.moving_mean = Parameter(initializer(moving_mean_init, shape, dtype), "mean", False)
        self.moving_variance = Parameter(initializer(moving_var_init, shape, dtype), "variance", False)
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), "gamma", affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), "beta", affine)
        self.bn_train = ops.BatchNorm(True, self.eps, self.momentum)
        self.bn_infer = ops.BatchNorm(False, self.eps)
        self.gamma_init, self.beta_init, self.format = gamma_init, beta_init, data_format
        self.moving_mean_init, self.moving_var_init = moving_mean_init, moving_var_init

    def construct(self, x):
        self._check(x)
        batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        try:
            return (self.bn_train if batch else self.bn_infer)(
                x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]
        except ERRORS as error:
            rename(error, "batch_norm", wrong_channels(x, self.num_features, "num_features"))
            raise

    def extend_repr(self):
        return "num_features=%d, eps=%s, momentum=%s, gamma=%s, beta=%s, moving_mean=%s, moving_variance=%s" % (
            self.num_features, self.eps, 1.0 - self.momentum, self.gamma, self.beta, self.moving_mean, self.moving_variance)


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L) inputs, each channel over the other axes (Ioffe and Szegedy 2015).

    Everything else is as in BatchNorm2d. Raises ValueError for another rank or number of channels.
    """

    def _check(self, x):
        if check_tensor(x, "batch_norm1d").ndim not in (2, 3):
            raise ValueError("[batch_norm1d] input must have 2 or 3 dimensions, got %d" % x.ndim)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W) inputs: (x - mean) / sqrt(variance + eps) * gamma + beta, for each channel (Ioffe and Szegedy 2015).

    In training, mean and variance are those of the batch, over all axes but the channels. The running ones are updated:
    new = momentum * old + (1 - momentum) * batch, the batch's variance being the unbiased one. Otherwise the running ones are used.
    use_batch_statistics True or False fixes the choice. gamma, beta, moving_mean and moving_variance have the shape (num_features,);
    without `affine` gamma and beta are not trained.

    Raises ValueError for a momentum outside [0, 1], for another rank, and for a number of channels other than num_features.

    >>> import msjit as ms
    >>> layer, x = ms.nn.BatchNorm2d(1, momentum=0.5), ms.Tensor([[[[1.0, 3.0]]]])
    >>> [round(v, 2) for v in layer.set_train()(x).reshape(-1).asnumpy().tolist()]
    [-1.0, 1.0]
    >>> float(layer.moving_mean)
    1.0
    """

    def _check(self, x):
        if check_tensor(x, "batch_norm2d").ndim != 4:
            raise ValueError("[batch_norm2d] input must have 4 dimensions, got %d" % x.ndim)


class BatchNorm3d(Cell):
    """Batch normalisation of (N, C, D, H, W) inputs: BatchNorm2d for three axes. Raises ValueError for another rank.

    As in MindSpore, its Parameters belong to a BatchNorm2d inside it, bn2d, and have names that begin with "bn2d.".
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones", beta_init="zeros",
                 moving_mean_init="zeros", moving_var_init="ones", use_batch_statistics=None, dtype=mstype.float32):
        super().__init__()
        self.bn2d = BatchNorm2d(num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init,
                                moving_var_init, use_batch_statistics, "NCHW", dtype)

    def construct(self, x):
        if check_tensor(x, "batch_norm3d").ndim != 5:
            raise ValueError("[batch_norm3d] input must have 5 dimensions, got %d" % x.ndim)
        flat = _k.reshape(x, (x.shape[0], x.shape[1], x.shape[2] * x.shape[3], x.shape[4]))
        return _k.reshape(self.bn2d(flat), x.shape)


class LayerNorm(Cell):
    """Layer normalisation: (x - mean) / sqrt(variance + epsilon) * gamma + beta, over the last axes (Ba, Kiros and Hinton 2016).

    Mean and variance are over the axes from begin_norm_axis on, separately for each index of the axes before. gamma and beta have the
    shape normalized_shape, which is that of the axes from begin_params_axis on.

    Raises TypeError for a normalized_shape that is no tuple or list, ValueError for an empty one and for inputs that do not end in it.

    >>> import msjit as ms
    >>> y = ms.nn.LayerNorm((4,))(ms.Tensor([[1.0, 2.0, 3.0, 4.0]]))
    >>> abs(float(y.mean())) < 1e-6, round(float((y * y).mean()), 3)
    (True, 1.0)
    """

    def __init__(self, normalized_shape, begin_norm_axis=-1, begin_params_axis=-1, gamma_init="ones",
                 beta_init="zeros", epsilon=1e-7, dtype=mstype.float32):
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise TypeError("[layer_norm] normalized_shape must be a tuple, got %s" % type(normalized_shape).__name__)
        if not normalized_shape:
            raise ValueError("[layer_norm] normalized_shape must have at least one axis, got ()")
        self.normalized_shape, shape = normalized_shape, tuple(normalized_shape)
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.epsilon = check_real(epsilon, "layer_norm", "epsilon")
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), "gamma")
        self.beta = Parameter(initializer(beta_init, shape, dtype), "beta")
        self.layer_norm = ops.LayerNorm(begin_norm_axis, begin_params_axis, self.epsilon)

    def construct(self, input_x):
        try:
            return self.layer_norm.run(input_x, self.gamma, self.beta)
        except ERRORS as error:
            rename(error, "layer_norm", self._misfit(input_x))
            raise

    def _misfit(self, x):
        """What an error says of an input whose last sizes are not normalized_shape; None for others."""
        wanted, shape = tuple(self.normalized_shape), getattr(x, "shape", None)
        if shape is None:
            return None
        if shape[-len(wanted):] != wanted:
            return "last sizes of the input, got shape %s, expected normalized_shape, %s" % (shape, wanted)
        if self.begin_params_axis % len(shape) != len(shape) - len(wanted):
            return "begin_params_axis, got %d for normalized_shape %s, expected %d" % (self.begin_params_axis, wanted, -len(wanted))
        return None

    def extend_repr(self):
        return "normalized_shape=%s, begin_norm_axis=%s, begin_params_axis=%s, gamma%s, beta=%s" % (
            self.normalized_shape, self.begin_norm_axis, self.begin_params_axis, self.gamma, self.beta)  # MindSpore prints no "=" after gamma either


class GroupNorm(Cell):
    """Group normalisation of (N, C, ...) inputs: (x - mean) / sqrt(variance + eps) * gamma + beta (Wu and He 2018).

    Mean and variance are over one of num_groups groups of neighbouring channels and all axes behind the channels, for each index of the
    first axis. gamma and beta have the shape (num_channels,); without `affine` they are not trained.

    Raises ValueError where num_groups does not divide num_channels, and for inputs with another number of channels.

    >>> import msjit as ms
    >>> y = ms.nn.GroupNorm(1, 2)(ms.Tensor([[[1.0], [3.0]]]))
    >>> [round(v, 2) for v in y.reshape(-1).asnumpy().tolist()]
    [-1.0, 1.0]
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, gamma_init="ones", beta_init="zeros",
                 dtype=mstype.float32):
        super().__init__()
        self.num_groups = positive_int(num_groups, "group_norm", "num_groups")
        self.num_channels = positive_int(num_channels, "group_norm", "num_channels")
        if num_channels % num_groups:
            raise ValueError("[group_norm] num_channels must be a multiple of num_groups, got %d and %d"
                             % (num_channels, num_groups))
        self.eps = check_real(eps, "group_norm", "eps")
        self.affine = affine
        self.gamma = Parameter(initializer(gamma_init, [num_channels], dtype), "gamma", affine)
        self.beta = Parameter(initializer(beta_init, [num_channels], dtype), "beta", affine)

    def construct(self, x):
        try:
            y = _k.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)
        except ValueError as error:
            rename(error, "group_norm", wrong_channels(x, self.num_channels, "num_channels"))
            raise
        return y if y.dtype == x.dtype else _k.cast(y, x.dtype)

    def extend_repr(self):
        return "num_groups=%d, num_channels=%d" % (self.num_groups, self.num_channels)
