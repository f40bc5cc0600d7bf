"""Profiler: records what ran, how long it took, and how near that is to what the machine can do."""
import enum
import json
import os
import time

from . import _paths
from . import profiler_marks as _marks
from ._native import _msjit
from .profiler_schedule import ProfilerAction, Schedule, analyse, tensorboard_trace_handler  # noqa: F401

TRACE = "trace_view.json"
mstx = _marks.mstx
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

# Arguments of MindSpore's profilers. Here they change nothing: everything is recorded.
ProfilerLevel = enum.Enum("ProfilerLevel", {name: name for name in ("LevelNone", "Level0", "Level1", "Level2")}, module=__name__)
ProfilerActivity = enum.Enum("ProfilerActivity", {name: name for name in ("NPU", "GPU", "CPU")}, module=__name__)
ExportType = enum.Enum("ExportType", {"Db": "db", "Text": "text"}, module=__name__)
HostSystem = enum.Enum("HostSystem", {name: name.lower() for name in ("CPU", "MEM", "DISK", "NETWORK", "OSRT")}, module=__name__)
AicoreMetrics = enum.Enum("AicoreMetrics", dict(
    {name: name for name in ("PipeUtilization", "ArithmeticUtilization", "Memory", "MemoryL0", "MemoryUB",
                             "ResourceConflictRatio", "L2Cache", "MemoryAccess")}, AiCoreNone="None"), module=__name__)

# Keywords of other devices' profilers.
_OTHERS = frozenset("""aic_metrics l2_cache hbm_ddr pcie sync_enable mstx parallel_strategy data_process profile_communication
    profile_framework export_type host_sys record_shapes mstx_domain_include mstx_domain_exclude sys_io sys_interconnection op_time
    timeline_limit""".split())
_NOTED = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class Profiler:
    """Records what runs between start() and stop(): ops, compiled regions and their kernels, captures, compiles, breaks.

    Args:
        output_path (str): folder for the trace, made when it is missing. Default "./data".
        start_profile (bool): whether to start at once. Default True.
        profiler_level, activities, profile_memory, with_stack, data_simplification, and aic_metrics, l2_cache, mstx and others of
            MindSpore's: accepted for compatibility; everything is recorded.
        schedule (callable): which steps are noted, a function from the number of a step to a ProfilerAction; see profiler.schedule().
            The program calls step() at the end of each. Default None: all that runs is noted.
        on_trace_ready (callable): is called with the profiler when a round of the schedule, or without a schedule the whole run, has
            been noted; afterwards the profiler begins anew. See profiler.tensorboard_trace_handler(). Default None.

    Only one profiler can run at a time; a second one raises RuntimeError. Events are kept in memory, at most two million of them.

    Example::

        with ms.Profiler(output_path="profile") as profiler:
            for x, y in batches:
                train_step(x, y)
        print(profiler.summary())   # and profile/trace_view.json is there for https://ui.perfetto.dev
    """

    _running = None

    def __init__(self, profiler_level=None, activities=None, schedule=None, on_trace_ready=None, profile_memory=False,
                 with_stack=False, data_simplification=True, start_profile=True, output_path="./data", **others):
        unknown = sorted(set(others) - _OTHERS)
        if unknown:
            raise TypeError("[Profiler] unknown keyword %r" % unknown[0])
        for name, value in (("schedule", schedule), ("on_trace_ready", on_trace_ready)):
            if value is not None and not callable(value):
                raise TypeError("[Profiler] %s, got %s, expected a function or None" % (name, type(value).__name__))
        if not isinstance(output_path, (str, os.PathLike)):
            raise TypeError("[Profiler] output_path, got %s, expected a path" % type(output_path).__name__)
        self.output_path = os.fspath(output_path)
        self._events, self._dropped, self._seconds, self._began = [], 0, 0.0, None
        self._schedule, self._on_trace_ready, self._step, self._noting, self._metadata = schedule, on_trace_ready, 0, False, {}
        if start_profile:
            self.start()

    def start(self):
        """Starts recording; earlier events stay. A profiler that is running already goes on. RuntimeError while another profiler is
        running."""
        if Profiler._running is self:
            return
        if Profiler._running is not None:
            raise RuntimeError("[Profiler] start, got a profiler that is running, expected stop() or analyse() before it")
        Profiler._running = self
        self._note(self._action() in _NOTED)

    def stop(self):
        """Stops recording. RuntimeError if this profiler is not running."""
        if Profiler._running is not self:
            raise RuntimeError("[Profiler] stop, got a profiler that is not running, expected start() before it")
        noted = self._noting
        self._note(False)
        Profiler._running = None
        if noted:
            self._ready()

    def step(self):
        """Ends a step of the program; from here on the profiler does what the schedule says of the next step. RuntimeError if there is no
        schedule, or the profiler is not running."""
        if self._schedule is None or Profiler._running is not self:
            raise RuntimeError("[Profiler] step, got a profiler %s, expected one with a schedule that is running"
                               % ("without a schedule" if self._schedule is None else "that is not running"))
        if self._action() is ProfilerAction.RECORD_AND_SAVE:
            self._note(False)
            self._ready()
        self._step += 1
        self._note(self._action() in _NOTED)

    def _action(self):
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self._step)

    def _note(self, on):
        """Starts or stops recording."""
        if on and not self._noting:
            self._began = time.perf_counter()
            _msjit.profile_start()
        elif self._noting and not on:
            events, dropped = _msjit.profile_stop()
            self._seconds += time.perf_counter() - self._began
            self._events += [Event(*row) for row in events]
            self._dropped += dropped
        self._noting = on

    def _ready(self):
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)
            self._events, self._dropped, self._seconds = [], 0, 0.0

    def add_metadata(self, key, value):
        """Adds a text to the trace under a name; TypeError for anything but texts."""
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError("[add_metadata] key and value, got %s and %s, expected texts" % (type(key).__name__, type(value).__name__))
        self._metadata[key] = value

    def add_metadata_json(self, key, value):
        """The same for a text in JSON; ValueError if it is no JSON."""
        json.loads(value)
        self.add_metadata(key, value)

    def analyse(self, offline_path=None, pretty=False, step_list=None, mode="sync"):
        """Stops the profiler if it runs, and writes the trace to output_path/trace_view.json, in the format of
        chrome://tracing and https://ui.perfetto.dev. The arguments are accepted for compatibility. OSError if the file cannot be
        written."""
        if Profiler._running is self:
            self.stop()
        self.write_trace(self.output_path, pretty)

    def write_trace(self, folder, pretty=False):
        """Writes the recorded events to folder/trace_view.json. OSError if the file cannot be written."""
        os.makedirs(folder, exist_ok=True)
        trace = {"traceEvents": [event.as_trace() for event in self._events], "displayTimeUnit": "ms"}
        if self._metadata:
            trace["otherData"] = self._metadata
        with open(os.path.join(folder, TRACE), "w") as file:
            json.dump(trace, file, indent=1 if pretty else None)
            file.write("\n")

    @property
    def events(self):
        """The events of the finished runs, in the order in which they ended."""
        return list(self._events)

    def summary(self, rows=20):
        """A text: first the `rows` kernels and ops that took most time, with calls, total milliseconds, and gigabytes and gigaflops a
        second. Also the time that the machine would need at best, as a share of the measured one. For that the machine's memory and
        matrix products are measured here, on as many threads as kernels use. Then regions, captures, compiles and breaks."""
        if Profiler._running is self:
            self.stop()
        return _summary(self._events, self._seconds, self._dropped, rows)

    def __enter__(self):
        if Profiler._running is not self:
            self.start()
        return self

    def __exit__(self, *exc_info):
        if self._on_trace_ready is None:
            self.analyse()
        elif Profiler._running is self:
            self.stop()


class profile(Profiler):  # noqa: N801 - MindSpore's name
    """A Profiler with the arguments of mindspore.profiler.profile. Arguments about other devices are accepted and change nothing.

    >>> import msjit as ms
    >>> from msjit.profiler import profile, schedule
    >>> rounds = []
    >>> with profile(schedule=schedule(wait=1, active=1, repeat=1), on_trace_ready=lambda p: rounds.append(len(p.events))) as prof:
    ...     for _ in range(3):
    ...         y = ms.ops.relu(ms.ops.ones((2, 2), ms.float32))
    ...         prof.step()
    >>> len(rounds), rounds[0] > 0
    (1, True)
    """

    def __init__(self, activities=None, with_stack=False, profile_memory=False, data_process=False, parallel_strategy=False,
                 start_profile=True, hbm_ddr=False, pcie=False, sync_enable=True, record_shapes=False, schedule=None, on_trace_ready=None,
                 experimental_config=None, output_path="./data"):
        super().__init__(None, activities, schedule, on_trace_ready, profile_memory, with_stack, True, start_profile, output_path)

    def __exit__(self, *exc_info):
        if Profiler._running is self:
            self.stop()


class _ExperimentalConfig:
    """The experimental_config argument of profile(). Its arguments are stored and change nothing."""

    def __init__(self, profiler_level=ProfilerLevel.Level0, aic_metrics=AicoreMetrics.AiCoreNone, l2_cache=False, mstx=False,
                 data_simplification=True, export_type=None, **kwargs):
        self.profiler_level, self.aic_metrics, self.l2_cache, self.mstx = profiler_level, aic_metrics, l2_cache, mstx
        self.data_simplification, self.export_type = data_simplification, export_type
        self.__dict__.update(kwargs)


schedule = Schedule


class Event:
    """One recorded event. `kind` is op, kernel, region, capture, compile or break; `begin` and `duration` are in microseconds.
    `bytes` and `flops` are the least that the work needs, 0 if that is not known."""

    __slots__ = ("kind", "name", "thread", "begin", "duration", "bytes", "flops")

    def __init__(self, kind, name, thread, begin, duration, bytes, flops):
        self.kind, self.name, self.thread, self.begin = kind, name, thread, begin
        self.duration, self.bytes, self.flops = duration, bytes, flops

    def as_trace(self):
        """The event as Chrome's trace format has it."""
        common = {"name": self.name, "cat": self.kind, "pid": os.getpid(), "tid": self.thread, "ts": self.begin}
        if self.kind == "break":
            return dict(common, ph="i", s="t")
        return dict(common, ph="X", dur=self.duration, args={"bytes": self.bytes, "flops": self.flops})


# -- text ---------------------------------------------------------------------------------------------------------


def _groups(events):
    """(kind, name) -> [calls, microseconds, bytes, flops]."""
    groups = {}
    for event in events:
        group = groups.setdefault((event.kind, event.name), [0, 0.0, 0, 0])
        for i, value in enumerate((1, event.duration, event.bytes, event.flops)):
            group[i] += value
    return groups


def roofline(events, rows):
    """The `rows` kernels and ops among `events` that took most time, as lines of text. The first line says what the machine can do.
    "limit" is the time that the machine would need for their bytes or their arithmetic alone, as a share of the measured time."""
    working = [item for item in _groups(events).items() if item[0][0] in ("kernel", "op")]
    working.sort(key=lambda item: -item[1][1])
    memory, arithmetic = machine_limits()
    lines = ["this machine: %.1f GB/s, %.0f GFLOP/s" % (memory / 1e9, arithmetic / 1e9),
             "%-44s %7s %10s %8s %9s %7s" % ("kernels and ops", "calls", "ms", "GB/s", "GFLOP/s", "limit")]
    for (kind, name), (calls, us, size, flops) in working[:rows]:
        at_best = max(size / memory, flops / arithmetic) * 1e6
        lines.append("%-44s %7d %10.3f %8.1f %9.1f %6.0f%%" % (
            _short("%s %s" % (kind, name), 44), calls, us / 1e3, size / us / 1e3 if us else 0,
            flops / us / 1e3 if us else 0, 100 * min(at_best / us, 1) if us else 0))
    if len(working) > rows:
        rest = sum(group[1] for _, group in working[rows:])
        lines.append("%-44s %7s %10.3f" % ("%d more" % (len(working) - rows), "", rest / 1e3))
    return lines


def _summary(events, seconds, dropped, rows):
    first, *lines = roofline(events, rows)
    lines.insert(0, "%.1f ms; %s" % (seconds * 1e3, first))
    groups = _groups(events)
    for kind in ("region", "capture", "compile", "break"):
        found = sorted((item for item in groups.items() if item[0][0] == kind), key=lambda item: -item[1][1])
        for (_, name), (calls, us, _, _) in found[:rows]:
            lines.append("%-44s %7d %10.3f" % (_short("%s %s" % (kind, name), 44), calls, us / 1e3))
    if dropped:
        lines.append("%d events more than are kept were left out" % dropped)
    return "\n".join(lines)


def _short(text, width):
    return text if len(text) <= width else text[:width - 3] + "..."


_limits = []


def machine_limits():
    """(bytes a second that relu over 32 MiB reads and writes, floating-point operations a second of a matrix product of
    1024 x 1024), float32, measured once a process."""
    if not _limits:
        import numpy as np

        from . import ops
        from .common import Tensor
        big, square = Tensor(np.ones(1 << 23, np.float32)), Tensor(np.ones((1024, 1024), np.float32))
        _limits.append(2 * 4 * (1 << 23) / _best(lambda: ops.relu(big)))
        _limits.append(2 * 1024**3 / _best(lambda: ops.matmul(square, square)))
    return tuple(_limits)


def _best(work, times=5):
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


from .profiler_dynamic import DynamicProfilerMonitor  # noqa: E402, F401  - builds upon what stands above

_paths.reach(__name__)
