"""Callbacks for interrupted trainings: BackupAndRestore resumes one, OnRequestExit ends one on a signal."""
import json
import os
import signal

from ..common.checks import check_bool
from ..serialization import load_checkpoint, load_param_into_net, save_checkpoint
from ..sharded_checkpoint import remove
from .callback import Callback


class BackupAndRestore(Callback):
    """Saves the state of a training as backup.ckpt in a folder, and resumes from such a file.

    It saves after each epoch, or every save_freq steps. A training that finds a backup continues after the last epoch that was complete when it
    was saved. With delete_checkpoint the file is removed at the end of the training. Raises TypeError for a backup_dir that is no str.
    """

    def __init__(self, backup_dir, save_freq="epoch", delete_checkpoint=True):
        where = "BackupAndRestore"
        if not isinstance(backup_dir, str):
            raise TypeError("[%s] backup_dir, got %s, expected a str" % (where, type(backup_dir).__name__))
        if save_freq != "epoch":
            if isinstance(save_freq, bool) or not isinstance(save_freq, int):
                raise TypeError("[%s] save_freq, got %r, expected 'epoch' or an int" % (where, save_freq))
            if save_freq <= 0:
                raise ValueError("[%s] save_freq, got %d, expected above 0" % (where, save_freq))
        self.save_freq, self.delete_checkpoint = save_freq, check_bool(delete_checkpoint, where, "delete_checkpoint")
        self.backup_dir = os.path.abspath(backup_dir)
        os.makedirs(self.backup_dir, exist_ok=True)
        self.backup_file = os.path.join(self.backup_dir, "backup.ckpt")

    def on_train_begin(self, run_context):
        state = run_context.original_args()
        if not os.path.exists(self.backup_file):
            return
        values = load_checkpoint(self.backup_file)
        state.resume_epoch = int(values.pop("epoch_num").asnumpy())
        state.cur_step_num = int(values.pop("step_num").asnumpy())
        load_param_into_net(state.train_network, values)

    def on_train_step_end(self, run_context):
        state = run_context.original_args()
        if self.save_freq != "epoch" and state.cur_step_num % self.save_freq == 0:
            self._save(state, state.cur_epoch_num - 1 if state.cur_step_num % state.batch_num else state.cur_epoch_num)

    def on_train_epoch_end(self, run_context):
        state = run_context.original_args()
        if self.save_freq == "epoch":
            self._save(state, state.cur_epoch_num)

    def _save(self, state, epoch):
        save_checkpoint(state.train_network, self.backup_file, append_dict={"epoch_num": epoch, "step_num": state.cur_step_num})

    def on_train_end(self, run_context):
        if self.delete_checkpoint:
            remove(self.backup_file)
            try:
                os.rmdir(self.backup_dir)
            except OSError:  # the folder has other files, or another process has removed it
                pass


class OnRequestExit(Callback):
    """Stops the training after the step in which a signal arrives or a JSON file says {"GracefulExit": 1}.

    It first saves NAME_train.ckpt (NAME_eval.ckpt in an evaluation) in a folder. save_mindir has no effect. Raises TypeError for a save_ckpt that
    is no bool.
    """

    def __init__(self, save_ckpt=True, save_mindir=True, file_name="Net", directory="./", config_file=None, sig=signal.SIGTERM):
        where = "OnRequestExit"
        check_bool(save_ckpt, where, "save_ckpt"), check_bool(save_mindir, where, "save_mindir")
        for name, value in (("file_name", file_name), ("directory", directory)):
            if not isinstance(value, str):
                raise TypeError("[%s] %s, got %s, expected a str" % (where, name, type(value).__name__))
        if not file_name:
            raise ValueError("[%s] file_name, got '', expected a name" % where)
        if config_file is not None and not isinstance(config_file, str):
            raise TypeError("[%s] config_file, got %s, expected a str" % (where, type(config_file).__name__))
        if isinstance(sig, bool) or not isinstance(sig, int):
            raise TypeError("[%s] sig, got %s, expected an int" % (where, type(sig).__name__))
        if sig not in (int(s) for s in signal.Signals) or sig in (signal.SIGKILL, signal.SIGSTOP):
            raise ValueError("[%s] sig, got %d, expected a signal that can be handled" % (where, sig))
        self.save_ckpt, self.save_mindir, self.sig, self.exit, self.config_file = save_ckpt, save_mindir, sig, False, config_file
        self._directory, self._name, self._before = os.path.abspath(directory), file_name, None
        os.makedirs(self._directory, exist_ok=True)

    def _begin(self, run_context):
        self.exit = False
        self._before = signal.signal(self.sig, self._request)

    def _request(self, number, frame):
        self.exit = True

    def _asked(self):
        if self.exit or self.config_file is None or not os.path.exists(self.config_file):
            return self.exit
        with open(self.config_file) as file:
            try:
                return json.load(file).get("GracefulExit") == 1
            except (ValueError, AttributeError):
                raise ValueError("[OnRequestExit] config_file, got %s without a JSON object, expected one" % (self.config_file,)) from None

    def _step_end(self, run_context, kind):
        if not self._asked() or run_context.get_stop_requested():
            return
        run_context.request_stop()
        if self.save_ckpt:
            state = run_context.original_args()
            save_checkpoint(state.train_network, os.path.join(self._directory, "%s_%s.ckpt" % (self._name, kind)),
                            append_dict={"epoch_num": state.cur_epoch_num, "step_num": state.cur_step_num})

    def _end(self, run_context):
        if self._before is not None:
            signal.signal(self.sig, self._before)
            self._before = None

    on_train_begin = on_eval_begin = _begin
    on_train_end = on_eval_end = _end

    def on_train_step_end(self, run_context):
        self._step_end(run_context, "train")

    def on_eval_step_end(self, run_context):
        self._step_end(run_context, "eval")

    def __exit__(self, *error):
        self._end(None)
