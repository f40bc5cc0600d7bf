"""Which steps of a program a profiler records, and where it writes them."""
import enum
import json
import os
import time
import warnings

ProfilerAction = enum.Enum("ProfilerAction", {"NONE": 0, "WARM_UP": 1, "RECORD": 2, "RECORD_AND_SAVE": 3}, module=__name__)


class Schedule:
    """What a profiler does at a step: schedule(wait=1, active=2)(step) is a ProfilerAction.

    After `skip_first` steps, rounds follow: `wait` and `warmup` steps that are not recorded, then `active` steps that are; the last of
    these is RECORD_AND_SAVE. There are `repeat` rounds, or any number of them for 0. ValueError for a negative step. An argument that is no
    number, or too small, is replaced by the default, with a warning.

    >>> from msjit.profiler import schedule
    >>> [schedule(wait=1, active=2, repeat=1)(step).name for step in range(4)]
    ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(self, *, wait, active, warmup=0, repeat=0, skip_first=0):
        self.wait, self.active, self.warmup = _at_least("wait", wait, 0), _at_least("active", active, 1), _at_least("warmup", warmup, 0)
        self.repeat, self.skip_first = _at_least("repeat", repeat, 0), _at_least("skip_first", skip_first, 0)

    def __call__(self, step):
        if step < 0:
            raise ValueError("[schedule] step, got %d, expected 0 or more" % step)
        step -= self.skip_first
        length = self.wait + self.warmup + self.active
        if step < 0 or (self.repeat and step >= self.repeat * length):
            return ProfilerAction.NONE
        place = step % length
        if place < self.wait:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    def to_dict(self):
        """The numbers, by name."""
        return {name: getattr(self, name) for name in ("wait", "active", "warmup", "repeat", "skip_first")}

    def __repr__(self):
        return "Schedule(%s)" % ", ".join("%s=%d" % pair for pair in self.to_dict().items())


def _at_least(name, value, least):
    if isinstance(value, int) and not isinstance(value, bool) and value >= least:
        return value
    warnings.warn("[schedule] %s, got %r, expected an int of %d or more; %d is taken" % (name, value, least, least), stacklevel=4)
    return least


schedule = Schedule


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    """For on_trace_ready: a function that writes the events of a profiler to DIR/WORKER_TIME/trace_view.json, which
    https://ui.perfetto.dev shows. By default dir_name is the profiler's output_path, and worker_name is made of the machine's name and the process.
    Without analyse_flag nothing is written. async_mode is accepted for compatibility. TypeError for a directory or name of another
    type."""
    if hasattr(dir_name, "write_trace"):  # the program has given the function itself as on_trace_ready
        return tensorboard_trace_handler()(dir_name)
    for name, value in (("dir_name", dir_name), ("worker_name", worker_name)):
        if value is not None and not isinstance(value, (str, os.PathLike)):
            raise TypeError("[tensorboard_trace_handler] %s, got %s, expected a str or None" % (name, type(value).__name__))

    def handle(profiler):
        if not analyse_flag:
            return
        import socket
        worker = worker_name or "%s_%d" % (socket.gethostname(), os.getpid())
        folder = os.path.join(profiler.output_path if dir_name is None else os.fspath(dir_name), "%s_%d" % (worker, time.time() * 1e6))
        profiler.write_trace(folder)
    return handle


def analyse(profiler_path, max_process_number=None, pretty=False, step_list=None, data_simplification=True):
    """The traces below profiler_path. A profiler writes them whole, so there is nothing left to parse; with pretty they are written
    again with line breaks. Warns if there is none. TypeError unless profiler_path is a path. The other arguments are accepted for
    compatibility."""
    if not isinstance(profiler_path, (str, os.PathLike)):
        raise TypeError("[analyse] profiler_path, got %s, expected a path" % type(profiler_path).__name__)
    found = [os.path.join(folder, "trace_view.json") for folder, _, files in os.walk(profiler_path) if "trace_view.json" in files]
    if not found:
        warnings.warn("[analyse] profiler_path, got %s, expected a folder with a trace_view.json" % (profiler_path,), stacklevel=2)
    for path in found if pretty else ():
        with open(path) as file:
            trace = json.load(file)
        with open(path, "w") as file:
            json.dump(trace, file, indent=1)
            file.write("\n")
