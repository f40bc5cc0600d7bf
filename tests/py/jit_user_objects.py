"""More programs of users: data pipelines, networks from descriptions, the object system. See jit_user_programs.py."""
import abc
import collections
import contextlib
import enum
import functools
import itertools

import numpy as np

import msjit as ms
from jit_user_programs import T, program
from msjit import Tensor, nn, ops

# -- metrics, pipelines -------------------------------------------------------------------------------------------


class Metric(abc.ABC):
    def __init__(self):
        self.reset()

    def reset(self):
        self.total, self.count = 0.0, 0

    @abc.abstractmethod
    def score(self, x, y):
        ...

    def update(self, x, y):
        self.total = self.total + self.score(x, y)
        self.count += x.shape[0]
        return self

    @property
    def value(self):
        return self.total / max(self.count, 1)


class Accuracy(Metric):
    def score(self, x, y):
        return (ops.argmax(x, 1) == y).astype(ms.float32).sum()


class AbsoluteError(Metric):
    def score(self, x, y):
        return ops.abs(x.max(axis=1) - y).sum()


@program(lambda v: ({"acc": Accuracy(), "mae": AbsoluteError()}, [T(4, 3, seed=v), T(4, 3, seed=v + 1)],
                    Tensor(np.array([0, 1, 2, 1], np.int32))))
def metrics(table, batches, labels):
    for batch in batches:
        for metric in table.values():
            metric.update(batch, labels)
    results = {name: metric.value for name, metric in sorted(table.items())}
    for metric in table.values():
        metric.reset()
    return results


def batches_of(data, size):
    for start in range(0, data.shape[0], size):
        yield data[start:start + size]


def augment(batches, *steps):
    for batch in batches:
        for step in steps:
            batch = step(batch)
        yield batch


def flip_rows(x):
    return x[::-1]


def shift(amount):
    def apply(x):
        return x + amount
    return apply


@program(lambda v: (T(7, 3, seed=v), 3))
def pipeline(data, size):
    seen = []
    for i, batch in enumerate(augment(batches_of(data, size), flip_rows, shift(1.0), lambda x: x * 2)):
        if i == 2:
            continue
        seen.append(batch.sum())
    return sum(seen), len(seen)


@program(lambda v: (T(6, 2, seed=v), [3, 1, 2]), breaks=4)
def itertools_pipeline(x, lengths):
    ends = list(itertools.accumulate(lengths))
    starts = [0] + ends[:-1]
    parts = [x[a:b] for a, b in zip(starts, ends)]
    pairs = [(a * 1.0).sum() * b.sum() for a, b in itertools.combinations(parts, 2)]
    flat = list(itertools.chain.from_iterable([[p, -p] for p in pairs]))
    first = list(itertools.islice(itertools.cycle(["a", "b"]), 3))
    groups = {k: list(g) for k, g in itertools.groupby(sorted(lengths), key=lambda n: n % 2)}
    return functools.reduce(lambda a, b: a + b, flat), first, groups


@program(lambda v: (T(4, 4, seed=v), {"flip", "scale"}))
def augmentation(image, wanted):
    known = {"flip": lambda t: ops.flip(t, (1,)), "scale": lambda t: t * 0.5, "crop": lambda t: t[1:3, 1:3]}
    unknown = wanted - set(known)
    for name, step in known.items():
        if name in wanted:
            image = step(image)
    return image, sorted(unknown), len(wanted & {"flip"})


# -- networks from descriptions -----------------------------------------------------------------------------------


class Tree:
    __slots__ = ("value", "children")

    def __init__(self, value=None, children=()):
        self.value, self.children = value, list(children)


def tree(v):
    return Tree(children=[Tree(T(3, seed=v)), Tree(children=[Tree(T(3, seed=v + 1)), Tree(T(3, seed=v + 2))])])


@program(lambda v: (tree(v), T(3, 3, seed=1)))
def tree_net(root, weight):
    def encode(node, depth=0):
        if node.value is not None:
            return node.value, depth
        coded = [encode(child, depth + 1) for child in node.children]
        total = sum(value for value, _ in coded)
        return ops.tanh(ops.matmul(total, weight)), max(d for _, d in coded)
    return encode(root)


class Norm(enum.Enum):
    NONE = "none"
    LAYER = "layer"


class Mode(enum.IntEnum):
    TRAIN = 1
    EVAL = 2


REGISTRY = {}
WEIGHTS = {3: T(3, 3, seed=3)}


def register(name, **options):
    def add(cls):
        REGISTRY[name] = (cls, options)
        return cls
    return add


class Layer:
    def __init__(self, width, norm=Norm.NONE):
        self.weight, self.norm = WEIGHTS[width], norm

    def __call__(self, x, mode=Mode.EVAL):
        x = self.forward(ops.matmul(x, self.weight))
        if self.norm is Norm.LAYER:
            x = (x - x.mean(axis=-1, keep_dims=True)) / 2.0
        return x * (1.0 if mode == Mode.EVAL else 0.5)

    def forward(self, x):
        raise NotImplementedError


@register("relu")
class ReluLayer(Layer):
    def forward(self, x):
        return ops.relu(x)


@register("scaled", factor=3.0)
class ScaledLayer(Layer):
    factor = 1.0

    def forward(self, x):
        return x * self.factor


@program(lambda v: (T(2, 3, seed=v), [("relu", Norm.LAYER), ("scaled", Norm.NONE)], Mode.TRAIN))
def registry(x, names, mode):
    for name, norm in names:
        cls, options = REGISTRY[name]
        layer = cls(3, norm=norm)
        for key, value in options.items():
            setattr(layer, key, value)
        x = layer(x, mode=mode)
        if norm in (Norm.LAYER,):
            x = x + len(norm.name)
    return x, Norm("none"), Norm["LAYER"], [n.value for n in Norm], Mode.TRAIN < Mode.EVAL, mode + 1


class Residual(nn.Cell):
    def __init__(self, channels, stride=1, norm="batch"):
        super().__init__()
        self.stride = stride
        self.conv = nn.Conv2d(channels, channels, 3, stride=stride, pad_mode="same", weight_init=T(channels, channels, 3, 3, seed=stride))
        self.norm = nn.BatchNorm2d(channels) if norm == "batch" else None

    def construct(self, x):
        out = self.conv(x)
        if self.norm is not None:
            out = self.norm(out)
        if self.stride != 1:
            x = x[:, :, ::self.stride, ::self.stride]
        return ops.relu(out + x)


RESNET = {"stages": [dict(channels=2), dict(channels=2, stride=2, norm=None)], "head": "mean"}
STAGES = nn.CellList([Residual(**options) for options in RESNET["stages"]])


@program(lambda v: (T(1, 2, 6, 6, seed=v),))
def resnet(x):
    for i, stage in enumerate(STAGES):
        x = stage(x)
        if i == len(STAGES) - 1 and RESNET.get("head") == "mean":
            x = x.mean(axis=(2, 3))
    return x


EXPERTS = [T(3, 3, seed=i) for i in range(3)]


@program(lambda v: (T(4, 3, seed=v), [0, 2, 1, 0]))
def experts(x, routes):
    groups = collections.defaultdict(list)
    for token, route in enumerate(routes):
        groups[route].append(token)
    outputs = [None] * len(routes)
    for route, tokens in sorted(groups.items()):
        mixed = ops.matmul(x[tokens], EXPERTS[route])
        for row, token in enumerate(tokens):
            outputs[token] = mixed[row] if route else mixed[row] * 0.5
    assert all(o is not None for o in outputs), "token without an expert"
    return ops.stack(outputs)


@program(lambda v: (T(4, 3, seed=v), T(3, 3, seed=1)), breaks=0)
def gated(x, gate):
    score = ops.matmul(x, gate).mean()
    if score > 0 and x.shape[0] > 2:
        y = x * score
    elif score < -5 or x.ndim == 3:
        y = x - score
    else:
        y = x + gate.sum()
    return y


# -- objects ------------------------------------------------------------------------------------------------------


class Config:
    def __init__(self, **values):
        self._values = dict(values)
        self._reads = 0

    def __getattr__(self, name):
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __contains__(self, name):
        return name in self._values

    @property
    def scale(self):
        return self.base * self.gain

    @scale.setter
    def scale(self, value):
        self._values["gain"] = value / self.base


@program(lambda v: (T(3, seed=v), Config(base=2.0, gain=1.5, act="tanh")))
def config_object(x, config):
    x = getattr(ops, config.act)(x * config.scale)
    config.scale = 6.0
    return x + config.scale, "act" in config, hasattr(config, "missing"), getattr(config, "missing", 1)


class AttrDict(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


@program(lambda v: (T(3, seed=v), AttrDict(lr=0.1, steps=2)), breaks=7)
def attribute_dict(x, options):
    for _ in range(options.steps):
        x = x - options["lr"] * x
    options.last = 1
    return x, options.get("nope", 3), len(options)


class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "_target", target)

    def __getattr__(self, name):
        return getattr(self._target, name)

    def __setattr__(self, name, value):
        setattr(self._target, name, value)

    def __call__(self, *args, **kwargs):
        return self._target(*args, **kwargs)


@program(lambda v: (T(2, 3, seed=v), Proxy(ReluLayer(3))))
def proxy(x, layer):
    layer.norm = Norm.LAYER
    return layer(x) + layer.weight.sum(), layer.norm


class LoggingMixin:
    def note(self, *what):
        self.__dict__.setdefault("notes", []).append(what)


class SaveMixin:
    version = 1

    def state(self):
        return {k: v for k, v in vars(self).items() if not k.startswith("_")}

    def note(self, *what):
        super().note("save", *what)


class Model(SaveMixin, LoggingMixin):
    def __init__(self, w):
        self.w, self._hidden = w, 1

    def __call__(self, x):
        self.note("call", x.shape)
        return x * self.w

    def __repr__(self):
        return "%s(v%d)" % (type(self).__name__, self.version)


@program(lambda v: (Model(T(3, seed=1)), T(2, 3, seed=v)))
def mixins(model, x):
    y = model(x)
    return y, sorted(model.state()), str(model), isinstance(model, LoggingMixin)


def scaled_by(factor, *, bias=0.0):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            return fn(*args, **kwargs) * factor + bias
        inner.factor = factor
        return inner
    return wrap


@scaled_by(2.0, bias=1.0)
def decorated(x, power=2):
    return x ** power


@program(lambda v: (T(3, seed=v),))
def decorators(x):
    return decorated(x) + decorated(x, power=3), decorated.__name__, decorated.factor


def make_counter():
    count = 0

    def step(x):
        nonlocal count
        count += 1
        return x * count

    def total():
        return count
    return step, total


@program(lambda v: (T(3, seed=v),))
def closures(x):
    step, total = make_counter()
    powers = [lambda t, n=n: t ** n for n in (1, 2)]
    for f in (step, step, *powers, functools.partial(ops.mul, x), ops.tanh):
        x = f(x)
    return x, total()


@contextlib.contextmanager
def scope(names, name):
    names.append(name)
    try:
        yield "/".join(names)
    finally:
        names.pop()


class Timer:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("start")
        return self

    def __exit__(self, kind, value, trace):
        self.log.append("failed" if kind else "stop")
        return kind is KeyError


@program(lambda v: (T(3, seed=v), [], []))
def scopes(x, names, log):
    with scope(names, "a") as a, Timer(log):
        x = x * 2
        with scope(names, "b") as b:
            x = x + len(b)
    with Timer(log):
        x = x + {}["missing"]
    with contextlib.suppress(ValueError):
        raise ValueError("no")
    with contextlib.nullcontext(3) as three:
        return x * three, a, b


@program(lambda v: (T(3, seed=v), []), breaks=4)
def scope_with_error(x, names):
    try:
        with scope(names, "a"):
            x = x * 2
            raise RuntimeError("inside")
    except RuntimeError as e:
        return x + 1, str(e), names


class Vector:
    def __init__(self, *parts):
        self.parts = parts

    def __add__(self, other):
        return Vector(*(a + b for a, b in zip(self.parts, other.parts)))

    def __mul__(self, k):
        return type(self)(*[p * k for p in self.parts])

    __rmul__ = __mul__

    def __getitem__(self, i):
        return self.parts[i]

    def __len__(self):
        return len(self.parts)

    def __iter__(self):
        return iter(self.parts)

    def __eq__(self, other):
        return isinstance(other, Vector) and len(self) == len(other)

    def dot(self, other):
        return sum((a * b).sum() for a, b in zip(self, other))


@program(lambda v: (T(3, seed=v), T(3, seed=v + 1)))
def operators(a, b):
    v = Vector(a, b) + 2 * Vector(b, a)
    first, *rest = v
    return v.dot(v), first, len(rest), v == Vector(a, b), v[-1]


@program(lambda v: (T(2, 3, seed=v), []))
def dispatch_on_type(x, log):
    def combine(value):
        if isinstance(value, Tensor):
            return value.sum()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        if isinstance(value, dict):
            return sum(combine(v) for _, v in sorted(value.items()))
        if isinstance(value, (list, tuple)):
            return sum(map(combine, value), 0)
        log.append(type(value).__name__)
        return 0
    return combine({"b": [x, 1, (2.5, x * 2)], "a": {"c": None, "d": "text"}}), log


@program(lambda v: (T(2, 6, seed=v),))
def shapes_in_python(x):
    b, n = x.shape
    heads = 3 if n % 3 == 0 else 1
    x = x.reshape((b, heads, -1)).transpose(1, 0, 2)
    pad = -x.shape[-1] % 4
    if pad:
        x = ops.concat([x, ops.zeros(x.shape[:-1] + (pad,), x.dtype)], axis=-1)
    flat = functools.reduce(lambda a, c: a * c, x.shape, 1)
    return x.reshape(flat), f"{x.shape} {x.dtype} {flat:,}", x.ndim * len(x)


EPOCH = 0
BEST = None


@program(lambda v: (T(3, seed=v), globals().update(EPOCH=0, BEST=None)))
def module_state(x, _):
    global EPOCH, BEST
    import math
    from collections import namedtuple
    EPOCH += 1
    if BEST is None or EPOCH > 1:
        BEST = x * math.pi
    return BEST + EPOCH, namedtuple is collections.namedtuple
