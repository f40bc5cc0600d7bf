"""Arguments that MindSpore refuses, with the same class of error, where a result would mean nothing."""
import os

import numpy as np
import pytest

import msjit as ms
import msjit.common.initializer as init
import msjit.dataset as ds
from msjit import Parameter, Tensor, mint, nn, ops
from msjit.train import Model


def z(*shape):
    return Tensor(np.full(shape, 0.5, np.float32))


class Rows:
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return np.zeros(2), i


def rows():
    return ds.GeneratorDataset(Rows(), ["x", "i"], num_parallel_workers=1)


def twice():
    data = rows()
    return ds.zip((data, data))


def groups(base, *rates):
    return nn.SGD([{"params": [Parameter(z(2), name="p%d" % i)], "lr": rate} for i, rate in enumerate(rates)], base)


def product(a, b):
    return (a * b).sum()


CASES = {
    "clip_by_global_norm below 0": (lambda: ops.clip_by_global_norm(z(3), -1.0), ValueError, "clip_norm must be positive, got -1.0"),
    "clip_by_global_norm of a text": (lambda: ops.clip_by_global_norm(z(3), "a"), TypeError, "clip_norm must be a number, got str"),
    "clip_by_norm of a text": (lambda: ops.clip_by_norm(z(3), "a"), TypeError, "[clip_by_norm] max_norm must be a number, got str"),
    "bernoulli above 1": (lambda: ops.bernoulli(z(3), 1.5), ValueError, "[bernoulli] p, got 1.5, expected a number in [0, 1]"),
    "depth below 0": (lambda: nn.OneHot(depth=-1), ValueError, "[one_hot] depth must not be negative, got -1"),
    "no position": (lambda: ms.grad(product, ()), ValueError, "[grad] grad_position, got ()"),
    "a fraction as position": (lambda: ms.grad(product, 1.0), TypeError, "[grad] grad_position must be ints, got float"),
    "has_aux of a text": (lambda: ms.value_and_grad(product, 0, has_aux="yes"), TypeError, "[value_and_grad] has_aux must be a bool, got str"),
    "return_ids of a number": (lambda: ms.grad(product, 0, return_ids=1), TypeError, "[grad] return_ids must be a bool, got int"),
    "jacfwd": (lambda: ms.jacfwd(lambda x: x * x, 2)(z(3)), ValueError, "[jacfwd] grad_position out of range, got 2"),
    "matrix of learning rates": (lambda: nn.SGD([Parameter(z(2), name="p")], z(2, 2)), ValueError, "[sgd] rank of learning_rate, got 2, expected 0 or 1"),
    "rates of two lengths": (lambda: groups(0.1, [0.1, 0.2], [0.1, 0.2, 0.3]), ValueError, "lists of [2, 3] numbers, expected one length"),
    "a rate and the base of two lengths": (lambda: groups([0.1], [0.1, 0.2]), ValueError, "lists of [1, 2] numbers"),
    "xavier_uniform of a vector": (lambda: init.initializer("xavier_uniform", [3]), ValueError, "need at least two dimensions, got shape (3,)"),
    "he_normal of a vector": (lambda: init.initializer("he_normal", [3]), ValueError, "need at least two dimensions, got shape (3,)"),
    "mode of HeNormal": (lambda: init.initializer(init.HeNormal(mode="a"), [2, 3]), ValueError, "[HeNormal] mode must be 'fan_in' or 'fan_out', got 'a'"),
    "Normal of a text": (lambda: init.Normal("a"), TypeError, "[normal] sigma must be a number, got str"),
    "Uniform of a text": (lambda: init.Uniform("a"), TypeError, "[uniform] scale must be a number, got str"),
    "TruncatedNormal of a text": (lambda: init.TruncatedNormal(sigma="a"), TypeError, "[truncated_normal] sigma must be a number, got str"),
    "a dataset twice": (twice, ValueError, "[zip] datasets, got one of them twice"),
    "a number as sampler": (lambda: ds.GeneratorDataset(Rows(), ["x", "i"], sampler=3), TypeError, "sampler, got int"),
    "a class as sampler": (lambda: ds.GeneratorDataset(Rows(), ["x", "i"], sampler=ds.RandomSampler), TypeError, "sampler, got type"),
    "precision without optimizer": (lambda: Model(nn.Dense(2, 3), nn.MSELoss(), amp_level="O2"), ValueError, "amp_level, got 'O2' without an optimizer"),
    "a number as network": (lambda: nn.TrainOneStepCell(3, groups(0.1, 0.1)), TypeError, "[TrainOneStepCell] network must be a Cell, got int"),
    "a folder to save to": (lambda: ms.save_checkpoint(nn.Dense(2, 3), ""), IsADirectoryError, "file name, got '', which is a folder"),
    "a number as choice of what to load": (lambda: ms.load_checkpoint("net.ckpt", choice_func=3), TypeError, "[load_checkpoint] choice_func, got int"),
    "a folder to load": (lambda: ms.load_checkpoint(""), ValueError, "file name, got '', which is a folder"),
}


@pytest.mark.parametrize("name", list(CASES))
def test_refused(name):
    call, kind, text = CASES[name]
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind and text in str(caught.value)


def test_the_missing_folder_of_a_checkpoint_is_named(tmp_path):
    path = str(tmp_path / "none" / "net.ckpt")
    with pytest.raises(FileNotFoundError) as caught:
        ms.save_checkpoint(nn.Dense(2, 3), path)
    assert caught.value.filename == path and ".tmp" not in str(caught.value)


def test_errors_of_metrics_name_both_shapes():
    metric = nn.MSE()
    metric.clear()
    with pytest.raises(ValueError, match=r"\[MSE\] shapes of prediction and label, got \(2, 3\) and \(2, 4\)"):
        metric.update(z(2, 3), z(2, 4))


def test_callbacks_of_another_type():
    data = ds.NumpySlicesDataset((np.zeros((4, 2), np.float32), np.zeros((4, 3), np.float32)), ["x", "y"]).batch(2)
    net = nn.Dense(2, 3)
    with pytest.raises(TypeError, match=r"\[model\] callbacks must be Callbacks, got int"):
        Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data, callbacks=3)


def test_a_tensor_is_a_size_for_expand():
    assert z(1, 3).expand(Tensor([2, 3])).shape == (2, 3)


def test_methods_are_named_in_errors_of_python():
    with pytest.raises(TypeError, match=r"^(Tensor\.)?_?sum\(\) got an unexpected keyword argument 'foo'"):
        z(2, 3).sum(foo=1)
    assert Tensor.sum.__name__ == "sum" and Tensor.sum.__qualname__ == "Tensor.sum"


@pytest.mark.parametrize("call, text", [
    (lambda: z(2, 3).copy_(z(2, 4)), "[copy_] cannot broadcast shape (2, 4)"),
    (lambda: z(2, 3).fill_("a"), "[fill_] value, got str, expected a number"),
    (lambda: z(2, 3).expand(2, 4), "[expand] cannot broadcast shape (2, 3)"),
    (lambda: z(2, 3).expand_as(z(2, 4)), "[expand_as] cannot broadcast shape (2, 3)"),
    (lambda: nn.GELU()(None), "[gelu] argument 'x', got NoneType, expected a Tensor"),
    (lambda: ops.kl_div(z(2), z(2), "avg"), "[kl_div] reduction, got 'avg'"),
    (lambda: ops.huber_loss(z(2), z(2), "avg"), "[huber_loss] reduction, got 'avg'"),
    (lambda: ops.smooth_l1_loss(z(2), z(2), reduction="avg"), "[smooth_l1_loss] reduction, got 'avg'"),
    (lambda: mint.nn.GELU(approximate="a"), "[gelu] approximate, got 'a', expected 'none' or 'tanh'"),
    (lambda: nn.BatchNorm2d(3)(None), "[batch_norm2d] argument, got NoneType, expected a Tensor"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=True)(z(2, 3), None), "[softmax_cross_entropy_with_logits] argument, got NoneType"),
])
def test_texts(call, text):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_a_network_that_returns_a_pair_has_no_loss():
    with pytest.raises(TypeError, match=r"\[mse_loss\] argument, got tuple, expected a Tensor"):
        nn.MSELoss()((z(2), z(2)), z(2))
    with pytest.raises(TypeError, match=r"\[l1_loss\] argument, got tuple, expected a Tensor"):
        ops.l1_loss((z(2), z(2)), z(2))


def test_sink_modes_are_bools():
    net = nn.Dense(2, 3)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mse"})
    for call in (lambda: model.train(1, rows(), dataset_sink_mode="yes"), lambda: model.eval(rows(), dataset_sink_mode=1),
                 lambda: model.fit(1, rows(), rows(), valid_dataset_sink_mode=1)):
        with pytest.raises(TypeError, match="dataset_sink_mode must be a bool"):
            call()


def test_the_class_of_a_wrong_folder_for_checkpoints():
    with pytest.raises(TypeError, match="directory must be a str or a function, got int"):
        ms.ModelCheckpoint("a", directory=3)


def test_a_module_that_is_not_there_is_no_attribute():
    assert hasattr(ms.parallel, "algo_parameter_config") and not hasattr(ms.parallel, "no_such_module")


@pytest.mark.parametrize("call, kind, text", [
    (lambda: ops.matrix_norm(z(2, 3), axis=(5, 1)), ValueError, "[matrix_norm] axis is out of range, got 5, expected -2 to 1"),
    (lambda: ops.matrix_norm(z(2, 3), axis=(1,)), ValueError, "[matrix_norm] axis, got (1,), expected two axes"),
    (lambda: ops.matrix_norm(z(2, 3), axis=1), TypeError, "[matrix_norm] axis, got int, expected a tuple of two ints"),
    (lambda: ops.matrix_norm(z(3)), ValueError, "[matrix_norm] axis is out of range, got -2"),
    (lambda: ops.renorm(z(2, 3), 2, 5, 1.0), ValueError, "[renorm] axis is out of range, got 5, expected -2 to 1"),
    (lambda: ops.gumbel_softmax(z(2, 3), tau=-1.0), ValueError, "[gumbel_softmax] tau must be positive, got -1.0"),
    (lambda: ops.softshrink(z(2), lambd=-1.0), ValueError, "[softshrink] lambd must not be negative, got -1.0"),
    (lambda: ops.max_pool3d(z(2, 3), 2), ValueError, "[max_pool3d] rank of x, got 2, expected 4 or 5"),
    (lambda: ops.avg_pool3d(z(2, 3), 2), ValueError, "[avg_pool3d] rank of input_x, got 2, expected 4 or 5"),
    (lambda: ops.avg_pool1d(z(1, 2, 4), 9), ValueError, "[avg_pool1d] the kernel does not fit the padded input"),
    (lambda: ops.cross(z(2, 3), z(2, 3), 5), ValueError, "[cross] dim is out of range, got 5 for shapes (2, 3) and (2, 3)"),
    (lambda: ops.cross(z(2, 3), z(2, 3), -3), ValueError, "[cross] dim is out of range, got -3"),
    (lambda: ops.vander(z(2, 2)), ValueError, "[vander] rank of x, got 2, expected 1"),
    (lambda: ops.cartesian_prod(z(2, 2)), ValueError, "[cartesian_prod] rank of an input, got 2, expected 1"),
    (lambda: ops.combinations(z(2, 2)), ValueError, "[combinations] rank of input, got 2, expected 1"),
    (lambda: ops.sequence_mask(z(2)), TypeError, "[sequence_mask] dtype of lengths, got Float32, expected an integer"),
    (lambda: ops.crop_and_resize(z(2, 3), z(1, 4), Tensor([0], ms.int32), (2, 2)), ValueError, "[crop_and_resize] rank of image, got 2, expected 4"),
    (lambda: ops.block_diag(z(2, 2, 2)), ValueError, "[block_diag] rank of an input, got 3, expected at most 2"),
    (lambda: ops.matrix_power(z(2, 3), 2), ValueError, "[matrix_power] shape of input, got (2, 3), expected square matrices"),
    (lambda: ops.pinv(z(3)), ValueError, "[pinv] rank of x, got 1, expected at least 2"),
    (lambda: mint.diag(z(2, 2, 2)), ValueError, "[diag] rank of input, got 3, expected 1 or 2"),
    (lambda: mint.normal(0.0, -1.0, (2,)), ValueError, "[normal] std must not be negative, got -1.0"),
    (lambda: ops.masked_select(z(2, 3), Tensor([True, False])), ValueError, "[masked_select] shapes cannot be broadcast, got (2, 3) and (2,)"),
    (lambda: mint.nn.BatchNorm1d(3)(z(2, 4)), ValueError, "[BatchNorm1d] channels of the input, got 4 in shape (2, 4), expected num_features, 3"),
    (lambda: mint.nn.GroupNorm(2, 4)(z(1, 6, 4, 4)), ValueError, "[GroupNorm] channels of the input, got 6 in shape (1, 6, 4, 4), expected num_channels, 4"),
    (lambda: mint.nn.functional.kl_div(z(2, 3), z(2, 4)), ValueError, "[kl_div] shapes cannot be broadcast"),
    (lambda: ops.mm(z(2, 3), z(2, 3)), ValueError, "[mm] inner dimensions must match"),
    (lambda: ops.addmm(z(2, 2), z(2, 3), z(2, 3)), ValueError, "[addmm] inner dimensions must match"),
    (lambda: ops.isclose(z(2), z(3)), ValueError, "[isclose] shapes cannot be broadcast"),
    (lambda: ops.amax(z(2, 3), 5), ValueError, "[amax] axis is out of range, got 5"),
    (lambda: ops.clamp(z(2), "a"), TypeError, "[clamp] argument 'y', got str"),
    (lambda: ops.index_add(z(2, 3), Tensor([7], ms.int32), z(1, 3), 0), IndexError, "[index_add] index 7 is out of bounds"),
    (lambda: ops.lerp(z(2), z(3), 0.5), ValueError, "[lerp] shapes cannot be broadcast"),
    (lambda: ops.nonzero(Tensor(1.0)), ValueError, "[nonzero] input must have at least one axis, got 0"),
    (lambda: ops.count_nonzero(z(2, 3), 5), ValueError, "[count_nonzero] axis is out of range, got 5"),
    (lambda: ops.nansum(z(2, 3), 5), ValueError, "[nansum] axis is out of range, got 5"),
    (lambda: nn.TransformerDecoderLayer(8, 2)(z(3, 2, 8), z(3, 2, 6)), ValueError,
     "[MultiheadAttention] sizes of the last axes of key and value, got 6 and 6, expected 8 and 8"),
])
def test_ranks_axes_and_ranges(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind and str(caught.value).startswith(text)


def test_errors_of_datasets(tmp_path):
    path = str(tmp_path / "none" / "x.mindrecord")
    with pytest.raises(FileNotFoundError) as caught:
        rows().save(path)
    assert caught.value.filename == path
    for call in (lambda: rows().project(3), lambda: rows().map(lambda x: x, input_columns=3), lambda: rows().rename("x", 3)):
        with pytest.raises(TypeError, match=r"\[dataset\] column names, got int, expected a str or a list of them"):
            call()
    with pytest.raises(ValueError, match=r"\[ToPIL\] rank of the image, got 1, expected 2 or 3"):
        ds.vision.ToPIL()(np.zeros(3))


@pytest.mark.parametrize("call, kind, text", [
    (lambda: ops.dropout(Tensor([1, 2, 3]), 0.5), TypeError, "[dropout] dtype of input, got Int64, expected a float"),
    (lambda: nn.Dropout(p=0.5).set_train()(Tensor([1, 2, 3])), TypeError, "[dropout] dtype of input, got Int64, expected a float"),
    (lambda: nn.CrossEntropyLoss()(z(2, 3), z(2)), TypeError,
     "[cross_entropy] dtype of target, got Float32 in shape (2,), expected an integer for indices of classes, or the shape (2, 3) for probabilities"),
    (lambda: nn.CrossEntropyLoss()(z(2, 3), Tensor([0, 7])), IndexError, "[cross_entropy] target is out of range, got 7, expected 0 to 2"),
    (lambda: nn.CrossEntropyLoss()(z(2, 3), z(2, 4)), ValueError, "[cross_entropy] target must match, got 4 and 3"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=True)(z(2, 3), Tensor([0, 7])), IndexError,
     "[softmax_cross_entropy_with_logits] target is out of range, got 7, expected 0 to 2"),
])
def test_labels_and_dropout(call, kind, text):
    for mode in [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit"), ms.jit] * ms.has_jit:
        with pytest.raises(kind) as caught:
            mode(call)()
        assert type(caught.value) is kind and str(caught.value).startswith(text)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_number_does_not_replace_a_weight(mode):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net = nn.Dense(3, 4)
        with pytest.raises(TypeError, match="parameter 'weight' is there already, got int"):
            net.weight = 5
    finally:
        ms.set_context(mode=before)


def test_loss_scalers():
    scaler = ms.amp.DynamicLossScaler(8, 2, 3)
    for call in (lambda: scaler.scale("a"), lambda: scaler.unscale(3), lambda: scaler.adjust("a"), lambda: scaler.adjust(None)):
        with pytest.raises(TypeError, match=r"^\[loss_scaler\] "):
            call()
    assert scaler.adjust(True) and scaler.scale((z(2), [z(3)]))[1][0].shape == (3,)


@pytest.mark.jit
@pytest.mark.costly
def test_a_short_argument_fuzz(monkeypatch):
    """Calls with arguments that mostly do not fit, plainly and captured. `make soak` runs the long form."""
    monkeypatch.syspath_prepend(os.path.join(os.path.dirname(__file__), "../fuzz"))
    import argument_fuzz
    import programs
    said = []
    done, found, whole, failed = programs.fuzz(argument_fuzz.Program, argument_fuzz.check, 0, 600, 20, said.append)
    assert not failed, said[0]
    assert done > 100 and found > 100


@pytest.mark.parametrize("call, text", [
    (lambda v: z(2).uniform(v), "[uniform] from_ must be a number, got str"),
    (lambda v: z(2).normal_(0, v), "[normal_] std must be a number, got str"),
    (ops.hardswish, "[hardswish] argument, got str, expected a Tensor"),
    (ops.logsigmoid, "[logsigmoid] argument, got str, expected a Tensor"),
    (ops.Dropout(), "[dropout] argument, got str, expected a Tensor"),
    (ops.Partial(), "[Partial] func, got str, expected a function"),
    (nn.MaxPool2d(2), "[max_pool2d] argument, got str, expected a Tensor"),
    (nn.PReLU(), "[prelu] argument, got str, expected a Tensor"),
    (mint.nn.BatchNorm2d(3), "[BatchNorm2d] argument, got str, expected a Tensor"),
    (lambda v: ms.ParameterTuple(3), "[parameter_tuple] iterable, got int, expected Parameters in an iterable"),
    (nn.Dense(2, 2).apply, "[apply] fn, got str, expected a function of a Cell"),
])
def test_a_text_is_no_tensor(call, text):
    with pytest.raises(TypeError) as caught:
        call("a")
    assert str(caught.value) == text


def test_split_into_no_parts():
    with pytest.raises(ValueError, match=r"^\[split\] output_num, got 0, expected at least 1"):
        ops.Split(1, 0)(z(2, 4))
