"""Times msjit on a GPU: bandwidth of fused kernels beside a copy's, time of a cached call on the host, matrix products and training steps;
beside torch where it is installed. Prints one row a line.

    python tests/gpu/bench_gpu.py [substring of the rows to run]
"""
import functools
import operator
import os
import sys
import time

os.environ.setdefault("MSJIT_SYNC_COMPILE", "1")  # plans of large graphs are made at once

import networks as networks_  # noqa: E402
import numpy as np

import msjit as ms
from msjit import Tensor, _msjit, nn, ops

try:
    import torch
except ImportError:
    torch = None


def seconds(run, wait, least=0.3):
    """Time of a call, the mean over at least that many seconds, with all work done."""
    for _ in range(3):
        run()
    wait()
    count, total = 10, 0.0
    while True:
        start = time.perf_counter()
        for _ in range(count):
            run()
        wait()
        total = time.perf_counter() - start
        if total >= least:
            return total / count
        count = max(count * 2, int(count * least / max(total, 1e-6)) + 1)


def here(run):
    return seconds(run, lambda: _msjit.synchronize_device(0))


def theirs(run):
    return seconds(run, torch.cuda.synchronize)


def row(name, mine, other=None, **figures):
    text = " ".join("%s %s" % (key, value) for key, value in figures.items())
    print("%-28s msjit %10.1f us  torch %s  %s" % (name, mine * 1e6, "%10.1f us" % (other * 1e6) if other else "         -", text), flush=True)


def jit(function):
    return ms.jit(function, mode="PIJit")


def elementwise():
    n = 1 << 26
    x, y = ops.ones(n, ms.float32), ops.ones(n, ms.float32)
    tx = ty = None
    if torch:
        tx, ty = torch.ones(n, device="cuda"), torch.ones(n, device="cuda")
    rows = [("copy", lambda a, b: a + 0.5, 2), ("add", lambda a, b: a + b, 3), ("chain", lambda a, b: (a * b + a) * 0.5 - b, 3)]
    for name, function, arrays in rows:
        mine = here(functools.partial(jit(function), x, y))
        other = theirs(functools.partial(torch.compile(function), tx, ty)) if torch else None
        row("elementwise " + name, mine, other, GB_s="%.0f" % (arrays * 4 * n / mine / 1e9), torch_GB_s="%.0f" % (arrays * 4 * n / other / 1e9) if other else "-")
    if torch:
        target = torch.empty_like(tx)
        other = theirs(lambda: target.copy_(tx))
        row("torch copy_", other, other, GB_s="%.0f" % (8 * n / other / 1e9))


def rows_and_sums():
    x = ops.ones((8192, 4096), ms.float32)
    tx = torch.ones(8192, 4096, device="cuda") if torch else None
    for name, mine_of, other_of in [
            ("softmax", lambda a: ops.softmax(a, -1), lambda a: torch.softmax(a, -1)),
            ("layer norm", lambda a: (a - a.mean(-1, True)) / ops.sqrt(a.var(-1, keepdims=True) + 1e-5), lambda a: torch.nn.functional.layer_norm(a, (4096,))),
            ("sum of all", lambda a: a.sum(), lambda a: a.sum()), ("sum of columns", lambda a: a.sum(0), lambda a: a.sum(0))]:
        mine = here(functools.partial(jit(mine_of), x))
        other = theirs(functools.partial(torch.compile(other_of), tx)) if torch else None
        row(name, mine, other, GB_s="%.0f" % ((2 if "sum" not in name else 1) * 4 * 8192 * 4096 / mine / 1e9))


def calls():
    x = ops.ones(16, ms.float32)
    f = jit(lambda a: ops.tanh(a) + a * 2)
    tx, g = (torch.ones(16, device="cuda"), torch.compile(lambda a: torch.tanh(a) + a * 2)) if torch else (None, None)
    row("cached call, 16 elements", here(lambda: f(x)), theirs(lambda: g(tx)) if torch else None)
    row("eager add, 16 elements", here(lambda: x + x), theirs(lambda: tx + tx) if torch else None)


def products():
    for dtype, size in (("float32", 4096), ("float16", 8192), ("bfloat16", 8192)):
        a = Tensor(np.random.rand(size, size).astype(np.float32)).astype(getattr(ms, dtype))
        ta = torch.rand(size, size, device="cuda", dtype=getattr(torch, dtype)) if torch else None
        mine = here(functools.partial(operator.matmul, a, a))
        other = theirs(functools.partial(operator.matmul, ta, ta)) if torch else None
        row("matmul %s %d" % (dtype, size), mine, other, TFLOP_s="%.0f" % (2 * size ** 3 / mine / 1e12))


class Mlp(nn.Cell):
    def __init__(self, width=2048):
        super().__init__()
        self.a, self.b, self.c = nn.Dense(784, width), nn.Dense(width, width), nn.Dense(width, 10)

    def construct(self, x):
        return self.c(ops.relu(self.b(ops.relu(self.a(x)))))


def training():
    net = Mlp()
    loss_of, opt = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3)
    x, t = Tensor(np.random.rand(512, 784).astype(np.float32)), Tensor(np.random.randint(0, 10, 512).astype(np.int32))
    grad = ms.value_and_grad(lambda a, b: loss_of(net(a), b), None, opt.parameters)

    def step(a, b):
        loss, grads = grad(a, b)
        opt(grads)
        return loss

    other = None
    if torch:
        model = torch.nn.Sequential(torch.nn.Linear(784, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 10)).cuda()
        adam, tx, tt = torch.optim.Adam(model.parameters(), 1e-3), torch.rand(512, 784, device="cuda"), torch.randint(0, 10, (512,), device="cuda")

        def torch_step():
            adam.zero_grad()
            torch.nn.functional.cross_entropy(model(tx), tt).backward()
            adam.step()

        other = theirs(torch_step)
    before = _msjit.device_figures(0)["host_runs"]
    row("MLP step, eager", here(lambda: step(x, t)), other, host_runs=_msjit.device_figures(0)["host_runs"] - before)
    before, captured = _msjit.device_figures(0)["host_runs"], jit(step)
    row("MLP step, PIJit", here(lambda: captured(x, t)), other, host_runs=_msjit.device_figures(0)["host_runs"] - before)


def counted(name, step, other, calls=20):
    """Prints a row, with how often in a step an operator ran on the CPU, and how often the host waited."""
    for _ in range(3):
        step()
    _msjit.synchronize_device(0)
    before = _msjit.device_figures(0)
    for _ in range(calls):
        step()
    after = _msjit.device_figures(0)
    mine = here(step)
    row(name, mine, other, host_runs="%g" % ((after["host_runs"] - before["host_runs"]) / calls),
        waits="%g" % ((after["waits"] - before["waits"]) / calls), MiB="%d" % (after["peak_bytes"] >> 20))


def torch_step(model, optimizer, loss_of, x, t):
    def step():
        optimizer.zero_grad()
        loss_of(model(x), t).backward()
        optimizer.step()
    return step


CUDNN_SETTINGS = [("MSJIT_CUDNN_ANY",), ("MSJIT_CUDNN_SEARCH",), ("MSJIT_CUDNN_SEARCH", "MSJIT_CUDNN_ANY"), ("MSJIT_CUDNN_SEARCH", "MSJIT_TF32")]


def networks():
    rng = np.random.RandomState(0)
    ids, words = rng.randint(0, 30522, (8, 128)).astype(np.int32), rng.randint(0, 30522, (8, 128)).astype(np.int32)
    cases = {
        "ResNet-50": (networks_.ResNet, networks_.resnet_loss, lambda p: nn.SGD(p, 0.01, momentum=0.9),
                      rng.rand(32, 3, 224, 224).astype(np.float32), rng.randint(0, 1000, 32).astype(np.int32)),
        "BERT-base": (networks_.Bert, networks_.bert_loss, lambda p: nn.Adam(p, 1e-4), ids, words),
    }
    for index, (name, (make, loss_of, optimizer, x, t)) in enumerate(cases.items()):
        other = None
        if torch:
            torch.backends.cudnn.allow_tf32 = False  # as here
            model = networks_.torch_networks(torch)[index]().cuda().train()
            tx, tt = torch.tensor(x, device="cuda"), torch.tensor(t, device="cuda").long()
            if index == 0:
                adam, their_loss = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9), torch.nn.functional.cross_entropy
            else:
                adam = torch.optim.Adam(model.parameters(), 1e-4)
                their_loss = lambda y, labels: torch.nn.functional.cross_entropy(y.reshape(-1, y.shape[-1]), labels.reshape(-1))  # noqa: E731
            other = theirs(torch_step(model, adam, their_loss, tx, tt))
            del model, adam, tx, tt
            torch.cuda.empty_cache()
        net = make()
        step, a, b = networks_.step_of(net, loss_of, optimizer), Tensor(x), Tensor(t)
        counted(name + " step, eager", functools.partial(step, a, b), other)
        captured = jit(step)
        start = time.perf_counter()
        captured(a, b), captured(a, b).asnumpy()
        print("  first two calls: %.1f s" % (time.perf_counter() - start), flush=True)
        counted(name + " step, PIJit", functools.partial(captured, a, b), other)
        for setting in CUDNN_SETTINGS if index == 0 else ():
            os.environ.update(dict.fromkeys(setting, "1"))
            if torch and "MSJIT_TF32" in setting:
                torch.backends.cudnn.allow_tf32 = True
                model = networks_.torch_networks(torch)[0]().cuda().train()
                sgd = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
                other = theirs(torch_step(model, sgd, torch.nn.functional.cross_entropy, torch.tensor(x, device="cuda"), torch.tensor(t, device="cuda").long()))
                del model, sgd
            counted("  " + " ".join(setting), functools.partial(captured, a, b), other, 3)
            for key in setting:
                del os.environ[key]


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    ms.set_context(device_target="GPU")
    print("device: %(name)s, sm_%(architecture)d" % _msjit.device_figures(0), "torch", torch.__version__ if torch else "absent", flush=True)
    for part in (elementwise, rows_and_sums, calls, products, training, networks):
        if wanted in part.__name__:
            part()


if __name__ == "__main__":
    main()
