"""Programs as users write them: layers, training loops, data pipelines, configuration objects. Each is run plainly and under
the JIT by test_jit_user_programs.py, which also holds the number of breaks a run may have."""
import collections
import dataclasses
import math
import typing

import numpy as np

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

PROGRAMS = []


def program(make, breaks=0, exact=True):
    """Decorator that registers a function of the arguments that make(variant) returns. `breaks`: the most kinds of breaks it may have.
    exact=False: the last bits of its sums depend on the order in which a fused kernel adds."""
    def add(fn):
        PROGRAMS.append((fn, make, breaks, exact))
        return fn
    return add


def T(*shape, seed=0, scale=1.0):
    """A tensor of multiples of 1/4. Sums of a few of their products are exact in any order."""
    return Tensor((np.round(np.random.RandomState(seed).randn(*shape) * 4) / 4 * scale).astype(np.float32))


# -- a transformer ------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class BlockConfig:
    width: int = 8
    heads: int = 2
    dropout: float = 0.0
    causal: bool = True
    activation: str = "gelu"


class Attention(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.size = config.width // config.heads
        self.qkv = nn.Dense(config.width, 3 * config.width, weight_init=T(3 * config.width, config.width, seed=1, scale=0.3))
        self.out = nn.Dense(config.width, config.width, weight_init=T(config.width, config.width, seed=2, scale=0.3))

    def split(self, x):
        b, n, _ = x.shape
        return x.reshape(b, n, self.config.heads, self.size).transpose(0, 2, 1, 3)

    def construct(self, x, mask=None, cache=None):
        b, n, w = x.shape
        q, k, v = (self.split(part) for part in ops.split(self.qkv(x), w, axis=-1))
        if cache is not None:
            if "k" in cache:
                k = ops.concat([cache["k"], k], axis=2)
                v = ops.concat([cache["v"], v], axis=2)
            cache["k"], cache["v"] = k, v
        scores = ops.matmul(q, k.transpose(0, 1, 3, 2)) / math.sqrt(self.size)
        if mask is not None:
            scores = scores + (1.0 - mask[:, None, None, :]) * -1e9
        if self.config.causal and n > 1:
            above = ops.triu(ops.ones((n, k.shape[2])), 1 + k.shape[2] - n)
            scores = scores - above * 1e9
        mixed = ops.matmul(ops.softmax(scores, -1), v)
        return self.out(mixed.transpose(0, 2, 1, 3).reshape(b, n, w))


class Block(nn.Cell):
    ACTIVATIONS = {"gelu": ops.gelu, "relu": ops.relu, "tanh": lambda x: ops.tanh(x)}

    def __init__(self, config):
        super().__init__()
        self.norm = nn.LayerNorm((config.width,))
        self.attention = Attention(config)
        self.up = nn.Dense(config.width, 16, weight_init=T(16, config.width, seed=3, scale=0.3))
        self.down = nn.Dense(16, config.width, weight_init=T(config.width, 16, seed=4, scale=0.3))
        self.activation = self.ACTIVATIONS[config.activation]

    def construct(self, x, mask=None, cache=None):
        x = x + self.attention(self.norm(x), mask=mask, cache=cache)
        return x + self.down(self.activation(self.up(x)))


CONFIG = BlockConfig()
BLOCKS = nn.CellList([Block(CONFIG), Block(BlockConfig(activation="tanh"))])


@program(lambda v: (T(2, 4, 8, seed=v), Tensor(np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.float32))))
def transformer(x, mask):
    for block in BLOCKS:
        x = block(x, mask)
    return x.mean(axis=1)


@program(lambda v: (T(1, 3, 8, seed=v), T(1, 1, 8, seed=v + 7)))
def transformer_with_cache(prompt, token):
    caches = [{} for _ in BLOCKS]
    for block, cache in zip(BLOCKS, caches):
        prompt = block(prompt, cache=cache)
    for _ in range(2):
        for block, cache in zip(BLOCKS, caches):
            token = block(token, cache=cache)
    return token, [cache["k"].shape for cache in caches]


# -- recurrent nets -----------------------------------------------------------------------------------------------


class LSTMState(typing.NamedTuple):
    hidden: typing.Any
    cell: typing.Any

    @classmethod
    def zeros(cls, batch, width):
        return cls(ops.zeros((batch, width), ms.float32), ops.zeros((batch, width), ms.float32))


def lstm_cell(x, state, weight):
    gates = ops.matmul(ops.concat([x, state.hidden], axis=1), weight)
    i, f, g, o = ops.split(gates, 4, axis=1)
    cell = ops.sigmoid(f) * state.cell + ops.sigmoid(i) * ops.tanh(g)
    return state._replace(hidden=ops.sigmoid(o) * ops.tanh(cell), cell=cell)


@program(lambda v: (T(5, 2, 3, seed=v), T(7, 16, seed=9, scale=0.4)))
def lstm(xs, weight):
    state, outputs = LSTMState.zeros(2, 4), []
    for x in xs:
        state = lstm_cell(x, state, weight)
        outputs.append(state.hidden)
    return ops.stack(outputs), state


@program(lambda v: (T(3, 2, 4, seed=v), {"fw": T(4, 4, seed=1), "bw": T(4, 4, seed=2)}))
def bidirectional(xs, weights):
    states = {name: ops.zeros((2, 4), ms.float32) for name in weights}
    history = collections.defaultdict(list)
    for step in range(xs.shape[0]):
        for name, position in (("fw", step), ("bw", xs.shape[0] - 1 - step)):
            states[name] = ops.tanh(xs[position] + ops.matmul(states[name], weights[name]))
            history[name].append(states[name])
    history["bw"].reverse()
    return [ops.concat(pair, axis=-1) for pair in zip(history["fw"], history["bw"])], dict(history)


# -- decoding -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(order=True)
class Beam:
    score: float
    tokens: list = dataclasses.field(compare=False, default_factory=list)

    def extended(self, token, score):
        return Beam(self.score + score, self.tokens + [token])


@program(lambda v: (T(4, 5, seed=v), 2))
def beam_search_in_tensors(logits, width):
    scores = ops.log_softmax(logits, -1)
    best, tokens = ops.topk(scores[0], width)
    for step in range(1, logits.shape[0]):
        every = ops.expand_dims(best, 1) + scores[step]
        best, flat = ops.topk(every.reshape(-1), width)
        tokens = flat % logits.shape[1] + tokens * 0
    return best, tokens


@program(lambda v: (T(4, 5, seed=v), 2), breaks=1)
def beam_search_in_python(logits, width):
    table = ops.log_softmax(logits, -1).tolist()
    beams = [Beam(0.0)]
    for row in table:
        grown = [beam.extended(token, score) for beam in beams for token, score in enumerate(row)]
        beams = sorted(grown, reverse=True)[:width]
    best = max(beams)
    return logits.sum() * 2, best.tokens, len(beams)


@program(lambda v: (T(3, 6, seed=v), ["<s>"]))
def greedy_names(logits, words):
    names = ["a", "b", "c", "d", "e", "f"]
    shape = "x".join(str(d) for d in logits.shape)
    words.extend("%s:%s" % (name, shape) for name in names[:logits.shape[0]])
    return ops.argmax(logits, -1), " ".join(words), f"{len(words):>4d}|{words[0]!r}"


# -- training by hand ---------------------------------------------------------------------------------------------


class SGDByHand:
    def __init__(self, params, lr=0.1, momentum=0.9):
        self.params, self.lr, self.momentum = list(params), lr, momentum
        self.velocity = {p.name: ops.zeros_like(p) for p in self.params}
        self.steps = 0

    def update(self, grads):
        self.steps += 1
        fresh = []
        for p, g in zip(self.params, grads):
            v = self.velocity[p.name] * self.momentum - self.lr * g
            self.velocity[p.name] = v
            fresh.append(p + v)
        return fresh


def make_optimizer(v):
    return SGDByHand([Parameter(T(3, 2, seed=1), name="w"), Parameter(T(2, seed=2), name="b")])


@program(lambda v: (make_optimizer(v), T(4, 3, seed=v), T(4, 2, seed=5)))
def optimizer_by_hand(optimizer, x, y):
    w, b = optimizer.params
    for _ in range(3):
        error = ops.matmul(x, w) + b - y
        grads = [ops.matmul(x.T, error) / x.shape[0], error.mean(axis=0)]
        w, b = optimizer.params = optimizer.update(grads)
        for p, name in zip(optimizer.params, ("w", "b")):
            p_name = name
            optimizer.velocity.setdefault(p_name, p)
        break
    return w, b, optimizer.steps


@program(lambda v: ({"w": T(3, 3, seed=v), "b": T(3, seed=2)}, {"w": T(3, 3, seed=4), "b": T(3, seed=5)}, 0.99))
def ema(params, shadow, decay):
    return {name: shadow[name] * decay + value * (1 - decay) for name, value in params.items()}


@program(lambda v: (T(4, 3, seed=v), T(3, 1, seed=1)), breaks=2)
def gradient_step(x, w):
    def loss(w):
        return ((ops.matmul(x, w) - 1.0) ** 2).mean()

    value, grad = ms.value_and_grad(loss)(w)
    return value, w - 0.1 * grad


class GAN:
    def __init__(self):
        self.generator = T(2, 4, seed=1)
        self.critic = T(4, 1, seed=2)
        self.log = {"g": [], "d": []}

    def fake(self, z):
        return ops.tanh(z @ self.generator)

    def score(self, x):
        return ops.sigmoid(ops.matmul(x, self.critic))

    def step(self, z, real, train="d"):
        fake = self.fake(z)
        if train == "d":
            loss = -(ops.log(self.score(real) + 1e-6) + ops.log(1 - self.score(fake) + 1e-6)).mean()
        elif train == "g":
            loss = -ops.log(self.score(fake) + 1e-6).mean()
        else:
            raise ValueError(f"unknown phase {train!r}")
        self.log[train].append(loss)
        return loss


@program(lambda v: (GAN(), T(3, 2, seed=v), T(3, 4, seed=v + 1)), exact=False)
def gan_step(gan, z, real):
    total = sum(gan.step(z, real, train=phase) for phase in ("d", "g", "d"))
    try:
        gan.step(z, real, train="x")
    except ValueError as e:
        message = str(e)
    return total, {name: len(items) for name, items in gan.log.items()}, message


class StopTraining(Exception):
    def __init__(self, step, loss):
        super().__init__("stopped at step %d" % step)
        self.step, self.loss = step, loss


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.bad = patience, 0

    def __call__(self, step, loss, improved):
        self.bad = 0 if improved else self.bad + 1
        if self.bad >= self.patience:
            raise StopTraining(step, loss)


@program(lambda v: (T(4, seed=v), [3, 2, 1, 1, 1, 1, 1]))
def early_stopping(w, schedule):
    stop, best = EarlyStopping(2), float("inf")
    try:
        for step, level in enumerate(schedule):
            w = w * 0.5
            stop(step, w.sum(), level < best)
            best = min(best, level)
    except StopTraining as e:
        return w, e.step, e.loss, str(e)
    else:
        return w, None
    finally:
        schedule.append("done")


@program(lambda v: (T(4, seed=v), []), breaks=2)
def loop_with_losses(w, losses):
    for _epoch in range(3):
        w = w - 0.5 * w
        loss = (w * w).mean()
        losses.append(float(loss))
        if len(losses) > 2 and losses[-1] > losses[-2]:
            break
    return w, len(losses)


class Callback:
    def on_begin(self, state):
        pass

    def on_end(self, state):
        pass


class Recorder(Callback):
    def __init__(self):
        self.events = []

    def on_begin(self, state):
        self.events.append(("begin", state["step"]))

    def on_end(self, state):
        self.events.append(("end", state["step"], state["loss"]))


class Scaler(Callback):
    def on_end(self, state):
        state["w"] = state["w"] * state.get("scale", 0.5)


class Callbacks(list):
    pass


@program(lambda v: (T(3, seed=v), [Recorder(), Scaler()]))
def callbacks(w, hooks):
    state = {"w": w, "step": 0}
    while state["step"] < 3:
        for hook in hooks:
            hook.on_begin(state)
        state["loss"] = (state["w"] ** 2).sum()
        for hook in hooks:
            hook.on_end(state)
        state["step"] += 1
    return state, len(hooks[0].events)
