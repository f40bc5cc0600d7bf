"""msjit.config: the limits of the bytecode JIT, as attributes.

    msjit.config.max_entries_per_pc = 4
"""
import os
import sys

from ._native import _msjit

# Numbers that the compiled half reads from the environment: (least, greatest, what they are). It reads a text that is no number as 0.
_NUMBERS = {
    "MSJIT_NUM_THREADS": (1, None, "a number of threads, 1 or more"),
    "MSJIT_BREAK_EVERY": (0, None, "0, or after how many instructions a region ends"),
    "MSJIT_STRICT": (0, 1, "0 or 1"), "MSJIT_CHECK": (0, 1, "0 or 1"),
}


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


def warn_about_environment():
    """Prints a line on stderr for each variable whose value has no meaning, as MSJIT_LOG does. Such a value does not keep the program from running."""
    for name, (least, greatest, expected) in _NUMBERS.items():
        text = os.environ.get(name, "").strip()
        number = int(text) if text and set(text) <= set("0123456789") else -1
        if text and (number < least or (greatest is not None and number > greatest)):
            print("msjit: [%s] value, got %r, expected %s" % (name, text, expected), file=sys.stderr)


config = Config()
warn_about_environment()
