"""Names that arguments of datasets take."""
from enum import Enum, IntEnum


class Shuffle(str, Enum):
    """What the shuffle argument of datasets of files may be."""

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
