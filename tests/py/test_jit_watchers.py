"""Debuggers, profilers and whatever else looks at frames see the same with and without the JIT, on every version."""

import cProfile
import io
import linecache
import pdb
import pstats
import subprocess
import sys
import textwrap
import threading
import traceback

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

_msjit = pytest.importorskip("msjit._msjit")
pytestmark = pytest.mark.jit
MODES = ("eager", "jit", "marked")
MONITORED = sys.version_info >= (3, 12)
_made = []


def build(source, mode, file=None):
    """The function f of the source, with a code object of its own, run eagerly, by jit or by the transparent door."""
    _made.append(None)
    file = file or "<watched %d>" % len(_made)
    text = textwrap.dedent(source)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {"ops": ops, "sys": sys}
    exec(compile(text, file, "exec"), namespace)
    function = namespace["f"]
    if mode == "marked":
        _msjit.mark_code(function)
    return ms.jit(function, mode="PIJit") if mode == "jit" else function


def x22():
    return Tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))


def warm(function, *args):
    for _ in range(3):
        function(*args)
    return function


WORK = """
    def helper(a):
        b = a * 2
        return b

    def f(x):
        y = helper(x) + 1
        for i in range(2):
            y = y + i
        z = ops.tanh(y)
        return z
    """


def trace_lines(function, x, code_names):
    seen = []

    def tracer(frame, event, arg):
        if frame.f_code.co_name not in code_names or not frame.f_code.co_filename.startswith("<watched"):
            return None
        seen.append((event, frame.f_code.co_name, frame.f_lineno, sorted(frame.f_locals)))
        return tracer

    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        function(x)
    finally:
        sys.settrace(old)
    return seen


@pytest.mark.parametrize("mode", MODES)
def test_line_tracing(mode):
    want = trace_lines(build(WORK, "eager"), x22(), ("f", "helper"))
    function = warm(build(WORK, mode), x22())
    assert trace_lines(function, x22(), ("f", "helper")) == want and len(want) > 10
    warm(function, x22())
    assert trace_lines(function, x22(), ("f", "helper")) == want


@pytest.mark.parametrize("mode", MODES)
def test_coverage(mode):
    """What coverage tools do: a trace function installed before the import, lines collected in a set."""
    function, lines = build(WORK, mode), set()

    def tracer(frame, event, arg):
        if frame.f_code.co_filename.startswith("<watched"):
            lines.add(frame.f_lineno)
            return tracer

    sys.settrace(tracer)
    try:
        warm(function, x22())
    finally:
        sys.settrace(None)
    assert lines >= {3, 4, 7, 8, 9, 10, 11}


@pytest.mark.parametrize("mode", MODES)
def test_debugger(mode, tmp_path):
    """pdb: a breakpoint in a compiled function, stepping, looking at a local, and going on."""
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(WORK))
    function = warm(build(WORK, mode, str(file)), x22())
    commands = "b %s:9\nc\np i\nn\np float(y.sum())\nc\np i\ncl 1\nc\n" % file
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO(commands), stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    result = debugger.runcall(function, x22())
    sys.settrace(None)
    assert np.allclose(result.asnumpy(), np.tanh(x22().asnumpy() * 2 + 2))
    text = out.getvalue()
    assert text.index("(Pdb) 0\n") < text.index("(Pdb) 24.0\n") < text.index("(Pdb) 1\n"), text


@pytest.mark.parametrize("mode", MODES)
def test_cprofile(mode):
    function = warm(build(WORK, mode), x22())
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(5):
        function(x22())
    profile.disable()
    calls = {key[2]: row[0] for key, row in pstats.Stats(profile).stats.items() if key[0].startswith("<watched")}
    assert calls == {"f": 5, "helper": 5}


@pytest.mark.parametrize("mode", MODES)
def test_setprofile(mode):
    function, events = warm(build(WORK, mode), x22()), []

    def profiler(frame, event, arg):
        if frame.f_code.co_filename.startswith("<watched") and event in ("call", "return"):
            events.append((event, frame.f_code.co_name))

    sys.setprofile(profiler)
    try:
        function(x22())
    finally:
        sys.setprofile(None)
    assert events == [("call", "f"), ("call", "helper"), ("return", "helper"), ("return", "f")]


STARTS = """
    def f(x, start):
        y = x + 1
        start()
        z = y * 2
        w = z - 1
        return w
    """


@pytest.mark.parametrize("mode", MODES)
def test_tracing_begins_inside_a_call(mode):
    function, seen = build(STARTS, mode), []
    warm(function, x22(), lambda: None)

    def tracer(frame, event, arg):
        seen.append((event, frame.f_lineno))
        return tracer

    def start():
        sys._getframe(1).f_trace = tracer
        sys.settrace(tracer)

    try:
        result = function(x22(), start)
    finally:
        sys.settrace(None)
    assert result.tolist() == [[3.0, 5.0], [7.0, 9.0]]
    assert [line for event, line in seen if event == "line"][:3] == [5, 6, 7] and ("return", 7) in seen


@pytest.mark.skipif(not MONITORED, reason="no sys.monitoring before 3.12")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("local", (False, True))
def test_monitoring_tools(mode, local):
    """A tool that listens sees every call and line; once it is gone the compiled code runs again."""
    function, seen = warm(build(WORK, mode), x22()), []
    code = getattr(function, "__wrapped__", function).__code__
    monitoring = sys.monitoring
    events = monitoring.events
    tool = monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "test")
    try:
        monitoring.register_callback(tool, events.PY_START, lambda c, at: seen.append(("start", c.co_name)) if c is code else None)
        monitoring.register_callback(tool, events.LINE, lambda c, line: seen.append(line) if c is code else None)
        wanted = events.PY_START | events.LINE
        if local:
            monitoring.set_local_events(tool, code, wanted)
        else:
            monitoring.set_events(tool, wanted)
        function(x22())
        monitoring.set_events(tool, 0)
        monitoring.set_local_events(tool, code, 0)
    finally:
        monitoring.free_tool_id(tool)
    assert seen == [("start", "f"), 7, 8, 9, 8, 9, 8, 10, 11]
    before = ms.stats()["calls"]
    function(x22())
    assert (ms.stats()["calls"] > before) == (mode != "eager")


@pytest.mark.skipif(not MONITORED, reason="no sys.monitoring before 3.12")
def test_no_tool_id_is_free():
    program = """if True:
        import sys
        for tool in (3, 4, 5):
            sys.monitoring.use_tool_id(tool, "taken")
        import numpy as np, msjit as ms
        f = ms.jit(lambda x: x + 1, mode="PIJit")
        x = ms.Tensor(np.ones(3, np.float32))
        assert [f(x).tolist() for _ in range(3)] == [[2.0, 2.0, 2.0]] * 3
        assert ms.stats()["calls"] == 0
        sys.monitoring.free_tool_id(3)
        f(x), f(x)
        assert ms.stats()["calls"] == 2 and sys.monitoring.get_tool(3) == "msjit"
        """
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there is no hook")
def test_hook_is_armed_while_there_are_tensors():
    program = """if True:
        import gc, msjit as ms
        from msjit import Tensor
        from msjit._msjit import mark_code
        def f(x):
            return x if isinstance(x, int) else x + 1
        mark_code(f)
        f(1)
        assert ms.stats()["calls"] == 0
        x = Tensor(1.0)
        f(x)
        assert ms.stats()["calls"] == 1
        del x
        gc.collect()
        f(1)
        assert ms.stats()["calls"] == 1
        """
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


RAISES = """
    def helper(x):
        return x @ x.reshape(4)

    def f(x, deep):
        y = x + 1
        try:
            y = y * 2
            if deep:
                helper(
                    y)
            raise ValueError("mine")
        finally:
            deep = None
    """


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("deep", (False, True))
def test_tracebacks(mode, deep):
    def lines(function):
        try:
            function(x22(), deep)
        except ValueError as error:
            rows = traceback.extract_tb(error.__traceback__)
            return str(error), [(row.name, row.lineno) for row in rows if row.filename.startswith("<watched")]

    function = build(RAISES, mode)
    want = lines(build(RAISES, "eager"))
    assert [lines(function) for _ in range(4)] == [want] * 4
    assert [name for name, _ in want[1]] == (["f", "helper"] if deep else ["f"])


HANDLES = """
    def f(x, fail):
        log = []
        for i in range(3):
            try:
                y = x * i
                fail(i)
                log.append(float(y.sum()))
            except ZeroDivisionError as error:
                log.append((i, error.__traceback__.tb_lineno, error.__traceback__.tb_next is not None))
            except ValueError as error:
                log.append((i, str(error), error.__traceback__.tb_lineno, error.__context__ is None))
                continue
            else:
                log.append("else")
            finally:
                log.append("finally")
        return log
    """


@pytest.mark.parametrize("mode", MODES)
def test_handlers_of_the_frame(mode):
    def fail(i):
        if i == 1:
            return 1 // 0
        if i == 2:
            raise ValueError("two")

    want = build(HANDLES, "eager")(x22(), fail)
    function = build(HANDLES, mode)
    assert [function(x22(), fail) for _ in range(4)] == [want] * 4 and len(want) == 7


LOOKS = """
    def f(x, look):
        a = x + 1
        first = look()
        b = a * 2
        later = sorted(locals())
        mine = sys._getframe()
        return first, later, look(), mine.f_lineno, mine.f_code.co_name, mine.f_back.f_code.co_name, b
    """


@pytest.mark.parametrize("mode", MODES)
def test_frames_can_be_looked_at(mode):
    def look():
        frame = sys._getframe(1)
        return frame.f_lineno, frame.f_code.co_name, sorted(frame.f_locals), float(frame.f_locals["a"].sum())

    def caller(function):
        return function(x22(), look)

    function = build(LOOKS, mode)
    want = caller(build(LOOKS, "eager"))
    for _ in range(4):
        got = caller(function)
        assert got[:-1] == want[:-1] and got[-1].tolist() == want[-1].tolist()


KEEPS = """
    def f(x, keep):
        a = x + 1
        keep()
        b = a * 2
        return b
    """


@pytest.mark.parametrize("mode", MODES)
def test_frames_outlive_their_call(mode):
    function, kept = build(KEEPS, mode), []
    for _ in range(4):
        function(x22(), lambda: kept.append(sys._getframe(1)))
    for frame in kept:
        assert sorted(frame.f_locals) == ["a", "b", "keep", "x"] and frame.f_locals["b"].tolist() == [[4.0, 6.0], [8.0, 10.0]]
        assert 2 <= frame.f_lineno <= 6
        frame.clear()
        assert not frame.f_locals


DEPTH = """
    def f(x, n):
        if n == 0:
            return x
        return f(x, n - 1) + 1
    """


def count(function, *args):
    depth = 100
    while True:
        try:
            function(*args, depth)
        except RecursionError:
            return depth
        depth += 5


@pytest.mark.parametrize("mode", MODES)
def test_recursion_depth(mode):
    """The recursion limit counts the program's own frames. A deep recursion neither crashes nor ends early. It may end later, by the few
    calls that the innermost region has inlined."""
    limit = sys.getrecursionlimit()
    deep = limit - 50
    def run():
        function, got = build(DEPTH, mode), []
        if mode == "jit":
            function.__wrapped__.__globals__["f"] = function
        got.append(float(function(Tensor(1.0), deep)))
        with pytest.raises(RecursionError):
            function(Tensor(1.0), limit + 50)
        got.append(float(function(Tensor(1.0), deep)))
        results.append(got)

    results = []
    thread = threading.Thread(target=run)  # not from within pytest's own frames
    thread.start()
    thread.join()
    assert results == [[deep + 1.0, deep + 1.0]]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="calls occupy the C stack before 3.11")
@pytest.mark.parametrize("mode", ("eager", "marked"))
def test_deep_recursion(mode):
    """A higher limit is one for transparent code too."""
    def run():
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(9000)
        try:
            results.append(float(build(DEPTH, mode)(Tensor(1.0), 7000 if MONITORED else 1500)))
        finally:
            sys.setrecursionlimit(limit)

    results = []
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert results == [7001.0 if MONITORED else 1501.0]


COMPREHENSIONS = """
    def f(x, i=7, fail=None):
        rows = [x * i for i in range(3)]
        kept = {i: r for i, r in enumerate(rows) if i}
        nested = [[a + b for b in rows] for a in rows]
        if fail:
            try:
                bad = [fail(i) for i in range(2)]
            except ZeroDivisionError:
                bad = i
        else:
            del i
            bad = [(lambda: j)() for j in (1, 2)]
        try:
            return rows, kept, nested, bad, i
        except NameError as error:
            return rows, kept, nested, bad, str(error)[:30]
    """


@pytest.mark.parametrize("mode", MODES)
def test_comprehensions_keep_the_variables_around_them(mode):
    def values(result):
        rows, kept, nested, bad, i = result
        return ([r.tolist() for r in rows], {k: v.tolist() for k, v in kept.items()},
                [[t.tolist() for t in row] for row in nested], bad, i)

    function, plain = build(COMPREHENSIONS, mode), build(COMPREHENSIONS, "eager")
    for args in [(), (3,), (5, lambda i: 1 // i), (6, lambda i: i)] * 3:
        assert values(function(x22(), *args)) == values(plain(x22(), *args))
