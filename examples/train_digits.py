"""Trains two networks on scikit-learn's handwritten digits, eagerly and through the bytecode JIT.

    python -m msjit examples/train_digits.py [--mode eager|PIJit|both] [--epochs N] [--json FILE]

Both modes start from the same weights and see the same batches, so their losses can be compared step by step.
"""
import argparse
import json
import sys
import time

import numpy as np

import msjit as ms
from msjit import Tensor, nn, ops

BATCH = 64
TEST_SHARE = 0.2


class MLP(nn.Cell):
    """Two hidden layers."""

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.hidden1 = nn.Dense(64, 256)
        self.hidden2 = nn.Dense(256, 128)
        self.output = nn.Dense(128, 10)

    def construct(self, x):
        x = self.flatten(x)
        x = ops.relu(self.hidden1(x))
        x = ops.relu(self.hidden2(x))
        return self.output(x)


class CNN(nn.Cell):
    """Two convolutions with pooling, then a dense layer."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(16, 32, 3, has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.flatten = nn.Flatten()
        self.output = nn.Dense(32 * 2 * 2, 10)

    def construct(self, x):
        return self.output(self.flatten(self.features(x)))


NETWORKS = [("mlp", MLP, 2e-3), ("cnn", CNN, 4e-3)]


def load_digits():
    """(train images, train labels, test images, test labels): 1,797 images of 8 x 8, scaled to [0, 1]."""
    try:
        from sklearn.datasets import load_digits as load
    except ImportError:
        sys.exit("this example needs scikit-learn for its images: pip install scikit-learn")
    pixels, digits = load(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(digits))
    images = (pixels.reshape(-1, 1, 8, 8)[order] / 16.0).astype(np.float32)
    labels = digits[order].astype(np.int32)
    cut = int(len(labels) * (1 - TEST_SHARE))
    return images[:cut], labels[:cut], images[cut:], labels[cut:]


def batches(images, labels, epoch):
    """Shuffled batches, the same for the same epoch."""
    order = np.random.RandomState(100 + epoch).permutation(len(labels))
    for start in range(0, len(order) - BATCH + 1, BATCH):
        chosen = order[start:start + BATCH]
        yield Tensor(images[chosen]), Tensor(labels[chosen])


class Progress:
    """A progress bar on one line; only every tenth part where the output is no terminal."""

    def __init__(self, title, total):
        self.title, self.total, self.done, self.shown = title, total, 0, -1
        self.live = sys.stdout.isatty()

    def step(self, loss):
        """One more step is done."""
        self.done += 1
        tenth = 10 * self.done // self.total
        if not self.live and tenth == self.shown:
            return
        self.shown = tenth
        filled = 30 * self.done // self.total
        text = "%-11s [%s%s] %4d/%d  loss %.4f" % (
            self.title, "#" * filled, "." * (30 - filled), self.done, self.total, loss)
        if self.live:
            print("\r" + text, end="\n" if self.done == self.total else "", flush=True)
        elif self.done == self.total:
            print(text)


def accuracy(net, images, labels):
    """Share of images whose largest logit is at the label."""
    net.set_train(False)
    predicted = net(Tensor(images)).asnumpy().argmax(1)
    return float((predicted == labels).mean())


def train(name, network, rate, mode, epochs, data):
    """Trains one network; returns a row of the report."""
    train_images, train_labels, test_images, test_labels = data
    ms.set_seed(42)
    net = network()
    loss_fn = nn.CrossEntropyLoss()
    steps = len(train_labels) // BATCH
    rates = nn.cosine_decay_lr(1e-5, rate, epochs * steps, steps, epochs)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=rates)

    def compute_loss(images, labels):
        return loss_fn(net(images), labels)
    value_and_grad = ms.value_and_grad(compute_loss, None, optimizer.parameters)

    def train_step(images, labels):
        """Loss, gradients and update: one region under PIJit."""
        loss, gradients = value_and_grad(images, labels)
        optimizer(gradients)
        return loss
    step = ms.jit(train_step, mode="PIJit") if mode == "PIJit" else train_step

    if ms.has_jit:
        ms.config.enabled = mode == "PIJit"
    before = ms.stats()
    losses, times = [], []
    progress = Progress("%s %s" % (name, mode), epochs * steps)
    for epoch in range(epochs):
        net.set_train()
        for images, labels in batches(train_images, train_labels, epoch):
            start = time.perf_counter()
            loss = step(images, labels)
            losses.append(float(loss.asnumpy()))
            times.append(time.perf_counter() - start)
            progress.step(losses[-1])
    after = ms.stats()
    graph_ops = after["graph_ops"] - before["graph_ops"]
    op_calls = graph_ops + after["eager_ops"] - before["eager_ops"]
    functions = [f for f in ms.report()["functions"]
                 if mode == "PIJit" and f["line"] == train_step.__code__.co_firstlineno]
    breaks = [dict(b, function=f["name"], file=f["file"]) for f in functions for b in f["breaks"]]
    return {
        "name": name, "mode": mode, "test_accuracy": accuracy(net, test_images, test_labels),
        "ms_per_step": 1e3 * float(np.median(times)), "losses": losses,
        "captured": graph_ops / op_calls if op_calls else 0.0,
        "breaks": sum(b["count"] for b in breaks), "break_list": breaks,
    }


def print_table(rows):
    """The results."""
    print("\n%-6s %-6s %14s %9s %13s %7s" % ("model", "mode", "test accuracy", "ms/step", "ops captured", "breaks"))
    for row in rows:
        print("%-6s %-6s %13.2f%% %9.3f %12.1f%% %7d" % (
            row["name"], row["mode"], 100 * row["test_accuracy"], row["ms_per_step"], 100 * row["captured"],
            row["breaks"]))
        for item in row["break_list"]:
            print("    break in %s at %s:%d: %s" % (item["function"], item["file"], item["line"], item["reason"]))
    for name, _, _ in NETWORKS:
        pair = {row["mode"]: row["losses"] for row in rows if row["name"] == name}
        if len(pair) == 2:
            gap = max(abs(a - b) for a, b in zip(pair["eager"], pair["PIJit"]))
            print("%s: eager and PIJit losses differ by at most %.1e over %d steps" % (name, gap, len(pair["eager"])))


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description="Train two small networks on handwritten digits.")
    parser.add_argument("--mode", choices=("eager", "PIJit", "both"), default="both")
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--json", metavar="FILE", help="write the results to a file")
    options = parser.parse_args()
    modes = ["eager", "PIJit"] if options.mode == "both" else [options.mode]
    if not ms.has_jit and "PIJit" in modes:
        print("PIJit is left out: %s" % ms.no_jit_reason)
        modes = ["eager"]
    data = load_digits()
    rows = [train(name, network, rate, mode, options.epochs, data)
            for name, network, rate in NETWORKS for mode in modes]
    print_table(rows)
    if options.json:
        for row in rows:
            row.pop("break_list")
        with open(options.json, "w") as file:
            json.dump({"models": rows}, file, indent=1)


if __name__ == "__main__":
    main()
