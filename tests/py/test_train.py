"""Model with its callbacks, checkpoints and loss scales."""
import os
import threading
import time

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, amp, nn, train
from msjit.dataset import GeneratorDataset

R = np.random.RandomState(0)
X, Y = R.randn(24, 5).astype(np.float32), (np.arange(24) % 3).astype(np.int32)


def data(batch=8):
    return GeneratorDataset([(X[i], Y[i]) for i in range(24)], ["x", "y"], shuffle=False).batch(batch)


def model(rate=0.1, **keywords):
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(5, 8), nn.ReLU(), nn.Dense(8, 3))
    return train.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), rate, 0.9),
                       metrics={"acc", "loss"}, **keywords)


class Events(train.Callback):
    """Notes every event, by the old names where nothing else is said."""

    def __init__(self):
        self.seen = []

    def step_end(self, run_context):
        self.seen.append("step %d" % run_context.original_args().cur_step_num)

    def epoch_end(self, run_context):
        self.seen.append("epoch")

    def on_eval_begin(self, run_context):
        self.seen.append("eval")

    def on_eval_step_end(self, run_context):
        self.seen.append("row")

    def on_eval_epoch_end(self, run_context):
        """Nothing."""

    def end(self, run_context):
        self.seen.append("end")


def test_events_of_train_fit_and_eval():
    events = Events()
    model().train(2, data(), events)
    assert events.seen == ["step 1", "step 2", "step 3", "epoch", "step 4", "step 5", "step 6", "epoch", "end"]
    events.seen.clear()
    fitted = model()
    fitted.fit(3, data(12), data(), valid_frequency=2, callbacks=[events], initial_epoch=1)
    assert events.seen == ["step 1", "step 2", "eval", "row", "row", "row", "end", "epoch", "step 3", "step 4", "epoch", "end"]
    events.seen.clear()
    found = fitted.eval(data(), callbacks=events)
    assert events.seen == ["eval", "row", "row", "row", "end"] and set(found) == {"acc", "loss"}
    logits = fitted.predict(Tensor(X)).asnumpy()
    assert found["acc"] == (logits.argmax(1) == Y).mean()
    assert not fitted.train_network.network._backbone.training


def test_orders_differ_between_epochs():
    """The orders are those of MindSpore 2.10."""
    class Sum(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = ms.Parameter(Tensor([1.0]))

        def construct(self, x):
            return (self.scale * x).sum()

    before = ms.dataset.config.get_seed()
    ms.dataset.config.set_seed(3)
    try:
        rows, seen, net = ms.dataset.NumpySlicesDataset(np.arange(6, dtype=np.float32), ["x"], shuffle=True), [], Sum()
        note = train.LambdaCallback(on_train_step_end=lambda c: seen.append(int(c.original_args().train_dataset_element[0])))
        train.Model(net, optimizer=nn.SGD(net.trainable_params(), 0.0)).train(3, rows, callbacks=[note])
    finally:
        ms.dataset.config.set_seed(before)
    assert seen == [3, 1, 0, 5, 2, 4, 3, 1, 2, 0, 4, 5, 0, 3, 5, 2, 4, 1]


def test_workers_end_with_the_training():
    """Also where a callback ends it, or an exception."""
    def stop(context):
        context.request_stop()

    def fail(context):
        raise KeyError("callback")
    for event, error in ((None, None), (stop, None), (fail, KeyError)):
        before = threads()
        rows = data().map(lambda x: x, ["x"], num_parallel_workers=3)
        try:
            model().train(2, rows, callbacks=[train.LambdaCallback(on_train_step_end=event)])
        except KeyError:
            assert error
        limit = time.time() + 10
        while threads() > before and time.time() < limit:
            time.sleep(0.01)
        assert threads() <= before


def threads():
    return sum(t.name.startswith("msjit-dataset") for t in threading.enumerate())


def test_state_and_stop():
    class Stop(train.Callback):
        def on_train_step_end(self, run_context):
            state = run_context.original_args()
            assert state["epoch_num"] == state.epoch_num == 4 and state.get("nothing", 7) == 7 and "mode" in state
            assert state.batch_num == 3 and state.train_dataset_element[0].shape == (8, 5)
            with pytest.raises(AttributeError, match="no 'nothing'"):
                state.nothing  # noqa: B018
            if state.cur_step_num == 2:
                run_context.request_stop()
    events = Events()
    model().train(4, data(), [Stop(), events])
    assert events.seen == ["step 1", "step 2", "epoch", "end"]


def test_monitors(capsys):
    history = train.History()
    model().fit(2, data(), data(), callbacks=[train.LossMonitor(2), train.TimeMonitor(data_time=True), history])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines if line.startswith("epoch:")] == [
        "epoch: 1 step: 2", "epoch: 2 step: 1", "epoch: 2 step: 3"]
    assert sum(line.startswith(("Train epoch time: ", "Eval epoch time: ")) for line in lines) == 4
    assert sum(line.startswith("Eval result: epoch") for line in lines) == 2
    assert history.epoch == {"epoch": [1, 2]} and set(history.history) == {"net_output", "acc", "loss"}
    assert [len(values) for values in history.history.values()] == [2, 2, 2]
    seen = []
    names = ("train_dataset_element", "last_save_ckpt_step", "latest_ckpt_file")
    model().train(1, data(), train.LambdaCallback(
        on_train_begin=lambda c: seen.append([c.original_args()[name] for name in names]),
        on_train_step_end=lambda c: seen.append(c.original_args().cur_step_num)))
    assert seen == [[None] * 3, 1, 2, 3]
    with pytest.raises(ValueError, match=r"\[LossMonitor\] loss in epoch 1"):
        model(1e30).train(3, data(), train.LossMonitor(0))


def test_early_stopping_and_rates(capsys):
    stopping = train.EarlyStopping("acc", patience=2, mode="max", restore_best_weights=True)
    stopped = model(0.0)
    events = Events()
    stopped.fit(9, data(), data(), callbacks=[stopping, events])
    assert stopping.stopped_epoch == 3 and events.seen.count("epoch") == 3
    trained = model(0.5)
    trained.fit(4, data(), data(), callbacks=train.ReduceLROnPlateau("acc", 0.5, patience=1, min_delta=9))
    np.testing.assert_allclose(float(trained._optimizer.learning_rate.asnumpy()), 0.5 * 0.5 ** 3)
    capsys.readouterr()
    model(0.1).fit(2, data(), data(), callbacks=train.ReduceLROnPlateau("acc", 0.3, patience=1, min_delta=9, verbose=True))
    assert "Epoch 00002: ReduceLROnPlateau reducing learning rate to 0.030000001.\n" in capsys.readouterr().out
    scheduled = model(0.5)
    scheduled.train(1, data(), train.LearningRateScheduler(lambda rate, step: rate / step))
    np.testing.assert_allclose(float(scheduled._optimizer.learning_rate.asnumpy()), 0.5 / 6, rtol=1e-6)
    for call, error in ((lambda: train.EarlyStopping(3), TypeError), (lambda: train.EarlyStopping(mode="x"), ValueError),
                        (lambda: train.ReduceLROnPlateau(factor=2.0), ValueError),
                        (lambda: train.EarlyStopping(patience=-1), ValueError)):
        with pytest.raises(error, match=r"^\[\w+\] "):
            call()


def test_checkpoints(tmp_path):
    config = train.CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=2, append_info=["epoch_num", {"extra": 3}])
    saver = train.ModelCheckpoint("net", str(tmp_path / "new"), config)
    trained = model()
    trained.train(2, data(), saver)
    assert sorted(os.listdir(str(tmp_path / "new"))) == ["net-2_1.ckpt", "net-2_3.ckpt"]
    assert saver.latest_ckpt_file_name.endswith("net-2_3.ckpt")
    saved = ms.load_checkpoint(saver.latest_ckpt_file_name)
    assert int(saved["epoch_num"].asnumpy()) == 2 and int(saved["extra"].asnumpy()) == 3 and "moments.0.weight" in saved
    fresh = model()
    ms.load_param_into_net(fresh.predict_network, saved)
    assert np.array_equal(fresh.predict(Tensor(X)).asnumpy(), trained.predict(Tensor(X)).asnumpy())
    again = train.ModelCheckpoint("net", str(tmp_path / "new"), train.CheckpointConfig(saved_network=fresh.predict_network))
    model().train(1, data(24), again)
    assert "net_1-1_1.ckpt" in os.listdir(str(tmp_path / "new"))
    for call, error in ((lambda: train.CheckpointConfig(0, 0, 0, 0), ValueError), (lambda: train.CheckpointConfig(1.0), TypeError),
                        (lambda: train.CheckpointConfig(enc_key=b"x"), NotImplementedError), (lambda: train.CheckpointConfig(exception_save=1), TypeError),
                        (lambda: train.CheckpointConfig(crc_check=1), ValueError),
                        (lambda: train.CheckpointConfig(crc_check=True, format="safetensors"), ValueError),
                        (lambda: train.ModelCheckpoint("a/b"), ValueError), (lambda: train.ModelCheckpoint(config=3), TypeError)):
        with pytest.raises(error, match=r"^\[\w+\] "):
            call()


def test_an_exception_saves_the_state(tmp_path):  # names and contents as in MindSpore 2.10
    class Stop(train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 5:
                raise KeyboardInterrupt

    config = train.CheckpointConfig(2, exception_save=True, crc_check=True, append_info=["step_num"], saved_network=nn.Dense(1, 1))
    saver = train.ModelCheckpoint("net", str(tmp_path), config)
    with pytest.raises(KeyboardInterrupt):
        model().train(2, data(), [saver, Stop()])
    assert sorted(os.listdir(str(tmp_path))) == ["net-1_2.ckpt", "net-2_1.ckpt", "net-2_2_breakpoint.ckpt"]
    saved = ms.load_checkpoint(str(tmp_path / "net-2_2_breakpoint.ckpt"), crc_check=True)
    assert int(saved["step_num"].asnumpy()) == 5 and "moments.0.weight" in saved
    assert saver.latest_ckpt_file_name.endswith("net-2_1.ckpt")
    with pytest.raises(KeyboardInterrupt):
        model().train(2, data(), [train.ModelCheckpoint("plain", str(tmp_path), train.CheckpointConfig(9)), Stop()])
    assert not [name for name in os.listdir(str(tmp_path)) if name.startswith("plain")]


@pytest.mark.parametrize("numbers, kept", [
    ({}, (1, None, 5, None)), (dict(save_checkpoint_steps=None, save_checkpoint_seconds=5), (None, 5, 5, None)),
    (dict(save_checkpoint_steps=3, save_checkpoint_seconds=5), (3, None, 5, None)), (dict(keep_checkpoint_max=0), (1, None, 1, 0)),
    (dict(keep_checkpoint_max=None, keep_checkpoint_per_n_minutes=4), (1, None, None, 4))])
def test_precedence_of_checkpoint_settings(numbers, kept):  # as in MindSpore 2.10
    assert tuple(train.CheckpointConfig(**numbers).get_checkpoint_policy().values()) == kept + (None,)


@pytest.mark.parametrize("call, error", [
    (lambda m: m.train(0, data()), ValueError), (lambda m: m.train(2, data(), initial_epoch=2), ValueError),
    (lambda m: m.train(1, data(), [3]), TypeError), (lambda m: m.fit(1, data(), data(), valid_frequency="x"), TypeError),
    (lambda m: m.predict(3), TypeError), (lambda m: train.Model(3), TypeError),
    (lambda m: train.Model(m.predict_network, metrics={"x"}), KeyError),
    (lambda m: train.Model(m.predict_network, metrics={"acc"}), ValueError),
    (lambda m: train.Model(m.predict_network, eval_indexes=[1]), ValueError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"\[\w+\] "):
        call(model())


# -- mixed precision -----------------------------------------------------------------------------------------------------


def network():
    return nn.SequentialCell(nn.Dense(5, 8), nn.LayerNorm((8,)), nn.Dense(8, 3))


@pytest.mark.parametrize("level, dtypes", [("O0", ["Float32"] * 3), ("O1", ["Float32"] * 3),
                                           ("O2", ["Float16"] * 3), ("O3", ["Float16"] * 3)])
def test_levels(level, dtypes):
    net, x = network(), Tensor(X)
    plain = net(x).asnumpy()
    assert amp.auto_mixed_precision(net, level) is net
    found = net(x)
    assert found.dtype == ms.float32 and all(p.dtype == ms.float32 for p in net.get_parameters())
    assert [str(cell(Tensor(X[:, :1] * np.ones((1, size), np.float32))).dtype) for cell, size in zip(net, (5, 8, 8))] == dtypes
    assert np.array_equal(found.asnumpy(), plain) is (level == "O0")
    np.testing.assert_allclose(found.asnumpy(), plain, rtol=2e-2, atol=2e-2)


def test_lists_and_errors():
    net = amp.custom_mixed_precision(network(), black_list=[nn.Dense])
    exact = network()  # a Cell of the black list computes in float32 and hands on the lower precision
    ms.load_param_into_net(exact, {name: p for name, p in net.parameters_and_names()})
    assert np.array_equal(net[0](Tensor(X)).asnumpy(), exact[0](Tensor(X)).asnumpy().astype(np.float16)) and net[1](Tensor(X[:, :1] * np.ones(8, np.float32))).dtype == ms.float16
    assert nn.Dense in amp.get_white_list() and nn.LayerNorm in amp.get_black_list()
    assert ms.ops.MatMul in amp.get_white_list() and len(amp.get_white_list()) == 20
    amp.custom_mixed_precision(network(), white_list=[ms.ops.BatchMatMul, nn.Dense])
    for call, error in ((lambda: amp.auto_mixed_precision(3, "O1"), TypeError),
                        (lambda: amp.auto_mixed_precision(net, "O4"), ValueError),
                        (lambda: amp.auto_mixed_precision(net, "full"), ValueError),
                        (lambda: amp.auto_mixed_precision(net, "O1", ms.float32), ValueError),
                        (lambda: amp.custom_mixed_precision(net), ValueError),
                        (lambda: amp.custom_mixed_precision(net, white_list=[3]), TypeError)):
        with pytest.raises(error, match=r"^\[amp\] "):
            call()


@pytest.mark.parametrize("mode", [None, pytest.param("PIJit", marks=pytest.mark.jit)])
def test_loss_scale_in_a_step(mode):
    """The update is that without a scale; a step with an infinite gradient changes the scale alone."""
    def make(manager):
        ms.set_seed(3)
        net = network()
        scale = 1.0 if manager is None or manager.get_update_cell() else manager.get_loss_scale()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=scale)
        step = amp.build_train_network(net, optimizer, nn.CrossEntropyLoss(), loss_scale_manager=manager)
        return net, step if mode is None else ms.jit(step, mode=mode)
    x, y = Tensor(X), Tensor(Y)
    plain, step = make(None)
    losses = [float(step(x, y).asnumpy()) for _ in range(4)]
    for manager, scale in ((amp.FixedLossScaleManager(64.0), 64), (amp.FixedLossScaleManager(64.0, False), None),
                           (amp.DynamicLossScaleManager(64, 2, 2), 256)):
        net, step = make(manager)
        found = [step(x, y) for _ in range(4)]
        np.testing.assert_allclose([float((f if scale is None else f[0]).asnumpy()) for f in found], losses, rtol=1e-4)
        for a, b in zip(net.get_parameters(), plain.get_parameters()):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-3, atol=1e-5)
        if scale is not None:
            assert not bool(found[-1][1]) and float(found[-1][2].asnumpy()) == scale
            before = [p.asnumpy().copy() for p in net.get_parameters()]
            _, overflow, left = step(Tensor(np.full((24, 5), np.inf, np.float32)), y)
            assert bool(overflow) and float(left.asnumpy()) == (scale if scale == 64 else scale / 2)
            assert all(np.array_equal(p.asnumpy(), b) for p, b in zip(net.get_parameters(), before))


def test_scale_managers_and_scalers():
    manager = amp.DynamicLossScaleManager(16, 2, 2)
    for overflow, scale in ((False, 16), (False, 32), (True, 16), (False, 16), (False, 32)):
        manager.update_loss_scale(overflow)
        assert manager.get_loss_scale() == scale
    scaler = amp.DynamicLossScaler(16.0, 2, 2)
    for finite, scale in ((True, 16), (True, 32), (False, 16), (True, 16), (True, 32)):
        assert scaler.adjust(Tensor(finite)) is True and float(scaler.scale_value.asnumpy()) == scale
    x = Tensor([1.0, 2.0])
    assert scaler.scale(x).asnumpy().tolist() == [32, 64] and scaler.unscale((x, [x]))[1][0].asnumpy()[0] == 1 / 32
    assert amp.StaticLossScaler(2.0).adjust(Tensor(True)) is False
    assert bool(amp.all_finite((x, [x]))) and not bool(amp.all_finite([x, Tensor([np.nan])]))
    for call, error in ((lambda: amp.StaticLossScaler("x"), TypeError), (lambda: amp.StaticLossScaler(0.5), ValueError),
                        (lambda: amp.DynamicLossScaler(2.0, 2, 0), ValueError), (lambda: amp.FixedLossScaleManager(0), ValueError),
                        (lambda: nn.TrainOneStepWithLossScaleCell(network(), nn.SGD(network().trainable_params()), 3), TypeError)):
        with pytest.raises(error, match=r"^\[\w+\] "):
            call()


def test_model_with_loss_scale():
    scaled = model(loss_scale_manager=amp.DynamicLossScaleManager(128, 2, 100))
    losses = []
    scaled.train(2, data(), train.LambdaCallback(on_train_step_end=lambda c: losses.append(
        float(c.original_args().net_outputs[0].asnumpy()))))
    plain = []
    model().train(2, data(), train.LambdaCallback(on_train_step_end=lambda c: plain.append(
        float(c.original_args().net_outputs.asnumpy()))))
    np.testing.assert_allclose(losses, plain, rtol=1e-4)


@pytest.mark.parametrize("call, message", [
    (lambda: model().train(1, [1, 2]), r"\[model\] dataset of train, got list, expected a dataset"),
    (lambda: model().fit(1, X), r"\[model\] dataset of fit, got ndarray, expected a dataset"),
    (lambda: model().eval((X, Y)), r"\[model\] dataset of eval, got tuple, expected a dataset"),
    (lambda: train.Model(nn.Dense(5, 3), "cross_entropy"), r"\[model\] loss_fn, got str, expected a Cell or a function")])
def test_other_things_than_datasets_and_losses_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


class HalfSteps(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss, gradients = ms.value_and_grad(self.network, None, self.weights)(*inputs)
        self.optimizer(tuple([g * 0.5 for g in gradients]))
        return loss


class HalfModel(ms.Model):
    def _build_train_network(self):
        return HalfSteps(nn.WithLossCell(self._network, self._loss_fn), self._optimizer)


def test_classes_of_model_build_another_training_step():
    rows = GeneratorDataset([(np.ones(3, np.float32), np.zeros(2, np.float32))] * 2, ["x", "y"]).batch(2)
    weights = []
    for kind, rate in ((HalfModel, 0.2), (ms.Model, 0.1)):
        net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        model = kind(net, nn.MSELoss(), nn.SGD(net.trainable_params(), rate))
        model.train(2, rows)
        weights.append(net.weight.asnumpy())
    np.testing.assert_allclose(*weights, rtol=1e-6)
    assert (weights[0] != 1).all()
