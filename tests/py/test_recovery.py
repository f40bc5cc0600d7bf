"""Trainings that end and go on: backups, requests to exit, the optimizer's step in checkpoints; rows for loops of programs."""
import json
import os
import signal

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, train
from msjit.dataset import NumpySlicesDataset

X = np.random.RandomState(0).randn(12, 3).astype(np.float32)


def data():
    return NumpySlicesDataset((X, X[:, :2]), ["x", "y"], shuffle=False).batch(4)


def model():
    ms.set_seed(3)
    net = nn.Dense(3, 2)
    return train.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.1))


def weights(made):
    return [p.asnumpy() for p in made.train_network.get_parameters()]


class Fail(train.Callback):
    """Raises at the end of an epoch, or of a step."""

    def __init__(self, epoch=None, step=None):
        self.epoch, self.step, self.seen = epoch, step, []

    def on_train_step_end(self, run_context):
        state = run_context.original_args()
        self.seen.append((state.cur_epoch_num, state.cur_step_num))
        if state.cur_step_num == self.step:
            raise KeyError("here")

    def on_train_epoch_end(self, run_context):
        if run_context.original_args().cur_epoch_num == self.epoch:
            raise KeyError("here")


@pytest.mark.parametrize("frequency, fail", [("epoch", Fail(epoch=2)), (3, Fail(step=7)), (1, Fail(epoch=2))])
def test_backup_and_restore(tmp_path, frequency, fail):
    whole = model()
    whole.train(4, data())
    folder = str(tmp_path / "backup")
    with pytest.raises(KeyError):
        model().train(4, data(), [train.BackupAndRestore(folder, frequency), fail])
    assert os.listdir(folder) == ["backup.ckpt"]
    after, seen = model(), Fail()
    after.train(4, data(), [train.BackupAndRestore(folder, frequency), seen])
    assert seen.seen[0][0] == 3 and seen.seen[-1][0] == 4 and len(seen.seen) == 6
    for a, b in zip(weights(whole), weights(after)):
        np.testing.assert_allclose(a, b, 1e-6)
    assert not os.path.exists(folder)


def test_step_of_the_optimizer_is_saved(tmp_path):
    first, second = model(), model()
    first.train(2, data())
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint(first.train_network, path)
    values = ms.load_checkpoint(path)
    assert values["global_step"].tolist() == [6]
    assert ms.load_param_into_net(second.train_network, values) == ([], [])
    assert second._optimizer.global_step.tolist() == [6]
    first.train(1, data()), second.train(1, data())
    for a, b in zip(weights(first), weights(second)):
        np.testing.assert_array_equal(a, b)
    assert ms.load_param_into_net(nn.Dense(3, 2), values)[1].count("global_step") == 1


@pytest.mark.parametrize("way", ["signal", "file"])
def test_request_to_exit(tmp_path, way):
    config = str(tmp_path / "exit.json")

    class Ask(train.Callback):
        def on_train_step_end(self, run_context):
            self.step = run_context.original_args().cur_step_num
            if self.step == 4 and way == "signal":
                os.kill(os.getpid(), signal.SIGUSR1)
            elif self.step == 4:
                with open(config, "w") as file:
                    json.dump({"GracefulExit": 1}, file)
    before, ask, made = signal.getsignal(signal.SIGUSR1), Ask(), model()
    made.train(4, data(), [ask, train.OnRequestExit(directory=str(tmp_path), file_name="n", config_file=config, sig=signal.SIGUSR1)])
    assert ask.step == 4 and signal.getsignal(signal.SIGUSR1) == before
    values = ms.load_checkpoint(str(tmp_path / "n_train.ckpt"))
    assert int(values["step_num"]) == 4 and int(values["epoch_num"]) == 2
    np.testing.assert_array_equal(values["weight"].asnumpy(), made.predict_network.weight.asnumpy())


def test_rows_for_loops():
    helper = train.DatasetHelper(data(), dataset_sink_mode=False, epoch_num=2)
    assert [[len(row) for row in helper] for _ in range(2)] == [[2, 2, 2]] * 2 and helper.sink_size() == 3
    net = nn.Dense(3, 2)
    assert train.connect_network_with_dataset(net, helper) is net
    sums = []
    sunk = train.data_sink(lambda x, y: sums.append(float(x.sum().asnumpy())) or len(sums), data(), 2)
    assert [sunk() for _ in range(3)] == [2, 4, 6]
    np.testing.assert_allclose(sums, [X[i:i + 4].sum() for i in (0, 4, 8)] * 2, 1e-4)


@pytest.mark.parametrize("call, error", [
    (lambda path: train.BackupAndRestore(3), TypeError), (lambda path: train.BackupAndRestore(path, "x"), TypeError),
    (lambda path: train.BackupAndRestore(path, 0), ValueError), (lambda path: train.BackupAndRestore(path, delete_checkpoint=1), TypeError),
    (lambda path: train.OnRequestExit(save_ckpt=1), TypeError), (lambda path: train.OnRequestExit(file_name=""), ValueError),
    (lambda path: train.OnRequestExit(sig="x"), TypeError), (lambda path: train.OnRequestExit(sig=99), ValueError),
    (lambda path: train.OnRequestExit(sig=signal.SIGKILL), ValueError), (lambda path: train.DatasetHelper(3), TypeError),
    (lambda path: train.DatasetHelper(data(), sink_size=0), ValueError), (lambda path: train.data_sink(len, data(), 0), ValueError),
    (lambda path: train.connect_network_with_dataset(3, None), TypeError),
    (lambda path: train.SummaryLandscape("x"), NotImplementedError)])
def test_errors(tmp_path, call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call(str(tmp_path))
