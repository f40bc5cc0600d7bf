"""Which results of a region share storage: a write to one must show in the others exactly where it does in eager runs, whatever the passes
do to the graph. Tried are all ways to make a tensor, times every view of it, times a second view."""
import numpy as np
import pytest

pytest.importorskip("msjit._msjit")
import msjit as ms
from msjit import Tensor, ops

pytestmark = pytest.mark.jit

MADE = {
    "argument": "x", "times one": "x * 1", "plus zero": "x + 0", "two ops": "x * 2 + 1",
    "zeros": "ops.zeros((3,), ms.float32)",
    "ones_like": "ops.ones_like(x)", "literal": "Tensor([1.0, 2.0, 3.0])", "folded": "ops.ones((3,), ms.float32) * 2",
    "view of two": "(x * 2)[None][0]", "view of the argument": "x[None][0]", "equal to another": "(x + 1, x + 1)[1]",
    "twice negated": "-(-x)", "same dtype": "x.astype(ms.float32)", "detached": "ops.stop_gradient(x * 1)",
    "where": "ops.where(x > 100, x, x)", "idempotent": "ops.relu(ops.relu(x))", "concat": "ops.concat([x])",
    "stack": "ops.stack([x])[0]", "broadcast": "ops.broadcast_to(x * 1, (3,))",
    "matmul": "ops.matmul(x[None], ops.ones((3, 3), ms.float32))[0]",
    "transposed twice": "ops.transpose(ops.transpose(x[None] * 1, (1, 0)), (1, 0))[0]",
    "reversed": "x[::-1]", "reversed twice": "(x * 1)[::-1][::-1]",
    "given by a branch": "(x * 2 if x.sum() > 100 else x)", "made by a branch": "(x * 2 if x.sum() < 100 else x)",
    "where of a branch": "(lambda y: ops.where(y > 100, y, y))(x * 2 if x.sum() > 100 else x)",
    "where of a view": "(lambda y: ops.where(y > 100, y, y))(x[:])", "view of a branch": "(x * 2 if x.sum() > 100 else x)[:]",
    "linear": "ops.relu(x[None] @ Tensor(np.eye(3, dtype=np.float32)) + 1)[0]",
}
VIEWS = {
    "itself": "y", "None": "y[None]", "T": "y.T", "reshape": "y.reshape(3, 1)", "slice": "y[1:]", "all": "y[:]", "item": "y[1]",
    "same shape": "y.reshape(3)", "chain": "y.reshape(3, 1)[1:].reshape(2)", "reversed": "y[::-1]",
    "where": "ops.where(y > 100, y, y)", "no view": "y * 1", "detached": "ops.stop_gradient(y)",
}
PROGRAM = """
def write_base(x):
    a, given = x + 1, x
    y = {made}
    v, w = {view}, {second}
    same = v is y, v is given, y is given, w is y, w is v
    print(end="")
    y[1] = 7.0
    return a, v, w, y, given, same
def write_view(x):
    y = {made}
    v, w = {view}, {second}
    print(end="")
    v[...] = 7.0
    return v, w, y
def written_by_the_caller(x):
    y = {made}
    v, w = {view}, {second}
    return y, v, w
"""


def picture(result):
    return [part.tolist() if isinstance(part, Tensor) else part for part in result]


def outcome(fn):
    x = Tensor(np.float32([1, 2, 3]))
    try:
        result = fn(x)
    except (TypeError, ValueError) as e:
        return type(e).__name__
    seen = [[a is b for a in result] for b in result]
    if fn.__name__ == "written_by_the_caller":
        result[0][1] = 9.0
    return picture(result), x.tolist(), seen


@pytest.mark.costly
@pytest.mark.parametrize("made", sorted(MADE))
def test_results_share_storage_as_in_eager_runs(made):
    for view in VIEWS:
        for second in ("itself", "T", "reshape", "no view"):
            space = {"ms": ms, "ops": ms.ops, "Tensor": Tensor, "np": np}
            exec(PROGRAM.format(made=MADE[made], view=VIEWS[view], second=VIEWS[second]), space)  # noqa: S102
            for name in ("write_base", "write_view", "written_by_the_caller"):
                jitted = ms.jit(space[name], mode="PIJit")
                expected = outcome(space[name])
                assert [outcome(jitted) for _ in range(2)] == [expected] * 2, (view, second, name)


@pytest.mark.parametrize("train", [False, True])
def test_equal_results_are_two_tensors(train):
    def f(x, w):
        a, b = x * w, x * w
        return a, b, a.reshape(3, 1), b[None]

    w = ms.Parameter(Tensor(np.float32([1, 2, 3])), name="w", requires_grad=train)
    results = []
    for fn in (f, ms.jit(f, mode="PIJit")):
        a, b, of_a, of_b = fn(Tensor(np.float32([1, 2, 3])), w)
        before = picture((a, b, of_a, of_b))
        a.detach()[1] = 7.0
        results.append((before, picture((a, b, of_a, of_b))))
    assert results[0] == results[1] and results[0][0] != results[0][1]


def test_arms_of_a_branch_share_storage_as_in_eager_runs():
    def f(x):
        if x.sum() > 0:
            y = x * 1
            v, w = y.T, y + 0
        else:
            y = x * 2
            v, w = y.reshape(3), y * 1
        y[1] = 7.0
        return y, v, w

    jitted = ms.jit(f, mode="PIJit")
    for sign in (1, -1, 1, -1):
        x = Tensor(np.float32([1, 2, 3]) * sign)
        assert picture(jitted(x)) == picture(f(Tensor(x.asnumpy())))


def test_a_copy_before_a_view_and_its_base():
    """`v * 1` becomes the view itself. The memory still belongs to those that share it, whatever comes first."""
    def f(x):
        base = x + 1
        v = base[1:]
        return v * 1, base, v, v + 0, base[:2]

    jitted = ms.jit(f, mode="PIJit")
    for _ in range(3):
        pictures = []
        for function in (f, jitted):
            results = function(Tensor(np.float32([1, 2, 3])))
            for i, result in enumerate(results):
                result[0] = 10.0 + i
            pictures.append([t.asnumpy().tolist() for t in results])
        assert pictures[0] == pictures[1]


def test_a_copy_before_what_a_branch_hands_on():
    """The second result is the argument itself where the branch does not replace it."""
    def f(x, y):
        if x.sum() > 100:
            y = y * 2
        return ops.where(y > 0, y, y), y

    jitted = ms.jit(f, mode="PIJit")
    for start in (1, 200, 1, 200):
        x, y = Tensor(np.float32([start, 2])), Tensor(np.float32([1, 2]))
        assert [r is y for r in jitted(x, y)] == [False, start == 1] == [r is y for r in f(x, y)]
