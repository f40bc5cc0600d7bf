"""Packages that take gradients by way of MindSpore's eager executor: new_graph, the call, end_graph, grad."""
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops
from msjit.common.api import _pynative_executor as executor

MODES = ["eager", "PIJit"]


@pytest.fixture(autouse=True)
def nothing_recorded():
    yield
    executor.clear_res()
    executor.set_grad_flag(False)


def weight():
    return Parameter(Tensor([2.0, 3.0], ms.float32), name="w")


def recorded(fn, args, grad, weights=None, grad_position=None, has_aux=False, sens=()):
    executor.set_grad_flag(True)
    executor.new_graph(fn, *args)
    output = fn(*args)
    executor.end_graph(fn, output, *args)
    return output, executor.grad(fn, grad, weights, grad_position, has_aux, *args, *sens)


def lists(value):
    return value.asnumpy().tolist() if isinstance(value, Tensor) else [lists(item) for item in value]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind, expected", [((False, False), [4, 9]), ((True, False), [[4, 9]]), ((False, True), [[4, 24]]),
                                            ((True, True), [[[4, 9]], [[4, 24]]])])
def test_gradients_of_a_recorded_call(mode, kind, expected):
    w, x = weight(), Tensor([1.0, 4.0], ms.float32)

    def fn(x):
        return (x * w * w).sum()
    run = recorded if mode == "eager" else ms.jit(recorded, mode=mode)
    for _ in range(3):
        output, gradients = run(fn, (x,), ops.GradOperation(*kind), ParameterTuple([w]))
        assert float(output) == 40 and lists(gradients) == expected
    assert float(ms.grad(lambda y: (x * y).sum())(x).sum()) == 5  # x is an ordinary tensor again


def test_sens_positions_and_auxiliary_outputs():
    w, x, y = weight(), Tensor([1.0, 4.0], ms.float32), Tensor([1.0, 10.0], ms.float32)
    _, (by_input, by_weight) = recorded(lambda x: x * w, (x,), ops.GradOperation(True, True, True), [w], sens=(y,))
    assert lists(by_input) == [[2, 30]] and lists(by_weight) == [[1, 40]]
    output, gradient = recorded(lambda x, y: ((x * y).sum(), x), (x, y), ops.GradOperation(), None, 1, True)
    assert lists(gradient) == [1, 4] and output[1] is not None


def test_arguments_without_gradients():
    w, frozen, index = weight(), weight(), Tensor([1, 0], ms.int32)
    frozen.requires_grad = False
    args = Tensor([1.0, 4.0], ms.float32), index, frozen
    _, gradients = recorded(lambda x, i, p: (ops.gather(x * w, i, 0) * p).sum(), args, ops.GradOperation(get_all=True))
    assert lists(gradients) == [[6, 6], [0, 0], [0, 0]] and not frozen.requires_grad
    _, gradients = recorded(lambda x: (x * w * frozen).sum(), args[:1], ops.GradOperation(get_by_list=True), [frozen, w])
    assert lists(gradients) == [[0, 0], [2, 12]]


def test_training_with_assignments_and_a_carried_state():
    w, state, losses = weight(), Tensor([0.0, 0.0], ms.float32), []

    def cell(x, state):
        state = ops.tanh(x * w + state)
        return state.sum(), state
    expected = ms.value_and_grad(cell, None, [w], has_aux=True)
    for _ in range(3):
        x = Tensor([0.1, 0.2], ms.float32)
        before = expected(x, Tensor(state.asnumpy()))
        (loss, state), (gradient,) = recorded(cell, (x, state), ops.GradOperation(get_by_list=True), [w], has_aux=True)
        assert lists(before[1][0]) == lists(gradient) and float(before[0][0]) == float(loss)
        ops.assign_sub(w, gradient * 0.1)
        state = ops.stop_gradient(state)
        losses.append(float(loss))
    assert losses == sorted(losses)


def test_a_function_that_raised_leaves_no_record():
    w, x = weight(), Tensor([1.0, 4.0], ms.float32)

    def bad(x):
        raise ValueError("no")
    for _ in range(2):
        with pytest.raises(ValueError):
            recorded(bad, (x,), ops.GradOperation(get_by_list=True), [w])
    executor.set_grad_flag(False)
    assert not executor.requires_grad() and not executor.high_order()
    assert lists(recorded(lambda x: (x * w).sum(), (x,), ops.GradOperation(get_by_list=True), [w])[1]) == [[1, 4]]


def test_a_record_serves_once_and_misuse_is_refused():
    w, x, by_list = weight(), Tensor([1.0, 4.0], ms.float32), ops.GradOperation(get_by_list=True)

    def fn(x):
        return (x * w).sum()
    recorded(fn, (x,), by_list, [w])
    with pytest.raises(RuntimeError, match="expected new_graph"):
        executor.grad(fn, by_list, [w], None, False, x)
    with pytest.raises(TypeError, match="has_aux"):
        executor.grad(fn, by_list, [w], None, x)
    assert executor.check_run(fn, x) == (False, None)


def test_flags():
    executor.set_grad_flag(False)
    assert not executor.grad_flag() and executor.enable_grad() and not executor.requires_grad()
    executor.set_grad_flag(True)
    assert executor.grad_flag() and executor.requires_grad()
    executor.set_enable_grad(False)
    assert not executor.requires_grad()
    executor.set_enable_grad(True)


def test_records_within_records_are_those_of_their_functions():
    w, x, layer = weight(), Tensor([1.0, 4.0], ms.float32), nn.Tanh()

    def inner(x):
        return layer(x * w)

    def outer(x):
        executor.new_graph(inner, x)
        y = inner(x)
        executor.end_graph(inner, y, x)
        return (y * w).sum()
    _, gradients = recorded(outer, (x,), ops.GradOperation(get_by_list=True), [w])
    assert lists(gradients) == lists(ms.grad(lambda x: (inner(x) * w).sum(), None, [w])(x))
