"""mint.nn.SyncBatchNorm: batch normalisation over the batches of several processes."""
from ..communication.world import group_of
from ..nn.data_parallel import normalised_over
from ..ops import registry as _k
from ..ops.nn_func import shift_statistics
from .layer_variants import _BatchNorm


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation of (N, C, ...) inputs over the batches of all processes together, which may differ in size.

    process_group is the name of a group of processes that normalise together, by default all. In a single process, and with running
    statistics, it works as BatchNorm1d, BatchNorm2d and BatchNorm3d.
    """

    _ranks = (2, 3, 4, 5)

    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, process_group=None, dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        if process_group is not None and not isinstance(process_group, str):
            raise TypeError("[SyncBatchNorm] process_group, got %s, expected a str or None" % type(process_group).__name__)
        self.process_group = "hccl_world_group" if process_group is None else process_group

    def _normalised(self, input):
        if not self.training and self.track_running_stats:
            return super()._normalised(input)
        group = group_of(self.process_group, "sync_batch_norm")
        if group.size == 1:
            return self._by_batch(input)

        def moved(mean, variance, unbias):
            if self.training and self.track_running_stats:
                _k.assign(self.num_batches_tracked, self.num_batches_tracked.detach() + 1)
                shift_statistics(self.running_mean, self.running_var, mean, variance, self.momentum, self.momentum * unbias)
        return normalised_over(group, input, *self._scale_and_shift(input), eps=self.eps, moved=moved)

    def _by_batch(self, input):
        """Normalises in one process; inputs of five axes are reshaped, because the kernels take up to four."""
        shape = input.shape
        if len(shape) < 5:
            return super()._normalised(input)
        return super()._normalised(input.reshape(shape[0], shape[1], shape[2] * shape[3], shape[4])).reshape(shape)
