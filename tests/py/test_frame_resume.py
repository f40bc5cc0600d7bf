"""The stepper and the frame views: a call may run natively for any number of instructions and then continue in CPython. Only the time it
takes may differ."""

import _thread
import ctypes
import gc
import re
import subprocess
import sys
import threading
import traceback
import types
import warnings

import pytest

pytestmark = pytest.mark.jit
_debug = getattr(pytest.importorskip("msjit._msjit"), "_debug", None)
if _debug is None:
    pytest.skip("no bytecode JIT here", allow_module_level=True)

import frame_corpus  # noqa: E402
from frame_corpus import CORPUS, Token, log  # noqa: E402


def plain(function, args):
    return function(*args)


def stepped(count, finish):
    def run(function, args):
        return _debug.resume_after(function, count, finish, args, {})[0]
    return run


def shown(value):
    """repr with the addresses of functions and the like left out."""
    return repr(value).split(" at 0x")[0]


def outcome(run, function, make):
    """Everything a run shows: result or exception with the lines it passed, what was logged, leaks."""
    log.clear()
    args = make()
    counts = [sys.getrefcount(a) for a in args if type(a) is Token]
    try:
        result = ("returned", shown(run(function, args)))
    except Exception as error:
        lines = [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__)][2:]
        result = ("raised", type(error), str(error), lines, shown(error.__cause__), getattr(error, "name", None))
        error.__traceback__ = None
        del error
    logged = [shown(entry) for entry in log]
    log.clear()
    gc.collect(0)
    after = [sys.getrefcount(a) for a in args if type(a) is Token]
    assert sys.exc_info() == (None, None, None)
    return result, logged, [b - a for a, b in zip(counts, after)]


def length(function, make):
    """The number of instructions that the stepper runs before the call ends or is handed over to CPython."""
    log.clear()
    try:
        return _debug.resume_after(function, 10**6, False, make(), {})[1]
    except Exception:
        return 60
    finally:
        log.clear()


@pytest.mark.parametrize("name", CORPUS)
def test_resume_anywhere(name):
    function, make = CORPUS[name]
    expected = outcome(plain, function, make)
    steps = length(function, make)
    for count in range(0, steps + 2, 1 if steps < 300 else 41):
        for finish in (False, True):
            assert outcome(stepped(count, finish), function, make) == expected, (count, finish)


def test_whole_run_is_stepped():
    """The common operations never need CPython: a run that ends natively was not handed over."""
    for name in ("arithmetic-0", "loops-0", "containers-0", "closures-0", "managers-0", "protocols-0", "uses_free-0", "formatting-0"):
        function, make = CORPUS[name]
        result, count, handed_over = _debug.resume_after(function, 10**6, True, make(), {})
        assert not handed_over, name


def test_hot_code():
    """Specialised (quickened) bytecode can be resumed too."""
    def hot(x, k=2):
        y = x + 1
        z = [y, k][0] * 2
        return len([z]) + abs(z - y)
    expected = hot(3)
    for _ in range(3000):
        hot(3)
    for count in range(40):
        assert _debug.resume_after(hot, count, False, (3,), {})[0] == expected


def test_references_stay_level():
    function, make = CORPUS["closures-0"]
    token = make()[0]
    for count in (0, 5, 23, 40, 10**6):
        gc.collect()
        before = sys.getrefcount(token)
        for _ in range(200):
            _debug.resume_after(function, count, count % 2 == 1, (token,), {})
        log.clear()
        gc.collect()
        assert sys.getrefcount(token) == before


def traced_events(run, function, args):
    events = []

    def tracer(frame, event, arg):
        if frame.f_code is function.__code__:
            events.append((event, frame.f_lineno))
        return tracer

    sys.settrace(tracer)
    try:
        run(function, args)
    finally:
        sys.settrace(None)
    log.clear()
    return events


def test_tracing_declines():
    function, make = CORPUS["loops-0"]
    assert traced_events(stepped(7, False), function, make()) == traced_events(plain, function, make())


def test_tracing_started_inside():
    """A debugger that starts inside a stepped call sees every line after it."""
    seen = []

    def tracer(frame, event, arg):
        seen.append((event, frame.f_lineno - function.__code__.co_firstlineno))
        return tracer

    def start():
        sys._getframe(1).f_trace = tracer
        sys.settrace(tracer)

    def function():
        start()
        x = 1
        y = x + 1
        sys.settrace(None)
        return y

    assert _debug.resume_after(function, 1000, False, (), {})[0] == 2
    assert [line for event, line in seen if event == "line"] == [2, 3, 4]
    assert not any(event == "call" and line == 0 for event, line in seen)


def test_no_event_for_going_on():
    """Switching a tracer or profiler on inside a stepped call shows what it shows in a plain one."""
    def function(switch, events):
        switch(lambda frame, event, arg: events.append((event, frame.f_code.co_name)))
        len([abs(-1)])
        switch(None)

    for switch in (sys.settrace, sys.setprofile):
        expected, events = [], []
        function(switch, expected)
        _debug.resume_after(function, 1000, False, (switch, events), {})
        assert events == expected


def test_no_call_event_for_raising():
    def function(switch, events):
        switch(lambda frame, event, arg: events.append((event, frame.f_code.co_name)))
        return missing  # noqa: F821

    for switch in (sys.settrace, sys.setprofile):
        seen = []
        for run in (plain, stepped(1000, False)):
            events = []
            with pytest.raises(NameError):
                try:
                    run(function, (switch, events))
                finally:
                    switch(None)
            seen.append([event for event in events if event[1] == "function"])
        assert seen[0] == seen[1]


def test_profiling_declines():
    events = []
    function, make = CORPUS["arithmetic-0"]
    sys.setprofile(lambda frame, event, arg: events.append(event))
    try:
        result = _debug.resume_after(function, 9, False, make(), {})
    finally:
        sys.setprofile(None)
    assert result[1:] == (0, False) and "call" in events


def test_frame_outlives_the_call():
    kept = []

    def function(a):
        b = [a]
        kept.append(sys._getframe())
        c = a + 1
        return c

    for finish in (False, True):
        for count in range(16):
            _debug.resume_after(function, count, finish, (5,), {})
            frame = kept.pop()
            gc.collect()
            assert frame.f_locals == {"a": 5, "b": [5], "c": 6, "kept": kept}
            assert frame.f_back is not None and frame.f_code is function.__code__
            frame.clear()


def test_running_frame_cannot_be_cleared():
    def clear():
        try:
            sys._getframe(1).clear()
        except RuntimeError as error:
            return str(error)

    def function():
        x = [1]
        text = clear()
        return text, x

    for count in range(12):
        assert _debug.resume_after(function, count, False, (), {})[0] == function()


def test_warning_location():
    def function():
        warnings.warn("here", stacklevel=1)
        return 1

    for count in range(10):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _debug.resume_after(function, count, False, (), {})
        assert caught[0].lineno == function.__code__.co_firstlineno + 1


def test_recursion_limit():
    def down(n):
        return 0 if n == 0 else 1 + _debug.resume_after(down, 10**6, n % 2, (n - 1,), {})[0]

    assert down(50) == 50
    with pytest.raises(RecursionError):
        down(10**5)


def test_only_the_next_frame():
    """resume_after() takes over exactly one frame, of its code and on its own thread, and none if there is no such frame."""
    def function(n):
        return [n] + (function(n - 1) if n else [])

    for count in range(30):
        assert _debug.resume_after(function, count, False, (3,), {})[0] == [3, 2, 1, 0]

    def wrong(a):
        return a

    with pytest.raises(TypeError):
        _debug.resume_after(wrong, 3, False, (), {})
    assert wrong(1) == 1
    results = []

    def other():
        results.append(wrong(2))

    thread = threading.Thread(target=other)

    def starts(a):
        thread.start()
        thread.join()
        return wrong(a)

    assert _debug.resume_after(starts, 1000, True, (4,), {})[0] == 4 and results == [2]


def test_generators_are_declined():
    def numbers(n):
        yield from range(n)

    generator, count, _ = _debug.resume_after(numbers, 1000, False, (3,), {})
    assert count == 0 and list(generator) == [0, 1, 2]


def test_interrupt_reaches_a_stepped_loop():
    def spin():
        while True:
            pass

    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        _debug.resume_after(spin, 10**12, False, (), {})
    timer.join()


def test_corpus_covers_the_operations():
    """Every canonical operation occurs in the corpus or is one that no function body of this version has."""
    seen = set()
    work = [function.__code__ for function, _ in CORPUS.values()]
    work += [frame_corpus.make_free.__code__]
    while work:
        code = work.pop()
        work += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        seen.update(re.findall(r"^ *\d+ .*?\[-?\d+\]!?(?: \^\d+)? (\w+)", _debug.dump_bytecode(code), re.M))
    rare = {"Nop", "ImportStar", "LoadClassDeref", "DeleteName", "GetLen", "MatchMapping", "MatchSequence",
            "Unsupported", "DictUpdate", "MatchKeys", "MatchClass", "CopyDictWithoutKeys", "PrintExpr", "SetupAnnotations",
            "CheckEgMatch", "PrepReraiseStar", "GetYieldFromIter", "YieldFrom", "Send", "YieldValue"}
    if sys.version_info < (3, 9):
        rare |= {"LoadCommonConstant", "ListExtend", "SetUpdate", "DictMerge", "ListToTuple", "JumpIfNotExcMatch"}
    else:
        rare |= {"BuildUnpack", "LoadNone"}
    if sys.version_info >= (3, 8):
        rare.add("SetupLoop")
    if sys.version_info >= (3, 11):
        rare |= {"Rot", "SetupFinally", "PopBlock", "JumpIfNotExcMatch"}
    else:
        rare |= {"Resume", "MakeCell", "CopyFreeVars", "PushNull", "PushExcInfo", "CheckExcMatch", "PopJumpIfNone",
                 "PopJumpIfNotNone"}
    if sys.version_info >= (3, 12):
        rare |= {"JumpIfFalseOrPop", "JumpIfTrueOrPop"}
    else:
        rare |= {"LoadFastAndClear", "ReturnConst"}
    if (3, 9) <= sys.version_info < (3, 14):
        rare.add("LoadInt")
    if sys.version_info < (3, 14):
        rare.add("LoadSpecial")
    else:
        rare |= {"BeforeWith", "BuildConstKeyMap", "ReturnConst", "BuildSlice"}
    if sys.version_info < (3, 13):
        rare |= {"ToBool", "ConvertValue", "SetFunctionAttribute"}
    assert set(_debug.ops()) - seen - rare == set()


def test_marked_code():
    """Every frame of a code marked by step_always() runs in the stepper: recursive calls, threads, methods, callbacks of C code."""
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    class Keyed:
        def key(self, item):
            try:
                return {"a": 1}[item]
            except KeyError:
                return 0

    expected = [fib(n) for n in range(12)]
    _debug.step_always(fib)
    _debug.step_always(Keyed.key)
    assert [fib(n) for n in range(12)] == expected
    results = []
    threads = [threading.Thread(target=lambda: results.append([fib(n) for n in range(12)])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
    for _ in range(50):
        assert sorted("xay", key=Keyed().key) == ["x", "y", "a"]


@pytest.mark.skipif(sys.version_info < (3, 9), reason="the slot has no exported functions")
def test_hook_that_was_thrown_out():
    """Other code may restore CPython's evaluator. The next call that needs msjit's hook installs it again."""
    interpreter = ctypes.pythonapi.PyInterpreterState_Get
    interpreter.restype = ctypes.c_void_p
    install = ctypes.pythonapi._PyInterpreterState_SetEvalFrameFunc
    install.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    install.restype = None
    default = ctypes.cast(ctypes.pythonapi._PyEval_EvalFrameDefault, ctypes.c_void_p)

    def function(a):
        return a + 1

    for _ in range(3):
        assert _debug.resume_after(function, 100, True, (1,), {})[1] > 2
        install(interpreter(), default)
        assert function(1) == 2
    assert _debug.resume_after(function, 100, True, (1,), {})[1] > 2


def test_daemon_threads_at_exit():
    """The process survives if the interpreter ends while a daemon thread is in the middle of a stepped call."""
    program = """if True:
        import threading, time
        from msjit._msjit import _debug
        def inner():
            time.sleep(0.001)
        def work():
            while True:
                inner()
        _debug.step_always(work)
        _debug.step_always(inner)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.1)
    """
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
