"""Random nests of loops, `try`, `with`, `return`, `break` and `continue`: each must do what it does without the JIT, run
by captured regions, by the stepper, and handed back to CPython after any number of instructions."""

import os
import random

import pytest

import msjit as ms

pytestmark = pytest.mark.jit
_debug = getattr(pytest.importorskip("msjit._msjit"), "_debug", None)
if _debug is None:
    pytest.skip("no bytecode JIT here", allow_module_level=True)

PROGRAMS = int(os.environ.get("MSJIT_BLOCK_PROGRAMS", "60"))


class Manager:
    def __init__(self, log, swallow):
        self.log, self.swallow = log, swallow

    def __enter__(self):
        self.log.append("enter")
        return 1

    def __exit__(self, kind, value, traceback):
        self.log.append(kind and kind.__name__)
        return self.swallow


class Writer:
    """Writes one function f(x, a, log); `a` decides which of its branches are taken."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["def f(x, a, log):", "    y = x + 1.0"]
        self.marks = 0
        self.block(1, 0, False, False)
        self.lines += ["    log.append('end')", "    return y * 2.0"]

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def mark(self, depth):
        self.marks += 1
        self.put(depth, self.random.choice(["log.append(%d)", "y = y + %d.5", "log.append(%d); y = y * 0.5"]) % self.marks)

    def condition(self):
        return "a %% %d == %d" % (self.random.randint(2, 4), self.random.randint(0, 1))

    def block(self, depth, level, in_loop, in_finally):
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(["mark", "leave", "if", "for", "while", "except", "finally", "both", "with"])
            if (level > 3 or len(self.lines) > 90) and kind not in ("mark", "leave"):
                kind = "mark"
            getattr(self, "put_" + kind)(depth, level, in_loop, in_finally)

    def put_mark(self, depth, *_):
        self.mark(depth)

    def put_leave(self, depth, level, in_loop, in_finally):
        ways = ["return y", "return y - %d" % self.marks, "1 / 0", "raise KeyError(%d)" % self.marks]
        if in_loop:
            ways += ["break", "break"] + ([] if in_finally else ["continue", "continue"])
        self.put(depth, "if %s:" % self.condition())
        self.put(depth + 1, self.random.choice(ways))

    def put_if(self, depth, level, *inside):
        self.put(depth, "if %s:" % self.condition())
        self.block(depth + 1, level + 1, *inside)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.block(depth + 1, level + 1, *inside)

    def put_for(self, depth, level, *_):
        self.put(depth, "for i%d in range(%d):" % (level, self.random.randint(1, 3)))
        self.put(depth + 1, "a = a + i%d" % level)
        self.block(depth + 1, level + 1, True, False)
        if self.random.random() < 0.3:
            self.put(depth, "else:")
            self.mark(depth + 1)

    def put_while(self, depth, level, *_):
        self.put(depth, "n%d = 0" % level)
        self.put(depth, "while n%d < %d:" % (level, self.random.randint(1, 3)))
        self.put(depth + 1, "n%d = n%d + 1" % (level, level))
        self.put(depth + 1, "a = a + 1")
        self.block(depth + 1, level + 1, True, False)

    def put_try(self, depth, level, in_loop, in_finally, handlers, final):
        self.put(depth, "try:")
        self.block(depth + 1, level + 1, in_loop, in_finally)
        if handlers:
            self.put(depth, self.random.choice(["except ZeroDivisionError:", "except (KeyError, ZeroDivisionError) as error:", "except KeyError as error:",
                                                "except Exception:"]))
            self.put(depth + 1, "log.append('handler')")
            self.block(depth + 1, level + 1, in_loop, in_finally)
        if final:
            self.put(depth, "finally:")
            self.block(depth + 1, level + 1, in_loop, True)

    def put_except(self, *where):
        self.put_try(*where, handlers=True, final=False)

    def put_finally(self, *where):
        self.put_try(*where, handlers=False, final=True)

    def put_both(self, *where):
        self.put_try(*where, handlers=True, final=True)

    def put_with(self, depth, level, *inside):
        self.put(depth, "with Manager(log, %s):" % (self.random.random() < 0.3))
        self.block(depth + 1, level + 1, *inside)


def outcome(run, a):
    log = []
    try:
        result = run(ms.Tensor([1.0, 2.0]), a, log)
        return log, result.tolist()
    except (ZeroDivisionError, KeyError) as error:
        lines, traceback = [], error.__traceback__
        while traceback:
            if traceback.tb_frame.f_code.co_filename == "<blocks>":
                lines.append(traceback.tb_lineno)
            traceback = traceback.tb_next
        return log, type(error), str(error), lines


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_blocks(seed):
    source = "\n".join(Writer(seed).lines)
    names = {"Manager": Manager}
    exec(compile(source, "<blocks>", "exec"), names)
    f = names["f"]
    assert "[decode]" not in _debug.dump_bytecode(f), source
    jitted = ms.jit(f, mode="PIJit")
    counts = random.Random(seed)
    for a in (0, 1, 2, 3, 1):
        expected = outcome(f, a)
        assert outcome(jitted, a) == expected, source
        for count in (0, 10**6, *(counts.randrange(150) for _ in range(6))):
            for finish in (False, True):
                got = outcome(lambda *args: _debug.resume_after(f, count, finish, args, {})[0], a)
                assert got == expected, (a, count, finish, source)
