"""Enumerations that arguments of datasets take."""
from enum import Enum, IntEnum


class Shuffle(str, Enum):
    """The values of the argument shuffle of datasets of files."""

    FALSE = "false"
    GLOBAL = "global"
    FILES = "files"
    INFILE = "infile"
    PARTIAL = "partial"
    ADAPTIVE = "adaptive"


class Implementation(IntEnum):
    """What the attribute `implementation` of transforms may be set to; each transform has one implementation here."""

    C = 0
    PY = 1
