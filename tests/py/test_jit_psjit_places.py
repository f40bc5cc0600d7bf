"""Errors of level STRICT say where: the user's own line, also where the code has no source or is a library's."""
import collections
import contextlib
import dataclasses
import importlib.util
import py_compile
import random
import re

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn

pytestmark = [pytest.mark.jit, pytest.mark.captures]


def error_of(function, *more):
    with pytest.raises(ms.CompileError) as caught:
        ms.jit(function, fullgraph=True)(Tensor(np.float32([1, 2])), *more)
    return str(caught.value)


def points_at(text, function, shown):
    """Whether the last lines of an error show this line of a function here, with the caret at `«`."""
    column = shown.index("«") + 1
    shown = shown.replace("«", "")
    place, line, caret = text.rsplit("\n", 3)[1:]
    assert re.match(r'  File "%s", line \d+, column \d+, in %s$' % (re.escape(__file__), re.escape(function)), place), text
    assert line == "    " + shown and caret == " " * (column + 3) + "^", text


# -- no source ------------------------------------------------------------------------------------------------------------

SPACE = {}
exec("def helper(x):\n    return x + 1\n", SPACE)  # noqa: S102
helper = SPACE["helper"]


def calls_helper(x):
    return helper(x) * 2


def test_a_helper_of_exec():
    text = error_of(calls_helper)
    assert "source of helper, got none in <string>" in text
    points_at(text, "calls_helper", "return «helper(x) * 2")


def test_a_helper_without_its_file(tmp_path):
    path = tmp_path / "gone.py"
    path.write_text("def f(x):\n    return x + 1\n")
    compiled = py_compile.compile(str(path), cfile=str(tmp_path / "gone.pyc"))
    path.unlink()
    spec = importlib.util.spec_from_file_location("psjit_gone", compiled)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def calls(x, f):
        return f(x) * 2

    text = error_of(calls, module.f)
    assert "source of f, got none in" in text
    points_at(text, "calls", "return «f(x) * 2")


@ms.jit_class
@dataclasses.dataclass
class Pair:
    n: int


def makes_pair(x):
    return x * Pair(2).n


def test_a_dataclass_made_inside():
    text = error_of(makes_pair)
    assert "source of __init__, got none in <string>" in text
    points_at(text, "makes_pair", "return x * «Pair(2).n")


# -- code of a library ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def manager():
    yield 3


def uses_manager(x):
    with manager() as n:
        x = x * n
    return x


def test_a_context_manager_of_contextlib():
    text = error_of(uses_manager)
    assert "_GeneratorContextManager" in text and "with manager() as n:" in text, text


def seeds(x):
    random.seed(3)
    return x + 1


def counts(x):
    return x + 1, collections.Counter([1, 1])


def test_functions_of_the_standard_library():
    points_at(error_of(seeds), "seeds", "«random.seed(3)")
    points_at(error_of(counts), "counts", "return x + 1, «collections.Counter([1, 1])")


# -- texts ----------------------------------------------------------------------------------------------------------------


def long_loop(x):
    return [x + i for i in range(100000)]


def until(x):
    return x if x.sum() > 100 else until(x * 2)


class OwnGradient(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 3,)


OWN = OwnGradient()


def loss(x):
    y = OWN(x)
    return (y if x.sum() > 0 else x).sum()


def differentiates(x):
    return ms.grad(loss)(x)


def needs_truth(x):
    return [x, x + 1].index(x * 2)


@pytest.mark.parametrize("function, cure", [
    (long_loop, "write one operation on a tensor that holds all the items"),
    (until, "a recursion that stops on a tensor's value must become a while loop"), (differentiates, "or use level LAX"),
    (needs_truth, "use ops.where, ops.logical_and")])
def test_cures_say_what_to_write(function, cure):
    text = error_of(function)
    assert re.search(cure, text), text
    assert "none needed" not in text
