"""Gradients through integers and bools, and of functions without any: MindSpore's numbers, eager and under PIJit."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit._native import _msjit

I = Tensor(np.array([[2, 3], [-4, 5]], np.int32))  # noqa: E741
J = Tensor(np.array([[1, 2], [3, 4]], np.int64))
F = Tensor(np.array([[2.0, 3.0], [-4.0, 5.0]], np.float32))
R = Tensor(np.array([[2.7, 3.2], [-4.6, 5.9]], np.float32))
B = Tensor(np.array([[True, False], [True, True]]))

WRAPS = [pytest.param(lambda f: f, id="eager"),
         pytest.param(lambda f: ms.jit(f, mode="PIJit"), id="jit", marks=pytest.mark.jit)]

# function, argument, gradient: what MindSpore 2.10 gives. Integer gradients have the argument's dtype, those that come
# through an operator that lifts integers to floats are floats.
CASES = {
    "square": (lambda a: a * a, I, [[4, 6], [-8, 10]]),
    "rounded down": (lambda a: a * 0.5, I, [[0, 0], [0, 0]]),
    "beside floats": (lambda a: a * R, I, [[2, 3], [-4, 5]]),
    "beside int64": (lambda a: a * J, I, [[1, 2], [3, 4]]),
    "of a float": (lambda a: a * R, F, [[2.7, 3.2], [-4.6, 5.9]]),
    "sum": (lambda a: a.sum(), I, [[1, 1], [1, 1]]),
    "largest": (lambda a: a.max(), I, [[0, 0], [0, 1]]),
    "product": (lambda a: a.prod(), I, [[-60, -40], [30, -24]]),
    "power": (lambda a: a ** 2, I, [[4, 6], [-8, 10]]),
    "matmul": (lambda a: ops.matmul(a, a), I, [[3, -1], [13, 9]]),
    "concat": (lambda a: ops.concat((a, a)), I, [[2, 2], [2, 2]]),
    "split": (lambda a: ops.split(a, 1)[1] * 3, I, [[0, 0], [3, 3]]),
    "index": (lambda a: a[0] * 3, I, [[3, 3], [0, 0]]),
    "where": (lambda a: ops.where(a > 0, a, a * 2), I, [[1, 1], [2, 1]]),
    "where float": (lambda a: ops.where(a > 0, a, R), I, [[1, 1], [0, 1]]),
    "quotient": (lambda a: a / 4, I, [[0.25, 0.25], [0.25, 0.25]]),
    "divisor": (lambda a: 4 / a, I, [[-1.0, -4 / 9], [-0.25, -0.16]]),
    "quotient of a sum": (lambda a: (a + a).sum() / 4, I, [[0.5, 0.5], [0.5, 0.5]]),
    "mean": (ops.mean, I, [[0, 0], [0, 0]]),  # the mean of ints is an int
    "root": (lambda a: ops.sqrt(ops.abs(a)), I, [[0.35355338, 0.28867513], [-0.25, 0.2236068]]),
    "to float": (lambda a: a.astype(ms.float32) * 2.5, I, [[2, 2], [2, 2]]),
    "to int": (lambda a: a.astype(ms.int32), F, [[1.0, 1.0], [1.0, 1.0]]),
    "to int and back": (lambda a: a.astype(ms.int32).astype(ms.float32) * 2.5, F, [[2.0, 2.0], [2.0, 2.0]]),
    "to int and divided": (lambda a: a.astype(ms.int32) / 2, F, [[0.5, 0.5], [0.5, 0.5]]),
    "to int and halved": (lambda a: a.astype(ms.int32) * 0.5, F, [[0.0, 0.0], [0.0, 0.0]]),
    "to bool and back": (lambda a: a.astype(ms.bool_).astype(ms.float32) * 3, F, [[1.0, 1.0], [1.0, 1.0]]),
    "comparison": (lambda a: a > 1, F, [[0.0, 0.0], [0.0, 0.0]]),
    "comparison of ints": (lambda a: ops.greater(a, J), I, [[0, 0], [0, 0]]),
    "mask": (lambda a: (a > 1) * a, F, [[1.0, 1.0], [0.0, 1.0]]),
    "argmax": (lambda a: a.argmax().astype(ms.float32), F, [[0.0, 0.0], [0.0, 0.0]]),
    "positions": (lambda a: ops.topk(a, 1)[1], F, [[0.0, 0.0], [0.0, 0.0]]),
    "values": (lambda a: ops.topk(a, 1)[0], I, [[0, 1], [0, 1]]),
    "sorted positions": (lambda a: ops.sort(a)[1] * a, F, [[0.0, 1.0], [0.0, 1.0]]),
    "bool": (lambda a: a, B, [[True, True], [True, True]]),
    "bool times": (lambda a: a * 2, B, [[True, True], [True, True]]),
    "bool compared": (lambda a: (a > 1).astype(ms.float32), B, [[False, False], [False, False]]),
    "number": (lambda a: 5, F, [[0.0, 0.0], [0.0, 0.0]]),
    "none": (lambda a: None, I, [[0, 0], [0, 0]]),
    "another tensor": (lambda a: R, F, [[0.0, 0.0], [0.0, 0.0]]),
    "several": (lambda a: (a * 2, a.astype(ms.int32) * 3, "s", [a > 0]), F, [[5.0, 5.0], [5.0, 5.0]]),
}


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("name", sorted(CASES))
def test_numbers(name, wrap):
    fn, argument, expected = CASES[name]
    fn = wrap(fn)
    expected = np.array(expected, None if isinstance(expected[0][0], (int, bool)) else np.float32)
    for _ in range(3):
        found = ms.grad(fn)(argument)
        wanted = ms.float32 if expected.dtype == np.float32 else argument.dtype
        assert found.dtype == wanted and np.allclose(found.asnumpy(), expected, rtol=1e-5)
        value, again = ms.value_and_grad(fn)(argument)
        assert np.array_equal(found.asnumpy(), again.asnumpy())
        assert ops.GradOperation(get_all=True)(fn)(argument)[0].dtype == wanted
        plain = fn(argument)
        if isinstance(plain, Tensor):
            assert np.array_equal(plain.asnumpy(), value.asnumpy())


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("dtype, expected", [
    (ms.int32, [1, 2]), (ms.int64, [1, 2]), (ms.uint8, [1, 2]), (ms.bool_, [True, True]), (ms.float16, [1.0, 2.0])])
def test_parameters(dtype, expected, wrap):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(np.array([1, 1]), dtype), name="w")

        def construct(self, x):
            return self.w * x
    net = Net()
    run = wrap(lambda x: net(x))
    for _ in range(3):
        for x in (Tensor(np.array([1.0, 2.0], np.float32)), Tensor(np.array([1, 2], np.int32))):
            found, = ms.grad(run, None, net.trainable_params())(x)
            assert found.dtype == dtype and found.asnumpy().tolist() == expected


def test_gradients_of_gradients():
    assert ms.grad(ms.grad(lambda a: a * a * a))(I).asnumpy().tolist() == [[12, 18], [-24, 30]]
    assert ms.grad(ms.grad(lambda a: 5))(F).asnumpy().tolist() == [[0, 0], [0, 0]]
    assert ms.grad(ms.grad(lambda a: a > 1))(F).asnumpy().tolist() == [[0, 0], [0, 0]]
    out, tangent = ops.jvp(lambda a: a * a, I, J)
    assert tangent.asnumpy().tolist() == [[4, 12], [-24, 40]]


def branch_of_ints(x, n):
    k = x.astype(ms.int32)
    if x.sum() > 0:
        k = k * n
    else:
        k = k + n
    return k * x


def loop_of_ints(x, n):
    k = x.astype(ms.int32) * 1
    total = x * 0
    while total.sum() < 10:
        total = total + k * x
        k = k + n
    return total / 2


def loop_with_a_counter(x, n):
    i, total = n * 0, x
    while i < n:
        total = total * x
        i = i + 1
    return total


def integer_in_an_arm(x, n):
    if n > 1:
        y = x.astype(ms.int32).astype(ms.float32) * x
    else:
        y = x * n
    return y


def quotient_in_a_loop(x, n):
    total, i = x, 0
    while total.sum() < 40:
        total = total + n / 2 + x.astype(ms.int32) / 4
        i = i + 1
    return total


@pytest.mark.jit
@pytest.mark.parametrize("fn", [branch_of_ints, loop_of_ints, loop_with_a_counter, integer_in_an_arm, quotient_in_a_loop])
def test_branches_and_loops(fn):
    """Branches and loops with integers through which a gradient passes."""
    compiled = ms.jit(fn, mode="PIJit")
    for values, count in (([1.0, 2.0], 2), ([1.5, 3.5], 3), ([2.0, 2.0], 1)):
        x, n = Tensor(np.array(values, np.float32)), Tensor(np.array(count, np.int32))
        for positions in (0, 1, (0, 1)):
            for _ in range(2):
                plain = ms.value_and_grad(fn, positions)(x, n)
                found = ms.value_and_grad(compiled, positions)(x, n)
                flat = [plain[0]] + list(plain[1] if isinstance(plain[1], tuple) else (plain[1],))
                other = [found[0]] + list(found[1] if isinstance(found[1], tuple) else (found[1],))
                for a, b in zip(flat, other):
                    assert a.dtype == b.dtype and np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5), (positions, plain, found)


@pytest.mark.jit
@pytest.mark.captures
def test_counters_do_not_stand_in_the_way():
    """A loop with an integer counter through which no gradient passes stays one region, gradient included."""
    compiled = ms.jit(loop_with_a_counter, mode="PIJit")
    x, n = Tensor(np.array([1.0, 2.0], np.float32)), Tensor(np.array(3, np.int32))
    for _ in range(2):
        ms.grad(compiled)(x, n)
        ms.grad(compiled, (0, 1))(x, n)
    before = _msjit.stats()["breaks"]
    assert np.allclose(ms.grad(compiled)(x, n).asnumpy(), [4, 32])
    of_x, of_n = ms.grad(compiled, (0, 1))(x, n)  # the gradient by n is asked for, but none arrives
    assert np.allclose(of_x.asnumpy(), [4, 32]) and of_n.dtype == ms.int32 and of_n.asnumpy() == 0
    assert _msjit.stats()["breaks"] == before


X, Y = Tensor(np.array([2.0, 3.0], np.float32)), Tensor(np.array([5.0, 7.0], np.float32))


def shape_of(value):
    if isinstance(value, tuple):
        return tuple(shape_of(v) for v in value)
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


def product(a, b):
    a = a[0] if isinstance(a, (tuple, list)) else a["k"] if isinstance(a, dict) else a
    return a * b if isinstance(b, (int, Tensor)) else a * 2


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("args, of_first, of_second, of_both, of_all", [
    ((X, Y), [5, 7], [2, 3], ([5, 7], [2, 3]), ([5, 7], [2, 3])),
    (((X, X), Y), (), [2, 3], [2, 3], ([2, 3],)),
    (([X], Y), (), [2, 3], [2, 3], ([2, 3],)),
    (({"k": X}, Y), (), [2, 3], [2, 3], ([2, 3],)),
    ((3, X), (), [3, 3], [3, 3], ([3, 3],)),
    ((X, 3), [3, 3], (), [3, 3], ([3, 3],)),
    ((X, None), [2, 2], (), [2, 2], ([2, 2],)),
    ((X, "s"), [2, 2], (), [2, 2], ([2, 2],)),
    ((X, (Y,)), [2, 2], (), [2, 2], ([2, 2],)),
    (((X,), 3), (), (), (), ()),
])
def test_only_tensor_arguments_have_gradients(args, of_first, of_second, of_both, of_all, wrap):
    fn = wrap(product)
    assert shape_of(ms.grad(fn)(*args)) == of_first
    assert shape_of(ms.grad(fn, (0,))(*args)) == of_first
    assert shape_of(ms.grad(fn, 1)(*args)) == of_second
    assert shape_of(ms.grad(fn, (0, 1))(*args)) == of_both
    assert shape_of(ms.value_and_grad(fn, (0, 1))(*args)[1]) == of_both
    assert shape_of(ops.GradOperation()(fn)(*args)) == of_first
    assert shape_of(ops.GradOperation(get_all=True)(fn)(*args)) == of_all
    w = Parameter(Tensor(np.array([1.0, 1.0], np.float32)), name="w")
    weighted = wrap(lambda a, b: product(a, b) * w)
    value = shape_of(fn(*args))
    if isinstance(fn(*args), Tensor):
        assert shape_of(ms.grad(weighted, (0, 1), [w])(*args)) == (of_both, (value,))
        assert shape_of(ops.GradOperation(True, True)(weighted, [w])(*args)) == (of_all, (value,))


def test_positions():
    """Keywords count behind the arguments, in the order of the call."""
    assert shape_of(ms.grad(product, (1, 0))(X, Y)) == ([2, 3], [5, 7])
    assert shape_of(ms.grad(product, (0, 1))(X, b=Y)) == ([5, 7], [2, 3])
    assert shape_of(ms.grad(product)(b=Y, a=X)) == [2, 3]
    assert shape_of(ops.GradOperation(get_all=True)(product)(X, b=Y)) == ([5, 7], [2, 3])
    assert ms.grad(lambda: X * 2)() == () and ops.GradOperation()(lambda: X * 2)() == ()
    assert shape_of(ms.grad(product, (0, 1), return_ids=True)(X, Y)) == ((0, [5, 7]), (1, [2, 3]))
    assert shape_of(ms.grad(product, (0, 1), return_ids=True)(3, Y)) == (1, [3, 3])
    assert shape_of(ms.vjp(product, X, Y)[1](X)) == ([10, 21], [4, 9])
    assert shape_of(ms.vjp(lambda a: a * 2, X)[1](X)) == ([4, 6],)
    for positions, text in ((-1, "got -1"), (2, "got 2"), ((0, 0), "expected each position once")):
        with pytest.raises(ValueError, match=text):
            ms.grad(product, positions)(X, Y)


def test_forward_value_and_grad():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(np.array([2.0, 3.0], np.float32)), name="w")

        def construct(self, a):
            return a * self.w
    net = Net()
    weights = net.trainable_params()
    assert shape_of(nn.ForwardValueAndGrad(net)(X)) == ([4, 9], [2, 3])
    assert shape_of(nn.ForwardValueAndGrad(net, get_all=True)(X)) == ([4, 9], ([2, 3],))
    assert shape_of(nn.ForwardValueAndGrad(net, weights, True, True)(X)) == ([4, 9], (([2, 3],), ([2, 3],)))
    assert shape_of(nn.ForwardValueAndGrad(net, get_all=True, sens_param=True)(X, Y)) == ([4, 9], ([10, 21],))


@pytest.mark.jit
@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_scale_of_another_shape(mode, shape):
    """Training cells of BERT, GPT and FastText give the loss, of shape (), a scale of shape (1,)."""
    class Loss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0, 2.0], ms.float32), name="w")

        def construct(self, x):
            return (x * self.w).sum()

    class Step(nn.Cell):
        def __init__(self, net):
            super().__init__(auto_prefix=False)
            self.net, self.weights = net, ms.ParameterTuple(net.trainable_params())
            self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

        def construct(self, x, scale):
            return self.grad(self.net, self.weights)(x, scale)

    step = Step(Loss())
    call = step if mode is None else ms.jit(step, mode=mode)
    for scale in (2.0, 3.0, 4.0):
        assert call(Tensor([5.0, 7.0]), ops.full(shape, scale, dtype=ms.float32))[0].asnumpy().tolist() == [5 * scale, 7 * scale]
    with pytest.raises(ValueError, match=r"shape of the gradient of the output, got \(2,\), expected \(\)"):
        call(Tensor([5.0, 7.0]), Tensor([1.0, 2.0]))
