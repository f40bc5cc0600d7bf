"""Run by mpirun with a folder and a task: checkpoints of training with a divided optimizer, and training that goes on with other processes."""
import os
import signal
import sys
import time

import numpy as np

import msjit as ms
from msjit import Tensor, nn, ops
from msjit import dataset as ds
from msjit.communication import get_group_size, get_rank, init

init()
FOLDER, TASK = sys.argv[1:3]
RANK, SIZE, ROWS = get_rank(), get_group_size(), 24
DATA = np.random.RandomState(1).standard_normal((6, ROWS, 8)).astype(np.float32)
LABELS = (DATA[:, :, :4].sum(2) > 0).astype(np.int32)
OWN = slice(RANK * ROWS // SIZE, (RANK + 1) * ROWS // SIZE)


def parallel(sharded=True):
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, enable_parallel_optimizer=sharded)


def network(seed=3):
    ms.set_seed(seed)
    return nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Dense(16, 24), nn.ReLU(), nn.Dense(24, 2))


def optimizer_of(net):
    return nn.Adam([{"params": net.trainable_params()[:2], "lr": 0.02}, {"params": net.trainable_params()[2:]}], 0.01, use_amsgrad=True)


def step_of(seed=3, make=optimizer_of):
    net = network(seed)
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), make(net))


def train(step, batches):
    for i in batches:
        step(Tensor(DATA[i, OWN]), Tensor(LABELS[i, OWN]))


def values(step):
    """Those that are the same on all processes: BatchNorm's running statistics are each process's own."""
    return {p.name: p.asnumpy() for p in step.get_parameters() if "moving" not in p.name}


def same(a, b):
    return list(a) == list(b) and all(np.array_equal(a[name], b[name]) for name in a)


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(text)


def path(name):
    return os.path.join(FOLDER, name)


def content(name):
    with open(path(name), "rb") as file:
        return file.read()


def write():
    """Saves after three steps, whole and in parts. Training from either goes on as it does without."""
    for make, what in ((optimizer_of, ""), (lambda net: nn.AdaFactor(net.trainable_params(), beta1=0.9), "factors ")):
        steps = []
        for sharded in (False, True):
            parallel(sharded)
            steps.append(step_of(make=make))
            train(steps[-1], range(3))
        if RANK == 0:
            ms.save_checkpoint(steps[0], path(what + "unsharded.ckpt"))
        ms.save_checkpoint(steps[1], path(what + "whole.ckpt"), append_dict={"step": 3})
        assert list(ms.load_checkpoint(path(what + "whole.ckpt")))[:-1] == [p.name for p in steps[0].get_parameters()], what
        ms.save_checkpoint(steps[1], path(what + "whole again"))
        if RANK == 0:
            assert content(what + "whole again.ckpt") == content(what + "unsharded.ckpt"), what
        for _ in range(2):  # the second replaces the first
            ms.save_checkpoint(steps[1], path(what + "parts.ckpt"), integrated_save=False, append_dict={"step": 3})
        ms.save_checkpoint(steps[1], path(what + "parts.safetensors"), integrated_save=False, format="safetensors")
        ops.Barrier()()
        parts = [name for name in os.listdir(FOLDER) if name.startswith(what + "parts.ckpt.")]
        assert len(parts) == SIZE and max(os.path.getsize(path(name)) for name in parts) < os.path.getsize(path(what + "whole.ckpt")), parts
        train(steps[1], range(3, 6))
        for name in ("whole.ckpt", "parts.ckpt", "parts.safetensors"):
            other = step_of(seed=9, make=make)
            loaded = ms.load_checkpoint(path(what + name))
            assert int(loaded.pop("step", 3)) == 3 and ms.load_param_into_net(other, loaded) == ([], []), (what, name)
            train(other, range(3, 6))
            assert same(values(other), values(steps[1])), (what, name)
    one = step_of(seed=9)
    ms.load_checkpoint(path("parts.ckpt"), one, filter_prefix="moment2")
    assert all(np.array_equal(v, np.zeros_like(v)) for name, v in values(one).items() if name.startswith("moment2"))
    ms.save_checkpoint(steps[1], path("few"), choice_func=lambda name: "exp_avg." in name)
    few = ms.load_checkpoint(path("few.ckpt"))
    assert len(few) == 8 and all(name.startswith("exp_avg.") for name in few), list(few)
    raises(RuntimeError, "save_checkpoint of one file on rank 0", lambda: ms.save_checkpoint(steps[1], path("x")) if RANK == 0 else train(steps[1], [0]))
    raises(ValueError, "parts of %s on rank 0" % path("0.ckpt"), lambda: ms.save_checkpoint(steps[1], path(str(RANK)), integrated_save=False))
    missing = path("missing%d/x" % (RANK == SIZE - 1))  # one process cannot write
    os.makedirs(path("missing0"), exist_ok=True)
    raises((OSError, RuntimeError), "missing1", lambda: ms.save_checkpoint(steps[1], missing))
    assert os.listdir(path("missing0")) == ["x.ckpt"]


def read():
    """Reads what another number of processes has written; it is the same whole."""
    parallel()
    for name in ("whole.ckpt", "parts.ckpt", "parts.safetensors"):
        step = step_of(seed=9)
        loaded = ms.load_checkpoint(path(name), step)
        loaded.pop("step", None)
        assert ms.load_param_into_net(step, loaded) == ([], []) and step.optimizer.step_count == 3, name
        again = "again %d %s" % (SIZE, name)
        ms.save_checkpoint(step, path(again + ".ckpt"))
        if RANK == 0:
            assert content(again + ".ckpt") == content("unsharded.ckpt"), name
    if RANK == 0 and SIZE == 1:  # the last reader
        part = [name for name in os.listdir(FOLDER) if name.startswith("parts.ckpt.") and name.endswith("_1")][0]
        whole = content(part)
        for data in (whole[:-1], None):
            os.remove(path(part))
            if data is not None:
                with open(path(part), "wb") as file:
                    file.write(data)
            raises(ValueError, "its part %s %s" % (path(part), "is missing" if data is None else "has %d bytes, expected %d" % (len(data), len(whole))),
                   lambda: ms.load_checkpoint(path("parts.ckpt")))
        with open(path("parts.ckpt"), "r+b") as file:
            file.truncate(40)
        raises(ValueError, "its list of parts cannot be read", lambda: ms.load_checkpoint(path("parts.ckpt")))


def end():
    """As the system ends a process when memory is short. Says when."""
    print("killed at %r\n" % time.time(), end="")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


class Report(ms.Callback):
    """Ends one process in the fourth epoch, if the task is to be killed; says where the training begins."""

    def on_train_epoch_begin(self, run_context):
        if RANK == 0 and not hasattr(self, "said"):
            self.said = True
            print("begins with epoch %d\n" % run_context.original_args().cur_epoch_num, end="")

    def on_train_step_begin(self, run_context):
        state = run_context.original_args()
        if TASK == "killed" and RANK == SIZE - 1 and state.cur_step_num == 3 * state.batch_num + 2:
            end()


def model():
    """Model.train with a backup after each epoch, and the last two checkpoints in parts."""
    parallel()
    x, y = DATA.reshape(-1, 8), LABELS.reshape(-1)
    sampler = ds.DistributedSampler(SIZE, RANK, shuffle=False)
    rows = ds.NumpySlicesDataset((x, y), ["x", "y"], sampler=sampler).batch(ROWS // SIZE)
    ms.set_seed(3)
    net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 2))
    config = ms.CheckpointConfig(save_checkpoint_steps=6, keep_checkpoint_max=2, integrated_save=False)
    callbacks = [Report(), ms.BackupAndRestore(path("backup"), delete_checkpoint=False), ms.ModelCheckpoint("net", path("kept"), config)]
    ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01)).train(6, rows, callbacks=callbacks, dataset_sink_mode=False)
    if RANK == 0:
        ms.save_checkpoint(net, path("result.ckpt"))
    ops.Barrier()()
    kept = sorted(os.listdir(path("kept")))
    assert len([name for name in kept if name.endswith(".ckpt")]) in (2, 4), kept


def torn():
    """One process is killed while the second checkpoint is written."""
    parallel()
    step = step_of()
    train(step, range(2))
    ms.save_checkpoint(step, path("torn.ckpt"), integrated_save=False, append_dict={"step": 2})
    train(step, range(2))
    if RANK == SIZE - 1:
        os.replace = lambda *args: end()
    ms.save_checkpoint(step, path("torn.ckpt"), integrated_save=False, append_dict={"step": 4})


def uneven():
    """Last batches may have another size, but each process must have as many batches."""
    parallel()
    net = network()
    rows = ds.NumpySlicesDataset((DATA[0, :10 + RANK], LABELS[0, :10 + RANK]), ["x", "y"], shuffle=False)
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01))
    model.train(2, rows.batch(8), dataset_sink_mode=False)
    short = ds.NumpySlicesDataset((DATA[0, :10 + RANK], LABELS[0, :10 + RANK]), ["x", "y"], shuffle=False).batch(10)
    raises(ValueError, "1 batches in an epoch on rank 0; 2 batches in an epoch on rank", lambda: model.train(1, short, dataset_sink_mode=False))


{"write": write, "read": read, "killed": model, "model": model, "torn": torn, "uneven": uneven}[TASK]()
print("done %d" % RANK)
sys.stdout.flush()
