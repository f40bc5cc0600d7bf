"""The compiled half calls this module: to check a function's source before its first capture, and to raise the error for a break."""
import ast
import os
import sys
import types

from .._native import CompileError
from . import places, rules, source

# This package's own code, as of a primitive given to jit. Parameters of such code may have other names than in its source.
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def check(function, strict, call):
    """Raises CompileError if the source of a function, or of a code object, is missing, is not the source of the code that
    runs, or is not allowed. At level STRICT it must be in the language of `rules`; at level LAX only generators and coroutines
    are refused. `call`: for a code object, the place where it is called, as `place` of `refuse`; else None."""
    try:
        _check(function, strict, call)
    except source.NoSource as error:
        if call is None:
            raise
        raise CompileError("%s%s" % (error, _place(call, "inside_call"))) from None


def _check(function, strict, call):
    code, names = function, {}
    if isinstance(function, types.FunctionType):
        code, names = function.__code__, function.__globals__
    if code.co_name in source.PARTS or _makes_named_tuple(code) or code.co_filename.startswith(_PACKAGE):
        return
    found = source.find(code, names, exact=strict)
    if strict:
        outside = rules.violation(found.node, rules.Scope(found.node, names))
    else:
        outside = rules.generator(found.node)
    if outside:
        node, what, instead = outside
        level = "level STRICT of PSJit" if strict else "PSJit"
        place = pointer(found, node.lineno, _column(found, node))
        if call is not None and call[2]:  # the code is not the user's: the error shows the user's call of it
            place = " (%s:%d)%s" % (found.file, node.lineno, _place(call, "inside_call"))
        raise CompileError("[jit] %s, got %s, expected %s%s" % (level, what, instead, place))


def _column(found, node):
    """The column where a node begins. Up to 3.7 the tree gives a comprehension the column of its first part."""
    if sys.version_info < (3, 8) and isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        before = found.lines[node.lineno - 1].encode("utf-8")[:node.col_offset]
        return max(before.rfind(b"[" if isinstance(node, ast.ListComp) else b"("), 0)
    return node.col_offset


def _makes_named_tuple(code):
    """Whether this is the __new__ of a named tuple, whose source text collections.namedtuple does not keep."""
    return code.co_filename == "<string>" and code.co_names == ("_tuple_new",)


def refuse(place, function, reason, text, cure):
    """Raises CompileError for a function that must be one graph and is not.

    place           where the graph would end: the innermost code of the user, the offset of its instruction, and "file:line"
                    of what it called in a library, or ""
    function        name of the function that is compiled
    reason, text    the break reason's name, and what could not be captured
    cure            what to write instead, or that no change is needed if the interpreter may run it
    """
    beyond = " (%s)" % place[2] if place[2] else ""
    raise CompileError("[jit] cannot capture the whole of %s, got %s%s; %s%s"
                       % (function, text, beyond, cure, _place(place, reason)))


def pointer(found, line, column):
    """The lines of an error that show a place in a source, with a caret; `column` in bytes of UTF-8, from 0."""
    text = found.lines[line - 1].rstrip("\n") if line <= len(found.lines) else ""
    column = len(text.encode("utf-8")[:column].decode("utf-8", "replace"))
    shown = text.lstrip()
    caret = " " * max(column - (len(text) - len(shown)), 0) + "^"
    return "\n  File \"%s\", line %d, column %d, in %s\n    %s\n    %s" % (
        found.file, line, column + 1, found.name, shown, caret)


def _place(place, reason):
    """As `pointer`, for an instruction."""
    code, offset, _ = place
    try:
        found = source.find(code) if code.co_name not in source.PARTS else source.file_of(code)
    except CompileError:  # PIJit compiles functions without a source
        return "\n  File \"%s\", line %d, in %s" % (code.co_filename, places.line_of(code, offset), code.co_name)
    line, column = places.position(found.tree, code, offset)
    if column is None:
        line, column = _guess(found.node, line, reason)
    return pointer(found, line, column)


_KINDS = {
    "call_unknown": (ast.Call,), "inline_depth": (ast.Call,), "inside_call": (ast.Call,), "op_arguments": (ast.Call,),
    "tensor_branch": (ast.If, ast.While, ast.IfExp, ast.Assert), "attribute": (ast.Attribute,),
    "store_attribute": (ast.Attribute,), "iterate": (ast.For, ast.comprehension), "tensor_index": (ast.Subscript,),
}


def _guess(node, line, reason):
    """Guesses where in a line a break is: at its first construct of the kind that the reason names."""
    here = [n for n in ast.walk(node) if getattr(n, "lineno", None) == line and n is not node]
    wanted = [n for n in here if isinstance(n, _KINDS.get(reason, ()))] or here
    if not wanted:
        return line, 0
    first = min(wanted, key=lambda n: n.col_offset)
    return line, first.col_offset
