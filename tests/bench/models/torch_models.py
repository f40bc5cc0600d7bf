"""The models as torch programs. A compiled training step compiles the loss and its gradient; the optimizers are torch's
fused ones either way."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

import models
from models import BERT, GAN, GPT, GRAPH, MLP, RNN, UNET, VAE, data


def arrays(inputs):
    tensors = [torch.from_numpy(np.ascontiguousarray(x)) for x in inputs]
    return [x.long() if x.dtype == torch.int32 else x for x in tensors]


def filled(net):
    """The network with the weights that all implementations have."""
    weights = models.Weights()
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            scales = parameter.dim() == 1 and name.endswith("weight")
            parameter.copy_(torch.from_numpy(weights.take(tuple(parameter.shape), scales)))
    return net


def inference(wrap, make, inputs):
    torch.set_grad_enabled(False)
    return "f(*a)", {"f": wrap(filled(make()).eval()), "a": arrays(inputs)}


def training_step(wrap, make, loss, make_optimizer, batch):
    torch.set_grad_enabled(True)
    net = filled(make()).train()
    optimizer = make_optimizer(net.parameters())
    forward = wrap(lambda *batch: loss(net, *batch))

    def step(*batch):
        optimizer.zero_grad()
        value = forward(*batch)
        value.backward()
        optimizer.step()
        return value
    return step


def cross_entropy(net, *batch):
    return F.cross_entropy(net(*batch[:-1]), batch[-1])


def squared_error(net, x, y):
    return torch.square(net(x) - y).mean()


def sgd(parameters):
    return torch.optim.SGD(parameters, models.RATE, fused=True)


def momentum(parameters):
    return torch.optim.SGD(parameters, models.RATE, models.MOMENTUM, fused=True)


def slow_momentum(parameters):
    return torch.optim.SGD(parameters, models.SLOW_RATE, models.MOMENTUM, fused=True)


def adam(parameters):
    return torch.optim.Adam(parameters, models.ADAM_RATE, fused=True)


def adam_with_decay(parameters):
    return torch.optim.Adam(parameters, models.ADAM_RATE, weight_decay=models.DECAY, fused=True)


# ---- images ---------------------------------------------------------------------------------------------------------
def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def conv(inputs, outputs, size, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs))


class Block(nn.Module):
    def __init__(self, inputs, channels, stride, deep):
        super().__init__()
        outputs = 4 * channels if deep else channels
        sizes = ((inputs, channels, 1), (channels, channels, 3, stride), (channels, outputs, 1)) if deep else (
            (inputs, channels, 3, stride), (channels, channels, 3))
        self.convs = nn.ModuleList([conv(*size) for size in sizes])
        self.shortcut = conv(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

    def forward(self, x):
        y = self.convs[0](x)
        for conv in self.convs[1:]:
            y = conv(F.relu(y))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return F.relu(y + x)


class ResNet(nn.Module):
    def __init__(self, stages, deep, small):
        super().__init__()
        self.first = conv(3, 64, 3) if small else conv(3, 64, 7, 2)
        self.pool = None if small else nn.MaxPool2d(3, 2, 1)
        inputs, blocks = 64, []
        for channels, count, stride in stages:
            for i in range(count):
                blocks.append(Block(inputs, channels, 1 if i else stride, deep))
                inputs = 4 * channels if deep else channels
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(inputs, 10 if small else 1000)

    def forward(self, x):
        x = F.relu(self.first(x))
        if self.pool is not None:
            x = self.pool(x)
        return self.head(self.blocks(x).mean((2, 3)))


class UnetBlock(nn.Module):
    def __init__(self, channels, groups, heads, time):
        super().__init__()
        self.heads = heads
        self.norm1, self.conv1 = nn.GroupNorm(groups, channels), nn.Conv2d(channels, channels, 3, padding=1)
        self.time = nn.Linear(time, channels)
        self.norm2, self.conv2 = nn.GroupNorm(groups, channels), nn.Conv2d(channels, channels, 3, padding=1)
        self.norm3 = nn.GroupNorm(groups, channels)
        self.qkv, self.out = nn.Conv2d(channels, 3 * channels, 1, bias=False), nn.Conv2d(channels, channels, 1, bias=False)

    def forward(self, x, time):
        y = self.conv1(F.silu(self.norm1(x)))
        y = y + self.time(F.silu(time))[:, :, None, None]
        x = x + self.conv2(F.silu(self.norm2(y)))
        b, c, h, w = x.shape
        qkv = self.qkv(self.norm3(x)).reshape(b, 3 * self.heads, c // self.heads, h * w).transpose(2, 3)
        y = F.scaled_dot_product_attention(*qkv.split(self.heads, 1)).transpose(2, 3).reshape(b, c, h, w)
        return x + self.out(y)


# ---- texts ----------------------------------------------------------------------------------------------------------
class BertLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.out, self.norm1 = nn.Linear(width, width), nn.LayerNorm(width)
        self.up, self.down, self.norm2 = nn.Linear(width, inner), nn.Linear(inner, width), nn.LayerNorm(width)

    def split_heads(self, x):
        b, t, c = x.shape
        return x.reshape(b, t, self.heads, c // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split_heads(self.query(x)), self.split_heads(self.key(x)), self.split_heads(self.value(x))
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.out(y))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


def bert():
    return nn.Sequential(*[BertLayer(BERT["width"], BERT["heads"], BERT["inner"]) for _ in range(2)])


class GptLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.qkv = nn.LayerNorm(width), nn.Linear(width, 3 * width)
        self.out, self.norm2 = nn.Linear(width, width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, past):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, c)
        x = x + self.out(y)
        return x + self.down(F.gelu(self.up(self.norm2(x)))), (k, v)


class Gpt(nn.Module):
    def __init__(self, width, heads, words, layers, tokens):
        super().__init__()
        self.embed, self.place = nn.Embedding(words, width), nn.Embedding(tokens, width)
        self.layers = nn.ModuleList([GptLayer(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, token, place, cache):
        x = self.embed(token) + self.place(place)
        grown = []
        for layer, past in zip(self.layers, cache):
            x, past = layer(x, past)
            grown.append(past)
        return self.head(self.norm(x)), grown


def gpt_decode(wrap):
    torch.set_grad_enabled(False)
    net = filled(Gpt(**GPT)).eval()

    def next_token(token, place, cache):
        logits, cache = net(token, place, cache)
        return logits, logits.argmax(-1), cache
    step = wrap(next_token)
    first, places = torch.tensor([[1]]), [torch.tensor([[i]]) for i in range(GPT["tokens"])]

    def decode():
        token, cache = first, [None] * GPT["layers"]
        for place in places:
            logits, token, cache = step(token, place, cache)
        return logits
    return "f()", {"f": decode}, GPT["tokens"]


class Lstm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.inputs, self.hidden, self.head = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width), nn.Linear(width, 10)

    def forward(self, x):
        h = c = torch.zeros((x.shape[0], self.width))
        for t in range(x.shape[1]):
            i, f, o, g = torch.split(self.inputs(x[:, t]) + self.hidden(h), self.width, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return self.head(h)


class Gru(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.inputs, self.hidden, self.head = nn.Linear(width, 3 * width), nn.Linear(width, 3 * width), nn.Linear(width, 10)

    def forward(self, x):
        h = torch.zeros((x.shape[0], self.width))
        for t in range(x.shape[1]):
            of_x, of_h = torch.split(self.inputs(x[:, t]), self.width, 1), torch.split(self.hidden(h), self.width, 1)
            r, z = torch.sigmoid(of_x[0] + of_h[0]), torch.sigmoid(of_x[1] + of_h[1])
            n = torch.tanh(of_x[2] + r * of_h[2])
            h = (1 - z) * n + z * h
        return self.head(h)


# ---- others ---------------------------------------------------------------------------------------------------------
def mlp():
    return nn.Sequential(nn.Linear(MLP[0], MLP[1]), nn.ReLU(), nn.Linear(MLP[1], MLP[2]), nn.ReLU(),
                         nn.Linear(MLP[2], MLP[3]))


class Vae(nn.Module):
    def __init__(self, inputs, inner, hidden):
        super().__init__()
        self.encode, self.mean, self.spread = nn.Linear(inputs, inner), nn.Linear(inner, hidden), nn.Linear(inner, hidden)
        self.decode, self.out = nn.Linear(hidden, inner), nn.Linear(inner, inputs)

    def forward(self, x, noise):
        h = F.relu(self.encode(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + torch.exp(0.5 * spread) * noise
        return self.out(F.relu(self.decode(z))), mean, spread


def vae_loss(net, x, noise):
    y, mean, spread = net(x, noise)
    right = F.binary_cross_entropy_with_logits(y, x, reduction="sum")
    return (right - 0.5 * (1 + spread - mean * mean - torch.exp(spread)).sum()) / x.shape[0]


class Gan(nn.Module):
    def __init__(self, noise, inner, outputs):
        super().__init__()
        self.maker = nn.Sequential(nn.Linear(noise, inner), nn.ReLU(), nn.Linear(inner, outputs), nn.Tanh())
        self.judge = nn.Sequential(nn.Linear(outputs, inner), nn.LeakyReLU(0.2), nn.Linear(inner, 1))


def gan_train(wrap):
    torch.set_grad_enabled(True)
    net = filled(Gan(**GAN))
    maker, judge, loss = net.maker, net.judge, F.binary_cross_entropy_with_logits
    made, judged = adam(maker.parameters()), adam(judge.parameters())

    def judge_loss(real, noise):
        right, wrong = judge(real), judge(maker(noise).detach())
        return loss(right, torch.ones_like(right)) + loss(wrong, torch.zeros_like(wrong))

    def maker_loss(noise):
        found = judge(maker(noise))
        return loss(found, torch.ones_like(found))
    judge_loss, maker_loss = wrap(judge_loss), wrap(maker_loss)

    def step(real, noise):
        judged.zero_grad()
        first = judge_loss(real, noise)
        first.backward()
        judged.step()
        made.zero_grad()
        second = maker_loss(noise)
        second.backward()
        made.step()
        return first + second
    return "f(*a)", {"f": step, "a": arrays(models.gan_batch())}


class GraphLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message, self.own, self.others = nn.Linear(2 * width, width), nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, h, sources, targets):
        pairs = torch.cat((h[sources], h[targets]), 1)
        received = torch.zeros_like(h).index_add(0, targets, F.relu(self.message(pairs)))
        return F.relu(self.own(h) + self.others(received))


class GraphNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers, self.head = nn.ModuleList([GraphLayer(width) for _ in range(2)]), nn.Linear(width, 10)

    def forward(self, h, sources, targets):
        for layer in self.layers:
            h = layer(h, sources, targets)
        return self.head(h)


def elementwise(wrap, count):
    torch.set_grad_enabled(False)
    x, y = arrays(models.two(count))
    return "f(x, y)", {"f": wrap(lambda x, y: torch.relu(x * y + x) - y), "x": x, "y": y}


def branch(wrap):
    def f(x):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y * y
    torch.set_grad_enabled(False)
    x = np.abs(data(4096))
    return models.in_turn("f(*a)", wrap(f), [arrays([x]), arrays([-x])])


def loop(wrap):
    def f(x, y):
        for _ in range(50):
            x = x * 0.9 + torch.tanh(x * y)
        return x
    torch.set_grad_enabled(False)
    x, y = arrays(models.two(64))
    return "f(x, y)", {"f": wrap(f), "x": x, "y": y}


NETS = {
    "mlp": mlp,
    "layer norm": lambda: nn.LayerNorm(1024),
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
