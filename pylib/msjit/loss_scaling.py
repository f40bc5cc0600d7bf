"""Scaling of losses, so that small gradients are no zeros in 16 bits; msjit.amp offers these names."""
from . import ops
from .common import dtype as mstype
from .common.parameter import Parameter
from .common.tensor import Tensor, check_tensor
from .nn.wrap_scaled import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell


def all_finite(inputs):
    """Says whether no element is infinite or NaN: a Tensor of one bool, for a Tensor or nested tuples and lists of them.

    Raises ValueError where there are no tensors, TypeError for anything but Tensors.
    """
    finite = None
    for x in _flat(inputs):
        here = ops.isfinite(check_tensor(x, "all_finite")).all()
        finite = here if finite is None else ops.logical_and(finite, here)
    if finite is None:
        raise ValueError("[all_finite] there are no tensors")
    return finite


def _grad_scale_map(scale_value, inputs):
    """A tensor, or each of a tuple, multiplied by a scale."""
    return _each(inputs, lambda x: x * ops.cast(scale_value, x.dtype))


def _grad_unscale_map(scale_value, inputs):
    """A tensor, or each of a tuple, divided by a scale."""
    return _each(inputs, lambda x: x / ops.cast(scale_value, x.dtype))


class LossScaler:
    """Base class of objects that scale the loss of a training step, so that small gradients are no zeros in 16 bits.

    A step scales the loss, unscales the gradients, and calls adjust with whether all of them are finite.
    """

    def scale(self, inputs):
        """Multiplies a tensor, or each of a tuple, by the scale. Every subclass defines its own."""
        raise NotImplementedError

    def unscale(self, inputs):
        """Divides a tensor, or each of a tuple, by the scale. Every subclass defines its own."""
        raise NotImplementedError

    def adjust(self, grads_finite):
        """Changes the scale, given whether the gradients were finite (a Tensor or a bool). Every subclass defines its own."""
        raise NotImplementedError


class StaticLossScaler(LossScaler):
    """Scales the loss by a constant factor. Raises TypeError for a scale_value that is no number, ValueError for one below 1.

    >>> import msjit as ms
    >>> scaler = ms.amp.StaticLossScaler(8.0)
    >>> float(scaler.scale(ms.Tensor(2.0))), float(scaler.unscale(ms.Tensor(16.0)))
    (16.0, 2.0)
    """

    def __init__(self, scale_value):
        if isinstance(scale_value, bool) or not isinstance(scale_value, (int, float)):
            raise TypeError("[loss_scaler] scale_value must be a number, got %s" % type(scale_value).__name__)
        if not scale_value >= 1:
            raise ValueError("[loss_scaler] scale_value must be at least 1, got %s" % (scale_value,))
        self.scale_value = Parameter(Tensor(float(scale_value), mstype.float32), name="scale_value", requires_grad=False)

    def scale(self, inputs):
        """Multiplies a tensor, or each of a tuple, by the scale, in its own dtype. Raises TypeError for anything but Tensors."""
        return _grad_scale_map(self.scale_value.detach(), inputs)

    def unscale(self, inputs):
        """Divides a tensor, or each of a tuple, by the scale, in its own dtype. Raises TypeError for anything but Tensors."""
        scale = self.scale_value.detach()
        return _each(inputs, lambda x: x / ops.cast(scale, x.dtype))

    def adjust(self, grads_finite):
        """Changes nothing, because the scale is constant; returns False."""
        return False


class DynamicLossScaler(StaticLossScaler):
    """Scales the loss by a factor that follows overflows: multiplied by scale_factor after scale_window finite steps in a row, else divided by it.

    It starts at scale_value, and a step that is not finite divides it, but not below 1. Raises TypeError for a scale_value that is no number,
    ValueError for one below 1, and for a scale_factor and a scale_window that are no positive ints.

    >>> import msjit as ms
    >>> scaler = ms.amp.DynamicLossScaler(8.0, 2, 1)
    >>> _ = scaler.adjust(ms.Tensor(False)), scaler.adjust(ms.Tensor(True)), scaler.adjust(ms.Tensor(True))
    >>> float(scaler.scale_value)
    16.0
    """

    def __init__(self, scale_value, scale_factor, scale_window):
        super().__init__(scale_value)
        self.scale_factor = _positive(scale_factor, "loss_scaler", "scale_factor")
        self.scale_window = _positive(scale_window, "loss_scaler", "scale_window")
        self.counter = Parameter(Tensor(0, mstype.int32), name="counter", requires_grad=False)

    def adjust(self, grads_finite):
        """Multiplies the scale after scale_window finite steps in a row, divides it after one that is not, but not below 1; returns True.

        grads_finite is a Tensor or a bool, as all_finite returns it. Raises TypeError for None, text and containers.
        """
        scale, counter = self.scale_value.detach(), self.counter.detach()
        if grads_finite is None or isinstance(grads_finite, (str, tuple, list, dict)):
            raise TypeError("[loss_scaler] grads_finite, got %s, expected a Tensor or a bool" % type(grads_finite).__name__)
        good = grads_finite if isinstance(grads_finite, Tensor) else Tensor(bool(grads_finite))
        grown = scale * self.scale_factor
        grows = ops.logical_and(counter == self.scale_window - 1, ops.isfinite(grown))
        kept = ops.where(grows, grown, scale)
        ops.assign(self.scale_value, ops.where(good, kept, ops.maximum(scale / self.scale_factor, 1)))
        counted = (counter + 1) % self.scale_window
        ops.assign(self.counter, ops.where(good, counted, ops.zeros_like(counted)))
        return True


class LossScaleManager:
    """Base class of the objects from which Model gets the loss scale. Subclasses define all three methods; here they raise NotImplementedError."""

    def get_loss_scale(self):
        """Returns the scale, a number."""
        raise NotImplementedError

    def update_loss_scale(self, overflow):
        """Changes the scale after a step; overflow says whether a gradient was infinite or NaN."""
        raise NotImplementedError

    def get_update_cell(self):
        """Returns the Cell that changes the scale within a training step, or None."""
        raise NotImplementedError


class FixedLossScaleManager(LossScaleManager):
    """A constant loss scale for Model. With drop_overflow_update a step whose gradients are not all finite changes nothing.

    Raises ValueError for a loss_scale below 1.
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        if loss_scale < 1:
            raise ValueError("[loss_scale_manager] loss_scale must be at least 1, got %s" % (loss_scale,))
        self._loss_scale, self._drop = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """Returns the scale, the number that was given."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Returns whether a step with overflow changes nothing."""
        return self._drop

    def update_loss_scale(self, overflow):
        """Changes nothing, because the scale is constant."""

    def get_update_cell(self):
        """Returns a FixedLossScaleUpdateCell if steps with overflow are skipped, else None."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale for Model that is divided by scale_factor after a step with overflow, and multiplied by it after scale_window other steps.

    Steps with overflow change no Parameters. Raises ValueError for an init_loss_scale below 1 and numbers that are not positive.
    """

    def __init__(self, init_loss_scale=2 ** 24, scale_factor=2, scale_window=2000):
        if init_loss_scale < 1:
            raise ValueError("[loss_scale_manager] init_loss_scale must be at least 1, got %s" % (init_loss_scale,))
        self.scale_window = _positive(scale_window, "loss_scale_manager", "scale_window")
        if scale_factor <= 0:
            raise ValueError("[loss_scale_manager] scale_factor must be positive, got %s" % (scale_factor,))
        self.loss_scale, self.scale_factor = init_loss_scale, scale_factor
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter, self.bad_step_max, self.bad_step = 1, 0, 1000, 0

    def get_loss_scale(self):
        """Returns the scale as it is now, a number."""
        return self.loss_scale

    def get_drop_overflow_update(self):
        """Returns True: steps with overflow change no Parameters."""
        return True

    def update_loss_scale(self, overflow):
        """Divides the scale by scale_factor on overflow, but not below 1; multiplies it after every scale_window steps without.

        Raises RuntimeError after more than 1000 overflows in a row.
        """
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter, self.bad_step = self.cur_iter, self.bad_step + 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError("[loss_scale_manager] overflow in %d steps one after the other" % self.bad_step)
        self.cur_iter += 1

    def get_update_cell(self):
        """Returns a DynamicLossScaleUpdateCell, which does the same within a training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


def _positive(value, where, what):
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise ValueError("[%s] %s must be a positive int, got %s" % (where, what, value))
    return value


def _each(inputs, fn):
    if isinstance(inputs, (tuple, list)):
        return tuple([_each(x, fn) for x in inputs])
    return fn(check_tensor(inputs, "loss_scaler"))


def _flat(inputs):
    if not isinstance(inputs, (tuple, list)):
        return [inputs]
    return [x for part in inputs for x in _flat(part)]
