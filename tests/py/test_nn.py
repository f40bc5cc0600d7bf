"""Cells, containers, layers and losses."""
import copy
import pickle

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 4)
        self.scale = Parameter(Tensor(np.ones(1, np.float32)), name="scale")
        self.body = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 2))

    def construct(self, x):
        return self.body(self.dense(x) * self.scale)


def test_parameters_and_their_names():
    net = Net()
    assert [p.name for p in net.get_parameters()] == [
        "scale", "dense.weight", "dense.bias", "body.0.weight", "body.0.bias", "body.2.weight", "body.2.bias"]
    assert [n for n, _ in net.parameters_and_names()] == [p.name for p in net.get_parameters()]
    assert len(net.trainable_params()) == 7
    net.scale.requires_grad = False
    assert [p.name for p in net.untrainable_params()] == ["scale"]
    outer = nn.SequentialCell(net)
    assert outer.parameters_dict()["0.body.2.bias"] is net.body[2].bias
    outer.check_names()


def test_call_is_construct():
    net = Net()
    x = array(5, 3)
    w = {n: p.asnumpy() for n, p in net.parameters_and_names()}
    h = (x @ w["dense.weight"].T + w["dense.bias"]) * w["scale"]
    h = np.maximum(h @ w["body.0.weight"].T + w["body.0.bias"], 0)
    np.testing.assert_allclose(net(Tensor(x)).asnumpy(), h @ w["body.2.weight"].T + w["body.2.bias"], rtol=1e-5,
                               atol=1e-6)


def test_missing_super_init():
    class Bad(nn.Cell):
        def __init__(self):
            self.dense = nn.Dense(2, 2)
    with pytest.raises(AttributeError, match=r"\[cell\] super"):
        Bad()


def test_missing_construct():
    with pytest.raises(AttributeError, match=r"\[cell\] Cell, got no construct method, expected one$"):
        nn.Cell()()

    class Torch(nn.Cell):
        def forward(self, x):
            return x
    with pytest.raises(AttributeError, match="did you mean to rename forward"):
        Torch()(Tensor(1.0))


def test_attribute_replacement():
    net = Net()
    net.dense = nn.Dense(3, 4, has_bias=False)
    assert "dense.bias" not in net.parameters_dict()
    weight = net.dense.weight
    net.dense.weight = Tensor(np.zeros((4, 3), np.float32))
    assert net.dense.weight is weight and not weight.asnumpy().any()
    del net.scale
    assert "scale" not in dict(net.parameters_and_names())
    net.dense = None
    assert net.dense is None and not any(n.startswith("dense") for n, _ in net.parameters_and_names())


def test_train_flag_apply_and_walks():
    net = Net()
    assert not net.training
    assert net.set_train() is net
    assert all(cell.training for _, cell in net.cells_and_names())
    net.set_train(False)
    assert not net.body[0].training
    seen = []
    net.apply(lambda cell: seen.append(type(cell).__name__))
    assert seen == ["Dense", "Dense", "ReLU", "Dense", "SequentialCell", "Net"]
    assert list(net.name_cells()) == ["dense", "body"]
    assert [n for n, _ in net.cells_and_names()] == ["", "dense", "body", "body.0", "body.1", "body.2"]


def test_shared_cell_is_walked_once():
    shared = nn.Dense(2, 2)
    pair = nn.CellList([shared, shared])
    assert len(list(pair.get_parameters())) == 2


def test_sequential():
    net = nn.SequentialCell([nn.Dense(2, 3), nn.ReLU()])
    net.append(nn.Dense(3, 1))
    assert len(net) == 3 and isinstance(net[-1], nn.Dense) and isinstance(net[1:], nn.SequentialCell)
    net.insert(1, nn.Identity())
    assert [type(c).__name__ for c in net] == ["Dense", "Identity", "ReLU", "Dense"]
    del net[1]
    net[1] = nn.Tanh()
    x = array(4, 2)
    expected = net[2](ops.tanh(net[0](Tensor(x))))
    assert np.array_equal(net(Tensor(x)).asnumpy(), expected.asnumpy())
    with pytest.raises(IndexError, match="index out of range, got 7"):
        net[7]
    with pytest.raises(TypeError, match="items must be Cells, got int"):
        nn.SequentialCell(3)


def test_cell_dict():
    cells = nn.CellDict({"a": nn.Dense(2, 2), "b": nn.ReLU()})
    assert list(cells.keys()) == ["a", "b"] and "a" in cells and len(cells) == 2
    cells.update([("c", nn.Tanh())])
    assert [k for k, _ in cells.items()] == ["a", "b", "c"]
    popped = cells.pop("a")
    assert "a" not in cells and isinstance(popped, nn.Dense)
    for key in ("items", "_cells", "", "x.y"):
        with pytest.raises(KeyError, match="cannot be used"):
            cells[key] = nn.ReLU()
    for value in (nn.CellDict(), nn.CellList([]), nn.SequentialCell(nn.ReLU()), 1):
        with pytest.raises(TypeError, match="no containers"):
            cells["d"] = value


def test_hooks_change_values_and_come_off():
    net = nn.Dense(2, 2)
    x = Tensor(array(3, 2))
    plain = net(x).asnumpy().copy()
    log = []
    pre = net.register_forward_pre_hook(lambda cell, args: log.append("pre") or (args[0] * 2,))
    post = net.register_forward_hook(lambda cell, args, out: log.append("post") or out + 1)
    doubled = net(x).asnumpy()
    w, b = net.weight.asnumpy(), net.bias.asnumpy()
    np.testing.assert_allclose(doubled, 2 * x.asnumpy() @ w.T + b + 1, rtol=1e-5, atol=1e-5)
    assert log == ["pre", "post"]
    pre.remove()
    post.remove()
    post.remove()
    assert np.array_equal(net(x).asnumpy(), plain) and "_ms_intercept" not in net.__dict__



def test_to_float():
    net = nn.Dense(2, 2).to_float(ms.float64)
    net.weight.set_data(Tensor(np.ones((2, 2), np.float32)))
    assert net(Tensor([[1.0, 2.0]])).dtype == ms.float64


def test_parameter():
    source = Tensor(np.ones(3, np.float32))
    p = Parameter(source, name="w")
    assert isinstance(p, Tensor) and p.name == "w" and p.requires_grad
    p.set_data(Tensor(np.zeros(3, np.float32)))
    assert source.asnumpy().all() and not p.asnumpy().any()
    assert "Parameter (name=w, shape=(3,), dtype=Float32, requires_grad=True)" == repr(p)
    p.set_data(Tensor(np.zeros(4, np.float32)))
    assert p.shape == (4,)  # as in MindSpore
    p.set_data(Tensor(np.zeros(3, np.float32)))
    with pytest.raises(ValueError, match=r"\[parameter\] name must be a str, got int"):
        Parameter(source, name=3)
    assert p.clone().name == "w" and p.clone("ones").asnumpy().all()
    both = ParameterTuple([p, Parameter(1.0, name="b")]).clone("m")
    assert [q.name for q in both] == ["m.w", "m.b"]
    again = pickle.loads(pickle.dumps(p))
    assert type(again) is Parameter and again.name == "w" and np.array_equal(again.asnumpy(), p.asnumpy())
    assert copy.deepcopy(Net()).dense.weight.name == "dense.weight"
    assert len({p, p}) == 1


class Scaled(Parameter):
    def __init__(self, scale):
        super().__init__(Tensor(np.ones(2, np.float32)), name="scaled", requires_grad=False)
        self.scale = scale


@pytest.mark.parametrize("how, shares", [(copy.copy, True), (lambda p: p.clone(), True), (copy.deepcopy, False),
                                         (lambda p: pickle.loads(pickle.dumps(p)), False)])
def test_copies_of_parameters(how, shares):
    """They keep what a program has set on them, as copies of tensors do, and their class."""
    p = Parameter(Tensor([1, 2], ms.bfloat16), name="p", layerwise_parallel=True)
    p.note, p.me, p.parallel_optimizer = [3], p, False
    again = how(p)
    assert again.note == [3] and again.tolist() == [1, 2] and again.dtype == ms.bfloat16 and again.name == "p"
    assert again.layerwise_parallel and not again.parallel_optimizer and again is not p
    assert (again.note is p.note) == shares and again.me is (p if shares else again)
    p.set_data(p * 3)
    again.other = 1
    assert again.tolist() == [1, 2] and not hasattr(p, "other")
    scaled = how(Scaled(5))
    assert type(scaled) is Scaled and scaled.scale == 5 and scaled.name == "scaled" and not scaled.requires_grad
    assert not ops.ones_like(scaled).requires_grad
    kept = how(Parameter(1.0, name="w"))
    assert ms.grad(lambda x: x * kept, None, [kept])(Tensor([2.0]))[0].tolist() == 2


def test_state_round_trip(tmp_path):
    pytest.importorskip("safetensors")
    ms.set_seed(1)
    net, other = Net(), Net()
    path = str(tmp_path / "net")
    ms.save_checkpoint(net, path)
    loaded = ms.load_checkpoint(path + ".ckpt")
    assert set(loaded) == {p.name for p in net.get_parameters()}
    assert ms.load_param_into_net(other, loaded) == ([], [])
    for a, b in zip(net.get_parameters(), other.get_parameters()):
        assert np.array_equal(a.asnumpy(), b.asnumpy())
    with pytest.raises(ValueError, match="there is no file"):
        ms.load_checkpoint(str(tmp_path / "none"))
    missing, unexpected = other.load_state_dict(net.state_dict())
    assert not missing and not unexpected


def test_weights_repeat_with_the_seed_of_numpy():
    def draw():
        made = [nn.Dense(3, 2, weight_init=init).weight.asnumpy() for init in ("normal", "xavier_uniform", "truncatedNormal")]
        return [a.tolist() for a in made + [nn.Dense(3, 2).bias, nn.Embedding(4, 2).embedding_table.asnumpy()]]
    np.random.seed(0)
    first = draw()
    assert draw() != first
    np.random.seed(0)
    assert draw() == first
    ms.set_seed(0)
    assert draw() == first
    np.random.seed(0)
    nn.Dense(2, 2, weight_init="normal")
    assert np.random.rand() == 0.6027633760716439  # weight and bias have drawn from it what MindSpore's draws


def test_initial_weights():
    ms.set_seed(3)
    dense = nn.Dense(400, 300)
    bound = 1 / np.sqrt(400)
    w = dense.weight.asnumpy()
    assert abs(w).max() <= bound and abs(w).max() > 0.99 * bound and abs(w.mean()) < bound / 50
    ms.set_seed(3)
    assert np.array_equal(nn.Dense(400, 300).weight.asnumpy(), w)
    assert nn.BatchNorm2d(3).gamma.asnumpy().tolist() == [1, 1, 1]
    from msjit.common.initializer import HeUniform, Normal, One, TruncatedNormal, Uniform, XavierUniform, initializer
    assert initializer("ones", [2, 2]).asnumpy().tolist() == [[1, 1], [1, 1]]
    assert initializer(One(), [2], ms.int32).dtype == ms.int32
    assert abs(initializer(Normal(0.5), [20000]).asnumpy().std() - 0.5) < 0.02
    assert abs(initializer(Uniform(0.2), [1000]).asnumpy()).max() <= 0.2
    assert abs(initializer(TruncatedNormal(1.0), [5000]).asnumpy()).max() <= 2
    assert abs(initializer(XavierUniform(), [30, 20]).asnumpy()).max() <= np.sqrt(6 / 50)
    assert abs(initializer(HeUniform(), [30, 24]).asnumpy()).max() <= np.sqrt(6 / 24)
    with pytest.raises(ValueError, match="unknown name"):
        initializer("nonsense", [2])


def conv_reference(x, w, stride, pads, dilation=1, groups=1):
    x = np.pad(x, ((0, 0), (0, 0), pads[:2], pads[2:]))
    n, c, height, width = x.shape
    o, cg, kh, kw = w.shape
    rows = (height - dilation * (kh - 1) - 1) // stride + 1
    cols = (width - dilation * (kw - 1) - 1) // stride + 1
    out = np.zeros((n, o, rows, cols))
    for g in range(groups):
        for f in range(g * o // groups, (g + 1) * o // groups):
            for i in range(rows):
                for j in range(cols):
                    part = x[:, g * cg:(g + 1) * cg, i * stride:i * stride + dilation * (kh - 1) + 1:dilation,
                             j * stride:j * stride + dilation * (kw - 1) + 1:dilation]
                    out[:, f, i, j] = (part * w[f]).sum((1, 2, 3))
    return out


@pytest.mark.parametrize("kwargs, pads", [
    ({}, (1, 1, 1, 1)), ({"pad_mode": "valid"}, (0, 0, 0, 0)), ({"stride": 2}, (0, 1, 0, 1)),
    ({"pad_mode": "pad", "padding": 2}, (2, 2, 2, 2)), ({"pad_mode": "valid", "dilation": 2}, (0, 0, 0, 0)),
    ({"group": 2}, (1, 1, 1, 1))])
def test_conv2d(kwargs, pads):
    conv = nn.Conv2d(4, 6, 3, has_bias=True, **kwargs)
    x = array(2, 4, 8, 8)
    want = conv_reference(x, conv.weight.asnumpy(), kwargs.get("stride", 1), pads, kwargs.get("dilation", 1),
                          kwargs.get("group", 1)) + conv.bias.asnumpy()[:, None, None]
    np.testing.assert_allclose(conv(Tensor(x)).asnumpy(), want, rtol=1e-4, atol=1e-4)


def test_conv1d():
    conv = nn.Conv1d(3, 5, 3)
    x = array(2, 3, 7)
    want = conv_reference(x[:, :, None], conv.weight.asnumpy(), 1, (0, 0, 1, 1))[:, :, 0]
    np.testing.assert_allclose(conv(Tensor(x)).asnumpy(), want, rtol=1e-4, atol=1e-4)


def test_pooling():
    x = array(2, 3, 6, 6)
    windows = x.reshape(2, 3, 3, 2, 3, 2)
    assert np.array_equal(nn.MaxPool2d(2, 2)(Tensor(x)).asnumpy(), windows.max((3, 5)))
    np.testing.assert_allclose(nn.AvgPool2d(2, 2)(Tensor(x)).asnumpy(), windows.mean((3, 5)), rtol=1e-5, atol=1e-6)
    assert nn.MaxPool2d(3, 2, pad_mode="same")(Tensor(x)).shape == (2, 3, 3, 3)


def test_batch_norm():
    norm = nn.BatchNorm2d(3)
    x = array(4, 3, 5, 5) * 3 + 1
    np.testing.assert_allclose(norm(Tensor(x)).asnumpy(), x / np.sqrt(1 + 1e-5), rtol=1e-4, atol=1e-5)
    norm.set_train()
    y = norm(Tensor(x)).asnumpy()
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
    want = (x - mean[:, None, None]) / np.sqrt(var[:, None, None] + 1e-5)
    np.testing.assert_allclose(y, want, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), 0.1 * mean, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(norm.moving_variance.asnumpy(), 0.9 + 0.1 * var * 100 / 99, rtol=1e-4)
    assert [p.name for p in norm.trainable_params()] == ["gamma", "beta"]


def test_layer_and_group_norm():
    x = array(4, 6, 5)
    norm = nn.LayerNorm([5])
    want = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-7)
    np.testing.assert_allclose(norm(Tensor(x)).asnumpy(), want, rtol=1e-3, atol=1e-4)
    two = nn.LayerNorm([6, 5], begin_norm_axis=1)
    want = (x - x.mean((1, 2), keepdims=True)) / np.sqrt(x.var((1, 2), keepdims=True) + 1e-7)
    np.testing.assert_allclose(two(Tensor(x)).asnumpy(), want, rtol=1e-3, atol=1e-4)
    image = array(2, 6, 4, 4)
    grouped = image.reshape(2, 3, -1)
    want = ((grouped - grouped.mean(-1, keepdims=True)) / np.sqrt(grouped.var(-1, keepdims=True) + 1e-5))
    np.testing.assert_allclose(nn.GroupNorm(3, 6)(Tensor(image)).asnumpy(), want.reshape(image.shape), rtol=1e-3,
                               atol=1e-4)


def test_dropout():
    ms.set_seed(5)
    drop = nn.Dropout(p=0.25)
    x = Tensor(np.ones((100, 100), np.float32))
    assert drop(x) is x
    drop.set_train()
    y = drop(x).asnumpy()
    assert set(np.unique(y)) == {0.0, np.float32(1 / 0.75)} and abs((y == 0).mean() - 0.25) < 0.02
    with pytest.raises(ValueError):
        nn.Dropout(p=1.0)


def test_embedding():
    table = nn.Embedding(10, 4, padding_idx=0)
    out = table(Tensor(np.array([[0, 3], [9, 1]], np.int32)))
    assert out.shape == (2, 2, 4) and not out.asnumpy()[0, 0].any()
    assert np.array_equal(out.asnumpy()[1, 0], table.embedding_table.asnumpy()[9])


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def erf(x):
    from math import erf as one
    return np.vectorize(one)(x)


@pytest.mark.parametrize("cell, reference", [
    (nn.ReLU(), lambda x: np.maximum(x, 0)), (nn.ReLU6(), lambda x: np.clip(x, 0, 6)),
    (nn.LeakyReLU(0.1), lambda x: np.where(x > 0, x, 0.1 * x)), (nn.ELU(), lambda x: np.where(x > 0, x, np.expm1(x))),
    (nn.GELU(), lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))),
    (nn.GELU(False), lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2)))), (nn.Sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
    (nn.Tanh(), np.tanh), (nn.Softmax(), softmax), (nn.LogSoftmax(), lambda x: np.log(softmax(x))),
    (nn.SiLU(), lambda x: x / (1 + np.exp(-x))), (nn.Identity(), lambda x: x),
    (nn.HSwish(), lambda x: x * np.clip(x + 3, 0, 6) / 6), (nn.Softplus(), lambda x: np.log1p(np.exp(x)))])
def test_activations(cell, reference):
    x = array(5, 7) * 3
    np.testing.assert_allclose(cell(Tensor(x)).asnumpy(), reference(x.astype(np.float64)), rtol=1e-4, atol=1e-5)


def test_losses():
    x, y = array(6, 5), array(6, 5, seed=1)
    labels = np.array([0, 4, 2, 2, 1, 3], np.int32)
    log_p = np.log(softmax(x.astype(np.float64)))
    nll = -log_p[np.arange(6), labels]

    def close(cell, a, b, want):
        np.testing.assert_allclose(cell(Tensor(a), Tensor(b)).asnumpy(), want, rtol=1e-4, atol=1e-5)
    close(nn.MSELoss(), x, y, ((x - y) ** 2).mean())
    close(nn.L1Loss("sum"), x, y, abs(x - y).sum())
    gap = abs(x - y)
    close(nn.SmoothL1Loss(), x, y, np.where(gap < 1, 0.5 * gap ** 2, gap - 0.5))
    close(nn.CrossEntropyLoss(), x, labels, nll.mean())
    close(nn.CrossEntropyLoss(reduction="none"), x, labels, nll)
    close(nn.CrossEntropyLoss(ignore_index=2), x, labels, nll[labels != 2].mean())
    close(nn.CrossEntropyLoss(label_smoothing=0.1), x, labels, (0.9 * nll - 0.1 * log_p.mean(1)).mean())
    weight = np.array([1, 2, 3, 4, 5], np.float32)
    close(nn.CrossEntropyLoss(weight=Tensor(weight)), x, labels, (nll * weight[labels]).sum() / weight[labels].sum())
    close(nn.CrossEntropyLoss(), x, softmax(y), -(log_p * softmax(y)).sum(1).mean())
    close(nn.NLLLoss(), log_p.astype(np.float32), labels, nll.mean())
    close(nn.SoftmaxCrossEntropyWithLogits(sparse=True), x, labels, nll)
    close(nn.SoftmaxCrossEntropyWithLogits(), x, np.eye(5, dtype=np.float32)[labels], nll)
    p, t = 1 / (1 + np.exp(-x)), (y > 0).astype(np.float32)
    bce = -(t * np.log(p) + (1 - t) * np.log(1 - p))
    close(nn.BCELoss(), p, t, bce.mean())
    close(nn.BCEWithLogitsLoss(), x, t, bce.mean())
    image, marks = array(2, 3, 4, 4), np.random.RandomState(2).randint(0, 3, (2, 4, 4)).astype(np.int32)
    logs = np.log(softmax(image.astype(np.float64), 1))
    picked = np.take_along_axis(logs, marks[:, None], 1)
    close(nn.CrossEntropyLoss(), image, marks, -picked.mean())
    with pytest.raises(ValueError, match="reduction, got 'max'"):
        nn.MSELoss("max")


@pytest.mark.parametrize("make, error, text", [
    (lambda: nn.Dense(0, 2), ValueError, "in_channels must be positive, got 0"),
    (lambda: nn.Dense(2.0, 2), TypeError, "in_channels must be an int, got float"),
    (lambda: nn.Conv2d(3, 4, 3, pad_mode="full"), ValueError, "pad_mode, got 'full'"),
    (lambda: nn.Conv2d(3, 4, 3, group=2), ValueError, "multiples of group"),
    (lambda: nn.Conv2d(3, 4, (3, 3, 3)), TypeError, "kernel_size must be an int or 2 ints"),
    (lambda: nn.BatchNorm2d(-1), ValueError, "num_features must be positive"),
    (lambda: nn.get_activation("nope"), KeyError, "unknown name"),
    (lambda: nn.LayerNorm(5), TypeError, "normalized_shape must be a tuple"),
    (lambda: ms.set_context(mode=7), ValueError, r"\[set_context\] mode must be"),
    (lambda: ms.set_context(nonsense=1), ValueError, "unknown keyword 'nonsense'"),
    (lambda: ms.set_seed("x"), TypeError, "seed must be an int, got str")])
def test_bad_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_recursion_in_construct():
    class Loop(nn.Cell):
        def construct(self, x):
            return self(x)
    with pytest.raises(RecursionError):
        Loop()(Tensor([1.0]))


def test_repr():
    text = repr(Net())
    assert "(dense): Dense(input_channels=3, output_channels=4, has_bias=True)" in text and text.startswith("Net(")


def test_initialisers_of_special_kinds():
    """Of Dirac the values are MindSpore's, of the others the distributions."""
    from msjit.common.initializer import Dirac, Sparse, VarianceScaling, initializer
    assert initializer("dirac", (2, 3, 3)).tolist() == [[[0, 1, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 0]]]
    assert initializer(Dirac(2), (4, 2, 3))[2].tolist() == [[0, 1, 0], [0, 0, 0]]
    x = Tensor(np.random.RandomState(0).randn(1, 4, 5, 5).astype(np.float32))
    np.testing.assert_array_equal(nn.Conv2d(4, 4, 3, weight_init=Dirac())(x).asnumpy(), x.asnumpy())
    sparse = initializer(Sparse(0.3, 0.5), (10, 200)).asnumpy()
    assert ((sparse == 0).sum(0) == 3).all() and abs(sparse[sparse != 0].std() - 0.5) < 0.03
    for kind in ("uniform", "truncated_normal", "untruncated_normal"):
        for mode, fan in (("fan_in", 300), ("fan_out", 200), ("fan_avg", 250)):
            values = initializer(VarianceScaling(2.0, mode, kind), (200, 300)).asnumpy()
            assert abs(values.var() * fan / 2 - 1) < 0.03 and abs(values.mean()) < 0.002
    for bad, shape in ((lambda: Dirac(), (2, 2)), (lambda: Dirac(3), (4, 2, 3)), (lambda: Dirac(0), (4, 2, 3)), (lambda: Sparse(0.5), (2, 2, 2)),
                       (lambda: VarianceScaling(-1.0), (2, 2)), (lambda: VarianceScaling(1.0, "x"), (2, 2)),
                       (lambda: VarianceScaling(1.0, "fan_in", "x"), (2, 2))):
        with pytest.raises(ValueError, match=r"^\[\w+\] "):
            initializer(bad(), shape)


def test_initial_values_are_there_within_no_init_parameters():
    with nn.no_init_parameters():
        layer = nn.Dense(2, 2, weight_init="ones")
    assert layer.weight.tolist() == [[1, 1], [1, 1]]
