"""Mixed precision: casting networks and scaling losses."""
from .common import dtype as mstype
from .common.tensor import Tensor
from .nn.cell import Cell


def auto_mixed_precision(network, amp_level="O0", dtype=mstype.float16):
    """O0 leaves the network; O2 and O3 make it compute in `dtype`. Returns the network."""
    if amp_level not in ("O0", "O1", "O2", "O3", "auto"):
        raise ValueError("[amp] amp_level, got %r, expected 'O0' to 'O3'" % (amp_level,))
    if not isinstance(network, Cell):
        raise TypeError("[amp] network must be a Cell, got %s" % type(network).__name__)
    if amp_level in ("O2", "O3"):
        network.to_float(dtype)
        for param in network.get_parameters():
            if param.dtype == mstype.float32:
                param.assign_value(param.astype(dtype))
    return network


def build_train_network(network, optimizer, loss_fn=None, level="O0", **kwargs):
    """A training step of network, loss and optimizer."""
    from .nn.wrap import TrainOneStepCell, WithLossCell
    auto_mixed_precision(network, level)
    return TrainOneStepCell(network if loss_fn is None else WithLossCell(network, loss_fn), optimizer)


def all_finite(inputs):
    """True (a Tensor) when no element is infinite or NaN."""
    return Tensor(all(bool((x * 0 == 0).all()) for x in inputs), mstype.bool_)


class StaticLossScaler:
    """A constant factor for the loss."""

    def __init__(self, scale_value):
        if not scale_value >= 1:
            raise ValueError("[loss_scaler] scale_value must be at least 1, got %s" % scale_value)
        self.scale_value = Tensor(float(scale_value), mstype.float32)

    def scale(self, inputs):
        """Multiplies a tensor or a tuple of them."""
        return _each(inputs, lambda x: x * self.scale_value.astype(x.dtype))

    def unscale(self, inputs):
        """Divides a tensor or a tuple of them."""
        return _each(inputs, lambda x: x / self.scale_value.astype(x.dtype))

    def adjust(self, grads_finite):
        """Nothing changes; returns False."""
        return False


class DynamicLossScaler(StaticLossScaler):
    """A factor that grows after scale_window good steps and shrinks on overflow."""

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        self.scale_factor, self.scale_window, self.counter = scale_factor, scale_window, 0

    def adjust(self, grads_finite):
        """Updates the factor; returns True when it changed."""
        value = float(self.scale_value.asnumpy())
        if not bool(grads_finite):
            self.counter, new = 0, max(1.0, value / self.scale_factor)
        else:
            self.counter += 1
            if self.counter < self.scale_window:
                return False
            self.counter, new = 0, value * self.scale_factor
        self.scale_value = Tensor(new, mstype.float32)
        return new != value


class FixedLossScaleManager:
    """A constant loss scale for Model."""

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        self._loss_scale, self._drop = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Whether steps with overflow are skipped."""
        return self._drop

    def update_loss_scale(self, overflow):
        """Nothing changes."""


class DynamicLossScaleManager(FixedLossScaleManager):
    """A loss scale that follows overflows."""

    def __init__(self, init_loss_scale=2.0**24, scale_factor=2, scale_window=2000):
        super().__init__(init_loss_scale)
        self.scale_factor, self.scale_window, self._good = scale_factor, scale_window, 0

    def update_loss_scale(self, overflow):
        """Halves on overflow, grows after scale_window good steps."""
        if overflow:
            self._loss_scale, self._good = max(1.0, self._loss_scale / self.scale_factor), 0
            return
        self._good += 1
        if self._good >= self.scale_window:
            self._loss_scale, self._good = self._loss_scale * self.scale_factor, 0


def _each(inputs, fn):
    return fn(inputs) if isinstance(inputs, Tensor) else tuple([fn(x) for x in inputs])
