"""Run by scaling.py under mpirun: times training steps and sums of gradients. Rank 0 prints the times in seconds as JSON."""
import json
import pathlib
import sys
import time

import numpy as np

import msjit as ms
from msjit import Tensor, nn
from msjit.communication import comm_func, get_group_size, get_rank, init
from msjit.communication.world import group_of
from msjit.nn import data_parallel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
import train_digits  # noqa: E402

BATCHES = {1: (32, 48, 64, 128, 256), 2: (32, 64, 128), 4: (64,), 8: (32, 64)}  # for each process; 256 rows together, and 64 each
SIZES = [1 << k for k in (12, 14, 16, 18, 20, 22, 24)]
SECONDS, GROUP = 0.3, 0.004  # for each figure, for one group of calls


class Wide(nn.Cell):
    """A larger network: 784-2048-2048-10, 5.8 million weights."""

    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.layers = nn.SequentialCell(nn.Dense(784, 2048), nn.ReLU(), nn.Dense(2048, 2048), nn.ReLU(), nn.Dense(2048, 10))

    def construct(self, x):
        return self.layers(self.flatten(x))


NETWORKS = {"digits": (train_digits.MLP, (1, 8, 8)), "wide": (Wide, (1, 28, 28))}


def shortest(call):
    """The time of one call: the shortest of many groups of calls, between barriers."""
    call(), call(), call()
    begin = time.perf_counter()
    call()
    comm_func.barrier()
    calls = int(max(1, min(50, GROUP / (time.perf_counter() - begin))))
    calls = comm_func.broadcast(Tensor([calls], ms.int32)).tolist()[0]
    best, groups = 1e9, int(max(4, SECONDS / max(1e-9, calls * (time.perf_counter() - begin))))
    groups = min(80, comm_func.broadcast(Tensor([groups], ms.int32)).tolist()[0])
    for _ in range(groups):
        comm_func.barrier()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        comm_func.barrier()
        best = min(best, (time.perf_counter() - begin) / calls)
    return best


def step_of(kind, shape, batch):
    """A training step of a network, compiled, on rows of random numbers."""
    ms.set_seed(1)
    net = kind()
    step = ms.jit(nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 1e-3)), mode="PIJit")
    rng = np.random.RandomState(get_rank())
    x, y = Tensor(rng.standard_normal((batch,) + shape).astype(np.float32)), Tensor(rng.randint(0, 10, batch).astype(np.int32))
    return net, lambda: step(x, y)


def main():
    init()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    size, group = get_group_size(), group_of("hccl_world_group", "scaling")
    found = {"steps": {}, "sums": {}, "reduce": {}, "weights": {}}
    for name, (kind, shape) in NETWORKS.items():
        found["steps"][name] = {}
        for batch in BATCHES.get(size, (64,)):
            net, step = step_of(kind, shape, batch)
            found["steps"][name][str(batch)] = shortest(step)
        weights = net.trainable_params()
        found["weights"][name] = [p.size for p in weights]
        gradients = [Tensor(np.ones(p.shape, np.float32)) for p in weights]
        if size > 1:
            found["sums"][name] = shortest(lambda gradients=gradients: data_parallel.reduce_gradients(gradients, group, 1 / size))
    for count in SIZES if size > 1 else ():
        x = Tensor(np.ones(count // 4, np.float32))
        found["reduce"][str(count)] = shortest(lambda x=x: comm_func.all_reduce(x))
    if get_rank() == 0:
        print(json.dumps(found))


main()
