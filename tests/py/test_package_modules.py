"""Module paths and names of MindSpore's inner modules that published packages import."""
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops

IMPORTS = """
from mindspore._extends.parse import trope as T
from mindspore._extends.parse.resources import convert_object_map
from mindspore.graph._parse.resources import convert_object_map as same
from mindspore.graph._utils.cell_attr_register import cell_attr_register
from mindspore.graph._utils.pijit_context import PIJitCaptureContext
from mindspore.graph.dynamic_shape.enable_dynamic import enable_dynamic
import mindspore.ops.composite.multitype_ops as M
from mindspore.ops.composite.multitype_ops.add_impl import add
from mindspore.ops.composite.multitype_ops.not_in_impl import not_in_
from mindspore.ops.operations._thor_ops import CusBatchMatMul
from mindspore.ops.operations._map_tensor_ops import MapTensorGet
from mindspore.ops.operations.control_ops import Merge
from mindspore.parallel._ps_context import _is_role_sched, _is_role_pserver
from mindspore.parallel.transform_safetensors import unified_safetensors
from mindspore.train.model import _StepSync, _CallbackManager, _InternalCallbackParam, Validator
from mindspore.nn.layer.rnns import _DynamicGRUAscend, _DynamicLSTMCPUGPU
from mindspore.nn.loss.loss import _check_is_tensor
from mindspore.common.dtype import typing
from mindspore.context import _get_mode
from mindspore.mint import Tensor
from mindspore.ops.auto_generate import BatchMatMulExt, Muls, SplitWithSize
from mindspore.ops.function.clip_func import get_square_sum, apply_global_norm
from mindspore.ops.op_info_register import CustomRegOp, DataType
from mindspore.runtime.device_limit import set_device_limit
from mindspore.scipy.optimize._bfgs import minimize
from mindspore.experimental.map_parameter import MapParameter
from mindspore.dataset.transforms.py_transforms_util import Implementation
from mindspore._checkparam import check_str_by_regular, is_stub_tensor
import mindspore
assert convert_object_map[T.add] is add is M.add and same is convert_object_map
assert not _is_role_sched() and mindspore.dtype.typing is typing and _get_mode() == mindspore.get_context("mode")
""".strip().splitlines()


@pytest.mark.costly
def test_imports():
    code = "import msjit.alias; msjit.alias.install('mindspore')\n" + "\n".join(IMPORTS)
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout.decode()


def test_operators_with_definitions():
    from msjit.ops import multitype_ops as m

    class Amount:
        pass

    @m.add.register("String", "Number")
    def repeated(text, count):
        return text * count
    try:
        assert m.add("ab", 2) == "abab" and m.add("a", "b") == "ab" and m.add(Tensor([1.0]), 2).tolist() == [3]
        with pytest.raises(TypeError):
            m.add(Amount(), 1)
    finally:
        m.add.entries.clear()
    with pytest.raises(TypeError):
        m.add("ab", 2)
    assert m.in_(1, [1]) and m.not_in_(1, [2]) and m.logical_not(0) and m.logical_or(0, 3) == 3
    assert m.logical_and(Tensor([True, False]), Tensor([True, True])).tolist() == [True, False]
    x = Tensor([1.0, 2.0])
    assert m.setitem(x, 0, 5.0) is x and x.tolist() == [5, 2] and m.getitem(x, 1).item() == 2


def test_switch_of_gradients():
    from msjit.common.api import _pynative_executor as executor
    weight = ms.Parameter(Tensor([2.0]), name="w")
    assert executor.enable_grad() and not executor.requires_grad()

    def square(x):
        assert executor.requires_grad() and executor.enable_grad()
        executor.set_enable_grad(False)
        assert not executor.enable_grad()
        constant = x * x
        executor.set_enable_grad(True)
        return x * constant
    assert ms.grad(square)(weight).tolist() == [4]
    executor.set_enable_grad(True)
    assert executor.enable_grad()
    with pytest.raises(TypeError):
        executor.set_enable_grad(1)


def test_custom_info():
    D = ops.DataType
    assert D.F32_Default == ("float32", "DefaultFormat") and D.I8_Default_List == ("int8", "DefaultFormat", "list")
    assert D.BF16_FRACTAL_Z_3D == ("bfloat16", "FRACTAL_Z_3D") and D.None_None == ("", "")
    with pytest.raises(AttributeError):
        D.F99_Default
    described = ops.CustomRegOp("k").input(0, "x", "dynamic", more=3).output(0, "y").attr("a", "required", "int", "3")
    info = described.dtype_format(D.F32_Default, D.F32_Default).target("CPU").get_op_info()
    assert info == {
        "op_name": "k", "inputs": [{"index": 0, "name": "x", "paramType": "dynamic", "more": 3}],
        "outputs": [{"index": 0, "name": "y", "paramType": "required"}], "fusion_type": "", "target": "CPU",
        "attr": [{"name": "a", "paramType": "required", "type": "int", "defaultValue": "3"}],
        "dtype_format": [(("float32", "DefaultFormat"), ("float32", "DefaultFormat"))]}
    twice = ops.custom_info_register(info)(lambda x: x * 2)
    assert twice(3) == 6 and twice.reg_info == (info,)
    assert ops.Custom(twice, lambda s: s, lambda t: t, reg_info=info)(Tensor([1.0])).tolist() == [2]
    for call, kind in ((lambda: ops.CustomRegOp(3), ValueError), (lambda: ops.CustomRegOp().input("0"), TypeError),
                       (lambda: ops.CustomRegOp().dtype_format(D.F32_Default), ValueError)):
        with pytest.raises(kind):
            call()


def test_callback_manager():
    from msjit.train.model import _CallbackManager, _InternalCallbackParam
    seen = []

    class Note(ms.train.Callback):
        def __enter__(self):
            seen.append("enter")
            return self

        def __exit__(self, *error):
            seen.append("exit")

        def on_train_step_end(self, run_context):
            seen.append(run_context.original_args().cur_step_num)
    params = _InternalCallbackParam()
    params.cur_step_num = 7
    with _CallbackManager([Note(), Note()]) as manager:
        manager.on_train_step_end(ms.train.RunContext(params))
    assert seen == ["enter", "enter", 7, 7, "exit", "exit"]
    with pytest.raises(TypeError):
        _CallbackManager([3])


def test_lists_of_classes_that_are_not_cast():
    from msjit import amp

    class Kept(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, 2)

        def construct(self, x):
            return self.dense(x)
    net = nn.SequentialCell(nn.Dense(2, 2), Kept())
    amp._INNER_AMP_BLACK_LIST.append(nn.Dense)
    try:
        amp.custom_mixed_precision(net, white_list=[nn.Dense, Kept], dtype=ms.float16)
        assert [cell._ms_compute_dtype for cell in (net[0], net[1])] == [None, ms.float16]
    finally:
        amp._INNER_AMP_BLACK_LIST.clear()


def test_gradient_norms():
    from msjit.ops.function import apply_global_norm, get_square_sum
    assert get_square_sum(Tensor([3.0, 4.0], ms.float16)).tolist() == [25]
    assert apply_global_norm(Tensor(2.0), Tensor(4.0), Tensor([3.0], ms.float16)).dtype == ms.float16


CHECKS = [
    ("check_and_canonicalize_axes", ((0, -1), 3), (0, 2)), ("check_and_canonicalize_axes", ((0, -3), 3), ValueError),
    ("check_axis_valid", (None, 2), (0, 1)), ("check_axis_valid", ([-1], 2), (1,)), ("check_axis_valid", (2, 2), ValueError),
    ("check_axis_type", ((0, 1),), True), ("check_axis_type", ("x",), TypeError), ("check_swapaxes_axis", ((0, -1), 3), (0, 2)),
    ("check_transpose_axis", ((), 3), (2, 1, 0)), ("check_transpose_axis", (((1, 0),), 2), (1, 0)), ("check_transpose_axis", ((0,), 2), ValueError),
    ("check_reshape_shp", (([2, 3],),), (2, 3)), ("check_reshape_shp", ((6,),), (6,)), ("check_flatten_order", ("K",), ValueError),
    ("check_reduce_shape", ((2, 3, 4), (2, 4), 1, "Op", "a", "b"), None), ("check_reduce_shape", ((2, 3), (3,), 1, "Op", "a", "b"), ValueError),
    ("prepare_shape_for_squeeze", ((1, 3, 1), (0, -1)), (3,)), ("prepare_shape_for_squeeze", ((1, 3), 1), ValueError),
    ("infer_out_shape", ((2, 1), (3,)), (2, 3)), ("infer_out_shape", ((2,), (3,)), ValueError), ("expanded_shape", (3, 5, 1), (1, 5, 1)),
    ("max_", (1, 4, 2), 4), ("min_", (1, 4, 2), 1), ("tuple_slice", ((1, 2, 3), 1, 3), (2, 3)),
    ("twice_sequence", (3,), (3, 3)), ("triple_sequence", ([1, 2, 3],), (1, 2, 3)), ("once_sequence", (True,), TypeError),
    ("check_astype_dtype", ("float32",), ms.float32), ("check_astype_dtype", (int,), ms.int64), ("check_astype_dtype", ("tensor",), TypeError),
    ("check_coo_tensor_dtype", (ms.float32,), TypeError), ("check_coo_tensor_shape", ((3, 2), (3,), (2, 2)), None),
    ("check_coo_tensor_shape", ((3, 2), (3,), (1, 2)), ValueError), ("check_csr_tensor_shape", ((3,), (2,), (2,), (2, 4)), None),
    ("check_csr_tensor_shape", ((2,), (2,), (2,), (2, 4)), ValueError), ("check_csr_tensor_dtype", (ms.int32, ms.float32), TypeError),
    ("check_coo_tensor_input", (1, 2, (2, 2)), TypeError), ("check_element_type_of_dict", ("d", {"a": 1}, [str], [float]), TypeError),
    ("check_size_and_element_type_of_tuple", ("t", (1, 2), 2, int), None), ("check_size_and_element_type_of_tuple", ("t", (1,), 2, int), ValueError),
    ("check_positive_float_sequence", ([1.0, 0.0],), ValueError), ("check_non_positive_float", (0.0,), 0.0),
    ("check_str_by_regular", ("a_b.c",), True), ("check_str_by_regular", ("a-b",), ValueError), ("check_str_and_none_by_regular", ("",), True),
    ("check_file_name_by_regular", ("dir/file.txt",), True), ("check_file_name_by_regular", ("dir/",), ValueError),
    ("check_output_data", (None,), RuntimeError), ("check_input_format", ("NHWC",), ValueError),
    ("check_pad_value_by_mode", ("same", 1, "Op"), ValueError), ("check_valid_input", ("a", None, "Op"), ValueError),
    ("check_types_same_and_valid", ({"a": ms.int32, "b": ms.int64}, [ms.int32, ms.int64], "Op"), TypeError),
    ("check_tensors_dtypes_same_and_valid", ({"a": ms.int32, "b": ms.int32}, ms.int32, "Op"), None),
]


@pytest.mark.parametrize("name, arguments, want", CHECKS)
def test_checks(name, arguments, want):
    from msjit import _checkparam
    check = getattr(_checkparam, name)
    if isinstance(want, type) and issubclass(want, Exception):
        with pytest.raises(want):
            check(*arguments)
    else:
        assert check(*arguments) == want


def test_checks_of_data():
    from msjit import _checkparam as check
    check.check_input_data(Tensor([1.0]), [np.ones(2), {"a": None}], data_class=(Tensor, np.ndarray, None))
    with pytest.raises(TypeError):
        check.check_input_data([3], data_class=Tensor)
    assert check.check_input_dataset(1, 2, dataset_type=int) and not check.is_stub_tensor(Tensor([1.0]))
