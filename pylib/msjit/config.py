"""msjit.config: the limits of the bytecode JIT, as attributes.

    msjit.config.max_entries_per_pc = 4
"""
from ._native import _msjit


class Config:
    """Reads and writes the limits; an unknown name or a wrong value is an error."""

    def __getattr__(self, name):
        values = _msjit.config()
        if name not in values:
            raise AttributeError("[config] unknown limit %r, expected one of %s" % (name, ", ".join(sorted(values))))
        return values[name]

    def __setattr__(self, name, value):
        known = getattr(self, name)
        if isinstance(value, bool) is not isinstance(known, bool) or not isinstance(value, int):
            raise TypeError("[config] %s must be %s, got %s" % (
                name, "a bool" if isinstance(known, bool) else "an int", type(value).__name__))
        if value < 0:
            raise ValueError("[config] %s must not be negative, got %d" % (name, value))
        _msjit.set_config(name, value)

    def __dir__(self):
        return sorted(_msjit.config())

    def __repr__(self):
        return "config(%s)" % ", ".join("%s=%s" % item for item in sorted(_msjit.config().items()))


config = Config()
