"""The models as msjit programs."""

import numpy as np

import models
import msjit as ms
from models import BERT, GAN, GPT, GRAPH, MLP, RNN, UNET, VAE, data
from msjit import Tensor, nn, ops

SIZE = dict(kernel_size=3, pad_mode="pad", padding=1)


def filled(net):
    """The network with the weights that all implementations have."""
    weights = models.Weights()
    for name, parameter in net.parameters_and_names():
        if parameter.requires_grad:
            parameter.set_data(Tensor(weights.take(parameter.shape, name.endswith("gamma"))))
    return net


def arrays(inputs):
    return [Tensor(x) for x in inputs]


def inference(wrap, make, inputs):
    net = filled(make()).set_train(False)
    return "f(*a)", {"f": wrap(lambda *a: net(*a)), "a": arrays(inputs)}


def training_step(wrap, make, loss, make_optimizer, batch):
    """A function that makes a step and returns the loss: `loss(net, *batch)`."""
    net = filled(make()).set_train()
    optimizer = make_optimizer(net.trainable_params())
    gradients = ms.value_and_grad(lambda *batch: loss(net, *batch), None, optimizer.parameters)

    def step(*batch):
        value, grads = gradients(*batch)
        optimizer(grads)
        return value
    return wrap(step)


def cross_entropy(net, *batch):
    return ops.cross_entropy(net(*batch[:-1]), batch[-1])


def squared_error(net, x, y):
    return ops.square(net(x) - y).mean()


def sgd(parameters):
    return nn.SGD(parameters, models.RATE)


def momentum(parameters):
    return nn.Momentum(parameters, models.RATE, models.MOMENTUM)


def slow_momentum(parameters):
    return nn.Momentum(parameters, models.SLOW_RATE, models.MOMENTUM)


def adam(parameters):
    return nn.Adam(parameters, models.ADAM_RATE)


def adam_with_decay(parameters):
    # In a group all Parameters decay; outside MindSpore spares those of norms.
    return nn.Adam([{"params": list(parameters), "weight_decay": models.DECAY}], models.ADAM_RATE)


# ---- images ---------------------------------------------------------------------------------------------------------
def lenet():
    return nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10))


def conv(inputs, outputs, size, stride=1):
    return nn.SequentialCell(nn.Conv2d(inputs, outputs, size, stride, pad_mode="pad", padding=size // 2),
                             nn.BatchNorm2d(outputs))


class Block(nn.Cell):
    """Two convolutions 3x3, or with `deep` one between two 1x1, around which the input is added."""

    def __init__(self, inputs, channels, stride, deep):
        super().__init__()
        outputs = 4 * channels if deep else channels
        sizes = ((inputs, channels, 1), (channels, channels, 3, stride), (channels, outputs, 1)) if deep else (
            (inputs, channels, 3, stride), (channels, channels, 3))
        self.convs = nn.CellList([conv(*size) for size in sizes])
        self.shortcut = conv(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

    def construct(self, x):
        y = self.convs[0](x)
        for conv in self.convs[1:]:
            y = conv(ops.relu(y))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return ops.relu(y + x)


class ResNet(nn.Cell):
    def __init__(self, stages, deep, small):
        super().__init__()
        self.first = conv(3, 64, 3) if small else conv(3, 64, 7, 2)
        self.pool = None if small else nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        inputs, blocks = 64, []
        for channels, count, stride in stages:
            for i in range(count):
                blocks.append(Block(inputs, channels, 1 if i else stride, deep))
                inputs = 4 * channels if deep else channels
        self.blocks = nn.SequentialCell(blocks)
        self.head = nn.Dense(inputs, 10 if small else 1000)

    def construct(self, x):
        x = ops.relu(self.first(x))
        if self.pool is not None:
            x = self.pool(x)
        return self.head(self.blocks(x).mean((2, 3)))


class UnetBlock(nn.Cell):
    def __init__(self, channels, groups, heads, time):
        super().__init__()
        self.heads = heads
        self.norm1, self.conv1 = nn.GroupNorm(groups, channels), nn.Conv2d(channels, channels, has_bias=True, **SIZE)
        self.time = nn.Dense(time, channels)
        self.norm2, self.conv2 = nn.GroupNorm(groups, channels), nn.Conv2d(channels, channels, has_bias=True, **SIZE)
        self.norm3 = nn.GroupNorm(groups, channels)
        self.qkv, self.out = nn.Conv2d(channels, 3 * channels, 1), nn.Conv2d(channels, channels, 1)

    def construct(self, x, time):
        y = self.conv1(ops.silu(self.norm1(x)))
        y = y + self.time(ops.silu(time))[:, :, None, None]
        x = x + self.conv2(ops.silu(self.norm2(y)))
        b, c, h, w = x.shape
        q, k, v = ops.split(self.qkv(self.norm3(x)).reshape(b, 3 * self.heads, c // self.heads, h * w), self.heads, 1)
        weights = ops.softmax(ops.matmul(q.swapaxes(2, 3), k) * (c // self.heads) ** -0.5, -1)
        y = ops.matmul(v, weights.swapaxes(2, 3)).reshape(b, c, h, w)
        return x + self.out(y)


# ---- texts ----------------------------------------------------------------------------------------------------------
class BertLayer(nn.Cell):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = nn.Dense(width, width), nn.Dense(width, width), nn.Dense(width, width)
        self.out, self.norm1 = nn.Dense(width, width), nn.LayerNorm([width], epsilon=1e-5)
        self.up, self.down, self.norm2 = nn.Dense(width, inner), nn.Dense(inner, width), nn.LayerNorm([width], epsilon=1e-5)

    def split_heads(self, x):
        b, t, c = x.shape
        return x.reshape(b, t, self.heads, c // self.heads).transpose(0, 2, 1, 3)

    def construct(self, x):
        b, t, c = x.shape
        q, k, v = self.split_heads(self.query(x)), self.split_heads(self.key(x)), self.split_heads(self.value(x))
        weights = ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) * (c // self.heads) ** -0.5, -1)
        y = ops.matmul(weights, v).transpose(0, 2, 1, 3).reshape(b, t, c)
        x = self.norm1(x + self.out(y))
        return self.norm2(x + self.down(ops.gelu(self.up(x))))


def bert():
    return nn.SequentialCell([BertLayer(BERT["width"], BERT["heads"], BERT["inner"]) for _ in range(2)])


class GptLayer(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.qkv = nn.LayerNorm([width], epsilon=1e-5), nn.Dense(width, 3 * width)
        self.out, self.norm2 = nn.Dense(width, width), nn.LayerNorm([width], epsilon=1e-5)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)

    def construct(self, x, past):
        b, t, c = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(b, t, 3, self.heads, c // self.heads).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        if past is not None:
            k, v = ops.cat((past[0], k), 2), ops.cat((past[1], v), 2)
        weights = ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) * (c // self.heads) ** -0.5, -1)
        x = x + self.out(ops.matmul(weights, v).transpose(0, 2, 1, 3).reshape(b, t, c))
        return x + self.down(ops.gelu(self.up(self.norm2(x)))), (k, v)


class Gpt(nn.Cell):
    def __init__(self, width, heads, words, layers, tokens):
        super().__init__()
        self.embed, self.place = nn.Embedding(words, width), nn.Embedding(tokens, width)
        self.layers = nn.CellList([GptLayer(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm([width], epsilon=1e-5), nn.Dense(width, words)

    def construct(self, token, place, cache):
        x = self.embed(token) + self.place(place)
        grown = []
        for layer, past in zip(self.layers, cache):
            x, past = layer(x, past)
            grown.append(past)
        return self.head(self.norm(x)), grown


def gpt_decode(wrap):
    net = filled(Gpt(**GPT)).set_train(False)

    def next_token(token, place, cache):
        logits, cache = net(token, place, cache)
        return logits, logits.argmax(-1), cache
    step = wrap(next_token)
    first = Tensor(np.array([[1]], np.int32))
    places = [Tensor(np.array([[i]], np.int32)) for i in range(GPT["tokens"])]

    def decode():
        token, cache = first, [None] * GPT["layers"]
        for place in places:
            logits, token, cache = step(token, place, cache)
        return logits
    return "f()", {"f": decode}, GPT["tokens"]


class Lstm(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.inputs, self.hidden, self.head = nn.Dense(width, 4 * width), nn.Dense(width, 4 * width), nn.Dense(width, 10)

    def construct(self, x):
        h = c = ops.zeros((x.shape[0], self.width), ms.float32)
        for t in range(x.shape[1]):
            i, f, o, g = ops.split(self.inputs(x[:, t]) + self.hidden(h), self.width, 1)
            c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
            h = ops.sigmoid(o) * ops.tanh(c)
        return self.head(h)


class Gru(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.inputs, self.hidden, self.head = nn.Dense(width, 3 * width), nn.Dense(width, 3 * width), nn.Dense(width, 10)

    def construct(self, x):
        h = ops.zeros((x.shape[0], self.width), ms.float32)
        for t in range(x.shape[1]):
            of_x, of_h = ops.split(self.inputs(x[:, t]), self.width, 1), ops.split(self.hidden(h), self.width, 1)
            r, z = ops.sigmoid(of_x[0] + of_h[0]), ops.sigmoid(of_x[1] + of_h[1])
            n = ops.tanh(of_x[2] + r * of_h[2])
            h = (1 - z) * n + z * h
        return self.head(h)


# ---- others ---------------------------------------------------------------------------------------------------------
def mlp():
    return nn.SequentialCell(nn.Dense(MLP[0], MLP[1]), nn.ReLU(), nn.Dense(MLP[1], MLP[2]), nn.ReLU(),
                             nn.Dense(MLP[2], MLP[3]))


class Vae(nn.Cell):
    def __init__(self, inputs, inner, hidden):
        super().__init__()
        self.encode, self.mean, self.spread = nn.Dense(inputs, inner), nn.Dense(inner, hidden), nn.Dense(inner, hidden)
        self.decode, self.out = nn.Dense(hidden, inner), nn.Dense(inner, inputs)

    def construct(self, x, noise):
        h = ops.relu(self.encode(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + ops.exp(0.5 * spread) * noise
        return self.out(ops.relu(self.decode(z))), mean, spread


def vae_loss(net, x, noise):
    y, mean, spread = net(x, noise)
    right = ops.binary_cross_entropy_with_logits(y, x, reduction="sum")
    return (right - 0.5 * (1 + spread - mean * mean - ops.exp(spread)).sum()) / x.shape[0]


class Gan(nn.Cell):
    def __init__(self, noise, inner, outputs):
        super().__init__()
        self.maker = nn.SequentialCell(nn.Dense(noise, inner), nn.ReLU(), nn.Dense(inner, outputs), nn.Tanh())
        self.judge = nn.SequentialCell(nn.Dense(outputs, inner), nn.LeakyReLU(0.2), nn.Dense(inner, 1))


def gan_train(wrap):
    net = filled(Gan(**GAN))
    maker, judge, loss = net.maker, net.judge, nn.BCEWithLogitsLoss()
    made, judged = adam(maker.trainable_params()), adam(judge.trainable_params())

    def judge_loss(real, noise):
        right, wrong = judge(real), judge(maker(noise))
        return loss(right, ops.ones_like(right)) + loss(wrong, ops.zeros_like(wrong))

    def maker_loss(noise):
        found = judge(maker(noise))
        return loss(found, ops.ones_like(found))
    of_judge = ms.value_and_grad(judge_loss, None, judged.parameters)
    of_maker = ms.value_and_grad(maker_loss, None, made.parameters)

    def step(real, noise):
        first, gradients = of_judge(real, noise)
        judged(gradients)
        second, gradients = of_maker(noise)
        made(gradients)
        return first + second
    return "f(*a)", {"f": wrap(step), "a": arrays(models.gan_batch())}


class GraphLayer(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.message, self.own, self.others = nn.Dense(2 * width, width), nn.Dense(width, width), nn.Dense(width, width)

    def construct(self, h, sources, targets):
        pairs = ops.cat((ops.gather(h, sources, 0), ops.gather(h, targets, 0)), 1)
        received = ops.index_add(ops.zeros_like(h), targets, ops.relu(self.message(pairs)), 0)
        return ops.relu(self.own(h) + self.others(received))


class GraphNet(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.layers, self.head = nn.CellList([GraphLayer(width) for _ in range(2)]), nn.Dense(width, 10)

    def construct(self, h, sources, targets):
        for layer in self.layers:
            h = layer(h, sources, targets)
        return self.head(h)


def elementwise(wrap, count):
    x, y = arrays(models.two(count))
    return "f(x, y)", {"f": wrap(lambda x, y: ops.relu(x * y + x) - y), "x": x, "y": y}


def branch(wrap):
    def f(x):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y * y
    x = np.abs(data(4096))
    return models.in_turn("f(*a)", wrap(f), [arrays([x]), arrays([-x])])


def loop(wrap):
    def f(x, y):
        for _ in range(50):
            x = x * 0.9 + ops.tanh(x * y)
        return x
    x, y = arrays(models.two(64))
    return "f(x, y)", {"f": wrap(f), "x": x, "y": y}


NETS = {
    "mlp": mlp,
    "layer norm": lambda: nn.LayerNorm([1024], epsilon=1e-5),
    "lenet": lenet,
    "resnet18": lambda: ResNet(models.STAGES_18, False, False),
    "resnet50": lambda: ResNet(models.STAGES_50, True, False),
    "small resnet18": lambda: ResNet(models.STAGES_18, False, True),
    "small resnet50": lambda: ResNet(models.STAGES_50, True, True),
    "bert": bert,
    "lstm": lambda: Lstm(RNN["width"]),
    "gru": lambda: Gru(RNN["width"]),
    "vae": lambda: Vae(**VAE),
    "unet block": lambda: UnetBlock(**UNET),
    "graph net": lambda: GraphNet(GRAPH["width"]),
}
OTHERS = {
    "elementwise 1M": lambda wrap: elementwise(wrap, 1 << 20),
    "elementwise 16M": lambda wrap: elementwise(wrap, 1 << 24),
    "branch": branch,
    "loop 50": loop,
    "gpt decode": gpt_decode,
    "gan train": gan_train,
}
