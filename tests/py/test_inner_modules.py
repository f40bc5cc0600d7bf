"""Inner modules of MindSpore that programs and packages import from."""
import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED
from msjit import Parameter, Tensor, nn, ops


def test_tensor_operator_registry():
    from msjit.common._register_for_tensor import tensor_operator_registry as registry
    assert registry.get("abs") is ops.abs
    registry.register("abs_twice", lambda x: ops.abs(x) * 2)
    assert registry.get("abs_twice")(Tensor([-1.0])).tolist() == [2]
    with pytest.raises(TypeError, match=r"\[tensor_operator_registry\] name must be a str, got int"):
        registry.get(3)
    with pytest.raises(AttributeError, match="no function is registered as 'nothing'"):
        registry.get("nothing")


def test_no_init_parameters():
    from msjit.nn.utils import no_init_parameters
    with no_init_parameters():
        assert Parameter.init_param is False
        net = nn.Dense(2, 3)
    assert Parameter.init_param is True and net(Tensor(np.ones((1, 2), np.float32))).shape == (1, 3)
    with pytest.raises(KeyError), no_init_parameters():
        raise KeyError
    assert Parameter.init_param is True


def test_cell_attr_register():
    from msjit._extends import cell_attr_register

    class Plain(nn.Cell):
        @cell_attr_register
        def __init__(self, a, b=3, *, d=4):
            super().__init__()

    class Named(nn.Cell):
        @cell_attr_register(attrs=["a", "missing"])
        def __init__(self, a):
            super().__init__()
            self.a = a

    class Bad(nn.Cell):
        @cell_attr_register(attrs=3)
        def __init__(self):
            super().__init__()
    assert Plain(1, 2, d=7).cell_init_args == "Plaindict_values([1, 2, 7])"  # as MindSpore 2.10
    assert Named(1).cell_init_args == "Named[1]"
    with pytest.raises(ValueError, match=r"\[cell_attr_register\] attrs"):
        Bad()


def test_settings_of_the_compiler():
    from msjit._extends.parse import compile_config
    assert compile_config.COMPILE_PROFILE == ""
    compile_config.FALLBACK_SUPPORT_LIST_DICT_INPLACE = 1
    assert compile_config.FALLBACK_SUPPORT_LIST_DICT_INPLACE == 1
    with pytest.raises(AttributeError):
        compile_config.nothing


@pytest.mark.jit
def test_pijit_context():
    from msjit.common._pijit_context import PIJitCaptureContext, Unsupported

    def whole(x):
        return x * 2 + 1

    def broken(x):
        return Tensor(x.asnumpy() * 2)
    x = Tensor([1.0])
    assert PIJitCaptureContext()(whole)(x).tolist() == [3]
    assert FORCED or PIJitCaptureContext(fullgraph=True)(whole)(x).tolist() == [3]
    with pytest.raises(Unsupported):
        PIJitCaptureContext(fullgraph=True)(broken)(x)
    assert issubclass(Unsupported, RuntimeError)


def test_executors_and_stubs():
    from msjit.common._stub_tensor import StubTensor, is_stub_tensor
    from msjit.common.api import _cell_graph_executor, _pynative_executor
    net = nn.ReLU()
    _pynative_executor.sync()
    assert _cell_graph_executor.compile(net, Tensor([1.0]), phase="train") == ("train", True)
    assert _cell_graph_executor(net, Tensor([-1.0])).tolist() == [0]
    assert not is_stub_tensor(Tensor([1.0])) and not isinstance(ms.ops.abs(Tensor([1.0])), StubTensor)


def test_scale_of_gradients():
    from functools import partial

    from msjit.nn.wrap.loss_scale import _grad_scale
    grads = (Tensor([2.0, 4.0]), Tensor([8.0], ms.float16))
    found = ops.HyperMap()(partial(_grad_scale, Tensor(2.0)), grads)
    assert [g.tolist() for g in found] == [[1, 2], [4]] and found[1].dtype == ms.float16


def test_fans():
    from msjit.common.initializer import _calculate_correct_fan, _calculate_fan_in_and_fan_out
    assert _calculate_fan_in_and_fan_out((4, 3, 5, 5)) == (75, 100) and _calculate_correct_fan((4, 3), "fan_OUT") == 4
    with pytest.raises(ValueError, match=r"\[initializer\] fan in and fan out"):
        _calculate_fan_in_and_fan_out((3,))
    with pytest.raises(ValueError, match=r"\[initializer\] mode"):
        _calculate_correct_fan((4, 3), "fan")


def test_classes_and_paths():
    from msjit.nn.layer.conv import Conv2d
    from msjit.nn.optim.momentum import Momentum
    from msjit.ops.operations.nn_ops import ApplyRotaryPosEmb

    from msjit.common.tensor import _TensorMeta
    from msjit.nn.layer import Dense
    assert isinstance(Tensor, _TensorMeta) and isinstance(Parameter, _TensorMeta)
    assert Dense is nn.Dense and Conv2d is nn.Conv2d and Momentum is nn.Momentum
    with pytest.raises(NotImplementedError, match="ApplyRotaryPosEmb"):
        ApplyRotaryPosEmb(2)(1)
