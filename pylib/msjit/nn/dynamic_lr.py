"""Learning rates over time: lists with one value a step, and schedules as objects."""
import math


def piecewise_constant_lr(milestone, learning_rates):
    """learning_rates[i] for the steps before milestone[i]."""
    if len(milestone) != len(learning_rates):
        raise ValueError("[piecewise_constant_lr] milestone and learning_rates must have the same length, got %d and %d"
                         % (len(milestone), len(learning_rates)))
    rates, last = [], 0
    for end, rate in zip(milestone, learning_rates):
        if end <= last:
            raise ValueError("[piecewise_constant_lr] milestones must increase, got %s" % (list(milestone),))
        rates += [rate] * (end - last)
        last = end
    return rates


def exponential_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """learning_rate * decay_rate ** (epoch / decay_epoch)"""
    return [learning_rate * decay_rate ** _ratio(i // step_per_epoch, decay_epoch, is_stair) for i in range(total_step)]


def natural_exp_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """learning_rate * exp(-decay_rate * epoch), epochs counted in steps of decay_epoch when is_stair"""
    rates = []
    for i in range(total_step):
        epoch = i // step_per_epoch
        rates.append(learning_rate * math.exp(-decay_rate * (epoch // decay_epoch * decay_epoch if is_stair else epoch)))
    return rates


def inverse_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """learning_rate / (1 + decay_rate * epoch / decay_epoch)"""
    return [learning_rate / (1 + decay_rate * _ratio(i // step_per_epoch, decay_epoch, is_stair))
            for i in range(total_step)]


def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch):
    """Half a cosine from max_lr to min_lr over decay_epoch epochs."""
    return [_cosine(min_lr, max_lr, min(i // step_per_epoch, decay_epoch), decay_epoch) for i in range(total_step)]


def polynomial_decay_lr(learning_rate, end_learning_rate, total_step, step_per_epoch, decay_epoch, power,
                        update_decay_epoch=False):
    """Polynomial from learning_rate to end_learning_rate over decay_epoch epochs."""
    rates = []
    for i in range(total_step):
        epoch, span = i // step_per_epoch, decay_epoch
        if update_decay_epoch:
            span = decay_epoch * max(math.ceil(epoch / decay_epoch), 1)
        rates.append(_polynomial(learning_rate, end_learning_rate, min(epoch, span), span, power))
    return rates


def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch):
    """Linear from 0 to learning_rate over warmup_epoch epochs."""
    return [learning_rate * min(i // step_per_epoch, warmup_epoch) / warmup_epoch if warmup_epoch else learning_rate
            for i in range(total_step)]


class LearningRateSchedule:
    """Base class: an instance called with the step number returns the learning rate."""

    def construct(self, global_step):
        """Rate at a step."""
        raise NotImplementedError("[learning_rate_schedule] %s defines no construct" % type(self).__name__)

    def __call__(self, global_step):
        return self.construct(int(global_step))


class ExponentialDecayLR(LearningRateSchedule):
    """learning_rate * decay_rate ** (step / decay_steps)"""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.is_stair = decay_steps, is_stair

    def construct(self, global_step):
        return self.learning_rate * self.decay_rate ** _ratio(global_step, self.decay_steps, self.is_stair)


class NaturalExpDecayLR(ExponentialDecayLR):
    """learning_rate * exp(-decay_rate * step / decay_steps)"""

    def construct(self, global_step):
        return self.learning_rate * math.exp(-self.decay_rate * _ratio(global_step, self.decay_steps, self.is_stair))


class InverseDecayLR(ExponentialDecayLR):
    """learning_rate / (1 + decay_rate * step / decay_steps)"""

    def construct(self, global_step):
        return self.learning_rate / (1 + self.decay_rate * _ratio(global_step, self.decay_steps, self.is_stair))


class CosineDecayLR(LearningRateSchedule):
    """Half a cosine from max_lr to min_lr over decay_steps."""

    def __init__(self, min_lr, max_lr, decay_steps):
        if not min_lr < max_lr:
            raise ValueError("[cosine_decay_lr] min_lr must be below max_lr, got %s and %s" % (min_lr, max_lr))
        self.min_lr, self.max_lr, self.decay_steps = min_lr, max_lr, decay_steps

    def construct(self, global_step):
        return _cosine(self.min_lr, self.max_lr, min(global_step, self.decay_steps), self.decay_steps)


class PolynomialDecayLR(LearningRateSchedule):
    """Polynomial from learning_rate to end_learning_rate over decay_steps."""

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False):
        self.learning_rate, self.end_learning_rate = learning_rate, end_learning_rate
        self.decay_steps, self.power, self.update_decay_steps = decay_steps, power, update_decay_steps

    def construct(self, global_step):
        span = self.decay_steps
        if self.update_decay_steps:
            span *= max(math.ceil(global_step / span), 1)
        return _polynomial(self.learning_rate, self.end_learning_rate, min(global_step, span), span, self.power)


class WarmUpLR(LearningRateSchedule):
    """Linear from 0 to learning_rate over warmup_steps."""

    def __init__(self, learning_rate, warmup_steps):
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def construct(self, global_step):
        return self.learning_rate * min(global_step, self.warmup_steps) / self.warmup_steps


def _ratio(step, span, is_stair):
    return step // span if is_stair else step / span


def _cosine(low, high, step, span):
    return low + 0.5 * (high - low) * (1 + math.cos(math.pi * step / span))


def _polynomial(first, last, step, span, power):
    return (first - last) * (1 - step / span) ** power + last
