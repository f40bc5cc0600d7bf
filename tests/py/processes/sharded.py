"""Run by mpirun: training with the state of the optimizer divided over the processes is, bit by bit, training with the whole state in each."""
import copy
import sys

import numpy as np

import msjit as ms
from msjit import Tensor, mint, nn, ops
from msjit.communication import get_group_size, get_rank, init
from msjit.experimental import optim as grouped

init()
RANK, SIZE, STEPS = get_rank(), get_group_size(), 4
RNG = np.random.RandomState(RANK)
DATA = RNG.standard_normal((STEPS, 8, 8)).astype(np.float32)
LABELS = RNG.randint(0, 4, (STEPS, 8)).astype(np.int32)


def parallel(sharded, **more):
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, enable_parallel_optimizer=sharded, **more)


def network():
    ms.set_seed(3)
    return nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.LayerNorm((16,)), nn.Dense(16, 24), nn.ReLU(), nn.Dense(24, 4))


def whole_step(net, optimizer):
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)


def trained(make, sharded, step=whole_step, batches=range(STEPS), **more):
    """The Parameters after some steps, and how much state the optimizer keeps here."""
    parallel(sharded, **more)
    net = network()
    optimizer = make(net)
    run = step(net, optimizer)
    for i in batches:
        run(Tensor(DATA[i]), Tensor(LABELS[i]))
    own = {id(p) for p in net.get_parameters()}
    state = sum(p.size for p in optimizer._param_index.values() if id(p) not in own)
    return [p.asnumpy() for p in net.get_parameters()], state


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b))


def compare(what, make, step=whole_step, **more):
    want, whole = trained(make, False, step)
    got, here = trained(make, True, step, **more)
    assert same(got, want), what
    together = int(ops.AllReduce()(Tensor([here], ms.int32)))
    assert together == whole and here <= whole * (1 / SIZE + 0.35), (what, here, together, whole)


def groups(net):
    params = net.trainable_params()
    return [{"params": params[:3], "lr": 0.01, "weight_decay": 0.01}, {"params": params[3:], "weight_decay": 0.1, "grad_centralization": True}]


def params(net):
    return net.trainable_params()


def every_optimizer():
    makers = {
        "SGD": lambda net: nn.SGD(params(net), 0.1), "SGD with momentum": lambda net: nn.SGD(params(net), 0.1, 0.9, nesterov=True),
        "Momentum": lambda net: nn.Momentum(groups(net), 0.1, 0.9),
        "Adam": lambda net: nn.Adam(groups(net), nn.ExponentialDecayLR(0.01, 0.9, 2), loss_scale=4.0),
        "amsgrad": lambda net: nn.Adam(params(net), [0.1, 0.05, 0.02], use_amsgrad=True), "LazyAdam": lambda net: nn.LazyAdam(params(net)),
        "AdamWeightDecay": lambda net: nn.AdamWeightDecay(params(net), weight_decay=0.01), "Adagrad": lambda net: nn.Adagrad(params(net)),
        "RMSProp": lambda net: nn.RMSProp(params(net), centered=True, momentum=0.9), "Adadelta": lambda net: nn.Adadelta(params(net)),
        "AdaMax": lambda net: nn.AdaMax(params(net)), "FTRL": lambda net: nn.FTRL(params(net)), "ASGD": lambda net: nn.ASGD(params(net)),
        "ProximalAdagrad": lambda net: nn.ProximalAdagrad(params(net)), "Rprop": lambda net: nn.Rprop(params(net)),
        "Lamb": lambda net: nn.Lamb(params(net), 0.01, weight_decay=0.1), "AdaFactor": lambda net: nn.AdaFactor(params(net), beta1=0.9),
    }
    for kind in (mint.optim.Adam, mint.optim.AdamW, mint.optim.SGD, grouped.Adadelta, grouped.Adagrad, grouped.Adamax, grouped.RMSprop,
                 grouped.RAdam, grouped.NAdam, grouped.ASGD, grouped.Rprop):
        makers[kind.__module__ + "." + kind.__name__] = lambda net, kind=kind: kind(
            [{"params": params(net)[:2], "lr": 0.02}, {"params": params(net)[2:]}], lr=0.01)
    for place, (what, make) in enumerate(makers.items()):
        if SIZE == 2 or place % 5 == 0:  # more processes are slow
            compare(what, make)
    lars = lambda net: nn.LARS(nn.Momentum(params(net), 0.1, 0.9, weight_decay=0.01))  # noqa: E731
    assert same(trained(lars, True)[0], trained(lars, False)[0]), "LARS"


def adam(net):
    return nn.Adam(groups(net), 0.01)


def captured():
    def itself(net, optimizer):
        return ms.jit(whole_step(net, optimizer), mode="PIJit")

    def around(net, optimizer):
        step = whole_step(net, optimizer)
        return ms.jit(lambda x, y: step(x, y), mode="PIJit")

    def by_hand(net, optimizer):
        """Accumulates two parts of the batch, and clips by the norm of all gradients."""
        loss_fn, reducer = nn.CrossEntropyLoss(), nn.DistributedGradReducer(optimizer.parameters)
        gradients = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

        def step(x, y):
            loss, first = gradients(x[:4], y[:4])
            _, second = gradients(x[4:], y[4:])
            optimizer(ops.clip_by_global_norm(reducer(tuple([a + b for a, b in zip(first, second)])), 0.1))
            return loss
        return step

    def accumulated(net, optimizer):
        return nn.TrainOneStepCell(nn.GradAccumulationCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), 2), optimizer)

    def scaled(net, optimizer):
        return nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer,
                                                nn.DynamicLossScaleUpdateCell(1024.0, 2, 2))
    steps = itself, around, by_hand, lambda *args: ms.jit(by_hand(*args), mode="PIJit"), accumulated, scaled
    for step in steps if SIZE == 2 else steps[2:3]:
        compare(step.__name__, adam, step)
    ms.set_context(mode=ms.GRAPH_MODE)
    compare("GRAPH_MODE", adam)
    compare("GRAPH_MODE, grouped", lambda net: mint.optim.AdamW(params(net)))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    last = DATA[1, 7, 0]
    if RANK == SIZE - 1:  # one process overflows, all skip the step
        DATA[1, 7, 0] = np.inf
    compare("overflow", adam, scaled)
    DATA[1, 7, 0] = last


def kinds_of_parameters():
    """Large ones, which are sent alone; several dtypes; ones that every process keeps; more processes than Parameters; new values by set_data."""
    shapes = [((1 << 20) + 3, np.float32), (5, np.float32), (0, np.float32), (7, np.float16), ((1 << 20) + 9, np.float32), (300000, np.float64), (4, np.float32)]
    given = [np.random.RandomState(i).standard_normal(n).astype(dtype) for i, (n, dtype) in enumerate(shapes)]
    for count in (len(shapes), 1):
        results = []
        for sharded in (False, True):
            parallel(sharded)
            made = [ms.Parameter(Tensor(g), name="p%d" % i, layerwise_parallel=i == 6, parallel_optimizer=i != 5) for i, g in enumerate(given[:count])]
            optimizer = nn.Momentum(made, 0.1, 0.9)
            for _ in range(3):
                optimizer(tuple([Tensor(g * 2) for g in given[:count]]))
            assert all(optimizer(tuple([Tensor(g) for g in given[:count]])))
            results.append([p.asnumpy() for p in made])
        assert same(*results), count
        names = {p.name for p in optimizer.moments}
        assert count == 1 or {"moments.p5", "moments.p6"} <= names and ("moments.p0" in names) != ("moments.p4" in names) or SIZE > 2, names
        assert optimizer.use_parallel and optimizer.optim_filter == tuple(["moments.p%d" % i in names for i in range(count)])
    parallel(True, parallel_optimizer_config={"parallel_optimizer_threshold": 1})
    names = [p.name for p in nn.Momentum(network().trainable_params(), 0.1, 0.9).moments]
    assert len(names) >= 6 and ("moments.3.weight" in names) == (RANK == 0), names  # that one alone has 1 KiB and more


class OwnConstruct(nn.Optimizer):
    """As programs for MindSpore write it: state for all Parameters, updates where optim_filter says so, then broadcast_params."""

    _support_parallel_optimizer = True

    def __init__(self, parameters):
        super().__init__(0.1, parameters)
        self.moments = self.parameters.clone("own", "zeros")

    def construct(self, gradients):
        for param, moment, gradient, here in zip(self.parameters, self.moments, gradients, self.optim_filter):
            if here:
                ops.assign(moment, moment * 0.9 + gradient)
                ops.assign(param, param - 0.1 * moment)
        if self.use_parallel:
            self.broadcast_params(True)
        return True


class Unsupported(nn.Adam):
    def construct(self, gradients):
        return super().construct(gradients)


def own_optimizers():
    want, _ = trained(lambda net: OwnConstruct(params(net)), False)
    assert same(trained(lambda net: OwnConstruct(params(net)), True)[0], want)
    raises(NotImplementedError, "got OwnConstruct, whose construct is the program's", lambda: ms.save_checkpoint(OwnConstruct(params(network())), "x"))


def copied():
    """A copy of an optimizer updates its own Parameters, and all of them."""
    results = []
    for sharded in (False, True):
        parallel(sharded)
        net = network()
        other = copy.deepcopy(adam(net))
        for _ in range(2):
            other(tuple([Tensor(np.ones(p.shape, np.float32)) for p in other.parameters]))
        results.append([p.asnumpy() for p in other.parameters])
        assert same([p.asnumpy() for p in net.get_parameters()], [p.asnumpy() for p in network().get_parameters()]), sharded
    assert same(*results)


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(text)


def refused():
    def made(kind=nn.Adam, **config):
        parallel(True, parallel_optimizer_config=config)
        return kind(params(network()))
    raises(RuntimeError, "got Unsupported, which defines construct", lambda: made(Unsupported))
    raises(NotImplementedError, "optimizer_level, got 'level2', expected 'level1'", lambda: made(optimizer_level="level2"))
    raises(NotImplementedError, "gradient_accumulation_shard, got True", lambda: made(gradient_accumulation_shard=True))
    raises(NotImplementedError, "optimizer_weight_shard_size, got 1000", lambda: made(optimizer_weight_shard_size=1000))
    raises(ValueError, "parallel_optimizer_threshold, got -1", lambda: made(parallel_optimizer_threshold=-1))
    raises(TypeError, "parallel_optimizer_threshold, got float", lambda: made(parallel_optimizer_threshold=1.0))
    raises(ValueError, "got 'threshold', expected one of", lambda: made(threshold=1))
    made(optimizer_weight_shard_size=SIZE, optimizer_level="level1")
    late = mint.optim.AdamW(params(network())[:2])
    raises(NotImplementedError, "expected all of them before", lambda: late.add_param_group({"params": params(network())[2:]}))
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(enable_parallel_optimizer=True)
    raises(RuntimeError, "parallel_mode, got 'stand_alone', expected 'data_parallel'", lambda: nn.Adam(params(network())))
    parallel(True)
    separate = nn.Momentum(params(network()), 0.1, 0.9)  # without the reducer
    raises(RuntimeError, "gradient of 0.weight, got different ones in the processes",
           lambda: separate(tuple([Tensor(np.full(p.shape, RANK, np.float32)) for p in separate.parameters])))
    uneven = nn.Momentum([ms.Parameter(Tensor(np.zeros(3 + RANK // (SIZE - 1), np.float32)), name="uneven")], 0.1, 0.9)
    raises(ValueError, "float32 (4,) on rank %d" % (SIZE - 1), lambda: uneven((Tensor(np.zeros(uneven.parameters[0].shape, np.float32)),)))


for part in (every_optimizer, captured, kinds_of_parameters, own_optimizers, copied, refused):
    part()
print("done %d" % RANK)
sys.stdout.flush()
