"""Makes module paths of MindSpore that msjit has under other names importable, such as `msjit.nn.optim`. They are found by entries of the
packages' `__path__`, so the rest of the process does not notice them."""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
ENTRY = os.path.join(_HERE, "<paths of MindSpore>")
# `msjit.nn.layer` is the package msjit.nn, whose file conv.py is not to be loaded again as msjit.nn.layer.conv.
_FIRST = os.path.join(_HERE, "<paths of MindSpore below other paths>")


class _Finder:
    """The finder that the import system uses for ENTRY."""

    @staticmethod
    def find_spec(name, target=None):
        """Spec of the module that stands under another name, or None."""
        from .alias import OwnPaths
        return OwnPaths("msjit").find_spec(name, None, target)


class _DeepFinder:
    """The same for names of four parts and more. These are looked up before the package's own files."""

    @staticmethod
    def find_spec(name, target=None):
        """Spec of the module that stands under another name, or None."""
        return _Finder.find_spec(name, target) if name.count(".") > 2 else None


def extend(path):
    """Adds the entries to a package's `__path__`; [ENTRY] makes a module one."""
    sys.path_importer_cache[ENTRY] = _Finder
    sys.path_importer_cache[_FIRST] = _DeepFinder
    path.insert(0, _FIRST)
    path.append(ENTRY)
    return path


def reach(name):
    """Makes MindSpore's submodules attributes of the module `name`, as in MindSpore, where they need no import of their own
    (`mindspore.train.serialization`). Attributes that the module itself has, also by its `__getattr__`, take precedence."""
    module = sys.modules[name]
    before, rest = vars(module).get("__getattr__"), name.partition(".")[2]

    def __getattr__(wanted):
        if before is not None:
            try:
                return before(wanted)
            except AttributeError:
                if wanted[:2] == "__":
                    raise
        from .moved_paths import MOVED
        if wanted[:2] == "__" or (("%s.%s" % (rest, wanted)).lstrip(".") not in MOVED and not _is_file(module, wanted)):
            raise AttributeError("module %r has no attribute %r" % (name, wanted))
        import importlib
        return importlib.import_module("%s.%s" % (name, wanted))
    module.__getattr__ = __getattr__


def _is_file(module, name):
    """Whether a package has a file or folder for the submodule `name`."""
    from importlib.machinery import PathFinder
    return hasattr(module, "__path__") and PathFinder.find_spec("%s.%s" % (module.__name__, name), module.__path__) is not None
