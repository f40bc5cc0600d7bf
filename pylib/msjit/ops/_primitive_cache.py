"""Primitives kept by what they were made of, under MindSpore's name."""
_made = {}


def _get_cache_prim(cls):
    """A function that gives an instance of a primitive's class, the same one for the same arguments."""
    def get(*args, **kwargs):
        key = (cls, args, tuple(sorted(kwargs.items())), tuple(type(a) for a in args))
        try:
            found = _made.get(key)
        except TypeError:  # an argument that cannot be hashed
            return cls(*args, **kwargs)
        if found is None:
            found = _made[key] = cls(*args, **kwargs)
        return found
    return get
