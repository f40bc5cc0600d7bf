"""PSJit's levels: which level applies to a function, also if another function calls it. Level STRICT must decide the same whatever ran
before, and on several threads."""
import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import JitConfig, Tensor, _msjit, nn

pytestmark = [pytest.mark.jit, pytest.mark.captures]
REFUSED = "level STRICT of PSJit, got a set"
STRICT, LAX = JitConfig(jit_syntax_level="STRICT"), JitConfig(jit_syntax_level="LAX")


def x2():
    return Tensor(np.float32([1, 2]))


@pytest.fixture
def context():
    yield ms.set_context
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX)


# -- threads --------------------------------------------------------------------------------------------------------------

THREADS = """
import sys, threading
import msjit as ms
import psjit_threads as m
sys.setswitchinterval(1e-5)
barrier = threading.Barrier(8)
def work(i):
    f = ms.jit(getattr(m, "f%d" % i), fullgraph=True)
    barrier.wait()
    assert f(ms.Tensor([1.0]), m.g).tolist() == [2.0 + i]
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print("done")
"""


def test_first_strict_calls_on_several_threads(tmp_path):
    text = "def g(x):\n    return x * 2\n" + "".join("def f%d(x, g):\n    return g(x) + %d\n" % (i, i) for i in range(8))
    (tmp_path / "psjit_threads.py").write_text(text)
    (tmp_path / "program.py").write_text(THREADS)
    done = subprocess.run([sys.executable, "program.py"], cwd=str(tmp_path), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    assert done.stdout == "done\n", done.stderr


# -- what ran before ------------------------------------------------------------------------------------------------------


def turns(x, n):
    for i in range(n):
        x = x + i
    return x


def turns_with_texts(x, n):
    for i in range(n):
        x = x + len(str(i))
    return x


def turns_on_rows(x):
    for row in x:
        x = x + row
    return x


@pytest.mark.parametrize("before", [[], [{}], [{"mode": "PIJit"}]], ids=["alone", "LAX", "PIJit"])
@pytest.mark.parametrize("order", [list(range(17, 31)), [60, 3, 61, 70, 5], [3, 4, 5, 6, 7, 8, 100, 130, 200]])
def test_loops_are_unrolled_whatever_ran_before(order, before):
    _msjit.reset()
    for options in before:
        for n in range(40):
            ms.jit(turns, **options)(x2(), n)
    for n in order:
        assert ms.jit(turns, fullgraph=True)(x2(), n).tolist() == turns(x2(), n).tolist()
        rows = Tensor(np.ones((n, 2), np.float32))
        assert ms.jit(turns_on_rows, fullgraph=True)(rows).tolist() == turns_on_rows(rows).tolist()


def test_a_long_loop():
    for n in (3000, 30000):
        assert ms.jit(turns, fullgraph=True)(x2(), n).tolist() == turns(x2(), n).tolist()
    with pytest.raises(ms.CompileError, match="loop is too long to unroll|too many operations") as caught:
        ms.jit(turns_with_texts, fullgraph=True)(x2(), 30000)
    assert "none needed" not in str(caught.value)


# -- levels of Cells ------------------------------------------------------------------------------------------------------


def with_a_set(x):
    return x + len({1})


class Outside(nn.Cell):
    def construct(self, x):
        return with_a_set(x)


class Decorated(nn.Cell):
    @ms.jit
    def construct(self, x):
        return with_a_set(x)


class DecoratedStrict(nn.Cell):
    @ms.jit(fullgraph=True)
    def construct(self, x):
        return with_a_set(x)


class Around(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return self.inner(x) * 2


def configured(cell, config):
    cell.set_jit_config(config)
    return cell


def refused(call):
    for _ in range(3):
        with pytest.raises(ms.CompileError, match=REFUSED):
            call(x2())


def runs(call, expected):
    for _ in range(3):
        assert call(x2()).tolist() == expected


def test_the_level_of_a_cell():
    refused(ms.jit(configured(Outside(), STRICT)))
    refused(configured(Decorated(), STRICT))
    runs(ms.jit(configured(Outside(), LAX)), [2, 3])
    runs(configured(Outside(), STRICT), [2, 3])  # nobody compiles it
    runs(ms.jit(configured(Outside(), STRICT), mode="PIJit"), [2, 3])
    runs(ms.jit(configured(Outside(), STRICT), jit_config=LAX), [2, 3])  # the function's own level comes first
    refused(configured(DecoratedStrict(), LAX))


def test_the_level_of_a_cell_before_that_of_the_context(context):
    context(jit_syntax_level=ms.STRICT)
    refused(ms.jit(Outside()))
    runs(ms.jit(configured(Outside(), LAX)), [2, 3])
    runs(configured(Decorated(), LAX), [2, 3])
    context(mode=ms.GRAPH_MODE)
    refused(Outside())
    runs(configured(Outside(), LAX), [2, 3])
    context(jit_syntax_level=ms.LAX)
    refused(configured(Outside(), STRICT))
    runs(Outside(), [2, 3])


def test_the_level_of_a_cell_may_change():
    cell = Outside()
    compiled = ms.jit(cell)
    runs(compiled, [2, 3])
    cell.set_jit_config(STRICT)
    refused(compiled)
    cell.set_jit_config(LAX)
    runs(compiled, [2, 3])


def test_copies_keep_the_level():
    cell = configured(Decorated(), STRICT)
    refused(cell)
    refused(copy.deepcopy(cell))
    refused(pickle.loads(pickle.dumps(cell)))


# -- a function of level STRICT inside others -----------------------------------------------------------------------------


@ms.jit(fullgraph=True)
def strict(x):
    return with_a_set(x)


@ms.jit(fullgraph=True)
def strict_print(x):
    y = x + 1
    y.asnumpy()
    return y


@ms.jit(fullgraph=True)
def strict_fine(x):
    return x * 2


def calls_strict(x):
    return strict(x + 1)


def breaks_first(x):
    y = x + 1
    sys.stdout.flush()
    return strict(y)


def calls_a_caller(x):
    return calls_strict(x) * 2


CELL = DecoratedStrict()


def calls_a_cell(x):
    return CELL(x)


CALLERS = [calls_strict, breaks_first, calls_a_caller, calls_a_cell]
OTHER_LEVELS = pytest.mark.parametrize("options", [{}, {"mode": "PIJit"}], ids=["LAX", "PIJit"])


@OTHER_LEVELS
@pytest.mark.parametrize("caller", CALLERS)
def test_a_strict_function_is_judged_wherever_it_is_called(caller, options):
    _msjit.reset()
    refused(ms.jit(caller, **options))


@OTHER_LEVELS
def test_a_strict_function_is_one_graph_wherever_it_is_called(options):
    def caller(x):
        return strict_print(x)

    for _ in range(3):
        with pytest.raises(ms.CompileError, match="cannot capture the whole of strict_print, got asnumpy"):
            ms.jit(caller, **options)(x2())

    def fine(x):
        return strict_fine(x) + 1

    runs(ms.jit(fine, **options), [3, 5])
    found = [f for f in _msjit.explain_json() if f["name"] == "fine"]
    assert len(found[0]["regions"]) == 1 and not found[0]["breaks"]


@ms.jit
def context_decides(x):
    return with_a_set(x)


@OTHER_LEVELS
def test_a_function_without_a_level_has_the_contexts_wherever_it_is_called(context, options):
    def caller(x):
        return context_decides(x)

    compiled = ms.jit(caller, **options)
    runs(compiled, [2, 3])
    context(jit_syntax_level=ms.STRICT)
    refused(compiled)
    context(jit_syntax_level=ms.LAX)
    runs(compiled, [2, 3])


def test_a_cell_inside_another_keeps_its_level(context):
    context(mode=ms.GRAPH_MODE)
    refused(Around(configured(Outside(), STRICT)))
    runs(Around(configured(Outside(), LAX)), [4, 6])
    refused(configured(Around(configured(Outside(), LAX)), STRICT))  # the whole was asked for
    context(mode=ms.PYNATIVE_MODE)
    refused(ms.jit(Around(configured(Decorated(), STRICT))))
