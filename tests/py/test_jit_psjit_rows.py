"""PSJit against its tables. Every program of psjit_positive gives Python's own results in every mode, for changed arguments too. At level
STRICT it is one graph, also as the construct of a Cell in GRAPH_MODE. Every program of psjit_negative is refused there, with the right
place, and gives Python's results at level LAX."""
import importlib.util
import re
import sys

import pytest

import msjit as ms
from jit_same import FORCED, outcome
from msjit import _msjit, nn
from psjit_negative import ROWS as NEGATIVE
from psjit_positive import ROWS as POSITIVE

pytestmark = pytest.mark.jit
MODES = {"PIJit": {"mode": "PIJit"}, "LAX": {}, "STRICT": {"fullgraph": True}}
GRAPH_MODE = "GRAPH_MODE"  # at level STRICT


def make(program):
    """A function to call: a program is one, or a class of Cells."""
    return program().construct if isinstance(program, type) and issubclass(program, nn.Cell) else program


class Wrapping(nn.Cell):
    """A Cell whose construct is a program."""


def compiled(program, mode):
    """What runs a program in a mode."""
    if mode != GRAPH_MODE:
        return ms.jit(make(program), **MODES[mode])
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    if isinstance(program, type) and issubclass(program, nn.Cell):
        cell = program()
        cell.__dict__["__code__"] = program.construct.__code__
        return cell
    cell = type(program.__name__, (Wrapping,), {"construct": staticmethod(program)})()
    cell.__dict__["__code__"] = program.__code__  # where `outcome` looks for the lines of an error
    return cell


@pytest.fixture(autouse=True)
def context():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX)


def changed(value):
    """Another value of the same kind."""
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value)(changed(item) for item in value)
    if isinstance(value, dict):
        return {key: changed(item) for key, item in value.items()}
    if isinstance(value, ms.Tensor):
        return ms.ops.logical_not(value) if value.dtype == ms.bool_ else (value * 2 + 1).astype(value.dtype)
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, (int, float)) else value


def summary(program, args):
    seen, tensors = outcome(program, args)
    return seen, [(t.dtype, t.shape, t.tobytes()) for t in tensors]


@pytest.mark.parametrize("mode", sorted(MODES) + [GRAPH_MODE])
@pytest.mark.parametrize("program, arguments", [r[1:] for r in POSITIVE], ids=[r[0] for r in POSITIVE])
def test_positive(program, arguments, mode):
    if FORCED and mode in ("STRICT", GRAPH_MODE):
        pytest.skip("side exits are forced")
    calls = [lambda args: args] * 3 + [changed, lambda args: args]
    plain, expected = make(program), []
    for change in calls:
        expected.append(summary(plain, change(arguments())))
    _msjit.reset()
    run = compiled(program, mode)
    for place, (change, want) in enumerate(zip(calls, expected)):
        assert summary(run, change(arguments())) == want
        if place == 2 and mode in ("STRICT", GRAPH_MODE) and want[0]["error"] is None:
            assert_one_graph()


@pytest.mark.captures
def test_outside_changes_are_seen():
    @ms.jit_class
    class Setting:
        v = 1

    setting = Setting()

    def f(x):
        return x * setting.v

    for options in MODES.values():
        run = ms.jit(f, **options)
        for setting.v in (1, 2, 2, 0.5, 3):
            assert run(ms.Tensor([2.0])).tolist() == [2 * setting.v]


def assert_one_graph():
    found = [f for f in _msjit.explain_json() if f["regions"] or f["breaks"]]
    assert [f["breaks"] for f in found] == [[]]
    assert len(found[0]["regions"]) == 1


# -- outside the language -------------------------------------------------------------------------------------------------


class Program:
    """A negative row as a module of its own; « in its text stands before the construct that is refused."""

    def __init__(self, row, folder):
        self.row = row
        before = row.text.split("«")[0]
        self.line = before.count("\n") + 1
        self.column = len(before.split("\n")[-1]) + 1
        text = row.text.replace("«", "")
        self.shown = text.split("\n")[self.line - 1]
        self.path = folder / "program.py"
        self.path.write_text(text, encoding="utf-8")

    def load(self):
        spec = importlib.util.spec_from_file_location("psjit_program", str(self.path))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def arguments(module):
    return module.args() if hasattr(module, "args") else (module.x23(),)


@pytest.fixture(params=[pytest.param(r, id=r.name) for r in NEGATIVE if sys.version_info >= r.since])
def program(request, tmp_path):
    return Program(request.param, tmp_path)


@pytest.mark.captures
def test_negative_strict(program):
    module = program.load()
    strict = ms.jit(make(module.f), fullgraph=True)
    for _ in range(2):  # it is not forgotten
        with pytest.raises(ms.CompileError) as caught:
            strict(*arguments(module))
        check_message(program, str(caught.value))


def check_message(program, text):
    head, place, shown, caret = text.rsplit("\n", 3)
    assert re.search(program.row.what, head) and re.search(program.row.instead, head), text
    assert place.startswith('  File "%s", line %d, column %d, in ' % (program.path, program.line, program.column)), text
    assert shown == "    " + program.shown.lstrip()
    indent = len(program.shown) - len(program.shown.lstrip())
    assert caret == " " * (4 + program.column - 1 - indent) + "^", text


@pytest.mark.parametrize("mode", ["LAX", "PIJit"])
def test_negative_runs_as_python(program, mode):
    module = program.load()
    if program.row.at_all_levels:
        if mode == "LAX":
            with pytest.raises(ms.CompileError, match=program.row.what):
                ms.jit(module.f)(*arguments(module))
        return
    plain = program.load()
    run = compiled(module.f, mode)
    f = make(plain.f)
    for _ in range(3):
        assert summary(run, arguments(module)) == summary(f, arguments(plain))


@pytest.mark.captures
def test_negative_at_level_strict(program):
    """Level STRICT without fullgraph refuses only what is outside the language. Steps that are merely in no graph run in the interpreter."""
    if program.row.at_all_levels:
        return
    module, plain = program.load(), program.load()
    with pytest.raises(ms.CompileError) as caught:
        ms.jit(make(program.load().f), fullgraph=True)(*arguments(module))
    run, f = ms.jit(make(module.f), jit_config=ms.JitConfig(jit_syntax_level="STRICT")), make(plain.f)
    for _ in range(3):
        if "level STRICT" in str(caught.value):
            with pytest.raises(ms.CompileError) as again:
                run(*arguments(module))
            check_message(program, str(again.value))
        else:
            assert summary(run, arguments(module)) == summary(f, arguments(plain))
