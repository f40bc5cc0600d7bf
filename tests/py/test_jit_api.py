"""jit as users call it: forms of decoration, methods, Cells, modes, errors; explain, stats, reset, config, skip."""
import functools
import gc
import json
import os
import pickle
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit, nn, ops
from msjit.testing import check

needs_jit = pytest.mark.skipif(not ms.has_jit, reason="no bytecode JIT here")
X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) / 3)


def plain(x, y=2.0):
    """Docs of plain."""
    return ops.tanh(x) * y + x


class Net(nn.Cell):
    def __init__(self, mode=None):
        super().__init__()
        self.dense = nn.Dense(3, 4)

    def construct(self, x):
        return ops.relu(self.dense(x))


@needs_jit
@pytest.mark.captures
@pytest.mark.parametrize("make", [
    lambda: ms.jit(plain, mode="PIJit"), lambda: ms.jit(mode="PIJit", jit_config={"loop_unrolling": True})(plain),
    lambda: ms.jit(function=plain, capture_mode="bytecode"),
    lambda: ms.jit(plain, mode="PIJit", dynamic=1, jit_level="O1", backend="ms_backend",
                   input_signature=None, jit_config=ms.JitConfig(jit_level="O0"), hash_args=None, compile_once=True),
    lambda: ms.jit(ms.jit(plain), mode="PIJit"), lambda: ms.jit(ms.jit(plain, mode="PIJit"), mode="PIJit")])
def test_functions(make):
    fn = make()
    assert fn.__wrapped__ is plain and fn.__name__ == "plain" and fn.__doc__ == "Docs of plain."
    before = ms.stats()["graph_ops"]
    for _ in range(3):
        assert np.array_equal(fn(X).asnumpy(), plain(X).asnumpy())
        assert np.array_equal(fn(X, y=3.0).asnumpy(), plain(X, 3.0).asnumpy())
    assert ms.stats()["graph_ops"] > before


@needs_jit
def test_methods_and_cells():
    net, want = Net(), None
    want = net(X).asnumpy()
    bound = ms.jit(net.construct, mode="PIJit")
    of_class = ms.jit(Net.construct, mode="PIJit")
    whole = ms.jit(net, mode="PIJit")
    for _ in range(3):
        assert np.array_equal(bound(X).asnumpy(), want)
        assert np.array_equal(of_class(net, X).asnumpy(), want)
        assert np.array_equal(whole(X).asnumpy(), want)
    assert whole.__wrapped__ is net and whole.dense is net.dense
    assert [p.name for p in whole.trainable_params()] == ["dense.weight", "dense.bias"]
    whole.set_train()
    assert net.training
    net.construct = bound
    assert np.array_equal(net(X).asnumpy(), want)
    outer = nn.SequentialCell()
    outer.part = whole
    assert [p.name for p in outer.trainable_params()] == ["part.dense.weight", "part.dense.bias"]


@needs_jit
def test_decorated_construct():
    class Decorated(Net):
        @ms.jit(mode="PIJit")
        def construct(self, x):
            return ops.relu(self.dense(x)) + 1
    a, b = Decorated(), Decorated()
    for net in (a, b, a):
        assert np.array_equal(net(X).asnumpy(), (ops.relu(net.dense(X)) + 1).asnumpy())


@needs_jit
def test_weights_are_read_at_every_call():
    net = Net()
    fn = ms.jit(net, mode="PIJit")
    fn(X)
    for value in (0.0, 1.0):
        net.dense.weight.set_data(Tensor(np.full((4, 3), value, np.float32)))
        assert np.array_equal(fn(X).asnumpy(), net(X).asnumpy())
    net.dense = nn.Dense(3, 2)
    assert fn(X).shape == (2, 2)


@needs_jit
def test_static_and_class_methods_partials_and_callables():
    class Host:
        @staticmethod
        @ms.jit(mode="PIJit")
        def plus(x):
            return x + 1

        @ms.jit(mode="PIJit")
        @classmethod
        def name(cls, x):
            return x + len(cls.__name__)

        def __call__(self, x):
            return x * 3
    assert np.array_equal(Host.plus(X).asnumpy(), X.asnumpy() + 1)
    assert np.array_equal(Host.name(X).asnumpy(), X.asnumpy() + 4)
    assert np.array_equal(ms.jit(Host(), mode="PIJit")(X).asnumpy(), X.asnumpy() * 3)
    part = ms.jit(functools.partial(plain, y=4.0), mode="PIJit")
    assert np.array_equal(part(X).asnumpy(), plain(X, 4.0).asnumpy())
    assert ms.jit(len, mode="PIJit") is len


@needs_jit
def test_fullgraph_raises():
    @ms.jit(mode="PIJit", fullgraph=True)
    def f(x):
        y = x + 1
        time.time()
        return y * 2
    with pytest.raises(ms.CompileError, match="cannot capture the whole of f"):
        f(X)


@needs_jit
def test_fullgraph_is_a_matter_of_each_wrapper():
    def f(x):
        y = x + 1
        time.time()
        return y * 2
    whole, loose = ms.jit(f, mode="PIJit", fullgraph=True), ms.jit(f, mode="PIJit")
    with pytest.raises(ms.CompileError):
        whole(X)
    for _ in range(3):
        assert np.array_equal(loose(X).asnumpy(), (X.asnumpy() + 1) * 2)


@pytest.mark.parametrize("call, error, text", [
    (lambda: ms.jit(plain, mode="fast"), ValueError, r"\[jit\] mode, got 'fast'"),
    (lambda: ms.jit(plain, capture_mode="x"), ValueError, "capture_mode, got 'x'"),
    (lambda: ms.jit(plain, fullgraph=1), TypeError, "fullgraph must be a bool, got int"),
    (lambda: ms.jit(plain, jit_level="O9"), ValueError, r"\[jit\] jit_level, got 'O9'"),
    (lambda: ms.jit(plain, dynamic=5), ValueError, r"\[jit\] dynamic, got 5"),
    (lambda: ms.jit(plain, ful_graph=True), TypeError, "unknown keyword 'ful_graph'"),
    (lambda: ms.jit(plain, jit_config=3), TypeError, "jit_config, got int, expected a JitConfig or a dict"),
    (lambda: ms.JitConfig(jit_syntax_level="LOOSE"), ValueError, r"\[jit_config\] jit_syntax_level, got 'LOOSE'"),
    (lambda: ms.JitConfig(jit_level="O3"), ValueError, "jit_level, got 'O3'"),
    (lambda: ms.set_context(jit_syntax_level=7), ValueError, "jit_syntax_level, got 7"),
    (lambda: ms.set_context(jit_config=3), TypeError, "jit_config, got int, expected a dict"),
    (lambda: ms.set_context(jit_config={"zz": 1}), ValueError, r"\[set_context\] key of jit_config, got 'zz', expected one of"),
    (lambda: ms.set_context(jit_config={"jit_level": "O7"}), ValueError, r"\[jit_config\] jit_level, got 'O7', expected one of"),
    (lambda: ms.set_context(jit_level="O7"), ValueError, r"\[set_context\] jit_level, got 'O7', expected 'O0', 'O1' or 'O2'"),
    (lambda: ms.jit(plain, backend=3), TypeError, r"\[jit\] backend, got int, expected a str"),
    (lambda: ms.jit(plain, backend="nope"), ValueError, r"\[jit\] backend, got 'nope', expected one of"),
    (lambda: ms.jit(plain, exec_order="z"), ValueError, r"\[jit\] exec_order, got 'z', expected one of \['bfs', 'dfs'\]"),
    (lambda: ms.jit(plain, infer_boost=True), TypeError, r"\[jit\] infer_boost, got bool, expected a str"),
    (lambda: ms.jit(plain, ge_options=3), TypeError, r"\[jit\] ge_options, got int, expected a dict"),
    (lambda: ms.jit(plain, mode="PIJit", capture_mode="ast"), ValueError,
     r"\[jit\] mode together with capture_mode='ast', got 'PIJit', expected 'PSJit'"),
    (lambda: ms.jit_class(Net), TypeError, r"\[jit_class\] class, got the Cell Net"),
    (lambda: ms.jit(3), TypeError, "expected a function, a method, a Cell or a class of Cells, got int"),
    (lambda: ms.jit(int), TypeError, "expected a function, a method, a Cell or a class of Cells, got int"),
    (lambda: ms.skip(3), TypeError, r"\[skip\] expected a function"),
    (lambda: ms.config.nonsense, AttributeError, "unknown limit 'nonsense'")])
def test_bad_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_what_mindspore_accepts():
    assert ms.JitConfig(foo=1).jit_config_dict["foo"] == 1  # options of the backend
    for options in (dict(backend=""), dict(backend="GE"), dict(exec_order="dfs"), dict(infer_boost="on"), dict(ge_options={}),
                    dict(backend=None), dict(exec_mode="O"), dict(mode="PSJit", capture_mode="ast"), dict(mode="PIJit", capture_mode="bytecode")):
        assert ms.jit(plain, **options)(X).tolist() == plain(X).tolist()
    try:
        ms.set_context(jit_level="O1", jit_config={"jit_level": "O1", "infer_boost": "on", "exec_mode": "sink"})
        assert ms.get_context("jit_level") == "O1"
    finally:
        ms.set_context(jit_level="", jit_config={})


@pytest.mark.parametrize("name, bad, good", [
    ("MSJIT_NUM_THREADS", ["x", "0", "-1", "1.5", "2x"], ["1", "3", "", " 2 "]),
    ("MSJIT_BREAK_EVERY", ["x", "-3", "1e3"], ["0", "7", ""]), ("MSJIT_STRICT", ["yes", "2"], ["0", "1"]),
    ("MSJIT_CHECK", ["on"], ["1"])])
def test_values_of_the_environment(capsys, monkeypatch, name, bad, good):
    check = sys.modules["msjit.config"].warn_about_environment
    for value in good:
        monkeypatch.setenv(name, value)
        check()
        assert capsys.readouterr() == ("", "")
    for value in bad:
        monkeypatch.setenv(name, value)
        check()
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("msjit: [%s] value, got %r, expected " % (name, value)) and err.count("\n") == 1


def test_a_wrong_value_is_said_once():
    got = subprocess.run([sys.executable, "-c", "import msjit, msjit.cli, msjit.testing"], stderr=subprocess.PIPE,
                         env=dict(os.environ, MSJIT_NUM_THREADS="many"), universal_newlines=True)
    assert got.returncode == 0 and got.stderr.count("MSJIT_NUM_THREADS") == 1


@pytest.mark.skipif(ms.has_jit, reason="there is a bytecode JIT here")
def test_without_a_jit_functions_come_back_with_one_warning():
    import msjit.jit  # noqa: F401
    del sys.modules["msjit.jit"]._warned[:]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert ms.jit(plain, mode="PIJit") is plain
        net = Net()
        assert ms.jit(net, mode="PIJit") is net
    assert len(caught) == 1 and "bytecode JIT is built for CPython" in str(caught[0].message)


@needs_jit
@pytest.mark.captures
def test_explain():
    def broken(x):
        y = ops.tanh(x) + 1
        time.time()
        return ops.relu(y)
    found = ms.explain(broken, X)
    assert found.name == "broken" and found.calls == 2 and len(found.regions) == 2
    assert [b["line"] - found.line for b in found.breaks] == [2] and found.breaks[0]["reason"] == "call_unknown"
    np.testing.assert_allclose(found.result.asnumpy(), np.maximum(np.tanh(X.asnumpy()) + 1, 0), rtol=1e-5)
    text = str(found)
    assert 'time.time()' in text and "x.shape == (2, 3)" in text and "tanh(%0)" in text
    assert set(found.totals) == set(ms.stats())
    json.dumps(found.to_dict())
    again = ms.explain(broken, X)
    assert len(again.breaks) == 1 and again.recompiles == []
    whole = ms.explain(Net(), X)
    assert whole.name == "construct" and not whole.breaks and whole.regions[0]["ops"] == 2
    assert "no graph breaks" in str(whole) and "linear" in whole.graphs()


@needs_jit
@pytest.mark.captures
def test_runs_stay_counted_when_a_callee_dies():
    """explain computes the runs of a call as the difference of two counts, so the count must not drop when a callee and its entries die."""
    @ms.jit(mode="PIJit")
    def step(x):
        return callee(x)
    counts = []
    for text in ("lambda x: x + 1", "lambda x: x + 2", "lambda x: x + 3"):
        callee = eval(text)
        for _ in range(3):
            step(X)
        found, = [r["regions"] for r in _msjit.explain_json() if r["name"] == "step" and r["file"] == __file__]
        counts.append(sum(region["hits"] for region in found))
        callee = None
        gc.collect()
    assert counts[0] >= 2 and counts == [counts[0] * i for i in (1, 2, 3)]


@needs_jit
@pytest.mark.captures
def test_stats_reset_and_config():
    fn = ms.jit(plain, mode="PIJit")
    fn(X)
    ms.reset()
    assert all(value == 0 for key, value in ms.stats().items() if key != "pool_bytes")
    fn(X)
    fn(X)
    assert ms.stats()["graph_ops"] == 6 and ms.stats()["eager_ops"] == 0
    kept = ms.config.max_entries_per_pc
    ms.config.max_entries_per_pc = 3
    assert ms.config.max_entries_per_pc == 3 and "max_entries_per_pc" in dir(ms.config)
    ms.config.max_entries_per_pc = kept
    for bad in (True, 1.5, "x"):
        with pytest.raises(TypeError, match="max_entries_per_pc must be an int"):
            ms.config.max_entries_per_pc = bad
    with pytest.raises(ValueError, match="must not be negative"):
        ms.config.max_entries_per_pc = -1
    ms.config.enabled = False
    try:
        fn(X)
        assert ms.stats()["graph_ops"] == 6 and ms.stats()["eager_ops"] == 3
    finally:
        ms.config.enabled = True


@needs_jit
@pytest.mark.captures
def test_totals_keep_what_dead_functions_counted():
    ms.reset()
    program = "def f(x):\n    y = x + 1\n    open\n    globals()\n    return y * 2"
    for _ in range(3):
        space = {}
        exec(program, space)  # noqa: S102
        jitted = ms.jit(space.pop("f"), mode="PIJit")
        jitted(Tensor([1.0])), jitted(Tensor([1.0]))
        before = ms.stats()
        del jitted
        gc.collect()
        after = ms.stats()
        assert after.pop("compile_ms") >= before.pop("compile_ms") > 0  # kernels are compiled meanwhile
        assert {**after, "pool_bytes": 0} == {**before, "pool_bytes": 0}
    assert after["calls"] == 6 and after["breaks"] >= 3


def test_explain_without_captures():
    assert isinstance(str(ms.explain(lambda x: x, 3)), str)


def mutates(items, x):
    items.append(x + 1)
    print("appended", len(items))
    return {"sum": items[0] + items[-1], "n": len(items)}


def raises(x):
    if x.shape[0] == 2:
        raise ValueError("shape %s" % (x.shape,))
    return x


def loops(x, n):
    total = ops.zeros_like(x)
    for i in range(n):
        if i % 2:
            continue
        total = total + x * i
    return total, [i for i in range(n)], total.shape


def wrong_shapes(x):
    return x @ x


def test_check_helper():
    check(plain, X, expect=lambda x: np.tanh(x) * 2 + x)
    check(mutates, [X], X)
    check(raises, X)
    check(loops, X, 5)
    check(wrong_shapes, X)
    check(lambda x: ops.dropout(x, 0.5) + ops.randn(2, 3), X)
    if ms.has_jit:
        state = {"n": 0}

        def differs(x):
            state["n"] += 1
            return x + state["n"]
        with pytest.raises(AssertionError, match="values differ"):
            check(differs, X)


def test_every_name_of_the_extension_is_reachable():
    assert ms.Tensor is _msjit.Tensor and ms.CompileError is _msjit.CompileError


MADE_ANEW = """
def made(x, log):
    log.append(1)
    return ops.tanh(x * 2 + 1) * w
"""


@pytest.mark.costly
@pytest.mark.captures
def test_codes_compiled_anew_for_each_call_are_not_captured_each_time():
    """Code of the same text that is compiled for each call is captured only the first 64 times. A function that lives longer is still captured."""
    _msjit.reset()
    x, log, space = Tensor([1.0, 2.0]), [], {"ops": ops, "w": Tensor([3.0, 4.0])}

    def make(text=MADE_ANEW):
        names = dict(space)
        exec(text, names)
        return names["made"]

    want = make()(x, []).asnumpy().tolist()

    def captures(function):
        before = _msjit.stats()["captured_calls"]
        gc.collect()  # a function and its globals are in a reference cycle
        assert function(x, log).asnumpy().tolist() == want
        return _msjit.stats()["captured_calls"] > before

    captured = [captures(ms.jit(make(), mode="PIJit")) for _ in range(80)]
    assert len(log) == 80 and captured[:64] == [True] * 64 and not any(captured[65:])
    assert captures(ms.jit(make(MADE_ANEW.replace("x * 2 + 1", "1 + 2 * x")), mode="PIJit"))  # another text
    kept = ms.jit(make(), mode="PIJit")
    assert [captures(kept) for _ in range(5)] == [False, True, True, True, True]


@pytest.mark.captures
def test_decorators_and_calls_of_all_kinds():
    def add_one(x):
        return x + 1

    for made in (ms.jit(add_one), ms.jit(mode="PIJit")(add_one), ms.jit()(add_one), ms.jit(function=add_one, mode="PIJit"),
                 ms.jit(mode="PSJit", fullgraph=True)(add_one), ms.jit(mode="PIJit")(ms.jit(add_one)), ms.jit(ms.jit(mode="PIJit")(add_one))):
        assert made.__wrapped__ is add_one and made(Tensor([1.0])).asnumpy().tolist() == [2.0]
    assert pickle.loads(pickle.dumps(ms.jit(mode="PIJit")))(len) is len
    with pytest.raises(ValueError, match="mode, got"):
        ms.jit(mode=["PIJit"])
    with pytest.raises(TypeError, match="expected a function, a method, a Cell or a class of Cells, got int"):
        ms.jit(mode="PIJit")(3)


@pytest.mark.jit
@pytest.mark.captures
def test_explain_tells_functions_of_one_place_apart():
    def made():
        names = {"ops": ms.ops}
        exec("def f(x):\n    return ops.tanh(x) * 2\n", names)
        return names["f"]
    x, kept = Tensor(np.ones(3, np.float32)), [made() for _ in range(3)]
    for f in kept * 2:
        explained = ms.explain(f, x)
        assert [(r["name"], r["calls"]) for r in explained.functions] == [("f", 2)]
        assert explained.regions[0]["hits"] == 2 and explained.regions[0]["misses"] == 0
