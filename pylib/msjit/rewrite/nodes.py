"""Nodes of a SymbolTree: each is one statement of construct."""
import ast

from ..nn.cell import Cell
from ..ops.primitive import Primitive
from .values import NodeType, ScopedValue, ValueType, check, name_expression


def names_in(tree, context=ast.Load):
    """The names that a piece of syntax reads, or with ast.Store writes."""
    return {item.id for item in ast.walk(tree) if isinstance(item, ast.Name) and isinstance(item.ctx, context)}


def free_names(expression):
    """The names that an expression reads and does not set itself, as comprehensions and lambdas do."""
    own = {item.arg for item in ast.walk(expression) if isinstance(item, ast.arg)}
    return names_in(expression) - names_in(expression, ast.Store) - own


def _values(values, what):
    check(what, values, (list, tuple), "node")
    for value in values:
        check("item of " + what, value, (ScopedValue, str), "node")
    return [ScopedValue.create_naming_value(value) if isinstance(value, str) else value for value in values]


def _only_values(values, what):
    for value in values:
        check("item of " + what, value, ScopedValue, "node")
    return list(values)


class Node:
    """One step of a network: what it calls or computes, of what, and the names of its results.

    Nodes of a network come from SymbolTree.nodes, new ones from create_call_cell and create_call_function.
    """

    def __init__(self, node, name="", targets=(), args=(), kwargs=None, instance=None, build=None, reads=(), writes=()):
        check("node", node, NodeType, "node")
        self._kind, self._name, self._instance, self._build = node, name, instance, build
        self._targets, self._args, self._kwargs = list(targets), list(args), dict(kwargs or {})
        self._more_reads, self._more_writes = set(reads), set(writes)
        self._tree, self._sub_tree, self._attributes = None, None, {}
        self._attribute = None  # the name that an inserted Cell has in the new network

    @staticmethod
    def create_call_cell(cell, targets, args=None, kwargs=None, name="", is_sub_net=False):
        """A call of a Cell or primitive, for SymbolTree.insert and replace.

        targets: names of the results, strs or ScopedValues; args: a list, kwargs: a dict of ScopedValues; name: of the node and of
        the attribute that the network gets, by default that of the class. is_sub_net: the Cell's own steps are nodes too.
        Raises TypeError for other types.

        >>> from msjit import nn
        >>> from msjit.rewrite import Node, ScopedValue
        >>> Node.create_call_cell(nn.ReLU(), ["y"], [ScopedValue.create_naming_value("x")], name="act").get_targets()
        [y]
        """
        check("cell", cell, (Cell, Primitive), "node")
        check("name", name, str, "node")
        check("is_sub_net", is_sub_net, bool, "node")
        targets = _values(targets, "targets")
        kind = NodeType.Tree if is_sub_net else NodeType.CallCell if isinstance(cell, Cell) else NodeType.CallPrimitive
        node = Node(kind, name or type(cell).__name__, targets, _only_values(args or [], "args"), kwargs, cell)
        _only_values(node._kwargs.values(), "kwargs")
        node._attribute = node._name
        node._build = lambda args, kwargs: ast.Call(name_expression("self." + node._attribute), args, kwargs)
        return node

    @staticmethod
    def create_call_function(function, targets, args=None, kwargs=None):
        """A call of a function, which the new network calls by its name; the rest as for create_call_cell."""
        if not callable(function):
            raise TypeError("[node] function, got %s, expected a function" % type(function).__name__)
        name = getattr(function, "__name__", type(function).__name__)
        node = Node(NodeType.CallFunction, name, _values(targets, "targets"), _only_values(args or [], "args"), kwargs, function)
        _only_values(node._kwargs.values(), "kwargs")
        node._attribute = name
        node._build = lambda args, kwargs: ast.Call(name_expression(node._attribute), args, kwargs)
        return node

    def get_handler(self):
        """The node."""
        return self

    def get_name(self):
        """The name, which no other node of the tree has."""
        return self._name

    def get_node_type(self):
        """A NodeType."""
        return self._kind

    def get_instance(self):
        """The Cell, primitive or function that is called, or None."""
        return self._instance

    def get_instance_type(self):
        """The class of the Cell or primitive; a function itself; the type of None where nothing known is called."""
        called = self._instance
        return type(called) if called is None or isinstance(called, (Cell, Primitive)) else called

    def get_targets(self):
        """ScopedValues of the results."""
        return list(self._targets)

    def get_args(self):
        """ScopedValues of the positional arguments."""
        return list(self._args)

    def get_kwargs(self):
        """ScopedValues of the arguments by keyword."""
        return dict(self._kwargs)

    def get_symbol_tree(self):
        """The tree it is in, or None."""
        return self._tree

    def get_sub_tree(self):
        """The SymbolTree of the Cell that a node of NodeType.Tree calls, or None; what is changed in it is changed in the network."""
        if self._kind is not NodeType.Tree:
            return None
        if self._sub_tree is None:
            from .tree import SymbolTree
            self._sub_tree = SymbolTree.create(self._instance)
        return self._sub_tree

    def set_attribute(self, key, value):
        """Keeps a value with the node."""
        check("key", key, str, "node")
        self._attributes[key] = value

    def get_attribute(self, key):
        """A value kept by set_attribute, or None."""
        return self._attributes.get(key)

    def get_attributes(self):
        """All values kept by set_attribute."""
        return dict(self._attributes)

    def set_arg(self, index, arg):
        """Replaces the argument of an index, those by keyword counted on, by a name or ScopedValue. ValueError for an index out of range."""
        check("index", index, int, "node")
        check("arg", arg, (ScopedValue, str), "node")
        value = ScopedValue.create_naming_value(arg) if isinstance(arg, str) else arg
        if not 0 <= index < len(self._args) + len(self._kwargs):
            raise ValueError("[set_arg] index, got %d, expected one below %d" % (index, len(self._args) + len(self._kwargs)))
        if index < len(self._args):
            self._args[index] = value
        else:
            self._kwargs[list(self._kwargs)[index - len(self._args)]] = value

    def set_arg_by_node(self, arg_idx, src_node, out_idx=None):
        """Replaces an argument by a result of another node: its only one, or that of index out_idx. ValueError where there is none."""
        check("src_node", src_node, Node, "node")
        targets = src_node._targets
        if out_idx is None and len(targets) != 1:
            raise ValueError("[set_arg_by_node] out_idx, got None, expected the index of one of the %d results" % len(targets))
        at = 0 if out_idx is None else out_idx
        check("out_idx", at, int, "node")
        if not 0 <= at < len(targets):
            raise ValueError("[set_arg_by_node] out_idx, got %d, expected one below %d" % (at, len(targets)))
        self.set_arg(arg_idx, targets[at])

    def reads(self):
        """The names that the statement reads."""
        found = set(self._more_reads)
        for value in self._args + list(self._kwargs.values()):
            if value.type in (ValueType.NamingValue, ValueType.UnsupportedValue):
                found |= free_names(value.expression())
        return found

    def writes(self):
        """The names that the statement sets."""
        return self._more_writes | {str(value) for value in self._targets}

    def get_inputs(self):
        """The nodes whose results it reads."""
        if self._tree is None:
            return []
        order = self._tree.nodes()
        before = order[:order.index(self)]
        found = [next((node for node in reversed(before) if name in node.writes()), None) for name in self._names_in_order()]
        return [node for i, node in enumerate(found) if node is not None and node not in found[:i]]

    def _names_in_order(self):
        names = []
        for value in self._args + list(self._kwargs.values()):
            if value.type in (ValueType.NamingValue, ValueType.UnsupportedValue):
                names += sorted(free_names(value.expression()) - set(names))
        return names + sorted(self._more_reads - set(names))

    def get_users(self):
        """The nodes that read its results."""
        return [] if self._tree is None else [node for node in self._tree.nodes() if self in node.get_inputs()]

    get_target_users = get_users

    def statement(self):
        """The node as syntax, or None for an input."""
        if self._kind is NodeType.Input:
            return None
        keywords = [ast.keyword(None if name.startswith("**") else name, value.expression()) for name, value in self._kwargs.items()]
        made = self._build([value.expression() for value in self._args], keywords)
        if isinstance(made, ast.stmt):
            return made
        if not self._targets:
            return ast.Expr(made)
        targets = [name_expression(str(value), store=True) for value in self._targets]
        return ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())], made)

    def __repr__(self):
        return "Node(%s, %s, targets=%s, args=%s)" % (self._name, self._kind.name, self._targets, self._args)
