"""Primitive: what all primitives derive from."""


class Primitive:
    """Base class; `name` is the primitive's name."""

    _function = None

    def __init__(self, name=None):
        if name is not None and not isinstance(name, str):  # an attribute that MindSpore's has and this one has not
            raise TypeError("[%s] name, got %r, expected a str" % (type(self).__name__, name))
        self.name = name or type(self).__name__
        self._op = self._function

    def add_prim_attr(self, name, value):
        """Keeps an attribute; returns self."""
        setattr(self, name, value)
        return self

    def set_device(self, device_target):
        """Accepted for compatibility; returns self."""
        return self

    def shard(self, in_strategy=None, out_strategy=None):
        """Accepted for compatibility; returns self."""
        return self

    recompute = set_stage = lambda self, *args, **kwargs: self

    def __call__(self, *args):
        return self._op(*args)

    def __repr__(self):
        return "Prim[%s]" % self.name
