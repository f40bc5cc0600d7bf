"""SymbolTree: the steps of a network as nodes, and the network that changed nodes make."""
import ast
import copy
import inspect
import itertools
import linecache
import sys
import textwrap

from ..nn.cell import Cell
from .nodes import Node
from .reading import Reader
from .values import NodeType, check, text_of

_files = itertools.count(1)


class _OwnNames(ast.NodeTransformer):
    """Spells names of two underscores as the class does that wrote them: the new class has another name."""

    def __init__(self, owner):
        self._prefix = "_" + owner.__name__.lstrip("_")

    def _spelled(self, name):
        return self._prefix + name if name.startswith("__") and not name.endswith("__") else name

    def visit_Attribute(self, node):
        """An attribute."""
        self.generic_visit(node)
        node.attr = self._spelled(node.attr)
        return node

    def visit_Name(self, node):
        """A name."""
        node.id = self._spelled(node.id)
        return node


def _read_source(network):
    """(the syntax of construct, the names it sees) of a network. NotImplementedError where its source does not say what it does."""
    kind = type(network)
    owner = next(base for base in kind.__mro__ if "construct" in vars(base))
    function = inspect.unwrap(owner.construct)
    try:
        module = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        raise NotImplementedError("[symbol_tree] source of %s.construct, got none, expected a file that has it" % owner.__name__) from None
    tree = module.body[0]
    if not isinstance(tree, ast.FunctionDef) or "__class__" in function.__code__.co_freevars:
        raise NotImplementedError("[symbol_tree] construct of %s, got one that calls super() or is no plain method, expected one that does not"
                                  % owner.__name__)
    namespace = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        namespace[name] = cell.cell_contents
    return _OwnNames(owner).visit(tree), namespace


class Position:
    """A place in a tree, before or after a node."""

    def __init__(self, tree, node, after):
        self.symbol_tree, self.node, self.after = tree, node, after


class SymbolTree:
    """The steps of a network's construct as nodes, in order; SymbolTree.create(network) reads them.

    Each node is one statement: calls and operators inside of others have statements, and names, of their own. insert, replace and
    erase change the list; get_network() makes a network of it, which shares Parameters and Cells with the first one.
    What runs under a condition or in a loop stays together in one node. The source of construct must be there, and must not call super().
    Up to Python 3.8 the new network has no source: it runs, and PIJit compiles it, but PSJit does not.

    >>> from msjit import nn
    >>> from msjit.rewrite import SymbolTree
    >>> [node.get_name() for node in SymbolTree.create(nn.Flatten()).nodes()]
    ['input_x', '_flatten', 'return']
    """

    def __init__(self, handler):
        network = self._network = handler
        check("network", network, Cell, "symbol_tree")
        self._nodes = []
        self.taken, self.variables, self._names = set(), set(), set()  # names in the source, those it sets, names of nodes
        self._function, self._namespace = _read_source(network)
        Reader(self, network, self._function, self._namespace).read(self._function.body)

    @classmethod
    def create(cls, network):
        """The tree of a Cell. TypeError for another object, NotImplementedError where there is no source or it calls super()."""
        return cls(network)

    def get_handler(self):
        """The tree."""
        return self

    def get_origin_network(self):
        """The Cell it was made of."""
        return self._network

    # -- looking ----------------------------------------------------------------------------------------------------------

    def nodes(self, all_nodes=False):
        """The nodes in order; with all_nodes those of the Cells that are nodes of NodeType.Tree too."""
        check("all_nodes", all_nodes, bool, "symbol_tree")
        found = list(self._nodes)
        for node in self._nodes if all_nodes else ():
            if node.get_node_type() is NodeType.Tree:
                found += node.get_sub_tree().nodes(True)
        return found

    def all_nodes(self, subtree_nodes=True):
        """As nodes(all_nodes=subtree_nodes)."""
        return self.nodes(subtree_nodes)

    def get_node(self, node_name):
        """The node of a name, or None."""
        check("node_name", node_name, str, "symbol_tree")
        return next((node for node in self._nodes if node.get_name() == node_name), None)

    def get_inputs(self):
        """The nodes of the parameters of construct."""
        return [node for node in self._nodes if node.get_node_type() is NodeType.Input]

    def unique_name(self, name="output"):
        """A name that no variable of construct has: this one, or with _1, _2, ..."""
        check("name", name, str, "symbol_tree")
        return self._unique(name, self.taken)

    @staticmethod
    def _unique(name, taken):
        found, count = name, itertools.count(1)
        while found in taken:
            found = "%s_%d" % (name, next(count))
        taken.add(found)
        return found

    # -- changing ---------------------------------------------------------------------------------------------------------

    def add(self, node, at=None):
        """Puts a node at an index, by default last, under a name of its own."""
        node._tree, node._name = self, self._unique(node.get_name(), self._names)
        self.taken |= node.writes()
        self.variables |= node.writes()
        self._nodes.insert(len(self._nodes) if at is None else at, node)

    def _own(self, node):
        check("node", node, (Node, str), "symbol_tree")
        found = self.get_node(node) if isinstance(node, str) else node
        if found is None or found._tree is not self:
            raise RuntimeError("[symbol_tree] node, got %s, expected one of this tree" % (node,))
        return found

    def before(self, node):
        """The place before a node, or the node of a name. RuntimeError where it is in another tree."""
        return Position(self, self._own(node), False)

    def after(self, node):
        """The place after a node."""
        return Position(self, self._own(node), True)

    def insert(self, position, node):
        """Puts a new node at a place of this tree, or of one of its sub-trees; returns it. ValueError for a node that is in a tree."""
        check("position", position, Position, "symbol_tree")
        check("node", node, Node, "symbol_tree")
        tree = position.symbol_tree
        if node._tree is not None:
            raise ValueError("[symbol_tree] node, got %s of a tree, expected a new one" % node.get_name())
        tree._own(position.node)
        if node._attribute is not None:
            tree._attach(node)
        tree.add(node, tree._nodes.index(position.node) + position.after)
        return node

    def _attach(self, node):
        """Finds the name by which the network knows what a new node calls."""
        called, name = node.get_instance(), node._attribute
        if node.get_node_type() is NodeType.CallFunction:
            free = name.isidentifier() and name not in self.taken and self._namespace.get(name, called) is called
            node._attribute = name if free else self.unique_name("function")
            self.taken.add(node._attribute)
            self._namespace[node._attribute] = called
            return
        used = set(vars(self._network)) | set(dir(type(self._network))) | {other._attribute for other in self._nodes}
        node._attribute = node._name = self._unique(name, used | self._names - {None})

    def erase(self, node):
        """Takes a node, or the node of a name, out of the tree; returns it."""
        found = self._own(node)
        if found.get_node_type() is NodeType.Input:
            raise ValueError("[symbol_tree] node, got the input %s, expected another: construct has its parameters" % found.get_name())
        self._nodes.remove(found)
        self._names.discard(found.get_name())
        found._tree = None
        return found

    def replace(self, old_node, new_nodes):
        """Puts new nodes, a list, in the place of one; returns the last of them."""
        check("old_node", old_node, Node, "symbol_tree")
        check("new_nodes", new_nodes, list, "symbol_tree")
        for node in new_nodes:
            check("item of new_nodes", node, Node, "symbol_tree")
        position = self.before(old_node)
        for node in new_nodes:
            self.insert(position, node)
        self.erase(old_node)
        return new_nodes[-1] if new_nodes else None

    def set_output(self, index, return_value):
        """Replaces an item of what construct returns by a name; returns the node."""
        check("index", index, int, "symbol_tree")
        check("return_value", return_value, str, "symbol_tree")
        output = next((node for node in reversed(self._nodes) if node.get_node_type() is NodeType.Output), None)
        if output is None:
            raise RuntimeError("[symbol_tree] set_output, got a construct without return, expected one with it")
        made = next((node for node in output.get_inputs() if node.get_name().startswith("tuple")), output)
        made.set_arg(index, return_value)
        return output

    # -- the network ------------------------------------------------------------------------------------------------------

    def _class_name(self):
        return type(self._network).__name__ + "Opt"

    def _module(self):
        """The new class as syntax. RuntimeError where a node reads a name that only erased nodes have set."""
        seen = set()
        for node in self._nodes:
            lost = sorted((node.reads() & self.variables) - seen - node.writes()) if node.get_node_type() is not NodeType.Input else ()
            if lost:
                raise RuntimeError("[symbol_tree] node %s reads %s, got no node before it that sets it, expected one" % (node.get_name(), lost[0]))
            seen |= node.writes()
        statements = [statement for statement in (node.statement() for node in self._nodes) if statement is not None]
        function = copy.deepcopy(self._function)
        function.body = copy.deepcopy(statements) or [ast.Pass()]
        made = ast.parse("class %s(%s):\n    pass" % (self._class_name(), type(self._network).__name__))
        made.body[0].body = [function]
        return ast.fix_missing_locations(made)

    def get_code(self):
        """The source of the new class; NotImplementedError up to Python 3.8, which cannot write source."""
        if not hasattr(ast, "unparse"):
            raise NotImplementedError("[symbol_tree] get_code, got Python %d.%d, expected 3.9 or later" % sys.version_info[:2])
        return text_of(self._module()) + "\n"

    def dump(self):
        """Prints the nodes."""
        for node in self._nodes:
            print(node)

    def print_node_tabulate(self, all_nodes=False):
        """Prints the nodes."""
        self.dump()

    def get_network(self):
        """A network of a class derived from that of the first one; it shares Parameters and Cells with it, and has the inserted ones."""
        name, namespace = self._class_name(), dict(self._namespace)
        namespace[type(self._network).__name__] = type(self._network)
        file = "<%s %d>" % (name, next(_files))
        if hasattr(ast, "unparse"):
            text = self.get_code()
            linecache.cache[file] = len(text), None, text.splitlines(True), file
            code = compile(text, file, "exec")
        else:
            code = compile(self._module(), file, "exec")
        exec(code, namespace)
        return self._filled(namespace[name])

    def _filled(self, kind):
        """A network of a class with what the first network has."""
        kind.__module__ = type(self._network).__module__
        made = kind.__new__(kind)
        for name, value in vars(self._network).items():
            made.__dict__[name] = copy.copy(value) if name.startswith("_") and isinstance(value, (dict, list, set)) else value
        for node in self._nodes:
            if node._attribute is not None and node.get_node_type() is not NodeType.CallFunction:
                setattr(made, node._attribute, node.get_instance())
            if node._sub_tree is not None:
                self._replace_sub(made, node)
        return made

    @staticmethod
    def _replace_sub(made, node):
        """Puts the network of a sub-tree in the place of the Cell it was made of."""
        old, new = node.get_instance(), node._sub_tree.get_network()
        names = [name for name, cell in made.name_cells().items() if cell is old]
        if not names:
            raise NotImplementedError("[symbol_tree] node %s, got a Cell inside of a container, expected an attribute" % node.get_name())
        for name in names:
            setattr(made, name, new)
