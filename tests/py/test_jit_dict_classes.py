"""Instances of classes derived from dict and OrderedDict: configurations that are read, outputs that are made."""
import collections
from dataclasses import dataclass, fields

import numpy as np
import pytest

pytest.importorskip("msjit._msjit")
import msjit as ms
from jit_same import captured, same
from msjit import Tensor

pytestmark = pytest.mark.jit
X = Tensor(np.float32([[1, -2, 3]]))


class Config(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value


class Aliased(dict):
    """A dict whose attribute reads and stores go to its items."""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Doubling(dict):
    def __getitem__(self, key):
        return 2 * super().__getitem__(key)

    def __missing__(self, key):
        return 100


class Counted(dict):
    def __missing__(self, key):
        return len(key)


class Loud(collections.OrderedDict):
    """Stores twice what it is given."""

    def __setitem__(self, key, value):
        super().__setitem__(key, 2 * value)


class Output(collections.OrderedDict):
    """As the outputs of language models are: fields that are not None are also items."""

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else self.to_tuple()[key]

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)

    def __setattr__(self, name, value):
        if name in self.keys() and value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)

    def to_tuple(self):
        return tuple(self[key] for key in self.keys())


@dataclass
class Logits(Output):
    loss: object = None
    logits: object = None
    hidden: object = None


# ---- what is read ---------------------------------------------------------------------------------------------------
def attribute(x, c):
    return x * c.scale + c["shift"]


def default(x, c):
    return x * c.get("scale", 5) + getattr(c, "shift", 7)


def membership(x, c):
    return x * len(c) + (1 if "scale" in c else 0) + (2 if c else 3)


def walked(x, c):
    for key, value in c.items():
        x = x * value + len(key)
    return x, list(c), tuple(c.values()), [key for key in c.keys()]


def spread(x, c):
    def scaled(y, scale=1, shift=0, **more):
        return y * scale + shift, sorted(more)
    return scaled(x, **c), {**c, "x": 1}, dict(c), dict(c, y=2)


def missing(x, c):
    try:
        return x * c["nothing"]
    except KeyError as error:
        return x + 1, error.args


def kinds(x, c):
    return x + isinstance(c, dict), type(c).__name__


READERS = [attribute, default, membership, walked, spread, missing, kinds]
CONFIGS = [dict(scale=2.0, shift=1), dict(shift=1, scale=2.0), dict(scale=3.0, shift=1), dict(scale=2.0, shift=1, more=4), {}]


@pytest.mark.parametrize("cls", [Config, Aliased, Doubling, Counted, Loud, collections.Counter])
@pytest.mark.parametrize("fn", READERS)
def test_read(fn, cls):
    same(fn, lambda i: (X, cls(CONFIGS[i])), (0, 0, 1, 2, 3, 3, 4, 0))


@pytest.mark.parametrize("fn", READERS)
def test_read_whole(fn):
    captured(fn, lambda _: (X, Config(CONFIGS[3])))


GLOBAL = Config(scale=2.0)


def of_global(x):
    return x * GLOBAL.scale + (GLOBAL["shift"] if "shift" in GLOBAL else 0)


def test_changed_between_calls():
    jitted, x = ms.jit(of_global, mode="PIJit"), Tensor(np.float32([1]))
    for change, want in [(None, 2), (("scale", 3), 3), (("shift", 1), 4), (("shift", 2), 5), ("shift", 3), ("scale", None)]:
        if isinstance(change, tuple):
            GLOBAL[change[0]] = change[1]
        elif change:
            del GLOBAL[change]
        for _ in range(3):
            if want is None:
                with pytest.raises(AttributeError, match="scale"):
                    jitted(x)
            else:
                assert jitted(x).tolist() == [want]


def test_the_class_is_changed():
    class Own(dict):
        def factor(self):
            return self["a"]
    own, x = Own(a=2), Tensor(np.float32([1]))

    def f(x):
        return x * own.factor() + own["a"]
    jitted = ms.jit(f, mode="PIJit")
    assert [jitted(x).tolist() for _ in range(3)] == [[4]] * 3
    Own.__getitem__ = lambda self, key: 10
    assert [jitted(x).tolist() for _ in range(3)] == [[20]] * 3
    Own.factor = lambda self: 1
    assert [jitted(x).tolist() for _ in range(3)] == [[11]] * 3
    del Own.__getitem__
    assert [jitted(x).tolist() for _ in range(3)] == [[3]] * 3


# ---- what the program's own instances are told -----------------------------------------------------------------------
def stored(x, c):
    c["scale"] = x.shape[1]
    return x * c["scale"], c


def stored_attribute(x, c):
    c.scale = 4
    c.fresh = x
    return x * c.scale, c


def removed(x, c):
    y = x * c.pop("scale", 3)
    c.update(a=1)
    c.setdefault("b", 2)
    return y, c


def two_names(x, c, d):
    c["scale"] = 9
    return x * d["scale"], c is d


@pytest.mark.parametrize("cls", [Config, Aliased, Doubling, Loud, Output])
@pytest.mark.parametrize("fn", [stored, stored_attribute, removed])
def test_write(fn, cls):
    same(fn, lambda i: (X, cls(CONFIGS[i])), (0, 0, 1, 3, 4))


def test_two_names():
    def arguments(i):
        c = Config(scale=2)
        return X, c, c if i else Config(scale=2)
    same(two_names, arguments, (0, 1, 0, 1, 1))


@pytest.mark.parametrize("cls", [Config, Aliased, Output])
def test_write_whole(cls):
    for fn in (stored, removed) if cls is not Output else (stored,):
        captured(fn, lambda _: (X, cls(CONFIGS[0])))


def both_dicts(x, c):
    c["a"] = 1
    c.note = 2
    return x + c["a"], dict(vars(c)), list(c.__dict__), c


def test_items_and_attributes_are_apart():
    class Plain(dict):
        pass
    same(both_dicts, lambda _: (X, Plain(b=5)))


class Tally(collections.Counter):
    """A Counter with an attribute and an end."""


def tallied(x, c):
    for word in ("a", "b", "a"):
        c[word] += 1
    if "c" in c:
        del c["c"]
    c.seen = len(c)
    return x * c["a"] + c["nothing"], c, c.seen


@pytest.mark.parametrize("start", [{}, {"a": 5, "c": 1}, {"c": 1, "b": 2, "a": 3}])
def test_counters(start):
    same(tallied, lambda i: (X, Tally(start)))
    captured(tallied, lambda i: (X, Tally(start)))


def test_a_counter_that_goes_on():
    def f(x, c):
        c["step"] += 1
        return x * c["step"]
    jitted, own, plain, x = ms.jit(f, mode="PIJit"), collections.Counter(), collections.Counter(), Tensor(np.float32([1]))
    for i in range(8):
        assert jitted(x, own).tolist() == f(x, plain).tolist() and own == plain
        if i == 5:
            own["other"] = plain["other"] = 1


def test_a_finalizer_of_an_item_runs_where_it_is_replaced():
    class Ends:
        def __init__(self, log):
            self.log = log

        def __del__(self):
            self.log.append("died")

    def f(x, c, log):
        c["v"] = x
        log.append("mid")
        return x + 1
    jitted = ms.jit(f, mode="PIJit")
    for held in (False, True, False, True):
        log = []
        jitted(X, Config(v=Ends(log) if held else 1), log)
        assert log == (["died"] if held else []) + ["mid"]


# ---- what is made ----------------------------------------------------------------------------------------------------
def make_config(x):
    c = Config(scale=2, shift=x)
    c.more = c.scale + 1
    c["last"] = x * c.more
    del c["shift"]
    return c


def make_loud(x):
    c = Loud(a=x, b=3)
    c.update({"c": x + 1})
    c["a"] = x * 2
    c.note = "attribute"
    return c, c["a"] + c["b"], list(c)


def make_ordered(x):
    c = Output(a=x, b=2)
    c.move_to_end("a") if hasattr(c, "missing") else None
    return c


def make_output(x):
    out = Logits(logits=x * 2, hidden=(x, x + 1))
    assert out[0] is out.logits and out["hidden"][1] is out.hidden[1]
    out.loss = out.logits.sum()
    return out, len(out), out.to_tuple()


def make_output_in_parts(x):
    inner = Logits(logits=x + 1)
    return Logits(loss=x.sum(), logits=inner.logits, hidden=inner)


def make_counted(x):
    c = Counted()
    c["a"] = x
    return c["a"] * c["longer"], c, bool(Counted()), bool(c)


def make_and_change(x):
    class_of = Config
    c = class_of([("a", 1), ("b", 2)], c=3)
    first, c["b"] = c.pop("a"), x
    last = c.popitem()
    c.setdefault("d", first)
    c.setdefault("b", 10)
    return c, last, c.copy(), Config(c)


def make_plain(x):
    class Plain(dict):
        pass
    p = Plain(a=x)
    p.note = 1
    return p["a"] * p.note, sorted(p)


def views(x):
    c = Config(a=x, b=2)
    return c.keys(), iter(c), c.items()


@pytest.mark.parametrize("fn", [make_config, make_loud, make_ordered, make_output, make_output_in_parts, make_counted,
                                make_and_change, make_plain])
def test_make(fn):
    same(fn, lambda _: (X,))


@pytest.mark.parametrize("fn", [make_config, make_loud, make_output, make_output_in_parts, make_counted])
def test_make_whole(fn):
    captured(fn, lambda _: (X,))


def test_what_is_made_is_of_its_class():
    jitted = ms.jit(make_output, mode="PIJit")
    for _ in range(3):
        out, count, parts = jitted(X)
        assert type(out) is Logits and count == 2 and list(out) == ["logits", "hidden"]
        assert out.logits is out["logits"] is parts[0] and vars(out)["loss"] is out.loss


def test_views_leave():
    jitted = ms.jit(views, mode="PIJit")
    for _ in range(3):
        keys, iterator, items = jitted(X)
        assert list(keys) == list(iterator) == ["a", "b"] and dict(items)["b"] == 2


def test_in_arms():
    def f(x):
        c = Config(a=1)
        if x.sum() > 0:
            c["a"] = 2
            x = x * 2
        return x * c["a"], c
    same(f, lambda i: (X if i else X - 10,), (0, 1, 0, 1))


def test_an_ordered_dict_that_lists_less_than_it_has():
    class Own(collections.OrderedDict):
        pass

    def f(x, c):
        return x * c["a"], "b" in c, list(c)

    def arguments(_):
        c = Own(a=2)
        dict.__setitem__(c, "b", 3)
        return X, c
    same(f, arguments)


def test_its_own_dict():
    class Own(dict):
        def __init__(self, **items):
            super().__init__(**items)
            self.__dict__ = self

    def f(x):
        c = Own(a=x)
        c.b = 2
        return c.a * c["b"], list(c)
    same(f, lambda _: (X,))
    same(lambda x, c: (x * c.a, len(c)), lambda i: (X, Own(a=i)), (1, 2, 1))


def test_finalizers_run_as_without():
    log = []

    class Own(dict):
        def __del__(self):
            log.append("gone")

    def f(x):
        c = Own(a=x)
        y = c["a"] * 2
        del c
        log.append("end")
        return y
    jitted = ms.jit(f, mode="PIJit")
    for _ in range(3):
        del log[:]
        jitted(X)
        assert log == ["gone", "end"]


# ---- instances that are the dict of an object ------------------------------------------------------------------------
class OwnDict(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.__dict__ = self


class Bare:
    pass


def dict_of(i):
    """A dict and an object. If i is even, the dict is the object's __dict__."""
    table, b = Counted(lr=1), Bare()
    if i % 2:
        b.lr = 2
    else:
        b.__dict__ = table
    return X, table, b


def attribute_then_item(x, c):
    c.lr = 3
    return x + c["lr"], len(c), dict(c)


def item_then_attribute(x, c):
    c["lr"] = 4
    return x + c.lr, len(c), dict(c)


def item_of_the_other(x, c, b):
    c["lr"] = 7
    return x + b.lr, dict(c)


def attribute_of_the_other(x, c, b):
    b.lr = 8
    return x + c["lr"], dict(c)


@pytest.mark.parametrize("fn", [attribute_then_item, item_then_attribute])
def test_own_dict(fn):
    same(fn, lambda _: (X, OwnDict(lr=1, b=2)))


@pytest.mark.parametrize("order", [(0, 0, 1, 1, 0), (1, 1, 0, 1)])
@pytest.mark.parametrize("fn", [item_of_the_other, attribute_of_the_other])
def test_dict_of_another(fn, order):
    same(fn, dict_of, order)
