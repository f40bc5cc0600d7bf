"""Regular expressions of known texts in captured code."""
import re
import sys

import numpy as np
import pytest

from jit_same import captured, same, same_after
from msjit import Tensor

pytestmark = pytest.mark.jit
SINCE_38 = sys.version_info >= (3, 8)  # classes of metaclasses, as enumerations are, have no version before


def x3(_=0):
    return [Tensor(np.float32([1, 2, 3]))]


LAYER = re.compile(r"layers\.(?P<number>\d+)\.(\w+)")
NAMES = ["encoder.layers.3.weight", "encoder.layers.12.bias", "head.weight"]


def module_functions(x):
    m = re.match(r"encoder\.layers\.(\d+)\.(\w+)", NAMES[0])
    y = x * int(m.group(1)) if m else x
    return (y, re.sub(r"\d+", "#", NAMES[1]), re.findall(r"\w+", NAMES[2]), bool(re.search("bias", NAMES[0])), re.split(r"\.", NAMES[2]),
            re.fullmatch("head", "head").span(), re.escape("a.b"), re.subn("e", "E", NAMES[2]), re.match("HEAD", NAMES[2], re.I) is not None)


def patterns(x):
    rows = []
    for name in NAMES:
        m = LAYER.search(name)
        if m is not None:
            x = x + int(m["number"])
            rows.append((m.groups(), m.groupdict(), m.start(), m.end(2), m[0], m.lastindex, m.string))
    return x, rows, LAYER.sub(r"L\1", NAMES[0]), LAYER.pattern, LAYER.flags, LAYER.groups, re.sub(LAYER, "L", NAMES[1]), LAYER.split(NAMES[0])


def made(x):
    p = re.compile("[a-c]+", re.I | re.M)
    return x + len(p.findall("aBc d ab")), p.match("z") is None, str(p.match("ab")), re.compile("a") is re.compile("a")


def returned(x):
    m = LAYER.search(NAMES[0])
    return x + 1, m is not None, str(m), m.re is LAYER


def called_back(x):
    return x * 2, re.sub(r"\d+", lambda m: str(int(m.group()) + 1), NAMES[0]), [m.group() for m in re.finditer(r"\d", "1 2")]


def errors(x):
    seen = []
    try:
        re.match("(", "a")
    except re.error as e:
        seen.append(type(e).__name__)
    try:
        re.match("a", "a").group(5)
    except IndexError as e:
        seen.append(str(e))
    try:
        re.match(b"a", "a")
    except TypeError:
        seen.append("type")
    return x * 2, seen


def no_match(x):
    y = x * 2
    return y, re.match("z", "a").group(1)


PROGRAMS = [module_functions, patterns, made, returned, called_back, errors, no_match]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program):
    same(program, x3)


@pytest.mark.captures
@pytest.mark.parametrize("program", [module_functions, patterns] if SINCE_38 else [patterns], ids=lambda p: p.__name__)
def test_is_captured(program):
    captured(program, x3)


def test_patterns_and_texts_that_change():
    same_after("import re\np, t = re.compile('a+'), 'baac'", "(x * 2, p.search(t) and p.search(t).span(), p.findall(t), re.match(p, t) is None)", [
        "t = 'aaa'", "p = re.compile('z')", "p = re.compile('(A)', re.I)", "t = ''", "p = re.compile(b'a'); t = b'ba'"])


def test_a_match_may_leave_the_region():
    import msjit as ms

    def found(x):
        return x * 2, LAYER.search(NAMES[0])
    jitted = ms.jit(found, mode="PIJit")
    for _ in range(3):
        assert jitted(*x3())[1].groups() == ("3", "weight")
