"""Run by mpirun: every collective call against NumPy, its gradient, groups, messages, objects, and what is refused on all ranks."""
import os
import sys

import numpy as np

import msjit as ms
from msjit import Tensor, ops
from msjit import communication as comm
from msjit.communication import comm_func as cf
from msjit.mint import distributed as dist

assert comm.get_rank() == int(os.environ["OMPI_COMM_WORLD_RANK"])  # before init too, as in MindSpore
comm.init()
RANK, SIZE = comm.get_rank(), comm.get_group_size()
SUM, MAX, MIN, PROD = np.add, np.maximum, np.minimum, np.multiply


def data(rank, shape=(SIZE * 2, 3), dtype=np.float32):
    rng = np.random.RandomState(100 + rank)
    return (rng.randint(1, 5, shape) * 0.5).astype(dtype) if np.dtype(dtype).kind in "fc" else rng.randint(1, 5, shape).astype(dtype)


def same(got, want, what):
    got = got.asnumpy() if isinstance(got, Tensor) else got
    assert got.shape == np.shape(want), (what, got.shape, np.shape(want))
    assert got.dtype == np.asarray(want).dtype and np.array_equal(got, want), (what, RANK, got, want)


def refused(kind, part, call):
    try:
        call()
    except kind as error:
        assert part in str(error), (RANK, str(error), part)
        return str(error)
    raise AssertionError("rank %d: nothing was raised, expected %s" % (RANK, part))


def reductions():
    for dtype in (np.float32, np.float64, np.int32, np.int64, np.uint8, np.int8, np.int16, np.uint16, np.uint32, np.uint64):
        everyone = [data(r, dtype=dtype) for r in range(SIZE)]
        x = Tensor(everyone[RANK])
        for op, how in (("sum", SUM), ("max", MAX), ("min", MIN), ("prod", PROD)):
            want = how.reduce(everyone).astype(dtype)
            same(ops.AllReduce(op)(x), want, ("AllReduce", op, dtype))
            same(cf.all_reduce(x, op)[0], want, ("all_reduce", op, dtype))
            y = x + Tensor(np.zeros((), dtype))
            assert dist.all_reduce(y, op) is None
            same(y, want, ("mint all_reduce", op, dtype))
            part = slice(RANK * 2, RANK * 2 + 2)
            same(ops.ReduceScatter(op)(x), want[part], ("ReduceScatter", op, dtype))
            same(ops.Reduce(SIZE - 1, op)(x), want if RANK == SIZE - 1 else np.zeros(1, dtype), ("Reduce", op))
        same(x, everyone[RANK], "the input is as it was")
    for half in (ms.float16, ms.bfloat16):
        everyone = [Tensor(data(r)).astype(half).astype(ms.float32).asnumpy() for r in range(SIZE)]
        got = ops.AllReduce()(Tensor(data(RANK)).astype(half))
        assert got.dtype == half
        same(got.astype(ms.float32), np.add.reduce(everyone), half)
    z = data(RANK).astype(np.complex64) * (1 + 2j)
    same(ops.AllReduce()(Tensor(z)), np.add.reduce([data(r).astype(np.complex64) * (1 + 2j) for r in range(SIZE)]), "complex")
    y = Tensor(data(RANK))
    dist.all_reduce(y, "avg")
    same(y, (np.add.reduce([data(r) for r in range(SIZE)]) / SIZE).astype(np.float32), "avg")
    strided = Tensor(data(RANK)).transpose()
    same(ops.AllReduce()(strided), np.add.reduce([data(r) for r in range(SIZE)]).T, "not contiguous")
    same(ops.AllReduce()(Tensor(np.zeros((0, 3), np.float32))), np.zeros((0, 3), np.float32), "empty")
    same(ops.AllReduce()(Tensor(2.5)), np.float32(2.5 * SIZE), "no axes")
    refused(TypeError, "got bool", lambda: ops.AllReduce()(Tensor([True])))
    refused(ValueError, "multiple of %d" % SIZE, lambda: ops.ReduceScatter()(Tensor(np.zeros(SIZE + 1, np.float32))))


def moves():
    for dtype in (np.float32, np.float16, np.bool_, np.int64, np.complex128):
        everyone = [data(r, dtype=np.float32).astype(dtype) for r in range(SIZE)]
        x = Tensor(everyone[RANK])
        same(ops.AllGather()(x), np.concatenate(everyone), ("AllGather", dtype))
        same(cf.all_gather_into_tensor(x)[0], np.concatenate(everyone), "all_gather_into_tensor")
        same(ops.Broadcast(1)((x, x))[1], everyone[1], "Broadcast")
        same(cf.broadcast(x, SIZE - 1), everyone[-1], "broadcast")
        same(cf.gather_into_tensor(x, 1), np.concatenate(everyone) if RANK == 1 else np.zeros(1, dtype), "gather")
        same(cf.scatter_tensor(x, 0), everyone[0][RANK * 2:RANK * 2 + 2], "scatter")
        same(ops.CollectiveGather(0)(x), np.concatenate(everyone) if RANK == 0 else np.zeros(1, dtype), "CollectiveGather")
        same(ops.CollectiveScatter(1)(x), everyone[1][RANK * 2:RANK * 2 + 2], "CollectiveScatter")
        want = np.concatenate([e[RANK * 2:RANK * 2 + 2] for e in everyone], 1)
        same(ops.AlltoAll(SIZE, 0, 1)(x), want, "AlltoAll")
        same(x, everyone[RANK], "the input is as it was")
    everyone = [np.arange(sum(range(1, SIZE + 1)), dtype=np.float32) + 100 * r for r in range(SIZE)]
    sizes = list(range(1, SIZE + 1))  # member j gets j + 1 elements of each
    begin = sum(sizes[:RANK])
    want = np.concatenate([e[begin:begin + RANK + 1] for e in everyone])
    x, received = Tensor(everyone[RANK]), [RANK + 1] * SIZE
    same(ops.AlltoAllV()(x, sizes, received), want, "AlltoAllV")
    same(ops.AlltoAllVC()(x, Tensor(sizes * SIZE)), want, "AlltoAllVC")
    total = np.add.reduce(everyone)
    same(ops.ReduceScatterV()(x, sizes), total[begin:begin + RANK + 1], "ReduceScatterV")
    same(ops.AllGatherV()(Tensor(total[begin:begin + RANK + 1]), sizes), total, "AllGatherV")
    same(cf.all_to_all_single_with_output_shape((SIZE * (RANK + 1),), x, received, sizes)[0], want, "all_to_all_single")
    pieces = cf.all_to_all_with_output_shape([(RANK + 1,)] * SIZE, [Tensor(p) for p in np.split(everyone[RANK], np.cumsum(sizes)[:-1])])[0]
    same(np.concatenate([p.asnumpy() for p in pieces]), want, "all_to_all")
    out = Tensor(np.zeros(SIZE * (RANK + 1), np.float32))
    cf.all_to_all_v_c(out, x, sizes * SIZE)
    same(out, want, "all_to_all_v_c")
    out = Tensor(np.zeros(SIZE * (RANK + 1), np.float32))
    dist.all_to_all_single(out, x, received, sizes)
    same(out, want, "mint all_to_all_single")
    refused(ValueError, "sizes of the parts", lambda: ops.AlltoAllV()(x, sizes, [RANK + 2] * SIZE))
    assert ops.Barrier()().shape == (1,) and cf.barrier() is None and dist.barrier() is None


def in_place():
    everyone = [data(r, (2, 3)) for r in range(SIZE)]
    x = Tensor(everyone[RANK])
    out = [Tensor(np.zeros((2, 3), np.float32)) for _ in range(SIZE)]
    dist.all_gather(out, x)
    same(np.stack([o.asnumpy() for o in out]), np.stack(everyone), "all_gather")
    whole = Tensor(np.zeros((2 * SIZE, 3), np.float32))
    handle = dist.all_gather_into_tensor(whole, x, async_op=True)
    handle.wait()
    same(whole, np.concatenate(everyone), "all_gather_into_tensor")
    part = Tensor(np.zeros((2, 3), np.float32))
    dist.reduce_scatter_tensor(part, whole)
    same(part, everyone[RANK] * SIZE, "reduce_scatter_tensor")
    dist.reduce_scatter(part, [Tensor(everyone[0] * (i + 1)) for i in range(SIZE)])
    same(part, everyone[0] * (RANK + 1) * SIZE, "reduce_scatter")
    dist.scatter(part, [Tensor(everyone[1] * (i + 1)) for i in range(SIZE)] if RANK == 1 else [], 1)
    same(part, everyone[1] * (RANK + 1), "scatter")
    out = [Tensor(np.zeros((2, 3), np.float32)) for _ in range(SIZE)]
    dist.gather(x, out, 1)
    same(np.stack([o.asnumpy() for o in out]), np.stack(everyone) if RANK == 1 else np.zeros((SIZE, 2, 3), np.float32), "gather")
    dist.broadcast(part, 0)
    same(part, everyone[1], "broadcast")
    parameter = ms.Parameter(Tensor(everyone[RANK]), name="p")
    dist.broadcast(parameter, 1)
    same(parameter, everyone[1], "broadcast of a Parameter")
    y = Tensor(everyone[RANK])
    dist.reduce(y, 1)
    same(y, np.add.reduce(everyone) if RANK == 1 else everyone[RANK], "reduce")
    out = [Tensor(np.zeros((2, 3), np.float32)) for _ in range(SIZE)]
    dist.all_to_all(out, [Tensor(everyone[RANK] + i) for i in range(SIZE)])
    same(np.stack([o.asnumpy() for o in out]), np.stack(everyone) + np.float32(RANK), "all_to_all")
    rows = list(range(SIZE))  # member i has i rows
    whole = Tensor(np.zeros((sum(rows), 2), np.float32))
    dist.all_gather_into_tensor_uneven(whole, Tensor(np.full((RANK, 2), RANK, np.float32)), rows)
    want = np.concatenate([np.full((r, 2), r, np.float32) for r in rows])
    same(whole, want, "all_gather_into_tensor_uneven")
    part = Tensor(np.zeros((RANK, 2), np.float32))
    dist.reduce_scatter_tensor_uneven(part, whole, rows)
    same(part, np.full((RANK, 2), RANK * SIZE, np.float32), "reduce_scatter_tensor_uneven")
    gathered = Tensor(np.zeros((2 * SIZE, 3), np.float32))
    ops.communication.gather_into_tensor(gathered, x, 1)
    same(gathered, np.concatenate(everyone) if RANK == 1 else np.zeros((2 * SIZE, 3), np.float32), "gather_into_tensor")
    part = Tensor(np.zeros((2, 3), np.float32))
    ops.scatter_tensor(part, gathered, 1)
    same(part, everyone[RANK], "scatter_tensor")
    dist.scatter(part, [Tensor(everyone[1] * (i + 1)) for i in range(SIZE)] if RANK == 1 else [], 1)
    # A column of a larger tensor is written where it stands.
    big = Tensor(np.zeros((2, SIZE), np.float32))
    dist.broadcast(big[:, 0], 0)
    found = [None] * SIZE
    dist.all_gather_object(found, {"rank": RANK, "text": "x" * RANK})
    assert found == [{"rank": r, "text": "x" * r} for r in range(SIZE)]
    objects = ["a", 1, RANK] if RANK == 1 else [None] * 3
    dist.broadcast_object_list(objects, 1)
    assert objects == ["a", 1, 1]
    found = [None] * SIZE
    dist.gather_object(RANK, found, 1)
    assert found == (list(range(SIZE)) if RANK == 1 else [None] * SIZE)
    mine = [None]
    dist.scatter_object_list(mine, [(r, "yours" * r) for r in range(SIZE)] if RANK == 0 else None, 0)
    assert mine == [(RANK, "yours" * RANK)]
    assert comm.get_local_rank() == RANK and comm.get_local_rank_size() == SIZE


def messages():
    after, before = (RANK + 1) % SIZE, (RANK - 1) % SIZE
    x = Tensor(data(RANK))
    handle = cf.isend(x, after)
    same(cf.recv(x, before), data(before), "ring")
    handle.wait()
    big = np.arange(1 << 20, dtype=np.float32)
    out, coming = cf.irecv(Tensor(big), before)
    handle = cf.isend(Tensor(big + RANK), after)
    coming.wait(), handle.wait()
    same(out, big + np.float32(before), "large")
    got = cf.batch_isend_irecv([cf.P2POp("isend", x, after), cf.P2POp("irecv", tuple(x.shape), before, recv_dtype=ms.float32)])
    same(got[1], data(before), "batch")
    y = Tensor(np.zeros_like(data(0)))
    for handle in dist.batch_isend_irecv([dist.P2POp(dist.irecv, y, before), dist.P2POp(dist.isend, x, after)]):
        handle.wait()
    same(y, data(before), "mint batch")
    if RANK == 0:
        dist.send_object_list(["hello", 5], 1)
        cf.send(Tensor(np.zeros(3, np.float32)), 1)
        cf.send(Tensor(np.zeros(4, np.int32)), 1)
    elif RANK == 1:
        objects = [None, None]
        dist.recv_object_list(objects, 0)
        assert objects == ["hello", 5]
        refused(ValueError, "from rank 0, got float32 (3,), expected float32 (2,)", lambda: cf.recv(Tensor(np.zeros(2, np.float32)), 0))
        refused(TypeError, "from rank 0, got int32 (4,), expected float32 (4,)", lambda: cf.recv(Tensor(np.zeros(4, np.float32)), 0))
    refused(ValueError, "the process itself", lambda: cf.send(x, RANK))
    refused(ValueError, "the process itself", lambda: dist.irecv(x, RANK))
    refused(ValueError, "got %d, expected one of the group's" % SIZE, lambda: cf.send(x, SIZE))
    refused(TypeError, "expected an int", lambda: cf.send(x, "1"))


def gradients():
    """The loss of all processes is the sum of theirs; each gets the gradient by its own input."""
    x, weight = Tensor(data(RANK)), [data(50 + r) for r in range(SIZE)]
    everyone = [data(r) for r in range(SIZE)]

    def gradient(call, w):
        return ms.grad(lambda x: (call(x) * Tensor(w)).sum())(x)
    total = np.add.reduce(weight)
    same(gradient(ops.AllReduce(), weight[RANK]), total, "sum")
    largest = np.maximum.reduce(everyone)
    same(gradient(ops.AllReduce("max"), weight[RANK]), total * (everyone[RANK] == largest), "max")
    product = np.multiply.reduce(everyone)
    got = gradient(ops.AllReduce("prod"), weight[RANK]).asnumpy()
    assert np.allclose(got, total * product / everyone[RANK], rtol=1e-5), "prod"
    wide = [np.concatenate([w] * SIZE) * (r + 1) for r, w in enumerate(weight)]
    rows = slice(RANK * len(weight[0]), (RANK + 1) * len(weight[0]))
    same(gradient(ops.AllGather(), wide[RANK]), np.add.reduce(wide)[rows], "AllGather")
    small = [w[:2] for w in weight]
    same(gradient(ops.ReduceScatter(), small[RANK]), np.concatenate(small), "ReduceScatter")
    swapped = gradient(ops.AlltoAll(SIZE, 0, 1), np.concatenate([small[RANK] + np.float32(r) for r in range(SIZE)], 1))
    same(swapped, np.concatenate([s + np.float32(RANK) for s in small]), "AlltoAll")
    same(gradient(lambda x: ops.Broadcast(0)((x,))[0], weight[RANK]), weight[RANK], "Broadcast")  # as MindSpore has it
    scattered = gradient(ops.CollectiveScatter(1), small[RANK])
    same(scattered, np.concatenate(small) if RANK == 1 else np.zeros_like(data(0)), "CollectiveScatter")
    rows = list(range(1, SIZE + 1))
    flat, own = Tensor(np.arange(sum(rows), dtype=np.float32)), slice(sum(rows[:RANK]), sum(rows[:RANK + 1]))
    got = ms.grad(lambda x: (ops.AllGatherV()(x, rows) * Tensor(flat) * (RANK + 1)).sum())(Tensor(flat.asnumpy()[own]))
    same(got, flat.asnumpy()[own] * np.float32(sum(rows)), "AllGatherV")
    got = ms.grad(lambda x: (ops.ReduceScatterV()(x, rows) * (RANK + 1)).sum())(flat)
    same(got, np.repeat(np.array(rows, np.float32), rows), "ReduceScatterV")
    got = ms.grad(lambda x: (ops.AlltoAllV()(x, rows, [RANK + 1] * SIZE) * (RANK + 1)).sum())(flat)
    same(got, np.repeat(np.array(rows, np.float32), rows), "AlltoAllV")
    if RANK < 2:  # a network in two parts: what comes back to rank 0 is the gradient of rank 1's loss
        if RANK == 0:
            got = ms.grad(lambda x: ops.Send(3, 1)(x * 2).sum())(Tensor([1.0, 2.0]))
            same(got, np.array([8, 16], np.float32), "Send")
        else:
            receive = ops.Receive(3, 0, [2], ms.float32)
            value, got = ms.value_and_grad(lambda x: (receive(x) ** 2).sum())(Tensor([7.0]))
            assert float(value) == 20 and got.asnumpy().tolist() == [0]
    square = ms.grad(lambda x: (ops.AllReduce()(x * x) ** 2).sum())(x).asnumpy()
    want = 4 * SIZE * everyone[RANK] * np.add.reduce([e * e for e in everyone])
    assert np.allclose(square, want, rtol=1e-5), "a square"
    again = ms.grad(lambda x: ms.grad(lambda x: (ops.AllReduce()(x) ** 3).sum())(x).sum())(x).asnumpy()
    assert np.allclose(again, 6 * SIZE ** 2 * np.add.reduce(everyone), rtol=1e-5), "a second gradient"
    refused(RuntimeError, "expected 'sum'", lambda: gradient(ops.ReduceScatter("max"), small[RANK]))


def captured():
    """In compiled functions a call is made once, where it stands, and counts from call to call."""
    calls = []

    def step(x, scale):
        y = ops.tanh(x) * scale
        z = ops.AllReduce()(y)
        calls.append(1)
        return ops.AllGather()(z + 1).sum() * ops.AllReduce("max")(y)

    want = step(Tensor(data(RANK)), 0.5).asnumpy()
    for mode in ("PIJit", "PSJit"):
        fn, before = ms.jit(step, mode=mode) if mode == "PIJit" else ms.jit(step), len(calls)
        for i in range(20):
            got = fn(Tensor(data(RANK)) * (1 + i), 0.5 / (1 + i))
            assert got.shape == want.shape
        assert np.allclose(fn(Tensor(data(RANK)), 0.5).asnumpy(), want, rtol=1e-5), mode
        assert len(calls) == before + 21, (mode, len(calls) - before)
    if not os.environ.get("MSJIT_BREAK_EVERY"):  # which ends regions for another reason
        whole = ms.jit(lambda x: ops.AllReduce()(x) + 1, mode="PIJit", fullgraph=True)
        same(whole(Tensor([1.0])), np.full(1, 1 + SIZE, np.float32), "one graph")
        sends = ms.jit(lambda x: cf.send(x, (RANK + 1) % SIZE), mode="PIJit", fullgraph=True)
        refused(ms.CompileError, "send waits for other processes", lambda: sends(Tensor([1.0])))

    def differentiated(x):
        return ms.value_and_grad(lambda x: (ops.AllReduce()(ops.sin(x)) ** 2).sum())(x)
    want = differentiated(Tensor(data(RANK)))
    for fn in (ms.jit(differentiated, mode="PIJit"), ms.jit(differentiated)):
        for _ in range(5):
            got = fn(Tensor(data(RANK)))
            assert all(np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5) for a, b in zip(got, want))


def differences():
    """What the processes do not agree on is an error on all of them, which names it; and they go on together."""
    text = refused(ValueError, "[AllReduce] input, got float32 (2,)", lambda: ops.AllReduce()(Tensor(np.zeros(2 + RANK // (SIZE - 1), np.float32))))
    assert "float32 (3,), sum on rank %d, expected the same on all ranks" % (SIZE - 1) in text, text
    text = refused(TypeError, "[AllReduce] dtype", lambda: ops.AllReduce()(Tensor(np.zeros(2, np.int32 if RANK == 1 else np.float32))))
    assert "int32 (2,), sum on rank 1" in text, text
    text = refused(ValueError, "input", lambda: ops.AllReduce("max" if RANK == 0 else "sum")(Tensor([1.0])))
    assert "max on rank 0" in text, text
    refused(RuntimeError, "call, got", lambda: cf.barrier() if RANK == 0 else ops.AllReduce()(Tensor([1.0])))
    refused(ValueError, "from rank", lambda: cf.broadcast(Tensor([1.0]), RANK % 2))
    same(ops.AllReduce()(Tensor([1.0])), np.full(1, SIZE, np.float32), "and on")
    refused(ValueError, "got 'nobody'", lambda: ops.AllReduce("sum", "nobody")(Tensor([1.0])))
    refused(ValueError, "expected one from 0 to %d" % (SIZE - 1), lambda: ops.Broadcast(SIZE))
    refused(TypeError, "'mean'", lambda: cf.all_reduce(Tensor([1.0]), "mean"))


def groups():
    if SIZE < 4:
        refused(ValueError, "ranks from 0 to 1", lambda: comm.create_group("g", [0, 1, 2]))
        return
    even, mine = RANK % 2 == 0, [r for r in range(SIZE) if r % 2 == RANK % 2]
    name = "even" if even else "odd"
    comm.create_group(name, mine[::-1])
    comm.create_group(name, mine)  # it is there
    assert (comm.get_rank(name), comm.get_group_size(name)) == (RANK // 2, 2) and comm.get_process_group_ranks(name) == mine
    assert comm.get_world_rank_from_group_rank(name, 1) == mine[1] and comm.get_group_rank_from_world_rank(mine[1], name) == 1
    want = np.add.reduce([data(r) for r in mine])
    same(ops.AllReduce("sum", name)(Tensor(data(RANK))), want, "AllReduce of a group")
    same(cf.broadcast(Tensor(data(RANK)), mine[1], name), data(mine[1]), "broadcast of a group")
    same(ms.grad(lambda x: ops.AllReduce("sum", name)(x).sum())(Tensor([1.0])), np.full(1, 2, np.float32), "gradient of a group")
    if RANK == mine[0]:
        cf.send(Tensor([5.0]), mine[1], name)
    else:
        same(cf.recv(Tensor([0.0]), mine[0], name), np.full(1, 5, np.float32), "message of a group")
    other = "odd" if even else "even"
    refused(ValueError, "got %r" % other, lambda: comm.get_rank(other))
    assert dist.get_rank(other) == -1
    refused(ValueError, "which has the ranks", lambda: comm.create_group(name, [RANK]))
    refused(ValueError, "each rank once", lambda: comm.create_group("twice", [RANK, RANK]))
    refused(ValueError, "this process among them", lambda: comm.create_group("others", [(RANK + 1) % SIZE]))
    refused(TypeError, "expected a list", lambda: comm.create_group("others", 3))
    comm.destroy_group(name)
    refused(ValueError, "got %r" % name, lambda: comm.get_rank(name))
    three = dist.new_group([0, 1, 2])
    if RANK < 3:
        y = Tensor([float(RANK)])
        dist.all_reduce(y, group=three)
        same(y, np.full(1, 3, np.float32), "new_group")
    else:
        assert three == ""


for part in (reductions, moves, in_place, messages, gradients, captured, differences, groups):
    part()
    comm.comm_func.barrier()
print("done %d" % RANK)
sys.stdout.flush()
