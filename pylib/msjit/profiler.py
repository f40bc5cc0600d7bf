"""Profiler: what ran, how long it took, and how near that is to what the machine can do."""
import enum
import json
import os
import time

from . import _paths
from ._native import _msjit

TRACE = "trace_view.json"
__path__ = _paths.extend([])  # a package in MindSpore: alias.py finds what programs import from below it

# What MindSpore's profilers take as arguments; here all there is is noted.
ProfilerLevel = enum.Enum("ProfilerLevel", {name: name for name in ("LevelNone", "Level0", "Level1", "Level2")}, module=__name__)
ProfilerActivity = enum.Enum("ProfilerActivity", {name: name for name in ("NPU", "GPU", "CPU")}, module=__name__)
ExportType = enum.Enum("ExportType", {"Db": "db", "Text": "text"}, module=__name__)
HostSystem = enum.Enum("HostSystem", {name: name.lower() for name in ("CPU", "MEM", "DISK", "NETWORK", "OSRT")}, module=__name__)
AicoreMetrics = enum.Enum("AicoreMetrics", dict(
    {name: name for name in ("PipeUtilization", "ArithmeticUtilization", "Memory", "MemoryL0", "MemoryUB",
                             "ResourceConflictRatio", "L2Cache", "MemoryAccess")}, AiCoreNone="None"), module=__name__)


class Profiler:
    """Notes what runs between start() and stop(): ops, compiled regions and their kernels, captures, compiles, breaks.

    Args:
        output_path (str): folder for the trace, made when it is missing. Default "./data".
        start_profile (bool): whether to start at once. Default True.
        profiler_level, activities, profile_memory, with_stack, data_simplification: accepted for compatibility; all there is
            is noted.
        schedule, on_trace_ready: not supported, ValueError.

    One profiler runs at a time; RuntimeError for a second one. Events are kept in memory, at most two million of them.

    Example::

        with ms.Profiler(output_path="profile") as profiler:
            for x, y in batches:
                train_step(x, y)
        print(profiler.summary())   # and profile/trace_view.json is there for https://ui.perfetto.dev
    """

    _running = None

    def __init__(self, profiler_level=None, activities=None, schedule=None, on_trace_ready=None, profile_memory=False,
                 with_stack=False, data_simplification=True, start_profile=True, output_path="./data"):
        for name, value in (("schedule", schedule), ("on_trace_ready", on_trace_ready)):
            if value is not None:
                raise ValueError("[Profiler] %s, got %r, expected None: call start(), stop() and analyse() instead"
                                 % (name, value))
        if not isinstance(output_path, (str, os.PathLike)):
            raise TypeError("[Profiler] output_path, got %s, expected a path" % type(output_path).__name__)
        self.output_path = os.fspath(output_path)
        self._events, self._dropped, self._seconds, self._began = [], 0, 0.0, None
        if start_profile:
            self.start()

    def start(self):
        """Begins to note what runs; what has been noted before stays. RuntimeError while a profiler is running."""
        if Profiler._running is not None:
            raise RuntimeError("[Profiler] start, got a profiler that is running, expected stop() or analyse() before it")
        Profiler._running, self._began = self, time.perf_counter()
        _msjit.profile_start()

    def stop(self):
        """Ends that. RuntimeError when this profiler is not running."""
        if Profiler._running is not self:
            raise RuntimeError("[Profiler] stop, got a profiler that is not running, expected start() before it")
        events, dropped = _msjit.profile_stop()
        Profiler._running = None
        self._seconds += time.perf_counter() - self._began
        self._events += [Event(*row) for row in events]
        self._dropped += dropped

    def analyse(self, offline_path=None, pretty=False, step_list=None, mode="sync"):
        """Stops, if that has not been done, and writes the trace to output_path/trace_view.json, in the format of
        chrome://tracing and https://ui.perfetto.dev. The arguments are accepted for compatibility. OSError where it cannot be
        written."""
        if Profiler._running is self:
            self.stop()
        os.makedirs(self.output_path, exist_ok=True)
        with open(os.path.join(self.output_path, TRACE), "w") as file:
            json.dump({"traceEvents": [event.as_trace() for event in self._events], "displayTimeUnit": "ms"}, file,
                      indent=1 if pretty else None)
            file.write("\n")

    @property
    def events(self):
        """The events of the finished runs, in the order in which they ended."""
        return list(self._events)

    def summary(self, rows=20):
        """The kernels and ops that took most time, `rows` of them, as text: calls, milliseconds in all, gigabytes and
        gigaflops a second, and the share of the time that the machine would need at best (its memory and its matrix products are
        measured here, on as many threads as kernels use); then regions, captures, compiles and breaks."""
        if Profiler._running is self:
            self.stop()
        return _summary(self._events, self._seconds, self._dropped, rows)

    def __enter__(self):
        if Profiler._running is not self:
            self.start()
        return self

    def __exit__(self, *exc_info):
        self.analyse()


class Event:
    """One thing that ran. `kind` is op, kernel, region, capture, compile or break; `begin` and `duration` are microseconds;
    `bytes` and `flops` are what the work asks for at least, 0 where nothing is known."""

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
    """The kernels and ops among `events` that took most time, `rows` of them, as lines of text; the first one says what the
    machine can do. "limit" is the time it would need for their bytes or their arithmetic alone, as a share of what they took."""
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
