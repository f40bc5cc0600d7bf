"""Decorators that record the arguments with which a Cell was made."""
import functools
import inspect


def cell_attr_register(fn=None, attrs=None):
    """Decorates the __init__ of a Cell: sets cell_init_args to the name of the class and the values of its arguments.

    attrs, a list of names or one name, takes the values of these attributes instead, where the Cell has them. Raises ValueError
    when a Cell is made with attrs of another kind.
    """
    return records_arguments("", fn, attrs)


def records_arguments(prefix, fn, attrs):
    """Decorates an __init__, or returns the decorator if fn is None: cell_init_args is `prefix`, the name of the class, and the
    arguments or attributes."""
    def decorate(init):
        @functools.wraps(init)
        def decorated(self, *args, **kwargs):
            init(self, *args, **kwargs)
            self.cell_init_args = prefix + type(self).__name__ + str(_noted(self, init, attrs, args, kwargs))
        return decorated
    return decorate if fn is None else decorate(fn)


def _noted(cell, init, attrs, args, kwargs):
    if attrs is None:
        return dict(list(inspect.signature(init).bind(cell, *args, **kwargs).arguments.items())[1:]).values()
    if isinstance(attrs, str):
        return getattr(cell, attrs, [])
    if not isinstance(attrs, list) or not all(isinstance(name, str) for name in attrs):
        raise ValueError("[cell_attr_register] attrs must be a name or a list of names, got %r" % (attrs,))
    return [getattr(cell, name) for name in attrs if hasattr(cell, name)]
