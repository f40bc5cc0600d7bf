"""mindspore.graph: the path that MindSpore gives common.api and common.jit_config from 2.9 on."""
from . import _paths
from .common.api import JitConfig, jit, jit_class

__all__ = ["JitConfig", "jit", "jit_class"]
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

_paths.reach(__name__)
