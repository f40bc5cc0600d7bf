"""What programs written for MindSpore do around their networks: print layers, name Parameters, describe inputs, make initializers."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, mint, nn, ops
from msjit.common.initializer import Initializer

X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)
TEXTS = [
    (lambda: nn.Dense(3, 4, has_bias=False), "Dense(input_channels=3, output_channels=4)"),
    (lambda: nn.Dense(3, 4, activation="relu"),
     "Dense(\n  input_channels=3, output_channels=4, has_bias=True, activation=ReLU()\n  (activation): ReLU()\n)"),
    (lambda: nn.Conv2d(3, 4, 3, weight_init="ones", has_bias=True, bias_init="zeros"),
     "Conv2d(input_channels=3, output_channels=4, kernel_size=(3, 3), stride=(1, 1), pad_mode=same, padding=0, dilation=(1, 1), "
     "group=1, has_bias=True, weight_init=ones, bias_init=zeros, format=NCHW)"),
    (lambda: nn.MaxPool2d(2), "MaxPool2d(kernel_size=2, stride=1, pad_mode=VALID)"),
    (lambda: nn.AvgPool1d(2, 2), "AvgPool1d(kernel_size=(1, 2), stride=(1, 2), pad_mode=VALID)"),
    (lambda: nn.Dropout(0.9), "Dropout(keep_prob=0.9)"), (lambda: nn.Dropout(p=0.1), "Dropout(p=0.1)"),
    (lambda: nn.BiDense(1, 2, 3), "BiDense(in1_channels=1, in2_channels=2, output_channels=3, has_bias=True)"),
    (lambda: nn.Embedding(5, 3, padding_idx=0),
     "Embedding(vocab_size=5, embedding_size=3, use_one_hot=False, embedding_table=Parameter (name=embedding_table, shape=(5, 3), "
     "dtype=Float32, requires_grad=True), dtype=Float32, padding_idx=0)"),
    (lambda: nn.BatchNorm2d(3),
     "BatchNorm2d(num_features=3, eps=1e-05, momentum=0.9, gamma=Parameter (name=gamma, shape=(3,), dtype=Float32, "
     "requires_grad=True), beta=Parameter (name=beta, shape=(3,), dtype=Float32, requires_grad=True), moving_mean=Parameter "
     "(name=mean, shape=(3,), dtype=Float32, requires_grad=False), moving_variance=Parameter (name=variance, shape=(3,), "
     "dtype=Float32, requires_grad=False))"),
    (lambda: mint.nn.Linear(3, 4), "Linear(input_features=3, output_features=4, has_bias=True)"),
    (lambda: mint.nn.Conv2d(3, 4, 3, padding=1, stride=2),
     "Conv2d(input_channels=3, output_channels=4, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(1, 1), groups=1, "
     "bias=True)"),
    (lambda: mint.nn.Embedding(3, 4), "EmbeddingExt(num_embeddings=3, embedding_dim=4, padding_idx=None, max_norm=None, "
     "norm_type=2.0, scale_grad_by_freq=False, dtype=Float32)"),
    (lambda: nn.SequentialCell(mint.nn.Dropout(0.3), mint.nn.Dropout2d(0.1), mint.nn.Softmax(1), mint.nn.Unfold(2)),
     "SequentialCell(\n  (0): DropoutExt()\n  (1): Dropout2dExt()\n  (2): SoftmaxExt()\n  (3): UnfoldExt()\n)"),
    (lambda: mint.nn.LayerNorm(3), "LayerNormExt(normalized_shape=(3,), eps=1e-05, elementwise_affine=True)"),
    (lambda: nn.LayerNorm([3]),
     "LayerNorm(normalized_shape=[3], begin_norm_axis=-1, begin_params_axis=-1, gammaParameter (name=gamma, shape=(3,), "
     "dtype=Float32, requires_grad=True), beta=Parameter (name=beta, shape=(3,), dtype=Float32, requires_grad=True))"),
    (lambda: nn.RMSELoss(), "RMSELoss(\n  (MSELoss): MSELoss()\n)"),
    (lambda: mint.nn.GroupNorm(1, 3), "GroupNorm(num_groups=1, num_channels=3, eps=1e-05, affine=True)"),
]


@pytest.mark.parametrize("make, text", TEXTS)
def test_text_of_a_layer(make, text):
    assert str(make()) == repr(make()) == text


def test_names_of_mint_layers():
    conv, linear = mint.nn.Conv2d(4, 6, 3, padding=1, groups=2), mint.nn.Linear(3, 4)
    assert (conv.groups, conv.padding, conv.padding_mode, conv.transposed) == (2, (1, 1), "zeros", False)
    assert mint.nn.ConvTranspose2d(4, 6, 3).transposed and (linear.in_features, linear.out_features) == (3, 4)
    x = Tensor(np.ones((1, 4, 5, 5), np.float32))
    for layer, shape in ((conv, (1, 6, 5, 5)), (mint.nn.ConvTranspose2d(4, 6, 3, padding=1), (1, 6, 5, 5)),
                         (mint.nn.Conv2d(4, 6, 3, padding="same"), (1, 6, 5, 5))):
        assert layer(x).shape == shape
    assert mint.nn.Conv3d(4, 6, 3, padding=1)(x[:, :, None]).shape == (1, 6, 1, 5, 5)
    assert mint.nn.Conv1d(4, 6, 3, padding=1, stride=2)(x[:, :, 0]).shape == (1, 6, 3)


def test_parameters_without_names_in_tuples():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = ParameterTuple([Parameter(Tensor(1.0)), Parameter(Tensor(2.0))])
            self.second = ParameterTuple([Parameter(Tensor(3.0))])

    net = Net()
    assert [p.name for p in net.get_parameters()] == ["Parameter$1", "Parameter$2", "Parameter$3"]
    assert [float(p) for p in net.parameters_dict().values()] == [1, 2, 3]
    twice = Parameter(Tensor(1.0), name="a")
    assert len(ParameterTuple([twice, twice])) == 2
    with pytest.raises(ValueError, match="names"):
        ParameterTuple([twice, Parameter(Tensor(1.0), name="a")])


def test_own_initializers():
    class Filled(Initializer):
        def __init__(self, value):
            super().__init__(value=value)
            self.value = value

        def _initialize(self, array):
            array[:] = self.value

    assert ms.initializer(Filled(3.0), (2, 2)).init_data().asnumpy().tolist() == [[3, 3], [3, 3]]
    assert nn.Dense(2, 1, weight_init=Filled(2.0)).weight.asnumpy().tolist() == [[2, 2]]
    assert repr(Filled(1)) == "Filled(value=1)"


def test_described_inputs():
    described = Tensor(shape=[None, 3], dtype=ms.float32)
    assert (described.shape, described.dtype, described.ndim) == ((-1, 3), ms.float32, 2)
    assert Tensor(shape=None, dtype=ms.int32).shape == (-2,) and Tensor(shape=(2, -1), dtype=ms.int32).shape == (2, -1)
    assert Tensor(shape=(2, 3), dtype=ms.float32).asnumpy().tolist() == [[0] * 3] * 2
    layer = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    layer.set_inputs(described)
    assert layer(Tensor([[1.0, 2.0, 3.0]])).asnumpy().tolist() == [[6, 6]]
    with pytest.raises(TypeError, match="add"):
        ops.add(described, 1)
    for shape, dtype, error in (((None, "a"), ms.int32, TypeError), ((None, -3), ms.int32, ValueError), ((None,), 3, TypeError)):
        with pytest.raises(error, match=r"\[Tensor\]"):
            Tensor(shape=shape, dtype=dtype)


def to_all(x):
    return x.to(ms.int32), x.to(x.astype(ms.int32)), x.to("CPU"), x.to("cpu", ms.int32), x.to(dtype=ms.int32, copy=True)


@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_to(mode):
    for call in (to_all, ms.jit(to_all, mode=mode)):
        for out, dtype in zip(call(Tensor(X)), ("Int32", "Int32", "Float32", "Int32", "Int32")):
            assert str(out.dtype) == dtype and np.array_equal(out.asnumpy(), X)
    for wrong, error in (("Ascend", ValueError), ("foo", TypeError)):
        with pytest.raises(error):
            Tensor(X).to(wrong)
    with pytest.raises(TypeError, match="to"):
        Tensor(X).to(ms.int32, unknown=1)


def printed(x):
    ops.print_("a", x)
    ops.Print()(x.shape, 1)
    return x + 1


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_print_as_a_function(mode, capsys):
    call = printed if mode is None else ms.jit(printed, mode=mode)
    for _ in range(2):
        assert call(Tensor([1.0])).asnumpy().tolist() == [2]
        assert capsys.readouterr().out == "a\nTensor(shape=[1], dtype=Float32, value= [ 1.00000000e+00])\n(1,)\n1\n"


@pytest.mark.parametrize("call, error", [
    (lambda net: net.insert_child_to_cell("a.b", nn.ReLU()), KeyError), (lambda net: net.insert_child_to_cell("", nn.ReLU()), KeyError),
    (lambda net: net.insert_param_to_cell("", Parameter(Tensor(1.0))), KeyError), (lambda net: net.to_float(ms.int32), ValueError),
    (lambda net: ms.Model(net).train("a", None), TypeError),
])
def test_wrong_calls(call, error):
    with pytest.raises(error, match=r"\["):
        call(nn.SequentialCell(nn.Dense(1, 1)))


def test_a_model_without_optimizer_runs_its_loss():
    net, rows = nn.Dense(2, 1, weight_init="ones", bias_init="zeros"), [(X[0], X[0, :1]), (X[1], X[1, :1])]
    seen = []

    class Losses(ms.train.Callback):
        def on_train_step_end(self, run_context):
            seen.append(float(run_context.original_args().net_outputs))

    data = ms.dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False).batch(1)
    ms.Model(net, nn.MSELoss()).train(1, data, callbacks=Losses(), dataset_sink_mode=False)
    assert seen == [4.0, 16.0] and net.weight.asnumpy().tolist() == [[1, 1]]


def test_sparse_grids_of_numpy():
    from msjit import numpy as mnp
    for indexing in ("xy", "ij"):
        for rows in ((np.arange(3.0), np.arange(2.0), np.arange(4.0)), (np.arange(3.0),)):
            got = mnp.meshgrid(*[Tensor(row) for row in rows], sparse=True, indexing=indexing)
            want = np.meshgrid(*rows, sparse=True, indexing=indexing)
            assert len(got) == len(want) and all(np.array_equal(g.asnumpy(), w) for g, w in zip(got, want))
    assert mnp.asarray(a=[1, 2]).dtype == ms.int32


def test_names_and_results_that_the_examples_of_mindspore_rely_on(tmp_path):
    import enum

    from msjit.graph.lazy_inline import lazy_inline

    from msjit.amp import _grad_scale_map, _grad_unscale_map
    x = Tensor([[9, 3, 4, 5], [5, 2, 7, 4]])
    assert [part.asnumpy().tolist() for part in x.argmax_with_value()] == [[9, 3, 7, 5], [0, 0, 1, 0]]
    assert [part.asnumpy().tolist() for part in x.argmin_with_value(axis=1, keep_dims=True)] == [[[3], [2]], [[1], [1]]]
    assert [int(part) for part in x.argmax_with_value(axis=None)] == [9, 0]
    z = np.array([[1 + 2j, 3j], [4, 5 - 1j]])
    assert (Tensor(z).mH.asnumpy() == z.conj().T).all() and (Tensor(z).H.asnumpy() == z.conj().T).all()
    assert (Tensor(z).mT.asnumpy() == z.T).all()
    assert ms.bool is ms.bool_ and ms.int is ms.int32 and ms.float is ms.float32 and ms.dtype.bool is ms.bool_
    assert issubclass(ms.QuantDtype, enum.Enum) and str(ms.QuantDtype.INT8) == "INT8"
    assert ms.QuantDtype.INT8.value() == 7 and ms.QuantDtype.UINT16.value() == 115 and len(ms.QuantDtype) == 32
    assert Tensor([1])._offload() is None and Tensor([1])._load() is None and isinstance(Tensor([1])._data_ptr(), int)
    assert float(_grad_unscale_map(Tensor(2.0), (Tensor(8.0),))[0]) == 4 and float(_grad_scale_map(Tensor(2.0), Tensor(8.0))) == 16
    assert lazy_inline(len).__wrapped__ is len
    assert ms.mint.item(Tensor([3])) == 3 and ms.mint.randn((2, 3), ms.float32).shape == ms.mint.rand((2, 3), ms.float16).shape == (2, 3)
    with pytest.raises(RuntimeError, match="item"):
        ms.mint.item(Tensor([1, 2]))
    net = nn.Dense(2, 2)
    ms.save_checkpoint(net, str(tmp_path / "my_ckpt"))  # a name that ends so is taken as it is
    assert sorted(ms.load_checkpoint(str(tmp_path / "my_ckpt"))) == ["bias", "weight"]
    with pytest.raises(NotImplementedError, match="register_parameter_forward_hook"):
        net.register_parameter_forward_hook([])


def test_layers_that_the_examples_of_mindspore_rely_on():
    a, b = Tensor([[1.0, 3.0], [2.0, 4.0]]), Tensor([[2.0, 4.0], [3.0, 1.0]])
    want = (a.asnumpy() * b.asnumpy()).sum(1) / np.linalg.norm(a.asnumpy(), axis=1) / np.linalg.norm(b.asnumpy(), axis=1)
    assert nn.layer.CosineSimilarity()(a, b).asnumpy() == pytest.approx(want)
    assert nn.layer.Dense is nn.Dense and nn.CosineSimilarity is not nn.layer.CosineSimilarity
    assert nn.layer.activation.PReLUExt is nn.PReLUExt and nn.layer.embedding.EmbeddingExt is nn.EmbeddingExt

    class Loss(nn.LossBase):
        def construct(self, logits, labels):
            return self.get_loss(logits - labels), self.get_axis(logits)

    assert Loss()(a, b)[1] == (0, 1)
    x = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))
    out, places = nn.MaxPool2d(2, 1, pad_mode="pad", padding=1, return_indices=True)(x)
    assert out.shape == places.shape == (1, 2, 5, 5) and places.asnumpy()[0, 0, 0].tolist() == [0, 1, 2, 3, 3]
    assert nn.MaxPool2d(2, 1, pad_mode="pad", padding=1, return_indices=True)(x[0])[1].shape == (2, 5, 5)
    wide = nn.MaxPool2d(2, 1, pad_mode="pad", padding=1, dilation=2)(x).asnumpy()
    assert wide[0, 0].tolist() == [[5, 6, 7, 6], [9, 10, 11, 10], [13, 14, 15, 14], [9, 10, 11, 10]]
    for kind in (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d):
        with pytest.raises(ValueError, match="return_indices"):
            kind(2, 1, return_indices=True)
    import msjit.nn.probability.distribution as msd
    two = msd.Categorical(probs=[[0.2, 0.8], [0.5, 0.5]])
    assert two.mean().shape == two.var().shape == two.sd().shape == (2, 1) and two.entropy().shape == (2,)
    assert two.var().asnumpy().ravel() == pytest.approx([0.16, 0.25])


def test_schedulers_and_optimizers_of_groups():
    from msjit.experimental import optim
    net = nn.Dense(2, 2)

    class Halved(optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [rate * 0.5 for rate in self._last_lr]

    scheduler = Halved(optim.SGD(net.trainable_params(), 0.1))
    assert scheduler.step() is True and float(scheduler.get_last_lr()[0]) == pytest.approx(0.025)
    sgd = optim.SGD([net.weight], 0.1)
    assert sgd.group_start_id == [0, 1]
    sgd.add_param_group({"params": [net.bias]})
    assert sgd.group_start_id == [0, 1, 2]
    restarts = optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, 2)
    assert restarts.step() is None and restarts.step(1) is None
    first, second = optim.lr_scheduler.ConstantLR(sgd), optim.lr_scheduler.ExponentialLR(sgd, 0.9)
    assert optim.lr_scheduler.SequentialLR(sgd, [first, second], [2]).step() is None


def test_initializers_of_the_program_have_names():
    from msjit.common.initializer import Initializer, _register, initializer

    @_register("all_sevens")
    class Sevens(Initializer):
        def _initialize(self, arr):
            arr[:] = 7
    assert initializer("all_sevens", (2,)).tolist() == initializer("sevens", 2).tolist() == [7, 7]
    assert nn.Dense(1, 1, weight_init="all_sevens").weight.tolist() == [[7]]
    with pytest.raises(TypeError, match=r"\[initializer\] shape, got str, expected an int, a tuple or a list"):
        initializer("ones", "a")
    assert nn.utils.__name__.endswith("nn.utils")


def test_types_of_values():
    from msjit.common.dtype import TensorType, _issubclass_, list_, number
    assert ms.get_py_obj_dtype(Tensor([1.0])) == TensorType(ms.float32) and ms.get_py_obj_dtype(1) == ms.int64
    assert repr(TensorType(ms.float32)) == "mindspore.tensor[float32]" and str(TensorType(ms.float32)) == "Tensor[Float32]"
    assert ms.get_py_obj_dtype([1]) is list_ and TensorType(ms.int8) != TensorType(ms.int16)
    assert _issubclass_(ms.float32, number) and not _issubclass_(ms.float32, ms.int32)
    assert ms.JitConfig(jit_level="O2").jit_config_dict["backend"] == "GE" and "backend" not in ms.JitConfig().jit_config_dict
    for axis in ("a", 1.5, [0]):
        with pytest.raises(TypeError, match=r"\[Softmax\] axis"):
            nn.Softmax(axis)
