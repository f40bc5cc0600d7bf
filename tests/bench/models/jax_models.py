"""The models as JAX programs: functions that take their weights in order from a `Params`. Images have their channels last,
weights of dense layers are (inputs, outputs), recurrences are scans and a step of training is one function."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import models
from models import BERT, GAN, GPT, GRAPH, MLP, RNN, UNET, VAE, data


class Params:
    """Weights and running statistics in the order of use. Without `values` they are drawn."""

    def __init__(self, values=None, statistics=None, training=False, source=None):
        self.drawing = values is None
        self.values, self.statistics = ([], []) if self.drawing else (values, statistics)
        self.source = source or models.Weights()
        self.used, self.moved, self.training = 0, [], training

    def take(self, shape, ones=False, axes=None):
        """`axes`: how the drawn numbers are transposed."""
        if self.drawing:
            self.values.append(np.ascontiguousarray(self.source.take(shape, ones).transpose(axes or range(len(shape)))))
        self.used += 1
        return jnp.asarray(self.values[self.used - 1])

    def take_statistics(self, channels):
        if self.drawing:
            self.statistics.append((np.zeros(channels, np.float32), np.ones(channels, np.float32)))
        return self.statistics[len(self.moved)]


def drawn(model, *inputs, source=None):
    """(weights, statistics) of a model for such inputs."""
    p = Params(source=source)
    jax.eval_shape(lambda *a: model(p, *a), *inputs)
    return jax.tree.map(jnp.asarray, (p.values, p.statistics))


def arrays(inputs):
    return [jnp.asarray(x.transpose(0, 2, 3, 1) if x.ndim == 4 else x) for x in inputs]


def inference(wrap, model, inputs):
    inputs = arrays(inputs)
    f = wrap(lambda weights, *a: model(Params(*weights), *a))
    return "f(*a).block_until_ready()", {"f": f, "a": [drawn(model, *inputs), *inputs]}


def training_step(wrap, model, loss, optimizer, batch):
    """A function that makes a step and returns the loss: `loss(net, *batch)`, where `net` is the model with its weights."""
    def of_params(p, *batch):
        return loss(lambda *a: model(p, *a), *batch)

    def with_statistics(values, statistics, *batch):
        p = Params(values, statistics, training=True)
        return of_params(p, *batch), p.moved

    def step(state, *batch):
        values, statistics, of_optimizer = state
        (value, statistics), gradients = jax.value_and_grad(with_statistics, has_aux=True)(values, statistics, *batch)
        values, of_optimizer = optimizer(values, gradients, of_optimizer)
        return (values, statistics, of_optimizer), value
    values, statistics = drawn(of_params, *arrays(batch))
    return stateful(wrap(step, donate_argnums=0), (values, statistics, optimizer(values)))


def stateful(step, state):
    def run(*batch):
        nonlocal state
        state, value = step(state, *batch)
        return value.block_until_ready()
    return run


# ---- optimizers: f(values) makes a state, f(values, gradients, state) is a step ---------------------------------------
def sgd(values, gradients=None, state=None):
    if gradients is None:
        return []
    return [p - models.RATE * g for p, g in zip(values, gradients)], state


def momentum(values, gradients=None, state=None, rate=models.RATE):
    if gradients is None:
        return [jnp.zeros_like(p) for p in values]
    state = [models.MOMENTUM * v + g for v, g in zip(state, gradients)]
    return [p - rate * v for p, v in zip(values, state)], state


slow_momentum = functools.partial(momentum, rate=models.SLOW_RATE)


def adam(values, gradients=None, state=None, decay=0.0):
    if gradients is None:
        return 0.0, [jnp.zeros_like(p) for p in values], [jnp.zeros_like(p) for p in values]
    step, first, second = state[0] + 1, state[1], state[2]
    gradients = [g + decay * p for p, g in zip(values, gradients)] if decay else gradients
    first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients)]
    second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients)]
    rate = models.ADAM_RATE * jnp.sqrt(1 - 0.999 ** step) / (1 - 0.9 ** step)
    values = [p - rate * m / (jnp.sqrt(v) + 1e-8) for p, m, v in zip(values, first, second)]
    return values, (step, first, second)


def adam_with_decay(values, gradients=None, state=None):
    return adam(values, gradients, state, models.DECAY)


# ---- layers ---------------------------------------------------------------------------------------------------------
def dense(p, x, outputs):
    w = p.take((outputs, x.shape[-1]), axes=(1, 0))
    return x @ w + p.take((outputs,))


def layer_norm(p, x):
    gamma, beta = p.take(x.shape[-1:], ones=True), p.take(x.shape[-1:])
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(jnp.square(x - mean).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def conv2d(p, x, outputs, size, stride=1, padding=None, bias=False):
    w = p.take((outputs, x.shape[-1], size, size), axes=(2, 3, 1, 0))
    pad = size // 2 if padding is None else padding
    y = lax.conv_general_dilated(x, w, (stride, stride), [(pad, pad)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y + p.take((outputs,)) if bias else y


def max_pool(x, size, stride, pad=0):
    pads = [(0, 0), (pad, pad), (pad, pad), (0, 0)]
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, size, size, 1), (1, stride, stride, 1), pads)


def conv(p, x, outputs, size, stride=1):
    """A convolution with batch normalisation."""
    x = conv2d(p, x, outputs, size, stride)
    gamma, beta = p.take((outputs,), ones=True), p.take((outputs,))
    mean, variance = p.take_statistics(outputs)
    if p.training:
        old, count = (mean, variance), x.size // outputs
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        p.moved.append((0.9 * old[0] + 0.1 * mean, 0.9 * old[1] + 0.1 * variance * count / (count - 1)))
    else:
        p.moved.append((mean, variance))
    return (x - mean) * (lax.rsqrt(variance + 1e-5) * gamma) + beta


def cross_entropy(net, *batch):
    return -jnp.take_along_axis(jax.nn.log_softmax(net(*batch[:-1])), batch[-1][:, None], 1).mean()


def squared_error(net, x, y):
    return jnp.square(net(x) - y).mean()


def binary_cross_entropy(logits, y):
    return jnp.maximum(logits, 0) - logits * y + jnp.log1p(jnp.exp(-jnp.abs(logits)))


# ---- images ---------------------------------------------------------------------------------------------------------
def lenet(p, x):
    x = max_pool(jax.nn.relu(conv2d(p, x, 6, 5, padding=0, bias=True)), 2, 2)
    x = max_pool(jax.nn.relu(conv2d(p, x, 16, 5, padding=0, bias=True)), 2, 2)
    x = x.transpose(0, 3, 1, 2).reshape(x.shape[0], -1)
    x = jax.nn.relu(dense(p, x, 120))
    return dense(p, jax.nn.relu(dense(p, x, 84)), 10)


def block(p, x, channels, stride, deep):
    outputs = 4 * channels if deep else channels
    sizes = ((channels, 1), (channels, 3, stride), (outputs, 1)) if deep else ((channels, 3, stride), (channels, 3))
    y = conv(p, x, *sizes[0])
    for size in sizes[1:]:
        y = conv(p, jax.nn.relu(y), *size)
    if stride != 1 or x.shape[-1] != outputs:
        x = conv(p, x, outputs, 1, stride)
    return jax.nn.relu(y + x)


def resnet(stages, deep, small):
    def model(p, x):
        x = jax.nn.relu(conv(p, x, 64, 3) if small else conv(p, x, 64, 7, 2))
        x = x if small else max_pool(x, 3, 2, 1)
        for channels, count, stride in stages:
            for i in range(count):
                x = block(p, x, channels, 1 if i else stride, deep)
        return dense(p, x.mean((1, 2)), 10 if small else 1000)
    return model


def group_norm(p, x, groups):
    b, h, w, c = x.shape
    gamma, beta = p.take((c,), ones=True), p.take((c,))
    y = x.reshape(b, h * w, groups, c // groups)
    mean = y.mean((1, 3), keepdims=True)
    y = (y - mean) * lax.rsqrt(jnp.square(y - mean).mean((1, 3), keepdims=True) + 1e-5)
    return y.reshape(x.shape) * gamma + beta


def unet_block(p, x, time):
    heads, groups = UNET["heads"], UNET["groups"]
    b, h, w, c = x.shape
    y = conv2d(p, jax.nn.silu(group_norm(p, x, groups)), c, 3, bias=True)
    y = y + dense(p, jax.nn.silu(time), c)[:, None, None, :]
    x = x + conv2d(p, jax.nn.silu(group_norm(p, y, groups)), c, 3, bias=True)
    qkv = conv2d(p, group_norm(p, x, groups), 3 * c, 1).reshape(b, h * w, 3, heads, c // heads)
    q, k, v = qkv.transpose(2, 0, 3, 1, 4)
    y = attention(q, k, v).transpose(0, 2, 1, 3).reshape(b, h, w, c)
    return (x + conv2d(p, y, c, 1)).transpose(0, 3, 1, 2)


# ---- texts ----------------------------------------------------------------------------------------------------------
def attention(q, k, v, mask=None):
    weights = q @ k.swapaxes(2, 3) * q.shape[-1] ** -0.5
    weights = weights if mask is None else jnp.where(mask, weights, -jnp.inf)
    return jax.nn.softmax(weights) @ v


def bert(p, x):
    b, t, c = x.shape
    for _ in range(2):
        q, k, v = [dense(p, x, c).reshape(b, t, BERT["heads"], -1).transpose(0, 2, 1, 3) for _ in range(3)]
        y = attention(q, k, v).transpose(0, 2, 1, 3).reshape(b, t, c)
        x = layer_norm(p, x + dense(p, y, c))
        x = layer_norm(p, x + dense(p, jax.nn.gelu(dense(p, x, BERT["inner"]), approximate=False), c))
    return x


def gpt(p, token, i, cache):
    """One token; the cache has room for all tokens, as JAX wants fixed sizes."""
    width, heads = GPT["width"], GPT["heads"]
    x = p.take((GPT["words"], width))[token] + p.take((GPT["tokens"], width))[i]
    mask, grown = jnp.arange(GPT["tokens"]) <= i, []
    for keys, values in cache:
        qkv = dense(p, layer_norm(p, x), 3 * width).reshape(1, 1, 3, heads, width // heads)
        q, k, v = qkv.transpose(2, 0, 3, 1, 4)
        k, v = [lax.dynamic_update_slice_in_dim(whole, new, i, 2) for whole, new in ((keys, k), (values, v))]
        x = x + dense(p, attention(q, k, v, mask).reshape(1, 1, width), width)
        up = dense(p, layer_norm(p, x), 4 * width)
        x = x + dense(p, jax.nn.gelu(up, approximate=False), width)
        grown.append((k, v))
    logits = dense(p, layer_norm(p, x), GPT["words"])
    return logits, logits.argmax(-1).astype(jnp.int32), grown


def gpt_decode(wrap):
    shape = 1, GPT["heads"], GPT["tokens"], GPT["width"] // GPT["heads"]

    def empty():
        return [(jnp.zeros(shape), jnp.zeros(shape)) for _ in range(GPT["layers"])]
    first, places = jnp.array([[1]]), [jnp.array(i) for i in range(GPT["tokens"])]
    values, _ = drawn(gpt, first, places[0], empty())
    step = wrap(lambda values, *a: gpt(Params(values, []), *a), donate_argnums=3)

    def decode():
        token, cache = first, empty()
        for place in places:
            logits, token, cache = step(values, token, place, cache)
        return logits.block_until_ready()
    return "f()", {"f": decode}, GPT["tokens"]


def lstm(p, x):
    width = RNN["width"]
    xs = dense(p, x, 4 * width).swapaxes(0, 1)
    w, b = p.take((4 * width, width), axes=(1, 0)), p.take((4 * width,))

    def step(state, x):
        h, c = state
        i, f, o, g = jnp.split(x + h @ w + b, 4, 1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
    zeros = jnp.zeros((x.shape[0], width))
    return dense(p, lax.scan(step, (zeros, zeros), xs)[0][0], 10)


def gru(p, x):
    width = RNN["width"]
    xs = dense(p, x, 3 * width).swapaxes(0, 1)
    w, b = p.take((3 * width, width), axes=(1, 0)), p.take((3 * width,))

    def step(h, x):
        of_x, of_h = jnp.split(x, 3, 1), jnp.split(h @ w + b, 3, 1)
        r, z = jax.nn.sigmoid(of_x[0] + of_h[0]), jax.nn.sigmoid(of_x[1] + of_h[1])
        n = jnp.tanh(of_x[2] + r * of_h[2])
        return (1 - z) * n + z * h, None
    return dense(p, lax.scan(step, jnp.zeros((x.shape[0], width)), xs)[0], 10)


# ---- others ---------------------------------------------------------------------------------------------------------
def mlp(p, x):
    return dense(p, jax.nn.relu(dense(p, jax.nn.relu(dense(p, x, MLP[1])), MLP[2])), MLP[3])


def vae(p, x, noise):
    h = jax.nn.relu(dense(p, x, VAE["inner"]))
    mean, spread = dense(p, h, VAE["hidden"]), dense(p, h, VAE["hidden"])
    z = mean + jnp.exp(0.5 * spread) * noise
    return dense(p, jax.nn.relu(dense(p, z, VAE["inner"])), VAE["inputs"]), mean, spread


def vae_loss(net, x, noise):
    y, mean, spread = net(x, noise)
    return (binary_cross_entropy(y, x).sum() - 0.5 * (1 + spread - mean * mean - jnp.exp(spread)).sum()) / x.shape[0]


def maker(p, noise):
    return jnp.tanh(dense(p, jax.nn.relu(dense(p, noise, GAN["inner"])), GAN["outputs"]))


def judge(p, x):
    return dense(p, jax.nn.leaky_relu(dense(p, x, GAN["inner"]), 0.2), 1)


def gan_train(wrap):
    real, noise = arrays(models.gan_batch())
    source = models.Weights()
    made, judged = [drawn(f, x, source=source)[0] for f, x in ((maker, noise), (judge, real))]

    def judge_loss(judged, made, real, noise):
        right, wrong = judge(Params(judged, []), real), judge(Params(judged, []), maker(Params(made, []), noise))
        return binary_cross_entropy(right, 1).mean() + binary_cross_entropy(wrong, 0).mean()

    def maker_loss(made, judged, noise):
        return binary_cross_entropy(judge(Params(judged, []), maker(Params(made, []), noise)), 1).mean()

    def step(state, real, noise):
        made, judged, of_made, of_judged = state
        first, gradients = jax.value_and_grad(judge_loss)(judged, made, real, noise)
        judged, of_judged = adam(judged, gradients, of_judged)
        second, gradients = jax.value_and_grad(maker_loss)(made, judged, noise)
        made, of_made = adam(made, gradients, of_made)
        return (made, judged, of_made, of_judged), first + second
    run = stateful(wrap(step, donate_argnums=0), (made, judged, adam(made), adam(judged)))
    return "f(*a)", {"f": run, "a": [real, noise]}


def graph_net(p, h, sources, targets):
    width = GRAPH["width"]
    for _ in range(2):
        messages = jax.nn.relu(dense(p, jnp.concatenate((h[sources], h[targets]), 1), width))
        received = jnp.zeros_like(h).at[targets].add(messages)
        h = jax.nn.relu(dense(p, h, width) + dense(p, received, width))
    return dense(p, h, 10)


def of_arrays(wrap, f, *arrays):
    return "f(*a).block_until_ready()", {"f": wrap(f), "a": [jnp.asarray(a) for a in arrays]}


def elementwise(wrap, count):
    return of_arrays(wrap, lambda x, y: jax.nn.relu(x * y + x) - y, *models.two(count))


def branch(wrap):
    def f(x):
        y = lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, x)
        return y * y
    x = np.abs(data(4096))
    return models.in_turn("f(*a).block_until_ready()", wrap(f), [arrays([x]), arrays([-x])])


def loop(wrap):
    def f(x, y):
        return lax.fori_loop(0, 50, lambda _, x: x * 0.9 + jnp.tanh(x * y), x)
    return of_arrays(wrap, f, *models.two(64))


NETS = {
    "mlp": mlp,
    "layer norm": layer_norm,
    "lenet": lenet,
    "resnet18": resnet(models.STAGES_18, False, False),
    "resnet50": resnet(models.STAGES_50, True, False),
    "small resnet18": resnet(models.STAGES_18, False, True),
    "small resnet50": resnet(models.STAGES_50, True, True),
    "bert": bert,
    "lstm": lstm,
    "gru": gru,
    "vae": vae,
    "unet block": unet_block,
    "graph net": graph_net,
}
OTHERS = {
    "elementwise 1M": lambda wrap: elementwise(wrap, 1 << 20),
    "elementwise 16M": lambda wrap: elementwise(wrap, 1 << 24),
    "branch": branch,
    "loop 50": loop,
    "gpt decode": gpt_decode,
    "gan train": gan_train,
}
