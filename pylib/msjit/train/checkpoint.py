"""ModelCheckpoint: saves the state of training at intervals of steps or seconds."""
import os
import time

from ..common.checks import check_count
from ..nn.cell import Cell
from ..serialization import save_checkpoint
from ..sharded_checkpoint import remove
from .callback import Callback


class CheckpointConfig:
    """When checkpoints are saved, how many are kept, and in which format.

    save_checkpoint_steps takes precedence over save_checkpoint_seconds, and keep_checkpoint_max over
    keep_checkpoint_per_n_minutes; 0 or None switches one off, and without both of the latter one checkpoint is kept. append_info lists
    'epoch_num', 'step_num' and dicts of further values to save. With exception_save an exception in the training saves the state at that
    point, besides the others. crc_check adds a checksum, which load_checkpoint(crc_check=True) tests.

    TypeError for an exception_save, ValueError for a crc_check or remove_redundancy that is no bool; ValueError for exception_save and
    crc_check with the format 'safetensors', and for another format than 'ckpt' and it.
    """

    def __init__(self, save_checkpoint_steps=1, save_checkpoint_seconds=0, keep_checkpoint_max=5,
                 keep_checkpoint_per_n_minutes=0, integrated_save=True, async_save=False, saved_network=None,
                 append_info=None, enc_key=None, enc_mode="AES-GCM", exception_save=False, crc_check=False,
                 remove_redundancy=False, format="ckpt", **kwargs):
        where = "CheckpointConfig"
        steps, seconds, most, minutes = [None if value is None else check_count(value, where, name) for name, value in (
            ("save_checkpoint_steps", save_checkpoint_steps), ("save_checkpoint_seconds", save_checkpoint_seconds),
            ("keep_checkpoint_max", keep_checkpoint_max),
            ("keep_checkpoint_per_n_minutes", keep_checkpoint_per_n_minutes))]
        if not (steps or seconds or most or minutes):
            raise ValueError("[%s] steps, seconds and numbers of checkpoints, got 0 for all, expected one of them" % where)
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise TypeError("[%s] saved_network must be a Cell, got %s" % (where, type(saved_network).__name__))
        for name, value, error in (("exception_save", exception_save, TypeError), ("crc_check", crc_check, ValueError),
                                   ("remove_redundancy", remove_redundancy, ValueError)):
            if not isinstance(value, bool):
                raise error("[%s] %s, got %r, expected a bool" % (where, name, value))
        for name, value in (("enc_key", enc_key), ("remove_redundancy", remove_redundancy)):
            if value:
                raise NotImplementedError("[%s] %s, got %r, expected it left out" % (where, name, value))
        if format not in ("ckpt", "safetensors"):
            raise ValueError("[%s] format, got %r, expected 'ckpt' or 'safetensors'" % (where, format))
        if format == "safetensors" and (exception_save or crc_check):
            raise ValueError("[%s] %s, got True with the format 'safetensors', expected the format 'ckpt'"
                             % (where, "exception_save" if exception_save else "crc_check"))
        self.save_checkpoint_steps, self.save_checkpoint_seconds = steps, None if steps else seconds
        self.keep_checkpoint_max, self.keep_checkpoint_per_n_minutes = most if most or minutes else 1, None if most else minutes
        self.integrated_save, self.async_save, self.saved_network = integrated_save, async_save, saved_network
        self.append_dict = _appended(append_info)
        self.exception_save, self.crc_check, self.format = exception_save, crc_check, format
        # Settings that programs read. Here each has only one value.
        self.remove_redundancy = self.enable_redundance = self.map_param_inc = False
        self.enc_key, self.enc_mode = None, enc_mode

    def get_checkpoint_policy(self):
        """Returns the settings for when to save and how many files to keep, as a dict."""
        return {name: getattr(self, name) for name in (
            "save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max", "keep_checkpoint_per_n_minutes",
            "saved_network")}


def _appended(append_info):
    """The values to save besides the Parameters: counters by name, and dicts of numbers or Tensors."""
    if append_info is None or append_info == []:
        return {}
    if not isinstance(append_info, list):
        raise TypeError("[CheckpointConfig] append_info must be a list, got %s" % type(append_info).__name__)
    found = {}
    for item in append_info:
        if isinstance(item, dict):
            found.update(item)
        elif item in ("epoch_num", "step_num"):
            found[item] = 0
        else:
            raise TypeError("[CheckpointConfig] an item of append_info, got %r, expected 'epoch_num', 'step_num' or a dict"
                            % (item,))
    return found


class ModelCheckpoint(Callback):
    """Saves checkpoints PREFIX-EPOCH_STEP.ckpt in a directory; if an earlier training left some there, the prefix gets a
    number.

    An exception in the training saves PREFIX-EPOCH_STEP_breakpoint.ckpt too, if the config says exception_save.

    prefix and directory may be functions of the loop's state, called for each checkpoint; a prefix function returns the whole name. Raises
    ValueError for a prefix of another type or with '/', TypeError for a directory of another type and for a config that is not a CheckpointConfig.
    """

    def __init__(self, prefix="CKP", directory=None, config=None):
        for name, value in (("prefix", prefix), ("directory", directory)):
            if value is not None and not isinstance(value, str) and not callable(value):
                error = TypeError if name == "directory" else ValueError  # the classes that MindSpore has
                raise error("[ModelCheckpoint] %s must be a str or a function, got %s" % (name, type(value).__name__))
        if not prefix or isinstance(prefix, str) and "/" in prefix:
            raise ValueError("[ModelCheckpoint] prefix, got %r, expected a name without '/'" % (prefix,))
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError("[ModelCheckpoint] config must be a CheckpointConfig, got %s" % type(config).__name__)
        self._config = config or CheckpointConfig()
        self._directory = directory if callable(directory) else os.path.abspath(directory or ".")
        if not callable(directory):
            os.makedirs(self._directory, exist_ok=True)
        self._prefix = prefix if callable(prefix) or callable(directory) else _free_prefix(self._directory, prefix)
        self._last_step, self._last_time, self._latest, self._kept = 0, time.time(), "", []
        self._training = None  # the state of the loop, within it

    @property
    def latest_ckpt_file_name(self):
        """The path of the newest checkpoint; "" before the first one."""
        return self._latest

    def on_train_begin(self, run_context):
        self._training = run_context.original_args()
        super().on_train_begin(run_context)

    def step_end(self, run_context):
        state, config = run_context.original_args(), self._config
        if config.save_checkpoint_steps:
            if state.cur_step_num >= self._last_step + config.save_checkpoint_steps:
                self._save(state)
        elif config.save_checkpoint_seconds and time.time() - self._last_time > config.save_checkpoint_seconds:
            self._save(state)

    def end(self, run_context):
        config = self._config
        if config.save_checkpoint_steps or config.save_checkpoint_seconds:
            self._save(run_context.original_args())

    def __exit__(self, *error):
        state, self._training = self._training, None
        if state is not None and error and error[0] is not None and self._config.exception_save:
            self._write(state, state.train_network, "_breakpoint")

    def _save(self, state):
        if state.cur_step_num == self._last_step:
            return
        network = self._config.saved_network
        path = self._write(state, state.train_network if network is None else network, "")
        self._last_step, self._last_time, self._latest = state.cur_step_num, time.time(), path
        self._drop_old(path)

    def _write(self, state, network, ending):
        """Saves a Cell and the appended values under the name for this step, with `ending`. Returns the path."""
        config, appended = self._config, dict(self._config.append_dict)
        for name, value in (("epoch_num", state.cur_epoch_num), ("step_num", state.cur_step_num)):
            if name in appended:
                appended[name] = value
        step = (state.cur_step_num - 1) % state.batch_num + 1 if state.cur_step_num else 0
        directory = os.path.abspath(self._directory(state) if callable(self._directory) else self._directory)
        os.makedirs(directory, exist_ok=True)
        name = self._prefix(state) if callable(self._prefix) else "%s-%d_%d" % (self._prefix, state.cur_epoch_num, step)
        path = os.path.join(directory, "%s%s.%s" % (name, ending, config.format))
        save_checkpoint(network, path, config.integrated_save, append_dict=appended, crc_check=config.crc_check, format=config.format)
        return path

    def _drop_old(self, path):
        """Removes the oldest checkpoints beyond the number to keep."""
        if path in self._kept:
            self._kept.remove(path)
        config, minutes = self._config, self._config.keep_checkpoint_per_n_minutes
        if minutes and self._kept and time.time() - self._first < 60 * minutes:
            remove(self._kept.pop())
        elif minutes:
            self._first = time.time()
        self._kept.append(path)
        while config.keep_checkpoint_max and len(self._kept) > config.keep_checkpoint_max:
            remove(self._kept.pop(0))


class CheckpointManager:
    """Lists and removes the checkpoints PREFIX*.FORMAT of a directory, for callbacks that programs write themselves."""

    def __init__(self, format="ckpt"):
        self._format, self._files = format, []

    @property
    def ckpoint_filelist(self):
        """The paths of the checkpoints, oldest first."""
        return self._files

    @property
    def ckpoint_num(self):
        """The number of checkpoints."""
        return len(self._files)

    def update_ckpoint_filelist(self, directory, prefix):
        """Looks for checkpoints in a directory."""
        names = [name for name in os.listdir(directory) if name.startswith(prefix) and name.endswith("." + self._format)
                 and not name.startswith(prefix + "-graph")]
        self._files = sorted((os.path.join(directory, name) for name in names), key=os.path.getmtime)

    def remove_ckpoint_file(self, file_name):
        """Removes a checkpoint; it is no error if the file is gone."""
        remove(file_name)
        if file_name in self._files:
            self._files.remove(file_name)

    def remove_oldest_ckpoint_file(self):
        """Removes the oldest checkpoint, if there is one."""
        if self._files:
            self.remove_ckpoint_file(self._files[0])

    def keep_one_ckpoint_per_minutes(self, minutes, cur_time):
        """Keeps only the first of the checkpoints written in the last `minutes` before cur_time (in seconds)."""
        recent = [path for path in self._files if os.path.getmtime(path) > cur_time - 60 * minutes]
        for path in recent[1:]:
            self.remove_ckpoint_file(path)


def _free_prefix(directory, prefix):
    """The prefix, with a number appended if an earlier training left checkpoints."""
    number = 0
    for name in os.listdir(directory):
        stem, suffix = os.path.splitext(name)
        if suffix not in (".ckpt", ".safetensors") or not stem.startswith(prefix):
            continue
        rest = stem[len(prefix):]
        if rest.startswith("-"):
            number = max(number, 1)
        elif rest.startswith("_") and rest[1:].split("-")[0].isdigit() and "-" in rest:
            number = max(number, int(rest[1:].split("-")[0]) + 1)
    return "%s_%d" % (prefix, number) if number else prefix
