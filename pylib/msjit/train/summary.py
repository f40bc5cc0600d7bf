"""SummaryRecord and SummaryCollector: write numbers, images and histograms of a training to files for MindInsight."""
import os
import time

from .. import _paths, log
from ..absent import names as _absent_names
from ..common.checks import check_bool, check_count
from ..common.tensor import Tensor
from ..nn.cell import Cell
from . import event_file
from .callback import Callback, loss_of

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
globals().update(_absent_names(__name__, "_get_summary_tensor_data", "values of TensorSummary are not kept"))
_KINDS = ("scalar", "image", "histogram")
_OTHERS = ("tensor", "train_lineage", "eval_lineage", "dataset_graph", "custom_lineage_data", "graph", "landscape")


class SummaryRecord:
    """Collects values by add_value and writes them to a file in a folder by record(step). It is a context manager.

    Of MindSpore's kinds of values it writes scalar, image and histogram. num_process, network and export_options change nothing. Once the file
    has max_file_size bytes or more, record writes nothing and returns False. Raises TypeError for a log_dir that is no str.
    """

    def __init__(self, log_dir, file_prefix="events", file_suffix="_MS", num_process=32, network=None, max_file_size=None,
                 raise_exception=False, export_options=None):
        where = "SummaryRecord"
        for name, value in (("log_dir", log_dir), ("file_prefix", file_prefix), ("file_suffix", file_suffix)):
            if not isinstance(value, str):
                raise TypeError("[%s] %s, got %s, expected a str" % (where, name, type(value).__name__))
            if name != "log_dir" and "/" in value:
                raise ValueError("[%s] %s, got %r, expected a text without '/'" % (where, name, value))
        if network is not None and not isinstance(network, Cell):
            raise TypeError("[%s] network, got %s, expected a Cell" % (where, type(network).__name__))
        if max_file_size is not None and (isinstance(max_file_size, bool) or not isinstance(max_file_size, (int, float))):
            raise TypeError("[%s] max_file_size, got %s, expected a number" % (where, type(max_file_size).__name__))
        check_count(num_process, where, "num_process"), check_bool(raise_exception, where, "raise_exception")
        self._limit, self._mode, self._values, self._raises = max_file_size, "train", [], raise_exception
        folder = os.path.abspath(log_dir)
        os.makedirs(folder, exist_ok=True)
        number = 0
        while True:
            path = os.path.join(folder, "%s.out.events.summary.%d.%d.vm%s" % (file_prefix, int(time.time()), number, file_suffix))
            try:
                self._file = open(path, "xb")
                break
            except FileExistsError:  # another record made its file within the same second
                number += 1
        self._path = path
        self._file.write(event_file.record(event_file.version_event(time.time())))
        self._file.flush()

    @property
    def log_dir(self):
        """The path of the file that is written."""
        return self._path

    def set_mode(self, mode):
        """Says whether the values that follow belong to a training ("train") or an evaluation ("eval"); ValueError for another word."""
        if mode not in ("train", "eval"):
            raise ValueError("[SummaryRecord] mode, got %r, expected 'train' or 'eval'" % (mode,))
        self._mode = mode

    def add_value(self, plugin, name, value):
        """Collects a Tensor for the next record().

        A 'scalar' has one element, an 'image' is (N, C, H, W), of which the first is written, and a 'histogram' takes any
        shape.
        """
        where = "SummaryRecord"
        if plugin in _OTHERS:
            raise NotImplementedError("[%s] plugin, got %r, expected one of %s: the others are not written" % (where, plugin, list(_KINDS)))
        if plugin not in _KINDS:
            raise ValueError("[%s] plugin, got %r, expected one of %s" % (where, plugin, list(_KINDS)))
        if not isinstance(name, str) or not name:
            raise ValueError("[%s] name, got %r, expected a text" % (where, name))
        if not isinstance(value, Tensor):
            raise TypeError("[%s] value, got %s, expected a Tensor" % (where, type(value).__name__))
        if plugin == "scalar" and value.size != 1:
            raise ValueError("[%s] shape of a scalar, got %s, expected one element" % (where, tuple(value.shape)))
        if plugin == "image" and (value.ndim != 4 or value.shape[1] not in (1, 3, 4)):
            raise ValueError("[%s] shape of an image, got %s, expected (N, C, H, W) with 1, 3 or 4 channels" % (where, tuple(value.shape)))
        self._values.append((plugin, name, value.asnumpy().copy()))

    def record(self, step, train_network=None, plugin_filter=None):
        """Writes the collected values of a step, or only those for which plugin_filter(kind) is true; returns whether it did."""
        if isinstance(step, bool) or not isinstance(step, int):
            raise TypeError("[SummaryRecord] step, got %s, expected an int" % type(step).__name__)
        if self._file is None:
            raise RuntimeError("[SummaryRecord] file, got a closed one, expected an open one")
        if self._limit is not None and self._file.tell() >= self._limit:
            log.warning("[SummaryRecord] the file has reached max_file_size, %s bytes; nothing more is written" % self._limit)
            self._values = []
            return False
        chosen = [value for value in self._values if plugin_filter is None or plugin_filter(value[0])]
        self._values = []
        if chosen:
            try:
                self._file.write(event_file.record(event_file.summary_event(time.time(), step, [_encoded(*value) for value in chosen])))
            except OSError as error:
                if self._raises:
                    raise
                log.warning("[SummaryRecord] values of step %d are lost: %s" % (step, error))
                return False
        return True

    def flush(self):
        """Flushes written data to the operating system."""
        if self._file is not None:
            self._file.flush()

    def close(self):
        """Closes the file; calling it again does nothing."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def _encoded(kind, name, array):
    if kind == "scalar":
        return event_file.scalar(name, float(array.reshape(-1)[0]))
    if kind == "histogram":
        return event_file.histogram(name, array)
    return _image(name, array[0].transpose(1, 2, 0))


def _image(name, array):
    """The first image of a batch as a PNG file, with its values scaled to 0..255."""
    import io

    import numpy

    from ..dataset.vision.base import pillow
    array = array.astype(numpy.float64)
    low, high = float(array.min()), float(array.max())
    data = ((array - low) * (255.0 / (high - low) if high > low else 0.0)).round().astype(numpy.uint8)
    stream = io.BytesIO()
    pillow().fromarray(data[:, :, 0] if data.shape[2] == 1 else data).save(stream, "PNG")
    return event_file.image(name, data.shape[0], data.shape[1], data.shape[2], stream.getvalue())


class SummaryCollector(Callback):
    """Records loss, learning rate and histograms of Parameters of a training every collect_freq steps, in a SummaryRecord.

    collect_specified_data is {'collect_metric': bool, 'histogram_regular': pattern for the names of Parameters}. With keep_default_action False
    only these are recorded. By default the histograms are those of the first five trainable Parameters. Raises TypeError for a summary_dir that
    is no str.
    """

    def __init__(self, summary_dir, collect_freq=10, num_process=32, collect_specified_data=None, keep_default_action=True,
                 custom_lineage_data=None, collect_tensor_freq=None, max_file_size=None, export_options=None):
        where = "SummaryCollector"
        if not isinstance(summary_dir, str):
            raise TypeError("[%s] summary_dir, got %s, expected a str" % (where, type(summary_dir).__name__))
        if check_count(collect_freq, where, "collect_freq") == 0:
            raise ValueError("[%s] collect_freq, got 0, expected above 0" % where)
        check_bool(keep_default_action, where, "keep_default_action")
        if collect_specified_data is not None and not isinstance(collect_specified_data, dict):
            raise TypeError("[%s] collect_specified_data, got %s, expected a dict" % (where, type(collect_specified_data).__name__))
        chosen = collect_specified_data or {}
        known = ("collect_metric", "histogram_regular", "collect_graph", "collect_train_lineage", "collect_eval_lineage",
                 "collect_input_data", "collect_dataset_graph", "collect_landscape")
        for name in chosen:
            if name not in known:
                raise ValueError("[%s] collect_specified_data, got %r, expected one of %s" % (where, name, list(known)))
        self._folder, self._every, self._limit, self._record = summary_dir, collect_freq, max_file_size, None
        self._metric = chosen.get("collect_metric", keep_default_action)
        self._pattern = chosen.get("histogram_regular", None if keep_default_action else "$^")

    def __enter__(self):
        self._record = SummaryRecord(self._folder, max_file_size=self._limit)
        return self

    def __exit__(self, *error):
        self._record.close()

    def step_end(self, run_context):
        state = run_context.original_args()
        if state.get("mode") != "train" or (state.cur_step_num - 1) % self._every:
            return
        if self._metric:
            self._record.add_value("scalar", "loss/auto", Tensor(float(loss_of(state.net_outputs))))
            rate = getattr(state.optimizer, "get_lr", lambda: None)()
            if isinstance(rate, Tensor) and rate.size == 1:
                self._record.add_value("scalar", "learning_rate/auto", rate)
        for param in self._watched(state):
            self._record.add_value("histogram", param.name + "/auto", param)
        self._record.record(state.cur_step_num)

    def _watched(self, state):
        import re
        params = state.train_network.trainable_params()
        return params[:5] if self._pattern is None else [p for p in params if re.match(self._pattern, p.name)]

    def end(self, run_context):
        state = run_context.original_args()
        if state.get("mode") == "eval" and self._metric:
            for name, value in (state.get("metrics") or {}).items():
                if isinstance(value, (int, float)):
                    self._record.add_value("scalar", "%s/auto" % name, Tensor(float(value)))
            self._record.record(state.cur_step_num)
        self._record.flush()

_paths.reach(__name__)
