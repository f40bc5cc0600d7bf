"""Patterns of nodes, and what replaces them."""
import abc
from collections import OrderedDict

from ..nn.cell import Cell
from ..ops.primitive import Primitive
from .nodes import Node
from .tree import SymbolTree
from .values import NodeType, check

_NONE = type(None)
_MATCHED = (NodeType.CallCell, NodeType.CallPrimitive, NodeType.Input)


class PatternNode:
    """A node that calls a Cell or primitive of a type, of the results of other pattern nodes; without inputs it takes any."""

    def __init__(self, pattern_node_name, match_type=_NONE, inputs=None):
        check("pattern_node_name", pattern_node_name, str, "pattern_node")
        self._name, self._type = pattern_node_name, match_type
        self.set_inputs([] if inputs is None else inputs)

    @staticmethod
    def from_node(node):
        """A pattern of the type and name of a node, without inputs."""
        check("node", node, Node, "pattern_node")
        return PatternNode(node.get_name(), node.get_instance_type())

    @staticmethod
    def create_pattern_from_node(node):
        """A pattern of a node and all nodes it depends on."""
        made = PatternNode.from_node(node)
        made._inputs = [PatternNode.create_pattern_from_node(item) for item in node.get_inputs()]
        return made

    @staticmethod
    def create_pattern_from_list(type_list):
        """A pattern of a chain of types, of which each takes the result of the one before; its last node."""
        check("type_list", type_list, list, "pattern_node")
        last = None
        for i, kind in enumerate(type_list):
            last = PatternNode("%d-%s" % (i, kind), kind, [] if last is None else [last])
        return last

    def add_input(self, node):
        """One more input."""
        check("node", node, PatternNode, "pattern_node")
        self._inputs.append(node)

    def set_inputs(self, inputs):
        """Other inputs, a list of PatternNodes."""
        check("inputs", inputs, list, "pattern_node")
        for node in inputs:
            check("item of inputs", node, PatternNode, "pattern_node")
        self._inputs = inputs

    def get_inputs(self):
        """The inputs."""
        return self._inputs

    def match(self, node):
        """Whether a node calls what this one says, whatever its inputs are."""
        check("node", node, Node, "pattern_node")
        return self._type == node.get_instance_type()

    def name(self):
        """The name."""
        return self._name

    def type(self):
        """The type."""
        return self._type


class VarNode(PatternNode):
    """A pattern node that any node fits; it is not among those that are replaced."""

    def __init__(self):
        super().__init__("placeholder", Cell, [])

    def match(self, node):
        """Whether there is a node."""
        return node is not None


class Replacement(abc.ABC):
    """Makes the nodes that take the place of those a pattern has found; subclasses define build."""

    @abc.abstractmethod
    def build(self, pattern, is_chain_pattern, matched):
        """A list of new nodes, or an empty one where all is to stay; matched: an OrderedDict {name of a pattern node: node}."""

    def __call__(self, pattern, is_chain_pattern, matched):
        return self.build(pattern, is_chain_pattern, matched)


class PatternEngine:
    """Replaces what fits a pattern - a PatternNode, or a list of types that follow each other - by what a Replacement builds.

    Where a node in the midst of what fits is used elsewhere, nothing is replaced. Cells of NodeType.Tree are looked into, containers are not.
    Raises TypeError for other types.

    >>> from msjit import nn
    >>> from msjit.rewrite import Node, PatternEngine, Replacement, SymbolTree
    >>> class Net(nn.Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.first, self.second = nn.ReLU(), nn.ReLU()
    ...     def construct(self, x):
    ...         return self.second(self.first(x))
    >>> class Once(Replacement):
    ...     def build(self, pattern, is_chain_pattern, matched):
    ...         first, last = matched.values()
    ...         return [Node.create_call_cell(nn.ReLU6(), last.get_targets(), first.get_args(), name="once")]
    """

    def __init__(self, pattern, replacement=None):
        check("replacement", replacement, (Replacement, type(None)), "pattern_engine")
        check("pattern", pattern, (PatternNode, list), "pattern_engine")
        self._is_chain, self._replacement = isinstance(pattern, list), replacement
        for kind in pattern if self._is_chain else ():
            if not isinstance(kind, type) or not issubclass(kind, (Cell, Primitive)):
                raise TypeError("[pattern_engine] item of pattern, got %s, expected a class of Cells or primitives" % (kind,))
        self._pattern = PatternNode.create_pattern_from_list(pattern) if self._is_chain else pattern

    def pattern(self):
        """The last PatternNode."""
        return self._pattern

    def apply(self, stree):
        """Replaces in a SymbolTree, in place; whether anything was."""
        check("stree", stree, SymbolTree, "pattern_engine")
        changed, waiting, seen = False, stree.get_inputs(), []
        while waiting:
            node = waiting.pop(0)
            if node in seen or node.get_symbol_tree() is not stree:  # seen, or erased
                continue
            seen.append(node)
            if node.get_node_type() is NodeType.Tree:
                changed = self._apply_inside(node) or changed
            matched = self._match(self._pattern, node)
            if matched and self._is_apart(matched):
                made = self._replacement(self._pattern, self._is_chain, matched) if self._replacement is not None else []
                if made:
                    waiting.append(self._replaced(stree, node, matched, made))
                    changed = True
                    continue
            waiting += node.get_users()
        return changed

    def _apply_inside(self, node):
        try:
            tree = node.get_sub_tree()
        except NotImplementedError as error:
            from .. import log
            log.warning("[pattern_engine] %s is left as it is: %s", node.get_name(), error)
            return False
        changed = self.apply(tree)
        if not changed:
            node._sub_tree = None  # the Cell itself stays in the network
        return changed

    def _match(self, pattern, node):
        """An OrderedDict {name of a pattern node: node}, the last one last; empty for a VarNode; None where they do not fit."""
        if node.get_node_type() not in _MATCHED or not pattern.match(node):
            return None
        if isinstance(pattern, VarNode):
            return OrderedDict()
        wanted, inputs = pattern.get_inputs(), node.get_inputs()
        if wanted and len(wanted) != len(inputs):
            return None
        found = OrderedDict()
        for one, item in zip(wanted, inputs):
            part = self._match(one, item)
            if part is None:
                return None
            found.update(part)
        found[pattern.name()] = node
        return found

    def _is_apart(self, matched):
        """Whether only the last node's result is used by others."""
        inside = list(matched.values())
        return all(user in inside for name, node in matched.items() if name != self._pattern.name() for user in node.get_users())

    @staticmethod
    def _replaced(tree, last, matched, made):
        root = tree.replace(last, made)
        for node in reversed(list(matched.values())):
            if node is not last:
                tree.erase(node)
        return root
