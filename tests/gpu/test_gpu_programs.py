"""Programs on the GPU: where tensors lie, what is refused, training steps, and what is captured."""
import copy
import pickle

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit, nn, ops


def on_gpu():
    ms.set_context(device_target="GPU")


def test_new_tensors_lie_on_the_device_of_the_context():
    before = Tensor([1.0])
    on_gpu()
    made = [Tensor([1.0, 2.0]), Tensor(np.ones((2, 2))), Tensor(3.0), ms.Parameter(Tensor([1.0])), ops.zeros((2, 3)), ops.ones(4),
            ops.arange(5), ops.randn(3), Tensor.from_numpy(np.ones(3)), ops.eye(2), ops.full((2,), 7.0), Tensor(shape=(2, 2), dtype=ms.float32)]
    assert [t.device for t in made] == ["GPU:0"] * len(made)
    assert before.device == "CPU" and before.move_to("GPU").device == "GPU:0"
    assert ms.get_context("device_target") == "GPU"
    ms.set_context(device_target="CPU")
    assert Tensor([1.0]).device == "CPU" and made[0].device == "GPU:0"
    assert made[0].to("CPU").device == "CPU" and made[0].to("CPU", ms.float16).dtype == ms.float16


@pytest.mark.parametrize("captured", [False, pytest.param(True, marks=pytest.mark.jit)])
def test_what_is_like_a_tensor_lies_where_it_does(captured):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]]).to("GPU")

    def like(x):
        return ops.zeros_like(x), ops.ones_like(x, dtype=ms.int32), ops.full_like(x, 2.5), x + ops.ones_like(x)
    made = (ms.jit(like, mode="PIJit") if captured else like)(x)
    assert [m.device for m in made] == ["GPU:0"] * 4
    assert [m.asnumpy().tolist() for m in made] == [[[0, 0], [0, 0]], [[1, 1], [1, 1]], [[2.5, 2.5], [2.5, 2.5]], [[2, 3], [4, 5]]]


def test_the_number_of_the_device_counts():
    for change in (lambda: ms.set_context(device_target="GPU", device_id=77), lambda: ms.set_context(device_id=77, device_target="GPU"),
                   lambda: ms.set_device("GPU", 77), lambda: ms.set_context(device_target="GPU:77"), lambda: Tensor([1.0]).move_to("GPU:77")):
        with pytest.raises(RuntimeError, match="77"):
            change()
        ms.set_context(device_target="CPU", device_id=0)
    ms.set_device("GPU", 0)
    assert ms.context.get_current_device() == ("GPU", 0)


def test_values_come_to_python():
    x = Tensor([[1.5, -2.0], [3.0, 4.0]]).move_to("GPU")
    assert x.asnumpy().tolist() == x.tolist() == [[1.5, -2.0], [3.0, 4.0]]
    assert float(x[0, 0]) == 1.5 and x[1, 1].item() == 4.0 and int(x.max()) == 4 and bool(x.sum() > 0)
    assert repr(x) == repr(x.move_to("CPU")) and str(x) == str(x.move_to("CPU")) and format(x[0, 0], ".2f") == "1.50"
    assert 3.0 in x and 7.0 not in x
    assert [row.tolist() for row in x] == [[1.5, -2.0], [3.0, 4.0]]
    with pytest.raises(BufferError, match="asnumpy"):
        memoryview(x)
    assert np.asarray(x).tolist() == x.tolist() and np.add(x, 1).tolist() == [[2.5, -1.0], [4.0, 5.0]]


def test_copies_and_pickles_lie_on_the_default_device():
    on_gpu()
    x = Tensor([1.0, 2.0])
    for made in (copy.deepcopy(x), copy.copy(x), x.copy(), pickle.loads(pickle.dumps(x))):
        assert made.device == "GPU:0" and made.tolist() == [1.0, 2.0]
    assert copy.deepcopy(ms.Parameter(x)).device == "GPU:0"


def test_random_numbers_and_dropout():
    on_gpu()
    ms.set_seed(5)
    there = [ops.uniform((3, 4), Tensor(0.0), Tensor(1.0)), nn.Dropout(p=0.5).set_train()(ops.ones((50,)))]
    ms.set_context(device_target="CPU")
    ms.set_seed(5)
    here = [ops.uniform((3, 4), Tensor(0.0), Tensor(1.0)), nn.Dropout(p=0.5).set_train()(ops.ones((50,)))]
    for a, b in zip(there, here):
        assert a.device == "GPU:0" and a.tolist() == b.tolist()


def test_indexing():
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    x, y = Tensor(array).move_to("GPU"), array.copy()
    where = Tensor([2, 0]).move_to("GPU")
    assert x[where].tolist() == y[[2, 0]].tolist() and x[x > 10].tolist() == y[y > 10].tolist()
    x[1], y[1] = 5, 5
    x[:, 2:4], y[:, 2:4] = 7, 7
    x[where], y[[2, 0]] = -1, -1
    x[x > 15], y[y > 15] = 0, 0
    assert x.tolist() == y.tolist()


def test_tensors_of_two_devices_do_not_meet():
    here, there = Tensor([1.0, 2.0]), Tensor([1.0, 2.0]).move_to("GPU")
    with pytest.raises(RuntimeError, match=r"\[add\] devices of the tensors, got CPU and GPU:0, expected the same"):
        here + there
    assert (there + Tensor(1.0)).tolist() == [2.0, 3.0]  # a single number goes along
    assert (there * 2 + 1).device == "GPU:0"


def test_gradients_flow_through_a_move():
    x = Tensor([1.0, 2.0, 3.0])
    grad = ms.grad(lambda t: (t.move_to("GPU") ** 2).sum().move_to("CPU"))(x)
    assert grad.device == "CPU" and grad.tolist() == [2.0, 4.0, 6.0]


def test_errors_of_other_devices():
    for name in ("TPU", "GPU:x", "CPU:1", ""):
        with pytest.raises(ValueError):
            Tensor([1.0]).move_to(name)
    with pytest.raises(TypeError):
        Tensor([1.0]).move_to(3)


@pytest.mark.jit
def test_a_capture_is_of_one_device():
    @ms.jit(mode="PIJit")
    def step(a, b):
        return ops.softmax(ops.tanh(a) * b + a, -1)

    a, b = Tensor(np.random.rand(5, 7).astype(np.float32)), Tensor(np.random.rand(5, 7).astype(np.float32))
    want = step(a, b)
    for _ in range(3):
        got = step(a.move_to("GPU"), b.move_to("GPU"))
        assert got.device == "GPU:0" and step(a, b).device == "CPU"
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-5)


@pytest.mark.jit
def test_branches_and_loops_on_values():
    @ms.jit(mode="PIJit")
    def collatz(x):
        steps = 0
        while x > 1:
            x = x / 2 if x % 2 == 0 else 3 * x + 1
            steps = steps + 1
        return x, steps

    for start in (6.0, 7.0, 1.0):
        here, there = collatz(Tensor(start)), collatz(Tensor(start).move_to("GPU"))
        assert float(here[0]) == float(there[0]) and int(here[1]) == int(there[1])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4)
        self.pool, self.flat, self.head = nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(4 * 4 * 4, 5)

    def construct(self, x):
        return self.head(self.flat(self.pool(ops.relu(self.norm(self.conv(x))))))


def losses(device, mode, optimizer):
    ms.set_context(device_target="CPU")
    ms.set_seed(3)
    net = Net()
    state = {name: p.asnumpy().copy() for name, p in net.parameters_dict().items()}
    ms.set_context(device_target=device)
    net = Net()
    for name, p in net.parameters_dict().items():
        p.set_data(Tensor(state[name]))
    rng = np.random.RandomState(0)
    x, t = Tensor(rng.rand(6, 1, 8, 8).astype(np.float32)), Tensor(rng.randint(0, 5, 6).astype(np.int32))
    loss_of, opt = nn.CrossEntropyLoss(), optimizer(net.trainable_params())
    grad = ms.value_and_grad(lambda a, b: loss_of(net(a), b), None, opt.parameters)

    def step(a, b):
        loss, grads = grad(a, b)
        opt(grads)
        return loss

    step = step if mode is None else ms.jit(step, mode=mode)
    out = [float(step(x, t)) for _ in range(4)]
    assert all(p.device == ("GPU:0" if device == "GPU" else "CPU") for p in net.get_parameters())
    return out


@pytest.mark.parametrize("mode", [None, pytest.param("PIJit", marks=pytest.mark.jit)])
@pytest.mark.parametrize("optimizer", [lambda p: nn.SGD(p, 0.1, momentum=0.9), lambda p: nn.Adam(p, 0.01)], ids=["sgd", "adam"])
def test_training_steps_are_the_cpus(mode, optimizer):
    np.testing.assert_allclose(losses("GPU", mode, optimizer), losses("CPU", None, optimizer), rtol=2e-4)


def test_memory_is_given_back():
    on_gpu()
    x = ops.ones((256, 256))
    before = _msjit.device_figures(0)["live_bytes"]
    for _ in range(20):
        x = ops.tanh(x) + 1
    assert _msjit.device_figures(0)["live_bytes"] == before


def test_a_scope_chooses_the_device_of_new_tensors():
    ms.set_device("GPU", 0)
    with ms.DeviceCtx("CPU"):
        assert Tensor([1.0]).device.startswith("CPU")
        with ms.DeviceCtx("GPU", 0):
            assert Tensor([1.0]).device.startswith("GPU")
        assert Tensor([1.0]).device.startswith("CPU")
    assert ms.get_current_device() == ("GPU", 0) and Tensor([1.0]).device.startswith("GPU")
    with pytest.raises(RuntimeError, match="77"):
        with ms.DeviceCtx("GPU", 77):
            pass
    assert ms.get_current_device() == ("GPU", 0)
