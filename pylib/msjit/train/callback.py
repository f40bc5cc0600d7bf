"""Callbacks of Model: the base class with its events, and callbacks that print or record."""
import time

from .. import _paths
from ..common.checks import check_count
from ..common.tensor import Tensor


class InternalCallbackParam(dict):
    """The state of a loop: a dict whose items can be read and written as attributes. Raises AttributeError for an item that it does not have."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError("[callback] the loop's state has no %r" % name)
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class RunContext:
    """What a callback gets: the state of the running loop, and the means to stop it. Raises TypeError for a state that is no dict."""

    def __init__(self, original_args):
        if not isinstance(original_args, dict):
            raise TypeError("[RunContext] original_args must be a dict, got %s" % type(original_args).__name__)
        self._original_args, self._stop_requested = original_args, False

    def original_args(self):
        """Returns the loop's state, an InternalCallbackParam.

        It has cur_epoch_num and cur_step_num (from 1), net_outputs, batch_num, epoch_num, optimizer, network, train_network, loss_fn, mode
        ("train" or "eval"), metrics and more.
        """
        return self._original_args

    def request_stop(self):
        """Stops the loop after this step; in training also the epochs that are left."""
        self._stop_requested = True

    def get_stop_requested(self):
        """Returns whether request_stop() was called."""
        return self._stop_requested


class Callback:
    """Base class of callbacks: override the methods that you need.

    The older names begin, epoch_begin, epoch_end, step_begin, step_end and end are called both in training and in
    evaluation.
    """

    def __enter__(self):
        return self

    def __exit__(self, *err):
        return None

    def begin(self, run_context):
        """Called before the first step of a training or an evaluation."""

    def epoch_begin(self, run_context):
        """Called before an epoch of a training, or before the pass of an evaluation."""

    def epoch_end(self, run_context):
        """Called after an epoch of a training, or after the pass of an evaluation."""

    def step_begin(self, run_context):
        """Called before each step of a training or an evaluation."""

    def step_end(self, run_context):
        """Called after each step of a training or an evaluation; net_outputs in the state are those of the step."""

    def end(self, run_context):
        """Called after the last step of a training or an evaluation."""

    def on_train_begin(self, run_context):
        """Called before the first step of training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context):
        """Called before an epoch of training."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context):
        """Called after an epoch of training."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context):
        """Called before a step of training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context):
        """Called after a step of training."""
        self.step_end(run_context)

    def on_train_end(self, run_context):
        """Called after the last step of training."""
        self.end(run_context)

    def on_eval_begin(self, run_context):
        """Called before the first row of an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context):
        """Called before an evaluation's pass over the data."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context):
        """Called after an evaluation's pass over the data."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context):
        """Called before a row of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context):
        """Called after a row of an evaluation."""
        self.step_end(run_context)

    def on_eval_end(self, run_context):
        """Called after the last row of an evaluation."""
        self.end(run_context)


def loss_of(net_outputs):
    """Returns the loss as a float, from the result of a training step: the loss itself, or a tuple that begins with it."""
    loss = _first(net_outputs)
    return float(loss) if isinstance(net_outputs, (tuple, list, Tensor)) and hasattr(loss, "item") else loss


def _first(net_outputs):
    """The loss as a NumPy number."""
    while isinstance(net_outputs, (tuple, list)) and net_outputs:
        net_outputs = net_outputs[0]
    return net_outputs.asnumpy().mean() if isinstance(net_outputs, Tensor) else net_outputs


class LossMonitor(Callback):
    """Prints the loss every per_print_times steps, and the results of evaluations within fit.

    A loss that is NaN or infinite ends the training with a ValueError.
    """

    def __init__(self, per_print_times=1):
        self._every, self._last = check_count(per_print_times, "LossMonitor", "per_print_times"), 0

    def step_end(self, run_context):
        state = run_context.original_args()
        loss, step = loss_of(state.net_outputs), (state.cur_step_num - 1) % state.batch_num + 1
        if isinstance(loss, float) and not abs(loss) < float("inf"):
            raise ValueError("[LossMonitor] loss in epoch %d, step %d, got %s, expected a finite number"
                             % (state.get("cur_epoch_num", 1), step, loss))
        if state.cur_step_num <= self._last:  # another training has begun
            self._last = 0
        if self._every and state.cur_step_num - self._last >= self._every:
            self._last = state.cur_step_num
            print("epoch: %s step: %s, loss is %s" % (state.get("cur_epoch_num", 1), step, loss), flush=True)

    def on_train_epoch_end(self, run_context):
        state = run_context.original_args()
        if state.get("metrics"):
            print("Eval result: epoch %d, metrics: %s" % (state.cur_epoch_num, state.metrics), flush=True)


class TimeMonitor(Callback):
    """Prints the time of each epoch and the mean time of a step, in milliseconds; with data_time also the mean time spent waiting for data.

    data_size is the number of steps of an epoch where the state has no batch_num. Raises TypeError for a data_time that is no bool, ValueError at
    the end of an epoch without a positive number of steps.
    """

    def __init__(self, data_size=None, data_time=False):
        if not isinstance(data_time, bool):
            raise TypeError("[TimeMonitor] data_time must be a bool, got %s" % type(data_time).__name__)
        self.data_size, self.data_time, self._waited = data_size, data_time, 0.0
        self._start = self._step_end = time.perf_counter()

    def epoch_begin(self, run_context):
        self._start = self._step_end = time.perf_counter()
        self._waited = 0.0

    def on_train_step_begin(self, run_context):
        self._waited += time.perf_counter() - self._step_end

    def on_train_step_end(self, run_context):
        self._step_end = time.perf_counter()

    def epoch_end(self, run_context):
        state, spent = run_context.original_args(), 1e3 * (time.perf_counter() - self._start)
        steps = state.get("batch_num") or self.data_size
        if isinstance(steps, bool) or not isinstance(steps, int) or steps <= 0:
            raise ValueError("[TimeMonitor] data_size must be a positive int, got %s" % (steps,))
        line = "%s epoch time: %5.3f ms, per step time: %5.3f ms" % (state.get("mode", "").title(), spent, spent / steps)
        if self.data_time:
            line += " (data time: %5.3f ms)" % (1e3 * self._waited / steps)
        print(line, flush=True)


class LambdaCallback(Callback):
    """A callback made of functions: each argument is called at the event of its name, with the run context; None does nothing."""

    def __init__(self, on_train_epoch_begin=None, on_train_epoch_end=None, on_train_step_begin=None,
                 on_train_step_end=None, on_train_begin=None, on_train_end=None, on_eval_epoch_begin=None,
                 on_eval_epoch_end=None, on_eval_step_begin=None, on_eval_step_end=None, on_eval_begin=None,
                 on_eval_end=None):
        given = dict(locals())
        for name in ("self", "__class__"):
            given.pop(name, None)
        for name, function in given.items():
            setattr(self, name, function if function else _nothing)


def _nothing(run_context):
    """Does nothing."""


class History(Callback):
    """Records the loss of each epoch's last step, under "net_output", and the metrics of evaluations within fit, as lists in the dict `history`.

    The epoch numbers are in epoch["epoch"], and start anew with each training.
    """

    def __init__(self):
        self.history, self.epoch = {}, None

    def begin(self, run_context):
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context):
        state = run_context.original_args()
        self.epoch["epoch"].append(state.get("cur_epoch_num", 1))
        row = {"net_output": _first(state.net_outputs)}
        row.update(state.get("metrics") or {})
        for name, value in row.items():
            self.history.setdefault(name, []).append(value)


_handle_loss = loss_of  # MindSpore's name


class _CallbackManager(Callback):
    """Several callbacks as one, and as a context manager that enters and leaves them all.

    callbacks: a Callback, a list of them or None; TypeError for another.
    """

    def __init__(self, callbacks):
        found = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or [])
        for callback in found:
            if not isinstance(callback, Callback):
                raise TypeError("[callback_manager] callback, got %s, expected a Callback" % type(callback).__name__)
        self._callbacks = found

    def __enter__(self):
        for callback in self._callbacks:
            callback.__enter__()
        return self

    def __exit__(self, *error):
        for callback in reversed(self._callbacks):
            callback.__exit__(*error)


def _passed_on(event):
    def tell(self, run_context):
        for callback in self._callbacks:
            getattr(callback, event)(run_context)
    tell.__name__ = event
    tell.__doc__ = "Tells all callbacks, in their order."
    return tell


for _event in [name for name in vars(Callback) if name[0] != "_"]:
    setattr(_CallbackManager, _event, _passed_on(_event))


def set_cur_net(net):
    """Does nothing; checkpoints are made of the loop's network."""


from .checkpoint import CheckpointConfig, CheckpointManager, ModelCheckpoint  # noqa: E402, F401  - these use the classes above
from .control import EarlyStopping, LearningRateScheduler, ReduceLROnPlateau  # noqa: E402
from .recovery import BackupAndRestore, OnRequestExit  # noqa: E402

_InternalCallbackParam = InternalCallbackParam

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
__all__ = ["BackupAndRestore", "Callback", "CheckpointConfig", "EarlyStopping", "History", "InternalCallbackParam", "LambdaCallback",
           "LearningRateScheduler", "LossMonitor", "ModelCheckpoint", "OnRequestExit", "ReduceLROnPlateau",
           "RunContext", "TimeMonitor"]


def __getattr__(name):
    """Finds SummaryCollector, which MindSpore has in this module too."""
    if name == "SummaryCollector":
        from .summary import SummaryCollector
        return SummaryCollector
    raise AttributeError("module 'msjit.train.callback' has no attribute %r" % name)


_paths.reach(__name__)
