"""The source of a code object: its lines, and its node in the syntax tree of its file."""
import ast
import linecache
import re
import types

from .._native import CompileError
from . import places

_USE_BYTECODE = "a function defined in a file, or jit(mode=\"PIJit\"), which reads the bytecode"
# Code objects that are part of the function around them up to 3.11.
PARTS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"))
_trees = {}  # {file name: (lines, tree, its functions by their first lines, what it compiles to)}, the newest last
_MOST_TREES = 64  # bounded, because notebooks give every cell another file name


class NoSource(CompileError):
    """There is no source, or it is not the source of the code that runs."""


def forget():
    """Drops the syntax trees kept of files."""
    _trees.clear()


class Source:
    """Lines and tree of a file, and the node of one function in it."""

    def __init__(self, code, lines, tree, node):
        self.code, self.lines, self.tree, self.node = code, lines, tree, node
        self.file, self.name = code.co_filename, code.co_name


def find(code, module_globals=None, exact=False):
    """The Source of a function's code object.

    Raises NoSource if there is none, if it cannot be parsed, or if it is not the source of the code that runs, as when the file was edited
    after it was imported. That is decided by comparing the names in both; with `exact` also by what the source compiles to.
    (Tools that rewrite code, such as profilers, keep its names.)
    """
    lines, tree, functions, compiled = _tree(code, module_globals)
    node = _node(code, tree, functions)
    if node is None or (exact and not _compiles_to(tree, code, compiled)):
        raise NoSource("[jit] source of %s, got a file without it at line %d of %s, expected the text it was "
                       "compiled from; start the program again if the file was edited, or use jit(mode=\"PIJit\")"
                       % (code.co_name, code.co_firstlineno, code.co_filename))
    return Source(code, lines, tree, node)


def file_lines(file, module_globals=None):
    """The lines of a file as linecache has them; no lines if it cannot be read or decoded."""
    try:
        return linecache.getlines(file, module_globals)
    except (SyntaxError, ValueError):  # up to 3.9 linecache passes errors of the decoder on, and those of open() about a name
        return []


def file_of(code):
    """The Source of a code object that is part of a function, such as a comprehension's, with the whole file as its node."""
    lines, tree = _tree(code, None)[:2]
    return Source(code, lines, tree, tree)


def _tree(code, module_globals):
    file = code.co_filename
    lines = file_lines(file, module_globals)
    known = _trees.get(file)
    if known is not None and known[0] == lines:
        return known
    if not lines:
        raise NoSource("[jit] source of %s, got none in %s, expected %s" % (code.co_name, file, _USE_BYTECODE))
    try:
        tree = ast.parse("".join(lines), file)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NoSource("[jit] source of %s, got %s in %s (%s), expected the text it was compiled from; start the "
                       "program again if the file was edited, or use jit(mode=\"PIJit\")"
                       % (code.co_name, type(error).__name__, file, error)) from None
    known = lines, tree, _functions(tree), {}
    _trees.pop(file, None)
    _trees[file] = known
    for name in list(_trees)[:-_MOST_TREES]:
        _trees.pop(name, None)
    return known


def first_line(node):
    """The line where the code object of a function node begins: its first decorator's."""
    decorators = getattr(node, "decorator_list", None)
    return min([d.lineno for d in decorators] + [node.lineno]) if decorators else node.lineno


def _functions(tree):
    by_line = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            by_line.setdefault(first_line(node), []).append(node)
    return by_line


def _node(code, tree, functions):
    here = functions.get(code.co_firstlineno, ())
    nodes = [node for node in here if isinstance(node, ast.Lambda) == (code.co_name == "<lambda>") and _fits(code, node)]
    if len(nodes) > 1:
        return places.pick(tree, code, nodes) or nodes[0]
    return nodes[0] if nodes else None


def _compiles_to(tree, code, compiled):
    """Whether a file compiles to the code that runs. `compiled` caches the code objects of the file, by flags."""
    flags = code.co_flags & places.FUTURES
    if flags not in compiled:
        compiled[flags] = by_place = {}
        try:
            pending = [compile(tree, code.co_filename, "exec", flags, True)]
        except (SyntaxError, ValueError, RecursionError):
            pending = []
        while pending:
            item = pending.pop()
            by_place.setdefault((item.co_firstlineno, item.co_name), []).append(item)
            pending.extend(c for c in item.co_consts if isinstance(c, types.CodeType))
    wanted = places.what_runs(code)
    found = compiled[flags].get((code.co_firstlineno, code.co_name), ())
    return _is_rewritten(_names_of_code(code)) or any(places.what_runs(item) == wanted for item in found)


def _is_rewritten(names):
    """By a test runner that explains asserts."""
    return any(name.startswith("@") for name in names)


def _fits(code, node):
    if getattr(node, "name", code.co_name) != code.co_name:
        return False
    if _parameters(node.args) != _code_parameters(code):
        return False
    names = _names_of_code(code)
    return _is_rewritten(names) or names <= _names_of_node(node)


def _parameters(args):
    names = [a.arg for a in getattr(args, "posonlyargs", []) + args.args + args.kwonlyargs]
    return names + [a.arg for a in (args.vararg, args.kwarg) if a is not None]


def _code_parameters(code):
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return [_plain(name) for name in code.co_varnames[:count]]


def _plain(name):
    """A private name as it is written in the source: _Class__name is __name there."""
    found = re.match(r"_[^_].*?(__.*[^_].?)$", name)
    return found.group(1) if found and not name.endswith("__") else name


def _names_of_code(code):
    """The names that a code object and those inside it use, without names that compilers and test runners generate."""
    names, pending = set(), [code]
    while pending:
        item = pending.pop()
        for name in item.co_names + item.co_varnames + item.co_freevars + item.co_cellvars:
            if name.startswith("@") or (name.isidentifier() and not (name.startswith("__") and name.endswith("__"))):
                names.add(_plain(name))
        pending.extend(c for c in item.co_consts if hasattr(c, "co_code"))
    return names


def _names_of_node(node):
    """Every identifier in the text of a node, and the names that statements may imply."""
    names = {"AssertionError", "NotImplementedError", "StopAsyncIteration"}
    for item in ast.walk(node):
        for _, value in ast.iter_fields(item):
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    names.update(_plain(part) for part in text.split("."))
    return names
