"""A cache of primitives, one instance for each class and attributes; packages written for MindSpore use it."""
from .primitive import Primitive

_made = {}


def _get_cache_prim(cls):
    """Returns a function that makes instances of the primitive `cls`; equal attributes give the same instance."""
    if not isinstance(cls, type) or not issubclass(cls, Primitive):
        raise TypeError("[_get_cache_prim] cls, got %r, expected a class of primitives" % (cls,))

    def make(*args, **kwargs):
        try:
            key = (cls, args, tuple(sorted(kwargs.items())), tuple(type(a) for a in args))
            found = _made.get(key)
        except TypeError:  # an attribute cannot be hashed
            return cls(*args, **kwargs)
        if found is None:
            found = _made[key] = cls(*args, **kwargs)
        return found
    return make
