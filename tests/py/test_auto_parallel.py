"""AutoParallel and the cells of parallel.nn in one process: the results are those of the whole network."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops
from msjit.nn.utils import no_init_parameters
from msjit.parallel.auto_parallel import AutoParallel
from msjit.parallel.nn import GradAccumulation, MicroBatchInterleaved, Pipeline

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_a_network_in_one_process():
    with no_init_parameters():
        net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    whole = AutoParallel(net)
    whole.pipeline(stages=1)
    whole.hsdp()
    whole.dataset_strategy("data_parallel")
    whole.dataset_strategy(((1, 1), (1,)))
    whole.comm_fusion({"allreduce": {"mode": "auto", "config": None}})
    whole.enable_gradients_mean()
    assert whole(X).asnumpy().tolist() == [[3, 3], [12, 12]] and whole.get_pipeline_stages() == 1
    assert [p.name for p in whole.trainable_params()] == ["weight", "bias"]
    expected = np.float32([[3, 5, 7]] * 2)
    assert np.array_equal(ms.grad(whole, None, whole.trainable_params())(X)[0].asnumpy(), expected)
    data = ms.dataset.NumpySlicesDataset((X.asnumpy(), np.zeros((2, 2), np.float32)), ["x", "y"], shuffle=False).batch(2)
    ms.train.Model(whole, nn.MSELoss(), nn.SGD(whole.trainable_params(), 0.1)).train(1, data)
    assert not np.array_equal(net.weight.asnumpy(), np.ones((2, 3), np.float32))


def test_parts_of_a_batch():
    """Cells that run a batch in parts and add up the losses have the gradient of the whole batch."""
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    with_loss = nn.WithLossCell(net, nn.MSELoss("sum"))
    batch, target = ops.concat((X, X + 1)), ops.zeros((4, 2), ms.float32)
    expected = ms.grad(with_loss, None, net.trainable_params())(batch, target)
    for cell in (GradAccumulation(with_loss, 4), Pipeline(with_loss, 2), MicroBatchInterleaved(with_loss)):
        found = ms.grad(AutoParallel(cell), None, net.trainable_params())(batch, target)
        assert all(np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6) for a, b in zip(found, expected))
    with pytest.raises(ValueError, match=r"\[GradAccumulation\] first size of the inputs, got 4"):
        GradAccumulation(with_loss, 3)(batch, target)
    with pytest.raises(NotImplementedError, match=r"\[Pipeline\] stage_config"):
        Pipeline(with_loss, 2, {"_backbone": 0})


@pytest.mark.jit
def test_captured():
    class Scale(nn.Cell):
        def construct(self, x, by=1):
            return ops.relu(x * by - 2)

    whole = AutoParallel(Scale(), "recursive_programming")
    whole.no_init_parameters_in_compile()
    for mode in ("PIJit", "PSJit"):
        call = ms.jit(lambda x: whole(x, by=2).sum(), mode=mode)
        assert call(X).asnumpy().tolist() == call(X).asnumpy().tolist() == 20


@pytest.mark.parametrize("call, error, match", [
    (lambda n: AutoParallel(3), TypeError, r"\[AutoParallel\] network, got int"), (lambda n: AutoParallel(n.network, "auto"), ValueError, "parallel_mode"),
    (lambda n: n.pipeline(2), ValueError, "stages, got 2, expected 1"), (lambda n: n.pipeline(1.0), TypeError, "stages, got float"),
    (lambda n: n.pipeline(scheduler="x"), ValueError, "scheduler"), (lambda n: n.hsdp(0), ValueError, "shard_size"),
    (lambda n: n.hsdp(1, -1), ValueError, "threshold"), (lambda n: n.hsdp(1, 1, "level4"), ValueError, "optimizer_level"),
    (lambda n: n.dataset_strategy("x"), ValueError, "config, got 'x'"), (lambda n: n.dataset_strategy(None), ValueError, "got None"),
    (lambda n: n.dataset_strategy(((2, 1),)), ValueError, "parts of an input"), (lambda n: n.dataset_strategy([1]), TypeError, "got list"),
    (lambda n: n.dataset_strategy((1,)), TypeError, "member of config"), (lambda n: n.comm_fusion(1), TypeError, "config, got int"),
    (lambda n: n.save_operator_strategy_file("/x.json"), NotImplementedError, "save_operator_strategy_file is not offered"),
])
def test_wrong_use(call, error, match):
    with pytest.raises(error, match=match):
        call(AutoParallel(nn.ReLU()))
