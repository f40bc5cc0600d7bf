"""Programs in the strict language of PSJit, one or more for each row of its tables: `ROWS`, (name, function or a maker of a
Cell, maker of the arguments)."""
import collections
import enum
import functools
import math
import sys

import numpy as np

import msjit as ms
from msjit import Parameter, Tensor, mutable, nn, ops
from msjit.ops import operations as P

ROWS = []
GLOBAL_LIST = [1, 2.5]


def x23():
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def just_x():
    return (x23(),)


def row(name, make=just_x, since=(3, 7)):
    def add(program):
        if sys.version_info >= since:
            ROWS.append((name, program, make))
        return program
    return add


def int32(value):
    return Tensor(value, ms.int32)


# -- data types -----------------------------------------------------------------------------------------------------------


@row("constants", lambda: (x23(), 2, (1, 2), [1, 2], {"a": 1}))
def constants(x, n, t, items, table):
    return x * n + t[0] + items[1] + table["a"], ops.zeros((2, 3), ms.float32) + Tensor([1., 2., 3.]) + x


@row("constants of other modules")
def foreign_constants(x):
    return x * math.pi, math.inf, np.pi + x, sys.maxsize


class Colour(enum.Enum):
    RED = 2


@row("members of an enumeration", lambda: (x23(), Colour.RED), since=(3, 11))
def enumerations(x, colour):
    return x * colour.value, colour.name, Colour.RED.value, colour == Colour.RED


@row("variables: mutable", lambda: (x23(), mutable(3), mutable([x23(), x23()])))
def variables(x, n, items):
    return x * n + items[0], n + 1


@row("numbers of variables, returned", lambda: (x23(), int32([7]), Tensor(True)))
def numbers_returned(x, i, b):
    return (int(x[0, 1]), float(x.sum()), bool(x.max() > 2), int(i), float(i), bool(i), int(b), float(b), bool(b),
            i.item(), b.item(), x.sum().item(), 3, 2.5, True, x + 1)


@row("numbers of variables, in arithmetic", lambda: (x23(), int32(3), Tensor([2, 5], ms.int64)))
def numbers_computed(x, i, wide):
    total = float(x.sum())
    return x * total + total, x / int(i), int(i) - wide, x.max().item() - x


Point = collections.namedtuple("Point", "x y")


@row("namedtuple, made", lambda: (x23(), 2), since=(3, 8))  # up to 3.7 its class is made from a text
def named_tuples(x, n):
    p = Point(x + 1, y=n)
    return p.x * p.y, p


@row("str")
def texts(x):
    s = "ab" + "c" * 2
    if "a" in s and s[0] == "a" and s[1:] == "bcc" and "z" not in s:
        x = x + 1
    return x, "%s-%d" % (s, 3), "{}:{}".format(s, 1), str(5), s[-1], s


@row("list: create, nest, change", lambda: (x23(), [5, 6]))
def lists(x, given):
    items = [1, x, [2, x * 2], given[0]]
    items.append(4)
    items.extend([5])
    items.insert(0, x + 1)
    last = items.pop(3)
    items.reverse()
    items[0] = 7
    items.append([])
    items[-1].append(3)
    empty = [1]
    empty.clear()
    return items, last, items[1:3], items[2], empty, GLOBAL_LIST[1] + x


@row("list: index and store of several levels")
def nested_lists(x):
    items = [[1, 2], [x, [x + 1, 5]]]
    items[1][1][0] = x * 7
    items[0][-1] += 3
    return items[1][1][0], items[0][1], items[-1][0], items


@row("list: store to a constant slice")
def slice_store(x):
    items = [1, 2, 3]
    items[0:2] = [x + 1, 8, 9]
    return items


@row("list: *= on one with other names")
def list_times(x):
    items, texts = [x + 1], "ab"
    same = items
    items *= 2
    texts *= 2
    return items, same, texts


@row("list: the global one")
def global_list(x):
    y = x + GLOBAL_LIST[0]
    return y, GLOBAL_LIST


@row("list: of the caller, changed in place", lambda: (x23(), [1, 2], [3, 4]))
def list_effects(x, a, b):
    a.extend([x + 1])
    a.insert(0, 9)
    b.pop()
    b.reverse()
    return a, b[0]


@row("list: index by a tensor", lambda: (x23(), int32(1), int32([-1])))
def list_by_tensor(x, i, j):
    items = [x, x + 1, x * 2]
    return items[i], items[j]


@row("tuple", lambda: (x23(), (4, (5, x23()))))
def tuples(x, given):
    t = (x, 1) + (2,)
    a, (b, c) = given
    return t * 2, t[1:], t[-1], 2 * t[1:], a + b, c + x


@row("tuple: index by a tensor", lambda: (x23(), int32(0), int32(-2)))
def tuple_by_tensor(x, i, j):
    return (x, x + 1)[i] * 2, (x, x + 1)[j]


class Switch(nn.Cell):
    """A tuple of Cells indexed by a tensor: MindSpore's switch layer."""

    def __init__(self):
        super().__init__()
        self.layers = (nn.Dense(3, 3, weight_init="ones", has_bias=False), nn.Tanh(), nn.ReLU())

    def construct(self, x, i):
        return self.layers[i](x - 1) * 2


ROWS.append(("tuple: of Cells, index by a tensor", Switch, lambda: (x23(), int32(1))))
ROWS.append(("tuple: of Cells, index below 0", Switch, lambda: (x23(), int32(-3))))


class SwitchList(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])

    def construct(self, x, i):
        return self.layers[i](x - 2) * 2


ROWS.append(("CellList: index by a tensor", SwitchList, lambda: (x23(), int32(1))))


@row("dict")
def dicts(x):
    d = {"a": x, 1: 2, (1, 2): 3}
    d["b"] = 4
    d.update({"c": 5})
    e = dict.fromkeys((1, "k"), x)
    total = d["a"] + d.get("zz", 1) + len(d.keys()) + e[1]
    keys, values = [k for k in d.keys()], list(d.values())
    pairs = [(k, v) for k, v in d.items()]
    e.clear()
    return total, "a" in d, keys, values, pairs, e, len(e.keys()), dict.fromkeys(["z"])


@row("dict: returned and changed", lambda: (x23(), {"n": 1}))
def dict_effects(x, given):
    given["x"] = x + 1
    return {"a": x * 2, "n": given["n"]}


@row("dict: a method that Python's dict lacks")
def dict_has_key(x):
    y = x + 1
    return y, {"a": 1}.has_key("a")  # noqa: W601


@row("None", lambda: (x23(), None))
def nones(x, given=None):
    y = None
    if given is None and y is None:
        return x[None], None, x[0:None]
    return x


@row("Tensor: made inside, methods")
def tensors(x):
    return (ms.tensor([1, 2, 3]) + x, Tensor([[1.0]]) * x, Tensor([[1.0]], None) * x, Tensor([2], dtype=None) + x, Tensor(3, ms.float32) + x, x.astype(ms.int32),
            x.reshape(3, 2), x.T, x.transpose(1, 0), x.max(), x.mean(axis=0), x.expand_dims(0),
            x.sum(axis=1, keepdims=True), x.argmax(), x.flatten(), x.abs(), x.shape, x.ndim, x.size, x.dtype)


@row("Tensor: item store")
def tensor_items(x):
    z = x + 0
    z[0] = 5
    z[1, 1] = 7
    return z


@row("Primitive: made inside")
def primitives(x):
    return P.Add()(x, x), P.ReduceSum(keep_dims=True)(x, 1), P.Concat(1)((x, x)), P.ReLU()(x - 2), P.Cast()(x, ms.int32)


@row("Cell: made inside with positional arguments")
def cells_inside(x):
    relu = nn.ReLU()
    return relu(x - 2) + nn.LeakyReLU(0.5)(x - 3)


class Members(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((2, 3), np.float32)), name="w")
        self.scale = 2
        self.act = nn.Tanh()

    def part(self, x):
        return self.act(x) * self.scale

    def construct(self, x):
        return self.part(x) + self.w


class Stores(nn.Cell):
    """`self.x = value` where x is a Parameter."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((2, 3), np.float32)), name="w")
        self.count = Parameter(Tensor(0.0), name="count")

    def construct(self, x):
        self.w = x * 2
        self.count += 1
        for i in range(3):
            self.count = self.count + i
        return x + self.w * self.count


ROWS.append(("attribute store: Parameters", Stores, just_x))
ROWS.append(("Cell: members through self", Members, just_x))


class Inner(nn.Cell):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def construct(self, x):
        return x * self.n


@row("Cell: a class of one's own, made inside")
def own_cell_inside(x):
    return Inner(3)(x) + 1


@ms.jit_class
class Holder:
    def __init__(self, v):
        self.v = v

    def scaled(self, x):
        return x * self.v

    def __call__(self, x):
        return x - self.v

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None


HOLDER = Holder(3)


@row("custom class with jit_class")
def jit_classes(x):
    made = Holder(2)
    return HOLDER.scaled(x) + made.scaled(x), HOLDER(x), HOLDER.v, made.v + 1



@row("annotation comment")
def annotated(x):
    y = x + 1  # @jit.typing: () -> tensor_type[float32]
    return y


# -- statements -----------------------------------------------------------------------------------------------------------


@row("raise, not reached")
def raises_not(x):
    if x.shape[0] == 5:
        raise ValueError("five rows")
    return x + 1


@row("raise, reached", lambda: (x23() + 1,))
def raises(x):
    y = x + 1
    if y.shape[0] == 2:
        raise ValueError("two rows")
    return y


@row("assert and pass")
def asserts(x):
    assert x.shape[0] == 2, "rows"
    pass
    return x + 1


@row("return, several")
def returns(x):
    if x.sum() > 100:
        return x
    elif x.sum() > 1:
        return x + 1
    return x * 2


@row("break and continue")
def jumps(x):
    for i in range(5):
        if i == 3:
            break
        if i == 1:
            continue
        x = x + i
    for i in range(5):
        if x.sum() > 30:
            break
        x = x + i
    return x


@row("if, elif, else")
def branches(x):
    if x.sum() > 100:
        y = x + 1
    elif x.max() > 4:
        y = x * 2
    else:
        y = x
    if x.shape[0] == 2:
        y = y - 1
    return y


@row("conditional expression")
def conditional(x):
    return (x if x.sum() > 30 else x + 1), (1 if x.ndim == 2 else 2)


@row("for over tuple, list, range, zip, dict, tensor")
def fors(x):
    for a, b in zip([1, 2], (3, 4)):
        x = x + a * b
    for _ in {"a": 1}:
        x = x + 1
    for i, v in enumerate([1, 2]):
        x = x + i * v
    for r in x:
        x = x + r
    return x


@row("while")
def whiles(x):
    n = 0
    while n < 3:
        x = x + n
        n += 1
    while x.sum() < 100:
        x = x * 2
    return x


@row("with")
def withs(x):
    with Holder(2) as c:
        x = c.scaled(x)
    return x


@row("def, lambda, partial")
def inner_functions(x):
    def g(a, b=2):
        return a * b
    h = lambda v: v + 1  # noqa: E731
    p = functools.partial(g, b=5)
    return g(x) + h(x) + p(x)


@row("comprehensions")
def comprehensions(x):
    return ([x + i for i in range(3) if i != 1], {k: x * 2 for k in ("a", "b")}, tuple(v * 2 for v in (x, 1)),
            sum(i for i in (1, 2)))


@row("parameters: defaults, *args, keywords", lambda: (x23(), 1, 2))
def parameters(x, *args, **more):
    def inner(*args, b=1, **more):
        return args[0] + b + more["c"]

    def defaults(v, i=1, f=0.5, b=True, n=None, s="s", t=(1,), items=[2], table={"k": 3}):  # noqa: B006
        return v + i + f + b + t[0] + items[0] + table["k"] + len(s)
    return inner(x, b=2, c=3), defaults(x), defaults(x, i=args[0]), len(more), args


@row("augmented assignment rebinds", lambda: (x23(), [x23()]))
def rebinds(x, kept):
    y = x
    y += 1
    z = kept[0]
    z *= 2
    return x, y, kept[0]


# -- builtins and operators -----------------------------------------------------------------------------------------------


@row("builtin functions")
def builtins_of(x):
    items = [x, x + 1]
    return (len(x), isinstance(x, Tensor), isinstance(1, (int, str)), all([True, 1]), any([0]), round(2.6), max(1, 2),
            min([3, 1]), sum([1, 2]), abs(x), abs(-2), list(map(lambda v: v + 1, items)), list(zip([1], [2])),
            list(range(3)), list(enumerate([5])), pow(2, 3), list(filter(lambda v: v > 1, [1, 2])), str(1), tuple([1]),
            dict(a=1), getattr(x, "sha" + "pe"), hasattr(x, "foo"), int("3"), float("0.5"), bool([]), type(1) == int)  # noqa: E721


class WithSuper(Members):
    def construct(self, x):
        return super().construct(x) + 1


ROWS.append(("builtin super", WithSuper, just_x))


@row("builtin print")
def prints(x):
    print("hello", x.shape, 1)
    print(x + 1)
    return x * 2


@row("operators on numbers, str, list, tuple")
def operators(x):
    return (x + 3 // 2 + 7 % 4 + 2 ** 3, [1] + [2], (1,) * 2, "a" * 2, "a" + "b", 5 & 3, 5 | 3, 5 ^ 3, 1 << 3, 8 >> 1,
            -3, +3, 3 / 2, not 0, not [], [1] * 2, (1,) + (2,))


@row("operators on tensors", lambda: (x23(), Tensor([1, 2], ms.int32)))
def tensor_operators(x, i):
    return (+x, -x, ~(x > 2), x // 2, x % 2, x ** 2, x @ x.T, 2 - x, 1 / (x + 1), x + x, x - x * 2, i & 1, i | 2, i ^ 3)


@row("augmented assignments")
def augmented(x):
    x += 1
    x -= 2
    x *= 3
    x /= 2
    x **= 2
    x %= 5
    x //= 2
    a = 5
    a //= 2
    a **= 2
    a %= 3
    a <<= 1
    a >>= 1
    a |= 4
    a &= 7
    a ^= 1
    return x, a


@row("and, or, not", lambda: (x23(), Tensor([2.0])))
def logic(x, s):
    return x if (s > 1 and s < 3) or not s > 5 else x + 1


@row("not, as a value", lambda: (x23(), Tensor([2.0]), Tensor(True)))
def negations(x, s, flag):
    return not s, not flag, not s > 5, not (), not x.ndim


@row("and, or, not of several elements raise")
def several_truths(x):
    y = x + 1
    return not y


@row("comparisons")
def comparisons(x):
    return (x == x, x != 1, x < 2, x <= 2, x > 1, x >= 1, 1 == 2, "a" == "a", None is None, x.dtype == ms.float32,
            (1, 2) == (1, 2), [1] == [1], None == None, x is not None, None is None)  # noqa: E711


@row("comparisons with what is no number")
def odd_comparisons(x):
    return x + 1, x == None, None != x, x == "a", x != [1], (1,) == x, x == {}, x == len  # noqa: E711


@row("in and not in", lambda: (x23(), Tensor([1.0])))
def memberships(x, t):
    return x + 1, 1 in (1, 2), "a" in ["b"], "k" in {"k": 1}, 3 not in [1], t in [t, 2]


@row("in and not in: values of tensors", lambda: (x23(), int32(2), Tensor([5.0])))
def tensor_memberships(x, i, t):
    if i in (1, 2):
        x = x + 1
    return x, i in (1, 2), i not in [4, 5], t in [t, 3], i in (x[0, 0], x[0, 2]), None in (i, t)


@row("operators on a tensor and a tuple or list")
def sequences(x):
    return x + (1, 2, 3), [1.5, 2, 3] + x, (1, 2, 3) - x, x - [4, 5, 6], x // [1, 2, 3], (1, 2, 3) ** x


@row("* of a tensor and a list raises")
def sequence_times(x):
    return (x + 1) * [1, 2, 3]


@row("/ of a list and a tensor raises")
def sequence_divided(x):
    return [1, 2, 3] / (x + 1)


@row("tensor and None raises")
def none_operand(x):
    return (x + 1) + None


@row("<< on tensors raises", lambda: (Tensor([1, 2], ms.int32),))
def shifts(i):
    return (i + 1) << 2


@row("unary operator on a str raises")
def unary_text(x):
    y = x + 1
    return y, -"a"


@row("call of what is no function raises")
def calls_none(x):
    f = None
    y = x + 1
    return f(y)


@row("builtin functions with wrong arguments raise")
def wrong_arguments(x):
    y = x + 1
    return y, len(5)


@row("builtin functions of tensors", lambda: (x23(), Tensor(3.0), Tensor(2.0)))
def builtins_of_tensors(x, t, u):
    return (pow(x, 2), pow(2, x), pow(t, u), max(t, u), min(t, u), max([t, u, t * 2]), min(x[0]), all(x[1] > 1),
            any(x[0] > 1), all([t > 1, u > 5]), any((t > 5, u > 1)), round(x * 0.3), sum(x), abs(-x))


@row("all and any decide")
def decisions(x):
    if all(x[1] > 1) and not any(x[0] > 5):
        x = x + 1
    return x


@row("builtin print of containers")
def prints_containers(x):
    y = x + 0
    print([x, 1], {"a": (y,)}, y, sep="|")
    y[0] = 7
    print([y])
    return y


@row("augmented assignment @=")
def augmented_matmul(x):
    y = x + 0
    y @= x.T
    return y


@row("**kwargs", lambda: (x23(), 2))
def keywords_forward(x, n, **more):
    def inner(v, **given):
        return v * given["k"] + len(given)
    return inner(x, k=n), inner(x, **{"k": 1, "j": 2}), more


@row("gradients")
def gradients(x):
    return ms.grad(lambda v: (v * v).sum())(x), ms.value_and_grad(lambda v, n: (v * n).sum())(x, 3)[1]


class MakesTensor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = Tensor(np.array([1., 2., 3.], np.float32))

    def construct(self, x):
        return x + self.table


ROWS.append(("Tensor of a NumPy array, made outside", MakesTensor, just_x))


@row("more of the builtin functions")
def more_builtins(x):
    parts = slice(0, 1), slice(None, 2, 2)
    return (x[parts], x[slice(1, None)], parts[1].step, sorted([2, 3, 1], reverse=True), divmod(7, 2), bin(5), hex(10), oct(8), chr(65),
            ord("b"), repr("a"), format(3, "03d"), callable(x), complex(1, 2), complex(1, 2).imag,
            hash((1, "a")), hash(2.5), issubclass(bool, int), issubclass(Plain, (Switch, str)))


@row("annotated assignment")
def annotated_assignment(x):
    n: int = 3
    return x * n


@row("is, of classes, numbers and texts", lambda: (x23(), 3, "a"))
def identities(x, n, text):
    kind = type(x)
    return x * 2, kind is Tensor, kind is ms.Tensor, type(n) is int, type([n]) is not list, kind is None


DEFAULT = Tensor([1., 2., 3.])


@row("a Tensor as the default of a parameter")
def tensor_default(x, more=DEFAULT):
    return x + more


class Plain:
    def __init__(self, v):
        self.v = v

    def times(self, x):
        return x * self.v

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        return None


@row("instances of any class of the program", lambda: (x23(), Plain(2)))
def instances(x, plain):
    with Plain(3) as other:
        x = other.times(x) + plain.times(x)
    plain.v = plain.v + 1
    other.v = 5
    return x * plain.v + other.v


class ReadsItsClass(nn.Cell):
    factor = 2

    def construct(self, x):
        return nn.LeakyReLU(alpha=0.5)(x) * ReadsItsClass.factor


ROWS.append(("attribute of a Cell's class, Cells made with keyword arguments", ReadsItsClass, just_x))
