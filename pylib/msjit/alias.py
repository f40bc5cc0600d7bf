"""Lets `import NAME`, and every submodule path of it, mean msjit: install("mindspore")."""
import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec

# Paths of MindSpore whose content lives under another name here.
_MOVED = {
    "train.serialization": "serialization",
    "common.Tensor": "common.tensor",
    "nn.optim": "optim",
    "nn.optim.optimizer": "optim.optimizer",
    "train.amp": "amp",
    "train.loss_scale_manager": "amp",
    "nn.wrap.cell_wrapper": "nn.wrap",
    "nn.wrap.loss_scale": "nn.wrap_scaled",
    "nn.wrap.grad_reducer": "nn.wrap",
    "nn.layer.activation": "nn.activation",
    "nn.layer.basic": "nn.basic",
    "nn.layer.rnns": "nn.rnn",
    "nn.layer.rnn_cells": "nn.rnn_cells",
    "nn.layer.transformer": "nn.transformer",
    "nn.layer.timedistributed": "nn.wrap",
    "nn.layer": "nn",
    "nn.learning_rate_schedule": "nn.dynamic_lr",
    "nn.loss.loss": "nn.loss",
    "ops.auto_generate": "ops.function",
    "ops.primitive": "ops.operations",
    "ops.composite.base": "ops.composite",
    "mint.nn.functional": "mint.functional",
    "dataset.engine": "dataset",
    "dataset.engine.datasets": "dataset.core",
    "dataset.engine.samplers": "dataset.samplers",
    "dataset.core": "dataset.core",
    "dataset.core.config": "dataset.config",
}


class _AliasLoader:
    def __init__(self, target):
        self._target = target

    def create_module(self, spec):
        module = importlib.import_module(self._target)
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._spec  # importlib put the alias's own there


class AliasFinder:
    """Meta path finder of one alias."""

    def __init__(self, alias, package="msjit"):
        self.alias, self.package = alias, package

    def find_spec(self, name, path=None, target=None):
        """Spec of the module that `name` stands for."""
        if name == self.alias:
            real = self.package
        elif name.startswith(self.alias + "."):
            rest = name[len(self.alias) + 1:]
            real = self.package + "." + _MOVED.get(rest, rest)
        else:
            return None
        try:
            found = importlib.util.find_spec(real)
        except ModuleNotFoundError:
            found = None
        if found is None:
            return None
        return ModuleSpec(name, _AliasLoader(real), origin=found.origin,
                          is_package=found.submodule_search_locations is not None)

    def invalidate_caches(self):
        """Nothing is cached here."""


def install(alias):
    """Makes `import alias` mean msjit from now on; modules imported under that name before are forgotten."""
    if not isinstance(alias, str) or not alias.isidentifier():
        raise ValueError("[alias] expected the name of a module, got %r" % (alias,))
    if any(isinstance(f, AliasFinder) and f.alias == alias for f in sys.meta_path):
        return
    for name in list(sys.modules):
        if name == alias or name.startswith(alias + "."):
            del sys.modules[name]
    sys.meta_path.insert(0, AliasFinder(alias))
