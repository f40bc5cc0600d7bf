"""Learning rates over time: functions that return a list with one value for each step, and schedules as Cells."""
import math

from ..common import dtype as mstype
from ..common.tensor import Tensor
from ..ops import registry as _k
from .basic import positive_int
from .cell import Cell

# -- checks: a rate must be a float; MindSpore refuses ints too -------------------------------------------------------------


def _rate(value, where, what, zero=False):
    if not isinstance(value, float):
        raise TypeError("[%s] %s must be a float, got %s" % (where, what, type(value).__name__))
    if not (value >= 0 if zero else value > 0):
        raise ValueError("[%s] %s must be %s, got %s" % (where, what, "0 or more" if zero else "positive", value))
    return value


def _flag(value, where, what):
    if not isinstance(value, bool):
        raise TypeError("[%s] %s must be a bool, got %s" % (where, what, type(value).__name__))
    return value


def _bounds(min_lr, max_lr, where):
    _rate(min_lr, where, "min_lr", True)
    _rate(max_lr, where, "max_lr")
    if not min_lr < max_lr:
        raise ValueError("[%s] min_lr must be below max_lr, got %s and %s" % (where, min_lr, max_lr))


def _steps(where, total_step, step_per_epoch, epoch, name="decay_epoch"):
    positive_int(total_step, where, "total_step")
    positive_int(step_per_epoch, where, "step_per_epoch")
    positive_int(epoch, where, name)


def _decays(where, learning_rate, decay_rate, is_stair):
    _rate(learning_rate, where, "learning_rate")
    _rate(decay_rate, where, "decay_rate")
    _flag(is_stair, where, "is_stair")


def _polynomial_args(where, learning_rate, end_learning_rate, power):
    _rate(learning_rate, where, "learning_rate")
    _rate(end_learning_rate, where, "end_learning_rate", True)
    _rate(power, where, "power")


# -- lists with one value for each step ------------------------------------------------------------------------------------------------


def piecewise_constant_lr(milestone, learning_rates):
    """Returns a list of rates, one for each step: learning_rates[i] from step milestone[i - 1] (0 for the first) up to, but without, milestone[i].

    Raises ValueError for milestones that do not increase and for lists of two lengths, TypeError for anything but lists or tuples, ints and
    floats.
    """
    where = "piecewise_constant_lr"
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, (tuple, list)):
            raise TypeError("[%s] %s must be a tuple or a list, got %s" % (where, name, type(value).__name__))
    if len(milestone) != len(learning_rates):
        raise ValueError("[%s] milestone and learning_rates must have the same length, got %d and %d"
                         % (where, len(milestone), len(learning_rates)))
    rates, last = [], 0
    for end, rate in zip(milestone, learning_rates):
        if positive_int(end, where, "milestone") <= last:
            raise ValueError("[%s] milestones must increase, got %s" % (where, list(milestone)))
        if not isinstance(rate, float):
            raise TypeError("[%s] learning_rates must be floats, got %s" % (where, type(rate).__name__))
        rates += [rate] * (end - last)
        last = end
    return rates


def exponential_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """Returns the rates of an exponential decay: learning_rate * decay_rate ** (epoch / decay_epoch).

    With is_stair the exponent is rounded down. Raises ValueError for rates that are not positive and for counts below 1, TypeError for other
    types.
    """
    _decays("exponential_decay_lr", learning_rate, decay_rate, is_stair)
    _steps("exponential_decay_lr", total_step, step_per_epoch, decay_epoch)
    return [learning_rate * decay_rate ** _ratio(i // step_per_epoch, decay_epoch, is_stair) for i in range(total_step)]


def natural_exp_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """Returns the rates of a natural exponential decay: learning_rate * exp(-decay_rate * epoch).

    With is_stair the epoch is rounded down to a multiple of decay_epoch. Raises ValueError for rates that are not positive and for counts below
    1, TypeError for other types.
    """
    _decays("natural_exp_decay_lr", learning_rate, decay_rate, is_stair)
    _steps("natural_exp_decay_lr", total_step, step_per_epoch, decay_epoch)
    rates = []
    for i in range(total_step):
        epoch = i // step_per_epoch
        rates.append(learning_rate * math.exp(-decay_rate * (epoch // decay_epoch * decay_epoch if is_stair else epoch)))
    return rates


def inverse_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """Returns the rates of an inverse decay: learning_rate / (1 + decay_rate * epoch / decay_epoch).

    With is_stair the quotient epoch / decay_epoch is rounded down. Raises ValueError for rates that are not positive and for counts below 1,
    TypeError for other types.
    """
    _decays("inverse_decay_lr", learning_rate, decay_rate, is_stair)
    _steps("inverse_decay_lr", total_step, step_per_epoch, decay_epoch)
    return [learning_rate / (1 + decay_rate * _ratio(i // step_per_epoch, decay_epoch, is_stair))
            for i in range(total_step)]


def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch):
    """Returns the rates of a cosine decay: half a cosine from max_lr to min_lr over decay_epoch epochs.

    Raises ValueError unless min_lr is below max_lr and for counts below 1, TypeError for rates that are no floats and counts that are no ints.

    >>> from msjit import nn
    >>> rates = nn.cosine_decay_lr(0.0, 1.0, total_step=4, step_per_epoch=1, decay_epoch=2)
    >>> [round(rate, 2) for rate in rates]
    [1.0, 0.5, 0.0, 0.0]
    """
    _bounds(min_lr, max_lr, "cosine_decay_lr")
    _steps("cosine_decay_lr", total_step, step_per_epoch, decay_epoch)
    return [_cosine(min_lr, max_lr, min(i // step_per_epoch, decay_epoch), decay_epoch) for i in range(total_step)]


def polynomial_decay_lr(learning_rate, end_learning_rate, total_step, step_per_epoch, decay_epoch, power,
                        update_decay_epoch=False):
    """Returns the rates of a polynomial decay from learning_rate to end_learning_rate over decay_epoch epochs.

    The rate is (first - last) * (1 - epoch / decay_epoch) ** power + last. update_decay_epoch raises decay_epoch to the next multiple that the
    epoch has not passed. Raises ValueError for a learning_rate that is not positive, a negative
    end_learning_rate and counts below 1, TypeError for other types.
    """
    _polynomial_args("polynomial_decay_lr", learning_rate, end_learning_rate, power)
    _flag(update_decay_epoch, "polynomial_decay_lr", "update_decay_epoch")
    _steps("polynomial_decay_lr", total_step, step_per_epoch, decay_epoch)
    rates = []
    for i in range(total_step):
        epoch, span = i // step_per_epoch, decay_epoch
        if update_decay_epoch:
            span = decay_epoch * max(math.ceil(epoch / decay_epoch), 1)
        rates.append(_polynomial(learning_rate, end_learning_rate, min(epoch, span), span, power))
    return rates


def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch):
    """Returns a list of total_step rates of a warm-up: learning_rate * min(step // step_per_epoch, warmup_epoch) / warmup_epoch.

    So the rate rises by the epoch, from 0 to learning_rate. Raises ValueError for counts below 1 and a negative rate, TypeError for counts that
    are no ints and a rate that is no float.
    """
    _rate(learning_rate, "warmup_lr", "learning_rate", True)
    _steps("warmup_lr", total_step, step_per_epoch, warmup_epoch, "warmup_epoch")
    return [learning_rate * min(i // step_per_epoch, warmup_epoch) / warmup_epoch for i in range(total_step)]


# -- schedules -------------------------------------------------------------------------------------------------------


class LearningRateSchedule(Cell):
    """Base class of schedules, which optimizers take as learning_rate. Called with the step number, a Tensor, it returns the rate as a Tensor.

    A subclass defines construct(global_step). The step counts from 0.

    >>> import msjit as ms
    >>> class Halved(ms.nn.LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 0.5 ** global_step.astype(ms.float32)
    >>> weight = ms.Parameter(ms.Tensor([1.0]), name="weight")
    >>> optimizer = ms.nn.SGD([weight], Halved())
    >>> done = [optimizer((ms.Tensor([0.5]),)) for _ in range(2)]  # rates 1 and 0.5
    >>> weight.asnumpy().tolist()
    [0.25]
    """

    def construct(self, global_step):
        raise NotImplementedError("[learning_rate_schedule] %s defines no construct" % type(self).__name__)


class _Schedule(LearningRateSchedule):
    """A schedule whose subclasses define _rate(step), the formula, for numbers and for float32 Tensors.

    Optimizers call rate_at, a float for a number. It is None where a program overrides construct, as only construct tells the rate then.
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "construct" in cls.__dict__:
            cls.rate_at = None

    def _rate(self, step):
        raise NotImplementedError("[learning_rate_schedule] %s defines no _rate" % type(self).__name__)

    def rate_at(self, step):
        """The rate of a step that is a number."""
        return self._rate(step)

    def construct(self, global_step):
        if isinstance(global_step, (int, float)):
            return Tensor(self._rate(global_step), mstype.float32)
        if not isinstance(global_step, Tensor):
            raise TypeError("[learning_rate_schedule] global_step must be a Tensor or a number, got %s"
                            % type(global_step).__name__)
        return self._rate(_k.cast(global_step, mstype.float32))


class ExponentialDecayLR(_Schedule):
    """Exponential decay: learning_rate * decay_rate ** (step / decay_steps); is_stair rounds the exponent down.

    The step counts from 0. Raises TypeError for rates that are no floats and ValueError for those out of range.
    """

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        super().__init__()
        where = type(self).__name__
        _decays(where, learning_rate, decay_rate, is_stair)
        self.learning_rate, self.decay_rate, self.is_stair = learning_rate, decay_rate, is_stair
        self.decay_steps = positive_int(decay_steps, where, "decay_steps")

    def _rate(self, step):
        return self.learning_rate * self.decay_rate ** _ratio(step, self.decay_steps, self.is_stair)


class NaturalExpDecayLR(ExponentialDecayLR):
    """Natural exponential decay: learning_rate * exp(-decay_rate * step); is_stair rounds the step down to a multiple of decay_steps.

    The step counts from 0. Raises TypeError for rates that are no floats and ValueError for those out of range.
    """

    def _rate(self, step):
        if self.is_stair:
            step = _ratio(step, self.decay_steps, True) * self.decay_steps
        exponent = -self.decay_rate * step
        return self.learning_rate * (_k.exp(exponent) if isinstance(step, Tensor) else math.exp(exponent))


class InverseDecayLR(ExponentialDecayLR):
    """Inverse decay: learning_rate / (1 + decay_rate * step / decay_steps); is_stair rounds the quotient down.

    The step counts from 0. Raises TypeError for rates that are no floats and ValueError for those out of range.
    """

    def _rate(self, step):
        return self.learning_rate / (1 + self.decay_rate * _ratio(step, self.decay_steps, self.is_stair))


class CosineDecayLR(_Schedule):
    """Cosine decay: min_lr + (max_lr - min_lr) * (1 + cos(pi * step / decay_steps)) / 2, and min_lr after decay_steps.

    The step counts from 0. Raises TypeError for rates that are no floats and ValueError for those out of range.
    """

    def __init__(self, min_lr, max_lr, decay_steps):
        super().__init__()
        _bounds(min_lr, max_lr, "CosineDecayLR")
        self.min_lr, self.max_lr = min_lr, max_lr
        self.decay_steps = positive_int(decay_steps, "CosineDecayLR", "decay_steps")

    def _rate(self, step):
        return _cosine(self.min_lr, self.max_lr, _at_most(step, self.decay_steps), self.decay_steps)


class PolynomialDecayLR(_Schedule):
    """Polynomial decay from learning_rate to end_learning_rate: (first - last) * (1 - step / decay_steps) ** power + last, then the last rate.

    update_decay_steps puts the next multiple of decay_steps that the step has not passed in its place. The step counts from 0. Raises
    TypeError for rates that are no floats and ValueError for those out of range.
    """

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False):
        super().__init__()
        _polynomial_args("PolynomialDecayLR", learning_rate, end_learning_rate, power)
        self.learning_rate, self.end_learning_rate, self.power = learning_rate, end_learning_rate, power
        self.decay_steps = positive_int(decay_steps, "PolynomialDecayLR", "decay_steps")
        self.update_decay_steps = _flag(update_decay_steps, "PolynomialDecayLR", "update_decay_steps")

    def _rate(self, step):
        span = self.decay_steps
        if self.update_decay_steps:
            turns = step / span
            span *= _k.maximum(_k.ceil(turns), 1.0) if isinstance(step, Tensor) else max(math.ceil(turns), 1)
        return _polynomial(self.learning_rate, self.end_learning_rate, _at_most(step, span), span, self.power)


class WarmUpLR(_Schedule):
    """Warm-up: linear from 0 in step 0 to learning_rate in step warmup_steps, which then stays.

    The step counts from 0. Raises TypeError for rates that are no floats and ValueError for those out of range.
    """

    def __init__(self, learning_rate, warmup_steps):
        super().__init__()
        self.learning_rate = _rate(learning_rate, "WarmUpLR", "learning_rate", True)
        self.warmup_steps = positive_int(warmup_steps, "WarmUpLR", "warmup_steps")

    def _rate(self, step):
        return self.learning_rate * _at_most(step, self.warmup_steps) / self.warmup_steps


# -- formulas, for numbers and for Tensors: the steps of a Tensor stay one, so that graphs go through ------------------------------


def _ratio(step, span, is_stair):
    if not is_stair:
        return step / span
    return _k.floor(step / span) if isinstance(step, Tensor) else step // span


def _at_most(step, span):
    return _k.minimum(step, span) if isinstance(step, Tensor) else min(step, span)


def _cosine(low, high, step, span):
    angle = math.pi * step / span
    return low + 0.5 * (high - low) * (1 + (_k.cos(angle) if isinstance(step, Tensor) else math.cos(angle)))


def _polynomial(first, last, step, span, power):
    return (first - last) * (1 - step / span) ** power + last


__all__ = ["cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr",
           "polynomial_decay_lr", "warmup_lr", "CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "NaturalExpDecayLR",
           "PolynomialDecayLR", "WarmUpLR"]
