"""DynamicProfilerMonitor: a file says which steps are recorded. It may be rewritten while the program runs."""
import json
import os
import warnings

from .profiler import profile
from .profiler_schedule import tensorboard_trace_handler
from .train.callback import Callback

_FILE = "profiler_config.json"
# The contents of a new file: no steps yet.
_DEFAULTS = {"start_step": -1, "stop_step": -1, "analyse": True, "prof_path": "./"}


class DynamicProfilerMonitor(Callback):
    """Records the steps `start_step` to `stop_step`, as cfg_path/profiler_config.json says, and writes their trace.

    The trace lies in FOLDER/rankR_startS_stopE. FOLDER is the file's `prof_path`, or output_path if that is "./". Without
    `analyse` no trace is written. Other entries of the file concern other devices. The program calls step() after each step, of which the first
    is step 1, or gives the monitor to Model.train as a callback. The file is read again when it changes. If it is missing, it is made, with no
    steps to record. A file with other contents is ignored with a warning. poll_interval and other keywords are accepted for compatibility.
    TypeError for a path of another type; RuntimeError if another profiler is running.
    """

    def __init__(self, cfg_path, output_path="./dyn_profile_data", poll_interval=2, **kwargs):
        super().__init__()
        for name, value in (("cfg_path", cfg_path), ("output_path", output_path)):
            if not isinstance(value, (str, os.PathLike)):
                raise TypeError("[DynamicProfilerMonitor] %s, got %s, expected a path" % (name, type(value).__name__))
        self._file, self._output = os.path.join(os.fspath(cfg_path), _FILE), os.fspath(output_path)
        self._seen, self._settings, self._profiler, self._step, self._last = None, dict(_DEFAULTS), None, 0, None
        if not os.path.exists(self._file):
            os.makedirs(os.path.dirname(self._file), exist_ok=True)
            with open(self._file, "w") as file:
                json.dump(_DEFAULTS, file, indent=4)

    def step(self):
        """Ends a step of the program."""
        self._step += 1
        self._after(self._step)
        self._before(self._step + 1)

    def step_begin(self, run_context):
        """Before a step of Model.train."""
        self._before(run_context.original_args().cur_step_num)

    def step_end(self, run_context):
        """After a step of Model.train."""
        self._after(run_context.original_args().cur_step_num)

    def _before(self, number):
        if self._profiler is not None:
            return
        self._read()
        first, last = self._settings["start_step"], self._settings["stop_step"]
        if number != first:
            return
        path = self._settings["prof_path"]
        folder = os.path.join(self._output if path == "./" else path, "rank%s_start%d_stop%d" % (os.environ.get("RANK_ID", "0"), first, last))
        handler = tensorboard_trace_handler(folder, analyse_flag=bool(self._settings["analyse"]))
        self._profiler, self._last = profile(on_trace_ready=handler), last

    def _after(self, number):
        if self._profiler is not None and number >= self._last:
            profiler, self._profiler = self._profiler, None
            profiler.stop()

    def _read(self):
        try:
            found = os.stat(self._file)
        except OSError:
            return
        stamp = found.st_mtime_ns, found.st_size
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            with open(self._file) as file:
                self._settings = _checked(json.load(file))
        except (OSError, ValueError) as error:
            warnings.warn("[DynamicProfilerMonitor] %s is passed over: %s" % (self._file, error), stacklevel=4)


def _checked(given):
    if not isinstance(given, dict):
        raise ValueError("got %s, expected an object" % type(given).__name__)
    settings = {name: given.get(name, default) for name, default in _DEFAULTS.items()}
    for name, kind in (("start_step", int), ("stop_step", int), ("prof_path", str), ("analyse", (bool, int))):
        if not isinstance(settings[name], kind) or isinstance(settings[name], bool) and kind is int:
            raise ValueError("%s, got %r, expected %s" % (name, settings[name], "a text" if kind is str else "a number"))
    if settings["start_step"] > settings["stop_step"]:
        raise ValueError("start_step, got %d, expected at most stop_step, %d" % (settings["start_step"], settings["stop_step"]))
    return settings


__all__ = ["DynamicProfilerMonitor"]
