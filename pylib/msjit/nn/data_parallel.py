"""Parts of networks that several processes train together: summing gradients, and batch normalisation over the batches of all processes."""
import warnings

from .. import context, ops
from ..common import dtype as mstype
from ..common.checks import check_sequence
from ..common.parameter import Parameter
from ..common.tensor import Tensor, check_tensor
from ..communication import collectives
from ..communication.management import create_group, get_group_size, get_rank
from ..communication.world import group_of
from ..ops import registry as _k
from ..ops.nn_func import shift_statistics
from .cell import Cell
from .normalization import _BatchNorm

_WORLD = "hccl_world_group"
_HALF = (mstype.float16, mstype.bfloat16)


class DistributedGradReducer(Cell):
    """Sums gradients over the processes of a group, and with `mean` divides the sums by `degree`.

    parameters are those to which the gradients belong; one with layerwise_parallel keeps its own gradient. mean is gradients_mean of
    set_auto_parallel_context by default, degree the number of all processes. Gradients of one dtype are sent together, up to 4 MiB at
    a time, 16-bit floats as float32. The first call warns (RuntimeWarning) if the processes start with different parameters.

    It is called with a tuple of gradients, or with one, and returns the same structure. Raises ValueError for a degree that is not an
    int above 0, and if the gradients of the processes differ in shape or dtype.
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group=_WORLD):
        super().__init__(auto_prefix=False)
        if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree <= 0):
            raise ValueError("[DistributedGradReducer] degree, got %r, expected an int above 0" % (degree,))
        self.mean = context.get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree = get_group_size() if degree is None else degree
        self.group, self.compared = group, False
        self.of = tuple([p for p in check_sequence(parameters, "DistributedGradReducer", "parameters") if isinstance(p, Parameter)])
        self.allreduce_filter = tuple([not p.layerwise_parallel for p in self.of])

    def construct(self, grads):
        scale = 1.0 / self.degree if self.mean else 1.0
        group = group_of(self.group, "DistributedGradReducer")
        if group.size == 1:
            if scale == 1.0:
                return grads
            return grads * scale if isinstance(grads, Tensor) else tuple([g * scale for g in grads])
        if not self.compared:
            self.compared = True
            warn_of_differences(self.of, group)
        if isinstance(grads, Tensor):
            return reduce_gradients([grads], group, scale)[0]
        kept = self.allreduce_filter if len(self.allreduce_filter) == len(grads) else (True,) * len(grads)
        reduced = iter(reduce_gradients([g for g, shared in zip(grads, kept) if shared], group, scale))
        return tuple([next(reduced) if shared else g for g, shared in zip(grads, kept)])


def reduce_gradients(grads, group, scale):
    """Sums gradients over a group and multiplies by scale. The processes compare shapes and dtypes once for all gradients."""
    grads = [g.detach() for g in grads]
    sums = _k.group_sum_gradients(grads, "DistributedGradReducer", group.number, scale)
    out, dtypes = list(grads), []
    for grad in grads:
        if grad.dtype not in dtypes:
            dtypes.append(grad.dtype)
    for dtype, flat in zip(dtypes, sums):
        places = [i for i, grad in enumerate(grads) if grad.dtype == dtype]
        for i, part in zip(places, _k.split(flat, [grads[i].size for i in places], 0)):
            out[i] = part.reshape(grads[i].shape)
    return out


def warn_of_differences(parameters, group):
    """Warns if the processes of a group have different parameters, because they would train different networks.

    It compares the sums of each parameter's elements.
    """
    if not parameters:
        return
    sums = _k.stack([p.detach().astype(mstype.float64).sum() for p in parameters], 0)
    table = collectives.all_gather(sums, group, "comparison of parameters").reshape((group.size, -1))
    for place, parameter in enumerate(parameters):
        column = table[:, place].tolist()
        if any(value != column[0] for value in column) and all(value == value for value in column):
            warnings.warn("the processes begin with different values of the parameter %r; call set_seed() before the network is made, or "
                          "set_auto_parallel_context(parameter_broadcast=True) and Model.train" % parameter.name, RuntimeWarning, stacklevel=3)
            return


def share_parameters(network):
    """Gives all processes the parameters of rank 0, except those with layerwise_parallel."""
    group = group_of(_WORLD, "parameter_broadcast")
    collectives.broadcast_into([p for p in network.get_parameters() if not p.layerwise_parallel], 0, group, "parameter_broadcast")


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, H, W) inputs over the batches of all processes, which may differ in size.

    process_groups holds lists of ranks that normalise together; a rank in none of them normalises alone. By default all ranks normalise
    together. In a single process, and with running statistics, it is BatchNorm. Raises ValueError unless process_groups is a list of
    lists of different ranks.
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.9, affine=True, gamma_init="ones", beta_init="zeros",
                 moving_mean_init="zeros", moving_var_init="ones", use_batch_statistics=None, process_groups=None,
                 dtype=mstype.float32):
        super().__init__(num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
                         use_batch_statistics, dtype=dtype)
        self.process_groups, self.group_name = process_groups, _WORLD
        if process_groups is not None:
            self.group_name = _joined_group(process_groups)

    def _check(self, x):
        if check_tensor(x, "sync_batch_norm").ndim not in (2, 4):
            raise ValueError("[sync_batch_norm] input must have 2 or 4 dimensions, got %d" % x.ndim)

    def construct(self, x):
        batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        if not batch or self.group_name is None:
            return super().construct(x)
        group = group_of(self.group_name, "sync_batch_norm")
        if group.size == 1:
            return super().construct(x)
        self._check(x)
        return self._normalised(x, group)

    def _normalised(self, x, group):
        def moved(mean, variance, unbias):
            share = self.bn_train.momentum
            shift_statistics(self.moving_mean, self.moving_variance, mean, variance, share, share * unbias)
        return normalised_over(group, x, self.gamma, self.beta, self.eps, moved)


def normalised_over(group, x, gamma, beta, eps, moved):
    """Normalises x over the batches of a group of processes; calls moved(mean, variance, unbias) with their statistics. The variance times unbias has
    no bias.

    It sums twice over the processes: the elements, then their squared distances from the mean. The gradients of the two are sums over
    the processes too.
    """
    channels, axes = x.shape[1], (0,) + tuple(range(2, x.ndim))
    along = (1, channels) + (1,) * (x.ndim - 2)
    data = x.astype(mstype.float32) if x.dtype in _HALF else x
    own = Tensor([x.size // channels], data.dtype)
    sums = collectives.all_reduce(_k.concat([data.sum(axes), own], 0), "sum", group, "sync_batch_norm")
    count = _k.stop_gradient(sums[channels])  # no int: the graph of a step goes on
    mean = sums[:channels] / count
    centered = data - mean.reshape(along)
    variance = collectives.all_reduce((centered * centered).sum(axes), "sum", group, "sync_batch_norm") / count
    moved(mean, variance, count / _k.maximum(count - 1, 1))
    scale = ops.rsqrt(variance + eps) * gamma
    return (centered * scale.reshape(along) + beta.reshape(along)).astype(x.dtype)


def _joined_group(process_groups):
    """The name of the group that this process belongs to, which its members create, or None."""
    size, seen = get_group_size(), set()
    if not isinstance(process_groups, list) or not all(isinstance(ranks, list) for ranks in process_groups):
        raise ValueError("[sync_batch_norm] process_groups, got %r, expected a list of lists of ranks" % (process_groups,))
    for rank in [rank for ranks in process_groups for rank in ranks]:
        if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank < size:
            raise ValueError("[sync_batch_norm] rank in process_groups, got %r, expected one from 0 to %d" % (rank, size - 1))
        if rank in seen:
            raise ValueError("[sync_batch_norm] rank in process_groups, got %d twice, expected it once" % rank)
        seen.add(rank)
    for ranks in process_groups:
        if get_rank() in ranks:
            if len(ranks) == 1:
                return None
            name = "sync_bn_group_" + "_".join(map(str, sorted(ranks)))
            create_group(name, ranks)
            return name
    return None
