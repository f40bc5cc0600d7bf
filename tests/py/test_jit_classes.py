"""Calls, classes, descriptors and operators of user classes in captured code."""
import collections
import dataclasses
import enum
import functools
import sys
import time
import typing

import pytest

import msjit as ms
from jit_programs import Programs, assert_same, breaks_of, x22
from msjit import _msjit, ops

pytestmark = pytest.mark.jit

programs = Programs()


class Point:
    scale = 2.0

    def __init__(self, a, b=1.0):
        self.a = a
        self.b = b

    def sum(self):
        return self.a * self.scale + self.b

    @property
    def product(self):
        return self.a * self.b

    @product.setter
    def product(self, value):
        self.a, self.b = value, 1.0

    @classmethod
    def make(cls, a):
        return cls(a, 3.0)

    @staticmethod
    def twice(a):
        return a * 2


class Scaled(Point):
    def __init__(self, a, b=1.0, factor=2.0):
        super().__init__(a, b)
        self.factor = factor

    def sum(self):
        return super().sum() * self.factor + super(Scaled, self).product

    @classmethod
    def make(cls, a):
        made = super().make(a)
        made.factor = 7.0
        return made


@programs.add(x22)
def temporary_instance(x):
    return Point(x, 3.0).sum() + Scaled(x).sum()


@programs.add(x22)
def instance_escapes(x):
    p = Point(x + 1)
    p.extra = [x, p.a]
    return p, p.sum()


@programs.add(x22)
def instances_refer_to_each_other(x):
    p, q = Point(x), Point(x * 2)
    p.other, q.other = q, p
    p.items = [p, q, (q, p)]
    p.me = p
    return p.items, q


@programs.add(x22)
def class_and_static_methods(x):
    return Point.make(x).sum(), Scaled.make(x).sum(), Scaled.twice(x), Point(x).make(x + 1).b, Scaled.make(x)


@programs.add(x22)
def bound_and_unbound(x):
    p = Point(x)
    f = p.sum
    return f(), Point.sum(p), f.__self__ is p, f.__func__ is Point.sum


@programs.add(x22, lambda: Point(2.0))
def properties(x, p):
    p.product = x + 1
    q = Point(3.0)
    q.product = 4.0
    return p.product, q.product, p.a is p.product


@programs.add(x22, lambda: Point(2.0))
def attributes_of_an_argument(x, p):
    p.a = p.a + x
    p.new = p
    del p.b
    return hasattr_free(p)


def hasattr_free(p):
    return getattr(p, "b", 5.0), getattr(p, "missing", None), getattr(p, "sca" + "le")


@programs.add(x22)
def deleted_attributes(x):
    p = Point(x * 2)
    del p.b
    p.c = 1
    p.b = 2
    return p


class Slots:
    __slots__ = ("a", "b", "__dict__")

    def __init__(self, a):
        self.a = a


class OnlySlots:
    __slots__ = ["a", "b"]

    def __init__(self, a, b):
        self.a, self.b = a, b


@programs.add(x22, lambda: OnlySlots(1.0, 2.0))
def slots(x, s):
    s.a = x + s.b
    t = OnlySlots(s.a, x)
    u = Slots(x)
    u.other = s.b
    return t.a * t.b, t, u


class Loud:
    """Hooks of every attribute access."""

    def __init__(self):
        object.__setattr__(self, "log", [])
        self.plain = 1.0

    def __getattr__(self, name):
        if name.startswith("auto_"):
            return len(name)
        raise AttributeError(name)

    def __setattr__(self, name, value):
        self.log.append(name)
        super().__setattr__(name, value)


@programs.add(x22, Loud)
def attribute_hooks(x, loud):
    loud.x = x
    made = Loud()
    made.y = loud.auto_abc
    return loud.x * made.y + made.auto_d, made, getattr(made, "nothing", "default")


class Watched:
    def __init__(self):
        self.count = 0

    def __getattribute__(self, name):
        if name == "magic":
            return 42
        return super().__getattribute__(name)


@programs.add(x22, Watched)
def getattribute_hook(x, w):
    w.count = w.count + 1
    return x * w.magic + w.count


class Clamped:
    """A data descriptor."""

    def __init__(self, low):
        self.low = low

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return getattr(instance, self.name, self.low)

    def __set__(self, instance, value):
        setattr_plain(instance, self.name, value if value > self.low else self.low)


def setattr_plain(instance, name, value):
    object.__setattr__(instance, name, value)


class NonData:
    def __get__(self, instance, owner):
        return (instance, owner)


class Described:
    level = Clamped(1)
    both = NonData()


@programs.add(x22, Described)
def descriptors(x, d):
    d.level = 5
    e = Described()
    e.level = -1
    return x * d.level + e.level, d.both[0] is d, Described.both[1] is Described, Described.level.low, d, e


class Vector:
    def __init__(self, *values):
        self.values = values

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(*[a + b for a, b in zip(self.values, other.values)])

    def __radd__(self, other):
        return Vector(*[other + a for a in self.values])

    def __mul__(self, factor):
        return Vector(*[a * factor for a in self.values])

    __rmul__ = __mul__

    def __imul__(self, factor):
        self.values = tuple([a * factor for a in self.values])
        return self

    def __neg__(self):
        return Vector(*[-a for a in self.values])

    def __invert__(self):
        return "inverted"

    def __matmul__(self, other):
        return sum([a * b for a, b in zip(self.values, other.values)])

    def __eq__(self, other):
        return isinstance(other, Vector) and len(self) == len(other)

    def __lt__(self, other):
        return len(self) < len(other)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]

    def __setitem__(self, index, value):
        values = list(self.values)
        values[index] = value
        self.values = tuple(values)

    def __delitem__(self, index):
        self.values = self.values[:index] + self.values[index + 1:]

    def __contains__(self, value):
        return any([v is value for v in self.values])

    def __call__(self, x, scale=1.0):
        return x * len(self) * scale

    def __iter__(self):
        return iter(self.values)

    def __str__(self):
        return "vector of " + str(len(self))


class Longer(Vector):
    def __radd__(self, other):
        return "longer"

    def __gt__(self, other):
        return "gt of longer"


@programs.add(x22)
def operators(x):
    v = Vector(x, x * 2)
    w = v + v * 2 + 1.0 * v
    w *= 3.0
    u = x + v
    return w, -w, ~w, v @ w, u[0], u[1]


@programs.add(x22)
def reflected_operators(x):
    v, longer = Vector(x), Longer(x)
    return v + longer, 1 + v, longer + v, v < longer, longer < v, v > longer


@programs.add(x22)
def comparisons(x):
    v, w = Vector(x), Vector(x + 1)
    p, q = Point(1), Point(1)
    return v == w, v != w, v == 3, 3 == v, p == q, p != q, p == p, p is q, p != p, "p" == p, v < Vector(1, 2)


@programs.add(x22)
def containers_of_their_own(x):
    v = Vector(x, 2, 3)
    v[1] = x
    del v[2]
    return len(v), v[0] is v[1], x in v, v(x, scale=2.0), list(v), str(v), f"{v}", [a for a in v]


class Truthy:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return self.value > 0


@programs.add(x22, lambda: Truthy(1))
def truth(x, t):
    if t and not Truthy(-1):
        x = x + 1
    while Vector():
        x = x * 100
    return (x if Point(1) else None), bool_free(Truthy(0)), Vector() or "empty"


def bool_free(t):
    return not t


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


@programs.add(x22, lambda: Countdown(4))
def user_iterators(x, c):
    for i in c:
        x = x + i
        if i == 1:
            break
    for i in Countdown(3):
        x = x * (i + 1)
    else:
        x = x - 1
    return x, c.n, list(Countdown(3)), next(Countdown(1)), next(Countdown(0), "none")


@dataclasses.dataclass
class Config:
    width: int
    rate: float = 0.5
    items: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.double = self.width * 2


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object
    b: int = 2


@dataclasses.dataclass(order=True)
class Ordered:
    key: int
    name: str = ""


@programs.add(x22, lambda: Config(3))
def dataclass_instances(x, config):
    made = Config(4, items=[x])
    made.items.append(config.width)
    config.rate = 0.25
    f = Frozen(x)
    return x * made.double * config.rate, made, f, f.a is x, Config(1) is Config(1)


@programs.add(x22, whole=False)
def ordered_dataclasses(x):
    return x * (Ordered(1, "b") < Ordered(2, "a")), Ordered(1, "a") == Ordered(1, "a"), Ordered(3) >= Ordered(4)


class WithNew:
    made = 0

    def __new__(cls, x):
        self = super().__new__(cls)
        self.from_new = x
        return self

    def __init__(self, x):
        self.from_init = x


class Other:
    def __new__(cls, x):
        return [x]

    def __init__(self, x):
        raise ValueError("not called")


@programs.add(x22)
def user_new(x):
    w = WithNew(x + 1)
    return w.from_new * 2, w, Other(x), object() is object()


@programs.add(x22)
def types_of_instances(x):
    p = Scaled(x)
    return (type(p) is Scaled, isinstance(p, Point), isinstance(p, (int, str)), p.__class__ is Scaled, type(p)(x).sum(),
            callable(p), callable(Vector(x)))


exec("""
def defaults(a, {}b, c=3, *rest, d, e=5, **options):
    return a * b + c + len(rest) + d + e + len(options)
""".format("/, " if sys.version_info >= (3, 8) else ""))


@programs.add(x22)
def argument_kinds(x):
    return defaults(x, 1, d=2), defaults(x, b=2, d=1), defaults(x, 1, 2, 3, 4, d=1, e=0, f=1, g=7)  # noqa: F821


@programs.add(x22, whole=False)
def wrong_arguments(x):
    x = x + 1
    return defaults(x, b=1)  # noqa: F821


def scaled_by(factor):
    def decorate(fn):
        def wrapper(*args, **keywords):
            return fn(*args, **keywords) * factor
        return wrapper
    return decorate


@scaled_by(3.0)
def decorated(x, y=1.0):
    return x + y


@programs.add(x22)
def decorators(x):
    @scaled_by(2.0)
    def local(z):
        return z - 1

    return decorated(x, y=2.0), local(x)


@programs.add(x22)
def shared_cells(x):
    total = x

    def add(y):
        nonlocal total
        total = total + y
        return lambda: total

    first = add(1)
    second = add(2)
    return first() + second(), total


@programs.add(x22)
def recursion(x):
    def power(y, n):
        return y if n == 0 else power(y * x, n - 1)

    return power(x, 5)


@programs.add(x22)
def recursion_too_deep_to_inline(x):
    def count(y, n):
        return y if n == 0 else count(y + 1, n - 1)

    return count(x, 3), sum([count(x, n) for n in range(3)])


class Abstract(metaclass=type):
    pass


class Finalized:
    def __init__(self, log):
        self.log = log

    def __del__(self):
        self.log.append("deleted")


@programs.add(x22, list, whole=False)
def finalizers_run_in_time(x, log):
    Finalized(log)
    log.append("between")
    Finalized(log)
    return x * 2


@programs.add(x22, whole=False)
def missing_attribute(x):
    p = Point(x)
    y = p.sum()
    return p.nothing + y


@programs.add(x22, whole=False)
def frozen_dataclass_refuses(x):
    f = Frozen(x + 1)
    f.a = 2
    return f


@programs.add(x22, whole=False)
def unsupported_operands(x):
    return Point(x + 1) + 1


@programs.add(x22, whole=False)
def break_in_a_method(x):
    class Printer:
        def __init__(self, y):
            self.y = y * 2
            print("made")

        def show(self):
            z = self.y + 1
            print("shown", z.shape)
            return z * 2

    p = Printer(x + 1)
    return p.show() + x


@programs.add(x22)
def partial_objects(x):
    def scaled(a, b, c=1.0, *, d=0.0):
        return a * b + c + d

    p = functools.partial(scaled, x, c=2.0)
    q = functools.partial(scaled, x, 3.0)
    return p(2.0), p(2.0, c=3.0, d=1.0), q(d=2.0), q.args[1], q.func is scaled


HALF = functools.partial(defaults, b=2)  # noqa: F821


@programs.add(x22)
def partial_object_of_the_module(x):
    return HALF(x, d=1), HALF.keywords["b"]


Pair = collections.namedtuple("Pair", "first second")


class Typed(typing.NamedTuple):
    a: object
    b: int = 3

    @property
    def double(self):
        return self.a * 2

    def scaled(self):
        return self.a * self.b


# 3.7: fields of named tuples are properties over operator.itemgetter, and classes of enumerations have no version to guard.
SINCE_38 = sys.version_info >= (3, 8)


@programs.add(x22, lambda: Pair(x22(), 2.0), whole=SINCE_38)
def named_tuples(x, pair):
    p, t = Pair(x, second=pair.second), Typed(x + 1)
    first, second = p
    return (p, t, t.double, t.scaled(), p[0] is x, len(p), p + (1,), isinstance(p, tuple), type(p) is Pair, first * second,
            [v for v in pair], tuple(pair) is pair, pair, Pair._make([1, x]), p._fields)


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2.5

    @property
    def factor(self):
        return self.value * 2

    def slower(self):
        return self is Mode.SLOW


@programs.add(x22, lambda: Mode.SLOW, whole=SINCE_38)
def enum_members(x, mode):
    if mode is Mode.SLOW:
        x = x * mode.value
    if mode == Mode.FAST:
        x = x * 100
    return x + Mode.FAST.factor, mode.slower(), mode.name, Mode.FAST, mode is Mode.FAST


class Account:
    """Decorated methods, class attributes and a cached result."""
    rate = 0.5
    made = []

    @scaled_by(2.0)
    def interest(self, x):
        return x * self.rate

    @property
    def cached(self):
        if getattr(self, "_cached", None) is None:
            self._cached = 5.0
        return self._cached


@programs.add(x22, Account)
def decorated_methods(x, account):
    account.rate = account.rate + 1
    return account.interest(x) + account.cached + account.cached, Account.rate


test_same, test_one_region = programs.tests()


def test_class_changes_are_seen():
    class Local:
        def __init__(self, v):
            self.v = v

        def get(self):
            return self.v * 2

    def f(x):
        return Local(x).get()

    jitted = assert_same(f, x22)
    Local.get = lambda self: self.v * 3
    assert jitted(x22()).asnumpy().tolist() == f(x22()).asnumpy().tolist()
    Local.__init__ = lambda self, v: setattr(self, "v", v + 1)
    assert jitted(x22()).asnumpy().tolist() == f(x22()).asnumpy().tolist()
    Local.__getattribute__ = lambda self, name: (lambda: ops.zeros((2, 2)))
    assert jitted(x22()).asnumpy().tolist() == f(x22()).asnumpy().tolist()


def test_slot_changes_are_seen():
    s = OnlySlots(1.0, 2.0)

    def f(x):
        return x * s.a

    jitted = assert_same(f, x22)
    s.a = 5.0
    assert jitted(x22()).asnumpy().tolist() == f(x22()).asnumpy().tolist()
    del s.a
    with pytest.raises(AttributeError, match="a"):
        jitted(x22())


@pytest.mark.captures
def test_a_break_in_a_method_keeps_the_regions_around_it():
    def f(x):
        x = x * 2 + 1
        p = Point(x)
        x = noisy(p) * 3
        return x - 1

    def noisy(p):
        y = p.sum() + 1
        time.time()
        return y * 2

    _msjit.reset()
    jitted = ms.jit(f, mode="PIJit")
    for _ in range(3):
        jitted(x22())
    assert [b["reason"] for b in breaks_of(f)] == ["call_unknown"]
    ran = {r["name"]: r["regions"] for r in _msjit.explain_json() if r["regions"]}
    assert len(ran["f"]) == 2 and len(ran["noisy"]) == 2
