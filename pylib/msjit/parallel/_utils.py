"""Functions by which programs ask about the processes that train together, under the names of mindspore.parallel._utils."""
from .. import context as _context
from ..context import ParallelMode


def _get_parallel_mode():
    """The parallel_mode of set_auto_parallel_context."""
    return _context.get_auto_parallel_context("parallel_mode")


def _get_device_num():
    """The number of processes that train together: 1 in the mode "stand_alone"."""
    return 1 if _get_parallel_mode() == "stand_alone" else _context.get_auto_parallel_context("device_num")


def _get_global_rank():
    """The number of this process among them: 0 in the mode "stand_alone"."""
    return 0 if _get_parallel_mode() == "stand_alone" else _context.get_auto_parallel_context("global_rank")


def _get_gradients_mean():
    """Whether sums of gradients are divided by the number of processes."""
    return _context.get_auto_parallel_context("gradients_mean")


def _get_parameter_broadcast():
    """Whether Model.train begins with the parameters of rank 0."""
    return _context.get_auto_parallel_context("parameter_broadcast")


def _is_in_data_parallel_mode():
    """Whether the mode is "data_parallel"."""
    return _context.is_data_parallel()


def _is_in_auto_parallel_mode():
    """False: networks are not divided."""
    return False


def _get_stage_device_num():
    """Number of processes of a stage of a pipeline."""
    return _get_device_num()


def _get_pipeline_stages():
    """Number of stages of a pipeline."""
    return 1


def _get_full_batch():
    """Whether every process is given the whole batch."""
    return False


def _not_parallel():
    """False: networks are not divided over processes."""
    return False


def _get_enable_parallel_optimizer():
    """Whether the state of optimizers is divided over the processes."""
    return _context.get_auto_parallel_context("enable_parallel_optimizer")


_get_grad_accumulation_shard = _need_to_full = _not_parallel
_is_in_hybrid_parallel_mode = _is_sharding_propagation = _not_parallel


def _is_parallel_mode(parallel_mode=None):
    """Whether a mode shares work between processes; without an argument, the mode of this run."""
    mode = _get_parallel_mode() if parallel_mode is None else parallel_mode
    return mode != ParallelMode.STAND_ALONE


def _parallel_predict_check():
    """Nothing is wrong with a prediction in one process."""


def _check_full_batch():
    """Nothing is wrong with a whole batch in one process."""


def _device_number_check(parallel_mode, device_number):
    """ValueError for several devices and the mode "stand_alone"."""
    if parallel_mode == "stand_alone" and device_number != 1:
        raise ValueError("[parallel] device_number, got %d, expected 1 for stand_alone" % device_number)


def _parameter_broadcast_check(parallel_mode, parameter_broadcast):
    """ValueError if Parameters have to be sent and the mode is "stand_alone"."""
    if parameter_broadcast is True and parallel_mode == "stand_alone":
        raise ValueError("[parallel] parameter_broadcast, got True, expected False for stand_alone")
