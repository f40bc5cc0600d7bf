"""Dropout layers, of single elements and of whole channels."""
from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_operand
from ..common.tensor import check_tensor
from .cell import Cell


class Dropout(Cell):
    """In training, sets each element to 0 with probability p (or 1 - keep_prob) and divides the others by 1 - p (Srivastava et al. 2014).

    The input is a Tensor of floats of any shape. Without training, or for p = 0, it is returned as it is. Raises ValueError for a p
    outside [0, 1).

    >>> import msjit as ms
    >>> drop, x = ms.nn.Dropout(p=0.5), ms.ops.ones((1000,), ms.float32)
    >>> sorted(set(drop.set_train()(x).asnumpy().tolist())), float(drop.set_train(False)(x).sum())
    ([0.0, 2.0], 1000.0)
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=mstype.float32):
        super().__init__()
        drop = 1.0 - check_operand(keep_prob, "dropout", "keep_prob") if p is None else p
        if isinstance(drop, bool) or not isinstance(drop, (int, float)):
            raise TypeError("[dropout] p must be a float, got %s" % type(drop).__name__)
        if not 0 <= drop < 1:
            raise ValueError("[dropout] p must be in [0, 1), got %s" % (drop,))
        self.p = float(drop)
        self.keep_prob, self._by_p = 1.0 - self.p, p is not None
        self.dropout = ops.Dropout(self.keep_prob)

    def construct(self, x):
        if not self.training or self.p == 0:
            return x
        return ops.dropout(x, p=self.p, training=True)

    def extend_repr(self):
        return "p=%s" % self.p if self._by_p else "keep_prob=%s" % self.keep_prob


class _ChannelDropout(Cell):
    """In training, sets whole channels to 0 with probability p and scales the others by 1 / (1 - p)."""

    _ranks = (3,)

    def __init__(self, p=0.5):
        super().__init__()
        where = type(self).__name__
        if not isinstance(p, float):
            raise TypeError("[%s] p must be a float, got %s" % (where, type(p).__name__))
        if not 0 <= p <= 1:
            raise ValueError("[%s] p must be in [0, 1], got %s" % (where, p))
        self.p = p

    def construct(self, x):
        if check_tensor(x, type(self).__name__).ndim not in self._ranks:
            raise ValueError("[%s] rank of the input, got %d, expected one of %s"
                             % (type(self).__name__, x.ndim, self._ranks))
        if not self.training or self.p == 0:
            return x
        channels = x.shape[:2] if x.ndim == self._ranks[-1] else x.shape[:1]
        mask = ops.dropout(ops.ones(channels + (1,) * (x.ndim - len(channels)), x.dtype), self.p, True)
        return x * mask

    def extend_repr(self):
        return "p=%s" % (1.0 - self.p)  # the share that is kept, as MindSpore prints it


class Dropout1d(_ChannelDropout):
    """In training, sets whole channels of (N, C, L) or (C, L) to 0 with probability p and scales the others by 1 / (1 - p) (Tompson et al. 2015).

    Else it returns its input. Raises ValueError for a p outside [0, 1] and for another rank, TypeError for a p that is no float.
    """

    _ranks = (2, 3)

    def extend_repr(self):
        return ""


class Dropout2d(_ChannelDropout):
    """In training, sets whole channels of (N, C, H, W) to 0 with probability p and scales the others by 1 / (1 - p) (Tompson et al. 2015).

    Else it returns its input. Raises ValueError for a p outside [0, 1] and for another rank, TypeError for a p that is no float.
    """

    _ranks = (4,)


class Dropout3d(_ChannelDropout):
    """In training, sets whole channels of (N, C, D, H, W) to 0 with probability p and scales the others by 1 / (1 - p) (Tompson et al. 2015).

    Else it returns its input. Raises ValueError for a p outside [0, 1] and for another rank, TypeError for a p that is no float.
    """

    _ranks = (5,)
