"""Code objects that no compiler made. If CPython survives one, it must give the same results under msjit. The decoder refuses code that makes no sense."""
import dis
import os
import subprocess
import sys
import types

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor

_msjit = pytest.importorskip("msjit._msjit")
pytestmark = pytest.mark.jit
TABLES = pytest.mark.skipif(sys.version_info < (3, 11), reason="instructions of 3.11 and later")
GENERATOR, COROUTINE = 0x20, 0x80


def x2():
    return Tensor(np.float32([1, 2]))


def recoded(code, **new):
    if hasattr(code, "replace"):
        return code.replace(**new)
    names = ("co_argcount co_kwonlyargcount co_nlocals co_stacksize co_flags co_code co_consts co_names co_varnames co_filename "
             "co_name co_firstlineno co_lnotab co_freevars co_cellvars").split()
    return types.CodeType(*[new.get(name, getattr(code, name)) for name in names])


def changed(fn, **new):
    """The function with another code object."""
    return types.FunctionType(recoded(fn.__code__, **new), fn.__globals__, fn.__name__, fn.__defaults__)


def put(fn, old, new, argument=None):
    """The function with the opcode of the first instruction `old` replaced by a name or a number."""
    raw = bytearray(fn.__code__.co_code)
    at = next(i.offset for i in dis.get_instructions(fn) if i.opname == old)
    raw[at] = dis.opmap.get(new, new)
    if argument is not None:
        raw[at + 1] = argument
    return changed(fn, co_code=bytes(raw))


def with_inner_flags(fn, flags):
    """The function with these flags of the first code object among its constants turned over."""
    consts = list(fn.__code__.co_consts)
    at = next(i for i, const in enumerate(consts) if isinstance(const, types.CodeType))
    consts[at] = recoded(consts[at], co_flags=consts[at].co_flags ^ flags)
    return changed(fn, co_consts=tuple(consts))


def outcome(fn, *args):
    try:
        return repr(fn(*args))
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)


def check(fn):
    plain = outcome(fn, x2())
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        assert outcome(jitted, x2()) == plain


def is_left_alone(fn):
    return not _msjit._debug.flows(fn.__code__)


def consumes(x):
    def items():
        yield x + 1
        yield x + 2
    return [v * 2 for v in items()]


@pytest.mark.parametrize("flags", [COROUTINE, GENERATOR | COROUTINE, 0x100, 0x200])
@pytest.mark.filterwarnings("ignore:coroutine")
def test_generators_with_other_flags(flags):
    if sys.version_info < (3, 11) and flags == GENERATOR | COROUTINE:
        pytest.skip("neither one nor the other")
    check(with_inner_flags(consumes, flags))


@TABLES
@pytest.mark.filterwarnings("ignore:coroutine")
def test_generators_are_made_first_of_all():
    def items(x):
        y = x + 1.5
        return y

    assert is_left_alone(put(items, "LOAD_CONST", "RETURN_GENERATOR"))
    never = changed(items, co_flags=items.__code__.co_flags | GENERATOR)
    assert is_left_alone(never)
    check(lambda x: never(x) * 2)


@TABLES
def test_unknown_instructions():
    def f(x):
        y = x * 2
        if y is x:
            y = y + 1
        return y

    check(put(f, "POP_JUMP_IF_FALSE" if sys.version_info >= (3, 12) else "POP_JUMP_FORWARD_IF_FALSE", 230))


@TABLES
def test_nulls_where_objects_are_wanted():
    def f(x):
        return x + x * 2.5

    def g(x):
        return x, [x + 1]

    pushes = (dis.opmap["PUSH_NULL"], 0)
    assert is_left_alone(put(f, "LOAD_CONST", "PUSH_NULL"))
    for fn in (f, g):
        raw = bytearray(fn.__code__.co_code)
        for i in list(dis.get_instructions(fn)):
            if i.opname in ("LOAD_FAST", "LOAD_FAST_BORROW"):
                raw[i.offset:i.offset + 2] = bytes(pushes)
                assert is_left_alone(changed(fn, co_code=bytes(raw)))


@TABLES
def test_exceptions_matched_against_other_objects():
    def f(x):
        return x + 1, x is ValueError

    check(put(f, "IS_OP", "CHECK_EXC_MATCH"))


@pytest.mark.skipif(sys.version_info >= (3, 11) or sys.version_info < (3, 9), reason="the block stack")
def test_blocks_that_do_not_match():
    def f(x):
        try:
            y = x + 1
        finally:
            y = x * 2
        return y

    assert not is_left_alone(f)
    assert is_left_alone(put(f, "SETUP_FINALLY", "NOP"))
    assert is_left_alone(put(f, "POP_BLOCK", "POP_EXCEPT"))


NESTING = '''
import resource, sys
sys.path.insert(0, sys.argv[1])
from test_jit_hand_made import _msjit, put

def f(x):
    while x:
        try:
            x = x - 1
        finally:
            x = x + 0

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
flows = _msjit._debug.flows(put(f, "POP_BLOCK", "JUMP_ABSOLUTE", 0).__code__)
print(bool(flows), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
'''


@pytest.mark.skipif(sys.version_info >= (3, 9), reason="one body of `finally` for all ways")
def test_blocks_that_are_opened_without_end():
    """The decoder refuses blocks nested deeper than CPython's block stack allows, before it unfolds them all."""
    done = subprocess.run([sys.executable, "-c", NESTING, os.path.dirname(__file__)], stdout=subprocess.PIPE, check=True)
    taken, kib = done.stdout.decode().split()
    assert taken == "False" and int(kib) < 50000
