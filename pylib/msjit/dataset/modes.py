"""Enumerations that arguments of datasets take."""
from enum import Enum


class Shuffle(str, Enum):
    """The values of the argument shuffle of datasets of files."""

    FALSE = "false"
    GLOBAL = "global"
    FILES = "files"
    INFILE = "infile"
    PARTIAL = "partial"
    ADAPTIVE = "adaptive"
