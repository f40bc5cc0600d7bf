"""Lets `import NAME`, and every submodule path of it, mean msjit: install("mindspore")."""
import importlib
import sys
from importlib.machinery import ModuleSpec

from .moved_paths import MOVED, REGROUPED, SHADOWED


def _module_of(rest, package):
    """The name of the module that a path of MindSpore stands for."""
    if rest in MOVED:
        return ("%s.%s" % (package, MOVED[rest])).rstrip(".")
    head, _, tail = rest.rpartition(".")
    if head not in REGROUPED:
        return "%s.%s" % (package, rest)
    base = "%s.%s" % (package, REGROUPED[head])
    if REGROUPED[head] == head:  # one module here
        return base
    return base + "." + tail if _spec_of(base + "." + tail) is not None else base


def _spec_of(name):
    from importlib.util import find_spec  # brings `typing` and `re` on 3.9
    try:
        return find_spec(name)
    except ModuleNotFoundError:
        return None


class _AliasLoader:
    def __init__(self, target, shadowed):
        self._target, self._shadowed = target, shadowed

    def create_module(self, spec):
        module = importlib.import_module(self._target)
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._spec  # importlib put the alias's own there
        # What is in sys.modules is not loaded. Loading would replace the package's attribute by the module.
        for path, target in self._shadowed.items():
            if target in sys.modules:
                sys.modules.setdefault(path, sys.modules[target])


class AliasFinder:
    """Meta path finder of one alias."""

    def __init__(self, alias, package="msjit"):
        self.alias, self.package = alias, package

    def find_spec(self, name, path=None, target=None):
        """Spec of the module that `name` stands for."""
        if name == self.alias:
            rest, real = "", self.package
        elif name.startswith(self.alias + "."):
            rest = name[len(self.alias) + 1:]
            real = _module_of(rest, self.package)
        else:
            return None
        found = _spec_of(real)
        if found is None:
            return None
        shadowed = {"%s.%s" % (name, part): _module_of((rest + "." + part).lstrip("."), self.package)
                    for part in SHADOWED.get(rest, "").split()}
        return ModuleSpec(name, _AliasLoader(real, shadowed), origin=found.origin,
                          is_package=found.submodule_search_locations is not None)

    def invalidate_caches(self):
        """Nothing is cached here."""


class OwnPaths(AliasFinder):
    """Finds MindSpore's paths below msjit itself, such as `msjit.nn.optim`; asked after all other finders."""

    def find_spec(self, name, path=None, target=None):
        """Spec of the module that stands under another name."""
        rest = name[len(self.alias) + 1:]
        if not name.startswith(self.alias + ".") or _module_of(rest, self.package) == name:
            return None
        return super().find_spec(name, path, target)


def install(alias):
    """Makes `import alias` mean msjit from now on. Modules imported under that name before are dropped from sys.modules.

    Under MindSpore's own name `__version__` is the version of MindSpore whose API msjit has, as programs choose names and arguments by it.
    `__name__` is that name too. Programs that translate source text look for the variable that holds the module of this name.
    Raises ValueError if alias is not the name of a module.
    """
    if not isinstance(alias, str) or not alias.isidentifier():
        raise ValueError("[alias] expected the name of a module, got %r" % (alias,))
    if any(isinstance(f, AliasFinder) and f.alias == alias for f in sys.meta_path):
        return
    for name in list(sys.modules):
        if name == alias or name.startswith(alias + "."):
            del sys.modules[name]
    sys.meta_path.insert(0, AliasFinder(alias))
    if alias == "mindspore":
        from . import version
        package = sys.modules[__package__]
        package.__version__, package.__name__ = version.__version__, alias
