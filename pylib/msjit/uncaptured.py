"""Parts of a program that only the interpreter runs, because a context around them changes what each operator does."""
from ._native import _msjit


class Uncaptured:
    """Context manager: nothing is captured inside, and no graph runs."""

    def __init__(self):
        self._enabled = []

    def __enter__(self):
        if _msjit.has_jit:
            self._enabled.append(_msjit.config()["enabled"])
            _msjit.set_config("enabled", False)

    def __exit__(self, *error):
        if _msjit.has_jit:
            _msjit.set_config("enabled", self._enabled.pop())
