"""Six small training programs, each as (step function, its Parameters, batches): `make(seed)`.

    python tests/py/training_programs.py [--steps N]

runs each eagerly and under PIJit and PSJit and prints, for each, regions and breaks of the step, the share of operators that
ran in graphs, the largest relative difference of a loss, and the time of a step.
"""
import argparse
import sys
import time

import numpy as np

import msjit as ms
from msjit import Parameter, Tensor, nn, ops


def data(seed, *shape):
    return Tensor(np.random.RandomState(seed).standard_normal(shape).astype(np.float32))


def labels(seed, count, classes=10):
    return Tensor(np.random.RandomState(seed).randint(0, classes, count).astype(np.int32))


class Residual(nn.Cell):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = nn.Conv2d(outputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.short = nn.Conv2d(inputs, outputs, 1, stride)

    def construct(self, x):
        y = self.norm2(self.conv2(ops.relu(self.norm1(self.conv1(x)))))
        return ops.relu(y + self.short(x))


class ResNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.blocks = nn.SequentialCell(Residual(3, 8, 1), Residual(8, 16, 2))
        self.head = nn.Dense(16, 10)

    def construct(self, x):
        return self.head(self.blocks(x).mean((2, 3)))


class Attention(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
        self.norm1, self.norm2 = nn.LayerNorm([width]), nn.LayerNorm([width])
        self.up, self.down = nn.Dense(width, 2 * width), nn.Dense(2 * width, width)
        self.drop = nn.Dropout(p=0.1)

    def construct(self, x):
        b, t, c = x.shape
        q, k, v = [y.reshape(b, t, self.heads, -1).transpose(0, 2, 1, 3) for y in ops.split(self.qkv(x), c, 2)]
        weights = ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) * (c // self.heads) ** -0.5, -1)
        y = ops.matmul(self.drop(weights), v).transpose(0, 2, 1, 3).reshape(b, t, c)
        x = self.norm1(x + self.out(y))
        return self.norm2(x + self.down(ops.gelu(self.up(x))))


class Transformer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed, self.place = nn.Embedding(50, 16), Parameter(data(1, 12, 16) * 0.1, name="place")
        self.layers = nn.CellList([Attention(16, 2) for _ in range(2)])
        self.head = nn.Dense(16, 10)

    def construct(self, ids):
        x = self.embed(ids) + self.place
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


class Lstm(nn.Cell):
    def __init__(self):
        super().__init__()
        self.size = 16
        self.inputs, self.hidden = nn.Dense(8, 64), nn.Dense(16, 64)
        self.head = nn.Dense(16, 10)

    def construct(self, x):
        h = c = ops.zeros((x.shape[0], self.size), ms.float32)
        for t in range(x.shape[1]):
            i, f, o, g = ops.split(self.inputs(x[:, t]) + self.hidden(h), self.size, 1)
            c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
            h = ops.sigmoid(o) * ops.tanh(c)
        return self.head(h)


def classifier(net, optimizer, batches):
    loss_fn = nn.CrossEntropyLoss()
    net.set_train()
    optimizer = optimizer(net.trainable_params())

    def forward(x, y):
        return loss_fn(net(x), y)
    value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        loss, gradients = value_and_grad(x, y)
        optimizer(gradients)
        return loss
    return step, net.get_parameters, batches


def mlp():
    net = nn.SequentialCell(nn.Dense(20, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 10))
    return classifier(net, lambda p: nn.Adam(p, 1e-3), [(data(k, 16, 20), labels(k, 16)) for k in range(4)])


def cnn():
    net = nn.SequentialCell(nn.Conv2d(1, 8, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(128, 10))
    rates = nn.cosine_decay_lr(1e-5, 2e-3, 400, 10, 40)
    return classifier(net, lambda p: nn.Adam(p, rates), [(data(k, 8, 1, 8, 8), labels(k, 8)) for k in range(4)])


def resnet():
    return classifier(ResNet(), lambda p: nn.Momentum(p, 0.02, 0.9, weight_decay=1e-4),
                      [(data(k, 8, 3, 8, 8), labels(k, 8)) for k in range(4)])


def transformer():
    ids = [Tensor(np.random.RandomState(k).randint(0, 50, (4, 12)).astype(np.int32)) for k in range(4)]
    return classifier(Transformer(), lambda p: nn.AdamWeightDecay(p, 1e-3, weight_decay=0.01),
                      [(x, labels(k, 4)) for k, x in enumerate(ids)])


def lstm():
    return classifier(Lstm(), lambda p: nn.SGD(p, 0.05, momentum=0.9), [(data(k, 4, 12, 8), labels(k, 4)) for k in range(4)])


def gan():
    """Two networks and two optimizers in one step."""
    maker = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 8))
    judge = nn.SequentialCell(nn.Dense(8, 16), nn.LeakyReLU(0.2), nn.Dense(16, 1))
    loss_fn = nn.BCEWithLogitsLoss()
    made, judged = nn.Adam(maker.trainable_params(), 1e-3), nn.Adam(judge.trainable_params(), 1e-3)

    def judge_loss(real, noise):
        right, wrong = judge(real), judge(maker(noise))
        return loss_fn(right, ops.ones_like(right)) + loss_fn(wrong, ops.zeros_like(wrong))

    def maker_loss(noise):
        found = judge(maker(noise))
        return loss_fn(found, ops.ones_like(found))
    of_judge = ms.value_and_grad(judge_loss, None, judged.parameters)
    of_maker = ms.value_and_grad(maker_loss, None, made.parameters)

    def step(real, noise):
        first, gradients = of_judge(real, noise)
        judged(gradients)
        second, gradients = of_maker(noise)
        made(gradients)
        return first + second
    return step, lambda: [*maker.get_parameters(), *judge.get_parameters()], [(data(k, 16, 8), data(k + 9, 16, 4)) for k in range(4)]


PROGRAMS = [mlp, cnn, resnet, transformer, lstm, gan]


def train(program, options, steps):
    """(losses, Parameters, regions of the step, breaks, share of operators in graphs, seconds a step)"""
    ms.set_seed(3)
    np.random.seed(3)
    step, parameters, batches = program()
    line = step.__code__.co_firstlineno
    if options is not None:
        step = ms.jit(step, **options)
    ms.reset()
    before, losses, times = ms.stats(), [], []
    for k in range(steps):
        start = time.perf_counter()
        losses.append(float(step(*batches[k % len(batches)])))
        times.append(time.perf_counter() - start)
    after = ms.stats()
    in_graphs, outside = after["graph_ops"] - before["graph_ops"], after["eager_ops"] - before["eager_ops"]
    rows = [f for f in ms.report()["functions"] if f["line"] == line]
    return (np.array(losses), [p.asnumpy().copy() for p in parameters()], sum(len(f["regions"]) for f in rows),
            sum(b["count"] for f in rows for b in f["breaks"]), in_graphs / max(1, in_graphs + outside), np.median(times))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    steps, failed = parser.parse_args().steps, 0
    print("%-12s %-6s %7s %6s %9s %10s %8s" % ("program", "mode", "regions", "breaks", "in graphs", "loss diff", "ms/step"))
    for program in PROGRAMS:
        expected = train(program, None, steps)
        print("%-12s %-6s %44.3f" % (program.__name__, "eager", 1e3 * expected[-1]))
        for mode in ("PIJit", "PSJit"):
            losses, _, regions, breaks, share, seconds = train(program, dict(mode=mode), steps)
            gap = np.max(np.abs(losses - expected[0]) / np.abs(expected[0]))
            failed += regions != 1 or breaks != 0 or share < 0.99 or gap > 1e-5
            print("%-12s %-6s %7d %6d %8.1f%% %10.1e %8.3f" % ("", mode, regions, breaks, 100 * share, gap, 1e3 * seconds))
    print("%d programs, %d failed" % (len(PROGRAMS), failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
