"""jit: compiles functions, methods and Cells.

`mode="PIJit"` reads the bytecode as it runs and keeps CPython's semantics for all of Python. `mode="PSJit"`, the default
as in MindSpore, is the stricter front end that reads the source; it is not built yet, and calling such a function says so.
"""
import functools
import types
import warnings

from ._native import CompileError, _msjit

_MODES = ("PSJit", "PIJit")
_CAPTURE = {"ast": "PSJit", "bytecode": "PIJit", "trace": "PSJit"}
_warned = []


class JitConfig:
    """Options of MindSpore's compiler; accepted and kept, none has a meaning here yet."""

    def __init__(self, jit_level="", exc_mode="auto", jit_syntax_level="", debug_level="RELEASE", infer_boost="off",
                 **kwargs):
        self.jit_config_dict = dict(kwargs, jit_level=jit_level, exc_mode=exc_mode,
                                    jit_syntax_level=jit_syntax_level, debug_level=debug_level, infer_boost=infer_boost)


def jit(fn=None, *, function=None, mode=None, capture_mode=None, fullgraph=False, dynamic=None, input_signature=None,
        hash_args=None, jit_config=None, compile_once=None, jit_level=None, backend=None, **options):
    """Compiles `fn`; as a decorator or a call, on functions, methods and Cells.

    mode         "PSJit" (default) or "PIJit"; capture_mode="ast" | "bytecode" is the newer spelling
    fullgraph    raise CompileError instead of leaving the graph where something cannot be captured
    The other keywords are those of MindSpore, accepted for compatibility.
    """
    mode = _mode(mode, capture_mode)
    if not isinstance(fullgraph, bool):
        raise TypeError("[jit] fullgraph must be a bool, got %s" % type(fullgraph).__name__)
    target = fn if fn is not None else function
    if target is None:
        return lambda decorated: _compile(decorated, mode, fullgraph)
    return _compile(target, mode, fullgraph)


def _mode(mode, capture_mode):
    if capture_mode is not None:
        if capture_mode not in _CAPTURE:
            raise ValueError("[jit] capture_mode, got %r, expected 'ast' or 'bytecode'" % (capture_mode,))
        if mode is None:
            mode = _CAPTURE[capture_mode]
    mode = "PSJit" if mode is None else mode
    if mode not in _MODES:
        raise ValueError("[jit] mode, got %r, expected 'PSJit' or 'PIJit'" % (mode,))
    return mode


def _compile(fn, mode, fullgraph):
    from .nn.cell import Cell
    if isinstance(fn, (classmethod, staticmethod)):
        return type(fn)(_compile(fn.__func__, mode, fullgraph))
    if isinstance(fn, type) or not callable(fn):
        raise TypeError("[jit] expected a function, a method or a Cell, got %s"
                        % (fn.__name__ if isinstance(fn, type) else type(fn).__name__))
    fn = _plain(fn)
    if mode == "PIJit" and not _msjit.has_jit:
        _warn_once()
        return fn
    if isinstance(fn, Cell):
        return JitCell(fn, _compile(fn.construct, mode, fullgraph))
    if isinstance(fn, types.MethodType):
        return types.MethodType(_compile(fn.__func__, mode, fullgraph), fn.__self__)
    if isinstance(fn, functools.partial):
        return functools.partial(_compile(fn.func, mode, fullgraph), *fn.args, **fn.keywords)
    if mode == "PSJit":
        return PSJitFunction(fn)
    if not isinstance(fn, types.FunctionType):
        call = getattr(type(fn), "__call__", None)
        if isinstance(call, types.FunctionType):  # an object with a Python __call__
            return types.MethodType(_compile(call, mode, fullgraph), fn)
        return fn  # builtins and operators have no bytecode
    return _msjit.JitFunction(fn, fullgraph)


def _plain(fn):
    """The function under an earlier jit, so that the last one decides."""
    if isinstance(fn, JitCell):
        return fn.__wrapped__
    if isinstance(fn, PSJitFunction) or (_msjit.has_jit and isinstance(fn, _msjit.JitFunction)):
        return fn.__wrapped__
    if isinstance(fn, types.MethodType) and _plain(fn.__func__) is not fn.__func__:
        return types.MethodType(_plain(fn.__func__), fn.__self__)
    return fn


def _warn_once():
    if not _warned:
        _warned.append(True)
        warnings.warn("msjit: functions run uncompiled: %s" % _msjit.no_jit_reason, RuntimeWarning, stacklevel=4)


class PSJitFunction:
    """A function compiled with PSJit; calling it explains that this front end is not built yet."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        code = getattr(self.__wrapped__, "__code__", None)
        where = "%s:%d: " % (code.co_filename, code.co_firstlineno) if code else ""
        raise CompileError("%s[jit] PSJit, the default mode, is not built yet; compile %s with jit(mode=\"PIJit\")"
                           % (where, getattr(self.__wrapped__, "__qualname__", "this")))


class JitCell:
    """A Cell whose construct is compiled; everything else is the Cell's. The Cell itself stays eager."""

    wraps_cell = True

    def __init__(self, cell, construct):
        store = self.__dict__
        store["__wrapped__"] = cell
        store["_construct"] = construct

    def __call__(self, *args, **kwargs):
        cell = self.__wrapped__
        if cell._intercept:
            return cell._call_intercepted(self._construct, args, kwargs)
        return self._construct(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)

    def __setattr__(self, name, value):
        setattr(self.__wrapped__, name, value)

    def __repr__(self):
        return "jit(%r)" % (self.__wrapped__,)


def jit_class(cls):
    """Accepted for compatibility: instances of any class can be used in compiled functions."""
    if not isinstance(cls, type):
        raise TypeError("[jit_class] expected a class, got %s" % type(cls).__name__)
    return cls
