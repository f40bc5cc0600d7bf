"""Finds the place in the source that an instruction comes from.

From 3.11 on code objects contain it. Earlier ones only contain lines. For these the syntax tree is compiled again with a different
line number for every node, so that the line of the instruction identifies the node.
"""
import ast
import dis
import sys
import types

FUTURES = 0x1FF0000  # flags that a compilation takes over from `from __future__ import`
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LINES = ("lineno", "end_lineno", "end_col_offset")
# {beginning of an instruction's name: the kinds of nodes whose value it computes}
_KINDS = (("CALL", ast.Call), ("LOAD_ATTR", ast.Attribute), ("LOAD_METHOD", ast.Attribute), ("STORE_ATTR", ast.Attribute),
          ("BINARY_SUBSCR", ast.Subscript), ("STORE_SUBSCR", ast.Subscript), ("COMPARE", ast.Compare), ("UNARY", ast.UnaryOp),
          ("POP_JUMP", (ast.If, ast.While, ast.IfExp, ast.Assert)), ("BINARY", ast.BinOp), ("INPLACE", ast.AugAssign), ("LOAD_NAME", ast.Name), ("LOAD_GLOBAL", ast.Name))


def line_of(code, offset):
    """The line of an instruction."""
    line = code.co_firstlineno
    for start, number in dis.findlinestarts(code):
        if start <= offset and number is not None:
            line = number
    return line


def position(tree, code, offset):
    """(line, column) of the source of an instruction of `code`. The column is in bytes from 0, or None if it is unknown. `tree` is
    the tree of the file, or None without a source."""
    if hasattr(code, "co_positions"):
        for at, (line, _, column, _) in enumerate(code.co_positions()):
            if 2 * at == offset and line is not None:
                return line, column
    elif tree is not None:
        node = _node(tree, code, offset) or _header(tree, line_of(code, offset))
        if node is not None:
            return node.lineno, node.col_offset
    return line_of(code, offset), None


class _Numbered:
    """A tree compiled with the number of every node as its line. `order`: the nodes, from number 1 on."""

    def __init__(self, tree, like):
        self.order, self.parents, self.code = [], {}, None
        _number(tree, None, self.order, self.parents)
        self.lines = [tuple(getattr(node, name, None) for name in _LINES) for node in self.order]
        try:
            for at, node in enumerate(self.order):
                if self.lines[at][0] is not None:
                    node.lineno = node.end_lineno = at + 1  # 3.10 gives attributes the line where they end
                    node.end_col_offset = node.col_offset  # not to end before they begin
            self.code = compile(tree, like.co_filename, "exec", like.co_flags & FUTURES, True)
        except (SyntaxError, ValueError, RecursionError):  # no columns fit, or the tree is too deep
            pass
        finally:
            for node, values in zip(self.order, self.lines):
                if values[0] is not None:
                    node.lineno, node.end_lineno, node.end_col_offset = values

    def find(self, wanted):
        """The code objects that equal `wanted` except for their lines, each with its node."""
        pending = [] if self.code is None else [self.code]
        while pending:
            code = pending.pop()
            if what_runs(code) == what_runs(wanted) and \
                    self.lines[code.co_firstlineno - 1][0] == wanted.co_firstlineno:
                yield code, self.order[code.co_firstlineno - 1]
            pending.extend(c for c in code.co_consts if isinstance(c, types.CodeType))


def what_runs(code):
    """A code object without its lines, to be compared."""
    return code.co_name, code.co_code, code.co_names, code.co_varnames, _constant(code.co_consts)


def _constant(value):
    if isinstance(value, types.CodeType):
        return what_runs(value)
    if isinstance(value, (tuple, frozenset)):  # a set shows its items in an order that may change
        return type(value), type(value)(map(_constant, value))
    return type(value), repr(value)


def pick(tree, code, nodes):
    """Picks the function that a code object was compiled from, among several on one line; None if it was none of them."""
    return next((node for _, node in _Numbered(tree, code).find(code) if node in nodes), None)


def _node(tree, code, offset):
    """The node that an instruction belongs to, or None if the tree does not compile to exactly this code."""
    numbered = _Numbered(tree, code)
    for found, _ in numbered.find(code):
        return _shown(_computing(found, offset, numbered.order, numbered.parents))
    return None


def _header(tree, line):
    """The node to point at for a statement with a block that begins in this line. Needed for 3.10, where the layout of some blocks depends on
    lines, so that a tree with other lines compiles to other code."""
    blocks = (n for n in ast.walk(tree) if isinstance(n, (ast.If, ast.While, ast.With)) and n.lineno == line)
    return next((_shown(node) for node in blocks), None)


def _number(node, parent, order, parents):
    """The nodes in the order in which compilers visit them."""
    order.append(node)
    parents[node] = parent
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, (ast.Assign, ast.AugAssign)):  # the value first
        children.sort(key=lambda child: child is not node.value)
    if isinstance(node, _COMPREHENSIONS):  # the loops first, and up to 3.7 the value of a dict's item before its key
        children.sort(key=lambda child: not isinstance(child, ast.comprehension))
        if isinstance(node, ast.DictComp) and sys.version_info < (3, 8):
            children.append(children.pop(-2))
    for child in children:
        if not isinstance(child, (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)):
            _number(child, node, order, parents)


def _computing(code, offset, order, parents):
    """The node whose instruction is at an offset. Up to 3.7 an instruction that follows the parts of an expression has the
    line of the last part. It then belongs to the first node of the instruction's kind that ends with that part and has no
    instruction yet."""
    starts, here, kind = dict(dis.findlinestarts(code)), None, None
    before = []  # kinds of the earlier instructions with the same line
    for instruction in dis.get_instructions(code):
        if starts.get(instruction.offset, here) != here:
            here, before = starts[instruction.offset], []
        kind = _kind_of(instruction.opname)
        if instruction.offset == offset:
            break
        before.append(kind)
    node = last = order[here - 1]
    if kind is None or sys.version_info >= (3, 8):
        return node
    turn = before.count(kind)
    while node is not None:
        if isinstance(node, kind):
            last, turn = node, turn - 1
        if turn < 0 or isinstance(node, ast.stmt):
            break
        node = parents[node]
    return last


def _kind_of(name):
    return next((kind for text, kind in _KINDS if name.startswith(text)), None)


def _shown(node):
    """The part of a statement to point at: the condition, or the context manager."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return node.test
    if isinstance(node, ast.With):
        return node.items[0].context_expr
    return node
