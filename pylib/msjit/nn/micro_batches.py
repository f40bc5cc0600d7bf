"""Networks called on equal parts of a batch. MindSpore divides some of this work over processes; here one process does it all."""
from .cell import Cell


class _Parts(Cell):
    """Splits the inputs along axis 0 into equal parts, calls the network on each, and returns the sum of the results."""

    _what = "micro_size"

    def __init__(self, network, count):
        super().__init__(auto_prefix=False)
        where = self._where = type(self).__name__
        if not isinstance(network, Cell):
            raise TypeError("[%s] network must be a Cell, got %s" % (where, type(network).__name__))
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError("[%s] %s must be an int, got %s" % (where, self._what, type(count).__name__))
        if count <= 0:
            raise ValueError("[%s] %s must be positive, got %d" % (where, self._what, count))
        self.network, self._count = network, count

    def construct(self, *inputs):
        for x in inputs:
            if x.shape[0] % self._count:
                raise ValueError("[%s] first size of the inputs, got %d in shape %s, expected a multiple of %d"
                                 % (self._where, x.shape[0], tuple(x.shape), self._count))
        found = None
        for i in range(self._count):
            parts = []
            for x in inputs:
                size = x.shape[0] // self._count
                parts.append(x[i * size:(i + 1) * size])
            out = self.network(*parts)
            found = out if found is None else found + out
        return found


class GradAccumulationCell(_Parts):
    """Calls the network on `micro_size` equal parts of the batch (axis 0) and sums the results: less memory at a time, the gradient of all.

    Raises ValueError for a batch that micro_size does not divide and for a micro_size below 1, TypeError for one that is no int and for a network
    that is no Cell.
    """

    def __init__(self, network, micro_size):
        super().__init__(network, micro_size)
        self.micro_size = micro_size


class PipelineCell(GradAccumulationCell):
    """The same as GradAccumulationCell. Pipeline stages in several processes are not supported.

    Raises NotImplementedError where stage_config or segment_config is given.
    """

    def __init__(self, network, micro_size, stage_config=None, segment_config=None):
        for name, value in (("stage_config", stage_config), ("segment_config", segment_config)):
            if value is not None:
                raise NotImplementedError("[%s] %s, got %r, expected None: networks are not divided over processes"
                                          % (type(self).__name__, name, value))
        super().__init__(network, micro_size)


class MicroBatchInterleaved(_Parts):
    """Calls the network on `interleave_num` equal parts of the batch (axis 0) and sums the results. Errors are those of GradAccumulationCell."""

    _what = "interleave_num"

    def __init__(self, network, interleave_num=2):
        super().__init__(network, interleave_num)
        self.interleave_num = interleave_num


class _MicroBatch(Cell):
    """Returns part i of micro_size equal parts of each input, cut along axis 0: construct(i, *inputs) is a tuple."""

    def __init__(self, micro_size):
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i, *inputs):
        parts = []
        for x in inputs:
            size = x.shape[0] // self.micro_size
            parts.append(x[i * size:(i + 1) * size])
        return tuple(parts)


class VirtualDatasetCellTriple(Cell):
    """Calls backbone(a, b, c). In MindSpore it says how the three inputs are divided over processes."""

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, a, b, c):
        return self._backbone(a, b, c)


def _needs_more(name, what):
    def init(self, *args, **kwargs):
        raise NotImplementedError("[%s] is not offered: %s" % (name, what))
    return type(name, (Cell,), {"__init__": init, "__module__": __name__, "__doc__": "Not offered: %s." % what})


PipelineGradReducer = _needs_more("PipelineGradReducer", "gradients of stages")
AdaSumByGradWrapCell = _needs_more("AdaSumByGradWrapCell", "AdaSum of gradients")
AdaSumByDeltaWeightWrapCell = _needs_more("AdaSumByDeltaWeightWrapCell", "AdaSum of weights")
OptTFTWrapper = _needs_more("OptTFTWrapper", "fault tolerance of several machines")
GetNextSingleOp = _needs_more("GetNextSingleOp", "queues of a device")
