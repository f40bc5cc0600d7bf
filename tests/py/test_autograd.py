"""Gradients: transforms, nesting, Parameters, GradOperation, no_grad, and the same through PIJit."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops


def tensor(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


def close(a, b, rtol=1e-4, atol=1e-5):
    np.testing.assert_allclose(a.asnumpy() if isinstance(a, Tensor) else a, b, rtol=rtol, atol=atol)


def test_grad_by_position():
    def f(x, y, z):
        return (x * x * y + z).sum()
    x, y, z = tensor(3), tensor(3, seed=1), tensor(3, seed=2)
    close(ms.grad(f)(x, y, z), 2 * x.asnumpy() * y.asnumpy())
    close(ms.grad(f, 1)(x, y, z), x.asnumpy() ** 2)
    both = ms.grad(f, (0, 2))(x, y, z)
    assert isinstance(both, tuple)
    close(both[0], 2 * x.asnumpy() * y.asnumpy())
    close(both[1], np.ones(3))
    close(ms.grad(f, (2,))(x, y, z), np.ones(3))
    with pytest.raises(ValueError, match="out of range, got 5"):
        ms.grad(f, 5)(x, y, z)
    with pytest.raises(TypeError, match=r"\[grad\] fn must be callable"):
        ms.grad(3)
    assert ms.grad(f)(1, y, z) == ()


def test_same_tensor_twice_and_closure():
    x = Tensor([2.0, 3.0])
    close(ms.grad(lambda a, b: (a * b * b).sum())(x, x), [4, 9])
    close(ms.grad(lambda a: (a * x).sum())(x), [2, 3])


def test_outputs_that_are_not_scalars_are_summed():
    x = tensor(2, 3)
    close(ms.grad(lambda a: a * a)(x), 2 * x.asnumpy())
    close(ms.grad(lambda a: (a, 3 * a))(x), np.full((2, 3), 4))


def test_value_and_grad_has_aux():
    x = tensor(4)

    def f(a):
        return (a * a).sum(), a + 1, "text"
    value, grad = ms.value_and_grad(f, has_aux=True)(x)
    close(value[0], (x.asnumpy() ** 2).sum(), 1e-5)
    assert value[2] == "text"
    close(grad, 2 * x.asnumpy())
    grad, aux = ms.grad(f, has_aux=True)(x)
    close(aux[0], x.asnumpy() + 1)
    with pytest.raises(ValueError, match="two or more outputs"):
        ms.value_and_grad(lambda a: a, has_aux=True)(x)


def test_weights():
    net = nn.Dense(3, 2)
    x, y = tensor(5, 3), tensor(5, 2, seed=1)
    loss_fn = nn.MSELoss()

    def forward(x, y):
        return loss_fn(net(x), y)
    value, grads = ms.value_and_grad(forward, None, net.trainable_params())(x, y)
    gap = x.asnumpy() @ net.weight.asnumpy().T + net.bias.asnumpy() - y.asnumpy()
    close(value, (gap ** 2).mean())
    close(grads[0], 2 * gap.T @ x.asnumpy() / gap.size)
    close(grads[1], 2 * gap.sum(0) / gap.size)
    of_x, of_weights = ms.grad(forward, 0, ParameterTuple(net.trainable_params()))(x, y)
    close(of_x, 2 * gap @ net.weight.asnumpy() / gap.size)
    assert len(of_weights) == 2
    single = ms.grad(forward, None, net.bias)(x, y)
    assert isinstance(single, Tensor)
    close(single, grads[1].asnumpy())
    with pytest.raises(ValueError, match="got None for both"):
        ms.grad(forward, None)


def test_parameters_without_a_use_get_zeros():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    q = Parameter(Tensor([1.0]), name="q")
    a, b = ms.grad(lambda x: (x * p).sum(), None, [p, q])(Tensor([3.0, 4.0]))
    close(a, [3, 4])
    close(b, [0])


@pytest.mark.parametrize("mode", ["eager", "PIJit", "PSJit"])
def test_frozen_parameters_have_the_gradient_zero(mode):
    p, q = Parameter(Tensor([2.0]), name="p", requires_grad=False), Parameter(Tensor([5.0]), name="q")
    by_all = ms.grad(lambda x: (x * p * q).sum(), None, [p, q])
    run = by_all if mode == "eager" else ms.jit(lambda x: by_all(x), mode=mode)
    for _ in range(2):
        for frozen, expected in ((True, [0, 6]), (False, [15, 6])):  # it may be frozen and freed again between steps
            p.requires_grad = not frozen
            assert [float(g) for g in run(Tensor([3.0]))] == expected and p.requires_grad is not frozen
    p.requires_grad = False
    close(ms.grad(lambda x: (x * p).sum(), None, p)(Tensor([3.0])), [0])
    close(ops.GradOperation(get_by_list=True)(lambda x: x * p, [p])(Tensor([3.0]))[0], [0])
    close(ms.value_and_grad(lambda x: (x * p).sum(), 0, [p])(Tensor([3.0]))[1][0], [2])


def test_an_optimizer_leaves_a_parameter_that_was_frozen_later():
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    step = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)
    net.weight.requires_grad = False
    optimizer(step(Tensor([[1.0, 2.0]]))[1])
    assert net.weight.asnumpy().tolist() == [[1, 1]] and net.bias.asnumpy().tolist() == [-0.5]


def test_return_ids_and_get_grad():
    p = Parameter(Tensor([2.0]), name="p")
    grads = ms.grad(lambda x, y: x * y * p, (0, 1), [p], return_ids=True)(Tensor([3.0]), Tensor([5.0]))
    close(ms.get_grad(grads, 0), [10])
    close(ms.get_grad(grads, 1), [6])
    close(ms.get_grad(grads, p), [15])
    with pytest.raises(RuntimeError, match=r"\[get_grad\] no gradient"):
        ms.get_grad(grads, 2)


def test_gradients_of_gradients():
    x = tensor(4)
    cube = lambda a: (a * a * a).sum()  # noqa: E731
    close(ms.grad(lambda a: ms.grad(cube)(a).sum())(x), 6 * x.asnumpy())
    close(ms.grad(lambda a: ms.grad(lambda b: ms.grad(cube)(b).sum())(a).sum())(x), np.full(4, 6))
    close(ms.grad(ms.grad(ops.sin))(x), -np.sin(x.asnumpy()))


def test_nested_with_different_variables():
    def f(x):
        def g(y):
            return (x * y * y).sum()
        return (ms.grad(g)(x * 2)).sum()   # 4 x^2
    x = tensor(3)
    close(ms.grad(f)(x), 8 * x.asnumpy())


def test_gradient_penalty_reaches_the_weights():
    net = nn.Dense(3, 1, has_bias=False)
    x = tensor(2, 3)

    def penalty(x):
        return (ms.grad(net)(x) ** 2).sum()
    close(ms.grad(penalty, None, net.weight)(x), 2 * 2 * net.weight.asnumpy())


def test_stop_gradient_and_no_grad():
    x = Tensor([3.0])
    close(ms.grad(lambda a: a * ops.stop_gradient(a))(x), [3])

    def f(a):
        with ms.no_grad():
            b = a * a
        return a * b
    close(ms.grad(f)(x), [9])
    assert f(x).item() == 27

    @ms.no_grad()
    def g(a):
        return a * 2
    close(ms.grad(lambda a: g(a) + a)(x), [1])


def test_scope_is_closed_after_an_error():
    def bad(a):
        raise KeyError("inside")
    level = ms._native._msjit.grad_level()
    with pytest.raises(KeyError):
        ms.grad(bad)(Tensor([1.0]))
    assert ms._native._msjit.grad_level() == level


def test_nothing_is_kept_after_a_transform():
    nodes = ms._native._msjit.live_tape_nodes
    net = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU(), nn.Dense(3, 1))
    before = nodes()
    value, grads = ms.value_and_grad(lambda x: net(x).sum(), 0, net.trainable_params())(tensor(2, 3))
    assert nodes() == before
    assert not net(tensor(2, 3)).requires_grad and value.is_leaf


def test_grad_operation():
    p = Parameter(Tensor([2.0]), name="p")

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.p = p

        def construct(self, x, y):
            return x * y * self.p
    net, x, y = Net(), Tensor([3.0]), Tensor([5.0])
    close(ops.GradOperation()(net)(x, y), [10])
    a, b = ops.GradOperation(get_all=True)(net)(x, y)
    close(a, [10])
    close(b, [6])
    (w,) = ops.GradOperation(get_by_list=True)(net, ParameterTuple(net.trainable_params()))(x, y)
    close(w, [15])
    (a, b), (w,) = ops.GradOperation(get_all=True, get_by_list=True)(net)(x, y)
    close(b, [6])
    close(w, [15])
    close(ops.GradOperation(sens_param=True)(net)(x, y, Tensor([0.5])), [5])
    with pytest.raises(ValueError, match="shape of the gradient of the output"):
        ops.GradOperation(sens_param=True)(net)(x, y, Tensor([0.5, 1.0]))
    with pytest.raises(TypeError, match="get_all must be a bool"):
        ops.GradOperation(1)


def test_vjp_jvp_and_jacobians():
    x, v = tensor(3), tensor(3, seed=1)
    value, pullback = ms.vjp(ops.sin, x)
    close(value, np.sin(x.asnumpy()))
    close(pullback(v)[0], np.cos(x.asnumpy()) * v.asnumpy())
    value, tangent = ms.jvp(lambda a: a * a, x, v)
    close(tangent, 2 * x.asnumpy() * v.asnumpy())
    m = tensor(2, 3)
    jacobian = ops.jacrev(lambda a: m @ a)(x)
    close(jacobian, m.asnumpy())
    close(ops.jacfwd(lambda a: a * a)(x), np.diag(2 * x.asnumpy()))


def test_requires_grad_and_backward():
    x = Tensor([1.0, 2.0])
    x.requires_grad = True
    y = (x * x).sum()
    y.backward()
    close(x.grad, [2, 4])
    (x * 3).sum().backward()
    close(x.grad, [5, 7])


def test_bad_outputs():
    with pytest.raises(TypeError, match=r"\[jacrev\] number of tensors returned by the function, got 0, expected 1"):
        ops.jacrev(lambda a: "x")(Tensor([1.0]))
    with pytest.raises(ValueError, match="has_aux needs a function with two or more outputs, got Tensor"):
        ms.grad(lambda a: a, has_aux=True)(Tensor([1.0]))


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(6, 5)
        self.second = nn.Dense(5, 4)

    def construct(self, x):
        return self.second(ops.tanh(self.first(x)))


@pytest.mark.skipif(not ms.has_jit, reason="no bytecode JIT here")
def test_through_pijit():
    ms.set_seed(0)
    net, loss_fn = Block(), nn.CrossEntropyLoss()
    compiled = ms.jit(net, mode="PIJit")
    x, labels = tensor(8, 6), Tensor(np.arange(8, dtype=np.int32) % 4)
    params = net.trainable_params()
    want_value, want = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), 0, params)(x, labels)
    for _ in range(4):
        value, got = ms.value_and_grad(lambda a, b: loss_fn(compiled(a), b), 0, params)(x, labels)
        close(value, want_value.asnumpy())
        close(got[0], want[0].asnumpy())
        for a, b in zip(got[1], want[1]):
            close(a, b.asnumpy())


@pytest.mark.skipif(not ms.has_jit, reason="no bytecode JIT here")
def test_second_order_through_pijit():
    @ms.jit(mode="PIJit")
    def f(a):
        return (ops.sin(a) * a).sum()
    x = tensor(5)
    a = x.asnumpy()
    for _ in range(3):
        close(ms.grad(f)(x), np.cos(a) * a + np.sin(a))
        close(ms.grad(lambda b: ms.grad(f)(b).sum())(x), 2 * np.cos(a) - a * np.sin(a))


@pytest.mark.parametrize("call, message", [
    (lambda f, x: ms.jvp(f, (x, 2.0), (x, 1.0)), r"\[jvp\] input 1, got float"), (lambda f, x: ms.jvp(f, (x, x), (x, 1.0)), r"\[jvp\] v 1, got float"),
    (lambda f, x: ms.vjp(f, x, 2.0), r"\[vjp\] input 1, got float"), (lambda f, x: ms.vjp(f, None, x), r"\[vjp\] input 0, got NoneType"),
    (lambda f, x: ms.jacrev(f, 1)(x, 2.0), r"\[jacrev\] input 1, got float"), (lambda f, x: ms.jacfwd(f)((x, x), x), "input 0, got tuple")])
def test_numbers_have_no_directions(call, message):  # MindSpore refuses them too
    with pytest.raises(TypeError, match=message):
        call(lambda a, b: a * b, Tensor([1.0, 2.0]))


def test_jacobian_beside_a_number():
    assert ms.jacrev(lambda a, b: a * b)(Tensor([1.0, 2.0]), 3.0).asnumpy().tolist() == [[3, 0], [0, 3]]
