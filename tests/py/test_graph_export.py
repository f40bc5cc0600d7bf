"""export, load and GraphCell: a graph in a file gives what the network gives; ONNX files give it in onnxruntime."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops, quantization
from msjit.graph_export.graph_file import MAGIC

pytestmark = pytest.mark.jit


def data(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).standard_normal(shape).astype(np.float32))


def ints(*shape, high=9):
    return Tensor(np.random.RandomState(1).randint(0, high, shape).astype(np.int32))


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden, self.output = nn.Dense(6, 8, activation="relu"), nn.Dense(8, 3)
        self.scale = Tensor(np.float32(2.0))

    def construct(self, x):
        return ops.softmax(self.output(self.hidden(x)) * self.scale + 1, -1)


class Convolutions(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(
            nn.Conv2d(3, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.LeakyReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(4, 6, 3, stride=2, pad_mode="pad", padding=1), nn.GELU(), nn.AvgPool2d(2, 2))
        self.head = nn.Dense(6, 5)

    def construct(self, x):
        x = self.body(x)
        return self.head(x.mean((2, 3))), x


class Attention(nn.Cell):
    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads, self.embed = heads, nn.Embedding(9, width)
        self.places = Parameter(data(5, width), name="places")
        self.qkv, self.norm = nn.Dense(width, 3 * width), nn.LayerNorm((width,))
        self.mask = Tensor(np.triu(np.full((5, 5), -1e9, np.float32), 1))

    def construct(self, ids):
        x = self.norm(self.embed(ids) + self.places)
        batch, length, width = x.shape
        q, k, v = [p.reshape(batch, length, self.heads, -1).transpose(0, 2, 1, 3) for p in ops.split(self.qkv(x), width, 2)]
        weights = ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) / 2.0 + self.mask, -1)
        return x + ops.matmul(weights, v).transpose(0, 2, 1, 3).reshape(x.shape)


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(4, 6, batch_first=True)

    def construct(self, x):
        outputs, (h, c) = self.cell(x)
        return [outputs[:, -1], h]


def elementwise(x, y):
    z = ops.where(x > y, ops.exp(-ops.abs(x)), ops.sqrt(y * y + 1))
    z = ops.maximum(z, 0.25) ** 2 - ops.clamp(x, -0.5, 0.5) / (1 + ops.sigmoid(y))
    return z, ops.isnan(x / x), ops.isfinite(y), ops.gelu(x, approximate="tanh"), (x <= 0).astype(ms.float32), ops.tanh(x) * ops.erf(y), ops.silu(x), ops.logical_not(x > 0)


def layout(x):
    y = ops.concat((x, ops.flip(x, (1,)), ops.zeros_like(x)), 1)
    y = ops.tile(y.expand_dims(0), (2, 1, 1)).swapaxes(0, 1)
    a, b = ops.split(y, 2, 0)
    return (ops.stack((a, b), 0)[:, ::-1, 0, 1:4], ops.pad(x, (1, 2), value=3.0), ops.tril(x), ops.triu(x, 1), ops.full_like(x, 2), ops.broadcast_to(x[:1], (3, 4)),
            x[::2, 1], x.reshape(-1)[::-1])


def reductions(x):
    values, places = ops.topk(x, 2)
    return (x.sum(0), x.mean(-1, keep_dims=True), x.max(), x.min(axis=1), x.prod(1), x.argmax(1), ops.cumsum(x, 0), values, places,
            (x > 0).any(1), ops.log_softmax(x, 0), x.var())


def indices(x, i, j):
    y = x + 0
    y[1:3, :2] = 7.0
    return x[i, j], x[:, j], y, ops.repeat_interleave(x, 2, 1), ops.gather_elements(x, 1, i.reshape(-1, 1).astype(ms.int64)), \
        x[i] * 2, ops.index_add(x, i, x[:3], 0)


CASES = {
    "indices": (lambda: indices, lambda: (data(4, 5), Tensor([3, 0, -1], ms.int32), Tensor([1, 1, 2], ms.int32))),
    "mlp": (Mlp, lambda: (data(2, 6),)), "convolutions": (Convolutions, lambda: (data(2, 3, 8, 8),)),
    "attention": (Attention, lambda: (ints(2, 5),)), "recurrent": (Recurrent, lambda: (data(2, 3, 4),)),
    "elementwise": (lambda: elementwise, lambda: (data(3, 4), data(3, 4, seed=5))), "layout": (lambda: layout, lambda: (data(4, 4),)),
    "reductions": (lambda: reductions, lambda: (data(3, 4),)),
}


def flat(result):
    return [result] if isinstance(result, Tensor) else [t for part in result for t in flat(part)]


def same(one, other):
    one, other = flat(one), flat(other)
    assert len(one) == len(other)
    for a, b in zip(one, other):
        a, b = (v.asnumpy() if isinstance(v, Tensor) else v for v in (a, b))
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def made(name):
    ms.set_seed(3)
    make, inputs = CASES[name]
    net = make()
    if isinstance(net, nn.Cell):
        net.set_train(False)
    return net, inputs()


@pytest.mark.parametrize("name", sorted(CASES))
def test_graph_cell_gives_the_same(name, tmp_path):
    net, inputs = made(name)
    ms.export(net, *inputs, file_name=str(tmp_path / "net"))
    loaded = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    expected = net(*inputs)
    for cell in (loaded, ms.jit(loaded, mode="PIJit"), ms.jit(loaded, mode="PSJit")):
        result = cell(*inputs)
        assert type(result) is type(expected)
        same(expected, result)


def check_model(path):
    """By ONNX's own checker, where it is installed: structure, types and shapes."""
    try:
        import onnx
    except ImportError:
        return
    onnx.checker.check_model(onnx.load(str(path)), full_check=True)


@pytest.mark.parametrize("name", sorted(CASES))
def test_onnx_gives_the_same(name, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    net, inputs = made(name)
    ms.export(net, *inputs, file_name=str(tmp_path / "net"), file_format="ONNX")
    check_model(tmp_path / "net.onnx")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    assert len(names) == len(inputs)
    found = session.run(None, dict(zip(names, (x.asnumpy() for x in inputs))))
    same(net(*inputs), [Tensor(array) for array in found])


@pytest.mark.costly
def test_runs_without_the_source(tmp_path):
    net, inputs = made("attention")
    ms.export(net, *inputs, file_name=str(tmp_path / "net.mindir"))
    np.save(str(tmp_path / "ids.npy"), inputs[0].asnumpy())
    code = ("import numpy as np, msjit as ms; net = ms.nn.GraphCell(ms.load('net.mindir'));"
            "np.save('out.npy', net(ms.Tensor(np.load('ids.npy'))).asnumpy())")
    subprocess.run([sys.executable, "-c", code], cwd=str(tmp_path), check=True)
    same(net(*inputs), Tensor(np.load(str(tmp_path / "out.npy"))))


def test_branches_and_loops_are_kept(tmp_path):
    def shrink(x):
        if x.sum() > 0:
            x = x * 0.5
        while x.sum() > 1:
            x = x / 2
        return x
    for start in (8.0, -8.0, 1.5):
        x = Tensor([start, 0.25])
        ms.export(shrink, x, file_name=str(tmp_path / "f"))
        loaded = nn.GraphCell(ms.load(str(tmp_path / "f.mindir")))
        for value in (8.0, -8.0, 1.5):
            y = Tensor([value, 0.25])
            same(shrink(y), loaded(y))
    with pytest.raises(ValueError, match=r"\[export\] a branch or loop on the value of a tensor"):
        ms.export(shrink, Tensor([8.0, 0.25]), file_name=str(tmp_path / "f"), file_format="ONNX")
    assert not (tmp_path / "f.onnx").exists()


def test_parameters_can_be_trained_further(tmp_path):
    net, inputs = made("mlp")
    ms.export(net, *inputs, file_name=str(tmp_path / "net"))
    loaded = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    assert sorted(p.name for p in loaded.trainable_params()) == sorted(p.name for p in net.trainable_params())
    optimizer = nn.SGD(loaded.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda x: loaded(x)[:, 0].sum(), None, optimizer.parameters)
    losses = []
    for _ in range(5):
        loss, gradients = step(*inputs)
        optimizer(gradients)
        losses.append(float(loss))
    assert losses[-1] < losses[0]


def test_other_values_of_parameters(tmp_path):
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    ms.export(net, Tensor([[1.0, 2.0]]), file_name=str(tmp_path / "net"))
    path = str(tmp_path / "net.mindir")
    loaded = nn.GraphCell(ms.load(path), {"weight": Tensor([[2.0, 3.0]])})
    assert loaded(Tensor([[1.0, 2.0]])).asnumpy().tolist() == [[8.0]]
    with pytest.raises(ValueError, match="params_init, got the name 'other'"):
        nn.GraphCell(ms.load(path), {"other": Tensor([[2.0, 3.0]])})
    with pytest.raises(ValueError, match="params_init of weight"):
        nn.GraphCell(ms.load(path), {"weight": Tensor([2.0])})


def test_weak_numbers_keep_dtypes(tmp_path):
    def half(x):
        return (x + 1) * 0.5, x.astype(ms.float32) + 2
    x = Tensor(np.ones((2,), np.float16))
    ms.export(half, x, file_name=str(tmp_path / "f"))
    same(half(x), nn.GraphCell(ms.load(str(tmp_path / "f.mindir")))(x))


def test_inputs_that_are_returned(tmp_path):
    def f(x, y):
        return y, (x + y, None)
    x, y = data(2), data(2, seed=2)
    ms.export(f, x, y, file_name=str(tmp_path / "f"))
    loaded = nn.GraphCell(ms.load(str(tmp_path / "f.mindir")))
    result = loaded(x, y)
    assert result[0] is y and result[1][1] is None
    same(x + y, result[1][0])


class Counts(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0.0), name="count")

    def construct(self, x):
        self.count += 1
        return x + self.count


def test_what_cannot_be_exported(tmp_path):
    x, path = data(2), str(tmp_path / "f")
    with pytest.raises(TypeError, match=r"\[export\] inputs, got float, expected Tensors"):
        ms.export(nn.ReLU(), 1.0, file_name=path)
    with pytest.raises(ValueError, match=r"\[export\] file_format, got 'GEIR'"):
        ms.export(nn.ReLU(), x, file_name=path, file_format="GEIR")
    with pytest.raises(TypeError, match=r"\[export\] file_name, got int"):
        ms.export(nn.ReLU(), x, file_name=3)
    with pytest.raises(TypeError, match=r"\[export\] net, got int"):
        ms.export(3, x, file_name=path)
    with pytest.raises(ValueError, match="changes or prints something"):
        ms.export(Counts(), x, file_name=path)
    with pytest.raises(ValueError, match="not a graph from its start to its end"):
        ms.export(lambda v: v * len("%.3f" % float(v.sum())), x, file_name=path)
    with pytest.raises(ValueError, match="not a graph from its start to its end"):
        ms.export(lambda v: v, x, file_name=path)
    with pytest.raises(ValueError, match="result, got an object that the graph does not make"):
        ms.export(lambda v: {"a": v + 1}, x, file_name=path)
    with pytest.raises(NotImplementedError, match="enc_key"):
        ms.export(nn.ReLU(), x, file_name=path, enc_key=b"k")
    with pytest.raises(ValueError, match=r"\[export\] operator svd.*expected one with a rule for ONNX"):
        ms.export(lambda v: ops.svd(v)[0], data(3, 3), file_name=path, file_format="ONNX")
    assert os.listdir(str(tmp_path)) == []


def test_wrong_inputs_of_a_graph(tmp_path):
    ms.export(nn.ReLU(), data(2), file_name=str(tmp_path / "f"))
    loaded = nn.GraphCell(ms.load(str(tmp_path / "f.mindir")))
    for bad, error in (((data(3),), ValueError), ((data(2), data(2)), ValueError), ((1.0,), TypeError),
                       ((ints(2),), ValueError)):
        with pytest.raises(error, match=r"\[graph_cell\]"):
            loaded(*bad)
    with pytest.raises(TypeError, match=r"\[graph_cell\] graph"):
        nn.GraphCell("f.mindir")


# -- files that are none, or hostile ------------------------------------------------------------------------------------


def written(tmp_path):
    path = tmp_path / "net.mindir"
    net, inputs = made("mlp")
    ms.export(net, *inputs, file_name=str(path))
    return path, path.read_bytes()


def changed_head(content, change):
    start = len(MAGIC) + 8
    size = int.from_bytes(content[len(MAGIC):start], "little")
    head = json.loads(content[start:start + size].decode())
    change(head)
    text = json.dumps(head).encode()
    return MAGIC + len(text).to_bytes(8, "little") + text + content[start + size:]


def _other_op(name):
    def change(head):
        head["graph"]["nodes"][-1][0] = name
    return change


CHANGES = [
    _other_op("no_such_op"), _other_op("__class__"), _other_op("assign"), _other_op(["relu"]), _other_op(None),
    lambda head: head["graph"]["nodes"][0].__setitem__(1, [99]), lambda head: head["graph"]["nodes"][0].__setitem__(1, [-2]),
    lambda head: head["graph"]["nodes"][0].__setitem__(2, {"code": "import os"}),
    lambda head: head["tensors"][0].__setitem__("size", 1 << 60), lambda head: head["tensors"][0].__setitem__("dims", [1 << 60]),
    lambda head: head["tensors"][0].__setitem__("dims", [-1]), lambda head: head["tensors"][0].__setitem__("type", "Object"),
    lambda head: head.__setitem__("result", 7), lambda head: head.__setitem__("result", {"input": 99}),
    lambda head: head.__setitem__("result", {"eval": []}), lambda head: head.__setitem__("sources", []),
    lambda head: head["sources"].__setitem__(0, ["file", "/etc/passwd"]), lambda head: head.pop("graph"),
    lambda head: head["graph"].__setitem__("outputs", [1000]), lambda head: head.__setitem__("tensors", {}),
    lambda head: head.__setitem__("inputs", 3), lambda head: head["graph"]["nodes"].append(["if", [0], {}, [], []]),
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_changed_files_are_refused(number, tmp_path):
    path, content = written(tmp_path)
    path.write_bytes(changed_head(content, CHANGES[number]))
    with pytest.raises(ValueError, match=r"\[load\] file, got "):
        ms.load(str(path))


def test_cut_and_random_files_are_refused(tmp_path):
    path, content = written(tmp_path)
    rng = np.random.RandomState(0)
    for size in sorted(set(rng.randint(0, len(content), 40)) | {0, 5, len(MAGIC) + 3, len(content) - 1}):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match=r"\[load\] file, got "):
            ms.load(str(path))
    start = len(MAGIC)
    for _ in range(300):  # each is refused, or is a graph that runs or raises
        damaged = bytearray(content)
        damaged[rng.randint(start, len(content))] = rng.randint(0, 256)
        path.write_bytes(bytes(damaged))
        try:
            nn.GraphCell(ms.load(str(path)))(data(2, 6))
        except (ValueError, TypeError, RuntimeError, NotImplementedError, IndexError):
            pass
    with pytest.raises(ValueError, match="expected a file that is there"):
        ms.load(str(tmp_path / "none.mindir"))
    with pytest.raises(ValueError, match=r"\[load\] file_name, got int"):
        ms.load(3)


# -- the networks of examples/ ------------------------------------------------------------------------------------------


def examples(name):
    import importlib
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


NETWORKS = {
    "lenet": lambda m: (m.LeNet(), data(2, 1, 8, 8)),
    "resnet18": lambda m: (m.ResNet18(4), data(2, 1, 8, 8)),
    "gpt": lambda m: (m.GPT(20, 16, 2, 2, 12), ints(2, 10, high=20)),
    "bert_classifier": lambda m: (m.Bert(30, 4, 16, 2, 2), ints(2, 32, high=30)),
    "gan": lambda m: (m.generator(16), data(3, 16)),
    "diffusion": lambda m: (m.Denoiser(16), data(4, 2), ints(4, high=40)),
    "graph_network": lambda m: (m.GraphNetwork(8), data(5, 16), ints(12, high=5), ints(12, high=5)),
    "reinforce": lambda m: (m.Policy(8), data(3, 4)),
    "physics_informed": lambda m: (m.Solution(8), data(3, 1), data(3, 1, seed=2)),
    "quantised": lambda m: (m.quantization.WeightOnlyDense(nn.Dense(6, 4), 4), data(3, 6)),
}


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_networks_of_the_examples(name, tmp_path):
    ms.set_seed(2)
    net, *inputs = NETWORKS[name](examples(name))
    net.set_train(False)
    expected = net(*inputs)
    ms.export(net, *inputs, file_name=str(tmp_path / "net"))
    same(expected, nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(*inputs))
    try:
        import onnxruntime as runtime
    except ImportError:
        return
    ms.export(net, *inputs, file_name=str(tmp_path / "net"), file_format="ONNX")
    check_model(tmp_path / "net.onnx")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(None, {v.name: x.asnumpy() for v, x in zip(session.get_inputs(), inputs)})
    same(expected, [Tensor(array) for array in found])


@pytest.mark.parametrize("dtype", [ms.bfloat16, ms.float16, ms.float64])
def test_other_floats(dtype, tmp_path):
    def f(x):
        y = ops.gelu(x.astype(dtype) * 2 + 0.5)
        return ops.zeros_like(y) + y, y.astype(ms.float32)
    x = data(2, 3)
    ms.export(f, x, file_name=str(tmp_path / "f"))
    for one, other in zip(f(x), nn.GraphCell(ms.load(str(tmp_path / "f.mindir")))(x)):
        assert one.dtype == other.dtype and one.astype(ms.float32).asnumpy().tolist() == other.astype(ms.float32).asnumpy().tolist()
    ms.export(f, x, file_name=str(tmp_path / "f"), file_format="ONNX")
    check_model(tmp_path / "f.onnx")


def test_random_numbers_are_drawn_again(tmp_path):
    def f(x):
        return x + ops.randn_like(x)
    x = data(2, 3)
    ms.export(f, x, file_name=str(tmp_path / "f"))
    loaded = nn.GraphCell(ms.load(str(tmp_path / "f.mindir")))
    ms.set_seed(5)
    expected = f(x)
    ms.set_seed(5)
    same(expected, loaded(x))
    with pytest.raises(ValueError, match=r"\[export\] operator rng_ticket"):
        ms.export(f, x, file_name=str(tmp_path / "f"), file_format="ONNX")


@pytest.mark.parametrize("make", [
    lambda dense: quantization.WeightOnlyDense(dense),
    lambda dense: quantization.WeightOnlyDense(dense, 8, 2),
    lambda dense: quantization.WeightOnlyDense(dense, 4),
    lambda dense: quantization.WeightOnlyDense(dense, 4, 2),
    lambda dense: quantization.Int8Dense(dense),
    lambda dense: quantization.Int8Dense(dense, (-3, 3)),
])
def test_layers_of_few_bits(make, tmp_path):
    check_layer_of_few_bits(nn.SequentialCell(make(nn.Dense(6, 4)), nn.ReLU(), nn.Dense(4, 2)), data(3, 6), tmp_path)


@pytest.mark.parametrize("span", [None, (-3, 3), (0, 3)])
@pytest.mark.parametrize("make", [
    lambda: nn.Conv2d(4, 6, 3, stride=2, has_bias=True),
    lambda: nn.Conv2d(4, 4, 3, pad_mode="pad", padding=(2, 0, 1, 1), dilation=2, group=2),
    lambda: nn.Conv2d(4, 6, (1, 2), pad_mode="valid", has_bias=True),
])
def test_convolutions_of_few_bits(make, span, tmp_path):
    check_layer_of_few_bits(nn.SequentialCell(quantization.Int8Conv2d(make(), span), nn.ReLU()), data(2, 4, 7, 9), tmp_path)


def check_layer_of_few_bits(net, x, tmp_path):
    """A network's files give what it gives."""
    ms.export(net, x, file_name=str(tmp_path / "net"))
    same(net(x), nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(x))
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="ONNX")
    try:
        import onnxruntime as runtime
    except ImportError:
        return
    check_model(tmp_path / "net.onnx")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"])
    same(net(x), Tensor(session.run(None, {session.get_inputs()[0].name: x.asnumpy()})[0]))
