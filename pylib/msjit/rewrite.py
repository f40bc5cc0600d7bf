"""mindspore.rewrite: changes of a network's source through its symbol tree. They are not supported; see Cell.insert_child_to_cell."""
from . import _paths
from .absent import names as _absent_names

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
globals().update(_absent_names(__name__, "SymbolTree Node NodeType ScopedValue ValueType TreeNodeHelper",
                         "networks are changed through their Cells, as by insert_child_to_cell"))
__all__ = [name for name in globals() if name[0] != "_"]
