"""Values of the steps of a network: names, constants and what is neither, as MindSpore's ScopedValue."""
import ast
from enum import Enum


class NodeType(Enum):
    """What a node does."""

    Unknown = 0
    CallCell = 1
    CallPrimitive = 2
    CallModule = 3
    CallFunction = 4
    CallMethod = 5
    Python = 6
    Input = 7
    Output = 8
    Tree = 9
    CellContainer = 10
    MathOps = 11
    ControlFlow = 12


class ValueType(Enum):
    """What a ScopedValue is."""

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50


def text_of(tree):
    """The source of a piece of syntax; its dump up to Python 3.8, which cannot write source."""
    return ast.unparse(tree) if hasattr(ast, "unparse") else ast.dump(tree)


def check(name, value, kinds, where):
    """TypeError where a value is of none of some types."""
    if not isinstance(value, kinds):
        wanted = kinds if isinstance(kinds, tuple) else (kinds,)
        raise TypeError("[%s] %s, got %s, expected %s" % (where, name, type(value).__name__, " or ".join(kind.__name__ for kind in wanted)))


def name_expression(name, store=False):
    """A name, with dots, as syntax."""
    first, *rest = name.split(".")
    made = ast.Name(first, ast.Load())
    for part in rest:
        made = ast.Attribute(made, part, ast.Load())
    if store:
        made.ctx = ast.Store()
    return made


class ScopedValue:
    """A value in the source: a name, in a scope as `self`, a constant, a container, or (UnsupportedValue) any other expression.

    >>> from msjit.rewrite import ScopedValue
    >>> ScopedValue.create_naming_value("conv", "self"), ScopedValue.create_variable_value(2)
    (self.conv, 2)
    """

    def __init__(self, arg_type, scope="", value=None):
        check("arg_type", arg_type, ValueType, "scoped_value")
        check("scope", scope, str, "scoped_value")
        self.type, self.scope, self.value = arg_type, scope, value

    @classmethod
    def create_variable_value(cls, value):
        """The ScopedValue of a number, text, tuple, list, dict or other object."""
        if isinstance(value, (type(None), int, float, str, bool)):
            return cls(ValueType.ConstantValue, "", value)
        make = cls.create_variable_value
        if isinstance(value, tuple):
            return cls(ValueType.TupleValue, "", tuple(make(item) for item in value))
        if isinstance(value, list):
            return cls(ValueType.ListValue, "", [make(item) for item in value])
        if isinstance(value, dict):
            return cls(ValueType.DictValue, "", {make(key): make(item) for key, item in value.items()})
        return cls(ValueType.CustomObjValue, "", value)

    @classmethod
    def create_naming_value(cls, name, scope=""):
        """The ScopedValue of a name; TypeError where name or scope is no str."""
        check("name", name, str, "scoped_value")
        check("scope", scope, str, "scoped_value")
        return cls(ValueType.NamingValue, scope, name)

    @staticmethod
    def create_name_values(names, scopes=None):
        """A list of ScopedValues of names, each with its scope. ValueError where there are not as many scopes."""
        check("names", names, (list, tuple), "scoped_value")
        if scopes is not None and len(scopes) != len(names):
            raise ValueError("[scoped_value] number of scopes, got %d, expected %d" % (len(scopes), len(names)))
        return [ScopedValue.create_naming_value(name, scope) for name, scope in zip(names, scopes or [""] * len(names))]

    @classmethod
    def of(cls, expression):
        """The ScopedValue of a piece of syntax."""
        if isinstance(expression, ast.Name):
            return cls(ValueType.NamingValue, "", expression.id)
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            return cls(ValueType.NamingValue, expression.value.id, expression.attr)
        try:
            found = cls.create_variable_value(ast.literal_eval(expression))
        except (ValueError, TypeError, SyntaxError, RecursionError):
            found = None
        plain = found is not None and found.type is not ValueType.CustomObjValue
        return found if plain else cls(ValueType.UnsupportedValue, "", expression)

    def expression(self):
        """The value as syntax. TypeError for an object, which has none."""
        if self.type is ValueType.NamingValue:
            return name_expression(str(self))
        if self.type is ValueType.UnsupportedValue:
            return self.value
        if self.type is ValueType.CustomObjValue:
            raise TypeError("[scoped_value] value, got an object of %s, expected a name, a number, a text or a container of them"
                            % type(self.value).__name__)
        return ast.parse(repr(self._plain()), mode="eval").body

    def _plain(self):
        if self.type is ValueType.DictValue:
            return {key._plain(): item._plain() for key, item in self.value.items()}
        if self.type in (ValueType.TupleValue, ValueType.ListValue):
            return type(self.value)(item._plain() for item in self.value)
        if self.type is not ValueType.ConstantValue:
            raise TypeError("[scoped_value] item of a container, got %s, expected a constant" % (self,))
        return self.value

    def __str__(self):
        if self.type is ValueType.NamingValue:
            return "%s.%s" % (self.scope, self.value) if self.scope else str(self.value)
        return text_of(self.value) if self.type is ValueType.UnsupportedValue else str(self.value)

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, ScopedValue) and (self.type, self.scope, self.value) == (other.type, other.scope, other.value)

    def __hash__(self):
        return hash((self.type, self.scope, str(self.value)))
