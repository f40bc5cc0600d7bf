"""Transparent capture: functions of chosen modules become candidates of the bytecode JIT as they are imported.

    msjit.install(include=["model.*"])          from Python
    MSJIT_AUTO='model.*' python train.py        from outside, for an unmodified program

A finder at the head of sys.meta_path lets the usual finders do their work and only replaces `get_code` on the loader
they return, so modules, loaders, specs and tracebacks are those of a plain import.
"""
import fnmatch
import os
import sys
import types

_FUNCTION_FLAGS = 0x3  # CO_OPTIMIZED | CO_NEWLOCALS: functions, not class bodies or modules
_GENERATOR_FLAGS = 0x20 | 0x80 | 0x100 | 0x200  # generators and coroutines are left alone


def function_codes(code):
    """All code objects of functions below a code object, itself included."""
    found, pending = [], [code]
    while pending:
        item = pending.pop()
        if item.co_flags & _FUNCTION_FLAGS == _FUNCTION_FLAGS and not item.co_flags & _GENERATOR_FLAGS:
            found.append(item)
        pending.extend(c for c in item.co_consts if isinstance(c, types.CodeType))
    return found


def mark(code):
    """Makes every function below a code object a candidate; returns how many."""
    from ._native import _msjit
    codes = function_codes(code)
    if not _msjit.has_jit:
        return 0
    for item in codes:
        _msjit.mark_code(item)
    return len(codes)


def skip(fn):
    """Decorator: the transparent modes leave a function, and those defined inside it, to the interpreter."""
    from ._native import _msjit
    if not hasattr(fn, "__code__"):
        raise TypeError("[skip] expected a function, got %s" % type(fn).__name__)
    if _msjit.has_jit:
        for item in function_codes(fn.__code__):
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


class MarkingFinder:
    """Meta path finder that marks the functions of matching modules."""

    def __init__(self, include, exclude=()):
        self.include, self.exclude = _patterns(include), _patterns(exclude)
        self._busy = set()

    def matches(self, name):
        """True when functions of the module `name` are candidates."""
        if name.partition(".")[0] in ("msjit", "mindspore"):
            return False
        return any(fnmatch.fnmatchcase(name, p) for p in self.include) \
            and not any(fnmatch.fnmatchcase(name, p) for p in self.exclude)

    def find_spec(self, name, path=None, target=None):
        """Spec of the other finders, with a loader that marks."""
        if name in self._busy or not self.matches(name):
            return None
        self._busy.add(name)
        try:
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                spec = find(name, path, target) if finder is not self and find is not None else None
                if spec is not None:
                    _wrap_loader(spec.loader)
                    return spec
        finally:
            self._busy.discard(name)
        return None

    def invalidate_caches(self):
        """Nothing is cached here."""


def _wrap_loader(loader):
    get_code = getattr(loader, "get_code", None)
    if get_code is None or getattr(get_code, "msjit_marks", False):
        return

    def marked_get_code(*args):
        code = get_code(*args)
        if code is not None:
            mark(code)
        return code
    marked_get_code.msjit_marks = True
    try:
        loader.get_code = marked_get_code
    except AttributeError:
        pass  # loaders without a dict (zipimport before 3.8): their modules stay eager


def mark_module(module):
    """Makes the functions of a module that is already imported candidates; returns how many."""
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


def install(include, exclude=()):
    """Captures the functions of modules whose names match `include` (patterns like 'pkg.*'), now and as imported."""
    finder = MarkingFinder(include, exclude)
    if not finder.include:
        raise ValueError("[install] include names no module")
    sys.meta_path.insert(0, finder)
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and finder.matches(name):
            mark_module(module)
    return finder


def uninstall(finder=None):
    """Stops marking newly imported modules: of one finder, or of all."""
    sys.meta_path[:] = [f for f in sys.meta_path
                        if not (f is finder or (finder is None and isinstance(f, MarkingFinder)))]


def install_from_environment():
    """What the .pth file of the package runs at start-up when MSJIT_AUTO is set."""
    include = os.environ.get("MSJIT_AUTO", "")
    if _patterns(include) and not any(isinstance(f, MarkingFinder) for f in sys.meta_path):
        install(include)


if os.environ.get("MSJIT_AUTO"):
    install_from_environment()
