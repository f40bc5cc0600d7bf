"""Names that arguments of datasets take."""
from enum import Enum


class Shuffle(str, Enum):
    """What the shuffle argument of datasets of files may be."""

    FALSE = "false"
    GLOBAL = "global"
    FILES = "files"
    INFILE = "infile"
    PARTIAL = "partial"
    ADAPTIVE = "adaptive"
