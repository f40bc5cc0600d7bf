"""DSCallback: callbacks of the step `map`, called as rows pass; mindspore.dataset.callback's names."""
from .. import _paths
from ..absent import names as _absent_names

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.


class DSCallback:
    """Base class of callbacks of map: a subclass overrides the methods that it needs.

    The ds_step methods are called only every step_size rows.
    """

    def __init__(self, step_size=1):
        if isinstance(step_size, bool) or not isinstance(step_size, int):
            raise TypeError("[DSCallback] step_size, got %s, expected an int" % type(step_size).__name__)
        if not 1 <= step_size <= 2147483647:
            raise ValueError("[DSCallback] step_size, got %d, expected 1 or more" % step_size)
        self.step_size = step_size

    def ds_begin(self, ds_run_context):
        """Called before the first row."""

    def ds_epoch_begin(self, ds_run_context):
        """Called before the first row of an epoch."""

    def ds_epoch_end(self, ds_run_context):
        """Called after the last row of an epoch."""

    def ds_step_begin(self, ds_run_context):
        """Called before a row."""

    def ds_step_end(self, ds_run_context):
        """Called after a row."""


class _RunContext:
    """The position of a reading: the numbers, from 1 on, of the epoch, of the row since the start, and of the row in the epoch."""

    def __init__(self, cur_epoch_num, cur_step_num, cur_step_num_in_epoch):
        self.cur_epoch_num, self.cur_step_num, self.cur_step_num_in_epoch = cur_epoch_num, cur_step_num, cur_step_num_in_epoch


def as_callbacks(callbacks):
    """Returns a list of DSCallbacks from one, several or None."""
    found = [] if callbacks is None else list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
    for callback in found:
        if not isinstance(callback, DSCallback):
            raise TypeError("[map] callbacks, got %s, expected a DSCallback" % type(callback).__name__)
    return found


def watched(epoch, callbacks, run):
    """Wraps the function of a step that starts its passes, so that callbacks are called as rows are read.

    One epoch may consist of several passes (repeat).
    """
    state = {"epoch": 0, "steps": 0, "in_epoch": 0, "ended": True}

    def say(name, size=False):
        in_epoch = state["in_epoch"]
        context = _RunContext(state["epoch"], state["steps"] + in_epoch, in_epoch)
        for callback in callbacks:
            if not size or (in_epoch - 1) % callback.step_size == 0:
                getattr(callback, name)(context)

    def one_pass():
        if not state["epoch"]:
            say("ds_begin")
        if state["ended"]:
            state.update(epoch=state["epoch"] + 1, steps=state["steps"] + state["in_epoch"], in_epoch=0)
            say("ds_epoch_begin")
        rows, end = epoch(), object()
        row = next(rows, end)
        while row is not end:
            state["in_epoch"] += 1
            say("ds_step_begin", True)
            yield row
            say("ds_step_end", True)
            row = next(rows, end)
        state["ended"] = not run.repeats
        if state["ended"]:
            say("ds_epoch_end")
    return one_pass


globals().update(_absent_names(__name__, "WaitedDSCallback", "data and training run in one thread here: DSCallback and the callbacks of Model do"))

_paths.reach(__name__)
