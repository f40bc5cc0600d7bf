"""Profiler: events of eager ops, regions, kernels, captures and breaks; the trace; the summary; misuse."""
import json
import os

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit, ops

A = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
B = Tensor(np.ones((4, 5), np.float32))


def found(profiler, kind):
    return [event for event in profiler.events if event.kind == kind]


def test_eager_ops(tmp_path):
    with ms.Profiler(output_path=str(tmp_path / "deep" / "er")) as profiler:
        ops.relu(ops.matmul(A, B))
    ops.relu(A)  # nobody looks any more
    product, relu = found(profiler, "op")
    assert (product.name, product.flops, product.bytes) == ("matmul", 2 * 3 * 4 * 5, 4 * (12 + 20 + 15))
    assert (relu.name, relu.flops, relu.bytes) == ("relu", 15, 4 * 30)
    assert 0 < product.duration and product.begin + product.duration <= relu.begin
    text = profiler.summary()
    assert "op matmul" in text and "GB/s" in text and "GFLOP/s" in text
    trace = json.loads((tmp_path / "deep" / "er" / "trace_view.json").read_text())["traceEvents"]
    assert [row["name"] for row in trace] == ["matmul", "relu"] and trace[0]["ph"] == "X"
    assert trace[0]["args"] == {"bytes": product.bytes, "flops": product.flops} and trace[0]["pid"] == os.getpid()


def test_convolutions_and_their_gradients():
    x, w = Tensor(np.ones((2, 3, 8, 8), np.float32)), Tensor(np.ones((4, 3, 3, 3), np.float32))
    profiler = ms.Profiler(start_profile=False)
    profiler.start()
    ms.grad(lambda x, w: ops.conv2d(x, w).sum(), (0, 1))(x, w)
    profiler.stop()
    work = {event.name: event.flops for event in found(profiler, "op")}
    assert work["conv2d"] == work["conv2d_input_grad"] == work["conv2d_weight_grad"] == 2 * (2 * 4 * 6 * 6) * 27


@pytest.mark.jit
@pytest.mark.captures
def test_regions_and_kernels(tmp_path):
    @ms.jit(mode="PIJit")
    def fn(x):
        y = ops.tanh(x * 2) + 1
        if len(os.environ) >= 0:
            os.getpid()
        return ops.softmax(ops.matmul(y, B))

    with ms.Profiler(start_profile=True, output_path=str(tmp_path)) as profiler:
        first = fn(A)
        second = fn(A)
    assert np.array_equal(first.asnumpy(), second.asnumpy())
    assert len(found(profiler, "region")) >= 4 and all("fn, line" in e.name for e in found(profiler, "region"))
    assert found(profiler, "capture") and found(profiler, "break")
    assert any("mul" in e.name and "tanh" in e.name for e in found(profiler, "kernel"))
    assert any(e.name == "matmul" and e.flops == 2 * 3 * 4 * 5 for e in found(profiler, "kernel"))
    assert not found(profiler, "op")
    region, kernel = found(profiler, "region")[0], found(profiler, "kernel")[0]
    assert region.begin <= kernel.begin and kernel.duration <= region.duration


@pytest.mark.jit
def test_results_are_those_without_it(tmp_path):
    net = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.ReLU(), ms.nn.Dense(8, 2))
    step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    plain = step(A)
    with ms.Profiler(output_path=str(tmp_path)):
        for fn in (step, ms.jit(step, mode="PIJit"), ms.jit(step, mode="PIJit")):
            value, grads = fn(A)
            assert np.allclose(value.asnumpy(), plain[0].asnumpy())
            assert all(np.allclose(a.asnumpy(), b.asnumpy()) for a, b in zip(grads, plain[1]))


def test_misuse(tmp_path):
    with pytest.raises(TypeError, match=r"\[Profiler\] schedule, got int, expected a function or None"):
        ms.Profiler(schedule=3)
    with pytest.raises(TypeError, match=r"\[Profiler\] output_path, got int, expected a path"):
        ms.Profiler(output_path=3)
    profiler = ms.Profiler(output_path=str(tmp_path))
    with pytest.raises(RuntimeError, match="a profiler that is running"):
        ms.Profiler()
    with pytest.raises(RuntimeError, match="a profiler that is running"):
        ms.Profiler(start_profile=False).start()
    profiler.start()  # it goes on, as in MindSpore
    profiler.stop()
    with pytest.raises(RuntimeError, match="a profiler that is not running"):
        profiler.stop()
    profiler.start()
    ops.relu(A)
    profiler.analyse()
    assert [event.name for event in profiler.events] == ["relu"]
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        with ms.Profiler(output_path=str(tmp_path / "file")):
            ops.relu(A)
    ms.Profiler(start_profile=False).summary()


def test_an_error_inside_ends_it(tmp_path):
    with pytest.raises(ZeroDivisionError):
        with ms.Profiler(output_path=str(tmp_path)) as profiler:
            ops.relu(A)
            1 / 0
    assert len(profiler.events) == 1
    assert _msjit.profile_stop() == ([], 0)


def test_names_of_mindspore():
    from msjit.profiler import Profiler
    assert ms.Profiler is Profiler and ms.profiler.Profiler is Profiler
