"""Layers, activations and losses of mint.nn whose parameters or arguments differ from those of nn."""
from .. import nn as _nn
from .. import ops as _ops
from ..common import dtype as mstype
from ..common.checks import check_int, check_real, check_sizes
from ..common.error_names import rename, wrong_channels
from ..common.initializer import initializer
from ..common.methods_shared import written as _written
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from ..nn.loss_base import LossBase
from ..ops import registry as _k
from ..ops.extended_func import embedding as _embedding
from ..ops.nn_func import move_statistics
from . import functional


class _InPlace:
    """Layers that, with inplace True, write the result to their input and return the input."""

    _inplace = False

    def _set_inplace(self, inplace):
        if not isinstance(inplace, bool):
            raise TypeError("[%s] inplace, got %s, expected a bool" % (type(self).__name__, type(inplace).__name__))
        self._inplace = inplace

    def construct(self, input):
        out = super().construct(input)
        return _written(type(self).__name__, input, out) if self._inplace else out


def _float32(dtype):
    return mstype.float32 if dtype is None else dtype


class _BatchNorm(_nn.Cell):
    """Normalises each channel by the statistics of the batch in training or without running statistics, else by running
    statistics.

    Training moves the running statistics by `momentum` towards those of the batch.
    """

    _ranks = ()

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, dtype=None):
        super().__init__()
        name = type(self).__name__
        if momentum is None:
            raise NotImplementedError("[%s] momentum, got None, expected a float: the mean of all batches is not offered" % name)
        self.num_features, self.eps, self.momentum = check_int(num_features, name, "num_features"), check_real(eps, name, "eps"), check_real(momentum, name, "momentum")
        self.affine, self.track_running_stats, dtype = affine, track_running_stats, _float32(dtype)
        self.weight = self.bias = self.running_mean = self.running_var = self.num_batches_tracked = None
        shape = [num_features]
        if affine:
            self.weight = Parameter(initializer("ones", shape, dtype), name="weight")
            self.bias = Parameter(initializer("zeros", shape, dtype), name="bias")
        if track_running_stats:
            self.running_mean = Parameter(initializer("zeros", shape, dtype), name="running_mean", requires_grad=False)
            self.running_var = Parameter(initializer("ones", shape, dtype), name="running_var", requires_grad=False)
            self.num_batches_tracked = Parameter(initializer("zeros", [], mstype.int64), name="num_batches_tracked",
                                                 requires_grad=False)

    def construct(self, input):
        if check_tensor(input, type(self).__name__).ndim not in self._ranks:
            raise ValueError("[%s] rank of the input, got %d, expected one of %s"
                             % (type(self).__name__, input.ndim, self._ranks))
        return self._normalised(input)

    def reset_running_stats(self):
        """Sets the running statistics to those of the start."""
        if self.track_running_stats:
            for param, value in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
                _k.assign(param, _k.full_like(param, value))

    def reset_parameters(self):
        """Sets all Parameters to their values of the start."""
        self.reset_running_stats()
        if self.affine:
            _k.assign(self.weight, _k.ones_like(self.weight))
            _k.assign(self.bias, _k.zeros_like(self.bias))

    def _scale_and_shift(self, input):
        return (_k.ones((self.num_features,), dtype=input.dtype) if self.weight is None else self.weight,
                _k.zeros((self.num_features,), dtype=input.dtype) if self.bias is None else self.bias)

    def _normalised(self, input):
        weight, bias = self._scale_and_shift(input)
        try:
            if not self.training and self.track_running_stats:
                return _k.batch_norm(input, weight, bias, self.running_mean, self.running_var, self.eps)
            out, mean, variance = _k.batch_norm_train(input, weight, bias, self.eps)
        except ValueError as error:
            rename(error, type(self).__name__, wrong_channels(input, self.num_features, "num_features"))
            raise
        if self.training and self.track_running_stats:
            _k.assign(self.num_batches_tracked, self.num_batches_tracked.detach() + 1)
            move_statistics(self.running_mean, self.running_var, mean, variance, input.size // self.num_features,
                            self.momentum)
        return out

    def extend_repr(self):
        return "num_features=%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s" % (
            self.num_features, self.eps, self.momentum, self.affine, self.track_running_stats)


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L) inputs, each channel over the other axes. Everything else is as in mint.nn.BatchNorm2d.

    Raises ValueError for another rank or number of channels.
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W) inputs: (x - mean) / sqrt(variance + eps) * weight + bias, for each channel (Ioffe and Szegedy 2015).

    In training, and always without track_running_stats, mean and variance are those of the batch. Training moves the running ones by the
    share `momentum` towards them, where nn.BatchNorm2d keeps the share. Otherwise the running ones are used. weight and bias have the shape
    (num_features,); without `affine` there are none. Raises ValueError for another rank or number of channels, NotImplementedError for the
    momentum None.
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W) inputs, each channel over the other axes. Everything else is as in mint.nn.BatchNorm2d.

    Raises ValueError for another rank or number of channels.
    """

    _ranks = (5,)

    def construct(self, input):
        shape = check_tensor(input, "BatchNorm3d").shape
        if len(shape) != 5:
            raise ValueError("[BatchNorm3d] rank of the input, got %d, expected 5" % len(shape))
        return self._normalised(input.reshape(shape[0], shape[1], shape[2] * shape[3], shape[4])).reshape(shape)


class LayerNormExt(_nn.Cell):
    """Layer normalisation (Ba et al. 2016) over the trailing axes: (x - mean) / sqrt(variance + eps) * weight + bias.

    The sizes of these axes are normalized_shape, an int or a tuple, which is the shape of weight and bias too. These start as 1 and 0; without
    elementwise_affine there are none. Raises ValueError for inputs of other sizes, TypeError for integers.
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, dtype=None):
        super().__init__()
        shape = check_sizes(normalized_shape, "LayerNorm", "normalized_shape")
        self.normalized_shape, self.eps, self.weight, self.bias = shape, check_real(eps, "LayerNorm", "eps"), None, None
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(initializer("ones", shape, _float32(dtype)), name="weight")
        if elementwise_affine and bias:
            self.bias = Parameter(initializer("zeros", shape, _float32(dtype)), name="bias")

    def construct(self, input):
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self):
        return "normalized_shape=%s, eps=%s, elementwise_affine=%s" % (self.normalized_shape, self.eps, self.elementwise_affine)


class GroupNorm(_nn.Cell):
    """Group normalisation of (N, C, ...) inputs: (x - mean) / sqrt(variance + eps) * weight + bias (Wu and He 2018).

    Mean and variance are over one of num_groups groups of neighbouring channels and all axes behind the channels, for each index of the
    first axis. weight and bias have the shape (num_channels,). Raises ValueError where num_groups does not divide num_channels, and for
    inputs with another number of channels.
    """

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, dtype=None):
        super().__init__()
        num_groups, num_channels = check_int(num_groups, "GroupNorm", "num_groups"), check_int(num_channels, "GroupNorm", "num_channels")
        if num_groups <= 0 or num_channels % num_groups:
            raise ValueError("[GroupNorm] num_channels must be a multiple of num_groups, got %s and %s" % (num_channels, num_groups))
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, check_real(eps, "GroupNorm", "eps"), affine
        self.weight = Parameter(initializer("ones", [num_channels], _float32(dtype)), name="weight", requires_grad=affine)
        self.bias = Parameter(initializer("zeros", [num_channels], _float32(dtype)), name="bias", requires_grad=affine)

    def construct(self, input):
        try:
            return _k.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
        except ValueError as error:
            rename(error, "GroupNorm", wrong_channels(input, self.num_channels, "num_channels"))
            raise

    def extend_repr(self):
        return "num_groups=%d, num_channels=%d, eps=%s, affine=%s" % (self.num_groups, self.num_channels, self.eps, self.affine)


class EmbeddingExt(_nn.Cell):
    """Looks up rows of a learnt table by integer index; the row padding_idx starts as zeros and gets no gradient.

    max_norm, norm_type and scale_grad_by_freq are those of ops.embedding. Raises IndexError for an index outside the table, TypeError for floats,
    ValueError for a padding_idx outside it.
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, dtype=None):
        super().__init__()
        if sparse:
            raise NotImplementedError("[Embedding] sparse, got %r, expected False: gradients are dense here" % (sparse,))
        num_embeddings = check_int(num_embeddings, "Embedding", "num_embeddings")
        embedding_dim = check_int(embedding_dim, "Embedding", "embedding_dim")
        padding_idx = None if padding_idx is None else check_int(padding_idx, "Embedding", "padding_idx")
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError("[Embedding] padding_idx out of range, got %d, expected below %d" % (padding_idx, num_embeddings))
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        table = initializer("normal", [num_embeddings, embedding_dim], _float32(dtype)) if _weight is None else _weight
        check_tensor(table, "Embedding", "_weight")
        if table.shape != (num_embeddings, embedding_dim):
            raise ValueError("[Embedding] shape of _weight, got %s, expected %s" % (table.shape, (num_embeddings, embedding_dim)))
        if padding_idx is not None and _weight is None:
            rows = _k.arange(0, num_embeddings, 1).reshape(-1, 1)
            table = _k.where(_k.equal(rows, self.padding_idx), _k.zeros_like(table), table)
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = max_norm, norm_type, scale_grad_by_freq, sparse
        self.weight = Parameter(table, name="weight", requires_grad=not _freeze)

    def construct(self, input):
        return _embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq)

    def extend_repr(self):
        return "num_embeddings=%d, embedding_dim=%d, padding_idx=%s, max_norm=%s, norm_type=%s, scale_grad_by_freq=%s, dtype=%s" % (
            self.num_embeddings, self.embedding_dim, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.weight.dtype)


class PReLUExt(_nn.Cell):
    """Leaky ReLU with a learnt slope, element by element: x where x > 0, else weight * x (He et al. 2015).

    weight has num_parameters elements, 1 or one for each channel (axis 1), and starts as `init`. Raises ValueError for another number of
    channels, TypeError for anything but a Tensor.
    """

    def __init__(self, num_parameters=1, init=0.25, dtype=None):
        super().__init__()
        self.weight = Parameter(initializer(init, [num_parameters], _float32(dtype)), name="weight")

    def construct(self, input):
        return _ops.prelu(input, self.weight)


def _implied(x):
    """The axis of softmax if none is given, as in PyTorch."""
    return 0 if check_tensor(x, "softmax").ndim in (0, 1, 3) else 1


class SoftmaxExt(_nn.Cell):
    """Softmax activation: exp(x) / sum(exp(x)) over an axis, without overflow; dim None means 0 for 0, 1 or 3 axes, else 1.

    Raises TypeError for integers and for anything but a Tensor, ValueError for an axis that the input does not have.
    """

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def construct(self, input):
        return _ops.softmax(input, _implied(input) if self.dim is None else self.dim)


class LogSoftmaxExt(SoftmaxExt):
    """Logarithm of the softmax: x - log(sum(exp(x))) over an axis, without overflow; dim None and errors are as in Softmax."""

    def construct(self, x):
        return _ops.log_softmax(x, _implied(x) if self.dim is None else self.dim)


class SiLU(_InPlace, _nn.SiLU):
    """SiLU (swish) activation, element by element: x * sigmoid(x) (Elfwing et al. 2017). With inplace it writes to its input and returns that."""

    def __init__(self, inplace=False):
        super().__init__()
        self._set_inplace(inplace)


class ReLU6(_InPlace, _nn.ReLU6):
    """ReLU6 activation, element by element: min(max(x, 0), 6) (Krizhevsky 2010). With inplace it writes to its input and returns that."""

    def __init__(self, inplace=False):
        super().__init__()
        self._set_inplace(inplace)


class _Elu(_nn.Cell):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def construct(self, input):
        return _ops.elu(input, self.alpha)


class ELU(_InPlace, _Elu):
    """ELU activation, element by element: x where x > 0, else alpha * (exp(x) - 1) (Clevert et al. 2015). With inplace it writes to its input.

    Raises TypeError for anything but a Tensor.
    """

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(alpha)
        self._set_inplace(inplace)


class Hardtanh(_InPlace, _nn.Hardtanh):
    """Limits each element to [min_val, max_val], by default [-1, 1]. With inplace it writes to its input and returns that.

    Raises TypeError for limits that are no numbers and for anything but a Tensor.
    """

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__(min_val, max_val)
        self._set_inplace(inplace)


class Threshold(_InPlace, _nn.Threshold):
    """Returns x where x > threshold, else value, element by element. With inplace it writes to its input and returns that.

    Raises TypeError for arguments that are no numbers.
    """

    def __init__(self, threshold, value, inplace=False):
        super().__init__(threshold, value)
        self._set_inplace(inplace)


class DropoutExt(_InPlace, _nn.Dropout):
    """In training, sets each element to 0 with probability p and scales the others by 1 / (1 - p) (Hinton et al. 2012); else returns its input.

    With inplace it writes to its input. Raises ValueError for a p outside [0, 1), TypeError for integers.
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p=p)
        self._set_inplace(inplace)

    def extend_repr(self):
        return ""


class Dropout2dExt(_InPlace, _nn.Dropout2d):
    """In training, sets whole channels of (N, C, H, W) to 0 with probability p and scales the others by 1 / (1 - p) (Tompson et al. 2015).

    With inplace it writes to its input. Raises ValueError for a p outside [0, 1] and for another rank.
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__(p)
        self._set_inplace(inplace)

    def extend_repr(self):
        return ""


class L1LossExt(_nn.L1Loss):
    __doc__ = _nn.L1Loss.__doc__


class SmoothL1Loss(LossBase):
    """Smooth L1 loss: 0.5 * d^2 / beta where d = |input - target| < beta, else d - 0.5 * beta (Girshick 2015).

    Both arguments have one shape. reduction is 'mean', 'sum' or 'none'. Raises ValueError for beta <= 0 and for two shapes.
    """

    def __init__(self, reduction="mean", beta=1.0):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, input, target):
        return _ops.smooth_l1_loss(input, target, self.beta, self.reduction)


class BCEWithLogitsLoss(_nn.BCEWithLogitsLoss):
    """Binary cross entropy of sigmoid(input) and targets in [0, 1], without overflow: max(x, 0) - x * t + log(1 + exp(-|x|)).

    weight multiplies each element's loss, pos_weight the part of target 1. reduction is 'mean', 'sum' or 'none'. Raises ValueError for two shapes
    and for another reduction.
    """

    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(reduction, weight, pos_weight)


class KLDivLoss(LossBase):
    """Kullback-Leibler divergence target * (log(target) - input), where input is a log probability; with log_target, target is one too.

    reduction is 'mean' (over elements), 'batchmean' (the sum divided by the size of axis 0), 'sum' or 'none'. Raises ValueError for shapes that
    do not broadcast and for another reduction.
    """

    def __init__(self, reduction="mean", log_target=False):
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.reduction, self.log_target = reduction, log_target

    def construct(self, input, target):
        return functional.kl_div(input, target, self.reduction, self.log_target)
