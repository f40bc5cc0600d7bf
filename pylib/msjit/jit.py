"""jit: compiles functions, methods and Cells.

`mode="PIJit"` reads the bytecode when it runs and keeps CPython's semantics for all of Python. `mode="PSJit"`, the default
as in MindSpore, also checks the source. At syntax level STRICT code outside the strict language is a CompileError. At
level LAX, the default, the interpreter runs that code inside the call.
"""
import _thread
import copyreg
import functools
import sys
import types
import warnings

from . import context
from ._native import _msjit
from .auto_cast import method_in_precision
from .common.jit_config import JitConfig
from .jit_cell import JitCell

_MODES = ("PSJit", "PIJit")
_CAPTURE = {"ast": "PSJit", "bytecode": "PIJit", "trace": "PSJit"}
# Keywords of MindSpore's jit that change nothing here.
_ACCEPTED = frozenset(("input_signature", "hash_args", "compile_once", "backend", "disable_format_transform",
                       "exec_order", "ge_options", "infer_boost", "auto_offload", "exec_mode", "exc_mode", "debug_level"))
_TYPES = {"backend": str, "disable_format_transform": bool, "exec_order": str, "ge_options": dict, "infer_boost": str}
_CHOICES = {"backend": ("", "ms_backend", "GE"), "exec_order": ("bfs", "dfs"), "infer_boost": ("on", "off")}
_warned = []
_front_end = None
_import_lock = _thread.RLock()


def jit(fn=None, *, function=None, mode=None, capture_mode=None, fullgraph=False, dynamic=0, jit_level="",
        jit_config=None, **options):
    """Compiles `fn`; as a decorator or a call, on functions, methods and Cells. Of a class of Cells it compiles the construct, in place.

    mode         "PSJit" (default) or "PIJit"; capture_mode="ast" | "bytecode" | "trace" is the newer spelling
    fullgraph    True: raise CompileError where something cannot be captured, instead of leaving the graph. Under PSJit the source
                 is also checked as at syntax level STRICT
    jit_config   a JitConfig; its jit_syntax_level sets STRICT or LAX under PSJit. A dict (settings of MindSpore's PIJit) is accepted
                 and changes nothing; msjit.config has the limits here
    jit_level    "O0", "O1" or "O2": accepted; all passes run in any case
    dynamic      0 or 1: accepted; sizes that change are left open in any case
    The other keywords of MindSpore (backend, input_signature, ...) are accepted and change nothing.

    Raises TypeError for what cannot be compiled and for unknown keywords, ValueError for unknown modes, levels and options.
    The result has the function or Cell as __wrapped__.

    >>> import msjit as ms
    >>> @ms.jit(mode="PIJit")
    ... def halve(x):
    ...     while x.sum() > 1:
    ...         x = x / 2
    ...     return x
    >>> halve(ms.Tensor([3.0, 5.0])).asnumpy().tolist()
    [0.375, 0.625]
    >>> fast = ms.jit(ms.nn.Dense(3, 2), mode="PIJit")
    >>> fast(ms.ops.zeros((4, 3), ms.float32)).shape
    (4, 2)
    """
    # The common forms take a short way, as a call and as a decorator: some programs compile a new function in each turn of a loop.
    if ((mode is None or mode in _MODES) and function is capture_mode is jit_config is None and fullgraph is False
            and type(dynamic) is int and not dynamic and jit_level == "" and not options and _msjit.has_jit):
        if fn is None:
            return _PLAIN[mode]
        if type(fn) is types.FunctionType:
            return _msjit.JitFunction(fn, mode or "PSJit", None)
    mode = _mode(mode, capture_mode)
    _check_options(fullgraph, dynamic, jit_level, jit_config, options)
    whole = True if fullgraph else jit_config.syntax_level if isinstance(jit_config, JitConfig) else None
    compile_function, target = _Compiler(mode, whole), function if fn is None else fn
    return compile_function if target is None else compile_function(target)


def _mode(mode, capture_mode):
    if capture_mode is not None:
        if capture_mode not in _CAPTURE:
            raise ValueError("[jit] capture_mode, got %r, expected 'ast', 'bytecode' or 'trace'" % (capture_mode,))
        if mode not in (None, _CAPTURE[capture_mode]):
            raise ValueError("[jit] mode together with capture_mode=%r, got %r, expected %r or none"
                             % (capture_mode, mode, _CAPTURE[capture_mode]))
        mode = _CAPTURE[capture_mode]
    mode = "PSJit" if mode is None else mode
    if mode not in _MODES:
        raise ValueError("[jit] mode, got %r, expected 'PSJit' or 'PIJit'" % (mode,))
    return mode


def _check_options(fullgraph, dynamic, jit_level, jit_config, options):
    if not isinstance(fullgraph, bool):
        raise TypeError("[jit] fullgraph must be a bool, got %s" % type(fullgraph).__name__)
    if type(dynamic) is not int:
        raise TypeError("[jit] dynamic, got %s, expected an int" % type(dynamic).__name__)
    if dynamic not in (0, 1):
        raise ValueError("[jit] dynamic, got %r, expected 0 or 1" % (dynamic,))
    if jit_level not in (None, "", "O0", "O1", "O2"):
        raise ValueError("[jit] jit_level, got %r, expected 'O0', 'O1' or 'O2'" % (jit_level,))
    if jit_config is not None and not isinstance(jit_config, (JitConfig, dict)):
        raise TypeError("[jit] jit_config, got %s, expected a JitConfig or a dict" % type(jit_config).__name__)
    for name, value in options.items():
        if name not in _ACCEPTED:
            raise TypeError("[jit] got an unknown keyword %r, expected one of MindSpore's jit" % name)
        _check_option(name, value)


def _check_option(name, value):
    """Raises the errors of MindSpore for the value of an option that changes nothing here. None is the same as leaving the option out."""
    allowed = _CHOICES.get(name)
    if value is None:
        return
    if name in _TYPES and not isinstance(value, _TYPES[name]):
        raise TypeError("[jit] %s, got %s, expected a %s" % (name, type(value).__name__, _TYPES[name].__name__))
    if allowed is not None and value not in allowed:
        raise ValueError("[jit] %s, got %r, expected one of %s" % (name, value, list(allowed)))


class _Compiler:
    """jit with its options; called with a function, method or Cell, it compiles that. It is a class, so that its results can be pickled."""

    def __init__(self, mode, whole):
        self.mode, self.whole = mode, whole

    def __reduce__(self):
        return _Compiler, (self.mode, self.whole)

    def __call__(self, fn):
        if type(fn) is types.FunctionType and _msjit.has_jit:
            return _msjit.JitFunction(fn, self.mode, self.whole)
        from .nn.cell import Cell
        if isinstance(fn, (classmethod, staticmethod)):
            return type(fn)(self(fn.__func__))
        if isinstance(fn, type) and issubclass(fn, Cell):
            fn.construct = self(fn.construct)
            return fn
        if isinstance(fn, type) or not callable(fn):
            raise TypeError("[jit] expected a function, a method, a Cell or a class of Cells, got %s"
                            % (fn.__name__ if isinstance(fn, type) else type(fn).__name__))
        fn = _plain(fn)
        if not _msjit.has_jit:
            _warn_once()
            return fn
        if isinstance(fn, Cell):
            return JitCell(fn, self)
        if isinstance(fn, types.MethodType):
            return types.MethodType(self(fn.__func__), fn.__self__)
        if isinstance(fn, functools.partial):
            return functools.partial(self(fn.func), *fn.args, **fn.keywords)
        if not isinstance(fn, types.FunctionType):
            call = getattr(type(fn), "__call__", None)
            if isinstance(call, types.FunctionType):  # an object with a Python __call__
                return types.MethodType(self(call), fn)
            return fn  # builtins and operators have no source and no bytecode
        return _msjit.JitFunction(fn, self.mode, self.whole)


_PLAIN = {mode: _Compiler(mode or "PSJit", None) for mode in (None,) + _MODES}


def _plain(fn):
    """The function inside an earlier jit(), so that the last jit() decides."""
    if isinstance(fn, JitCell) or (_msjit.has_jit and isinstance(fn, _msjit.JitFunction)):
        return fn.__wrapped__
    if isinstance(fn, types.MethodType) and _plain(fn.__func__) is not fn.__func__:
        return types.MethodType(_plain(fn.__func__), fn.__self__)
    return fn


def _warn_once():
    if not _warned:
        _warned.append(True)
        warnings.warn("msjit: functions run uncompiled: %s" % _msjit.no_jit_reason, RuntimeWarning, stacklevel=4)


# -- GRAPH_MODE ---------------------------------------------------------------------------------------------------


def graph_construct(cell, construct):
    """The function that GRAPH_MODE runs when `cell` is called: its construct, compiled by PSJit unless jit has compiled it already.

    The compiled function contains the casts of amp level "auto"."""
    function = getattr(construct, "__func__", construct)
    if not isinstance(function, types.FunctionType):  # jit has compiled it, or there is nothing to compile
        return construct
    if cell._ms_auto_cast is not None and function is not construct:
        function = method_in_precision(function)
    compiled = function.__dict__.get("__msjit_graph__")
    if compiled is None or compiled.__wrapped__ is not function:  # functools.wraps has copied it from another function
        compiled = function.__msjit_graph__ = _Compiler("PSJit", None)(function)
    return compiled if function is construct else types.MethodType(compiled, construct.__self__)


class LeveledConstruct:
    """A Cell's construct, compiled at the level that set_jit_config of the Cell sets, unless jit has set one for the construct itself."""

    function = whole = compiled = None

    def __init__(self, function=None, whole=None):
        if function is None:
            return
        self.function, self.whole = function, whole
        if isinstance(function, types.FunctionType):
            self.compiled = _Compiler("PSJit", whole)(function)
        elif _msjit.has_jit and isinstance(function, _msjit.JitFunction) and function.__jit_options__ == ("PSJit", None):
            self.compiled = _Compiler("PSJit", whole)(function.__wrapped__)
        else:
            self.compiled = function

    def __reduce__(self):  # a compiled function is not always found by its name
        return LeveledConstruct, (self.function, self.whole)


def leveled_construct(cell, construct):
    """`construct` compiled at the level of `cell`.set_jit_config, if the Cell itself is compiled: by GRAPH_MODE or by jit."""
    whole = cell._ms_jit_config.syntax_level
    function = getattr(construct, "__func__", construct)
    if whole is None or (isinstance(function, types.FunctionType) and not context.is_graph_mode()):
        return construct
    kept = cell._ms_leveled
    if kept.function is not function or kept.whole is not whole:
        kept = LeveledConstruct(function, whole)
        object.__setattr__(cell, "_ms_leveled", kept)
    compiled = kept.compiled
    if compiled is function or function is construct:
        return construct if compiled is function else compiled
    owner = construct.__self__

    def bound(*args, **kwargs):
        return compiled(owner, *args, **kwargs)
    return bound


# -- copies -------------------------------------------------------------------------------------------------------


def _reduce(compiled):
    """Pickles a compiled function by its name, as plain functions are, if the name leads to it; else as the wrapped function and its options."""
    function = compiled.__wrapped__
    found = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return function.__qualname__ if found is compiled else (_compiled, (function,) + compiled.__jit_options__)


def _compiled(function, mode, whole):
    return _Compiler(mode, whole)(function)


def _psjit():
    """The package psjit, imported at its first use, with the parser and the disassembler of the standard library.

    One thread at a time: where several import one package, importlib's search for a deadlock may never end. It follows the owner of a
    lock that waits for that same lock, as in a package that imports from itself (bpo-38091)."""
    global _front_end
    if _front_end is None:
        with _import_lock:
            from . import psjit
            _front_end = psjit
    return _front_end


def _check(*args):
    return _psjit().check(*args)


def _refuse(*args):
    return _psjit().refuse(*args)


def _install():
    _msjit.set_front_end(_check, _refuse)
    kind = _msjit.JitFunction
    kind.__copy__ = lambda self: self
    kind.__deepcopy__ = lambda self, memo: self
    copyreg.pickle(kind, _reduce)


def jit_class(cls):
    """Marks a class as part of compiled functions; returns it. At level STRICT, compiled code may not store to attributes of its instances.

    >>> import msjit as ms
    >>> @ms.jit_class
    ... class Scale:
    ...     def __init__(self, by):
    ...         self.by = by
    ...     def __call__(self, x):
    ...         return x * self.by
    >>> double = Scale(2)
    >>> ms.jit(lambda x: double(x), mode="PIJit")(ms.Tensor([1.0])).asnumpy().tolist()
    [2.0]
    """
    from .nn.cell import Cell
    if not isinstance(cls, type):
        raise TypeError("[jit_class] expected a class, got %s" % type(cls).__name__)
    if issubclass(cls, Cell):
        raise TypeError("[jit_class] class, got the Cell %s, expected one that is no Cell: Cells need no mark" % cls.__name__)
    cls.__ms_class__ = True
    return cls


if _msjit.has_jit:
    _install()

__all__ = ["JitConfig", "LeveledConstruct", "jit", "jit_class", "graph_construct", "leveled_construct"]
