"""What training programs of packages read and set: attributes of optimizers, the index of Cells, modes of Model, float16 statistics."""
import copy

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops

MODES = ["eager", "PIJit", "PSJit"]
RATES = [0.5, 0.25, 0.125]


def compiled(function, mode):
    return function if mode == "eager" else ms.jit(function, mode=mode)


def dense():
    return nn.Dense(2, 3, weight_init="ones", bias_init="zeros")


def gradients():
    return Tensor(np.ones((3, 2), np.float32)), Tensor(np.ones(3, np.float32))


@pytest.mark.parametrize("given", [RATES, tuple(RATES), Tensor(RATES, ms.float32)])
def test_rates_of_a_list_are_called_with_the_step(given):
    optimizer = nn.Momentum(dense().trainable_params(), given, 0.9)
    rate = optimizer.learning_rate
    assert isinstance(rate, nn.LearningRateSchedule) and optimizer.learning_rate is rate and optimizer.dynamic_lr
    assert rate(Tensor([1], ms.int32)).asnumpy().tolist() == [0.25] and rate(Tensor(2, ms.int32)).shape == ()
    optimizer(gradients())
    assert rate(optimizer.global_step - 1)[0].asnumpy() == 0.5 and float(optimizer.get_lr()) == 0.25
    assert isinstance(rate.learning_rate, Parameter) and rate.learning_rate.name == "learning_rate" and rate.learning_rate.shape == (3,)
    assert str(optimizer) == "Momentum(\n  (learning_rate): _IteratorLearningRate()\n)" and list(optimizer.name_cells()) == ["learning_rate"]
    rate.learning_rate.set_data(Tensor([1.0, 2.0, 4.0], ms.float32))
    assert float(optimizer.get_lr()) == 2.0
    with pytest.raises((IndexError, RuntimeError)):
        rate(Tensor([7], ms.int32)).asnumpy()


def test_rates_of_groups():
    weight, bias = dense().trainable_params()
    one = nn.Momentum([{"params": [weight], "weight_decay": 0.1}, {"params": [bias]}, {"order_params": [weight, bias]}], RATES, 0.9)
    assert not one.is_group_lr and float(one.learning_rate(Tensor(1, ms.int32))) == 0.25
    assert [name for name, _ in one.parameters_and_names()][-1] == "learning_rate.learning_rate"
    mixed = nn.Momentum([{"params": [weight], "lr": RATES}, {"params": [bias]}], 2.0, 0.9).learning_rate
    assert isinstance(mixed, nn.CellList) and [float(cell(Tensor(1, ms.int32))) for cell in mixed] == [0.25, 2.0]
    fixed = nn.Momentum([{"params": [weight], "lr": 0.5}, {"params": [bias]}], 2.0, 0.9)
    assert isinstance(fixed.learning_rate, ParameterTuple) and fixed.get_lr_parameter(bias) is fixed.learning_rate[1]
    schedule = nn.ExponentialDecayLR(0.1, 0.5, 2)
    assert nn.Momentum([weight], schedule, 0.9).get_lr_parameter(weight) is schedule


def test_a_copied_optimizer_has_rates_of_its_own():
    optimizer = nn.SGD(dense().trainable_params(), RATES, 0.9)
    other = copy.deepcopy(optimizer)
    other.learning_rate = nn.ExponentialDecayLR(0.75, 0.5, 1)
    assert float(other.get_lr()) == 0.75 and float(optimizer.get_lr()) == 0.5
    assert other.name_cells()["learning_rate"] is other.learning_rate


@pytest.mark.parametrize("kind", [nn.Momentum, nn.SGD])
@pytest.mark.parametrize("mode", MODES)
def test_momentum_is_a_parameter_that_steps_read(kind, mode):
    net = dense()
    optimizer = kind(net.trainable_params(), 0.5, momentum=0.5)
    assert isinstance(optimizer.momentum, Parameter) and optimizer.momentum.dtype == ms.float32 and optimizer.momentum.name == "momentum"
    step = compiled(lambda *grads: optimizer(grads), mode)
    step(*gradients())
    optimizer.momentum = Tensor(0.25, ms.float32)
    step(*gradients())
    np.testing.assert_allclose(net.bias.asnumpy(), [-0.5 - 0.5 * 1.25] * 3)
    with pytest.raises(TypeError, match="momentum, got float, expected a Tensor"):
        optimizer.momentum = 0.5


class Scaled(nn.Optimizer):
    """As packages write optimizers: constants are set over those of the base class."""

    def __init__(self, params, rate, decay, scale):
        super().__init__(rate, params, weight_decay=decay)
        self.reciprocal_scale = Tensor(1.0 / scale, ms.float32)
        self.weight_decay = Tensor(decay, ms.float32)

    def construct(self, grads):
        grads = self._grad_sparse_indices_deduplicate(self.flatten_gradients(grads))
        for param, grad in zip(self.parameters, grads):
            ops.assign(param, param * (1 - self.weight_decay) - self.get_lr() * (grad * self.reciprocal_scale))
        if not self._is_dynamic_lr_or_weight_decay():
            self.assignadd(self.global_step, self.global_step_increase_tensor)
        return True


@pytest.mark.parametrize("mode", MODES)
def test_subclasses_set_attributes_of_optimizers(mode):
    net = dense()
    optimizer = Scaled(net.trainable_params(), 0.5, 0.5, 4.0)
    step = compiled(lambda *grads: optimizer(grads), mode)
    for _ in range(2):
        step(*gradients())
    np.testing.assert_allclose(net.weight.asnumpy(), np.full((3, 2), (0.5 - 0.125) * 0.5 - 0.125))
    assert optimizer.global_step.asnumpy().tolist() == [2]


class Twice(nn.Cell):
    def construct(self, x):
        return x * 2


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.listed = dense(), nn.CellList([nn.ReLU(), nn.ReLU()])

    def construct(self, x):
        x = self.first(x)
        for layer in self.listed:
            x = layer(x)
        return x


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("copied", [False, True])
def test_writes_to_the_index_of_cells_count(mode, copied):
    net = copy.deepcopy(Layers()) if copied else Layers()
    run, x = compiled(lambda x: net(x), mode), Tensor([[1.0, 1.0]])
    assert run(x).asnumpy().tolist() == [[2, 2, 2]]
    net._cells["first"] = net.listed._cells["1"] = Twice()
    assert run(x).asnumpy().tolist() == [[4, 4]] and isinstance(net.first, Twice) and net.listed[1] is net.first
    net._cells["added"], net._params["scale"] = Twice(), Parameter(Tensor(1.0), name="scale")
    assert isinstance(net.added, Twice) and net.scale.name == "scale" and net.scale in net.get_parameters()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_normalisation_in_half_precision_moves_its_statistics(mode, dtype):
    x = np.random.RandomState(0).standard_normal((4, 3, 2, 2)).astype(np.float32)
    expected = nn.BatchNorm2d(3).set_train()
    expected(Tensor(x))
    layer = nn.BatchNorm2d(3).set_train().to_float(dtype)
    gradient = compiled(lambda x: ms.grad(lambda x: (layer(x) * x).sum())(x), mode)
    assert gradient(Tensor(x)).dtype == ms.float32
    assert layer.moving_mean.dtype == ms.float32
    np.testing.assert_allclose(layer.moving_mean.asnumpy(), expected.moving_mean.asnumpy(), rtol=0.02, atol=1e-3)
    np.testing.assert_allclose(layer.moving_variance.asnumpy(), expected.moving_variance.asnumpy(), rtol=0.02)


class Evaluates(ms.Callback):
    """Evaluates behind each epoch, as the callbacks of packages do."""

    def __init__(self, model, data):
        super().__init__()
        self.model, self.data, self.modes = model, data, []

    def on_train_step_end(self, run_context):
        self.modes.append(self.model.train_network.network.backbone_network.training)

    def on_train_epoch_end(self, run_context):
        self.model.eval(self.data, dataset_sink_mode=False)
        self.modes.append(self.model.train_network.network.backbone_network.training)


def test_training_goes_on_in_its_mode_after_an_evaluation():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5))
    x, y = np.ones((8, 2), np.float32), np.zeros(8, np.int32)
    data = ms.dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"accuracy"})
    callback = Evaluates(model, data)
    model.train(2, data, callbacks=callback, dataset_sink_mode=False)
    assert callback.modes == [True, True, False] * 2
    net.set_train(True)  # as in MindSpore, what a program sets between two evaluations stays
    model.eval(data, dataset_sink_mode=False)
    assert net.training


def test_identity_gives_what_it_gets():
    given = (Tensor(1.0), "text")
    assert ops.identity(given) is given and ops.functional.identity(None) is None
    assert float(ms.grad(lambda x: ops.identity(x) * 3)(Tensor(2.0))) == 3


def test_context_says_whether_the_graph_engine_is_on():
    assert ms.get_context("enable_ge") is False


class Counts(nn.Cell):
    def __init__(self, value):
        super().__init__()
        self.count, self.value = Parameter(Tensor(0, ms.int32), name="count"), value

    def construct(self, x):
        self.count += 1
        if self.value is not None:
            self.count = self.value
        return x * self.count


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("value, left", [(None, [1, 2, 3]), (0, [0, 0, 0]), (True, [1, 1, 1])])
def test_numbers_for_parameters_are_written_in_compiled_source(mode, value, left):
    net = Counts(value)
    run = compiled(lambda x: net(x), mode)
    if value is None or mode == "PSJit":
        assert [float(run(Tensor(2.0))) for _ in left] == [2.0 * count for count in left]
        assert isinstance(net.count, Parameter) and net.count.dtype == ms.int32
    else:  # as in MindSpore's PYNATIVE_MODE
        with pytest.raises(TypeError, match="parameter 'count' is there already"):
            run(Tensor(2.0))


def test_a_number_is_no_value_of_a_vector():
    class Writes(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")

        def construct(self, x):
            self.weight = 3.0
            return x

    with pytest.raises(ValueError, match=r"value of 'weight', got a number, expected a Tensor of the shape \(2,\)"):
        ms.jit(Writes().construct)(Tensor(1.0))


@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_the_index_is_read_in_one_graph(mode):
    class Chain(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.second = dense(), nn.ReLU()

        def construct(self, x):
            for cell in self._cells.values():
                x = cell(x)
            return x

    class Sliced(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([Twice(), Twice(), Twice()])

        def construct(self, x):
            for layer in self.layers[:2]:
                x = layer(x)
            return x

    chain, sliced = Chain(), Sliced()
    for net, expected in ((chain, [[2, 2, 2]]), (sliced, [[4, 4]])):
        run = ms.jit(lambda x, net=net: net(x), mode=mode, fullgraph=True)
        for _ in range(3):
            assert run(Tensor([[1.0, 1.0]])).asnumpy().tolist() == expected
