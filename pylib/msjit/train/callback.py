"""Callbacks of Model."""
import time


class RunContext:
    """What a callback sees of the running loop."""

    def __init__(self, params):
        self._params, self._stop = params, False

    def original_args(self):
        """The loop's state: cur_epoch_num, cur_step_num, net_outputs, batch_num, ..."""
        return self._params

    def request_stop(self):
        """Ends the loop after this step."""
        self._stop = True

    def get_stop_requested(self):
        """True after request_stop()."""
        return self._stop


class Callback:
    """Base class: override what is of interest."""

    def on_train_begin(self, run_context):
        """Before the first step."""

    def on_train_end(self, run_context):
        """After the last step."""

    def on_train_epoch_begin(self, run_context):
        """Before an epoch."""

    def on_train_epoch_end(self, run_context):
        """After an epoch."""

    def on_train_step_begin(self, run_context):
        """Before a step."""

    def on_train_step_end(self, run_context):
        """After a step."""


class LossMonitor(Callback):
    """Prints the loss every per_print_times steps."""

    def __init__(self, per_print_times=1):
        if per_print_times < 0:
            raise ValueError("[loss_monitor] per_print_times must not be negative, got %d" % per_print_times)
        self._every = per_print_times

    def on_train_step_end(self, run_context):
        args = run_context.original_args()
        if self._every and args.cur_step_num % self._every == 0:
            step = (args.cur_step_num - 1) % args.batch_num + 1
            print("epoch: %d step: %d, loss is %s" % (args.cur_epoch_num, step, float(args.net_outputs.asnumpy())))


class TimeMonitor(Callback):
    """Prints the time of each epoch."""

    def __init__(self, data_size=None):
        self._size = data_size

    def on_train_epoch_begin(self, run_context):
        self._start = time.perf_counter()

    def on_train_epoch_end(self, run_context):
        spent = 1e3 * (time.perf_counter() - self._start)
        steps = self._size or run_context.original_args().batch_num
        print("Train epoch time: %.3f ms, per step time: %.3f ms" % (spent, spent / steps))
