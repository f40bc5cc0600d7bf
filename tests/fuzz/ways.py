"""The ways in which the fuzzers run a function besides plainly: under PIJit and under both levels of PSJit."""
import itertools
import linecache

import msjit as ms


class Strict:
    """Runs a function as one graph or not at all. If a call raises CompileError, nothing of it may have happened, so the function is
    called again, plainly, with the same arguments. `whole` counts the calls that were not refused."""

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
EVERY = 3  # one of so many programs runs under PSJit too, where PSJit for all would take too long


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
