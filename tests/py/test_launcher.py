"""msjit-python: plain python where nothing asks for msjit, and msjit in place before `site` where something does."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import msjit as ms

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = sys.executable
LAUNCHER = os.path.join(os.path.dirname(PYTHON), "msjit-python")
pytestmark = pytest.mark.skipif(not os.path.exists(LAUNCHER), reason="this interpreter has no libpython to link with")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def run(program, *args, cwd=None, stdin=None, env=None):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MSJIT_AUTO"))}
    return subprocess.run([str(program)] + [str(a) for a in args], cwd=str(cwd) if cwd else None, input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120,
                          env=dict(inherited, **(env or {})))


def neutral(text):
    """Without what tells the two programs and two processes apart."""
    return re.sub(r"0x[0-9a-f]+", "0x", text.replace("msjit-python", "python"))


def same_as_python(*args, **kwargs):
    """The command line under python, under msjit-python and under msjit-python with everything marked."""
    want = run(PYTHON, *args, **kwargs)
    for options in ([], ["-X", "msjit=include:*"]):
        got = run(LAUNCHER, *(options + list(args)), **kwargs)
        assert neutral(got.stdout) == neutral(want.stdout)
        assert neutral(got.stderr) == neutral(want.stderr)
        assert got.returncode == want.returncode
    return want


def report(*args, **kwargs):
    """{name of a function: operators it ran in graphs} of a run under -X msjit, whose output it checks."""
    path = kwargs.pop("folder") / "report.json"
    options = ",".join(kwargs.pop("items", ()) + ("explain-json:%s" % path,))
    got = run(LAUNCHER, "-X", "msjit=" + options, *args, **kwargs)
    assert got.returncode == 0, got.stderr
    return {f["name"] for f in json.loads(path.read_text())["functions"] if f["regions"]}, got


STATE = """
    import os, sys
    ours = lambda words: [w for w in words if "msjit" not in str(w)]
    print(list(sys.flags), sys.argv, sys.path, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.warnoptions, __name__)
    print(" ".join(getattr(sys, "orig_argv", [""])[1:]).replace("-X msjit=include:*", "").strip(), ours(sys._xoptions))
    print(sys.executable, sys.version, sys.platform)
    print([[m.__name__, m.__spec__.loader, m.__loader__, m.__spec__.origin] for m in [sys.modules.get("site")] if m])
    print(sys.builtin_module_names, os.__spec__.origin, os.__spec__.loader, sys.gettrace(), sys.getprofile())
    print(ours(type(f).__name__ for f in sys.meta_path if type(f).__name__ != "MarkingFinder"), sys.getrecursionlimit())
    print(sys.stdin.encoding, sys.stdout.errors, sys.getfilesystemencoding(), sys.dont_write_bytecode, sys.ps1 if hasattr(sys, "ps1") else "")
    def deep(n):
        return n if n == 0 else deep(n - 1)
    def deepest(n):
        while True:
            try:
                deep(n)
                n += 1
            except RecursionError:
                return n
    print(deepest(900))
    """


@pytest.mark.costly
@pytest.mark.parametrize("options", [
    "", "-E", "-I", "-S", "-s", "-S -E -s", "-OO -B", "-Werror -bb", "-X dev", "-Xutf8=0 -u -q", "-X a=b -Xc", "-REs",
    "--check-hash-based-pycs always"])
def test_state_is_that_of_python(tmp_path, options):
    script = write(tmp_path / "prog.py", STATE)
    env = {"PYTHONPATH": str(tmp_path / "lib"), "PYTHONOPTIMIZE": "1", "PYTHONWARNINGS": "ignore::ImportWarning"}
    same_as_python(*(options.split() + [script, "a", "-X", "b"]), env=env)


@pytest.mark.costly
def test_ways_to_name_a_program(tmp_path):
    write(tmp_path / "pkg" / "__init__.py", "print('package', __name__)")
    write(tmp_path / "pkg" / "__main__.py", "import sys; print(sys.argv, __name__, __package__, __spec__.name)")
    write(tmp_path / "app" / "__main__.py", STATE)
    text = textwrap.dedent(STATE)
    for args in (["-c", text, "-X", "msjit=nonsense"], ["-c" + text, "x"], ["-m", "pkg", "-c"], ["-mpkg.missing"], ["-m", "missing"],
                 ["app", "z"], ["missing.py"], ["-"], ["-", "-m", "q"], ["--"], []):
        same_as_python(*args, cwd=tmp_path, stdin=text)


@pytest.mark.costly
def test_interactive(tmp_path):
    script = write(tmp_path / "prog.py", "x = 3\n")
    startup = write(tmp_path / "startup.py", "print('startup')\n")
    env = {"PYTHONSTARTUP": str(startup)}
    for args in (["-i"], ["-i", script], ["-i", "-c", "x = 4"], ["-q", "-i", "-c", "x = 4; 1 / 0"], ["-i", "-I", script]):
        same_as_python(*args, stdin="def f():\n  return x\n\nf()\n1/0\nimport sys\nsys.exit(4)\n", env=env)


@pytest.mark.parametrize("args", [["-V"], ["--version"], ["-VV"], ["-h"], ["-Z"], ["-X"], ["-c"], ["-m"], ["--nonsense"], ["-W"]])
def test_what_ends_before_a_program(args):
    same_as_python(*args, stdin="")


def read_until(terminal, ends):
    """What comes from a terminal up to one of `ends`, or to its closing."""
    text = b""
    while not text.endswith(ends):
        if not select.select([terminal], [], [], 60)[0]:
            raise TimeoutError("no prompt after %r" % text)
        try:
            text += os.read(terminal, 1024)
        except OSError:  # the other end is closed
            break
    return text


def talk(program, lines, options):
    """A session at a terminal: what it showed, and how the program ended."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", PYTHON_BASIC_REPL="1", PYTHON_COLORS="0", HOME="/nonexistent")
        os.environ.pop("PYTHONSTARTUP", None)
        os.execv(program, [program] + options)
    text = b""
    for line in lines:
        text += read_until(terminal, (b">>> ", b"... "))
        os.write(terminal, line.encode() + b"\n")
    text += read_until(terminal, b"\0")  # to its end
    os.close(terminal)
    return text.decode().replace("\r", ""), os.waitpid(pid, 0)[1]


@pytest.mark.parametrize("options", [[], ["-X", "msjit"], ["-S", "-q"]])
def test_prompt(options):
    lines = ["import sys", "def f():", "  return sys.flags.interactive", "", "f(), sys.argv", "1/0", "sys.exit(5)"]
    python_options = [o for o in options if "msjit" not in o and o != "-X"]
    want, got = talk(PYTHON, lines, python_options), talk(LAUNCHER, lines, options)
    assert want[1] == 5 << 8 and "ZeroDivisionError" in want[0]
    assert got == want


@pytest.mark.costly
@pytest.mark.parametrize("text", [
    "raise SystemExit", "raise SystemExit(3)", "import sys; sys.exit('bad')", "import os; os._exit(7)", "1 / 0",
    "def f():\n    raise KeyError('k')\nf()", "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('v') from e",
    "import nothing_of_the_kind", "x = )", "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\n{}[1]",
    "import atexit\natexit.register(print, 'bye')\nraise RuntimeError('r')", "raise KeyboardInterrupt",
    "import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "import warnings, inspect; warnings.warn(str(len(inspect.stack())))"])
def test_exits_and_tracebacks(tmp_path, text):
    write(tmp_path / "prog.py", text)
    ways = [["prog.py"]] + ([["-m", "prog"], ["-c", text]] if "f()" in text or "stack" in text else [])
    for args in ways:
        same_as_python(*args, cwd=tmp_path)


# -- msjit in place -----------------------------------------------------------------------------------------------------

MODEL = """
    from msjit import Tensor, ops
    def forward(x):
        return ops.tanh(x) + 1
    for _ in range(3):
        out = forward(Tensor([0.0]))
    """


@pytest.mark.costly
@pytest.mark.captures
def test_captures_the_program_itself(tmp_path):
    text = textwrap.dedent(MODEL)
    write(tmp_path / "prog.py", MODEL)
    write(tmp_path / "app" / "__main__.py", MODEL)
    package = {"PYTHONPATH": os.path.dirname(os.path.dirname(ms.__file__))}
    for args in (["prog.py"], ["-m", "prog"], ["-c", text], ["app"], ["-"], [], ["-i", "prog.py"], ["-I", "prog.py"], ["-S", "prog.py"],
                 ["-S", "-c", text], ["-S", "-m", "prog"]):
        found, _ = report(*args, folder=tmp_path, cwd=tmp_path, stdin=text if args in (["-"], []) else "",
                          env=package if "-S" in args else None)
        assert "forward" in found, args
    for item, wanted in (("PIJit", True), ("eager", False)):
        assert ("forward" in report("prog.py", items=(item,), folder=tmp_path, cwd=tmp_path)[0]) == wanted


COUNT = "import msjit, sys; print(msjit.stats()['graph_ops'] > 0, 'sitecustomize' in sys.modules)"


@pytest.mark.costly
@pytest.mark.captures
def test_holds_for_what_site_imports(tmp_path):
    """Plain python reads msjit.pth before sitecustomize too, but after the .pth files that come before it."""
    write(tmp_path / "model.py", MODEL)
    write(tmp_path / "sitecustomize.py", "import model")
    env = {"PYTHONPATH": str(tmp_path)}
    for args, extra, wanted in (
            ([], {"MSJIT_AUTO": "model"}, True), ([], {"MSJIT_AUTO": " , "}, False), (["-X", "msjit=include:model"], {}, True),
            (["-X", "msjit=include:mod*,exclude:model"], {}, False), (["-X", "msjit=eager,include:model"], {}, False),
            (["-X", "msjit=eager"], {"MSJIT_AUTO": "model"}, True),
            (["-X", "msjit"], {"MSJIT_AUTO": "model"}, True), (["-Xmsjit=include:other", "-BXmsjit=include:model"], {}, True)):
        got = run(LAUNCHER, *(args + ["-c", COUNT]), env=dict(env, **extra))
        assert got.stdout == "%s True\n" % wanted, (args, extra, got.stderr)


@pytest.mark.captures
def test_holds_for_pth_files(tmp_path):
    """A .pth file of the environment that is read before msjit's own."""
    made = run(LAUNCHER, "-m", "venv", "--without-pip", "env", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    write(site / "model.py", MODEL)
    write(site / "aaa.pth", "import model\n")
    for name in ("python", "msjit-python"):
        got = run(tmp_path / "env" / "bin" / name, "-c", COUNT, env={"MSJIT_AUTO": "model"})
        assert got.stdout.startswith("True"), got.stderr


def test_tracer_that_site_starts_is_kept(tmp_path):
    write(tmp_path / "sitecustomize.py", """
        import sys
        def tracer(frame, event, arg):
            if frame.f_globals.get("__name__") == "__main__":
                print(event, frame.f_code.co_name)
        sys.settrace(tracer)
        """)
    for options in ([], ["-X", "msjit"]):
        got = run(LAUNCHER, *(options + ["-c", "(lambda: 0)()"]), env={"PYTHONPATH": str(tmp_path)})
        assert got.stdout == "call <module>\ncall <lambda>\n" and got.stderr == ""


def test_environments(tmp_path):
    made = run(LAUNCHER, "-m", "venv", "--without-pip", "env", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    program = tmp_path / "env" / "bin" / "msjit-python"
    code = "import subprocess, sys; print(sys.executable, sys.prefix == %r, sys.base_prefix, __import__('email').__file__); " \
           "print(len(sys.argv) > 1 or subprocess.check_output([sys.executable, '-c', 'import sys; print(sys.prefix)']).decode())"
    got = run(program, "-c", code % str(tmp_path / "env"))
    assert got.stdout.split()[:2] == [str(program), "True"] and str(tmp_path / "env") in got.stdout.split()[-1], got
    assert got.stdout.split()[2] == sys.base_prefix
    # The link may be called by any path.
    link = tmp_path / "elsewhere"
    link.symlink_to(program)
    assert run(link, "-c", "import os").returncode == 0
    got = run(program, "-X", "msjit=stats", "-c", "import msjit")
    assert got.returncode == 0 and got.stderr.startswith("msjit: calls 0")


SPAWN = """
    import multiprocessing, os, subprocess, sys
    import model
    def work(n):
        import msjit
        return n * 2, os.path.basename(sys.executable), msjit.stats()["graph_ops"] > 0, type(multiprocessing.current_process()).__name__
    if __name__ == "__main__":
        for method in ("spawn", "forkserver", "fork"):
            context = multiprocessing.get_context(method)
            with context.Pool(1) as pool:
                print(method, pool.map(work, [1, 2]))
    """


@pytest.mark.costly
@pytest.mark.captures
def test_processes(tmp_path):
    write(tmp_path / "model.py", MODEL)
    script = write(tmp_path / "prog.py", SPAWN)
    for env, captured in (({"MSJIT_AUTO": "model"}, True), ({}, False)):
        got = run(LAUNCHER, script, env=env)
        assert got.returncode == 0 and got.stderr == "", got.stderr
        for method, line in zip(("spawn", "forkserver", "fork"), got.stdout.splitlines()):
            kind = {"spawn": "Spawn", "forkserver": "ForkServer", "fork": "Fork"}[method]
            want = [(n * 2, "msjit-python", captured, kind + "Process") for n in (1, 2)]
            assert line == "%s %s" % (method, want)
    child = "import subprocess, sys; subprocess.check_call([sys.executable, '-c', %r])"
    got = run(LAUNCHER, "-c", child % "import sys; print('msjit' in sys.modules, sys.executable)", env={"MSJIT_AUTO": "model"})
    assert got.stdout == "True %s\n" % LAUNCHER


@pytest.mark.costly
@pytest.mark.captures
def test_pytest(tmp_path):
    write(tmp_path / "model.py", MODEL)
    write(tmp_path / "test_model.py", """
        import model
        def test_out():
            assert model.forward(model.Tensor([0.0])).asnumpy().tolist() == [1.0]
        def test_bad():
            assert [1, 2] == [1, 3]
        """)
    got = run(LAUNCHER, "-X", "msjit=include:model,explain", "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path, cwd=tmp_path)
    assert "1 failed, 1 passed" in got.stdout and "At index 1 diff: 2 != 3" in got.stdout
    assert got.returncode == 1 and re.search(r"forward \(.*model.py:3\) +4 ", got.stderr), got.stderr


@pytest.mark.costly
@pytest.mark.captures
def test_training(tmp_path):
    pytest.importorskip("sklearn")
    models = []
    for program, options in ((PYTHON, ["-m", "msjit"]), (LAUNCHER, ["-X", "msjit"])):
        path = tmp_path / "models.json"
        got = run(program, *(options + [ROOT / "examples/train_digits.py", "--epochs", "1", "--json", path]))
        assert got.returncode == 0, got.stderr
        models.append(json.loads(path.read_text())["models"])
    for want, got in zip(*models):
        assert got["name"] == want["name"] and got["mode"] == want["mode"] and got["breaks"] == want["breaks"] == 0
        assert (got["captured"] > 0) == (want["captured"] > 0) == (got["mode"] == "PIJit")
        assert got["losses"] == pytest.approx(want["losses"], abs=1e-5) and got["losses"][-1] < got["losses"][0]


def test_alias(tmp_path):
    got = run(LAUNCHER, "-X", "msjit=alias:mindspore", "-c", "import mindspore.nn as nn; print(nn.__name__)")
    assert got.stdout == "msjit.nn\n"


# -- what goes wrong ------------------------------------------------------------------------------------------------------


@pytest.mark.costly
def test_options(tmp_path):
    got = run(LAUNCHER, "-X", "msjit=help", "-c", "print(1)")
    assert got.returncode == 0 and got.stdout.startswith("-X msjit[=ITEM,...]") and got.stderr == ""
    for item in ("nonsense", "include", "include:", "explain-json", "stats:1", "pijit", "psjit", "\udce9"):
        got = run(LAUNCHER, "-X", "msjit=stats," + item, "-c", "print(1)")
        assert got.returncode == 2 and got.stdout == "" and "[-X msjit] item, got" in got.stderr
        assert "-X msjit=help" in got.stderr and "Traceback" not in got.stderr
    for file in (str(tmp_path / "missing" / "report.json"), str(tmp_path)):
        got = run(LAUNCHER, "-X", "msjit=explain-json:" + file, "-c", "print(1)")
        assert got.returncode == 2 and got.stdout == "" and "[explain-json] file, got %s (" % file in got.stderr
        assert "Traceback" not in got.stderr
    for args in (["-X", "msjitter=1"], ["-X", "a=msjit"], ["-W", "-Xmsjit=bad"], ["-X", "-X", "-c", "pass"]):
        assert "[-X msjit]" not in run(LAUNCHER, *(args + ["-c", "import sys; assert 'msjit' not in sys.modules"])).stderr


def test_start_up_takes_no_longer():
    """At most 5 ms over plain python where nothing is marked: the least of several runs in turn, since others use the machine."""
    def seconds(program):
        begin = time.perf_counter()
        run(program, "-c", "pass")
        return time.perf_counter() - begin

    excess = []
    for _ in range(4):
        pairs = [(seconds(PYTHON), seconds(LAUNCHER)) for _ in range(7)]
        excess.append(min(b for _, b in pairs) - min(a for a, _ in pairs))
        if excess[-1] < 0.005:
            return
    assert min(excess) < 0.005 * max(1.0, os.getloadavg()[0] / os.cpu_count()), excess


def test_missing_package(tmp_path):
    write(tmp_path / "none" / "msjit" / "__init__.py", "raise ImportError('there is none')")
    write(tmp_path / "old" / "msjit" / "__init__.py", "")
    write(tmp_path / "bad" / "msjit" / "__init__.py", "1 / 0")
    for folder, words in (("none", "msjit cannot be imported: there is none"), ("old", "No module named 'msjit.launcher'"),
                          ("bad", "msjit cannot be started: <class 'ZeroDivisionError'>: division by zero")):
        for options, env in ((["-X", "msjit"], {}), ([], {"MSJIT_AUTO": "x"}), (["-S", "-Xmsjit"], {})):
            got = run(LAUNCHER, *(options + ["-c", "print(1)"]), env=dict(env, PYTHONPATH=str(tmp_path / folder)))
            assert got.returncode == 1 and got.stdout == "" and words in got.stderr and "Traceback" not in got.stderr
        assert run(LAUNCHER, "-c", "print(1)", env={"PYTHONPATH": str(tmp_path / folder)}).stdout == "1\n"


def test_libpython_of_another_version(tmp_path):
    mapped = run(LAUNCHER, "-c", "print(open('/proc/self/maps').read())").stdout
    own = re.search(r"/\S*/(libpython\S*\.so\S*)", mapped)
    if not own:
        pytest.skip("libpython is linked statically")
    others = [p for p in ROOT.glob("build/launcher/3.*/msjit-python") if p.parent.name != "%d.%d" % sys.version_info[:2]]
    found = [re.search(r"/\S*/libpython\S*\.so\S*", run(p, "-c", "print(open('/proc/self/maps').read())").stdout) for p in others]
    for library in filter(None, found):
        folder = tmp_path / os.path.basename(library.group())
        folder.mkdir()
        (folder / own.group(1)).symlink_to(library.group())
        got = run(LAUNCHER, "-c", "print(1)", env={"LD_LIBRARY_PATH": str(folder)})
        assert got.stdout == "" and got.returncode in (2, 127), got
        assert "[libpython] version, got 3." in got.stderr or "symbol" in got.stderr


def test_bad_home_is_reported_as_by_python(tmp_path):
    for args in (["-c", "1"], ["-S", "-c", "1"]):
        same_as_python(*args, env={"PYTHONHOME": str(tmp_path)})


def test_copied_elsewhere(tmp_path):
    copy = str(tmp_path / "msjit-python")
    shutil.copy(LAUNCHER, copy)
    got = run(copy, "-X", "msjit", "-c", "import sys, msjit; print(sys.prefix)")
    assert got.stdout == sys.base_prefix + "\n", got.stderr


def test_interrupt():
    # A signal that comes just before a long sleep begins is handled when that ends, in plain CPython too: so short ones.
    child = subprocess.Popen([LAUNCHER, "-X", "msjit", "-c", "import time\nprint(1, flush=True)\nwhile True: time.sleep(0.01)"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=60)[1] and child.returncode in (1, -signal.SIGINT)
