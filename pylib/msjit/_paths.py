"""Makes module paths of MindSpore that msjit has under other names importable, such as `msjit.nn.optim`. They are found by entries of the
packages' `__path__`, so the rest of the process does not notice them."""
import os
import sys

from .first_use import kept

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


def reach(name, *others):
    """Makes MindSpore's submodules attributes of the module `name`, as in MindSpore, where they need no import of their own
    (`mindspore.train.serialization`). Attributes that the module itself has, also by its `__getattr__`, take precedence.
    `others` are paths of MindSpore that mean this module too."""
    module = sys.modules[name]
    if ENTRY not in vars(module).get("__path__", [ENTRY]):
        extend(module.__path__)
    before, paths = vars(module).get("__getattr__"), (name.partition(".")[2],) + others

    def __getattr__(wanted):
        if before is not None:
            try:
                return before(wanted)
            except AttributeError:
                if wanted[:2] == "__":
                    raise
        found = None if wanted[:2] == "__" else _submodule(module, paths, wanted)
        if found is None:
            raise AttributeError("module %r has no attribute %r" % (name, wanted))
        import importlib
        try:
            return importlib.import_module(found)
        except ModuleNotFoundError as error:
            if error.name != found:
                raise
        raise AttributeError("module %r has no attribute %r" % (name, wanted))
    module.__getattr__ = kept(__getattr__, vars(module))


def _submodule(module, paths, name):
    """The full name of the submodule `name` of a module with these paths of MindSpore, or None."""
    from importlib.machinery import PathFinder

    from .moved_paths import MOVED, PARTS
    for path in paths:
        full = ("%s.%s" % (path, name)).lstrip(".")
        if full in MOVED or name in PARTS.get(path, "").split():
            return "msjit." + full
    own = "%s.%s" % (module.__name__, name)
    return own if hasattr(module, "__path__") and PathFinder.find_spec(own, module.__path__) is not None else None
