"""How the fuzzers run a function beside plainly: under PIJit and under both levels of PSJit."""
import itertools
import linecache

import msjit as ms


class Strict:
    """Under level STRICT. A call that is refused with CompileError is made again, plainly, with the same arguments: nothing
    of it may have happened. `whole` counts the others."""

    def __init__(self, fn):
        self.fn, self.compiled, self.whole = fn, ms.jit(fn, fullgraph=True), 0

    def __call__(self, *args):
        try:
            self.whole += 1
            return self.compiled(*args)
        except ms.CompileError:
            self.whole -= 1
        return self.fn(*args)

    def __get__(self, instance, owner):
        return self if instance is None else lambda *args: self(instance, *args)


WAYS = {"PIJit": lambda fn: ms.jit(fn, mode="PIJit"), "LAX": ms.jit, "STRICT": Strict}
EVERY = 3  # programs, of which one runs under PSJit too, where that would take too long for all


def ways_of(seed, every=EVERY):
    return list(WAYS) if seed % every == 0 else ["PIJit"]


class SourceText:
    """A program's text under a file name of its own, where `inspect` and PSJit find it; each `load` makes new code."""

    _numbers = itertools.count()

    def __init__(self, source):
        self.source = source
        self.file = "<program %d>" % next(self._numbers)

    def __enter__(self):
        linecache.cache[self.file] = len(self.source), None, self.source.splitlines(True), self.file
        return self

    def __exit__(self, *_):
        linecache.cache.pop(self.file, None)

    def load(self, space):
        exec(compile(self.source, self.file, "exec"), space)
        return space

    def function(self, space):
        """The function that the text, an expression, gives."""
        return eval(compile(self.source, self.file, "eval"), space)
