"""Run by mpirun: training by several processes is that of one process with the batches joined."""
import sys
import warnings

import numpy as np

import msjit as ms
from msjit import Tensor, mint, nn, ops
from msjit import dataset as ds
from msjit.communication import get_group_size, get_rank, init

init()
RANK, SIZE, BATCH, STEPS = get_rank(), get_group_size(), 6, 12
DATA = np.random.RandomState(1).standard_normal((STEPS, SIZE * BATCH, 1, 8, 8)).astype(np.float32)
LABELS = (DATA[:, :, 0, :4].sum((2, 3)) > 0).astype(np.int32) + 2 * (DATA[:, :, 0, 4:].sum((2, 3)) > 0).astype(np.int32)
OWN = slice(RANK * BATCH, (RANK + 1) * BATCH)


def parallel(on, **more):
    ms.reset_auto_parallel_context()
    if on:
        ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, **more)


def network(norm, seed=7):
    ms.set_seed(seed)
    return nn.SequentialCell(nn.Conv2d(1, 6, 3), norm(6), nn.ReLU(), nn.Flatten(), nn.Dense(6 * 64, 16), nn.ReLU(), nn.Dense(16, 4))


def trained(norm, on, rows, wrap=lambda step: step, seed=7, optimizer=nn.Momentum):
    """The losses and parameters after some steps on these rows of each batch."""
    parallel(on)
    net = network(norm, seed)
    step = wrap(nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer(net.trainable_params(), 0.05, 0.9)))
    losses = [float(step(Tensor(DATA[i, rows]), Tensor(LABELS[i, rows]))) for i in range(STEPS)]
    return losses, {p.name: p.asnumpy().copy() for p in net.get_parameters()}


def apart(a, b):
    return max(float(np.abs(a[name] - b[name]).max()) for name in a)


def around(step):
    return ms.jit(lambda x, y: step(x, y), mode="PIJit")


def itself(step):
    return ms.jit(step, mode="PIJit")


def whole_steps():
    plain = lambda channels: nn.BatchNorm2d(channels, use_batch_statistics=False)  # noqa: E731
    for kind, norms in (("fixed statistics", (plain, plain)), ("SyncBatchNorm", (nn.BatchNorm2d, nn.SyncBatchNorm))):
        losses, want = trained(norms[0], False, slice(None))
        for how, wrap in (("eager", lambda step: step), ("PIJit around it", around), ("PIJit", itself)):
            own, got = trained(norms[1], True, OWN, wrap)
            assert apart(got, want) < 1e-5, (kind, how, apart(got, want))
            everyone = ops.AllGather()(Tensor(own).reshape((1, -1))).asnumpy()
            assert np.allclose(everyone.mean(0), losses, rtol=1e-4, atol=1e-5), (kind, how)
        ms.set_context(mode=ms.GRAPH_MODE)
        own, got = trained(norms[1], True, OWN)
        ms.set_context(mode=ms.PYNATIVE_MODE)
        assert apart(got, want) < 1e-5, (kind, "GRAPH_MODE", apart(got, want))
    assert losses[-1] < losses[0]
    alone = trained(nn.BatchNorm2d, False, OWN)[1]
    assert apart(alone, want) > 1e-3, "the test could not fail"


def sync_batch_norm():
    """Unequal batches, (N, C) inputs, groups, gradients, half precision."""
    rng = np.random.RandomState(3)
    sizes = [2 + 3 * r for r in range(SIZE)]
    parts = [rng.standard_normal((n, 5)).astype(np.float32) for n in sizes]
    weights = [rng.standard_normal((n, 5)).astype(np.float32) for n in sizes]
    one, several = nn.BatchNorm1d(5, momentum=0.7), nn.SyncBatchNorm(5, momentum=0.7)
    one.set_train(), several.set_train()
    whole, part = mint.nn.BatchNorm1d(5).set_train(), mint.nn.SyncBatchNorm(5).set_train()
    begin, all_rows = sum(sizes[:RANK]), whole(Tensor(np.concatenate(parts))).asnumpy()
    assert np.allclose(part(Tensor(parts[RANK])).asnumpy(), all_rows[begin:begin + sizes[RANK]], atol=1e-5)
    assert np.allclose(part.running_var.asnumpy(), whole.running_var.asnumpy(), atol=1e-6) and int(part.num_batches_tracked) == 1

    def value(layer, x, w):
        return ms.value_and_grad(lambda x: (layer(x) * Tensor(w)).sum(), 0, layer.trainable_params())(Tensor(x))
    _, (want_x, want_w) = value(one, np.concatenate(parts), np.concatenate(weights))
    _, (got_x, got_w) = value(several, parts[RANK], weights[RANK])
    begin = sum(sizes[:RANK])
    assert np.allclose(got_x.asnumpy(), want_x.asnumpy()[begin:begin + sizes[RANK]], atol=1e-5)
    for got, want in zip(got_w, want_w):
        assert np.allclose(ops.AllReduce()(got).asnumpy(), want.asnumpy(), atol=1e-4)
    assert np.allclose(several.moving_mean.asnumpy(), one.moving_mean.asnumpy(), atol=1e-6)
    assert np.allclose(several.moving_variance.asnumpy(), one.moving_variance.asnumpy(), atol=1e-5)
    several.set_train(False)
    assert np.array_equal(several(Tensor(parts[RANK])).shape, parts[RANK].shape)
    half = Tensor(parts[RANK]).astype(ms.float16)
    assert several.set_train()(half).dtype == ms.float16
    groups = [[r, r + 1] for r in range(0, SIZE, 2)]
    pair = nn.SyncBatchNorm(5, process_groups=groups).set_train()(Tensor(parts[RANK])).asnumpy()
    first = RANK // 2 * 2
    want = nn.BatchNorm1d(5).set_train()(Tensor(np.concatenate(parts[first:first + 2]))).asnumpy()
    assert np.allclose(pair, want[:sizes[RANK]] if RANK == first else want[-sizes[RANK]:], atol=1e-5)
    for bad in ([[0, SIZE]], [[0, 0]], 3, [0]):
        try:
            nn.SyncBatchNorm(5, process_groups=bad)
        except ValueError:
            continue
        raise AssertionError(bad)


def reducer():
    """Buckets of several dtypes and sizes, factors, parameters that keep their own."""
    parallel(True)
    shapes = [(3,), (1 << 20,), (2, 2), (1 << 21,), (), (5, 0), (700, 1000), (7,)]
    dtypes = [np.float32, np.float32, np.float16, np.float32, np.float64, np.float32, np.float32, np.float16]
    grads = [np.full(s, 2 * i + 1, d) for i, (s, d) in enumerate(zip(shapes, dtypes))]
    parameters = [ms.Parameter(Tensor(g), name="p%d" % i, layerwise_parallel=i == 2) for i, g in enumerate(grads)]
    for mean, degree, factor in ((True, None, 1.0), (False, None, SIZE), (True, 2 * SIZE, 0.5), (None, None, 1.0)):
        got = nn.DistributedGradReducer(parameters, mean, degree)(tuple(Tensor(g * (RANK + 1)) for g in grads))
        for i, (g, want) in enumerate(zip(got, grads)):
            want = want * (RANK + 1) if i == 2 else want * (np.float64(factor) * (SIZE + 1) / 2)
            assert g.shape == want.shape and np.allclose(g.asnumpy(), want), (mean, degree, i)
    for bad in (0, -1, 1.5, True):
        try:
            nn.DistributedGradReducer(parameters, True, bad)
        except ValueError:
            continue
        raise AssertionError(bad)
    try:
        nn.DistributedGradReducer(parameters)((Tensor(np.zeros(1 + RANK // 2, np.float32)),))
        raise AssertionError("shapes differ")
    except ValueError as error:
        assert "float32 (2,) on ranks 2, 3" in str(error) or SIZE < 3, error


def models():
    """Model.train: parameters of rank 0, its part of the data for each process, skipped steps on all of them."""
    x = DATA.reshape(-1, 1, 8, 8)[:SIZE * BATCH * 4]
    y = LABELS.reshape(-1)[:len(x)]
    results = []
    for on in (False, True):
        parallel(on, parameter_broadcast=True)
        net = network(nn.SyncBatchNorm if on else nn.BatchNorm2d, seed=7 + RANK if on else 7)
        sampler = ds.DistributedSampler(SIZE, RANK, shuffle=False) if on else ds.SequentialSampler()
        # One process takes the rows in the order in which all together do: each sampler every SIZE-th.
        rows = ds.NumpySlicesDataset((x, y), ["x", "y"], sampler=sampler).batch(BATCH if on else BATCH * SIZE)
        model = ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))
        model.train(2, rows, dataset_sink_mode=False)
        results.append({p.name: p.asnumpy().copy() for p in net.get_parameters()})
    assert apart(*results) < 1e-5, apart(*results)
    parallel(True)
    net = network(nn.SyncBatchNorm)
    step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.1),
                                            nn.DynamicLossScaleUpdateCell(1024.0, 2, 100))
    before = {p.name: p.asnumpy().copy() for p in net.trainable_params()}
    batch = DATA[0, OWN].copy()
    if RANK == SIZE - 1:
        batch[0, 0, 0, 0] = np.inf
    overflow = step(Tensor(batch), Tensor(LABELS[0, OWN]))[1]
    assert bool(overflow) and apart(before, {p.name: p.asnumpy() for p in net.trainable_params()}) == 0


def warnings_of_differences():
    parallel(True)
    for seed, warned in ((7, False), (7 + RANK, True)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            net = network(nn.BatchNorm2d, seed)
            step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.1))
            step(Tensor(DATA[0, OWN]), Tensor(LABELS[0, OWN])), step(Tensor(DATA[1, OWN]), Tensor(LABELS[1, OWN]))
        found = [str(w.message) for w in caught if "begin with different values" in str(w.message)]
        assert len(found) == warned, (seed, found)


for part in (whole_steps, sync_batch_norm, reducer, models, warnings_of_differences):
    part()
print("done %d" % RANK)
sys.stdout.flush()
