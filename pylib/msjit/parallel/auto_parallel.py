"""AutoParallel: runs a network that MindSpore would divide over processes in one process."""
from ..communication import get_group_size
from ..nn import Cell
from .layouts import Layout

_DIVIDES = "networks are not divided over processes; data-parallel training is offered"
_MODES = ("semi_auto", "sharding_propagation", "recursive_programming")
_SCHEDULES = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")


class AutoParallel(Cell):
    """Calls the whole network in one process. Parameters that `no_init_parameters` left without values get them at the first call.

    Settings about the communication between processes are checked and change nothing. Settings that need several processes, and
    files of strategies, raise. ValueError for another parallel_mode, TypeError for a network that is no Cell, NotImplementedError
    if the program runs in several processes.
    """

    def __init__(self, network, parallel_mode="semi_auto"):
        super().__init__(auto_prefix=False)
        if not isinstance(network, Cell):
            raise TypeError("[AutoParallel] network, got %s, expected a Cell" % type(network).__name__)
        if parallel_mode not in _MODES:
            raise ValueError("[AutoParallel] parallel_mode, got %r, expected one of %s" % (parallel_mode, ", ".join(_MODES)))
        if get_group_size() > 1:
            raise NotImplementedError("[AutoParallel] processes, got %d, expected 1: %s" % (get_group_size(), _DIVIDES))
        self.network = network
        self._to_fill = True

    def construct(self, *args, **kwargs):
        """The result of the network."""
        if self._to_fill:
            self._to_fill = False
            self.network.init_parameters_data()
        return self.network(*args, **kwargs)

    def no_init_parameters_in_compile(self):
        """The program fills Parameters itself."""
        self._to_fill = False

    def dataset_strategy(self, config):
        """How rows are divided: "full_batch", "data_parallel", or a tuple that has a tuple of ones, or a Layout, for each input. ValueError for
        other texts and if an input would be divided, TypeError for other types."""
        if isinstance(config, str):
            if config not in ("full_batch", "data_parallel"):
                raise ValueError("[dataset_strategy] config, got %r, expected 'full_batch', 'data_parallel' or a tuple" % (config,))
            return
        if config is None:
            raise ValueError("[dataset_strategy] config, got None, expected a str or a tuple")
        if isinstance(config, Layout):
            return
        if not isinstance(config, tuple):
            raise TypeError("[dataset_strategy] config, got %s, expected a str, a tuple or a Layout" % type(config).__name__)
        for item in config:
            if not isinstance(item, (tuple, Layout)):
                raise TypeError("[dataset_strategy] member of config, got %s, expected a tuple or a Layout" % type(item).__name__)
            if isinstance(item, tuple) and any(part != 1 for part in item):
                raise ValueError("[dataset_strategy] parts of an input, got %r, expected ones: there is one process" % (item,))

    def hsdp(self, shard_size=-1, threshold=64, optimizer_level="level1"):
        """How the state of optimizers is divided over processes; ValueError for numbers and levels that MindSpore does not know."""
        if not isinstance(shard_size, int) or shard_size < 1 and shard_size != -1:
            raise ValueError("[hsdp] shard_size, got %r, expected -1 or a positive int" % (shard_size,))
        if not isinstance(threshold, int) or threshold < 0:
            raise ValueError("[hsdp] threshold, got %r, expected an int of 0 or more" % (threshold,))
        if optimizer_level not in ("level1", "level2", "level3"):
            raise ValueError("[hsdp] optimizer_level, got %r, expected 'level1', 'level2' or 'level3'" % (optimizer_level,))

    def pipeline(self, stages=1, output_broadcast=False, interleave=False, scheduler="1f1b"):
        """Into how many stages the network is divided, which must be one. ValueError for more, and for another scheduler; TypeError for
        other types."""
        for name, value, kind in (("stages", stages, int), ("output_broadcast", output_broadcast, bool), ("interleave", interleave, bool),
                                  ("scheduler", scheduler, str)):
            if not isinstance(value, kind):
                raise TypeError("[pipeline] %s, got %s, expected %s" % (name, type(value).__name__, kind.__name__))
        if stages != 1:
            raise ValueError("[pipeline] stages, got %d, expected 1: there is one process" % stages)
        if scheduler not in _SCHEDULES:
            raise ValueError("[pipeline] scheduler, got %r, expected one of %s" % (scheduler, ", ".join(_SCHEDULES)))

    def get_pipeline_stages(self):
        """One."""
        return 1

    def comm_fusion(self, config):
        """Which messages between processes are sent together; TypeError for anything but a dict."""
        if not isinstance(config, dict):
            raise TypeError("[comm_fusion] config, got %s, expected a dict" % type(config).__name__)

    def enable_fp32_communication(self):
        """In which dtype gradients travel between processes."""

    def enable_gradients_mean(self):
        """Whether gradients of several processes are averaged."""

    def disable_gradient_fp32_sync(self):
        """The dtype in which gradients of several processes are added."""

    def disable_loss_repeated_mean(self):
        """Whether a loss that several processes compute is divided by their number."""


def _refusal(name):
    def method(self, *args, **kwargs):
        raise NotImplementedError("[AutoParallel] %s is not offered: %s" % (name, _DIVIDES))
    method.__name__, method.__doc__ = name, "Not offered."
    return method


for _name in """load_param_strategy_file save_param_strategy_file disable_strategy_file_only_for_trainable_params save_operator_strategy_file
        load_operator_strategy_file set_group_ckpt_save_file print_local_norm dump_local_norm enable_device_local_norm transformer_opt""".split():
    setattr(AutoParallel, _name, _refusal(_name))

__all__ = ["AutoParallel"]
