"""What is timed. For each implementation and work there is a set-up that returns (statement, names); `statement` is the expression to time.
WORKS names every work once. An implementation leaves out what it does not offer."""

import numpy as np

GELU_C = 0.7978845608028654
MLP = (784, 512, 256, 10)
BATCH = 64

WORKS = {
    "add 4x4": "x + y, float32",
    "three ops 4x4": "(x + y) * x - y, float32",
    "mlp forward": "batch 64, 784-512-256-10, bias and ReLU",
    "mlp step": "the same with cross entropy, backward and SGD",
    "gelu 1M": "tanh form over 1M float32",
    "add 1M": "x + y, 1M float32",
    "sum rows 1Kx1K": "sum over axis 1",
    "softmax 1Kx1K": "over axis 1",
    "newton loop 64": "while on a tensor: square roots of 64 float32 by Newton's iteration",
}
# Timed on every interpreter, for the interpreter makes the difference; the others on two.
SMALL = ("add 4x4", "three ops 4x4")


def rand(*shape):
    return np.random.RandomState(len(shape)).standard_normal(shape).astype(np.float32)


def three_ops(x, y):
    return (x + y) * x - y


def newton(x):
    g = x * 0 + 1
    d = g * g - x
    while (d * d).sum() > 1e-3:
        g = (g + x / g) * 0.5
        d = g * g - x
    return g


def small():
    return rand(4, 4), rand(4, 4) + 1


def numpy_work(work):
    x, y = small()
    if work == "add 4x4":
        return "x + y", {"x": x, "y": y}
    if work == "three ops 4x4":
        return "f(x, y)", {"f": three_ops, "x": x, "y": y}
    if work == "newton loop 64":
        return "f(x)", {"f": newton, "x": np.abs(rand(64)) + 1}
    big = rand(1 << 20)
    square = rand(1024, 1024)
    if work == "gelu 1M":
        return "f(x)", {"f": lambda x: 0.5 * x * (1 + np.tanh(GELU_C * (x + 0.044715 * x * x * x))), "x": big}
    if work == "add 1M":
        return "x + x", {"x": big}
    if work == "sum rows 1Kx1K":
        return "x.sum(axis=1)", {"x": square}
    if work == "softmax 1Kx1K":
        def softmax(x):
            e = np.exp(x - x.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True)
        return "f(x)", {"f": softmax, "x": square}
    if work == "mlp forward":
        layers = [(rand(k, n) * 0.05, rand(n)) for k, n in zip(MLP, MLP[1:])]

        def forward(x):
            for i, (w, b) in enumerate(layers):
                x = x @ w + b
                if i + 1 < len(layers):
                    x = np.maximum(x, 0)
            return x
        return "f(x)", {"f": forward, "x": rand(BATCH, MLP[0])}
    return None


def msjit_net():
    from msjit import nn

    class Mlp(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Dense(MLP[0], MLP[1])
            self.fc2 = nn.Dense(MLP[1], MLP[2])
            self.fc3 = nn.Dense(MLP[2], MLP[3])
            self.relu = nn.ReLU()

        def construct(self, x):
            x = self.relu(self.fc1(x))
            x = self.relu(self.fc2(x))
            return self.fc3(x)

    return Mlp()


def msjit_step(wrap):
    import msjit as ms
    from msjit import nn

    net, loss = msjit_net(), nn.CrossEntropyLoss()
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01)

    def forward(x, y):
        return loss(net(x), y)

    gradients = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        value, grads = gradients(x, y)
        optimizer(grads)
        return value

    labels = ms.Tensor(np.arange(BATCH, dtype=np.int32) % 10)
    return "f(x, y)", {"f": wrap(step), "x": ms.Tensor(rand(BATCH, MLP[0])), "y": labels}


def msjit_work(work, jit):
    """`jit`: None, "PIJit" or "PSJit"."""
    import msjit as ms
    from msjit import Tensor, ops

    def wrap(f):
        return ms.jit(f, mode=jit) if jit else f

    x, y = (Tensor(a) for a in small())
    if work == "add 4x4":
        return ("f(x, y)", {"f": wrap(lambda x, y: x + y), "x": x, "y": y}) if jit else ("x + y", {"x": x, "y": y})
    if work == "three ops 4x4":
        return "f(x, y)", {"f": wrap(three_ops), "x": x, "y": y}
    if work == "newton loop 64":
        return "f(x)", {"f": wrap(newton), "x": Tensor(np.abs(rand(64)) + 1)}
    if work == "gelu 1M":
        def gelu(x):
            return 0.5 * x * (1 + ops.tanh(GELU_C * (x + 0.044715 * x * x * x)))
        return "f(x)", {"f": wrap(gelu), "x": Tensor(rand(1 << 20))}
    if work == "mlp forward":
        net = msjit_net()
        x = Tensor(rand(BATCH, MLP[0]))
        for _ in range(3):  # oneDNN makes its primitives: the first captured call is compared with a warm eager one
            net(x)
        return "f(x)", {"f": wrap(lambda x: net(x)), "x": x}
    if work == "mlp step":
        return msjit_step(wrap)
    if work == "softmax 1Kx1K":
        return "f(x)", {"f": wrap(lambda x: ops.softmax(x, axis=1)), "x": Tensor(rand(1024, 1024))}
    if jit:
        return None
    if work == "add 1M":
        return "x + x", {"x": Tensor(rand(1 << 20))}
    if work == "sum rows 1Kx1K":
        return "x.sum(axis=1)", {"x": Tensor(rand(1024, 1024))}
    return None


def jax_work(work, jit):
    import jax
    import jax.numpy as jnp

    def timed(f, *args):
        f = jax.jit(f) if jit else f
        return "f(*a).block_until_ready()", {"f": f, "a": [jnp.asarray(a) for a in args]}

    if work == "add 4x4":
        return timed(lambda x, y: x + y, *small())
    if work == "three ops 4x4":
        return timed(three_ops, *small())
    if work == "newton loop 64":
        def newton_loop(x):
            return jax.lax.while_loop(lambda g: ((g * g - x) ** 2).sum() > 1e-3, lambda g: (g + x / g) * 0.5, x * 0 + 1)
        return timed(newton_loop if jit else newton, np.abs(rand(64)) + 1)
    if work == "gelu 1M":
        return timed(lambda x: 0.5 * x * (1 + jnp.tanh(GELU_C * (x + 0.044715 * x * x * x))), rand(1 << 20))
    if work == "mlp forward":
        layers = [(rand(k, n) * 0.05, rand(n)) for k, n in zip(MLP, MLP[1:])]

        def forward(x, layers):
            for w, b in layers[:-1]:
                x = jax.nn.relu(x @ w + b)
            return x @ layers[-1][0] + layers[-1][1]
        f = jax.jit(forward) if jit else forward
        weights = [(jnp.asarray(w), jnp.asarray(b)) for w, b in layers]
        return "f(x, w).block_until_ready()", {"f": f, "x": jnp.asarray(rand(BATCH, MLP[0])), "w": weights}
    if work == "softmax 1Kx1K":
        return timed(lambda x: jax.nn.softmax(x, axis=1), rand(1024, 1024))
    return None


def torch_work(work, jit):
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    wrap = torch.compile if jit else (lambda f: f)
    x, y = (torch.from_numpy(a) for a in small())
    if work == "add 4x4":
        return ("f(x, y)", {"f": wrap(lambda x, y: x + y), "x": x, "y": y}) if jit else ("x + y", {"x": x, "y": y})
    if work == "three ops 4x4":
        return "f(x, y)", {"f": wrap(three_ops), "x": x, "y": y}
    if work == "newton loop 64":
        return "f(x)", {"f": wrap(newton), "x": torch.from_numpy(np.abs(rand(64)) + 1)}
    if work == "gelu 1M":
        f = wrap(lambda x: 0.5 * x * (1 + torch.tanh(GELU_C * (x + 0.044715 * x * x * x))))
        return "f(x)", {"f": f, "x": torch.from_numpy(rand(1 << 20))}
    if work == "mlp forward":
        n = torch.nn
        net = n.Sequential(n.Linear(784, 512), n.ReLU(), n.Linear(512, 256), n.ReLU(), n.Linear(256, 10))
        return "f(x)", {"f": wrap(net), "x": torch.from_numpy(rand(BATCH, MLP[0]))}
    if work == "softmax 1Kx1K":
        return "f(x, 1)", {"f": wrap(torch.softmax), "x": torch.from_numpy(rand(1024, 1024))}
    return None


def mindspore_work(work, jit):
    import mindspore as ms
    from mindspore import ops

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")

    def timed(f, *args):
        f = ms.jit(f, capture_mode="bytecode") if jit else f
        return "f(*a).asnumpy()", {"f": f, "a": [ms.Tensor(a) for a in args]}

    if work == "add 4x4":
        return timed(lambda x, y: x + y, *small())
    if work == "three ops 4x4":
        return timed(three_ops, *small())
    if work == "gelu 1M":
        return timed(lambda x: 0.5 * x * (1 + ops.tanh(GELU_C * (x + 0.044715 * x * x * x))), rand(1 << 20))
    return None


IMPLS = {
    "numpy": numpy_work,
    "msjit eager": lambda work: msjit_work(work, None),
    "msjit PIJit": lambda work: msjit_work(work, "PIJit"),
    "msjit PSJit": lambda work: msjit_work(work, "PSJit"),
    "jax eager": lambda work: jax_work(work, False),
    "jax jit": lambda work: jax_work(work, True),
    "torch eager": lambda work: torch_work(work, False),
    "torch compile": lambda work: torch_work(work, True),
    "mindspore eager": lambda work: mindspore_work(work, False),
    "mindspore PIJit": lambda work: mindspore_work(work, True),
}
