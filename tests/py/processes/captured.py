"""Run by mpirun, with "all" or "first": collective calls in captured functions. All processes, or only the first, run them compiled.

Every function runs plainly on all processes, then several times with some of them compiled. A call that is lost, made twice or made out of order
meets another one on the other processes, which is an error.
"""
import sys
import threading
import time

import numpy as np

import msjit as ms
from msjit import Tensor, _msjit, mint, nn, ops
from msjit import communication as comm
from msjit.communication import comm_func as cf
from msjit.mint import distributed as dist

comm.init()
RANK, SIZE = comm.get_rank(), comm.get_group_size()
COMPILED = sys.argv[1] == "all" or RANK == 0
FORCED = bool(_msjit.config()["break_every"])


def data(*shape, seed=0):
    return np.random.RandomState(100 * seed + RANK).standard_normal(shape).astype(np.float32)


def reports(fn):
    return [f for f in _msjit.explain_json() if f["name"] == fn.__name__]


def breaks(fn):
    return [b for f in reports(fn) for b in f["breaks"]]


def numbers(result):
    if isinstance(result, Tensor):
        return [result.asnumpy()]
    if isinstance(result, (tuple, list)):
        return [n for item in result for n in numbers(item)]
    return [np.asarray(result)]


def outcome(fn, args):
    try:
        return fn(*args), None
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        return (), "%s: %s" % (type(error).__name__, error)


def together(what):
    """The processes are at the same place: the next call is this one on all of them."""
    cf.barrier()
    assert int(ops.AllReduce()(Tensor([1]))) == SIZE, what


def compiled(fn, wrap=False):
    if not COMPILED:
        return fn
    return ms.jit(lambda *args: fn(*args), mode="PIJit") if wrap else ms.jit(fn, mode="PIJit")


def same(fn, *variants, whole=True, exact=True):
    """fn(*make()) gives plainly and compiled the same for each of `variants`, and is one region unless not `whole`."""
    jitted = compiled(fn)
    for make in variants * 3:
        want, want_error = outcome(fn, make())
        together(fn.__name__)
        got, got_error = outcome(jitted, make())
        together(fn.__name__)
        assert got_error == want_error, (fn.__name__, RANK, got_error, want_error)
        for a, b in zip(numbers(got), numbers(want)):
            assert a.dtype == b.dtype and a.shape == b.shape, (fn.__name__, a.dtype, b.dtype, a.shape, b.shape)
            assert np.array_equal(a, b) if exact else np.allclose(a, b, rtol=1e-5, atol=1e-5), (fn.__name__, RANK, a, b)
        assert len(numbers(got)) == len(numbers(want)), fn.__name__
    if COMPILED and not FORCED and whole:
        assert not breaks(fn), (fn.__name__, breaks(fn))
        assert all(len(f["regions"]) >= 1 for f in reports(fn)) and reports(fn), fn.__name__
    return jitted


def pair(*shape):
    return lambda: (Tensor(data(*shape)), Tensor(data(*shape, seed=1)))


# -- straight-line code ----------------------------------------------------------------------------------------------------

def reductions(x, y):
    a = ops.AllReduce()(x * 2) + 1
    b = ops.AllReduce("max")(y)
    c = ops.AllReduce("prod")(a + y)
    d = cf.all_reduce(x - y, "avg")[0]
    return a, b, c * d, ops.AllReduce("min")(ops.cast(x * 10, ms.int32)), ops.AllReduce()(x.astype(ms.float16))


def moves(x, y):
    a = ops.AllGather()(x * 2)
    b = ops.ReduceScatter()(a + 1)
    c = ops.Broadcast(SIZE - 1)((x + y, y))
    cf.barrier()
    d = cf.all_gather_into_tensor(y)[0] + cf.broadcast(a, 0)
    ops.Barrier()()
    return a, b, c[0] - c[1], d, cf.reduce_scatter_tensor(d)[0]


def unused(x, y):
    ops.AllReduce()(x * 3)
    ops.AllGather()(y[:1])
    ops.AllReduce()(y)
    ops.AllReduce()(y)
    return x + y


def in_place(x, y):
    total = x * 1
    dist.all_reduce(total)
    parts = mint.zeros((SIZE,) + tuple(y.shape))
    dist.all_gather_into_tensor(parts, y)
    return total, parts


def straight_lines():
    for fn in (reductions, moves, unused):
        same(fn, pair(SIZE * 2, 3))
    same(in_place, pair(4, 3), whole=False)
    if not FORCED:
        error = outcome(lambda x: ms.export(ops.AllReduce(), x, file_name="never", file_format="MINDIR"), (Tensor([1.0]),))[1]
        assert "got a call of other processes" in error, error
    same(reductions, pair(SIZE, 2), pair(SIZE * 2, 2), pair(SIZE * 3, 2), pair(SIZE * 5, 2))  # an open size
    same(moves, pair(SIZE, 2), pair(SIZE * 2, 2), pair(SIZE * 3, 2), pair(SIZE * 5, 2))


# -- gradients -------------------------------------------------------------------------------------------------------------

def gradient_of(call):
    def loss(x, w):
        return (call(x * w) * w.sum()).sum()

    def transform(x, w):
        return ms.value_and_grad(loss, (0, 1))(x, w)
    return transform


def gradients():
    calls = (ops.AllReduce(), ops.AllReduce("max"), ops.AllReduce("prod"), ops.AllGather(), ops.ReduceScatter(),
             lambda x: ops.Broadcast(0)((x,))[0], lambda x: cf.all_reduce(x, "avg")[0] * ops.AllReduce()(ops.AllReduce()(x)))
    for call in calls:
        same(gradient_of(call), pair(SIZE, 3), exact=False)

    def second(x, w):
        return ms.grad(lambda x: (ms.grad(lambda x: (ops.AllReduce()(x * x) * w * x).sum())(x)).sum())(x)
    same(second, pair(SIZE, 3), whole=False, exact=False)

    class Summed(nn.Cell):
        def construct(self, x):
            return ops.AllReduce()(ops.tanh(x)) * x
    again = Summed()
    again.recompute()
    same(lambda x, w: ms.grad(lambda x: (again(again(x)) * w).sum())(x), pair(SIZE, 3), whole=False, exact=False)

    def recorded(x, w):  # compiled inside of a transform that is not
        a, b = ops.AllReduce()(x * w), ops.AllGather()(x[:1])
        c = ops.AllReduce("max")(a * x)
        return c * (b.sum() * a) * ops.ReduceScatter()(w).sum() + b[0, 0]
    inner = compiled(recorded)
    for _ in range(3):
        wants, gots = [ms.grad(lambda x, w: f(x, w).sum(), (0, 1))(*pair(SIZE, 3)()) for f in (recorded, inner)]
        for want, got in zip(wants, gots):
            assert np.allclose(got.asnumpy(), want.asnumpy(), rtol=1e-5)
        together("recorded")
    same(lambda x, w: ms.grad(lambda x, w: recorded(x, w).sum(), (0, 1))(x, w), pair(SIZE, 3), exact=False)


# -- what may part the processes -------------------------------------------------------------------------------------------

class Counted:
    def __init__(self):
        self.calls, self.seen = 0, []


def hostile():
    factor = [1.0]

    def by_rank(x, y):
        if RANK == 0:
            x = x * 2
        z = ops.AllReduce()(x)
        if RANK == SIZE - 1:
            z = ops.AllReduce("sum", "last")(z + 1)
        return ops.AllReduce()(z + y * factor[0])
    if RANK == SIZE - 1:
        comm.create_group("last", [RANK])
    same(by_rank, pair(3, 2))
    factor[0] = 2.0 + (RANK == 0)  # a guard fails, with another outcome on the first
    same(by_rank, pair(3, 2))

    def slow(x, y):
        z = ops.AllReduce()(x)
        if RANK == 0:
            time.sleep(0.02)
        return ops.AllReduce()(z + y)
    same(slow, pair(3, 2), whole=False)

    def branch(x, y):
        z = x * 1
        if ops.AllReduce()(x).sum() > 0:
            z = ops.AllReduce()(y)
        return ops.AllReduce()(z[:1])
    same(branch, pair(3, 2), pair(4, 2), whole=False)

    def loop(x, n):
        for _ in range(n):
            x = ops.AllReduce()(x) / SIZE + 1
        return x
    same(loop, *[lambda n=n: (Tensor(data(2)), n) for n in (5, 6, 9, 4, 7)], whole=False)

    def rows(x, y):
        total = y[0]
        for row in x:
            total = total + ops.AllReduce()(row)
        return total
    same(rows, pair(5, 2), pair(6, 2), pair(9, 2), whole=False)

    def until(x, y):
        while ops.AllReduce()(x).sum() < 50:
            x = x + ops.AllReduce("max")(ops.abs(y)) + 1
        return x
    same(until, pair(2, 2), whole=False)


# -- errors: the calls before them are made once, the calls behind them are not --------------------------------------------

def errors():
    state = Counted()

    def bad_index(x, i):
        y = ops.AllReduce()(x)
        state.calls += 1
        state.seen.append(state.calls)
        z = ops.gather(y, i, 0)
        return ops.AllReduce()(z * 2)
    good, bad = (lambda: (Tensor(data(4, 2)), Tensor([1, 3]))), (lambda: (Tensor(data(4, 2)), Tensor([1, 9])))
    same(bad_index, good, whole=False)
    same(bad_index, good, bad, whole=False)
    assert state.calls == 18 and state.seen == list(range(1, 19)), state.calls

    def tested(x, y):
        z = ops.AllReduce()(x)
        if z.sum() > 100:
            raise ValueError("%s is too large" % z.shape)
        return z + y
    large = lambda: (Tensor(data(3, 2) + 100), Tensor(data(3, 2)))  # noqa: E731
    same(tested, pair(3, 2), pair(3, 2), whole=False)
    same(tested, pair(3, 2), large, whole=False)

    def two_tests(x, y):
        z = ops.AllReduce()(x)
        if z.sum() > 100:
            raise ValueError("first")
        z = ops.AllReduce()(z[:1] + y[:1])
        if z.sum() > 50:
            raise ValueError("second")
        return ops.AllReduce()(z)
    later = lambda: (Tensor(np.full((3, 2), 16.0 / SIZE, np.float32)), Tensor(np.full((3, 2), 30.0, np.float32)))  # noqa: E731
    same(two_tests, pair(3, 2), large, later, whole=False)

    def differs(x, n):
        state.calls += 1
        y = ops.AllReduce()(x)
        return ops.AllGather()(y[:n])
    same(differs, lambda: (Tensor(data(4, 2)), 2), lambda: (Tensor(data(4, 2)), 2 + (RANK == 1)), whole=False)
    assert "rank 1" in outcome(compiled(differs), (Tensor(data(4, 2)), 2 + (RANK == 1)))[1]


# -- groups ----------------------------------------------------------------------------------------------------------------

def groups():
    if SIZE < 3:
        return
    call = ops.AllReduce("sum", comm.HCCL_WORLD_COMM_GROUP)

    def grouped(x, y):
        return call(x) + ops.AllReduce()(y)
    same(grouped, pair(2, 2))
    for members in ([0, 1], [0, 1, 2], [0, 2], [0, 1]):
        if RANK in members:
            comm.create_group("some", members)
            call = ops.AllReduce("sum", "some")
        else:
            call = lambda x: x  # noqa: E731
        same(grouped, pair(2, 2))
        if RANK in members:
            comm.destroy_group("some")


# -- other threads ---------------------------------------------------------------------------------------------------------

def threads():
    scale, turns, ended = [1.0], [0], [False]

    def waits(x):
        return ops.AllReduce()(x) * scale[0]
    jitted = compiled(waits)
    for _ in range(3):
        jitted(Tensor(data(2, 2)))

    def other():
        while not ended[0]:
            turns[0] += 1
            time.sleep(0.001)
    thread = threading.Thread(target=other)
    thread.start()
    for turn in range(3):
        want = waits(Tensor(data(2, 2))).asnumpy() / scale[0]
        cf.barrier()
        if RANK == 1:
            time.sleep(0.1)
        before, timer = turns[0], threading.Timer(0.03, lambda: scale.__setitem__(0, 2.0 + turn))  # noqa: B023
        if RANK == 0:
            timer.start()
        got = jitted(Tensor(data(2, 2))).asnumpy()
        if RANK == 0:
            assert turns[0] - before > 10, turns[0] - before
            timer.join()
        assert np.allclose(got, want * scale[0]), (turn, RANK, got, want, scale)
        together("threads")
    ended[0] = True
    thread.join()


# -- training --------------------------------------------------------------------------------------------------------------

def trained(norm, optimizer, wrap, **more):
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, **more)
    ms.set_seed(3)
    net = nn.SequentialCell(nn.Dense(6, 8), norm(8), nn.ReLU(), nn.Dense(8, 3))
    cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer(net.trainable_params()))

    def step(x, y):
        return cell(x, y)
    run = wrap(step)
    losses = [run(Tensor(data(8, 6, seed=i)), Tensor((data(8, seed=i) > 0).astype(np.int32))) for i in range(8)]
    return numbers(losses) + [p.asnumpy().copy() for p in net.get_parameters()], step


def training():
    """With another thread, which makes a region look at its guards again behind each call."""
    ended = threading.Event()
    idle = threading.Thread(target=ended.wait)
    idle.start()
    try:
        steps()
    finally:
        ended.set()
        idle.join()


def steps():
    plain = lambda channels: nn.ReLU()  # noqa: E731
    for norm in (plain, nn.SyncBatchNorm):
        for optimizer in (lambda ps: nn.Momentum(ps, 0.05, 0.9), lambda ps: nn.Adam(ps, 0.01), lambda ps: nn.AdamWeightDecay(ps, 0.01)):
            for more in ({}, {"enable_parallel_optimizer": True}):
                want, _ = trained(norm, optimizer, lambda step: step, **more)
                together("training")
                _msjit.reset()
                got, step = trained(norm, optimizer, compiled, **more)
                for a, b in zip(got, want):
                    assert np.allclose(a, b, rtol=1e-4, atol=1e-5), (norm, more)
                if COMPILED and not FORCED:
                    report, = reports(step)  # the first step compares the Parameters
                    assert [r["hits"] for r in report["regions"]] == [7] and all(b["count"] == 1 for b in report["breaks"]), report
    ms.reset_auto_parallel_context()


for part in (straight_lines, gradients, hostile, errors, groups, threads, training):
    part()
print("done %d" % RANK)
sys.stdout.flush()
