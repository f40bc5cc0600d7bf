"""PSJit and bad input: functions without a source, or with a source that is not what runs; recursion; excessive sizes. Either the results
are Python's, or an error says what to do. At level STRICT a function is never silently run uncompiled."""
import importlib.util
import linecache
import py_compile
import subprocess
import sys
import textwrap
import zipfile

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit, nn
from msjit.psjit import places, source

pytestmark = [pytest.mark.jit, pytest.mark.captures]
SOURCE_NEEDED = r"jit\(mode=\"PIJit\"\)"
LEVELS = pytest.mark.parametrize("whole", [False, True], ids=["LAX", "STRICT"])


def x2():
    return Tensor(np.float32([1, 2]))


def load(path, name="psjit_bad_input"):
    spec = importlib.util.spec_from_file_location(name, str(path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def same(fn, *args, **options):
    compiled = ms.jit(fn, **options)
    for _ in range(3):
        assert [t.tolist() for t in results(compiled(*args))] == [t.tolist() for t in results(fn(*args))]


def results(value):
    return value if isinstance(value, tuple) else (value,)


# -- no source, or another one --------------------------------------------------------------------------------------------


@LEVELS
@pytest.mark.parametrize("text, name", [
    ("def f(x):\n    return x + 1", "f"), ("f = lambda x: x + 1", "<lambda>"), ("def f(x):\n    yield x", "f"),
    ("async def f(x):\n    return x", "f")])
def test_exec(text, name, whole):
    space = {}
    exec(text, space)  # noqa: S102
    compiled = ms.jit(space["f"], fullgraph=whole)
    for _ in range(2):
        with pytest.raises(ms.CompileError, match=r"source of %s, got none in <string>, .*%s" % (name, SOURCE_NEEDED)):
            compiled(x2())
    if "yield" not in text and "async" not in text:
        same(space["f"], x2(), mode="PIJit")


def run(text, *arguments, **more):
    return subprocess.run([sys.executable, *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=120, **more)


@pytest.mark.parametrize("arguments", [["-c"], ["-"], ["-i", "-q"]], ids=["-c", "stdin", "interactive"])
def test_program_without_a_file(arguments):
    text = "import msjit as ms\ntry:\n    print(ms.jit(lambda x: x + 1)(ms.Tensor([1.0])).tolist())\n" \
           "except ms.CompileError as e:\n    print(e)\n\nexit()\n"
    done = run(None, "-c", text) if arguments == ["-c"] else run(text, *arguments)
    assert done.returncode == 0, done.stderr
    # From 3.13 on the interactive interpreter and -c keep their lines.
    assert "a function defined in a file, or jit(mode=\"PIJit\")" in done.stdout or "[2.0]" in done.stdout, done


@LEVELS
def test_compiled_file_alone(tmp_path, whole):
    path = tmp_path / "gone.py"
    path.write_text("def f(x):\n    return x + 1\n")
    compiled = py_compile.compile(str(path), cfile=str(tmp_path / "gone.pyc"))
    path.unlink()
    with pytest.raises(ms.CompileError, match="source of f, got none in .*gone.py.*" + SOURCE_NEEDED):
        ms.jit(load(compiled).f, fullgraph=whole)(x2())


@LEVELS
@pytest.mark.parametrize("edited, text", [
    ("def g(x):\n    return x + 1\n", "start the program again if the file was edited"),
    ("\n\ndef f(x):\n    return x + 1\n", "start the program again"), ("def f(y):\n    return y + 1\n", "start the program again"),
    ("def f(x):\n    return other(x)\n", "start the program again"), ("def f(x:\n", "got SyntaxError in .*edited.py"),
    ("def f(x):\n    return '\0'\n", "got (ValueError|SyntaxError) in .*edited.py"), ("", "got (none in|a file without it at line 1 of) .*edited.py"),
    (b"def f(x):\n    return abs(x) + 1  # \xe9\n", "got none in .*edited.py"), (b"# coding: nope\n", "got none in .*edited.py"),
    (b"\xff\xfe\x00", "got none in .*edited.py")])
def test_edited_file(tmp_path, edited, text, whole):
    """Whatever the file holds now, bytes that are no text included: every error names a way out."""
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return abs(x) + 1\n")
    module = load(path)
    path.write_bytes(edited if isinstance(edited, bytes) else edited.encode())
    with pytest.raises(ms.CompileError, match=text) as caught:
        ms.jit(module.f, fullgraph=whole)(x2())
    assert "jit(mode=\"PIJit\")" in str(caught.value)
    same(module.f, x2(), mode="PIJit")


def test_report_on_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    y = x + 1\n    print(len(str(y.sum())))\n    return y * 2\n")
    run = ms.jit(load(path).f, mode="PIJit")
    path.write_bytes(b"# coding: nope\n# \xe9\n")
    run(x2())
    text = str(ms.explain(run, x2()))
    assert "break at line 3" in text and "cure: " in text


CONSTANTS = "def f(x, n=1):\n    for i in (1, 2):\n        x = x * 2 + i\n    return x, {'a': [v for v in (1, 2)]}\n"


@pytest.mark.parametrize("change", [("* 2", "* 3"), ("* 2", "- 2"), ("(1, 2):", "(1, 3):"), ("'a'", "'b'"), ("[v for", "[-v for")])
def test_edited_constants_and_operators(tmp_path, change):
    path = tmp_path / "edited.py"
    path.write_text(CONSTANTS)
    module = load(path)
    same_pair = ms.jit(module.f, fullgraph=True)(x2())
    assert same_pair[0].tolist() == module.f(x2())[0].tolist()
    linecache.clearcache()
    module = load(path)
    path.write_text(CONSTANTS.replace(*change))
    with pytest.raises(ms.CompileError, match="start the program again if the file was edited"):
        ms.jit(module.f, fullgraph=True)(x2())


def test_sets_of_constants_are_compared_as_sets():
    text = "def f(s):\n    return s in {'%s'}\n"
    one, other = (compile(text % "', '".join(names), "f.py", "exec").co_consts[0] for names in ("abcdefghij", "ajihgfedcb"))
    assert places.what_runs(one) == places.what_runs(other)


@LEVELS
def test_function_in_a_zip_file(tmp_path, monkeypatch, whole):
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(str(path), "w") as packed:
        packed.writestr("psjit_packed.py", "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x, {1}\n")
    monkeypatch.syspath_prepend(str(path))
    module = importlib.import_module("psjit_packed")
    same(module.f, x2(), fullgraph=whole)
    if whole:
        with pytest.raises(ms.CompileError, match=r"packed.zip.psjit_packed.py\", line 6, column 15, in g\n    return x, \{1\}"):
            ms.jit(module.g, fullgraph=True)(x2())


def test_other_encodings(tmp_path):
    path = tmp_path / "latin.py"
    path.write_bytes("# -*- coding: latin-1 -*-\ndef f(x):\n    return 'äöü', {1}, x + 1\n".encode("latin-1"))
    module = load(path)
    assert ms.jit(module.f)(x2())[0] == "äöü"
    with pytest.raises(ms.CompileError, match="line 3, column 19, in f\n    return 'äöü', .1., x . 1\n                  \\^"):
        ms.jit(module.f, fullgraph=True)(x2())


# -- which function it is -------------------------------------------------------------------------------------------------

LAMBDAS = [lambda x: x + 1, lambda x: x * 2, lambda y: y * 3, lambda x, k=(lambda x: x - 1): k(x)]
OUTSIDE = [lambda x: (x + 1, 1), lambda x: (x + 2, {1}), lambda x: (x + 3, [1])]


@LEVELS
def test_lambdas_of_one_line(whole):
    for one in LAMBDAS:
        same(one, x2(), fullgraph=whole)


def test_the_lambda_meant_is_refused():
    compiled = [ms.jit(one, fullgraph=True) for one in OUTSIDE]
    assert compiled[0](x2())[1] == 1 and compiled[2](x2())[1] == [1]
    with pytest.raises(ms.CompileError, match="got a set"):
        compiled[1](x2())


def doubled(fn):
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) * 2
    return wrapper


@doubled
@doubled
def decorated(x):
    return x + 1


def scaled_by(n):
    def generated(x):
        return x * n
    return generated


@LEVELS
def test_decorated_and_generated(whole):
    same(decorated, x2(), fullgraph=whole)
    for n in (2, 3, Tensor([4.0])):
        same(scaled_by(n), x2(), fullgraph=whole)


@ms.jit_class
class Methods:
    n = 3

    def named_this(this, x):
        return x * this.n

    def unnamed(*args):
        return args[1] * args[0].n

    @staticmethod
    def static(x):
        return x + 2

    def __private(me, x):
        return x - me.n

    def calls_private(me, x):
        return me.__private(x)


class NamedThis(nn.Cell):
    def construct(net, x):
        return x + 1


@LEVELS
def test_the_first_parameter_may_have_any_name(whole):
    made = Methods()
    for method in (made.named_this, made.unnamed, made.static, made.calls_private, NamedThis().construct):
        same(method, x2(), fullgraph=whole)
    same(NamedThis(), x2())
    assert ms.jit(NamedThis(), fullgraph=whole)(x2()).tolist() == [2, 3]


@pytest.mark.parametrize("options", [{"mode": "PIJit"}, {}, {"fullgraph": True}], ids=["PIJit", "LAX", "STRICT"])
def test_augmented_assignment_rebinds(options):
    def f(x, kept):
        y = x
        x += 1
        kept[0] *= 2
        return x, y

    for fn in (f, ms.jit(f, **options)):
        x, kept = x2(), [x2()]
        was = kept[0]
        for _ in range(2):
            got = fn(x, kept)
            assert got[1] is x and got[0].tolist() == [2, 3] and x.tolist() == [1, 2] and was.tolist() == [1, 2]
        assert kept[0].tolist() == [4, 8]


# -- recursion and size ---------------------------------------------------------------------------------------------------


def down(x, n):
    return x if n == 0 else down(x + 1, n - 1)


def even(x, n):
    return x if n == 0 else odd(x + 1, n - 1)


def odd(x, n):
    return x if n == 0 else even(x * 2, n - 1)


def endless(x, n):
    return endless(x + 1, n + 1)


def until(x):
    return x if x.sum() > 100 else until(x * 2)


@LEVELS
@pytest.mark.parametrize("fn", [down, even])
def test_recursion(fn, whole):
    same(fn, x2(), 6, fullgraph=whole)


@pytest.mark.parametrize("fn", [down, even])
def test_deep_recursion(fn):
    same(fn, x2(), 70)
    same(fn, x2(), 0)
    for _ in range(2):  # after the runs at level LAX too
        with pytest.raises(ms.CompileError, match="calls are nested too deeply at .*; raise msjit.config.inline_depth"):
            ms.jit(fn, fullgraph=True)(x2(), 70)


def test_recursion_without_an_end():
    with pytest.raises(RecursionError):
        ms.jit(endless)(x2(), 0)
    with pytest.raises(ms.CompileError, match="nested too deeply"):
        ms.jit(endless, fullgraph=True)(x2(), 0)


def test_recursion_on_a_tensor():
    same(until, x2())
    with pytest.raises(ms.CompileError, match="nested too deeply"):
        ms.jit(until, fullgraph=True)(x2())


@pytest.mark.costly
def test_huge_function(tmp_path):
    path = tmp_path / "huge.py"
    path.write_text("def f(x):\n" + "    x = x + 1\n" * 17000 + "    return x\n\n\ndef g(x):\n" + "    x = x + 1\n" * 3000 +
                    "    return x, {1}\n")
    module = load(path)
    assert ms.jit(module.f)(x2()).tolist() == [17001, 17002]
    with pytest.raises(ms.CompileError, match="region has too many operations; .* raise msjit.config.max_ops"):
        ms.jit(module.f, fullgraph=True)(x2())
    with pytest.raises(ms.CompileError, match="line 20006, column 15, in g"):
        ms.jit(module.g, fullgraph=True)(x2())


def test_deep_expression(tmp_path):
    path = tmp_path / "deep.py"
    path.write_text("def f(x):\n    return x%s\n" % (" + 1" * 900))
    same(load(path).f, x2(), fullgraph=True)


# -- level STRICT does not depend on what ran before ----------------------------------------------------------------------


class Stores(nn.Cell):
    def construct(self, x):
        self.n = 2
        return x + 1


def test_level_strict_after_other_levels():
    net = Stores()
    for options in ({}, {"mode": "PIJit"}):
        for _ in range(3):
            ms.jit(net, **options)(x2())
    for _ in range(2):
        with pytest.raises(ms.CompileError, match="store to n of an existing Stores"):
            ms.jit(net, fullgraph=True)(x2())
    assert ms.jit(net)(x2()).tolist() == [2, 3]


def no_tensor(x, n):
    if n > 1:
        return int(np.sum([n]))
    return n


def test_level_strict_where_nothing_was_captured():
    for n in (1, 5):
        for _ in range(40):
            assert ms.jit(no_tensor)(x2(), n) == n
    with pytest.raises(ms.CompileError, match="of another package"):
        ms.jit(no_tensor, fullgraph=True)(x2(), 5)


def inner(x):
    return x + len({1, 2})


def outer(x):
    return inner(x) * 2


def test_inlined_code_is_judged_after_other_levels_too():
    same(outer, x2())
    for _ in range(2):
        with pytest.raises(ms.CompileError, match="got a set, expected a tuple or list"):
            ms.jit(outer, fullgraph=True)(x2())


# -- modules that are somebody else's -------------------------------------------------------------------------------------


def test_lists_of_modules(tmp_path, monkeypatch):
    (tmp_path / "psjit_helper.py").write_text("def plus(x):\n    return x + 1\n")
    (tmp_path / "psjit_caller.py").write_text("import psjit_helper\n\n\ndef f(x):\n    return psjit_helper.plus(x)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    f = importlib.import_module("psjit_caller").f
    same(f, x2(), fullgraph=True)
    _msjit.reset()
    monkeypatch.setenv("MS_JIT_IGNORE_MODULES", "numpy,psjit_helper")
    with pytest.raises(ms.CompileError, match="got psjit_helper.plus, which is of another package"):
        ms.jit(f, fullgraph=True)(x2())
    same(f, x2())
    monkeypatch.setenv("MS_JIT_MODULES", "psjit_helper")
    same(f, x2(), fullgraph=True)


# -- options --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, error, text", [
    (lambda: ms.jit(down, fullgraph="STRICT"), TypeError, "fullgraph must be a bool, got str"),
    (lambda: ms.jit(down, mode="STRICT"), ValueError, "mode, got 'STRICT', expected 'PSJit' or 'PIJit'"),
    (lambda: ms.jit(down, jit_config="STRICT"), TypeError, "jit_config, got str, expected a JitConfig"),
    (lambda: ms.JitConfig(jit_syntax_level="strict"), ValueError, "jit_syntax_level, got 'strict'"),
    (lambda: ms.JitConfig(jit_syntax_level=0), (TypeError, ValueError), "jit_syntax_level"),
    (lambda: ms.set_context(jit_syntax_level="STRICT"), (TypeError, ValueError), "jit_syntax_level"),
    (lambda: ms.set_context(jit_syntax_level=-1), ValueError, "jit_syntax_level, got -1"),
    (lambda: ms.set_context(jit_syntax_level=True), ValueError, "jit_syntax_level, got True")])
def test_wrong_levels(call, error, text):
    with pytest.raises(error, match=text):
        call()


LEVEL = textwrap.dedent("""
    def f(x):
        return x + 1, {1}
""")


def test_every_way_to_say_strict(tmp_path):
    path = tmp_path / "level.py"
    path.write_text(LEVEL)
    f = load(path).f
    with pytest.raises(ms.CompileError, match="got a set"):
        ms.jit(f, jit_config=ms.JitConfig(jit_syntax_level="STRICT"))(x2())
    assert ms.jit(f, jit_config=ms.JitConfig(jit_syntax_level="LAX"))(x2())[1] == {1}
    ms.set_context(jit_syntax_level=ms.STRICT)
    try:
        with pytest.raises(ms.CompileError, match="got a set"):
            ms.jit(f)(x2())
        assert ms.jit(f, jit_config=ms.JitConfig(jit_syntax_level="LAX"))(x2())[1] == {1}
    finally:
        ms.set_context(jit_syntax_level=ms.LAX)
    assert ms.jit(f)(x2())[1] == {1}


def test_trees_of_texts_that_come_and_go():
    for number in range(200):
        file, text = "<cell %d>" % number, "def f(x):\n    return x + %d\n" % number
        linecache.cache[file] = len(text), None, text.splitlines(True), file
        space = {}
        exec(compile(text, file, "exec"), space)
        assert ms.jit(space["f"], fullgraph=True)(x2()).tolist() == [1 + number, 2 + number]
        del linecache.cache[file]
    assert len(source._trees) < 100
