"""JitCell: what jit(cell) returns."""
import copy

# Methods of Cell that return the Cell: on the compiled one they return the compiled one.
_RETURN_SELF = frozenset(("set_train", "set_grad", "to_float", "apply", "add_flags", "add_flags_recursive"))

# Special methods, which Python looks up on the class of an object. The class of a JitCell has those that the class of its Cell has.
_NUMBERS = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
_OTHERS = """lt le eq ne gt ge hash str bytes format sizeof neg pos abs invert int float complex index round trunc floor ceil
    bool len length_hint getitem setitem delitem missing contains iter next reversed enter exit await aiter anext aenter
    aexit get set delete fspath instancecheck subclasscheck buffer release_buffer array_ufunc array_function"""
_SPECIAL = tuple("__%s%s__" % (kind, name) for name in _NUMBERS.split() for kind in ("", "r", "i")) \
    + tuple("__%s__" % name for name in _OTHERS.split())

_kinds = {}  # {the special methods they have: the class of JitCells}
_plain_call = None  # Cell.__call__


def set_plain_call(function):
    """Sets Cell.__call__, so that this module can tell whether the class of a Cell has a __call__ of its own."""
    global _plain_call
    _plain_call = function


class JitCell:
    """Wraps a Cell: calls of it run the Cell's compiled construct. Everything else is forwarded to the Cell, its class and special
    methods included, so it can stand wherever the Cell can. The Cell itself stays eager.

    It compiles what a call of the Cell would run. If construct is replaced, on the instance or on the class, or the class itself is,
    it compiles the new construct. If the class has a __call__ of its own, it compiles that instead.
    """

    # Slots, because __dict__ is that of the Cell; under names that no attribute of a Cell has.
    __slots__ = ("__wrapped__", "__compile", "__known", "__compiled", "__weakref__")

    def __new__(cls, cell, compile_function):
        return object.__new__(_kind(type(cell)))

    def __init__(self, cell, compile_function):
        put = object.__setattr__
        put(self, "__wrapped__", cell)
        put(self, "_JitCell__compile", compile_function)
        put(self, "_JitCell__known", None)  # the function of the last call, and its compiled form
        put(self, "_JitCell__compiled", None)

    def __call__(self, *args, **kwargs):
        cell = self.__wrapped__
        own = type(cell).__call__ is not _plain_call
        method = _special(cell, "__call__") if own else cell.construct
        function = getattr(method, "__func__", method)
        if function is not self.__known:
            self.__follow(function)
        compiled = self.__compiled
        if cell._ms_intercept and not own:  # a __call__ of its own calls _call_intercepted itself
            bound = compiled if function is method else compiled.__get__(cell, type(cell))
            return cell._call_intercepted(bound, args, kwargs)
        if function is method:  # an attribute of the instance, or a static method: it gets no self
            return compiled(*args, **kwargs)
        return compiled(method.__self__, *args, **kwargs)

    def __follow(self, function):
        put = object.__setattr__
        put(self, "_JitCell__compiled", self.__compile(function))
        put(self, "_JitCell__known", function)
        _set_kind(self)

    @property
    def __class__(self):
        return type(self.__wrapped__)

    @__class__.setter
    def __class__(self, value):
        self.__wrapped__.__class__ = value
        _set_kind(self)

    def __getattr__(self, name):
        if name == "__wrapped__":  # a copy under way
            raise AttributeError(name)
        cell = self.__wrapped__
        found = getattr(cell, name)
        if name in _RETURN_SELF:
            return _Chained(self, found)
        return found

    def __setattr__(self, name, value):
        if name == "__class__":
            object.__setattr__(self, name, value)
        else:
            setattr(self.__wrapped__, name, value)

    def __delattr__(self, name):
        delattr(self.__wrapped__, name)

    def __copy__(self):
        return JitCell(copy.copy(self.__wrapped__), self.__compile)

    def __deepcopy__(self, memo):
        return JitCell(copy.deepcopy(self.__wrapped__, memo), self.__compile)

    def __reduce_ex__(self, protocol):
        return JitCell, (self.__wrapped__, self.__compile)

    def __dir__(self):
        return dir(self.__wrapped__)

    def __repr__(self):
        return "jit(%r)" % (self.__wrapped__,)


class _Chained:
    """A method of the wrapped Cell that returns the Cell."""

    def __init__(self, outer, method):
        self._outer, self._method = outer, method

    def __call__(self, *args, **kwargs):
        result = self._method(*args, **kwargs)
        return self._outer if result is self._outer.__wrapped__ else result


# -- special methods ----------------------------------------------------------------------------------------------


def _kind(cell_type):
    """The class of a JitCell for Cells of a class. A special method that is None stays None: so a class says that it has no such method."""
    names = {name: _of_class(cell_type, name) is None for name in _SPECIAL if _has_own(cell_type, name)}
    if "__eq__" in names:
        names.setdefault("__hash__", False)  # else Python would put None there
    if not names:
        return JitCell
    key = frozenset(names.items())
    kind = _kinds.get(key)
    if kind is None:
        methods = {name: None if absent else _METHODS.get(name) or _forwarded(name) for name, absent in names.items()}
        kind = _kinds[key] = type("JitCell", (JitCell,), dict(methods, __slots__=(), __module__=__name__))
    return kind


def _set_kind(jit_cell):
    kind = _kind(type(jit_cell.__wrapped__))
    if kind is not type(jit_cell):
        object.__dict__["__class__"].__set__(jit_cell, kind)


def _has_own(kind, name):
    return any(name in base.__dict__ for base in kind.__mro__ if base is not object)


def _of_class(kind, name):
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    raise TypeError("[jit] %s of a compiled Cell, got the class %s without it, expected one that has it, as when it was "
                    "compiled" % (name, kind.__name__))


def _special(cell, name):
    """A special method as Python finds it: looked up only on the class, and bound to the Cell."""
    found = _of_class(type(cell), name)
    get = getattr(type(found), "__get__", None)
    return found if get is None else get(found, cell, type(cell))


def _forwarded(name):
    def method(self, *args, **kwargs):
        cell = self.__wrapped__
        result = _special(cell, name)(*args, **kwargs)
        return self if result is cell else result  # so `cells += [...]` and `with cell as c` give the JitCell
    method.__name__ = name
    return method


# Written as plainly as possible, since captured code runs through them.
_METHODS = {
    "__len__": lambda self: len(self.__wrapped__),
    "__iter__": lambda self: iter(self.__wrapped__),
    "__bool__": lambda self: bool(self.__wrapped__),
    "__getitem__": lambda self, index: self.__wrapped__[index],
    "__contains__": lambda self, item: item in self.__wrapped__,
}
