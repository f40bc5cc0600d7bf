"""Reads construct into nodes: calls and operators that stand inside of others become statements with names of their own.

Only what is computed in any case, and in the same order, is taken out. What Python computes under a condition - `a if b else c`,
`and`, comprehensions, the bodies of `if` and loops - stays as it is, in one node.
"""
import ast
import builtins

from ..nn.cell import Cell
from ..nn.container import CellList, SequentialCell
from ..ops.primitive import Primitive
from .nodes import Node, names_in
from .values import NodeType, ScopedValue

_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.List)
_STATEMENTS = {ast.If: "if_node", ast.For: "for_node", ast.While: "while_node", ast.With: "with_node", ast.Try: "try_node"}
_STRANGE = tuple(getattr(ast, name) for name in ("NamedExpr", "Await", "Yield", "YieldFrom") if hasattr(ast, name))
_NOTHING = object()


def _is_own(instance):
    return type(instance).__module__.split(".")[0] == __name__.split(".")[0]


def kind_of(instance):
    """The NodeType of a call of an object."""
    if isinstance(instance, (SequentialCell, CellList)):
        return NodeType.CellContainer
    if isinstance(instance, Cell):
        return NodeType.CallCell if _is_own(instance) else NodeType.Tree
    return NodeType.CallPrimitive if isinstance(instance, Primitive) else NodeType.CallFunction


class Reader:
    """Makes nodes of the statements of a function, in the order they run."""

    def __init__(self, tree, network, function, namespace):
        self.tree, self.network, self.namespace = tree, network, namespace
        arguments = function.args
        named = getattr(arguments, "posonlyargs", []) + arguments.args
        self.self_name = named[0].arg
        others = [a for a in named[1:] + arguments.kwonlyargs] + [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        self.inputs = [a.arg for a in others]
        self.locals = set(self.inputs) | names_in(function, ast.Store)
        tree.variables |= self.locals
        tree.taken |= self.locals | names_in(function)

    def read(self, body):
        """Nodes of a list of statements."""
        for name in self.inputs:
            self._add(Node(NodeType.Input, "input_" + name, [ScopedValue.create_naming_value(name)]))
        for i, statement in enumerate(body):
            if i or not (isinstance(statement, ast.Expr) and isinstance(_literal(statement.value), str)):  # no docstring
                self._statement(statement)

    def _add(self, node):
        self.tree.add(node)
        return node

    # -- statements -------------------------------------------------------------------------------------------------------

    def _statement(self, statement):
        if any(isinstance(item, _STRANGE) for item in ast.walk(statement)):
            return self._as_it_is(statement)
        if isinstance(statement, ast.Return):
            return self._output(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return self._computed(statement.value, [])
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            targets = self._targets(statement.targets[0])
            if targets is not None:
                return self._computed(statement.value, targets)
        if isinstance(statement, ast.If):
            return self._branches(statement)
        return self._as_it_is(statement)

    @staticmethod
    def _targets(target):
        found = target.elts if isinstance(target, ast.Tuple) else [target]
        return [item.id for item in found] if found and all(isinstance(item, ast.Name) for item in found) else None

    def _as_it_is(self, statement):
        kind = NodeType.ControlFlow if type(statement) in _STATEMENTS else NodeType.Python
        name = _STATEMENTS.get(type(statement), type(statement).__name__.lower())
        self._add(Node(kind, name, build=lambda args, kwargs: statement, reads=names_in(statement), writes=names_in(statement, ast.Store)))

    def _branches(self, statement):
        test = ScopedValue.of(self._simple(statement.test))
        rest = set().union(*[names_in(inner) for inner in statement.body + statement.orelse])
        self._add(Node(NodeType.ControlFlow, "if_node", [], [test], reads=rest, writes=names_in(statement, ast.Store),
                       build=lambda args, kwargs: ast.If(args[0], statement.body, statement.orelse)))

    def _output(self, statement):
        value = [] if statement.value is None else [ScopedValue.of(self._simple(statement.value))]
        self._add(Node(NodeType.Output, "return", [], value, build=lambda args, kwargs: ast.Return(args[0] if args else None)))

    # -- expressions ------------------------------------------------------------------------------------------------------

    def _simple(self, expression):
        """The expression, or the name of a new node's result where it computes something in any case."""
        if not self._is_taken_out(expression):
            return expression
        name = self.tree.unique_name(_name_of(expression) + "_var")
        self._computed(expression, [name])
        return ast.Name(name, ast.Load())

    @staticmethod
    def _is_taken_out(expression):
        if isinstance(expression, ast.Compare):
            return len(expression.ops) == 1
        return isinstance(expression, (ast.Call,) + _OPERATORS) and _literal(expression) is _NOTHING

    def _parts(self, expressions):
        """Expressions, simple where nothing would be computed earlier than what stands before it."""
        for i, expression in enumerate(expressions):
            inner = expression.value if isinstance(expression, (ast.Starred, ast.keyword)) else expression
            late = not self._is_taken_out(inner) and any(isinstance(item, ast.Call) for item in ast.walk(inner))
            if late and any(self._is_taken_out(item.value if isinstance(item, (ast.Starred, ast.keyword)) else item)
                            for item in expressions[i + 1:]):
                return expressions
        return [self._part(expression) for expression in expressions]

    def _part(self, expression):
        if isinstance(expression, ast.Starred):
            return ast.Starred(self._simple(expression.value), ast.Load())
        if isinstance(expression, ast.keyword):
            return ast.keyword(expression.arg, self._simple(expression.value))
        return self._simple(expression)

    def _computed(self, expression, targets):
        """Adds the node that computes an expression."""
        values = [ScopedValue.create_naming_value(name) for name in targets]
        if isinstance(expression, ast.Call):
            return self._call(expression, values)
        if self._is_taken_out(expression):
            return self._operator(expression, values)
        return self._add(Node(NodeType.CallMethod, "pass_through", values, [ScopedValue.of(expression)], build=lambda args, kwargs: args[0]))

    def _call(self, call, targets):
        function = self._called(call.func)
        instance = self._resolved(call.func)
        parts = self._parts(list(call.args) + list(call.keywords))
        args, keywords = parts[:len(call.args)], parts[len(call.args):]
        kwargs = {("**%d" % i if item.arg is None else item.arg): ScopedValue.of(item.value) for i, item in enumerate(keywords)}
        reads = names_in(function) & self.locals - {self.self_name}
        return self._add(Node(kind_of(instance), _name_of(call), targets, [ScopedValue.of(item) for item in args], kwargs, instance,
                              lambda args, kwargs: ast.Call(function, args, kwargs), reads))

    def _called(self, function):
        """What is called, with what is computed for it taken out: `f(x).sum` as `f_var.sum`."""
        if isinstance(function, ast.Attribute):
            return ast.Attribute(self._called(function.value), function.attr, ast.Load())
        return self._simple(function)

    def _operator(self, expression, targets):
        if isinstance(expression, ast.BinOp):
            parts, name = self._parts([expression.left, expression.right]), "binop_" + type(expression.op).__name__.lower()
            build = _build_binary(expression.op)
        elif isinstance(expression, ast.UnaryOp):
            parts, name = self._parts([expression.operand]), "unaryop_" + type(expression.op).__name__.lower()
            build = _build_unary(expression.op)
        elif isinstance(expression, ast.Compare):
            parts = self._parts([expression.left, expression.comparators[0]])
            name, build = "compare_" + type(expression.ops[0]).__name__.lower(), _build_compare(expression.ops[0])
        else:
            parts, name = self._parts(list(expression.elts)), type(expression).__name__.lower()
            build = _build_sequence(type(expression))
        kind = NodeType.CallMethod if name in ("tuple", "list") else NodeType.MathOps
        return self._add(Node(kind, name, targets, [ScopedValue.of(item) for item in parts], build=build))

    def _resolved(self, expression):
        """The object that an expression of names and attributes stands for before the network runs, or None."""
        if isinstance(expression, ast.Name):
            if expression.id == self.self_name:
                return self.network
            if expression.id in self.locals:
                return None
            return self.namespace.get(expression.id, getattr(builtins, expression.id, None))
        if isinstance(expression, ast.Attribute):
            owner = self._resolved(expression.value)
            return None if owner is None else getattr(owner, expression.attr, None)
        if isinstance(expression, ast.Subscript):
            owner, index = self._resolved(expression.value), getattr(expression.slice, "value", expression.slice)  # an Index up to 3.8
            place = _literal(index if isinstance(index, ast.AST) else expression.slice)
            if isinstance(owner, (SequentialCell, CellList, list, tuple)) and isinstance(place, int) and -len(owner) <= place < len(owner):
                return owner[place]
        return None


def _literal(expression):
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return _NOTHING


def _name_of(expression):
    if isinstance(expression, ast.Call):
        function = expression.func
        if isinstance(function, ast.Subscript):
            function = function.value
        return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else "call"
    if isinstance(expression, ast.BinOp):
        return {"Add": "add", "Sub": "sub", "Mult": "mult"}.get(type(expression.op).__name__, type(expression.op).__name__.lower())
    if isinstance(expression, ast.UnaryOp):
        return type(expression.op).__name__.lower()
    return type(expression).__name__.lower()


def _build_binary(op):
    return lambda args, kwargs: ast.BinOp(args[0], op, args[1])


def _build_unary(op):
    return lambda args, kwargs: ast.UnaryOp(op, args[0])


def _build_compare(op):
    return lambda args, kwargs: ast.Compare(args[0], [op], [args[1]])


def _build_sequence(kind):
    return lambda args, kwargs: kind(args, ast.Load())
