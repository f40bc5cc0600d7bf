"""The networks of bench_gpu.py and test_gpu_networks.py: ResNet-50 (He et al., 2015) and BERT (Devlin et al., 2018), here and in torch."""
import numpy as np

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # channels, blocks, stride


def _conv(inputs, outputs, size, stride=1):
    return nn.SequentialCell(nn.Conv2d(inputs, outputs, size, stride=stride, pad_mode="pad", padding=size // 2), nn.BatchNorm2d(outputs))


class Block(nn.Cell):
    def __init__(self, inputs, channels, stride):
        super().__init__()
        outputs = 4 * channels
        self.conv1, self.conv2, self.conv3 = _conv(inputs, channels, 1), _conv(channels, channels, 3, stride), _conv(channels, outputs, 1)
        self.shortcut = _conv(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

    def construct(self, x):
        y = ops.relu(self.conv1(x))
        y = self.conv3(ops.relu(self.conv2(y)))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return ops.relu(y + x)


class ResNet(nn.Cell):
    def __init__(self, classes=1000, stages=STAGES):
        super().__init__()
        inputs = stages[0][0]
        self.conv, self.pool = _conv(3, inputs, 7, 2), nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        blocks = []
        for channels, count, stride in stages:
            for i in range(count):
                blocks.append(Block(inputs, channels, 1 if i else stride))
                inputs = 4 * channels
        self.blocks, self.fc = nn.SequentialCell(blocks), nn.Dense(inputs, classes)

    def construct(self, x):
        x = self.blocks(self.pool(ops.relu(self.conv(x))))
        return self.fc(x.mean((2, 3)))


class Layer(nn.Cell):
    def __init__(self, width, heads, drop):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = [nn.Dense(width, width) for _ in range(4)]
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.drop = nn.Dropout(p=drop)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(0, 2, 1, 3)

    def construct(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = self.drop(ops.softmax(ops.matmul(query, key.transpose(0, 1, 3, 2)) / query.shape[-1] ** 0.5, -1))
        mixed = ops.matmul(weights, value).transpose(0, 2, 1, 3).reshape(x.shape)
        x = self.norm1(x + self.drop(self.output(mixed)))
        return self.norm2(x + self.drop(self.down(ops.gelu(self.up(x)))))


class Bert(nn.Cell):
    """Word ids [batch, length] to logits over the vocabulary at each place."""

    def __init__(self, words=30522, width=768, heads=12, layers=12, places=512, drop=0.1):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = Parameter(Tensor(np.random.RandomState(1).randn(places, width).astype(np.float32) * 0.02), name="places")
        self.norm, self.drop = nn.LayerNorm((width,)), nn.Dropout(p=drop)
        self.layers = nn.CellList([Layer(width, heads, drop) for _ in range(layers)])
        self.head = nn.Dense(width, words)

    def construct(self, ids):
        x = self.drop(self.norm(self.words(ids) + self.places[:ids.shape[1]]))
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def bert_loss(net, ids, targets):
    logits = net(ids)
    return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))


def resnet_loss(net, x, t):
    return ops.cross_entropy(net(x), t)


def step_of(net, loss_of, optimizer):
    net.set_train()
    opt = optimizer(net.trainable_params())
    grad = ms.value_and_grad(lambda a, b: loss_of(net, a, b), None, opt.parameters)

    def step(a, b):
        loss, grads = grad(a, b)
        opt(grads)
        return loss

    return step


def torch_networks(torch):
    """(ResNet-50, BERT-base) classes of torch, built alike."""
    t = torch.nn

    def conv(inputs, outputs, size, stride=1):
        return t.Sequential(t.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), t.BatchNorm2d(outputs))

    class TorchBlock(t.Module):
        def __init__(self, inputs, channels, stride):
            super().__init__()
            outputs = 4 * channels
            self.conv1, self.conv2, self.conv3 = conv(inputs, channels, 1), conv(channels, channels, 3, stride), conv(channels, outputs, 1)
            self.shortcut = conv(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

        def forward(self, x):
            y = torch.relu(self.conv1(x))
            y = self.conv3(torch.relu(self.conv2(y)))
            return torch.relu(y + (x if self.shortcut is None else self.shortcut(x)))

    class TorchResNet(t.Module):
        def __init__(self):
            super().__init__()
            inputs, blocks = 64, []
            for channels, count, stride in STAGES:
                for i in range(count):
                    blocks.append(TorchBlock(inputs, channels, 1 if i else stride))
                    inputs = 4 * channels
            self.conv, self.pool = conv(3, 64, 7, 2), t.MaxPool2d(3, 2, 1)
            self.blocks, self.fc = t.Sequential(*blocks), t.Linear(inputs, 1000)

        def forward(self, x):
            return self.fc(self.blocks(self.pool(torch.relu(self.conv(x)))).mean((2, 3)))

    class TorchLayer(t.Module):
        def __init__(self, width, heads, drop):
            super().__init__()
            self.heads = heads
            self.query, self.key, self.value, self.output = [t.Linear(width, width) for _ in range(4)]
            self.norm1, self.norm2, self.drop = t.LayerNorm(width), t.LayerNorm(width), t.Dropout(drop)
            self.up, self.down = t.Linear(width, 4 * width), t.Linear(4 * width, width)

        def split(self, x):
            return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

        def forward(self, x):
            query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
            weights = self.drop(torch.softmax(query @ key.transpose(2, 3) / query.shape[-1] ** 0.5, -1))
            x = self.norm1(x + self.drop(self.output((weights @ value).transpose(1, 2).reshape(x.shape))))
            return self.norm2(x + self.drop(self.down(t.functional.gelu(self.up(x)))))

    class TorchBert(t.Module):
        def __init__(self, words=30522, width=768, heads=12, layers=12, places=512, drop=0.1):
            super().__init__()
            self.words, self.places = t.Embedding(words, width), t.Parameter(torch.randn(places, width) * 0.02)
            self.norm, self.drop = t.LayerNorm(width), t.Dropout(drop)
            self.layers, self.head = t.Sequential(*[TorchLayer(width, heads, drop) for _ in range(layers)]), t.Linear(width, words)

        def forward(self, ids):
            return self.head(self.layers(self.drop(self.norm(self.words(ids) + self.places[:ids.shape[1]]))))

    return TorchResNet, TorchBert
