"""Tables of MindSpore's compiler that packages change: what stands for Python's operators and functions in its graphs.

Here captured functions run Python's own, which ask the objects they meet, so what a program puts into the tables changes nothing.
"""
from ...ops import composite, function, multitype_ops
from . import trope

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "getitem": "getitem", "setitem": "setitem", "floordiv": "floordiv",
    "mod": "mod", "pow": "pow_", "lshift": "left_shift", "rshift": "right_shift", "and_": "bitwise_and", "or_": "bitwise_or",
    "xor": "bitwise_xor", "pos": "uadd", "neg": "negative", "invert": "invert", "not_": "logical_not", "eq": "equal",
    "ne": "not_equal", "lt": "less", "gt": "greater", "le": "less_equal", "ge": "greater_equal", "contains": "in_",
    "not_contains": "not_in_",
}
convert_object_map = {getattr(trope, word): getattr(multitype_ops, name) for word, name in _OPERATORS.items()}
convert_object_map.update({
    trope.matmul: function.matmul, trope.map: composite.Map(), trope.print: function.print_, trope.partial: function.partial,
})
convert_object_map.update((word, word) for word in (
    trope.is_, trope.is_not, trope.abs, trope.round, trope.len, trope.filter, trope.zip, trope.enumerate, trope.isinstance,
    trope.max, trope.min, trope.sum, trope.getattr, trope.hasattr, trope.iter, trope.next, trope.range, trope.mutable))
