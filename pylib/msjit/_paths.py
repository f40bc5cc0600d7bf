"""Module paths of MindSpore that msjit has under other names (`msjit.nn.optim`): a last entry of the packages' `__path__`,
so that nothing else of the process sees it."""
import os
import sys

ENTRY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "<paths of MindSpore>")


class _Finder:
    """What the import system asks about ENTRY."""

    @staticmethod
    def find_spec(name, target=None):
        """Spec of the module that stands under another name, or None."""
        from .alias import OwnPaths
        return OwnPaths("msjit").find_spec(name, None, target)


def extend(path):
    """Adds the entry to a package's `__path__`; [ENTRY] makes a module one."""
    sys.path_importer_cache[ENTRY] = _Finder
    path.append(ENTRY)
    return path
