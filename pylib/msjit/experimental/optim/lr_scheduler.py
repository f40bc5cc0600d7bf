"""Learning rate schedulers: each step() writes the next rates into the groups of an optimizer."""
import math

from ...common.tensor import Tensor
from ...ops import assign
from ...optim.grouped import GroupedOptimizer


class LRScheduler:
    """Base class of schedulers: get_lr() returns the rates (floats) of all groups for `last_epoch`; step() writes them."""

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, GroupedOptimizer):
            raise TypeError("[%s] optimizer, got %s, expected one of experimental.optim or mint.optim"
                            % (type(self).__name__, type(optimizer).__name__))
        if isinstance(last_epoch, bool) or not isinstance(last_epoch, int):
            raise TypeError("[%s] last_epoch must be an int, got %s" % (type(self).__name__, type(last_epoch).__name__))
        if last_epoch < -1:
            raise ValueError("[%s] last_epoch must be at least -1, got %d" % (type(self).__name__, last_epoch))
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"].detach().copy())
            elif "initial_lr" not in group:
                raise KeyError("[%s] initial_lr is missing in a group of a resumed optimizer" % type(self).__name__)
        self.optimizer, self.last_epoch = optimizer, last_epoch
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._last_lr = list(optimizer.lrs)
        self.step()

    def _rates(self):
        """The current rates, as floats."""
        return [float(rate.asnumpy()) for rate in self.optimizer.lrs]

    def _bases(self):
        return [float(rate.asnumpy()) for rate in self.base_lrs]

    def get_lr(self):
        """Returns the rates of the groups for `last_epoch`."""
        raise NotImplementedError("[%s] get_lr is not defined" % type(self).__name__)

    def get_last_lr(self):
        """Returns the current rates as Tensors."""
        return [rate.detach().copy() for rate in self.optimizer.lrs]

    def step(self, epoch=None):
        """Advances by one epoch, or to the given epoch, and writes the rates."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = getattr(self, "_closed_lr", None)
        values = self.get_lr() if epoch is None or closed is None else closed()
        for rate, value in zip(self.optimizer.lrs, values):
            assign(rate, Tensor(float(value.asnumpy() if isinstance(value, Tensor) else value), rate.dtype))
        return True


def _int(value, where, what):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] %s must be an int, got %s" % (where, what, type(value).__name__))
    return value


def _float(value, where, what):
    if not isinstance(value, float):
        raise TypeError("[%s] %s must be a float, got %s" % (where, what, type(value).__name__))
    return value


class StepLR(LRScheduler):
    """Multiplies the rate by gamma every step_size epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = _int(step_size, "StepLR", "step_size"), _float(gamma, "StepLR", "gamma")
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        now = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return [rate * self.gamma if now else rate for rate in self._rates()]

    def _closed_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self._bases()]


class MultiStepLR(LRScheduler):
    """Multiplies the rate by gamma at each milestone."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        if not isinstance(milestones, list):
            raise TypeError("[MultiStepLR] milestones must be a list, got %s" % type(milestones).__name__)
        if isinstance(gamma, bool) or not isinstance(gamma, (int, float)):
            raise TypeError("[MultiStepLR] gamma must be a float, got %s" % type(gamma).__name__)
        self.milestones, self.gamma = [_int(m, "MultiStepLR", "milestones") for m in milestones], gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [rate * self.gamma ** self.milestones.count(self.last_epoch) for rate in self._rates()]

    def _closed_lr(self):
        passed = sum(m <= self.last_epoch for m in self.milestones)
        return [base * self.gamma ** passed for base in self._bases()]


class ConstantLR(LRScheduler):
    """Multiplies the rate by `factor` for the first total_iters epochs."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1:
            raise ValueError("[ConstantLR] factor must be in [0, 1], got %s" % (factor,))
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return [rate * self.factor for rate in self._rates()]
        return [rate / self.factor if self.last_epoch == self.total_iters else rate for rate in self._rates()]

    def _closed_lr(self):
        return [base * (1.0 if self.last_epoch >= self.total_iters else self.factor) for base in self._bases()]


class LinearLR(LRScheduler):
    """Multiplies the rate by a factor that goes linearly from start_factor to end_factor over total_iters epochs."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError("[LinearLR] factors must be in (0, 1], got %s and %s" % (start_factor, end_factor))
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = _int(total_iters, "LinearLR", "total_iters")
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._rates()]
        if self.last_epoch > self.total_iters:
            return self._rates()
        slope = self.end_factor - self.start_factor
        factor = 1.0 + slope / (self.total_iters * self.start_factor + (self.last_epoch - 1) * slope)
        return [rate * factor for rate in self._rates()]

    def _closed_lr(self):
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * share) for base in self._bases()]


class ExponentialLR(LRScheduler):
    """Multiplies the rate by gamma at each epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = _float(gamma, "ExponentialLR", "gamma")
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [rate if self.last_epoch == 0 else rate * self.gamma for rate in self._rates()]

    def _closed_lr(self):
        return [base * self.gamma ** self.last_epoch for base in self._bases()]


class PolynomialLR(LRScheduler):
    """Polynomial decay: the first rate times (1 - epoch / total_iters)^power."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        if _float(power, "PolynomialLR", "power") < 0:
            raise ValueError("[PolynomialLR] power must not be negative, got %s" % (power,))
        self.total_iters, self.power = _int(total_iters, "PolynomialLR", "total_iters"), power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return self._rates()
        left, before = self.total_iters - self.last_epoch, self.total_iters - self.last_epoch + 1
        return [rate * (left / before) ** self.power for rate in self._rates()]

    def _closed_lr(self):
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left ** self.power for base in self._bases()]


class _Functions(LRScheduler):
    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        groups = len(optimizer.param_groups)
        functions = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(functions) != groups:
            raise ValueError("[%s] lr_lambda, got %d functions, expected %d" % (type(self).__name__, len(functions), groups))
        self.lr_lambdas = functions
        super().__init__(optimizer, last_epoch)


class LambdaLR(_Functions):
    """Sets the rate to the first rate times lr_lambda(epoch)."""

    def get_lr(self):
        return [base * float(f(self.last_epoch)) for f, base in zip(self.lr_lambdas, self._bases())]


class MultiplicativeLR(_Functions):
    """Multiplies the rate by lr_lambda(epoch) at each epoch."""

    def get_lr(self):
        if self.last_epoch <= 0:
            return self._rates()
        return [rate * float(f(self.last_epoch)) for f, rate in zip(self.lr_lambdas, self._rates())]


class CosineAnnealingLR(LRScheduler):
    """Moves the rate along half cosines between the first rate and eta_min, each T_max epochs long."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = _int(T_max, "CosineAnnealingLR", "T_max"), eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch, span, low = self.last_epoch, self.T_max, self.eta_min
        if epoch == 0:
            return self._rates()
        if (epoch - 1 - span) % (2 * span) == 0:
            return [rate + (base - low) * (1 - math.cos(math.pi / span)) / 2
                    for base, rate in zip(self._bases(), self._rates())]
        ratio = (1 + math.cos(math.pi * epoch / span)) / (1 + math.cos(math.pi * (epoch - 1) / span))
        return [ratio * (rate - low) + low for rate in self._rates()]

    def _closed_lr(self):
        wave = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self._bases()]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines from the first rate to eta_min; the first is T_0 epochs long, each next one T_mult times as long."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0, last_epoch=-1):
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError("[CosineAnnealingWarmRestarts] %s must be a positive int, got %s" % (name, value))
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        at, span = self.last_epoch, self.T_0
        while at >= span:
            at, span = at - span, span * self.T_mult
        wave = (1 + math.cos(math.pi * at / span)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self._bases()]

    def step(self, epoch=None):
        """Advances by one epoch, or to the given epoch, and writes the rates."""
        super().step(epoch)


class CyclicLR(LRScheduler):
    """Moves the rate up from base_lr to max_lr in step_size_up steps and down in step_size_down, again and again.

    The height of the cycles is constant ('triangular'), halved each time ('triangular2'), or multiplied by gamma^step ('exp_range').
    With scale_fn it is multiplied by scale_fn of the number of the cycle, from 1, or of the step (scale_mode 'iterations').
    base_lr and max_lr may be lists with one rate for each group.
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0, scale_fn=None,
                 scale_mode="cycle", last_epoch=-1):
        where = "CyclicLR"
        for name, value in (("step_size_up", step_size_up), ("step_size_down", step_size_down)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise TypeError("[%s] %s must be a number, got %s" % (where, name, type(value).__name__))
            if value is not None and value <= 0:
                raise ValueError("[%s] %s must be positive, got %s" % (where, name, value))
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError("[%s] mode, got %r, expected 'triangular', 'triangular2' or 'exp_range'" % (where, mode))
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError("[%s] scale_mode, got %r, expected 'cycle' or 'iterations'" % (where, scale_mode))
        if scale_fn is not None and not callable(scale_fn):
            raise TypeError("[%s] scale_fn, got %s, expected a function" % (where, type(scale_fn).__name__))
        if isinstance(gamma, bool) or not isinstance(gamma, (int, float)):
            raise TypeError("[%s] gamma must be a number, got %s" % (where, type(gamma).__name__))
        self.mode, self.gamma, self._scale_fn = mode, gamma, scale_fn
        self._by_step = scale_mode == "iterations" if scale_fn is not None else mode == "exp_range"
        self._up = float(step_size_up)
        self._cycle = self._up + float(step_size_up if step_size_down is None else step_size_down)
        groups = getattr(optimizer, "param_groups", [None])
        self._low, self.max_lrs = (_each_group(rate, len(groups), name) for name, rate in (("base_lr", base_lr), ("max_lr", max_lr)))
        super().__init__(optimizer, last_epoch)

    def _height(self, cycle):
        if self._scale_fn is not None:
            return self._scale_fn(self.last_epoch if self._by_step else cycle)
        if self.mode == "exp_range":
            return self.gamma ** self.last_epoch
        return 1.0 if self.mode == "triangular" else 0.5 ** (cycle - 1)

    def get_lr(self):
        cycle, at = divmod(self.last_epoch, self._cycle)
        share = at / self._up if at <= self._up else (self._cycle - at) / (self._cycle - self._up)
        height = float(self._height(int(cycle) + 1)) * share
        return [low + (high - low) * height for low, high in zip(self._low, self.max_lrs)]


def _each_group(rate, groups, name):
    """Returns a list with one rate for each group, from a number or a list."""
    rates = list(rate) if isinstance(rate, (list, tuple)) else [rate] * groups
    for value in rates:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError("[CyclicLR] %s must be a float, got %s" % (name, type(value).__name__))
    if len(rates) != groups:
        raise ValueError("[CyclicLR] %s, got %d rates, expected one for each of the %d groups" % (name, len(rates), groups))
    return rates


class SequentialLR:
    """Runs schedulers one after another: the next one begins at each milestone."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if any(scheduler.optimizer is not optimizer for scheduler in schedulers):
            raise ValueError("[SequentialLR] schedulers must belong to the optimizer that is given")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("[SequentialLR] milestones, got %d, expected one less than the %d schedulers"
                             % (len(milestones), len(schedulers)))
        self.optimizer, self.milestones, self._schedulers = optimizer, list(milestones), list(schedulers)
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            assign(group["lr"], group["initial_lr"])
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0].step()

    def step(self):
        """Advances by one epoch and writes the rates."""
        self.last_epoch += 1
        at = sum(milestone <= self.last_epoch for milestone in self.milestones)
        starts = at > 0 and self.milestones[at - 1] == self.last_epoch
        self._schedulers[at].step(0 if starts else None)

    def get_last_lr(self):
        """Returns the current rates as Tensors."""
        return [rate.detach().copy() for rate in self.optimizer.lrs]


class ReduceLROnPlateau:
    """Multiplies the rate by `factor` when the metric given to step() has not improved for more than `patience` epochs."""

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0, eps=1e-8):
        if not isinstance(optimizer, GroupedOptimizer):
            raise TypeError("[ReduceLROnPlateau] optimizer, got %s, expected one of experimental.optim or mint.optim"
                            % type(optimizer).__name__)
        if not isinstance(factor, float):
            raise TypeError("[ReduceLROnPlateau] factor must be a float, got %s" % type(factor).__name__)
        if factor >= 1.0:
            raise ValueError("[ReduceLROnPlateau] factor must be below 1, got %s" % (factor,))
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ValueError("[ReduceLROnPlateau] mode and threshold_mode, got %r and %r, expected 'min' or 'max' and 'rel' "
                             "or 'abs'" % (mode, threshold_mode))
        groups = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        if len(self.min_lrs) != groups:
            raise ValueError("[ReduceLROnPlateau] min_lr, got %d numbers, expected %d" % (len(self.min_lrs), groups))
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        self._last_lr = list(optimizer.lrs)
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0

    def _better(self, value):
        gap = self.threshold * (abs(self.best) if self.threshold_mode == "rel" and math.isfinite(self.best) else
                                1.0 if self.threshold_mode == "abs" else 0.0)
        return value < self.best - gap if self.mode == "min" else value > self.best + gap

    def step(self, metrics):
        """Takes the metric of one epoch, and reduces the rate if it is time."""
        value = float(metrics.asnumpy() if isinstance(metrics, Tensor) else metrics)
        self.last_epoch += 1
        if self._better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for rate, least in zip(self.optimizer.lrs, self.min_lrs):
                old = float(rate.asnumpy())
                new = max(old * self.factor, least)
                if old - new > self.eps:
                    assign(rate, Tensor(new, rate.dtype))
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        return True

    def in_cooldown(self):
        """Says whether epochs after a reduction are still ignored."""
        return self.cooldown_counter > 0

    def get_last_lr(self):
        """Returns the current rates as Tensors."""
        return [rate.detach().copy() for rate in self.optimizer.lrs]


__all__ = ["ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler",
           "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
           "StepLR"]
