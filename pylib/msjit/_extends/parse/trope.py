"""The names that MindSpore's compiler has for what Python does: keys of `resources.convert_object_map`."""
from builtins import (  # noqa: F401
    abs,
    bool,
    enumerate,
    filter,
    getattr,
    hasattr,
    isinstance,
    iter,
    len,
    list,
    map,
    max,
    min,
    next,
    pow,
    print,
    range,
    round,
    setattr,
    sum,
    tuple,
    zip,
)
from functools import partial  # noqa: F401
from operator import (  # noqa: F401
    add,
    and_,
    contains,
    eq,
    floordiv,
    ge,
    getitem,
    gt,
    invert,
    is_,
    is_not,
    le,
    lshift,
    lt,
    matmul,
    mod,
    mul,
    ne,
    neg,
    not_,
    or_,
    pos,
    rshift,
    setitem,
    sub,
    truediv,
    xor,
)

from ...common.tensor import mutable  # noqa: F401
from ...ops.composite import (  # noqa: F401
    augassign_add,
    augassign_div,
    augassign_floordiv,
    augassign_mod,
    augassign_mul,
    augassign_sub,
)

_WORDS = "MakeTuple make_dict make_list make_slice make_range switch hasnext to_array not_contains bool_".split()
__all__ = [name for name in dir() if name[0] != "_"]


def _word(name):
    def word(*args):
        raise RuntimeError("[%s] the name of a step of the compiler, which is not called" % name)
    word.__name__ = word.__qualname__ = name
    word.__doc__ = "The name of a step of the compiler."
    return word


globals().update((_name, _word(_name)) for _name in _WORDS)
