"""Decoding to the canonical instruction set, control flow and liveness."""

import dis
import json
import opcode
import pathlib
import re
import subprocess
import sys
import time
import types

import pytest

pytestmark = pytest.mark.jit
_debug = getattr(pytest.importorskip("msjit._msjit"), "_debug", None)
if _debug is None:
    pytest.skip("no bytecode JIT here", allow_module_level=True)

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE = re.compile(r"^ *(?P<index>\d+) (?P<exit>[* ]) .*?\[(?P<depth>-?\d+)\](?P<handler>!?)(?: \^\d+)? (?P<text>.*)$")


def instrs(code):
    rows = [LINE.match(line) for line in _debug.dump_bytecode(code).splitlines()]
    assert all(rows), _debug.dump_bytecode(code)
    return rows


def ops(code):
    return [row["text"] for row in instrs(code)]


def all_codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_codes(constant)


def test_every_opcode_has_a_row():
    missing = [name for name, number in opcode.opmap.items()
               if number < 256 and not name.startswith("INSTRUMENTED_") and _debug.opcode_row(number) is None]
    assert missing == []
    unused = (set(range(256)) - set(opcode.opmap.values())).pop()
    assert _debug.opcode_row(unused) is None


def test_opcode_table_is_current():
    tool = ROOT / "tests" / "tools" / "dump_opcodes.py"
    subprocess.run([sys.executable, str(tool), "--check"], check=True)


@pytest.mark.parametrize("module", ["json/decoder.py", "argparse.py", "dataclasses.py", "contextlib.py", "asyncio/tasks.py"])
def test_decodes_the_standard_library(module):
    path = pathlib.Path(json.__file__).parents[1] / module
    for code in all_codes(compile(path.read_text(), module, "exec")):
        depths = [int(row["depth"]) for row in instrs(code)]
        if not code.co_flags & 0x2A0:  # generators and coroutines never run natively
            assert max(depths) <= code.co_stacksize, code
        _debug.cfg(code)
        _debug.live(code)


def test_one_instruction_set():
    def function(x, y):
        return x.size(y, 2) + y[0]

    # Small numbers lie in the instruction from 3.14 on.
    common = [op.replace("LoadInt", "LoadConst") for op in ops(function) if op != "Resume"]
    assert common == ["LoadFast x", "LoadMethod size", "LoadFast y", "LoadConst 2", "Call 2", "LoadFast y", "LoadConst 0",
                      "Subscr", "Binary +", "ReturnValue"]


def test_calls_with_names_are_one_instruction():
    def function(f):
        return f(1, k=2)

    rows = [row for row in instrs(function) if row["text"].startswith("Call ")]
    assert len(rows) == 1 and rows[0]["text"].startswith("Call 2 names=") and rows[0]["exit"] == "*"


def test_second_halves_are_no_exits():
    def function(a):
        a[0] += len(a)
        return a

    marks = {row["text"]: row["exit"] for row in instrs(function)}
    if sys.version_info >= (3, 13):
        assert (marks["LoadGlobal len"], marks["PushNull"]) == ("*", " ")
    elif sys.version_info >= (3, 11):
        assert (marks["PushNull"], marks["LoadGlobal len"]) == ("*", " ")
    else:
        copies = [row["exit"] for row in instrs(function) if row["text"] == "Copy 2"]
        assert copies == ["*", " "]


def test_handlers_are_marked():
    def function(x):
        try:
            x = x + 1
        except ValueError:
            x = 0
        return x

    rows = instrs(function)
    stores = [row["handler"] for row in rows if row["text"] == "StoreFast x"]
    assert stores == ["", "!"]
    assert all(row["exit"] == " " for row in rows if row["handler"])


def test_branches_join():
    def function(x):
        if x:
            y = 1
        else:
            y = 2
        z = y
        for i in range(z):
            z += i
        return z

    cfg = _debug.cfg(function)
    blocks = dict(re.findall(r"^(B\d+) (.*)$", cfg, re.M))
    join = re.search(r"join (B\d+)", blocks["B0"])
    assert join and re.search(r"^%s .*\n +\d+ LoadFast y" % join.group(1), cfg, re.M)
    assert len(set(re.findall(r"loop (B\d+)", cfg))) == 1


def test_loops_nest():
    def function(n):
        for i in range(n):
            while i:
                i = i - 1
        return n

    cfg = _debug.cfg(function)
    headers = set(re.findall(r"loop (B\d+)", cfg))
    assert len(headers) == 2
    assert re.search(r"-> B\d+ B\d+ join B\d+ loop B\d+\n +\d+ ForIter", cfg)


def test_endless_loop():
    def function(n):
        while True:
            n = n + 1

    assert "loop B" in _debug.cfg(function)


def test_liveness():
    def function(a, b):
        c = a + 1
        d = c * b
        try:
            e = d()
        except ValueError:
            return b
        return e

    live = _debug.live(function)
    text = ops(function)
    at = {op: set(live[k]) for k, op in reversed(list(enumerate(text)))}
    assert at["LoadFast a"] == {"a", "b"}
    assert at["StoreFast c"] == {"b"}
    assert at["LoadFast d"] == {"b", "d"}
    assert at["LoadFast e"] == {"e"}


def test_lines_are_those_of_the_interpreter():
    source = "def f(x):\n" + "    x = (x +\n         1)\n" * 400 + "\n" * 300 + "    if x: return [\n        a\n        for a in x]\n    return x\n"
    names = {}
    exec(source, names)
    code = names["f"].__code__
    expected, line = {}, None
    starts = dict(dis.findlinestarts(code))
    for instr in dis.get_instructions(code):
        line = starts.get(instr.offset, line)
        expected[instr.offset] = line
    lines = [int(n) for n in re.findall(r" L(\d+) ", _debug.dump_bytecode(names["f"]))]
    assert sorted(set(lines)) == sorted(set(expected.values()) - {None})


def test_a_huge_function_decodes_in_time_linear_in_its_size():
    def seconds(count):
        names = {}
        exec("def f(x):\n" + "    y = 1\n" * count + "    return x\n", names)
        start = time.process_time()
        _debug.dump_bytecode(names["f"])
        return time.process_time() - start

    seconds(1000)
    assert seconds(40000) < 100 * max(seconds(4000), 0.001)
