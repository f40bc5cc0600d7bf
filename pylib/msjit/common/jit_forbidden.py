"""Names of mindspore._check_jit_forbidden_api: functions that must not be part of a graph."""
import types

_modules, _methods = set(), set()


def jit_forbidden_register(fn):
    """A decorator: the interpreter runs the function, even if its caller is compiled. If the caller has fullgraph, that is a CompileError."""
    if not isinstance(fn, types.FunctionType):
        return fn
    from ..importer import skip
    add_jit_forbidden_method("%s.%s" % (fn.__module__, fn.__qualname__))
    fn.__jit_forbidden__ = True
    return skip(fn)


def add_jit_forbidden_module(jit_forbidden_module):
    """Notes the name of a module; nothing here reads it."""
    _modules.add(jit_forbidden_module)


def remove_jit_forbidden_module(jit_forbidden_module):
    """Removes the name of a module; KeyError if it was not registered."""
    _modules.remove(jit_forbidden_module)


def get_jit_forbidden_module():
    """The set of the names noted."""
    return _modules


def add_jit_forbidden_method(jit_forbidden_method):
    """Notes the full name of a function."""
    _methods.add(jit_forbidden_method)


def get_jit_forbidden_method():
    """The set of registered full names, with those of functions under jit_forbidden_register."""
    return _methods


def is_jit_forbidden_module(jit_forbidden_module):
    """Whether the name of a module was noted."""
    return jit_forbidden_module in _modules


def is_jit_forbidden_method(jit_forbidden_method):
    """Whether the full name of a function was noted."""
    return jit_forbidden_method in _methods
