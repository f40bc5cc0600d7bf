"""The version of msjit, where MindSpore keeps its own."""
from . import __version__  # noqa: F401
