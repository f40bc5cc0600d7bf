"""Errors name the function or layer that the program called, not a kernel inside of it, eager and compiled."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, nn, ops

MODES = [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit"), ms.jit] * ms.has_jit
ROWS = {}


def z(*shape):
    return Tensor(np.full(shape, 0.5, np.float32))


def row(name, layer, bad, text, kind=ValueError, good=None):
    """A layer or function, arguments that do not fit, the text of the error, and arguments that fit."""
    ROWS[name] = layer, bad if isinstance(bad, tuple) else (bad,), text, kind, good


row("dense", nn.Dense(3, 4), z(2, 5), "[dense] inner dimensions must match, got 5 and 3 in shapes (2, 5), (4, 3), (4,)", good=(z(2, 3),))
row("dense of integers", nn.Dense(3, 4), Tensor([[1, 2, 3]]), "[dense] dtypes must match, got int64 and float32", TypeError)
row("dense of None", nn.Dense(3, 4), (None,), "[dense] argument 'x', got NoneType, expected a Tensor or number", TypeError)
row("conv1d", nn.Conv1d(3, 4, 3), z(1, 2, 8), "[conv1d] shape of the input, got (1, 2, 8), expected (N, 3, L)", good=(z(1, 3, 8),))
row("conv1d of a plane", nn.Conv1d(3, 4, 3), z(1, 3, 8, 8), "[conv1d] shape of the input, got (1, 3, 8, 8), expected (N, 3, L)")
row("conv3d", nn.Conv3d(3, 4, 3), z(1, 2, 4, 4, 4), "[conv3d] channels of input, got 2 in shape (1, 2, 4, 4, 4), expected 3")
row("conv2d_transpose", nn.Conv2dTranspose(3, 4, 3), z(1, 2, 4, 4), "[conv2d_transpose] channels of the input, got 2 in shape (1, 2, 4, 4), expected 3")
row("batch_norm", nn.BatchNorm1d(3), z(2, 4), "[batch_norm] channels of the input, got 4 in shape (2, 4), expected num_features, 3", good=(z(2, 3),))
row("batch_norm in training", nn.BatchNorm2d(3).set_train(), z(1, 2, 4, 4),
    "[batch_norm] channels of the input, got 2 in shape (1, 2, 4, 4), expected num_features, 3", good=(z(1, 3, 4, 4),))
row("batch_norm function", lambda x: ops.batch_norm(x, None, None, z(4), z(4), training=True), z(2, 3), "[batch_norm] scale must match, got 4 and 3")
row("layer_norm", nn.LayerNorm((4,)), z(2, 3), "[layer_norm] last sizes of the input, got shape (2, 3), expected normalized_shape, (4,)", good=(z(2, 4),))
row("layer_norm over two axes", nn.LayerNorm((3, 4)), z(2, 3, 4), "[layer_norm] begin_params_axis, got -1 for normalized_shape (3, 4), expected -2")
row("layer_norm of None", nn.LayerNorm((4,)), (None,), "[layer_norm] ", TypeError)
row("group_norm", nn.GroupNorm(2, 4), z(1, 6, 4, 4), "[group_norm] channels of the input, got 6 in shape (1, 6, 4, 4), expected num_channels, 4")
row("LSTM", nn.LSTM(3, 4), z(5, 2, 6), "[LSTM] last size of x, got 6 in shape (5, 2, 6), expected input_size, 3", good=(z(5, 2, 3),))
row("GRU", nn.GRU(3, 4), z(5, 2, 6), "[GRU] last size of x, got 6 in shape (5, 2, 6), expected input_size, 3")
row("GRUCell", nn.GRUCell(3, 4), (z(2, 6), z(2, 4)), "[GRUCell] shapes of x and hx, got (2, 6) and (2, 4), expected (batch, 3) and (batch, 4)")
row("embedding", nn.Embedding(5, 3), Tensor([1, 5]), "[embedding] index 5 is out of bounds for axis 0 with size 5", IndexError, (Tensor([1, 2]),))
row("embedding of floats", nn.Embedding(5, 3), z(2), "[embedding] index has an unsupported dtype, got float32, expected an integer", TypeError)
row("prelu", nn.PReLU(3), z(2, 4), "[prelu] shapes cannot be broadcast, got (3,) and (2, 4)")
for _name, _loss in (("mse_loss", nn.MSELoss()), ("l1_loss", nn.L1Loss()), ("mae_loss", nn.MAELoss()), ("rmse_loss", nn.RMSELoss()),
                     ("huber_loss", nn.HuberLoss()), ("l1_loss function", ops.l1_loss), ("hinge_embedding_loss", ops.hinge_embedding_loss)):
    row(_name, _loss, (z(2, 3), z(2, 4)), "[%s] shapes cannot be broadcast, got (2, " % _name.split()[0], good=(z(2, 3), z(2, 3)))
row("margin_ranking_loss", ops.margin_ranking_loss, (z(2), z(3), z(2)), "[margin_ranking_loss] shapes cannot be broadcast, got (2,) and (3,)")
row("triplet_margin_loss", ops.triplet_margin_loss, (z(2, 3), z(2, 4), z(2, 3)), "[triplet_margin_loss] shapes cannot be broadcast, got (2, 3) and (2, 4)")
for _function in (ops.mean, ops.std, ops.var, ops.logsumexp, ops.median, ops.argsort, ops.unbind):
    _name = _function.__name__
    row(_name, lambda x, f=_function: f(x, 2), z(2, 3), "[%s] axis is out of range, got 2, expected -2 to 1" % _name)
row("Tensor.mean", lambda x: x.mean(2), z(2, 3), "[mean] axis is out of range, got 2, expected -2 to 1")
row("norm", lambda x: ops.norm(x, dim=2), z(2, 3), "[norm] axis is out of range, got 2, expected -2 to 1")
row("unsqueeze", lambda x: ops.unsqueeze(x, 5), z(2, 3), "[unsqueeze] axis is out of range, got 5, expected -3 to 2")
row("bmm", ops.bmm, (z(2, 2, 3), z(2, 2, 3)), "[bmm] inner dimensions must match, got 3 and 2")
row("mv", ops.mv, (z(2, 3), z(2)), "[mv] inner dimensions must match, got 3 and 2")
row("dot", ops.dot, (z(3), z(4)), "[dot] shapes cannot be broadcast, got (3,) and (4,)")
row("masked_fill", lambda x, m: x.masked_fill(m, 1.0), (z(2, 3), Tensor([True, False])), "[masked_fill] shapes cannot be broadcast, got (2,) and (2, 3)")
row("clip_by_value", lambda x: ops.clip_by_value(x, "a", 1.0), z(3), "[clip_by_value] argument 'y', got str", TypeError)
row("index_select", lambda x, i: ops.index_select(x, 0, i), (z(3, 2), Tensor([4])), "[index_select] index 4 is out of bounds for axis 0 with size 3", IndexError)
row("gather_nd", ops.gather_nd, (z(2, 3), Tensor([[2, 0]])), "[gather_nd] index 2 is out of bounds for axis 0 with size 2", IndexError)
row("tensor_scatter_update", ops.tensor_scatter_update, (z(3, 2), Tensor([[5]]), z(1, 2)), "[tensor_scatter_update] index 5 is out of bounds", IndexError)
row("scatter_nd", lambda i, v: ops.scatter_nd(i, v, (3,)), (Tensor([[5]]), z(1)), "[scatter_nd] index 5 is out of bounds", IndexError)
row("cosine_similarity", ops.cosine_similarity, (z(2, 3), z(2, 4)), "[cosine_similarity] shapes cannot be broadcast, got (2, 3) and (2, 4)")
row("cholesky", ops.cholesky, z(2, 3), "[cholesky] sizes of a matrix must match, got 2 and 3")
row("ops.dense", ops.dense, (z(2, 3), z(4, 5)), "[dense] inner dimensions must match, got 3 and 5 in shapes (2, 3), (4, 5)")
row("mint.nn.MSELoss", mint.nn.MSELoss(), (z(2, 3), z(2, 4)), "[mse_loss] shapes cannot be broadcast, got (2, 3) and (2, 4)")
row("zeros", lambda x: x + ops.zeros((-1, 2)), z(2), "[zeros] size of a dimension, got -1, expected at least 0")
row("ones", lambda x: x + ops.ones(None), z(2), "[ones] shape, got NoneType, expected an int or a tuple of ints", TypeError)
row("randn", lambda x: x + ops.randn(-1), z(2), "[randn] size of a dimension, got -1, expected at least 0")
row("rand", lambda x: x + ops.rand(2.0), z(2), "[rand] shape, got float, expected an int or a tuple of ints", TypeError)

row("Unflatten", nn.Unflatten(1, (2, 2)), z(2, 3), "[Unflatten] element counts must match, got 6 for shape (2, 3)")
row("matrix_diag", nn.MatrixDiag(), z(), "[matrix_diag] rank of the input, got 0, expected 1 or more")
row("matrix_set_diag", nn.MatrixSetDiag(), (z(3), z(3)), "[matrix_set_diag] rank of the matrices, got 1, expected 2 or more")
row("central_crop", nn.CentralCrop(0.5), z(3), "[central_crop] rank of the image, got 1, expected 2 or more")
row("multi_margin_loss", nn.MultiMarginLoss(), (z(1, 3), Tensor([7])), "[multi_margin_loss] index 7 is out of bounds", IndexError)
row("multilabel_margin_loss", nn.MultilabelMarginLoss(), (z(1, 3), z(1, 3)), "[multilabel_margin_loss] indices has an unsupported dtype", TypeError)
row("Unflatten of an int", lambda x: nn.Unflatten(1, 3)(x), z(2, 3), "[Unflatten] unflattened_size, got int, expected a tuple of ints", TypeError)
row("range", lambda x: nn.Range("a")() + x, z(2), "[range] each of start, limit and delta must be a number, got str", TypeError)
for _name, _layer in (("Unflatten", nn.Unflatten(0, (1,))), ("image_gradients", nn.ImageGradients()), ("central_crop", nn.CentralCrop(0.5)),
                      ("one_hot", nn.OneHot()), ("prelu", nn.PReLU()), ("norm", nn.Norm()), ("tanhshrink", nn.Tanhshrink()),
                      ("constant_pad2d", nn.ConstantPad2d(1, 0)), ("log2", ops.log2), ("log10", ops.log10), ("exp2", ops.exp2),
                      ("softmax", mint.nn.Softmax()), ("BatchNorm1d", mint.nn.BatchNorm1d(3)), ("BatchNorm3d", mint.nn.BatchNorm3d(3)),
                      ("ZeroPad2d", nn.ZeroPad2d(1)), ("ReflectionPad1d", nn.ReflectionPad1d(1)), ("l1_regularizer", nn.L1Regularizer(0.1))):
    row("layer %s of a number" % _name, _layer, 3, "[%s] argument, got int, expected a Tensor" % _name, TypeError)
row("adaptive_avg_pool3d", nn.AdaptiveAvgPool3d(2), z(2, 3), "[adaptive_avg_pool3d] rank of the input, got 2, expected at least 4")
row("adaptive_max_pool2d", nn.AdaptiveMaxPool2d(2), z(2, 3), "[adaptive_max_pool2d] rank of the input, got 2, expected at least 3")
row("focal_loss", nn.FocalLoss(), (z(2, 3), Tensor([[0], [5]])), "[focal_loss] index 5 is out of bounds", IndexError)
row("poisson_nll_loss", nn.PoissonNLLLoss(), (z(2, 3), z(2)), "[poisson_nll_loss] shapes cannot be broadcast, got (2,) and (2, 3)")
row("layer norm", nn.Norm(2), z(2, 3), "[norm] axis is out of range, got 2, expected -2 to 1", good=(z(2, 3, 4),))
row("constant_pad2d", nn.ConstantPad2d(1, 0), z(3), "[constant_pad2d] rank of the input, got 1, expected at least 2")
for _axis in (9, -2):
    row("one_hot on axis %d" % _axis, nn.OneHot(_axis), Tensor([1]), "[one_hot] axis, got %d, expected -1 to 1" % _axis)
# mint: what the functions call lies in other modules
row("count_nonzero", lambda x: mint.count_nonzero(x, 2), z(2, 3), "[count_nonzero] axis is out of range, got 2, expected -2 to 1")
row("mint.median", mint.median, z(0), "[median] cannot reduce an empty tensor, got shape (0,)")
row("mint.gather", lambda x, i: mint.gather(x, 1, i), (z(2, 3), Tensor([[3]])), "[gather] index 3 is out of bounds", IndexError)
row("mint.scatter", lambda x, i: mint.scatter(x, 1, i, 1.0), (z(2, 3), Tensor([[3]])), "[scatter] index 3 is out of bounds", IndexError)
row("scatter_add", lambda x, i: mint.scatter_add(x, 1, i, x), (z(2, 3), Tensor([1])), "[scatter_add] indices has a wrong rank, got 1, expected 2")
row("triangular_solve", mint.triangular_solve, (z(2), z(2, 2)), "[triangular_solve] rhs has a wrong rank, got 1, expected 2")
row("vdot of matrices", mint.vdot, (z(2, 3), z(2, 3)), "[vdot] operands must be vectors, got 2 and 2 axes")
row("vdot", mint.vdot, (z(2), z(3)), "[vdot] sizes must match, got 2 and 3", good=(z(2), z(2)))
row("mint.transpose", lambda x: mint.transpose(x, 0, 2), z(2, 3), "[transpose] axis is out of range, got 2", good=(z(2, 3, 4),))
row("permute", lambda x: mint.permute(x, (1, 1)), z(2, 3), "[permute] perm must name each axis once")
row("normalize", lambda x: mint.nn.functional.normalize(x, dim=2), z(2, 3), "[normalize] axis is out of range, got 2")
row("conv2d of three paddings", lambda x, w: mint.conv2d(x, w, padding=(1, 2, 3)), (z(1, 1, 4, 4), z(1, 1, 2, 2)),
    "[conv2d] padding, got 3 numbers, expected one or 2")
row("output_padding", lambda x: mint.nn.functional.conv_transpose2d(x, x, stride=2, output_padding=2), z(1, 1, 2, 2),
    "[conv_transpose2d] output_padding, got (2, 2), expected less than the stride, (2, 2)")
row("max_unpool2d", ops.max_unpool2d, (z(1, 1, 1), Tensor([[[9]]]), 2), "[max_unpool2d] index 9 is out of bounds", IndexError)
row("glu", lambda x: ops.glu(x, 2), z(2, 4), "[glu] axis is out of range, got 2, expected -2 to 1")
row("randint", lambda x: x + mint.randint(3, 2), z(2), "[randint] size, got int, expected a tuple of ints", TypeError)
row("normal", lambda x: x + mint.normal(0.0, 1.0, 3), z(2), "[normal] size, got int, expected a tuple of ints", TypeError)
row("linspace", lambda x: x + ops.linspace("a", 1, 2), z(2), "[linspace] start must be a number, got str", TypeError)
for _name, _function in (("nansum", ops.nansum), ("frac", ops.frac), ("mish", ops.mish), ("selu", ops.selu), ("hardswish", ops.hardswish),
                         ("hardshrink", ops.hardshrink), ("softsign", ops.softsign),
                         ("logsigmoid", ops.logsigmoid), ("adaptive_max_pool2d", lambda x: ops.adaptive_max_pool2d(x, 2)),
                         ("clone", mint.clone), ("one_hot", mint.nn.functional.one_hot),
                         ("log_softmax", mint.nn.functional.log_softmax),
                         ("randn_like", mint.randn_like),
                         ("randint_like", lambda x: mint.randint_like(x, 3))):
    row("%s of a number" % _name, _function, 3, "[%s] argument, got int, expected a Tensor" % _name, TypeError)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", list(ROWS))
def test_the_error_names_what_was_called(name, mode):
    layer, bad, text, kind, good = ROWS[name]
    run = mode(lambda *args: layer(*args))
    for _ in range(3 if good else 0):
        run(*good)
    for _ in range(2):
        with pytest.raises(kind) as caught:
            run(*bad)
        assert type(caught.value) is kind and str(caught.value).startswith(text)


@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name][4]])
def test_the_layer_is_one_region(name):
    layer, _, _, _, good = ROWS[name]
    assert "no graph breaks" in str(ms.explain(ms.jit(lambda *args: layer(*args), mode="PIJit"), *good))


def test_errors_of_the_program_keep_their_text():
    class Size:
        def __iter__(self):
            raise TypeError("of the program")

    with pytest.raises(TypeError, match="^of the program$"):
        ops.zeros(Size())


def test_only_names_of_kernels_are_replaced():
    from msjit.common.error_names import rename
    for text in ("plain", "[Mine] text", "[two words] text", "[open", "", "[1, 2] is wrong"):
        error = ValueError(text)
        rename(error, "mean")
        assert str(error) == text
    error = ValueError("[sum] axis, got 2")
    rename(error, "mean")
    assert str(error) == "[mean] axis, got 2"
    rename(error, "std", "other text")
    assert error.args == ("[std] other text",)
    error = OSError(2, "none")
    rename(error, "mean")
    assert error.args == (2, "none")
