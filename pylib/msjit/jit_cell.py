"""JitCell: what jit(cell) returns."""
import copy

# Methods of Cell that return the Cell: on the compiled one they return the compiled one.
_RETURN_SELF = frozenset(("set_train", "set_grad", "to_float", "apply", "add_flags", "add_flags_recursive"))


class JitCell:
    """A Cell whose calls run its compiled construct. Everything else is the Cell's, its class included, so it can stand
    wherever the Cell can. The Cell itself stays eager.

    The construct compiled is the one that a call of the Cell would run: replaced on the instance or on the class, or
    with the class itself, the new one is compiled.
    """

    def __init__(self, cell, compile_function):
        store = self.__dict__
        store["__wrapped__"] = cell
        store["_compile_function"] = compile_function
        store["_compiled"] = (None, None)  # the construct met last, and what it was compiled to

    def __call__(self, *args, **kwargs):
        store = self.__dict__
        cell = store["__wrapped__"]
        construct = cell.construct
        function = getattr(construct, "__func__", construct)
        known, compiled = store["_compiled"]
        if function is not known:
            compiled = store["_compile_function"](function)
            store["_compiled"] = (function, compiled)
        if cell._intercept:
            bound = compiled if function is construct else compiled.__get__(cell, type(cell))
            return cell._call_intercepted(bound, args, kwargs)
        if function is construct:  # an instance's own, or a static method: it is given no self
            return compiled(*args, **kwargs)
        return compiled(construct.__self__, *args, **kwargs)

    @property
    def __class__(self):
        return type(self.__dict__["__wrapped__"])

    @__class__.setter
    def __class__(self, value):
        self.__dict__["__wrapped__"].__class__ = value

    def __getattr__(self, name):
        try:
            cell = self.__dict__["__wrapped__"]
        except KeyError:  # a copy under way
            raise AttributeError(name) from None
        found = getattr(cell, name)
        if name in _RETURN_SELF:
            return _Chained(self, found)
        return found

    def __setattr__(self, name, value):
        if name == "__class__":
            object.__setattr__(self, name, value)
        else:
            setattr(self.__dict__["__wrapped__"], name, value)

    def __delattr__(self, name):
        delattr(self.__dict__["__wrapped__"], name)

    def __copy__(self):
        store = self.__dict__
        return JitCell(copy.copy(store["__wrapped__"]), store["_compile_function"])

    def __deepcopy__(self, memo):
        store = self.__dict__
        return JitCell(copy.deepcopy(store["__wrapped__"], memo), store["_compile_function"])

    def __reduce_ex__(self, protocol):
        store = self.__dict__
        return JitCell, (store["__wrapped__"], store["_compile_function"])

    def __len__(self):
        return len(self.__dict__["__wrapped__"])

    def __getitem__(self, index):
        return self.__dict__["__wrapped__"][index]

    def __iter__(self):
        return iter(self.__dict__["__wrapped__"])

    def __bool__(self):
        return bool(self.__dict__["__wrapped__"])

    def __dir__(self):
        return dir(self.__dict__["__wrapped__"])

    def __repr__(self):
        return "jit(%r)" % (self.__dict__["__wrapped__"],)


class _Chained:
    """A method of the wrapped Cell that returns the Cell."""

    def __init__(self, outer, method):
        self._outer, self._method = outer, method

    def __call__(self, *args, **kwargs):
        result = self._method(*args, **kwargs)
        return self._outer if result is self._outer.__dict__["__wrapped__"] else result
