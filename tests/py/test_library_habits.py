"""What libraries of models do with tensors and functions beside the layers themselves; eager, compiled and against NumPy."""
import pickle

import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Tensor, mint, nn, ops

GRID = np.arange(6, dtype=np.float32).reshape(1, 2, 3)


@pytest.mark.parametrize("repeats, axis", [([1, 2], 1), ([0, 3], 1), ([2], 2), (2, 1), ([2, 1, 0, 1, 1, 2], None)])
def test_repeats_that_are_a_tensor(repeats, axis):
    counts = np.array(repeats, np.int64)
    want = np.repeat(GRID, counts, axis)
    for call in (lambda x, n: ops.repeat_interleave(x, n, axis), lambda x, n: x.repeat_interleave(n, axis),
                 lambda x, n: mint.repeat_interleave(x, n, dim=axis)):
        same(call, lambda variant: (Tensor(GRID), Tensor(counts)))
        np.testing.assert_array_equal(call(Tensor(GRID), Tensor(counts)).asnumpy(), want)


def test_repeats_that_change_are_read_again():
    repeated = ms.jit(lambda x, n: ops.repeat_interleave(x, n, 1), mode="PIJit")
    for counts in ([1, 2], [1, 2], [3, 0], [2, 2]):
        np.testing.assert_array_equal(repeated(Tensor(GRID), Tensor(counts)).asnumpy(), np.repeat(GRID, counts, 1))


class Power(ms._Function):
    """backward also answers for the arguments that a call leaves to their defaults."""

    @staticmethod
    def forward(ctx, x, exponent=2, flag=None):
        ctx.save_for_backward(x)
        ctx.exponent = exponent
        return x ** exponent

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * ctx.exponent * x ** (ctx.exponent - 1), None, None


def test_gradients_of_arguments_left_out():
    x = np.float32([1.5, -2.0])
    for call in (lambda a: Power.apply(a, 3, "f").sum(), lambda a: Power.apply(a, 3).sum()):
        np.testing.assert_allclose(ms.grad(call)(Tensor(x)).asnumpy(), 3 * x ** 2, 1e-6)
    np.testing.assert_allclose(ms.grad(lambda a: Power.apply(a).sum())(Tensor(x)).asnumpy(), 2 * x, 1e-6)


def test_a_gradient_too_many():
    class Twice(ms._Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, grad

    with pytest.raises(ValueError, match=r"\[Twice.backward\] number of gradients, got 2, expected 1"):
        ms.grad(lambda a: Twice.apply(a).sum())(Tensor([1.0]))


@pytest.mark.parametrize("call, error, text", [
    (lambda: ms.mutable("a"), TypeError, r"\[mutable\] input_data, got str"),
    (lambda: ms.mutable([1, ("a",)]), TypeError, r"\[mutable\] input_data, got str"),
    (lambda: ms.mutable({"a": (1, None)}), TypeError, r"\[mutable\] input_data, got NoneType"),
    (lambda: ms.mutable(Tensor(1), 1), TypeError, r"\[mutable\] dynamic_len, got int"),
    (lambda: ms.mutable(1, True), TypeError, r"\[mutable\] input_data, got int, expected a tuple or a list"),
    (lambda: ms.jit(len, dynamic="a"), TypeError, r"\[jit\] dynamic, got str"),
    (lambda: ms.jit(len, dynamic=None), TypeError, r"\[jit\] dynamic, got NoneType"),
    (lambda: ms.jit(len, dynamic=2), ValueError, r"\[jit\] dynamic, got 2"),
    (lambda: ops.randint(0, 5, (2,), dtype=ms.float32), ValueError, r"\[randint\] dtype, got Float32"),
    (lambda: ops.randint_like(Tensor([1.0]), 0, 5), ValueError, r"\[randint_like\] dtype, got Float32"),
    (lambda: ops.repeat_interleave(Tensor(GRID), Tensor([[1]]), 1), ValueError, r"\[repeat_interleave\] repeats"),
    (lambda: ops.repeat_interleave(Tensor(GRID), Tensor([1, 2, 3]), 1), ValueError, r"\[repeat_interleave\] repeats"),
])
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_mutable_gives_back_what_it_got(mode):
    def called(x):
        pair = ms.mutable((x, {"a": [1, 2.5]}), True)
        return pair[0] * pair[1]["a"][1], ms.mutable(3), ms.mutable(())

    call = called if mode is None else ms.jit(called, mode=mode)
    for _ in range(3):
        scaled, number, empty = call(Tensor([2.0]))
        assert scaled.asnumpy().tolist() == [5.0] and number == 3 and empty == ()


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_gradients_by_a_mutable_tuple(mode):
    def scaled(pair, factor):
        return pair[0] * pair[1][0] * factor

    def slopes(pair, factor):
        return ms.grad(scaled, (0, 1))(pair, factor), ops.GradOperation()(scaled)(pair, factor), ops.GradOperation()(scaled)((*pair,), factor)

    slopes = slopes if mode is None else ms.jit(slopes, mode=mode)
    for _ in range(2):
        (by_pair, by_factor), first, plain = slopes(ms.mutable((Tensor([2.0]), (Tensor([5.0]), 3))), Tensor([10.0]))
        assert type(by_pair) is tuple and float(by_pair[0]) == 50.0 and float(by_pair[1][0]) == 20.0 and by_pair[1][1] == 0
        assert float(by_factor) == 10.0 and float(first[0]) == 50.0 and plain == ()


def test_einsum_with_lists_of_numbers():
    x, y = Tensor(GRID[0]), Tensor(GRID[0])
    for lists, letters in ((([0, 1], y, [2, 1], [0, 2]), "ab,cb->ac"), (([0, 1], y, [0, 1]), "ab,ab"), (([..., 1], y, [..., 1], [...]), "...b,...b->..."),
                           (([3, 1], y, [3, 2]), "db,dc")):
        assert (ops.einsum(x, *lists) == ops.einsum(letters, x, y)).all()
    with pytest.raises(ValueError, match=r"\[einsum\] item of a list, got 52"):
        ops.einsum(x, [0, 52], y, [0, 1])


def test_a_profiler_takes_the_keywords_of_others():
    with ms.Profiler(aic_metrics=None, l2_cache=True, start_profile=False, on_trace_ready=lambda p: None) as profiler:
        profiler.start()  # it goes on
    with pytest.raises(TypeError, match=r"\[Profiler\] unknown keyword 'l3_cache'"):
        ms.Profiler(l3_cache=True)


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_floats_in_lists_keep_their_digits(mode):
    def made():
        return Tensor([0.1, 2], ms.float64), Tensor([[0.1], [0.2]])

    made = made if mode is None else ms.jit(made, mode=mode)
    for _ in range(2):
        wide, usual = made()
        assert wide.asnumpy().tolist() == [0.1, 2.0] and usual.dtype == ms.float32


def test_drawn_integers():
    assert ops.randint_like(Tensor([1, 2], ms.int8), 0, 5).dtype == ms.int8
    drawn = mint.randint_like(Tensor([0.5] * 50), 2, 4)
    assert drawn.dtype == ms.float32 and set(drawn.asnumpy().tolist()) == {2.0, 3.0}
    assert mint.randint(3, (4,), dtype=ms.float32).dtype == ms.float32 and mint.randint(3, (4,)).dtype == ms.int64


@pytest.mark.parametrize("layer", [mint.nn.Embedding(2, 3), mint.nn.Dropout(0.3), mint.nn.Unfold(2), mint.nn.AvgPool1d(2)])
def test_a_layer_named_otherwise_is_found_again(layer):
    assert pickle.loads(pickle.dumps(type(layer))) is type(layer) and isinstance(layer, getattr(mint.nn, type(layer).__name__[:-3]))


def test_order_of_the_parts_of_a_transformer():
    layer = nn.TransformerDecoderLayer(4, 2, 8)
    assert [name for name in layer.name_cells() if name[-1] in "123" and name[:4] in ("norm", "drop")] == [
        "norm1", "norm2", "norm3", "dropout1", "dropout2", "dropout3"]


IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4) / 8 - 1
NAMED = [
    (nn.ReLU, "input"), (nn.HSwish, "input"), (nn.HSigmoid, "input"), (nn.HShrink, "input"), (nn.SoftShrink, "input"),
    (nn.Softmax, "input"), (nn.Identity, "input"), (nn.LogSigmoid, "input_x"), (nn.Mish, "input_x"), (nn.Sigmoid, "x"),
    (lambda: nn.LayerNorm((4,)), "input_x"), (lambda: nn.AdaptiveAvgPool2d(2), "input"), (lambda: nn.AdaptiveMaxPool2d(2), "input"),
    (nn.MatDet, "a"), (nn.Tanh, "x"), (mint.nn.ReLU, "input"), (mint.nn.Sigmoid, "input"), (mint.nn.Tanh, "input"),
    (mint.nn.SELU, "input"), (mint.nn.Mish, "input"), (mint.nn.GELU, "input"), (mint.nn.Flatten, "input"), (mint.nn.ReLU6, "input"),
    (lambda: mint.nn.Dropout(0.0), "input"), (lambda: mint.nn.Dropout2d(0.0), "input"), (lambda: mint.nn.LogSoftmax(1), "x"),
    (lambda: mint.nn.ReflectionPad2d(1), "input"), (lambda: mint.nn.ConstantPad2d(1, 2.0), "input"),
    (lambda: mint.nn.Threshold(0.1, 2.0), "input"), (lambda: mint.nn.Conv2d(1, 2, 2), "input"),
    (lambda: mint.nn.Upsample(scale_factor=2.0), "input"), (lambda: mint.nn.Hardtanh(-0.5, 0.5), "input"),
]


@pytest.mark.parametrize("make, name", NAMED)
def test_layers_called_by_keyword(make, name):
    layer, x = make(), Tensor(IMAGE)
    want = layer(x).asnumpy()
    for mode in (None, "PIJit", "PSJit"):
        def called(value):
            return layer(**{name: value})

        call = called if mode is None else ms.jit(called, mode=mode)
        for _ in range(3):
            np.testing.assert_allclose(call(x).asnumpy(), want, 1e-6)


@pytest.mark.parametrize("make, names", [
    (nn.BCEWithLogitsLoss, ("input", "target")), (mint.nn.BCEWithLogitsLoss, ("input", "target")),
    (mint.nn.MSELoss, ("input", "target")), (mint.nn.L1Loss, ("logits", "labels")), (nn.MSELoss, ("logits", "labels"))])
def test_losses_called_by_keyword(make, names):
    loss, a, b = make(), Tensor(IMAGE), Tensor(np.abs(IMAGE))
    same(lambda x, y: loss(**dict(zip(names, (x, y)))), lambda variant: (a, b), exact=False)
    assert float(loss(**dict(zip(names, (a, b))))) == float(loss(a, b))


def test_classes_and_rows_by_keyword():
    logits, rows = Tensor(IMAGE.reshape(4, 4)), Tensor([0, 3, 1, 2])
    want = nn.CrossEntropyLoss()(logits, Tensor([0, 3, 1, 2], ms.int32)).asnumpy()
    same(lambda x, y: mint.nn.CrossEntropyLoss()(input=x, target=y), lambda variant: (logits, rows), exact=False)
    np.testing.assert_allclose(mint.nn.CrossEntropyLoss()(input=logits, target=rows).asnumpy(), want, 1e-6)
    logs = ops.log_softmax(logits, -1)
    np.testing.assert_allclose(mint.nn.NLLLoss()(input=logs, target=rows).asnumpy(), want, 1e-6)
    one = Tensor([1, 1, 1, 1])
    np.testing.assert_allclose(mint.nn.CosineEmbeddingLoss()(input1=logits, input2=logits, target=one).asnumpy(), 0, atol=1e-6)


def test_upsampling_by_a_factor():
    same(lambda x: mint.nn.Upsample(scale_factor=(2.0, 1.0))(x), lambda variant: (Tensor(IMAGE),))
    np.testing.assert_array_equal(mint.nn.Upsample(scale_factor=2.0)(Tensor(IMAGE)).asnumpy(), IMAGE.repeat(2, 2).repeat(2, 3))


def test_softmax_of_another_dtype():
    x = IMAGE.reshape(4, 4)
    want = np.exp(x) / np.exp(x).sum(0)
    for call in (lambda t: t.softmax(0), lambda t: t.softmax(0, ms.float64), lambda t: t.softmax(axis=0, dtype=ms.float16)):
        same(call, lambda variant: (Tensor(x),), exact=False)
        np.testing.assert_allclose(call(Tensor(x)).asnumpy(), want, 2e-3)
    assert Tensor(x).softmax(0, ms.float64).dtype == ms.float64 and Tensor(x).softmax(-1).dtype == ms.float32


def test_other_names_of_arguments():
    assert np.array_equal(ops.i0(input=Tensor(IMAGE)).asnumpy(), ops.bessel_i0(Tensor(IMAGE)).asnumpy())
    weight, seen = ms.Parameter(Tensor([2.0]), name="w"), []
    weight.register_hook(hook_fn=lambda grad: seen.append(float(grad)) or grad * 3)
    assert ms.grad(lambda x: (x * weight).sum(), None, [weight])(Tensor([5.0]))[0].asnumpy().tolist() == [15.0] and seen == [5.0]
    assert nn.SequentialCell(nn.ReLU()).set_grad(flag=True)[0].requires_grad


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_a_parameter_in_a_text(mode):
    weight = ms.Parameter(Tensor([2.0]), name="w")

    def called(x):
        return f"{weight}|{weight!r}|{{}}".format(weight), x * weight

    call = called if mode is None else ms.jit(called, mode=mode)
    for _ in range(3):
        text, scaled = call(Tensor([3.0]))
        assert text == "|".join(["Parameter (name=w, shape=(1,), dtype=Float32, requires_grad=True)"] * 3)
        assert scaled.asnumpy().tolist() == [6.0]


def test_a_cell_gives_way_to_cells_only():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.act = nn.ReLU()

        def construct(self, x):
            return self.act(x)

    net, x = Net(), Tensor([-1.0, 2.0])
    for other in (3, ops.tanh, x, lambda y: y):
        with pytest.raises(TypeError, match="'act' is there already, got"):
            net.act = other
    assert net(x).asnumpy().tolist() == [0, 2]
    net.act = nn.Identity()
    assert net(x).asnumpy().tolist() == [-1, 2]
    net.act = None
    with pytest.raises(TypeError, match="'act' is there already, got"):
        net.act = ops.neg


def test_inputs_that_were_set():
    net, x = nn.ReLU(), Tensor([1.0])
    assert net.get_inputs() is None
    net.set_inputs(x)
    assert len(net.get_inputs()) == 1 and net.get_inputs()[0] is x


def test_an_optimizer_prints_its_groups():
    first, second = ms.Parameter(Tensor([1.0]), name="a"), ms.Parameter(Tensor([1.0]), name="b")
    found = mint.optim.AdamW([{"params": [first], "lr": 2e-9}, {"params": [second]}], lr=0.1)
    group = "Parameter Group %d\n    amsgrad: False\n    betas: (0.9, 0.999)\n    eps: 1e-08\n    lr: %s\n    maximize: False\n" \
        "    weight_decay: 0.01\n"
    assert repr(found) == str(found) == "AdamW (\n" + group % (0, 2e-09) + "\n" + group % (1, 0.1) + ")"


def test_one_tensor_is_clipped_as_a_whole():
    x = np.float32([[1, 2], [3, 4]])
    same(lambda t: ops.clip_by_global_norm(t, 2.0), lambda variant: (Tensor(x),), exact=False)
    np.testing.assert_allclose(ops.clip_by_global_norm(Tensor(x), 2.0).asnumpy(), x * 2 / np.sqrt(np.sum(x * x)), 1e-6)
    assert ms.train.names() == sorted(ms.train.names()) and "loss" in ms.train.names()


def test_softmax_along_a_named_axis():
    x = Tensor([[1.0, 2.0], [3.0, 5.0]])
    for jitted in (lambda f: f, lambda f: ms.jit(f, mode="PIJit"), lambda f: ms.jit(f, mode="PSJit")):
        assert jitted(lambda x: x.softmax(dim=0))(x).tolist() == x.softmax(0).tolist()
