"""mindspore.rewrite: the steps of a network's construct as nodes that can be inserted, replaced and erased; see SymbolTree."""
from .. import _paths
from ..absent import names as _absent_names
from .nodes import Node
from .patterns import PatternEngine, PatternNode, Replacement, VarNode
from .tree import SymbolTree
from .values import NodeType, ScopedValue, ValueType

__path__ = _paths.extend(__path__)  # noqa: F405 - alias.py finds what programs import from below it
globals().update(_absent_names(__name__, "TreeNodeHelper", "Node.get_sub_tree gives the tree of a node"))
__all__ = ["SymbolTree", "Node", "NodeType", "ScopedValue", "ValueType", "PatternEngine", "PatternNode", "VarNode", "Replacement",
           "TreeNodeHelper"]

_paths.reach(__name__)
