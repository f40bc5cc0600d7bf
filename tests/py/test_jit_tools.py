"""Tools that watch a running program see the same with and without the bytecode JIT: tracers, profilers, debuggers, coverage, warnings,
inspect, frames, threads, forks, the end of the interpreter."""
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor

pytestmark = pytest.mark.jit

PROGRAM = '''
import cProfile, inspect, io, pstats, sys, traceback, types, warnings
import numpy as np
from msjit import Tensor
log = []

def helper(x, k=2):
    """Doubles."""
    y = x * k
    return y

def note(*a):
    log.append(a[0] if a else None)

def work(x, n):
    total = x
    for i in range(n):
        total = total + helper(x)
    note(len(log))
    return total - 1

def looks(x):
    y = x + 1
    here = sys._getframe()
    note(sorted(here.f_locals))
    note(here.f_lineno - here.f_code.co_firstlineno)
    note(sorted(locals()))
    note([f.function for f in inspect.stack(0)[:2]])
    note(inspect.currentframe().f_back.f_code.co_name)
    z = y * 2
    back(y)
    return z

def back(y):
    up = sys._getframe(1)
    note((up.f_code.co_name, up.f_lineno - up.f_code.co_firstlineno, sorted(up.f_locals)))

def warned(x, n):
    y = x * 2
    for i in range(n):
        warnings.warn("w%d" % (i % 2))
        warnings.warn("up", stacklevel=2)
    return y + 1

def raising(x, n):
    y = x + 1
    try:
        if n:
            return nested(y, n)
    finally:
        y = y * 2
    return y

def nested(y, n):
    z = y * 3
    return z[n] + (z.shape[0] // (n - 2))

def keeps(x):
    y = x + 1
    def inner():
        return y
    note(inspect.getclosurevars(inner).nonlocals["y"] is y)
    return inner

x = Tensor(np.float32([1, 2, 3]))

def call(fn, *args):
    try:
        return repr(fn(*args))
    except Exception as error:
        return type(error).__name__, [(f.name, f.lineno, f.line) for f in traceback.extract_tb(error.__traceback__)
                                      if f.filename == FILE]
'''


def run(watch, jitted):
    """`log` of a program after `watch(program)`; its functions are JitFunctions if asked."""
    space = {"__name__": "program", "FILE": __file__ + ".program"}
    exec(compile(PROGRAM, space["FILE"], "exec"), space)
    if jitted:
        for name in ("work", "looks", "warned", "raising", "keeps"):
            space[name] = ms.jit(space[name], mode="PIJit")
    watch(space)
    return space["log"]


def agree(watch):
    expected = run(watch, False)
    assert run(watch, True) == expected
    return expected


def test_frames_locals_and_stack():
    def watch(p):
        for _ in range(3):
            p["log"].append(p["call"](p["looks"], p["x"]))
            p["log"].append(p["call"](p["keeps"], p["x"])[:10])
    assert len(agree(watch)) == 27


def test_tracebacks():
    def watch(p):
        for n in (0, 1, 2, 2, 7, 1, 9):
            p["log"].append(p["call"](p["raising"], p["x"], n))
    agree(watch)


@pytest.mark.parametrize("late", [False, True])
def test_trace_functions(late):
    def watch(p):
        def trace(frame, event, arg):
            if frame.f_code.co_filename == p["FILE"] and frame.f_code.co_name != "call":
                p["log"].append((frame.f_code.co_name, event, frame.f_lineno))
                return trace
            return None
        for n in (2, 2) if late else ():
            p["call"](p["work"], p["x"], n)
        sys.settrace(trace)
        try:
            p["call"](p["work"], p["x"], 2)
            p["call"](p["raising"], p["x"], 2)
        finally:
            sys.settrace(None)
        p["log"].append(p["call"](p["work"], p["x"], 2))
    agree(watch)


def test_profilers():
    def watch(p):
        def profile(frame, event, arg):
            if frame.f_code.co_filename == p["FILE"] and event in ("call", "return"):
                p["log"].append((frame.f_code.co_name, event))
        p["call"](p["work"], p["x"], 2)
        sys.setprofile(profile)
        try:
            p["work"](p["x"], 2)
        finally:
            sys.setprofile(None)
        profiler = p["cProfile"].Profile()
        profiler.enable()
        for _ in range(3):
            p["work"](p["x"], 2)
        profiler.disable()
        stats = p["pstats"].Stats(profiler).stats
        p["log"].append(sorted((key[2], row[0]) for key, row in stats.items() if key[0] == p["FILE"]))
    assert ("helper", 6) in agree(watch)[-1]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no sys.monitoring")
def test_monitoring_tools():
    def watch(p):
        monitoring = sys.monitoring
        events = monitoring.events

        def on(kind):
            def callback(code, where, *rest):
                if code.co_filename == p["FILE"] and code.co_name != "call":
                    p["log"].append((kind, code.co_name, where))
            return callback
        p["call"](p["work"], p["x"], 2)
        monitoring.use_tool_id(1, "test")
        for kind in ("PY_START", "PY_RETURN", "LINE", "RAISE", "PY_UNWIND"):
            monitoring.register_callback(1, getattr(events, kind), on(kind))
        try:
            monitoring.set_events(1, events.PY_START | events.PY_RETURN | events.LINE | events.RAISE | events.PY_UNWIND)
            p["call"](p["work"], p["x"], 2)
            p["call"](p["raising"], p["x"], 2)
            monitoring.set_events(1, 0)
        finally:
            monitoring.free_tool_id(1)
        p["log"].append(p["call"](p["work"], p["x"], 2))
    agree(watch)


def test_warnings():
    for action in ("default", "always", "once", "module"):
        def watch(p):
            with p["warnings"].catch_warnings(record=True) as seen:
                p["warnings"].simplefilter(action)
                for _ in range(3):
                    p["call"](p["warned"], p["x"], 3)
            p["log"].extend((str(w.message), w.lineno, os.path.basename(w.filename)) for w in seen)
        agree(watch)


def test_pdb():
    import pdb

    def watch(p):
        script = p["io"].StringIO("break %s:24\ncontinue\nwhere 1\np n, i\nnext\nstep\nup\np sorted(locals())\ncontinue\nclear 1\ncontinue\n" %
                                  p["FILE"])
        out = p["io"].StringIO()
        debugger = pdb.Pdb(stdin=script, stdout=out, nosigint=True, readrc=False)
        debugger.use_rawinput = False
        p["call"](p["work"], p["x"], 2)
        try:
            debugger.runcall(p["work"], p["x"], 2)
        finally:
            sys.settrace(None)
        p["log"].append([line for line in out.getvalue().splitlines() if "0x" not in line])
    lines = agree(watch)[-1]
    assert lines


def test_coverage():
    coverage = pytest.importorskip("coverage")

    def watch(p):
        p["call"](p["work"], p["x"], 2)
        cov = coverage.Coverage(data_file=None, include=["*"], config_file=False)
        cov.start()
        p["call"](p["work"], p["x"], 2)
        p["call"](p["raising"], p["x"], 1)
        cov.stop()
        p["log"].append(sorted(cov.get_data().lines(p["FILE"]) or ()))
    agree(watch)


def test_inspect():
    import inspect

    @ms.jit(mode="PIJit")
    def f(x, k: int = 2, *rest, **more) -> Tensor:
        """The text."""
        return x * k

    assert str(inspect.signature(f)) == "(x, k: int = 2, *rest, **more) -> msjit.Tensor" or "k: int = 2" in str(inspect.signature(f))
    assert inspect.getdoc(f) == "The text." and inspect.getsource(f).lstrip().startswith("@ms.jit")
    assert inspect.unwrap(f).__code__.co_name == "f" and f.__module__ == __name__ and callable(f)
    f(Tensor(np.float32([1])))
    assert inspect.getsource(f).lstrip().startswith("@ms.jit")


def in_child(script):
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text[-3000:]
    return text


def test_fork_after_use():
    in_child("""
import os, sys, numpy as np, msjit as ms
from msjit import Tensor
f = ms.jit(lambda x, k: (x * k + 1).sum() + x, mode="PIJit")
x = Tensor(np.ones(50000, np.float32))
a = f(x, 2).asnumpy()
for _ in range(2):
    child = os.fork()
    if child == 0:
        ok = (f(x, 2).asnumpy() == a).all() and f(x, 3).asnumpy()[0] == 50000 * 4 + 1
        os._exit(0 if ok else 3)
    assert os.waitpid(child, 0)[1] == 0
    assert (f(x, 2).asnumpy() == a).all()
""")


def test_the_end_of_the_interpreter():
    text = in_child("""
import atexit, gc, sys, threading, time, weakref, numpy as np, msjit as ms
from msjit import Tensor
f = ms.jit(lambda x: x * 2 + 1, mode="PIJit")
x = Tensor(np.float32([1]))
f(x)
class Late:
    def __del__(self):
        print("del", f(x).asnumpy().tolist() if f and x else None, flush=True)
late = Late()
class Cycle:
    def __init__(self):
        self.me, self.f = self, ms.jit(lambda x: x + 1, mode="PIJit")
        self.f(x)
cycle = Cycle()
atexit.register(lambda: print("atexit", f(x).asnumpy().tolist(), flush=True))
def endless(f, x):
    while True:
        f(x)
threading.Thread(target=endless, args=(f, x), daemon=True).start()
time.sleep(0.05)
""")
    assert "atexit [3.0]" in text


def test_other_interpreters_decline():
    in_child("""
import sys
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    try:
        import _interpreters as interpreters
    except ImportError:
        sys.exit(0)
import numpy as np, msjit as ms
from msjit import Tensor
f = ms.jit(lambda x: x + 1, mode="PIJit")
x = Tensor(np.float32([1]))
f(x)
try:
    other = interpreters.create()
except Exception:
    sys.exit(0)
code = '''
def g(n):
    return n + 1
assert sum(g(i) for i in range(100)) == 5050
try:
    import msjit
    print("imported")
except ImportError as error:
    print("declined")
'''
try:
    interpreters.run_string(other, code)
except Exception as error:
    print(type(error), error)
interpreters.destroy(other)
assert f(x).asnumpy().tolist() == [2]
""")


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.costly
@pytest.mark.captures
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_memory_stays_level():
    """The short form; `tests/fuzz/memory_soak.py` is the long one."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "fuzz"))
    import memory_soak
    for name, growth, limit in memory_soak.measure(4000, 40, 100, 6):
        assert growth < limit, name


def test_switched_off_in_the_midst_of_a_frame():
    """From then on the frame itself runs in the interpreter too."""
    def f(x, values):
        y = x + 1
        values.sort(key=lambda v: -v)
        print(end="")
        ms.config.enabled = False
        before = ms.stats()["graph_ops"]
        for _ in range(3):
            y = (y * 2).tanh()
            print(end="")
        return y, ms.stats()["graph_ops"] - before
    try:
        assert ms.jit(f, mode="PIJit")(Tensor([1.0]), [3, 1])[1] == 0
    finally:
        ms.config.enabled = True
