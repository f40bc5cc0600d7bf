"""inspect.signature and what it rests on in captured code: parts of functions, mappingproxy objects, bound methods of builtin classes."""
import functools
import inspect
import sys
import types

import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same, same_after
from msjit import Tensor, nn

pytestmark = pytest.mark.jit
SINCE_38 = sys.version_info >= (3, 8)  # classes of metaclasses, as enumerations are, have no version before


def x3(_=0):
    return [Tensor(np.float32([1, 2, 3]))]


def plain(a, b: int = 3, *args, c, d: float = 2.0, **kw) -> int:
    return a


def deco(f):
    @functools.wraps(f)
    def inner(*a, **k):
        return f(*a, **k)
    return inner


@deco
def wrapped(x, y=1):
    return x


class Scheduler:
    def step(self, x, t, eta=0.0, generator=None):
        return x * (1 + eta) + t

    @classmethod
    def make(cls, name, *, size=3):
        return cls()

    @staticmethod
    def free(a, b):
        return a

    def __call__(self, sample, scale: "float" = 1.0):
        return sample


class Net(nn.Cell):
    def construct(self, x, mask=None, output_hidden_states=False):
        return x * 2


scheduler, net, part = Scheduler(), Net(), functools.partial(plain, 1, c=3)


def step_arguments(x):
    extra = {}
    if "eta" in set(inspect.signature(scheduler.step).parameters.keys()):
        extra["eta"] = 0.5
    if "variance" in inspect.signature(scheduler.step).parameters:
        extra["variance"] = 1
    return scheduler.step(x, 1, **extra), list(extra)


def chosen_inputs(x):
    given = {"x": x, "mask": None, "labels": 3}
    names = inspect.signature(net.construct).parameters
    kept = {k: v for k, v in given.items() if k in names}
    return kept["x"] + len(names), sorted(kept)


def required(x):
    sig = inspect.signature(plain)
    return x * len(sig.parameters), [p.name for p in sig.parameters.values()
                                     if p.kind == p.POSITIONAL_OR_KEYWORD and p.default is p.empty]


def all_of_one(x):
    sig = inspect.signature(plain)
    rows = [(p.name, p.kind == p.KEYWORD_ONLY, p.default is inspect.Parameter.empty, p.annotation) for p in sig.parameters.values()]
    return x + 1, rows, sig.return_annotation, str(sig), sig.parameters["b"].default, sig.parameters.get("none", 7)


def kinds(x):
    def local(a, b=2, *, c: int = 3):
        return a
    found = [list(inspect.signature(f).parameters) for f in (wrapped, part, local, Scheduler.make, Scheduler.free, Scheduler.step,
                                                              lambda q, *r: q)]
    return x + len(found), found, local.__defaults__, local.__kwdefaults__, local.__annotations__


def of_objects(x):
    found = [list(inspect.signature(f).parameters) for f in (scheduler, net, Scheduler, Net, len, nn.Dense)]
    return x + len(found), found


def bound(x):
    given = inspect.signature(plain).bind(1, 2, c=4)
    given.apply_defaults()
    return x + given.arguments["b"], dict(given.arguments), given.args, given.kwargs


def parts(x):
    code = plain.__code__
    return (x * 2, code.co_varnames[:code.co_argcount], plain.__annotations__["b"], plain.__defaults__, plain.__kwdefaults__, wrapped.__doc__,
            inspect.isfunction(plain), inspect.ismethod(scheduler.step), inspect.isclass(Net), callable(plain), wrapped.__wrapped__.__name__)


def full_spec(x):
    spec = inspect.getfullargspec(plain)
    return x + len(spec.args), spec.args, spec.varargs, spec.varkw, spec.defaults, spec.kwonlyargs, spec.kwonlydefaults, spec.annotations


def missing_argument(x):
    y = x + 1
    try:
        inspect.signature(wrapped).bind()
    except TypeError as error:
        return y, str(error)
    return y


def wrong_in_the_middle(x):
    y = x + 1
    return y, inspect.signature(3)


def returned(x):
    sig = inspect.signature(wrapped)
    return x + 1, str(sig), sig.parameters, sig.parameters["y"].name


def proxies(x):
    d = {"a": 1, "b": 2}
    p = types.MappingProxyType(d)
    d["c"] = 3
    return x + p["a"], len(p), "c" in p, list(p), list(p.keys()), sum(p.values()), dict(p.items()), p.get("z", 5), p.copy(), bool(p), p, dict(p), {**p}, dict(**p)


def proxy_errors(x):
    p, seen = types.MappingProxyType({"a": 1}), []
    try:
        p["z"]
    except KeyError as error:
        seen.append(str(error))
    try:
        p["a"] = 2
    except TypeError as error:
        seen.append(str(error))
    return x + 1, seen


COUNT = 1


def by_globals(x):
    plain.__globals__["COUNT"] = COUNT + 1
    seen = COUNT
    plain.__globals__["COUNT"] = 1
    return x * 2, seen, COUNT, sorted(k for k in Scheduler.__dict__ if not k.startswith("_"))


def no_keys(x):
    return x + 1, types.MappingProxyType({"a": 1})["b"]


PROGRAMS = [step_arguments, chosen_inputs, required, all_of_one, kinds, of_objects, bound, parts, full_spec, missing_argument, wrong_in_the_middle, proxies,
            proxy_errors, by_globals, no_keys]


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__ for p in PROGRAMS])
def test_as_in_python(program):
    same(program, x3)


@pytest.mark.captures
@pytest.mark.skipif(not SINCE_38, reason="enumerations")
@pytest.mark.parametrize("program", [step_arguments, chosen_inputs, required, all_of_one, bound, parts, full_spec, missing_argument, proxies] +
                         # before, inspect compares a partial object by ==; later it makes a set of an IntEnum's members
                         [kinds] * ((3, 10) <= sys.version_info < (3, 14)),
                         ids=lambda p: p.__name__)
def test_is_captured(program):
    captured(program, x3)


def test_a_signature_may_leave_the_region():
    jitted = ms.jit(returned, mode="PIJit")
    rows = [jitted(*x3()) for _ in range(3)]
    assert {(r[1], tuple(r[2]), r[3]) for r in rows} == {("(x, y=1)", ("x", "y"), "y")}
    assert all(type(r[2]) is types.MappingProxyType and r[2]["y"].default == 1 for r in rows)
    assert rows[1][2] is not rows[2][2]
    with pytest.raises(TypeError):
        rows[2][2]["z"] = 1


SETUP = """
import functools, inspect, types
def f(a, b: int = 3, *, c=1, d: float = 2.0): return a
def g(x, y): return x
class C:
    def step(self, a, eta=0.0): return a
    def other(self, q): return q
o = C()
p = functools.partial(f, 1)
d = {"a": 1}
proxy = types.MappingProxyType(d)
"""


def text_of(name):
    return "(x + len(inspect.signature(%s).parameters), str(inspect.signature(%s)))" % (name, name)


def test_functions_that_change():
    same_after(SETUP, text_of("f"), [
        "f.__defaults__ = (5,)", "f.__defaults__ = None", "f.__defaults__ = (7, 8)", "f.__kwdefaults__ = {'c': 4}", "f.__kwdefaults__['d'] = 9",
        "f.__kwdefaults__ = None", "f.__annotations__['b'] = str", "del f.__annotations__['b']", "f.__annotations__ = {'a': list}", "f.__wrapped__ = g",
        "g.__defaults__ = (1,)", "del f.__wrapped__", "f.__signature__ = inspect.signature(g)", "f.__signature__ = None", "del f.__signature__",
        "f.__code__ = g.__code__", "f = g"])


def test_methods_that_change():
    same_after(SETUP, text_of("o.step"), ["C.step.__defaults__ = (1,)", "C.step = C.other", "o.step = g", "del o.step", "o = C()",
                                          "C.step = functools.partial(f, 2)"])


def test_partials_that_change():
    same_after(SETUP, text_of("p"), ["f.__defaults__ = (1,)", "p = functools.partial(f, 1, 2)", "p = functools.partial(f, c=7)", "p = functools.partial(g)"])


def test_parts_that_change():
    same_after(SETUP, "(x, f.__defaults__, f.__kwdefaults__, f.__doc__, f.__module__)", [
        "f.__defaults__ = None", "f.__defaults__ = (1, 2)", "f.__kwdefaults__ = None", "f.__kwdefaults__ = {'c': 2}", "f.__doc__ = 'text'",
        "f.__doc__ = None", "f.__module__ = None", "f.__module__ = 'm'"])
    same_after(SETUP, "(x, dict(f.__annotations__), len(f.__annotations__))", [
        "f.__annotations__ = {}", "f.__annotations__['z'] = 3", "f.__annotations__ = {'z': 4}", "f = g", "g.__annotations__['k'] = int"])


def test_proxies_that_change():
    same_after(SETUP, "(x * len(proxy), list(proxy.items()), 'b' in proxy, proxy.get('a'))", [
        "d['b'] = 2", "d['a'] = 5", "d.clear()", "proxy = types.MappingProxyType({'a': 9, 'b': 1})", "proxy = {'a': 9}"])


def test_classes_that_change():
    same_after(SETUP, "(x, 'step' in C.__dict__, 'new' in C.__dict__, len(C.__mro__), C.__mro__[0].__name__)", [
        "C.new = 1", "del C.step", "C.__name__ = 'D'", "C = type('E', (C,), {})"])


def test_the_limit_of_recursion():
    before = sys.getrecursionlimit()
    try:
        same_after("import sys", "(x, sys.getrecursionlimit())", ["sys.setrecursionlimit(sys.getrecursionlimit() + 10)"])
    finally:
        sys.setrecursionlimit(before)


def test_bound_methods_of_builtin_classes():
    setup = """
items, other, table, text = [3, 1], [9], {"a": 1, "b": 0}, "text"
class L(list):
    def append(self, v): list.append(self, v * 2)
derived = L()
take = table.get
add = items.append
member = frozenset(["a", "b"]).__contains__
"""
    same_after(setup, "(x, take('a'), take('c'), sorted(table, key=table.get), sorted(table, key=table.__getitem__), member('a'), member('z'))", [
        "table['c'] = -1", "take = {'a': 5}.get", "take = table.pop if 'c' in table else take", "member = table.__contains__", "member = 'abc'.__contains__"])
    same_after(setup, "(x, add(len(items)), list(items), list(other), list(derived))", [
        "add = other.append", "add = derived.append", "add = items.extend if False else items.append", "add = super(L, derived).append"])


def test_frozensets_that_change():
    setup = "names = frozenset('k%d' % i for i in range(30))"
    same_after(setup, "(x, 'k3' in names, 'z' in names, len(names))", ["names = frozenset('k%d' % i for i in range(4))", "names = frozenset('z%d' % i for i in range(30))",
                                                                      "names = names | {'z'}"])
