"""python -m msjit behaves as python does: arguments, __main__, paths, exit codes, tracebacks."""
import json
import os
import signal
import subprocess
import sys
import textwrap
import zipfile

import pytest

import msjit as ms


def run(*args, plain=False, cwd=None, stdin=None, env=None):
    head = [sys.executable] if plain else [sys.executable, "-m", "msjit"]
    return subprocess.run(head + [str(a) for a in args], cwd=str(cwd) if cwd else None, input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120,
                          env=dict(os.environ, **(env or {})))


def quiet(text):
    """stderr without the one line that says that there is no JIT on this interpreter."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("msjit: functions run uncompiled"))


def same_as_python(*args, **kwargs):
    want, got = run(*args, plain=True, **kwargs), run(*args, **kwargs)
    assert got.stdout == want.stdout
    assert quiet(got.stderr) == want.stderr
    assert got.returncode == want.returncode
    return got


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


@pytest.mark.costly
def test_arguments_and_main_module(tmp_path):
    script = write(tmp_path / "prog.py", """
        '''A program.'''
        import sys, os, __main__
        import helper
        print(sys.argv, __name__, __doc__, __file__, __package__, __spec__, type(__loader__).__name__)
        print(sys._getframe().f_code.co_filename, __loader__.path)
        print(__main__.__dict__ is globals(), sys.path[0], helper.x, sorted(k for k in globals() if k[:2] == "__"))
        """)
    write(tmp_path / "helper.py", "x = 3")
    write(tmp_path / "app" / "empty.txt", "")
    same_as_python(script, "a", "--mode", "-b", "--explain")
    for path in ("prog.py", "./prog.py", "app/../prog.py", "missing.py", "./missing.py"):
        same_as_python(path, "x", cwd=tmp_path)


def test_code_and_stdin():
    same_as_python("-c", "import sys; print(sys.argv, sys.path[0] == '', __name__)", "1", "-x")
    same_as_python("-", "q", stdin="import sys; print(sys.argv, __name__)")


@pytest.mark.costly
def test_modules(tmp_path):
    write(tmp_path / "pkg" / "__init__.py", "print('package', __name__)")
    write(tmp_path / "pkg" / "__main__.py", "import sys; print(sys.argv, __name__, __package__, __spec__.name)")
    write(tmp_path / "pkg" / "part.py", """
        from . import __name__ as parent
        import sys
        print(sys.argv, __name__, __package__, __spec__.name, parent, __file__, sys.path[0])
        """)
    write(tmp_path / "bare" / "__init__.py", "")
    same_as_python("-m", "pkg", "a", cwd=tmp_path)
    same_as_python("-m", "pkg.part", "-m", "b", cwd=tmp_path)
    same_as_python("-m", "missing", cwd=tmp_path)
    same_as_python("-m", "bare", cwd=tmp_path)


@pytest.mark.costly
def test_folders_and_zip_files(tmp_path):
    write(tmp_path / "app" / "__main__.py", "import sys, other; print(sys.argv, sys.path[0], __file__, other.y)")
    write(tmp_path / "app" / "other.py", "y = 4")
    same_as_python(tmp_path / "app", "z")
    same_as_python("./app", "z", cwd=tmp_path)
    archive = tmp_path / "app.zip"
    with zipfile.ZipFile(str(archive), "w") as out:
        for name in ("__main__.py", "other.py"):
            out.write(str(tmp_path / "app" / name), name)
    same_as_python(archive, "z")
    same_as_python("./app.zip", "z", cwd=tmp_path)
    write(tmp_path / "empty" / "x.py", "")
    same_as_python(tmp_path / "empty")


@pytest.mark.costly
@pytest.mark.parametrize("text, code", [
    ("raise SystemExit", 0), ("raise SystemExit(3)", 3), ("import sys; sys.exit('bad')", 1),
    ("import os; os._exit(7)", 7), ("1 / 0", 1), ("def f():\n    raise KeyError('k')\nf()", 1),
    ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('v') from e", 1),
    ("try:\n    1 / 0\nfinally:\n    [][0]", 1), ("import nothing_of_the_kind", 1), ("x = )", 1),
    ("def f(:\n  pass", 1), ("import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\n{}[1]", 1),
    ("import atexit\natexit.register(print, 'bye')\nraise RuntimeError('r')", 1),
    ("raise type('E', (BaseException,), {})('e')", 1), ("assert 0, 'no'", 1)])
def test_exits_and_tracebacks(tmp_path, text, code):
    script = write(tmp_path / "prog.py", text)
    assert same_as_python(script).returncode == code


def test_keyboard_interrupt(tmp_path):
    script = write(tmp_path / "prog.py", "raise KeyboardInterrupt")
    got = same_as_python(script)
    assert got.returncode in (1, -signal.SIGINT)


def test_missing_script(tmp_path):
    got = same_as_python(tmp_path / "none.py")
    assert got.returncode == 2 and "can't open file" in got.stderr and "Traceback" not in got.stderr


STACK = """
    import inspect, sys, threading, traceback, warnings

    def hook(kind, value, trace):
        print("hook", kind.__name__, len(inspect.stack()), [entry.name for entry in traceback.extract_tb(trace)])
        traceback.print_stack()

    def deep(n):
        return 0 if n == 0 else 1 + deep(n - 1)

    def deepest(n):
        while True:
            try:
                deep(n)
                n += 1
            except RecursionError as error:
                return n, str(error), len(traceback.extract_tb(error.__traceback__))

    def stacks():
        traceback.print_stack()
        return len(inspect.stack()), str(sys._getframe(1).f_back)[:6], len(sys._current_frames())

    sys.excepthook = hook
    print(stacks(), deepest(900))
    sys.setrecursionlimit(300)
    print(deepest(200))
    warnings.warn("from below", stacklevel=3)
    thread = threading.Thread(target=lambda: print(len(inspect.stack()), deepest(200)))
    thread.start()
    thread.join()
    try:
        sys._getframe(1)
    except ValueError as error:
        print(error)
    {}["missing"]
    """


@pytest.mark.costly
def test_the_stack_below_a_program_is_empty(tmp_path):
    script = write(tmp_path / "prog.py", STACK)
    assert "hook KeyError 1" in same_as_python(script).stdout
    same_as_python("-m", "prog", cwd=tmp_path)
    same_as_python("-c", textwrap.dedent(STACK))
    write(tmp_path / "app" / "__main__.py", STACK)
    same_as_python(tmp_path / "app")


@pytest.mark.jit
def test_calls_above_few_frames():
    code, space = compile("import sys\nbelow = sys._getframe().f_back", "<text>", "exec"), {}
    assert ms._msjit.run_program(code, space, 0) is None and space["below"] is None
    assert ms._msjit.run_program(code, space, 1) is None and space["below"].f_back is None
    assert ms._msjit.run_program(code, space, 10**6) is None and space["below"] is sys._getframe()
    call = ms._msjit.call_at_the_bottom
    assert call(lambda *args, **kw: (sys._getframe().f_back, args, kw), 1, b=2) == (None, (1,), {"b": 2})
    with pytest.raises(ZeroDivisionError):
        call(lambda: 1 // 0)
    with pytest.raises(TypeError, match="expected code, a dict and a count, got str, dict, int"):
        ms._msjit.run_program("1", {}, 0)
    with pytest.raises(TypeError, match="expected a callable, got nothing"):
        call()
    assert sys._getframe().f_back is not None


def test_pickling_and_multiprocessing(tmp_path):
    script = write(tmp_path / "prog.py", """
        import multiprocessing, pickle
        class Point:
            x = 1
        def double(v):
            return 2 * v
        if __name__ == "__main__":
            print(pickle.loads(pickle.dumps(Point())).x)
            context = multiprocessing.get_context("spawn")
            with context.Pool(1) as pool:
                print(pool.map(double, [1, 2]))
        """)
    same_as_python(script)


@pytest.mark.costly
def test_own_errors():
    assert run("--mode", "nonsense", "x.py").returncode == 2
    assert "no program to run" in run("--stats").stderr
    assert "python -m msjit [options] script.py" in run("--help").stdout
    assert run("--version").stdout.startswith("msjit ")


@pytest.mark.costly
def test_a_report_that_cannot_be_written(tmp_path):
    """A report file that cannot be written is an error before the program runs. If writing fails only at exit, one line says so."""
    for file in (tmp_path / "missing" / "report.json", tmp_path):
        got = run("--explain-json", file, "-c", "print('ran')")
        assert got.returncode == 2 and got.stdout == "" and "Traceback" not in got.stderr
        assert "[explain-json] file, got %s (" % file in got.stderr and "expected one that can be written" in got.stderr
    got = run("--explain-json", "/dev/full", "-c", "print('ran')")
    assert got.stdout == "ran\n" and "Traceback" not in got.stderr
    assert quiet(got.stderr) == "msjit: the report cannot be written to /dev/full: No space left on device\n"
    got = run("--explain-json", "report.json", "-c", "import os; os.chdir('/')", cwd=tmp_path)
    assert got.returncode == 0 and json.loads((tmp_path / "report.json").read_text())["version"] == 1


TENSORS = """
    import mindspore as ms
    import mindspore.ops as ops, mindspore.nn as nn
    from mindspore import Tensor, context
    from mindspore.common import dtype as mstype
    import mindspore.common.initializer, mindspore.ops.operations as P, mindspore.ops.functional as F

    def f(x, y):
        return ops.relu(x + y) * 2

    x = Tensor([1.0, -3.0], mstype.float32)
    for _ in range(3):
        out = f(x, x)
    print(out.asnumpy().tolist(), ms.__package__, nn.Dense.__module__, P.Add()(x, x).asnumpy().tolist())
    """


@pytest.mark.costly
@pytest.mark.captures
@pytest.mark.parametrize("mode", ["PIJit", "eager"])
def test_alias_modes_and_reports(tmp_path, mode):
    script = write(tmp_path / "prog.py", TENSORS)
    report = tmp_path / "report.json"
    got = run("--mode", mode, "--alias", "mindspore", "--explain", "--stats", "--explain-json", report, script)
    assert got.returncode == 0, got.stderr
    assert got.stdout == "[4.0, 0.0] msjit msjit.nn.basic [2.0, -6.0]\n"
    data = json.loads(report.read_text())
    assert data["version"] == 1 and isinstance(data["functions"], list)
    assert set(data["totals"]) == {"calls", "captured_calls", "eager_ops", "graph_ops", "breaks", "recompiles",
                                   "compile_ms", "pool_bytes"}
    assert "graph_ops" in got.stderr
    names = {f["name"] for f in data["functions"] if f["regions"]}
    if mode == "PIJit" and ms.has_jit:
        assert "f" in names
        assert data["totals"]["graph_ops"] >= 9
        record = next(f for f in data["functions"] if f["name"] == "f")
        assert record["file"].endswith("prog.py") and len(record["regions"]) == 1 and not record["breaks"]
    else:
        assert not names and data["totals"]["graph_ops"] == 0


@pytest.mark.costly
@pytest.mark.captures
def test_include_marks_imported_modules(tmp_path):
    write(tmp_path / "model.py", """
        from msjit import ops
        def forward(x):
            return ops.tanh(x) + 1
        """)
    script = write(tmp_path / "prog.py", """
        import model
        from msjit import Tensor
        for _ in range(3):
            y = model.forward(Tensor([0.0]))
        print(y.asnumpy())
        """)
    report = tmp_path / "report.json"
    for options, captured in ((["--include", "model"], True), ([], False),
                              (["--include", "mod*", "--exclude", "model"], False)):
        got = run("--explain-json", report, *(options + [script]))
        assert got.stdout == "[1.]\n", got.stderr
        names = {f["name"] for f in json.loads(report.read_text())["functions"] if f["regions"]}
        assert ("forward" in names) == (captured and ms.has_jit)


GRAPH_PROGRAM = """
    import mindspore as ms
    from mindspore import Tensor, nn

    class Net(nn.Cell):
        def construct(self, x):
            return x * 2 + 1

    @ms.jit
    def f(x):
        return x - 1

    net = Net()
    for _ in range(3):
        out = f(net(Tensor([1.0, 2.0])))
    print(out.asnumpy().tolist(), ms.get_context("mode") == ms.GRAPH_MODE)
    """


@pytest.mark.costly
@pytest.mark.jit
def test_psjit_mode_starts_in_graph_mode(tmp_path):
    script = write(tmp_path / "net.py", GRAPH_PROGRAM)
    report = tmp_path / "report.json"
    got = run("--mode", "PSJit", "--alias", "mindspore", "--explain-json", report, script)
    assert got.stdout == "[2.0, 4.0] True\n" and not got.stderr
    totals = json.loads(report.read_text())["totals"]
    assert totals["captured_calls"] >= 6
    assert run("--alias", "mindspore", script).stdout == "[2.0, 4.0] False\n"


@pytest.mark.jit
def test_the_syntax_level_from_outside(tmp_path):
    script = write(tmp_path / "level.py", """
        import msjit as ms

        @ms.jit
        def f(x):
            try:
                return x + 1
            except ValueError:
                return x

        print(f(ms.Tensor([1.0])).tolist())
        """)
    assert run(script, env={"MS_DEV_JIT_SYNTAX_LEVEL": "2"}).stdout == "[2.0]\n"
    assert "level STRICT of PSJit, got a try statement" in run(script, env={"MS_DEV_JIT_SYNTAX_LEVEL": "0"}).stderr
    wrong = run(script, env={"MS_DEV_JIT_SYNTAX_LEVEL": "strict"})
    assert wrong.returncode == 1 and "MS_DEV_JIT_SYNTAX_LEVEL, got 'strict', expected STRICT (0)" in wrong.stderr


TRAINING = """
    import numpy as np
    import msjit as ms
    from msjit import Tensor, nn
    from msjit.dataset import GeneratorDataset
    np.random.seed(0)
    x, y = np.random.randn(64, 8).astype(np.float32), (np.arange(64) % 4).astype(np.int32)
    net = nn.SequentialCell(nn.Dense(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dense(16, 4))
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    loss = nn.CrossEntropyLoss()
"""
LOOP = TRAINING + """
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
    for _ in range(12):
        value = step(Tensor(x), Tensor(y))
    print("%.4f" % float(value))
"""
MODEL = TRAINING + """
    data = GeneratorDataset([(x[i], y[i]) for i in range(64)], ["x", "y"], shuffle=False).batch(16)
    model = ms.train.Model(net, loss, optimizer)
    model.train(3, data)
    print("%.4f" % float(loss(net(Tensor(x)), Tensor(y))))
"""


@pytest.mark.costly
@pytest.mark.captures
@pytest.mark.parametrize("text", [LOOP, MODEL])
def test_training_steps_of_the_library(tmp_path, text):
    """A training loop at the top of a script, and Model.train, run their steps as regions, although the program defines no function that is captured."""
    script, report = write(tmp_path / "train.py", text), tmp_path / "report.json"
    got = run("--explain-json", report, script)
    assert got.stdout == run(script, plain=True).stdout and got.returncode == 0, got.stderr
    step, = [f for f in json.loads(report.read_text())["functions"] if f["file"].endswith("wrap.py")]
    assert len(step["regions"]) == 1 and step["breaks"] == [] and step["regions"][0]["hits"] >= 10
