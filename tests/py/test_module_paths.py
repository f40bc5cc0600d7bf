"""MindSpore's module paths that are other files here, and names that only raise when they are called."""
import subprocess
import sys

import pytest

import msjit as ms

PROGRAM = """
import msjit.alias
msjit.alias.install("mindspore")
import mindspore as ms
from mindspore.ops.function.math_func import add
from mindspore.ops.function import nn_func
from mindspore.ops.operations.nn_ops import Conv2D
from mindspore.ops.operations import _inner_ops
from mindspore.ops.composite.multitype_ops.mul_impl import MultitypeFuncGraph
from mindspore.ops.function.comm_func import all_reduce
from mindspore.parallel.nn.parallel_cell_wrapper import Pipeline
from mindspore.rewrite.api.symbol_tree import SymbolTree
from mindspore.common._utils import is_shape_unknown, is_dim_unknown, get_func
from mindspore.common.api import ms_memory_recycle
from mindspore._check_jit_forbidden_api import jit_forbidden_register, get_jit_forbidden_method
from mindspore._c_expression import typing
from mindspore._c_expression.typing import BFloat, Complex, Number, Type, UInt
from mindspore.ops.primitive import constexpr, _primexpr, Primitive
from mindspore.ops._primitive_cache import _get_cache_prim
from mindspore.ops.auto_generate.gen_ops_prim import MatMul
from mindspore.nn.layer.pooling import AdaptiveAvgPool2d
from mindspore.nn.layer.normalization import InstanceNorm2d, _BatchNorm
from mindspore.nn.layer.image import SSIM
from mindspore.nn.layer.basic import Dropout, Pad, ClipByNorm
from mindspore.nn.metrics import Accuracy
from mindspore.common.recompute import recompute
from mindspore.common.mutable import mutable
from mindspore.dataset.engine.datasets_user_defined import GeneratorDataset
from mindspore.dataset.text.utils import Vocab
from mindspore.utils.dlpack import to_dlpack
from mindspore import _checkparam as validator
from mindspore.parallel import set_algo_parameters, Layout
from mindspore.parallel.nn import Pipeline
from mindspore.rewrite import SymbolTree
from mindspore.boost import AutoBoost
from mindspore.experimental.optim.adam import Adam
from mindspore.mint.optim.adamw import AdamW
from mindspore.nn.probability.distribution.normal import Normal
from mindspore.nn.probability.bijector.exp import Exp
from mindspore.mindrecord.filewriter import FileWriter
from mindspore.dataset.callback.ds_callback import DSCallback
from mindspore.dataset.vision.transforms import Resize
from mindspore.dataset.audio.transforms import AllpassBiquad
from mindspore.nn.utils.init import no_init_parameters
from mindspore.nn.grad.cell_grad import Jvp
from mindspore.scipy.optimize.minimize import minimize
from mindspore.boost.adasum import AdaSum
from mindspore.nn.cell import GraphCell
from mindspore.nn.wrap.loss_scale import _grad_overflow, _grad_scale
from mindspore.mindrecord.tools.cifar10_to_mr import Cifar10ToMR
from mindspore.mindrecord.config import set_enc_key
from mindspore.train.summary.summary_record import SummaryRecord
from mindspore.train._utils import check_value_type
from mindspore.train.data_sink import data_sink
from mindspore.device_context.ascend.op_precision import precision_mode
from mindspore.ops.composite.multitype_ops.zeros_like_impl import zeros_like
from mindspore.common.dynamic_shape.enable_dynamic import enable_dynamic
from mindspore.common._decorator import deprecated
from mindspore.common.initializer import _assignment, _init_random_normal
from mindspore.common.parameter import PARAMETER_NAME_DEFAULT
from mindspore.common.seed import _get_graph_seed
from mindspore.communication._comm_helper import GlobalComm
from mindspore.dataset.engine.iterators import DictIterator
from mindspore.dataset.engine.datasets_vision import CocoDataset
import mindspore.version
assert Adam is ms.experimental.optim.Adam and AdamW is ms.mint.optim.AdamW and Normal is ms.nn.probability.distribution.Normal
assert add is ms.ops.add and nn_func.softmax is ms.ops.softmax and ms.ops.function.array_func.concat is ms.ops.concat
assert Conv2D is ms.ops.Conv2D and AdaptiveAvgPool2d is ms.nn.AdaptiveAvgPool2d and Accuracy is ms.nn.Accuracy
assert _get_cache_prim(MatMul)(True) is _get_cache_prim(MatMul)(True) is not _get_cache_prim(MatMul)(False)
assert _get_cache_prim(MatMul)(1) is not _get_cache_prim(MatMul)(True)
class Tree(SymbolTree):
    pass
try:
    ms.nn.layer.pooling.Missing
except AttributeError:
    print("done")
"""


@pytest.mark.costly
def test_imports():
    got = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert got.stdout == "done\n", got.stderr


@pytest.mark.parametrize("call, name", [
    (lambda: ms.rewrite.TreeNodeHelper(3), "TreeNodeHelper"), (lambda: ms.parallel.parameter_broadcast(None), "parameter_broadcast"),
    (lambda: ms.boost.AutoBoost("O1"), "AutoBoost"), (lambda: ms.utils.stress_detect(), "stress_detect"),
    (lambda: ms.boost.freeze_cell(), "freeze_cell")])
def test_refused_names(call, name):
    with pytest.raises(NotImplementedError, match=r"^\[%s\] msjit\.\w+\.%s is not offered: " % (name, name)):
        call()


def test_names_of_inner_modules(tmp_path):
    import numpy as np

    from msjit import Tensor
    from msjit.common.api import deprecated
    from msjit.common.initializer import _assignment, _calculate_gain, _init_random_uniform, _init_truncated_normal
    from msjit.common.seed import _get_graph_seed
    from msjit.dataset.transforms import PyTensorOperation
    from msjit.nn.wrap_scaled import _grad_overflow
    from msjit.train.shared import check_value_type, make_directory
    filled = np.zeros((2, 2), np.float32)
    assert _assignment(filled, np.ones((2, 2))) is filled and filled.sum() == 4 and _assignment(np.zeros(()), 3) == 3
    assert _calculate_gain("relu") == 2 ** 0.5 and _calculate_gain("linear") == 1
    assert _init_random_uniform(0, 1, (3,)).dtype == np.float32 and abs(_init_truncated_normal(-1, 1, 0, 2, (50,))).max() <= 1
    ms.set_seed(5)
    assert _get_graph_seed(3, "x") == (5, 3)
    assert float(_grad_overflow(Tensor([1.0, float("inf")]))) == 1 and float(_grad_overflow(Tensor([1.0]))) == 0
    assert deprecated("2.0", "other")(lambda x: x + 1)(1) == 2

    class Twice(PyTensorOperation):
        def _execute_py(self, value):
            return value * 2
    assert Twice()(3) == 6 and Twice()(1, 2) == (2, 4)
    check_value_type("x", 3, [int, str])
    for wrong in (True, 2.5):
        with pytest.raises(TypeError):
            check_value_type("x", wrong, [int])
    assert make_directory(str(tmp_path / "a")).endswith("a") and (tmp_path / "a").is_dir()
    assert ms.device_context.ascend.op_precision.precision_mode("must_keep_origin_dtype") is None and not ms.device_context.gpu.is_available()
    with pytest.raises(TypeError):
        ms.device_context.ascend.op_tuning.op_compile()
    with pytest.raises(RuntimeError):
        ms.device_context.gpu.device_count()


def test_layouts():
    layout = ms.Layout((2, 4), ("dp", "mp"))
    assert layout("dp", "None").to_dict() == {"device_matrix": (2, 4), "tensor_map": (1, -1), "interleaved_parallel": False,
                                              "alias_name": ("dp", "mp"), "rank_list": list(range(8))}
    assert layout(("dp", "mp"), "None").to_dict()["tensor_map"] == ((1, 0), -1)
    for make, error in ((lambda: layout("xx"), ValueError), (lambda: layout("dp", "dp"), ValueError), (lambda: ms.Layout(2, ("a",)), TypeError),
                        (lambda: ms.Layout((2,), ("a", "b")), ValueError), (lambda: ms.Layout((2,), ("None",)), ValueError),
                        (lambda: ms.Layout((2,), ("a",), [0]), ValueError), (lambda: layout.to_dict(), ValueError)):
        with pytest.raises(error):
            make()
    net = ms.nn.Dense(2, 2)
    net.shard(((2, 1),))
    assert ms.shard(net, ((2, 1),)) is net and ms.shard(net, ((2, 1),), parameter_plan={}) is net
    with pytest.raises(TypeError):
        ms.shard(net, 3)


def test_parameters_of_the_search_for_strategies():
    ms.parallel.set_algo_parameters(fully_use_devices=True)
    assert ms.parallel.get_algo_parameters("fully_use_devices") is True
    ms.parallel.reset_algo_parameters()
    assert ms.parallel.get_algo_parameters("fully_use_devices") is False
    for call, error in ((lambda: ms.parallel.set_algo_parameters(x=1), TypeError),
                        (lambda: ms.parallel.get_algo_parameters("x"), ValueError)):
        with pytest.raises(error, match="expected one of"):
            call()


def test_star_imports_give_what_is_loaded_later():
    wanted = {"dataset": "CocoDataset MnistDataset GeneratorDataset TFRecordDataset", "mindrecord": "Cifar10ToMR FileWriter SUCCESS",
              "common": "float16 bfloat16 JitConfig Generator recompute", "nn": "Accuracy PSNR L1LossExt Dense thor",
              "nn.wrap": "WithLossCell PipelineCell TrainOneStepWithLossScaleCell", "ops": "coo_add all_reduce CSRMM matmul signature",
              "ops.functional": "csr_mv make_coo_tensor grad", "ops.function": "csr_mv value_and_grad vmap", "ops.operations": "CSRMM Add",
              "ops.composite": "GradOperation repeat_elements",
              "nn.activation": "LRN PReLUExt ReLU", "nn.basic": "Tril Linear Dense", "nn.pooling": "AdaptiveAvgPool2d MaxPool2d",
              "nn.normalization": "SyncBatchNorm InstanceNorm2d LayerNorm", "nn.image": "SSIM CentralCrop", "nn.embedding": "EmbeddingExt",
              "train": "Model Accuracy load_checkpoint_async",
              "train.callback": "SummaryCollector LossMonitor", "numpy": "arange float32", "context": "set_context PYNATIVE_MODE"}
    for module, names in wanted.items():
        space = {}
        exec("from msjit.%s import *" % module, space)
        assert set(names.split()) <= set(space), module
        assert "np" not in space and "os" not in space, module


def test_names_of_steps_devices_and_marks():
    from msjit.dataset import BatchDataset, MapDataset, RepeatDataset, SourceDataset, ZipDataset
    from msjit.parallel.settings import auto_parallel_context
    from msjit.profiler import mstx
    numbers = ms.dataset.NumpySlicesDataset([1, 2, 3], shuffle=False)
    for made, kind in ((numbers.batch(2), BatchDataset), (numbers.map(lambda x: x), MapDataset), (numbers.repeat(2), RepeatDataset),
                       (ms.dataset.zip((numbers, numbers.rename("column_0", "b"))), ZipDataset)):
        assert isinstance(made, kind) and isinstance(made, SourceDataset) and not isinstance(numbers, kind)
    with ms.DeviceCtx("CPU"):
        assert ms.Tensor([1.0]).sum() == 1.0
    if ms.hal.device_count("GPU") == 0:
        with pytest.raises(ValueError, match="GPU"):
            with ms.DeviceCtx("GPU"):
                pass
    assert ms.get_current_device().device_target == "CPU"
    assert auto_parallel_context() is auto_parallel_context()
    mark = mstx.range_start("step")
    mstx.range_end(mark)
    assert [float(ms.ops.operations.FloatStatus()(ms.Tensor([1.0, value]))[0]) for value in (2.0, float("inf"), float("nan"))] == [0, 1, 1]
    with pytest.raises(NotImplementedError, match="NPUGetFloatStatus"):
        ms.ops.operations.NPUGetFloatStatus()(ms.Tensor([0.0] * 8))


def test_kinds_of_dtypes():
    from msjit._c_expression import typing
    kinds = {name: [kind for kind in "Bool Int UInt Float BFloat Complex Number Type".split() if isinstance(getattr(ms, name), getattr(typing, kind))]
             for name in "bool_ int8 uint8 float32 bfloat16 complex64".split()}  # as MindSpore 2.10 has them
    assert kinds == {"bool_": ["Bool", "Number", "Type"], "int8": ["Int", "Number", "Type"], "uint8": ["UInt", "Number", "Type"],
                     "float32": ["Float", "Number", "Type"], "bfloat16": ["BFloat", "Number", "Type"],
                     "complex64": ["Complex", "Number", "Type"]}
    assert typing.UInt(8) == typing.kUInt8 == ms.uint8 and typing.str_to_type("Float32") == ms.float32
    assert typing.is_subclass(ms.float32, typing.Number()) and not typing.is_subclass(ms.float32, typing.Int)
    assert not isinstance(3, typing.Number) and isinstance(typing.Number(), typing.Number)
    for call in (lambda: typing.UInt(7), lambda: typing.str_to_type("float3")):
        with pytest.raises(RuntimeError):
            call()


def test_functions_that_no_graph_is_made_of():
    from msjit.common import jit_forbidden
    from msjit.common._utils import get_func, is_dim_unknown, is_shape_unknown

    @jit_forbidden.jit_forbidden_register
    def double(x):
        return x + x
    assert double(ms.Tensor([1.0])).tolist() == [2]
    name = "%s.%s" % (double.__module__, double.__qualname__)
    assert jit_forbidden.is_jit_forbidden_method(name) and name in jit_forbidden.get_jit_forbidden_method()
    jit_forbidden.add_jit_forbidden_module("a.b")
    assert jit_forbidden.is_jit_forbidden_module("a.b") and "a.b" in jit_forbidden.get_jit_forbidden_module()
    jit_forbidden.remove_jit_forbidden_module("a.b")
    assert is_shape_unknown((2, -1)) and is_shape_unknown((-2,)) and not is_shape_unknown((2,)) and is_dim_unknown((-2,))
    assert get_func(jit_forbidden_register_of) is jit_forbidden_register_of
    for call in (lambda: is_shape_unknown((-3,)), lambda: is_dim_unknown((-2, 2))):
        with pytest.raises(ValueError):
            call()


def jit_forbidden_register_of():
    """A plain function."""


def test_a_function_stays_an_attribute_when_the_module_of_its_name_is_imported():
    code = """if True:
        import msjit.alias
        msjit.alias.install("mindspore")
        import mindspore as ms
        from mindspore.common.lazy_inline import lazy_inline as by_path
        from mindspore.common.tensor import Tensor
        from mindspore.common import lazy_inline, tensor
        import mindspore.scipy.optimize.linear_sum_assignment as assign
        import mindspore.train.metrics.auc
        assert lazy_inline is by_path is ms.lazy_inline and Tensor is ms.Tensor
        assert tensor([1.0]).shape == (1,)
        rows, columns = assign(ms.Tensor([[1.0, 0.0], [0.0, 1.0]]), False)
        assert columns.asnumpy().tolist() == [1, 0]
        assert callable(ms.train.metrics.auc)
    """
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module, names", [
    ("nn.optim", "Adam thor AdaSumByGradWrapCell"), ("nn.dynamic_lr", "cosine_decay_lr"), ("nn.learning_rate_schedule", "CosineDecayLR"),
    ("common.initializer", "Normal initializer"), ("common.parameter", "Parameter ParameterTuple"), ("train.model", "Model"),
    ("experimental.optim.lr_scheduler", "StepLR"), ("mint.linalg", "qr"), ("mint.special", "exp2")])
def test_modules_say_which_names_they_give(module, names):
    space = {}
    exec("import msjit.alias\nmsjit.alias.install('packaged')\nfrom packaged.%s import *" % module, space)
    assert set(names.split()) <= set(space) and "math" not in space and "Tensor" not in space


def test_a_star_import_of_the_package_gives_names_but_no_modules():
    space = {}
    exec("from msjit import *", space)
    names = "Tensor Parameter COOTensor Model SummaryCollector run_check saved_tensors_hooks enable_dynamic manual_seed dtype set_context"
    assert set(names.split()) <= set(space) and space["COOTensor"] is ms.COOTensor
    assert not {"config_module", "autograd", "absent", "explain_module", "np", "log", "context", "nn", "ops", "common"} & set(space)


def test_checkpoints_as_messages(tmp_path):
    import numpy as np

    from msjit.train.checkpoint_pb2 import Checkpoint
    from msjit.train.print_pb2 import Print
    path = str(tmp_path / "net.ckpt")
    ms.save_checkpoint([{"name": "w", "data": ms.Tensor([[1.0, 2.0], [3.0, 4.0]])}, {"name": "b", "data": ms.Tensor([-5], ms.int32)}], path)
    read = Checkpoint()
    with open(path, "rb") as file:
        content = file.read()
    assert read.ParseFromString(content) == len(content) and read.SerializeToString() == content
    assert [(value.tag, list(value.tensor.dims), value.tensor.tensor_type) for value in read.value] == [("w", [2, 2], "Float32"), ("b", [1], "Int32")]
    assert np.frombuffer(read.value[0].tensor.tensor_content, np.float32).tolist() == [1.0, 2.0, 3.0, 4.0]
    made = Checkpoint()
    value = made.value.add(tag="x")
    value.tensor.dims.extend([2])
    value.tensor.tensor_type, value.tensor.tensor_content = "Float32", np.float32([7, 8]).tobytes()
    made.value.extend(read.value[1:])
    with open(path, "wb") as file:
        file.write(made.SerializeToString())
    assert {name: value.asnumpy().tolist() for name, value in ms.load_checkpoint(path).items()} == {"x": [7.0, 8.0], "b": [-5]}
    assert value.HasField("tensor") and not value.HasField("maptensor") and made != read
    assert str(value).splitlines()[:4] == ['tag: "x"', "tensor {", "  dims: 2", '  tensor_type: "Float32"']
    assert Print(value=[Print.Value(desc="a")]).SerializeToString() == b"\n\x03\n\x01a"
    from msjit.serialization import tensor_to_ms_type, tensor_to_np_type
    assert tensor_to_ms_type["BFloat16"] == ms.bfloat16 and tensor_to_ms_type["Bool"] == ms.bool_ and tensor_to_ms_type["Float32"] == ms.float32
    assert tensor_to_np_type("Int32") is np.int32 and tensor_to_np_type("other") is None
    for wrong, error in ((lambda: tensor_to_np_type("BFloat16"), TypeError), (lambda: setattr(value, "tag", 1), TypeError), (lambda: setattr(value, "tensor", 1), AttributeError),
                         (lambda: setattr(value, "name", "x"), AttributeError), (lambda: made.ParseFromString(content[:-1]), ValueError),
                         (lambda: value.tensor.dims.append("2"), TypeError)):
        with pytest.raises(error):
            wrong()


def test_checks_of_scipy_and_datasets():
    from msjit.dataset import validator_helpers as checks
    from msjit.parallel._cell_wrapper import destroy_allgather_cell, get_allgather_cell
    from msjit.scipy.utils import _dtype_check, _mstype_check, _nd_transpose, _norm, _safe_normalize, _to_scalar
    x = ms.Tensor([[3.0, 4.0]])
    _mstype_check("match", x, ms.dtype.TensorType, "x"), _dtype_check("match", x, [ms.float32], "x")
    assert _nd_transpose(x).shape == (2, 1) and float(_norm(x)) == 5.0 and float(_norm(x, float("inf"))) == 4.0
    assert float(_safe_normalize(x)[1]) == 5.0 and _safe_normalize(x)[0].asnumpy()[0].tolist() == pytest.approx([0.6, 0.8])
    assert _to_scalar(ms.Tensor(2.5)) == 2.5 and isinstance(get_allgather_cell(""), ms.nn.Cell)
    destroy_allgather_cell()
    assert checks.INT32_MAX == 2 ** 31 - 1 and checks.is_iterable([]) and not checks.is_iterable(3) and checks.replace_none(None, 4) == 4
    checks.type_check(1.5, (int, float), "x"), checks.check_value_cutoff(0, (0, 1)), checks.check_pos_int32(1), checks.check_range((1, 2), (0, 2))
    assert checks.parse_user_args(lambda a, b=2: None, 1)[0] == [1, 2]
    for wrong, error in ((lambda: _mstype_check("match", 3, ms.dtype.TensorType), TypeError), (lambda: _dtype_check("match", x, [ms.int32]), TypeError),
                         (lambda: checks.type_check(True, (int,), "x"), TypeError), (lambda: checks.check_value(2, (0, 1), "x"), ValueError),
                         (lambda: checks.check_value_ratio(0, (0, 1), "x"), ValueError), (lambda: checks.check_pos_int32(0, "x"), ValueError),
                         (lambda: checks.check_dir("/does/not/exist"), ValueError), (lambda: checks.check_valid_str("c", ["a"], "x"), ValueError)):
        with pytest.raises(error):
            wrong()


def test_size_of_a_transposed_convolution():
    from msjit.nn.conv import _deconv_output_length
    for at, (mode, padding) in enumerate((("valid", 0), ("same", 0), ("pad", 1))):
        layer = ms.nn.Conv2dTranspose(1, 1, 3, stride=2, pad_mode=mode, padding=padding)
        flags = [at == 0, at == 1, at == 2]
        assert layer(ms.ops.ones((1, 1, 7, 7), ms.float32)).shape[2] == _deconv_output_length(*flags, 7, 3, 2, 1, 2 * padding)
