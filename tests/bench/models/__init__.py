"""Whole models: forward passes, training steps and loops as programs have them, float32. Each is written for msjit, torch
and JAX in a module of its own, with the same mathematics, weights and data, so that the results can be compared.

A module has NETS, from which INFERENCE and TRAINING below make works, and OTHERS, {name: function(wrap)}; `wrap` compiles a
function or leaves it alone. A work is (statement, names), or (statement, names, calls) where the statement makes several
calls; the statement's value is what is compared."""

import os

import numpy as np

WORKS = {
    "mlp b1": "784-512-256-10, forward",
    "mlp b64": "the same with 64 rows",
    "mlp b512": "the same with 512 rows",
    "mlp 300 sizes": "the same with 1 to 300 rows in turn; one call",
    "mlp train 30 sizes": "its training step (Momentum) with 2, 4, ... 60 rows in turn; one step",
    "elementwise 1M": "relu(x * y + x) - y of 1M floats",
    "elementwise 16M": "the same of 16M floats",
    "layer norm 1Kx1K": "over axis 1",
    "branch": "if x.sum() > 0, 4096 floats, both ways in turn; one call",
    "loop 50": "50 rounds of x = x * 0.9 + tanh(x * y), 64 floats",
    "lenet train": "batch 32, 1x32x32, Momentum",
    "resnet18": "batch 1, 3x224x224",
    "resnet50": "batch 1, 3x224x224",
    "resnet18 b32": "batch 32, 3x224x224",
    "resnet50 b32": "batch 32, 3x224x224",
    "resnet18 train": "batch 8, 3x32x32, first convolution 3x3, Momentum",
    "resnet50 train": "the same, a lower rate",
    "bert": "2 layers of BERT-base, batch 1, 128 tokens",
    "bert train": "the same, Adam with weight decay",
    "gpt decode": "2 layers of width 256, key/value cache grows; one of 64 tokens, most likely token fed back",
    "lstm": "by hand, 64 steps, batch 8, width 128",
    "lstm train": "the same, SGD",
    "gru": "by hand, 64 steps, batch 8, width 128",
    "gru train": "the same, SGD",
    "vae train": "784-400-20-400-784, batch 64, Adam",
    "gan train": "two networks of two layers, batch 64, one Adam each",
    "unet block": "128 channels, 32x32: convolutions, group norm, SiLU, attention",
    "graph net train": "2 layers, 2000 nodes, 10000 edges, width 64, gather and index_add, Adam",
}
# Works that torch runs faster if the weights are frozen.
CONVOLUTIONS = ("resnet18", "resnet50", "resnet18 b32", "resnet50 b32", "unet block")
# What `--work models` stands for.
GROUP = [*WORKS, "newton loop 64", "softmax 1Kx1K"]

MLP = (784, 512, 256, 10)
TRAIN_SIZES = range(2, 62, 2)
SIZES = range(1, 301)
BERT = {"width": 768, "heads": 12, "inner": 3072, "tokens": 128}
GPT = {"width": 256, "heads": 4, "words": 1000, "layers": 2, "tokens": 64}
RNN = {"batch": 8, "steps": 64, "width": 128}
UNET = {"channels": 128, "groups": 8, "heads": 4, "time": 256}
GRAPH = {"nodes": 2000, "edges": 10000, "width": 64}
VAE = {"inputs": 784, "inner": 400, "hidden": 20}
GAN = {"noise": 64, "inner": 256, "outputs": 784}
STAGES_18 = ((64, 2, 1), (128, 2, 2), (256, 2, 2), (512, 2, 2))  # channels, blocks, stride
STAGES_50 = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
RATE, MOMENTUM, ADAM_RATE, DECAY = 0.01, 0.9, 1e-3, 0.01
SLOW_RATE = 1e-5  # of a network whose gradients change by a tenth when its inputs change by a millionth
CALLS = 3  # the first and the last of so many are compared: a training step shows its updates in the later ones
TOLERANCE = 2e-3  # of the largest element


class Weights:
    """Numbers for the Parameters of a model, drawn in the order in which its layers use them."""

    def __init__(self):
        self.random = np.random.RandomState(7)

    def take(self, shape, ones=False):
        """Ones for the scales of normalised values. For other weights, small numbers that keep values about the size of the layer's input."""
        if ones:
            return np.ones(shape, np.float32)
        scale = np.prod(shape[1:]) ** -0.5 if len(shape) > 1 else 0.1
        return (self.random.standard_normal(shape) * scale).astype(np.float32)


def data(*shape):
    return np.random.RandomState(len(shape)).standard_normal(shape).astype(np.float32)


def two(count):
    return data(count), data(1, count)[0]


def labels(count, classes=10):
    return np.random.RandomState(count).randint(0, classes, count).astype(np.int32)


def classified(*shape):
    return data(*shape), labels(shape[0])


def token_states():
    return data(1, BERT["tokens"], BERT["width"])


def sequences():
    return data(RNN["batch"], RNN["steps"], RNN["width"])


def vae_batch():
    return 1 / (1 + np.exp(-data(64, VAE["inputs"]))), data(1, 64, VAE["hidden"])[0]


def gan_batch():
    return data(64, GAN["outputs"]), data(1, 64, GAN["noise"])[0]


def graph():
    """Values of the nodes, sources and targets of the edges, classes of the nodes."""
    nodes, random = GRAPH["nodes"], np.random.RandomState(3)
    ends = [random.randint(0, nodes, GRAPH["edges"]).astype(np.int32) for _ in range(2)]
    return (data(nodes, GRAPH["width"]), *ends, labels(nodes))


INFERENCE = {  # name: network, inputs
    "mlp b1": ("mlp", lambda: [data(1, MLP[0])]),
    "mlp b64": ("mlp", lambda: [data(64, MLP[0])]),
    "mlp b512": ("mlp", lambda: [data(512, MLP[0])]),
    "layer norm 1Kx1K": ("layer norm", lambda: [data(1024, 1024)]),
    "resnet18": ("resnet18", lambda: [data(1, 3, 224, 224)]),
    "resnet50": ("resnet50", lambda: [data(1, 3, 224, 224)]),
    "resnet18 b32": ("resnet18", lambda: [data(32, 3, 224, 224)]),
    "resnet50 b32": ("resnet50", lambda: [data(32, 3, 224, 224)]),
    "bert": ("bert", lambda: [token_states()]),
    "lstm": ("lstm", lambda: [sequences()]),
    "gru": ("gru", lambda: [sequences()]),
    "unet block": ("unet block", lambda: [data(1, UNET["channels"], 32, 32), data(1, UNET["time"])]),
}
TRAINING = {  # name: network, loss, optimizer, batch
    "lenet train": ("lenet", "cross_entropy", "momentum", lambda: classified(32, 1, 32, 32)),
    "resnet18 train": ("small resnet18", "cross_entropy", "momentum", lambda: classified(8, 3, 32, 32)),
    "resnet50 train": ("small resnet50", "cross_entropy", "slow_momentum", lambda: classified(8, 3, 32, 32)),
    "bert train": ("bert", "squared_error", "adam_with_decay", lambda: (token_states(), data(1, BERT["width"]))),
    "lstm train": ("lstm", "cross_entropy", "sgd", lambda: (sequences(), labels(RNN["batch"]))),
    "gru train": ("gru", "cross_entropy", "sgd", lambda: (sequences(), labels(RNN["batch"]))),
    "vae train": ("vae", "vae_loss", "adam", vae_batch),
    "graph net train": ("graph net", "cross_entropy", "adam", graph),
}


def work(module, name, wrap):
    """(statement, names) or (statement, names, calls) of a work as a module has it."""
    if name in INFERENCE:
        net, inputs = INFERENCE[name]
        return module.inference(wrap, module.NETS[net], inputs())
    if name in TRAINING:
        net, loss, optimizer, batch = TRAINING[name]
        step = module.training_step(wrap, module.NETS[net], getattr(module, loss), getattr(module, optimizer), batch())
        return "f(*a)", {"f": step, "a": module.arrays(batch())}
    if name == "mlp 300 sizes":
        statement, names = module.inference(wrap, module.NETS["mlp"], [data(1, MLP[0])])
        batches = [names["a"][:-1] + module.arrays([data(n, MLP[0])]) for n in SIZES]
        return in_turn(statement, names["f"], batches)
    if name == "mlp train 30 sizes":
        batches = [classified(n, MLP[0]) for n in TRAIN_SIZES]
        step = module.training_step(wrap, module.NETS["mlp"], module.cross_entropy, module.momentum, batches[0])
        return in_turn("f(*a)", step, [module.arrays(batch) for batch in batches])
    return module.OTHERS[name](wrap)


def in_turn(statement, f, batches):
    """The statement, of `f` and `a`, once for each of the batches."""
    space = {"f": f, "batches": batches}
    exec("def run():\n    for a in batches:\n        result = %s\n    return result" % statement, space)  # noqa: S102
    return "run()", space, len(batches)


def summary(result):
    """Numbers that stand for a result: up to 64 of its elements."""
    for name in ("asnumpy", "detach"):  # of msjit, of torch
        if hasattr(result, name):
            result = getattr(result, name)()
    flat = np.asarray(result).reshape(-1)
    return [float(value) for value in flat[::max(1, flat.size // 64)][:64]]


def difference(summaries, expected):
    """The largest difference, as a share of the largest element; NaN if there is one."""
    gaps = [np.abs(np.subtract(a, b)).max() / max(np.abs(b).max(), 1e-6) if len(a) == len(b) else np.inf
            for a, b in zip(summaries, expected)]
    return float(np.max(gaps))


def of_msjit(name, mode):
    import msjit as ms
    from models import msjit_models

    return work(msjit_models, name, lambda f: ms.jit(f, mode=mode) if mode else f)


def of_torch(name, wrap, **options):
    import torch

    from models import torch_models

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    return work(torch_models, name, lambda f: torch.compile(f, **options) if wrap else f)


def of_jax(name):
    import jax

    from models import jax_models

    return work(jax_models, name, jax.jit)


IMPLS = {
    "msjit eager": lambda name: of_msjit(name, None),
    "msjit PIJit": lambda name: of_msjit(name, "PIJit"),
    "jax jit": of_jax,
    "torch eager": lambda name: of_torch(name, False),
    "torch compile": lambda name: of_torch(name, True),
    "torch freezing": lambda name: of_torch(name, True, options={"freezing": True}) if name in CONVOLUTIONS else None,
}
