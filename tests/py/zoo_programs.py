"""Networks in the style of the packages of networks for MindSpore, written for tests: `networks(ms)` builds them for either
library. Their Parameters are filled by name, so what they give can be held against numbers obtained from MindSpore 2.10.
"""
import zlib

import numpy as np


def fill(ms, net):
    """Values that depend on the names of the Parameters alone."""
    for name, param in net.parameters_and_names():
        draw = np.random.RandomState(zlib.crc32(name.encode()))
        shape = tuple(param.shape)
        values = draw.uniform(0.5, 1.5, shape) if name.endswith(("gamma", "variance")) else draw.normal(0, 0.3, shape)
        param.set_data(ms.Tensor(values.astype(np.float32)))


def blocks(ms):
    """Layers that call the primitives of those they derive from, and a block of them."""
    nn, ops = ms.nn, ms.ops

    class StdConv2d(nn.Conv2d):
        """A convolution with a standardised weight, which calls the layer's own primitives."""

        def construct(self, x):
            w = self.weight
            mean, deviation = w.mean((1, 2, 3), keep_dims=True), w.std((1, 2, 3), keepdims=True)
            out = self.conv2d(x, (w - mean) / (deviation + 1e-5))
            return self.bias_add(out, self.bias) if self.has_bias else out

    class ChannelNorm(nn.LayerNorm):
        """LayerNorm over axis 1."""

        def construct(self, x):
            x = ops.transpose(x, (0, 2, 3, 1))
            y, _, _ = self.layer_norm(x, self.gamma, self.beta)
            return ops.transpose(y, (0, 3, 1, 2))

    class Squeeze(nn.Cell):
        """Squeeze and excitation."""

        def __init__(self, channels):
            super().__init__()
            self.pool = ops.ReduceMean(keep_dims=True)
            self.reduce = nn.Conv2d(channels, channels // 2, 1, has_bias=True)
            self.expand = nn.Conv2d(channels // 2, channels, 1, has_bias=True)

        def construct(self, x):
            return x * ops.sigmoid(self.expand(ops.relu(self.reduce(self.pool(x, (2, 3))))))

    return StdConv2d, ChannelNorm, Squeeze


def residual(ms):
    """A network of convolutions."""
    nn, ops, init = ms.nn, ms.ops, ms.common.initializer
    StdConv2d, ChannelNorm, Squeeze = blocks(ms)

    class Residual(nn.Cell):
        """Stages appended to a CellList one by one, and an image brought to another size and back."""

        def __init__(self):
            super().__init__()
            self.stem = nn.SequentialCell([StdConv2d(3, 8, 3, 2, "pad", 1, has_bias=True), nn.BatchNorm2d(8), nn.ReLU()])
            self.stages = nn.CellList()
            for _ in range(2):
                self.stages.append(nn.SequentialCell([
                    nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1, group=8), ChannelNorm((8,), epsilon=1e-6), nn.GELU(),
                    Squeeze(8)]))
            self.pad = nn.Pad(((0, 0), (0, 0), (1, 1), (1, 1)), "SYMMETRIC")
            self.pool = nn.MaxPool2d(3, 2)
            self.head = nn.Dense(8, 5)
            for _, cell in self.cells_and_names():
                if isinstance(cell, nn.Dense):
                    cell.weight.set_data(init.initializer(init.TruncatedNormal(0.02), cell.weight.shape, cell.weight.dtype))

        def construct(self, x):
            x = self.stem(x)
            for stage in self.stages:
                up = ops.interpolate(stage(x), size=(11, 9), mode="bilinear", align_corners=True)
                x = x + ops.ResizeNearestNeighbor(x.shape[2:])(up)
            return self.head(self.pool(self.pad(x)).mean((2, 3)))

    return Residual()


def attention(ms):
    """A block of attention."""
    nn, ops = ms.nn, ms.ops

    class Attention(nn.Cell):
        """Windows of tokens, rolled, with a bias for each relative place and one Parameter for scale."""

        def __init__(self, dim=8, heads=2):
            super().__init__()
            self.heads, self.norm = heads, nn.LayerNorm([dim])
            self.qkv, self.proj = nn.Dense(dim, 3 * dim), nn.Dense(dim, dim, has_bias=False)
            self.scale = ms.Parameter(ms.Tensor(np.ones((heads, 1, 1)), ms.float32))
            self.normalize, self.matmul, self.softmax = ops.L2Normalize(-1, 1e-12), ops.BatchMatMul(), nn.Softmax(-1)
            self.drop = nn.Dropout(p=0.1)

        def construct(self, x):
            b, n, c = x.shape
            x = ms.numpy.roll(x, 1, 1)
            qkv = self.qkv(self.norm(x)).reshape((b, n, 3, self.heads, c // self.heads)).transpose((2, 0, 3, 1, 4))
            q, k, v = ops.unstack(qkv, axis=0)
            weights = self.matmul(self.normalize(q), self.normalize(k).swapaxes(-2, -1)) * ops.exp(self.scale)
            out = self.matmul(self.drop(self.softmax(weights)), v).transpose((0, 2, 1, 3)).reshape((b, n, c))
            return x + self.proj(out)

    return Attention


def tokens(ms):
    """A network of attention."""
    nn, ops, Attention = ms.nn, ms.ops, attention(ms)

    class Tokens(nn.Cell):
        """A small vision transformer."""

        def __init__(self):
            super().__init__()
            self.embed = nn.Conv2d(3, 8, 4, 4, pad_mode="valid", has_bias=True)
            self.cls = ms.Parameter(ms.Tensor(np.zeros((1, 1, 8)), ms.float32), name="token")
            self.blocks = nn.SequentialCell(*[Attention() for _ in range(2)])
            self.head = nn.SequentialCell(nn.LayerNorm((8,)), nn.Dense(8, 4))

        def construct(self, x):
            x = ops.flatten(self.embed(x), start_dim=2).transpose((0, 2, 1))
            x = ops.concat((ops.broadcast_to(self.cls, (x.shape[0], 1, 8)), x), 1)
            return self.head(self.blocks(x)[:, 0])

    return Tokens()


def decoder(ms):
    """A network of odd layers."""
    nn, ops, init = ms.nn, ms.ops, ms.common.initializer

    class Decoder(nn.Cell):
        """Group normalisation, transposed convolution, pooled pyramids, splits and a norm over places."""

        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, (3, 1), padding=(1, 1, 0, 0), pad_mode="pad")
            self.norm = nn.GroupNorm(2, 8)
            self.up = ops.Conv2DTranspose(8, 3, pad_mode="pad", pad=1, stride=2)
            self.kernel = ms.Parameter(init.initializer("normal", [8, 4, 3, 3]), name="kernel")
            self.act, self.lp = nn.PReLU(4), ops.LpNorm([2, 3], keep_dims=True)

        def construct(self, x):
            x = nn.SiLU()(self.norm(self.conv(x)))
            b, _, h, w = x.shape
            x = self.act(self.up(x, self.kernel, (b, 4, 2 * h - 1, 2 * w - 1)))
            first, second = ms.numpy.split(x, [1], 1)
            x = ops.concat([first / (self.lp(first) + 1e-6), ops.adaptive_avg_pool2d(second, x.shape[2:])], 1)
            return ops.interpolate(x, size=(4, 3), mode="bicubic").reshape((b, -1))

    return Decoder()


def networks(ms):
    """{name: (network, shape of its input)}"""
    ms.set_seed(0)
    return {"residual": (residual(ms), (2, 3, 13, 11)), "tokens": (tokens(ms), (2, 3, 12, 8)), "decoder": (decoder(ms), (1, 3, 5, 4))}


def results(ms, net, shape):
    """(outputs, {name: sum of |gradient|}) of a filled network on fixed input."""
    net.set_train(False)
    fill(ms, net)
    x = ms.Tensor(np.random.RandomState(7).normal(size=shape).astype(np.float32))
    out = net(x)
    weights = net.trainable_params()
    factors = ms.Tensor(np.cos(np.arange(out.size)).reshape(out.shape).astype(np.float32))
    _, grads = ms.value_and_grad(lambda x: (net(x) * factors).sum(), None, weights)(x)
    return out.asnumpy(), {p.name: float(np.abs(g.asnumpy()).sum()) for p, g in zip(weights, grads)}
