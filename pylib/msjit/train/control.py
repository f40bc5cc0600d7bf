"""Callbacks that control a training: early stopping and learning rates."""
import math

from .. import log, ops
from ..common import dtype as mstype
from ..common.checks import check_count
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from .callback import Callback, loss_of

_SMALLER_IS_BETTER = ("eval_loss", "hausdorff_distance", "mae", "mse", "loss", "perplexity", "mean_surface_distance",
                      "root_mean_square_distance")


class _Watcher(Callback):
    """Watches a value from epoch to epoch: "loss", "eval_loss" or one of the metrics that fit evaluates."""

    def __init__(self, monitor, min_delta, patience, verbose, mode):
        where = type(self).__name__
        for name, value in (("monitor", monitor), ("mode", mode)):
            if not isinstance(value, str):
                raise TypeError("[%s] %s must be a str, got %s" % (where, name, type(value).__name__))
        if mode not in ("auto", "min", "max"):
            raise ValueError("[%s] mode, got %r, expected 'auto', 'min' or 'max'" % (where, mode))
        if isinstance(min_delta, bool) or not isinstance(min_delta, (int, float)):
            raise TypeError("[%s] min_delta must be a float, got %s" % (where, type(min_delta).__name__))
        if not isinstance(verbose, bool):
            raise TypeError("[%s] verbose must be a bool, got %s" % (where, type(verbose).__name__))
        self.monitor, self.mode, self.verbose, self.min_delta = monitor, mode, verbose, abs(min_delta)
        self.patience, self.wait = check_count(patience, where, "patience"), 0
        self._smaller = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)
        self.best = math.inf if self._smaller else -math.inf

    def on_train_begin(self, run_context):
        self.wait, self.best = 0, math.inf if self._smaller else -math.inf

    def is_improvement(self, value, best):
        """Says whether a value is better than `best` by more than min_delta."""
        return value < best - self.min_delta if self._smaller else value > best + self.min_delta

    def _value(self, state):
        """The value of this epoch; None, with a warning, if there is none."""
        if self.monitor == "loss":
            return loss_of(state.net_outputs)
        found = state.get("eval_results") or {}
        if self.monitor not in found:
            log.warning("[%s] there is no %r, only %s" % (type(self).__name__, self.monitor, sorted(set(found) | {"loss"})))
            return None
        value = found[self.monitor]
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ValueError("[%s] value of %r, got %s, expected one number"
                             % (type(self).__name__, self.monitor, value)) from None


class EarlyStopping(_Watcher):
    """Stops the training when a value has not improved by more than min_delta for `patience` epochs.

    monitor is "loss", "eval_loss" or a metric that fit evaluates; mode 'min', 'max' or 'auto' says which way is better. An improvement must also
    be one over baseline, if that is given. With restore_best_weights the Parameters get the values of the best epoch. Raises TypeError or
    ValueError for other arguments, ValueError for a metric that is not one number.
    """

    def __init__(self, monitor="eval_loss", min_delta=0, patience=0, verbose=False, mode="auto", baseline=None,
                 restore_best_weights=False):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        if not isinstance(restore_best_weights, bool):
            raise TypeError("[EarlyStopping] restore_best_weights must be a bool, got %s"
                            % type(restore_best_weights).__name__)
        if baseline is not None and (isinstance(baseline, bool) or not isinstance(baseline, (int, float))):
            raise TypeError("[EarlyStopping] baseline must be a float, got %s" % type(baseline).__name__)
        self.baseline, self.restore_best_weights = baseline, restore_best_weights
        self.stopped_epoch, self._best_weights = 0, None

    def on_train_begin(self, run_context):
        super().on_train_begin(run_context)
        self.stopped_epoch, self._best_weights = 0, None

    def on_train_epoch_end(self, run_context):
        state = run_context.original_args()
        value = self._value(state)
        if value is None:
            return
        better = self.is_improvement(value, self.best)
        if self.restore_best_weights and (better or self._best_weights is None):
            self._best_weights = [(p, p.detach().copy()) for p in state.train_network.get_parameters()]
        self.wait += 1
        if better:
            self.best = value
            if self.baseline is None or self.is_improvement(value, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = state.cur_epoch_num
            run_context.request_stop()
            self._restore()

    def _restore(self):
        if self._best_weights is None:
            return
        if self.verbose:
            print("Restoring model weights from the end of the best epoch.")
        for param, values in self._best_weights:
            param.set_data(values)

    def on_train_end(self, run_context):
        if self.stopped_epoch > 0 and self.verbose:
            print("Epoch %05d: early stopping" % self.stopped_epoch)


def _rate_of(optimizer, where):
    """The Parameter that holds the learning rate; raises ValueError where the optimizer has a schedule or groups."""
    if not isinstance(optimizer.learning_rate, Parameter):
        raise ValueError("[%s] learning rate of the optimizer, got a schedule or groups, expected one number" % where)
    return optimizer.learning_rate


class ReduceLROnPlateau(_Watcher):
    """Multiplies the learning rate by `factor` when a value has not improved for `patience` epochs, down to min_lr.

    After a reduction it waits for `cooldown` epochs. Raises ValueError for a factor outside (0, 1) and for an optimizer whose rate is a schedule
    or belongs to groups, TypeError for other types.
    """

    def __init__(self, monitor="eval_loss", factor=0.1, patience=10, verbose=False, mode="auto", min_delta=1e-4,
                 cooldown=0, min_lr=0):
        super().__init__(monitor, min_delta, patience, verbose, mode)
        if not isinstance(factor, float):
            raise TypeError("[ReduceLROnPlateau] factor must be a float, got %s" % type(factor).__name__)
        if not 0 < factor < 1:
            raise ValueError("[ReduceLROnPlateau] factor must be in (0, 1), got %s" % (factor,))
        if isinstance(min_lr, bool) or not isinstance(min_lr, (int, float)):
            raise TypeError("[ReduceLROnPlateau] min_lr must be a float, got %s" % type(min_lr).__name__)
        self.factor, self.min_lr, self.cooldown_counter = factor, min_lr, 0
        self.cooldown = check_count(cooldown, "ReduceLROnPlateau", "cooldown")

    def on_train_begin(self, run_context):
        super().on_train_begin(run_context)
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context):
        state = run_context.original_args()
        rate = _rate_of(state.optimizer, "ReduceLROnPlateau")
        value = self._value(state)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
        if self.is_improvement(value, self.best):
            self.best, self.wait = value, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(state, rate)

    def _reduce(self, state, rate):
        old = float(rate.asnumpy())
        if old > self.min_lr:
            new = rate.asnumpy().dtype.type(max(old * self.factor, self.min_lr))  # a float32, as the message shows it
            ops.assign(rate, Tensor(float(new), mstype.float32))
            if self.verbose:
                print("Epoch %05d: ReduceLROnPlateau reducing learning rate to %s." % (state.cur_epoch_num, new))
        self.cooldown_counter, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """Sets the learning rate of the optimizer after each step to learning_rate_function(rate, number of steps done).

    Raises ValueError for an optimizer whose rate is a schedule or belongs to groups.
    """

    def __init__(self, learning_rate_function):
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context):
        state = run_context.original_args()
        rate = _rate_of(state.optimizer, "LearningRateScheduler")
        old = float(rate.asnumpy())
        new = self.learning_rate_function(old, state.cur_step_num)
        if not math.isclose(old, new, rel_tol=1e-10):
            ops.assign(rate, Tensor(new, mstype.float32))
