"""What packages made for MindSpore import and rely on besides its documented names."""
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops


class Tied(nn.Cell):
    """The table of the words is also that of the scores, by the value that the embedding hands on."""

    def __init__(self):
        super().__init__()
        self.table = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(3, 2) / 3), name="table")

    def construct(self, x):
        table = self.table.value()
        return (ops.matmul(ops.gather(self.table, x, 0), table.T) ** 2).sum()


@pytest.mark.jit
def test_gradients_go_through_the_value_of_a_parameter():
    net, x = Tied(), Tensor([0, 2])
    step = ms.value_and_grad(net, None, net.trainable_params())
    table, picked = net.table.asnumpy(), net.table.asnumpy()[[0, 2]]
    scores = 2 * picked @ table.T
    expected = scores.T @ picked
    expected[[0, 2]] += scores @ table
    for call in (step, ms.jit(lambda x: step(x), mode="PIJit"), ms.jit(lambda x: step(x))):
        np.testing.assert_allclose(call(x)[1][0].asnumpy(), expected, rtol=1e-5)
    value = net.table.value()
    assert type(value) is Tensor and value.shape == (3, 2)
    np.testing.assert_array_equal(value.asnumpy(), table)


def test_products_of_stacks_broadcast():
    a, b = (np.random.RandomState(0).normal(size=s).astype(np.float32) for s in ((2, 4, 3, 5), (5, 6)))
    np.testing.assert_allclose(ops.BatchMatMul()(Tensor(a), Tensor(b)).asnumpy(), a @ b, rtol=1e-5, atol=1e-6)


def test_arguments_that_go_into_keywords_are_checked_by_their_names():
    from msjit._checkparam import args_type_check

    @args_type_check(size=int)
    def made(first=1, **kwargs):
        return kwargs
    assert made(size=3, other="x") == {"size": 3, "other": "x"}
    with pytest.raises(TypeError, match="size"):
        made(size="x")


@pytest.mark.costly
def test_modules_are_attributes_without_an_import():
    code = """import mindspore as ms
from mindspore import nn
import mindspore.dataset.vision as vision
print(ms.__version__, ms.train.serialization.load_checkpoint is ms.load_checkpoint, nn.metrics.Accuracy is ms.train.Accuracy)
import mindspore.train.callback._checkpoint as saved
print(saved.CheckpointManager.__name__, vision.transforms.PyTensorOperation.__name__, nn.optim.Adam is nn.Adam)
try:
    ms.train.nothing
except AttributeError as error:
    print(error)
import mindspore.common._register_for_recompute, mindspore.common.file_system, mindspore.parallel.strategy, mindspore.profiler.common.constant
import mindspore.train.node_strategy_pb2, mindspore.ops._grad_experimental.grad_comm_ops
"""
    out = subprocess.run([sys.executable, "-m", "msjit", "--alias", "mindspore", "--mode", "eager", "-c", code], stdout=subprocess.PIPE,
                         check=True, universal_newlines=True).stdout.splitlines()
    assert out[0] == "2.10.0 True True" and out[1] == "CheckpointManager PyTensorOperation True" and "'nothing'" in out[2]


def test_checkpoints_that_a_callback_manages(tmp_path):
    from msjit.train.callback import CheckpointManager
    for i in range(4):
        path = tmp_path / ("net-%d.ckpt" % i)
        path.write_text("")
        os.utime(str(path), (1000 + 60 * i, 1000 + 60 * i))
    manager = CheckpointManager()
    manager.update_ckpoint_filelist(str(tmp_path), "net")
    assert manager.ckpoint_num == 4
    manager.remove_oldest_ckpoint_file()
    assert [os.path.basename(path) for path in manager.ckpoint_filelist] == ["net-1.ckpt", "net-2.ckpt", "net-3.ckpt"]
    manager.keep_one_ckpoint_per_minutes(2, 1190)
    assert sorted(os.listdir(str(tmp_path))) == ["net-1.ckpt", "net-2.ckpt"] and manager.ckpoint_num == 2


def test_checkpoints_of_a_training_as_safetensors(tmp_path):
    net = nn.Dense(2, 1)
    data = ms.dataset.NumpySlicesDataset(([[1.0, 2.0]], [[1.0]]), ["x", "y"], shuffle=False).map(
        lambda v: v.astype(np.float32), "x").map(lambda v: v.astype(np.float32), "y").batch(1)
    config = ms.train.CheckpointConfig(save_checkpoint_steps=1, format="safetensors")
    saved = ms.train.ModelCheckpoint("net", str(tmp_path), config)
    ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data, [saved], dataset_sink_mode=False)
    assert saved.latest_ckpt_file_name.endswith("net-1_1.safetensors")
    found = ms.load_checkpoint(saved.latest_ckpt_file_name, format="safetensors")
    np.testing.assert_array_equal(found["weight"].asnumpy(), net.weight.asnumpy())


def test_layouts_of_single_tensors():
    from msjit.parallel.layouts import Layout, _DistributedTensorInfo
    grid = Layout((2, 4, 3), ("a", "b", "c"))
    for names, parts in ((("a", "b"), [2, 4]), ((("a", "b"), "None"), [8, 1]), (("None", "c", "None"), [1, 3, 1])):
        assert _DistributedTensorInfo(grid(*names)).sharding_strategy == parts
    with pytest.raises(TypeError, match="expected a Layout"):
        _DistributedTensorInfo(3)


def test_parts_of_a_batch():
    from msjit.nn.wrap import cell_wrapper
    x, y = cell_wrapper._MicroBatch(2)(1, Tensor([[1.0], [2.0], [3.0], [4.0]]), Tensor([1, 2, 3, 4]))
    assert x.asnumpy().tolist() == [[3.0], [4.0]] and y.asnumpy().tolist() == [3, 4]


def test_names_that_loaders_and_training_steps_import():
    from msjit.experimental.optim.optimizer import check_not_less_than, check_not_less_than_without_equal
    from msjit.nn.wrap.loss_scale import _grad_scale, reciprocal
    from msjit.train.amp import _OutputTo32
    from msjit.train.serialization import _load_dismatch_prefix_params

    from msjit.log import _get_logger
    net, missing = nn.Dense(2, 2, bias_init="zeros"), ["weight", "bias"]
    loaded = {"net.a.weight": Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")}
    assert _load_dismatch_prefix_params(net, loaded, missing, False) is None
    assert missing == ["bias"] and net.weight.asnumpy().tolist() == [[1, 2], [3, 4]] and net.bias.asnumpy().tolist() == [0, 0]
    half = nn.ReLU().to_float(ms.float16)
    outputs = _OutputTo32(half)(Tensor([-1.0, 2.0]))
    assert half(Tensor([1.0])).dtype == ms.float16 and outputs.dtype == ms.float32 and outputs.asnumpy().tolist() == [0, 2]
    assert reciprocal(Tensor([4.0])).asnumpy().tolist() == [0.25]
    assert _grad_scale(Tensor(2.0), Tensor([4.0])).asnumpy().tolist() == [2]
    check_not_less_than(0.0, "eps", "Adam")
    with pytest.raises(ValueError, match="eps"):
        check_not_less_than_without_equal(0.0, "eps", "Adam")
    with pytest.raises(ValueError, match="eps"):
        check_not_less_than(-1.0, "eps", "Adam")
    assert _get_logger().name == "msjit"


class OfMindSpore:
    """Is pickled as MindSpore pickles a Tensor: an empty one, and then its array."""

    def __init__(self, array):
        self.array = array

    def __reduce__(self):
        return Tensor.__new__, (Tensor,), {"value": (self.array,)}


@pytest.mark.parametrize("array", [np.float32([[1, 2], [3, 4]]), np.float16([1.5]), np.int64(3).reshape(()), np.zeros((0, 2), np.int8),
                                   np.array([True, False])])
def test_tensors_that_mindspore_pickled_are_read(array):
    read = pickle.loads(pickle.dumps([OfMindSpore(array)]))[0]
    assert type(read) is Tensor and read.shape == array.shape and read.asnumpy().dtype == array.dtype
    np.testing.assert_array_equal(read.asnumpy(), array)
    read.note = "kept"
    again = pickle.loads(pickle.dumps(read))
    assert again.note == "kept" and again.dtype == read.dtype and (read + read).shape == array.shape
