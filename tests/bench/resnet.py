"""ResNet-50 (He et al., "Deep Residual Learning for Image Recognition", 2015), with the channels divided by `thinner`."""
from msjit import nn

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # channels, blocks, stride


def conv(inputs, outputs, size, stride=1):
    return nn.SequentialCell(nn.Conv2d(inputs, outputs, size, stride=stride, pad_mode="same"), nn.BatchNorm2d(outputs))


class Block(nn.Cell):
    def __init__(self, inputs, channels, stride):
        super().__init__()
        outputs = 4 * channels
        self.conv1 = conv(inputs, channels, 1)
        self.conv2 = conv(channels, channels, 3, stride)
        self.conv3 = conv(channels, outputs, 1)
        self.relu = nn.ReLU()
        self.shortcut = conv(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

    def construct(self, x):
        y = self.relu(self.conv1(x))
        y = self.relu(self.conv2(y))
        y = self.conv3(y)
        if self.shortcut is not None:
            x = self.shortcut(x)
        return self.relu(y + x)


class ResNet50(nn.Cell):
    def __init__(self, classes=1000, thinner=1):
        super().__init__()
        inputs = 64 // thinner
        self.conv = conv(3, inputs, 7, 2)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(3, 2, pad_mode="same")
        blocks = []
        for channels, count, stride in STAGES:
            for i in range(count):
                blocks.append(Block(inputs, channels // thinner, 1 if i else stride))
                inputs = 4 * channels // thinner
        self.blocks = nn.SequentialCell(blocks)
        self.fc = nn.Dense(inputs, classes)

    def construct(self, x):
        x = self.pool(self.relu(self.conv(x)))
        x = self.blocks(x)
        return self.fc(x.mean((2, 3)))
