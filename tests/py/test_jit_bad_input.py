"""Bad input for the bytecode JIT: code no compiler made, odd names, deep recursion, things deleted between calls, signals, no memory. A
test that might crash runs in a child process, because a crash would end the test run."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit

pytestmark = pytest.mark.jit

# Tests whose size matters, not where their regions end.
unforced = pytest.mark.skipif(bool(_msjit.has_jit and _msjit.config()["break_every"]), reason="too long with forced side exits")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def jit(fn):
    return ms.jit(fn, mode="PIJit")


def x3():
    return Tensor(np.float32([1, 2, 3]))


def in_child(script, *args, limit=120):
    """Output of a Python script, which must end well."""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", script, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=limit)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text[-3000:]
    return text


@pytest.mark.costly
@unforced
def test_corrupt_code_objects():
    """A few of what tests/fuzz/code_fuzz.py makes."""
    script = ("import sys; sys.path.insert(0, sys.argv[1]); import code_fuzz\n"
              "ran, survived, failed = code_fuzz.fuzz(0, 60)\nassert survived > 10 and not failed, failed")
    in_child(script, str(ROOT / "tests/fuzz"))


@pytest.mark.skipif(sys.version_info >= (3, 10), reason="CPython does not survive it")
def test_yield_outside_of_a_generator():
    """Ends the function, with what it yields."""
    script = """if True:
        import sys, numpy as np, msjit as ms
        sys.path.insert(0, sys.argv[1])
        from code_fuzz import replaced
        def items(x):
            for i in range(3):
                yield x * i + 1
        def f(x):
            return [v.sum() for v in items(x)]
        items.__code__ = replaced(items.__code__, co_flags=items.__code__.co_flags & ~0x20)
        jitted, x = ms.jit(f, mode="PIJit"), ms.Tensor(np.float32([1, 2]))
        for _ in range(3):
            assert str(jitted(x)) == str(f(x)), (jitted(x), f(x))"""
    in_child(script, str(ROOT / "tests/fuzz"))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="no inline caches")
def test_code_that_ends_inside_an_instruction(monkeypatch):
    """CPython's own co_code would write behind it, which the debugging allocator finds."""
    monkeypatch.setenv("PYTHONMALLOC", "debug")
    in_child("""if True:
        from msjit._msjit import _debug
        def f(x):
            return x.shape
        raw = f.__code__.co_code
        end = max(i for i in range(0, len(raw), 2) if raw[i])  # the return
        cuts = [f.__code__.replace(co_code=raw[:at]) for at in range(4, end, 2) if not raw[at]]
        assert cuts and not any(_debug.flows(code) for code in cuts)
        assert _debug.flows(f.__code__)""")


def test_what_finds_the_wrong_thing_on_the_stack_is_left_to_cpython():
    """The decoder refuses code that would give an instruction an object of the wrong kind: MAKE_FUNCTION without a code object, a raise
    without an exception, coroutine instructions in plain functions. CPython itself does not check these."""
    in_child("""if True:
        import dis, sys, types
        sys.path.insert(0, sys.argv[1])
        from code_fuzz import replaced
        from msjit._msjit import _debug
        def makes():
            return lambda: 1
        def lists(a):
            return [a, a, a, a, a, a, a, a]
        code = makes.__code__
        others = tuple(3 if isinstance(c, types.CodeType) else c for c in code.co_consts)
        assert _debug.flows(code) and not _debug.flows(replaced(code, co_consts=others))
        code = lists.__code__
        at = 2 * code.co_code[::2].index(dis.opmap["BUILD_LIST"])
        for name in ["CLEANUP_THROW", "END_ASYNC_FOR"] + ["RERAISE", "WITH_EXCEPT_START"] * (sys.version_info >= (3, 11)):
            if name in dis.opmap:
                raw = code.co_code[:at] + bytes([dis.opmap[name], 0]) + code.co_code[at + 2:]
                assert not _debug.flows(replaced(code, co_code=raw)), name
        assert _debug.flows(code)""", str(ROOT / "tests/fuzz"))


HAND_MADE = """
import dis, types, numpy as np, msjit as ms
from msjit import Tensor
def f(x, n=2):
    y = x * 2
    for i in range(n):
        y = y + i
    return y
def changed(**new):
    if hasattr(f.__code__, "replace"):
        return types.FunctionType(f.__code__.replace(**new), globals(), "f", (2,))
    names = ("co_argcount co_kwonlyargcount co_nlocals co_stacksize co_flags co_code co_consts co_names co_varnames "
             "co_filename co_name co_firstlineno co_lnotab co_freevars co_cellvars").split()
    return types.FunctionType(types.CodeType(*[new.get(n, getattr(f.__code__, n)) for n in names]), globals(), "f", (2,))
x = Tensor(np.float32([1, 2]))
def call(fn):
    try:
        return ms.jit(fn, mode="PIJit")(x).asnumpy().tolist()
    except Exception as error:
        return type(error).__name__
"""


def test_codes_with_other_limits_and_names():
    in_child(HAND_MADE + """
expected = f(x).asnumpy().tolist()
assert call(changed(co_stacksize=f.__code__.co_stacksize + 50)) == expected
assert call(changed(co_name="\\ud800", co_filename="\\udc00")) == expected
assert call(changed(co_firstlineno=2**31 - 1)) == expected
assert call(changed(co_consts=f.__code__.co_consts + (object(), [1], x))) == expected
""")


def test_names_that_are_no_text():
    class Odd:
        pass

    names = ["a", "a\0b", "\ud800", "\udc01"]
    o, d = Odd(), {n: i + 1 for i, n in enumerate(names)}
    for i, n in enumerate(names):
        setattr(o, n, i + 1)

    def read(x, o, d):
        return (x * o.a + getattr(o, "a\0b") * 10 + getattr(o, "\ud800") * 100 + getattr(o, "\udc01") * 1000,
                d["a"], d["a\0b"], d["\ud800"], d["\udc01"])

    def write(x, o):
        setattr(o, "\ud800", x)
        setattr(o, "a\0b", x + 1)
        return getattr(o, "\ud800") + o.a

    f, g = jit(read), jit(write)
    for _ in range(3):
        result = f(x3(), o, d)
        assert result[0].asnumpy().tolist() == [4321, 4322, 4323] and result[1:] == (1, 2, 3, 4)
    for _ in range(3):
        assert g(x3(), o).asnumpy().tolist() == [2, 3, 4]
    assert sorted(vars(o)) == sorted(names) and vars(o)["a\0b"].asnumpy().tolist() == [2, 3, 4]

    def helper(x):
        return x + 1
    helper.__qualname__ = helper.__name__ = "\ud800"
    h = jit(lambda x: helper(x) * 2)
    assert [h(x3()).asnumpy().tolist() for _ in range(3)] == [[4, 6, 8]] * 3
    _msjit.explain_json()


RECURSION = """
import sys, numpy as np, msjit as ms
from msjit import Tensor, _msjit
SOURCE = '''
def f(x, n):
    best[0] = n
    y = x + 1
    return f(y * 2, n + 1) + 1
'''
def depth(limit, mark):
    sys.setrecursionlimit(limit)
    ns = {"best": [0]}
    exec(SOURCE, ns)
    mark(ns)
    try:
        ns["f"](Tensor(np.float32([1])), 0)
    except RecursionError as error:
        return ns["best"][0], str(error)[:32]
def jitted(ns):
    ns["f"] = ms.jit(ns["f"], mode="PIJit")
for limit in (200, 1000, 3000):
    plain = depth(limit, lambda ns: None)
    for mark in (jitted, lambda ns: _msjit.mark_code(ns["f"])):
        assert depth(limit, mark) == plain, (limit, plain, depth(limit, mark))
        assert depth(limit, mark) == plain
if sys.version_info >= (3, 11):  # CPython's own calls take no C stack here
    assert depth(200000, jitted)[0] > 3000
"""


def test_recursion_is_as_deep_as_in_the_interpreter():
    in_child(RECURSION)


def test_recursion_in_a_thread_with_a_small_stack():
    in_child(RECURSION.split("for limit in")[0] + """
import threading
threading.stack_size(1 << 20)
seen = []
thread = threading.Thread(target=lambda: seen.append(depth(100000 if sys.version_info >= (3, 11) else 700, jitted)))
thread.start(); thread.join()
assert seen and seen[0][0] > 100, seen
""")


@unforced
def test_long_and_deep_functions():
    """100,000 instructions; expressions and blocks nested as deep as the compiler allows."""
    lines = ["def long(x):", "    y = x"] + ["    y = y + %d" % (i % 7) for i in range(12000)] + ["    return y"]
    lines += ["def wide(x, n):", "    if n:"] + ["        n = n + %d" % (i % 3) for i in range(13000)] + ["    return x + n"]
    lines += ["def deep(x):", "    return " + "(" * 80 + "x" + " + 1)" * 80]
    lines += ["def chain(x):", "    return x" + " + 1" * 900]
    lines += ["def nested(x):"] + ["    " * (i + 1) + "for i%d in (1,):" % i for i in range(18)]
    lines += ["    " * 19 + "x = x + 1", "    return x"]
    lines += ["def arms(x, n):", "    if n == 0:", "        x = x + 1"]
    for i in range(1, 900):
        lines += ["    elif n == %d:" % i, "        x = x + %d" % i]
    lines += ["    return x"]
    space = {}
    exec("\n".join(lines), space)
    for name, args in [("long", ()), ("wide", (1,)), ("deep", ()), ("chain", ()), ("nested", ()), ("arms", (899,))]:
        f = jit(space[name])
        expected = space[name](x3(), *args).asnumpy().tolist()
        for _ in range(2):
            assert f(x3(), *args).asnumpy().tolist() == expected


DELETED = [
    ("G = 2", "x * G", "del G"),
    ("def h(x): return x + 1", "h(x)", "del h"),
    ("class K: a = 3", "x * K.a", "del K.a"),
    ("class K:\n    def m(self, x): return x + 1\no = K()", "o.m(x)", "del K.m"),
    ("class K: pass\no = K()\no.a = 2", "x * o.a", "del o.a"),
    ("def make():\n    c = 2\n    def h(x): return x * c\n    def drop():\n        nonlocal c\n        del c\n"
     "    return h, drop\nh, drop = make()", "h(x)", "drop()"),
    ("import builtins\ndef only(): return 4\nbuiltins.only_here = only", "x * only_here()", "del builtins.only_here"),
    ("import types\nm = types.ModuleType('m')\nm.a = 2", "x * m.a", "del m.a"),
    ("d = {'k': 2}", "x * d['k']", "del d['k']"),
    ("s = [1, 2]", "x * s[1]", "del s[:]"),
    ("class S:\n    __slots__ = 'a'\no = S()\no.a = 2", "x * o.a", "del o.a"),
    ("def h(x, k=3): return x * k", "h(x)", "h.__defaults__ = None"),
    ("def h(x, *, k=3): return x * k", "h(x)", "del h.__kwdefaults__['k']"),
]


@pytest.mark.parametrize("setup, expression, delete", DELETED, ids=[d[2] for d in DELETED])
def test_everything_may_be_deleted_between_calls(setup, expression, delete):
    def outcomes(wrap):
        space = {}
        exec(setup + "\ndef main(x):\n    y = x + 1\n    return y + %s\n" % expression, space)
        main, seen = wrap(space["main"]), []
        for step in ("", "", delete, ""):
            exec(step, space)
            try:
                seen.append(main(x3()).asnumpy().tolist())
            except Exception as error:
                seen.append((type(error).__name__, str(error)))
        return seen
    assert outcomes(jit) == outcomes(lambda f: f)


def test_names_of_the_enclosing_class():
    class Base:
        def scaled(self, x):
            return x * 2

    class Child(Base):
        def scaled(self, x):
            return super().scaled(x) + len(__class__.__name__)

    f = jit(lambda o, x: o.scaled(x))
    for _ in range(3):
        assert f(Child(), x3()).asnumpy().tolist() == [7, 9, 11]

    class Later:
        def name(self):
            return __class__

    cell = Later.name.__closure__[0]
    g = jit(Later.name)
    assert g(Later()) is Later and g(Later()) is Later
    cell.cell_contents = Base
    assert g(Later()) is Base
    del cell.cell_contents
    with pytest.raises(NameError):
        g(Later())


def test_exec_and_eval_inside():
    def f(x, n):
        space = {"n": n}
        exec("m = n + 1", space)
        y = x * space["m"]
        return y + eval("n * 2") + eval("y.ndim", {"y": y})

    g = jit(f)
    for n in (1, 1, 2, 2):
        assert g(x3(), n).asnumpy().tolist() == f(x3(), n).asnumpy().tolist()


INTERRUPT = """
import _thread, os, signal, sys, threading, time, numpy as np, msjit as ms
from msjit import Tensor, ops
state = {"kept": 1}
def kernels(x):
    state["kept"] = 2
    for _ in range(100000000):
        y = x * 2 + 1
        note(y)
    return y
def note(y):
    state["last"] = y
def wait(x):
    while x.sum() < 1e30:
        x = x * 1.0 + 0.0
    return x
def unrolled(x):
    i = 0
    while i < 100000000:
        i += 1
    return x + i
for fn in (kernels, wait, unrolled):
    f = ms.jit(fn, mode="PIJit")
    sent = []
    def ring():
        time.sleep(0.7)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=ring)
    thread.start()
    try:
        f(Tensor(np.ones(1000, np.float32)))
        print(fn.__name__, "was not interrupted")
    except KeyboardInterrupt:
        print(fn.__name__, time.perf_counter() - sent[0])
    thread.join()
    again = ms.jit(lambda x: x + 1, mode="PIJit")
    assert again(Tensor(np.float32([1]))).asnumpy().tolist() == [2]
assert state["kept"] == 2
"""


@pytest.mark.costly
@unforced
def test_an_interrupt_ends_loops_soon():
    taken = {}
    for _ in range(4):  # a busy machine delays single ones
        for line in in_child(INTERRUPT).splitlines():
            name, seconds = line.split()
            taken[name] = min(float(seconds), taken.get(name, 9.0))
        if max(taken.values()) < 0.1:
            break
    assert max(taken.values()) < 0.1 and len(taken) == 3, taken


NO_MEMORY = """
import sys, numpy as np, msjit as ms
from msjit import Tensor, _msjit
try:
    import _testcapi
    _testcapi.set_nomemory
except (ImportError, AttributeError):
    sys.exit(0)
def helper(x, k=2):
    return [x * k, {"a": x}]
def f(x, n):
    pair = helper(x, k=n)
    out = []
    for i in range(3):
        out.append(pair[0] + i)
    try:
        raise ValueError(n)
    except ValueError as e:
        n = e.args[0]
    return out[-1] + pair[1]["a"] * n, f"{n}"
x = Tensor(np.float32([1, 2]))
expected = repr(f(x, 3))
first, last, stride = map(int, sys.argv[1:])
for n in range(first, last, stride):
    _msjit.reset()
    g = ms.jit(f, mode="PIJit")
    result = None
    try:
        _testcapi.set_nomemory(n, n + 1 + n % 3)
        try:
            result = g(x, 3)
        finally:
            _testcapi.remove_mem_hooks()
    except (MemoryError, SystemError):
        pass
    if result is not None:
        assert repr(result) == expected, (n, result)
    assert repr(g(x, 3)) == expected and repr(g(x, 3)) == expected, n
"""


@unforced
def test_no_memory_while_capturing():
    in_child(NO_MEMORY, "0", "1200", "13")


@pytest.mark.costly
def test_code_that_dies_in_another_interpreter():
    """Its data was freed by what a sub-interpreter of 3.7 had in an uninitialised table."""
    in_child("""
import gc, sys, numpy as np, msjit as ms
try:
    import _testcapi
except ImportError:
    sys.exit()
from msjit import Tensor, _msjit
x = Tensor(np.float32([1]))
def garbage(n):
    space = {}
    exec("class Net:\\n    def run(self, x):\\n        return x * %d" % n, space)
    space["Net"].me = space["Net"]
    _msjit.mark_code(space["Net"].run)
    return [float(space["Net"]().run(x)) for _ in range(2)]
gc.disable()
for n in range(20):
    assert garbage(n) == [n, n]
    for source in ("pass", "import gc; gc.collect()"):
        assert _testcapi.run_in_subinterp(source) == 0
gc.collect()
_msjit.explain_json()
assert garbage(3) == [3, 3]
""")
