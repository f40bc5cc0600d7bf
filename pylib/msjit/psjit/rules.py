"""The strict language: which constructs of Python are allowed, and what to write instead of the others.

The rows follow MindSpore's description of the static graph's syntax. Each row has a kind of node, a test if only some
nodes of that kind are outside the language, what is found, and what is expected instead.
"""
import ast
import builtins
import sys
import types

# Functions of Python that the strict language does not have.
_ABSENT = frozenset((
    "bytearray bytes classmethod compile delattr dir eval exec frozenset globals id input iter locals memoryview "
    "next object open property set setattr staticmethod vars __import__ breakpoint").split())
_CONSTANTS = (ast.Constant, ast.NameConstant, ast.Num, ast.Str) if sys.version_info < (3, 8) else ast.Constant


def _kind(name):
    return getattr(ast, name, None) if name else None


def _always(node, scope):
    return True


def _is_complex(node, scope):
    return isinstance(node.value if hasattr(node, "value") else node.n, complex)


def _compares_identity(node, scope):
    """`is` with anything but None, a bool, a number, a text or a class on one of its sides."""
    left = node.left
    for operator, right in zip(node.ops, node.comparators):
        if isinstance(operator, (ast.Is, ast.IsNot)) and not (_is_plain(left, scope) or _is_plain(right, scope)):
            return True
        left = right
    return False


def _is_plain(node, scope):
    if isinstance(node, (ast.Name, ast.Attribute)):
        return isinstance(scope.known(node), type)
    return isinstance(node, _CONSTANTS)


def _calls_absent(node, scope):
    return isinstance(node.func, ast.Name) and node.func.id in _ABSENT and scope.is_builtin(node.func.id)


def _calls_type_maker(node, scope):
    return isinstance(node.func, ast.Name) and node.func.id == "type" and scope.is_builtin("type") \
        and len(node.args) + len(node.keywords) != 1


def _raises_dict(node, scope):
    return isinstance(node.exc, ast.Call) and any(isinstance(a, ast.Dict) for a in node.exc.args)


_INSTEAD_OF_TRY = "a check before the call that may fail"
_RULES = [
    ("Try", _always, "a try statement", _INSTEAD_OF_TRY),
    ("TryStar", _always, "a try statement", _INSTEAD_OF_TRY),
    ("AsyncFunctionDef", _always, "an async function", "a plain function"),
    ("AsyncFor", _always, "async for", "for"),
    ("AsyncWith", _always, "async with", "with"),
    ("Await", _always, "await", "a plain call"),
    ("Yield", _always, "yield", "a list that is returned"),
    ("YieldFrom", _always, "yield from", "a list that is returned"),
    ("Delete", _always, "del", "the variable left as it is"),
    ("Match", _always, "a match statement", "if and elif"),
    ("Import", _always, "import", "an import at the top of the module"),
    ("ImportFrom", _always, "from ... import", "an import at the top of the module"),
    ("Nonlocal", _always, "nonlocal", "a result that is returned"),
    ("NamedExpr", _always, "an assignment expression (:=)", "an assignment before it"),
    ("ClassDef", _always, "a class definition", "a class at the top of the module"),
    ("Set", _always, "a set", "a tuple or list"),
    ("SetComp", _always, "a set comprehension", "a list comprehension"),
    ("Constant", _is_complex, "a complex number", "two tensors for its parts"),
    ("Num" if sys.version_info < (3, 8) else "", _is_complex, "a complex number", "two tensors for its parts"),
    ("For", lambda node, scope: node.orelse, "else of a for loop", "a flag that is tested behind the loop"),
    ("While", lambda node, scope: node.orelse, "else of a while loop", "a flag that is tested behind the loop"),
    ("ListComp", lambda node, scope: len(node.generators) > 1, "a comprehension with several for", "one comprehension for each"),
    ("DictComp", lambda node, scope: len(node.generators) > 1, "a comprehension with several for", "one comprehension for each"),
    ("GeneratorExp", lambda node, scope: len(node.generators) > 1, "a generator expression with several for",
     "one comprehension for each"),
    ("Compare", _compares_identity, "`is` with other operands than None, numbers, texts and classes", "== or !="),
    ("Call", _calls_absent, "a call of {0.func.id}()", "another builtin or level LAX"),
    ("Call", _calls_type_maker, "type() with several arguments", "a class at the top of the module"),
    ("Raise", _raises_dict, "an exception made of a dict", "an exception made of text and numbers"),
]
_BY_KIND = {}
for _name, _test, _what, _instead in _RULES:
    if _kind(_name) is not None:
        _BY_KIND.setdefault(_kind(_name), []).append((_test, _what, _instead))


class Scope:
    """Resolves the names in a function, as far as that is possible without running it."""

    def __init__(self, node, function_globals):
        self._globals = function_globals or {}
        self._own = {item.id for item in ast.walk(node)
                     if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
        self._own.update(item.arg for item in ast.walk(node) if isinstance(item, ast.arg))

    def is_builtin(self, name):
        """True when the name means Python's own function."""
        return name not in self._own and name not in self._globals and hasattr(builtins, name)

    def known(self, node):
        """The object of a global or builtin name, or of an attribute of a module; None if it is unknown."""
        if isinstance(node, ast.Name) and node.id not in self._own:
            return self._globals.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            owner = self.known(node.value)
            return vars(owner).get(node.attr) if type(owner) is types.ModuleType else None
        return None


def _order(pair):
    return pair[0].lineno, pair[0].col_offset


def violation(node, scope):
    """(node, what, instead) for the first construct of a function, in reading order, that is outside; or None."""
    found = []
    body = node.body if isinstance(node.body, list) else [node.body]
    if isinstance(node, ast.AsyncFunctionDef):
        found.append((node, "an async function", "a plain function"))
    for statement in body:
        for item in ast.walk(statement):
            for test, what, instead in _BY_KIND.get(type(item), ()):
                if test(item, scope):
                    found.append((item, what.format(item), instead))
    return min(found, key=_order) if found else None


def generator(node):
    """The yield or await that keeps a function from being compiled at any level, or None."""
    if isinstance(node, ast.AsyncFunctionDef):
        return node, "an async function", "a plain function"
    pending = list(node.body) if isinstance(node.body, list) else [node.body]
    while pending:
        item = pending.pop()
        if isinstance(item, (ast.Yield, ast.YieldFrom)):
            return item, "yield", "a list that is returned"
        if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)):
            pending.extend(ast.iter_child_nodes(item))
    return None
