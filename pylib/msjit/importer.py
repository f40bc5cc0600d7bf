"""Transparent capture: the bytecode JIT captures functions of chosen modules, which are marked when the modules are imported.

    msjit.install(include=["model.*"])          from Python
    MSJIT_AUTO='model.*' python train.py        from outside, for an unmodified program

A finder at the head of sys.meta_path leaves the search to the usual finders. It only replaces `get_code` of the loader that
they return, for one call. So modules, loaders, specs, tracebacks and the events of trace functions are those of a plain
import.
"""
import os
import sys
import types

from ._native import _msjit

_OWN = ["msjit", "msjit.*", "mindspore", "mindspore.*"]

# Whether functions of the program have been marked for capture.
transparent = False

# Marks every function below a code object for capture; returns how many.
mark = _msjit.mark_functions if _msjit.has_jit else lambda code: 0


def skip(fn):
    """Decorator: the transparent modes leave the function, and functions defined inside it, to the interpreter."""
    if not hasattr(fn, "__code__"):
        raise TypeError("[skip] expected a function, got %s" % type(fn).__name__)
    if _msjit.has_jit:
        for item in _msjit.function_codes(fn.__code__):
            _msjit.skip_code(item)
    return fn


def _patterns(value):
    if value is None:
        return []
    items = value.split(",") if isinstance(value, str) else list(value)
    found = []
    for item in items:
        if not isinstance(item, str):
            raise TypeError("[install] patterns must be strs, got %s" % type(item).__name__)
        item = item.strip()
        if item:
            found.append(item)
            if item.endswith(".*"):  # `pkg.*` means the package itself too
                found.append(item[:-2])
    return found


def _matcher(patterns):
    import fnmatch  # here, as `import msjit` does without the two
    import re
    return re.compile("|".join(fnmatch.translate(p) for p in patterns)).match


class MarkingFinder(_msjit.ImportFinder):
    """Meta path finder that marks the functions of modules whose names match `include` and not `exclude`."""

    def __new__(cls, include, exclude=()):
        self = super().__new__(cls, _matcher(_patterns(include)), _matcher(_patterns(exclude) + _OWN), mark)
        self.include = _patterns(include)
        return self


def mark_module(module):
    """Marks the functions of a module that is already imported; returns how many."""
    count, name = 0, module.__name__
    for value in list(vars(module).values()):
        for fn in _functions(value, name):
            count += mark(fn.__code__)
    return count


def _functions(value, module_name):
    if isinstance(value, types.FunctionType) and value.__module__ == module_name:
        yield value
    elif isinstance(value, type) and value.__module__ == module_name:
        for item in list(vars(value).values()):
            fn = getattr(item, "__func__", None) or getattr(item, "fget", None) or item
            if isinstance(fn, types.FunctionType):
                yield fn


def begin():
    """Notes that the program is captured. Then msjit's own functions that run a whole training step are captured too."""
    global transparent
    transparent = True
    wrap = sys.modules.get("msjit.nn.wrap")
    if wrap is not None:
        wrap.capture_steps()


def install(include, exclude=()):
    """Captures the functions of modules whose names match `include` (patterns like 'pkg.*'), imported already or later."""
    finder = MarkingFinder(include, exclude)
    if not finder.include:
        raise ValueError("[install] include, got no pattern, expected names of modules, as 'pkg.*'")
    sys.meta_path.insert(0, finder)
    begin()
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and finder.matches(name):
            mark_module(module)
    return finder


def uninstall(finder=None):
    """Stops marking newly imported modules, for one finder or for all."""
    sys.meta_path[:] = [f for f in sys.meta_path
                        if not (f is finder or (finder is None and isinstance(f, MarkingFinder)))]


def install_from_environment():
    """The .pth file of the package calls this at start-up when MSJIT_AUTO is set."""
    include = os.environ.get("MSJIT_AUTO", "")
    if _patterns(include) and not any(isinstance(f, MarkingFinder) for f in sys.meta_path):
        install(include)


if os.environ.get("MSJIT_AUTO"):
    install_from_environment()
