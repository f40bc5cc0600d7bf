"""Names that packages for MindSpore import from its inner modules, and rules that their programs show: MindSpore 2.10's figures."""
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, mint, nn

IMPORTS = """
from mindspore.common._grad_function import _Function
from mindspore.ops import signature as sig
from mindspore.ops import composite as C
from mindspore.experimental.optim.optimizer import Optimizer
from mindspore.mint.nn.layer.normalization import BatchNorm2d
from mindspore.mint.nn.layer.conv import Conv2d
from mindspore.profiler.profiler import Profiler
from mindspore.parallel._utils import (_device_number_check, _get_device_num, _get_enable_parallel_optimizer, _get_full_batch,
                                       _get_global_rank, _get_gradients_mean, _get_parallel_mode, _get_pipeline_stages,
                                       _get_stage_device_num, _is_in_auto_parallel_mode, _need_to_full,
                                       _parallel_predict_check, _parameter_broadcast_check)
import mindspore
assert sig.make_sig("x", sig.sig_rw.RW_WRITE, dtype=sig.sig_dtype.T).rw is sig.sig_rw.RW_WRITE
print(_get_device_num(), _get_global_rank(), _get_gradients_mean(), _get_parallel_mode(), _get_pipeline_stages(),
      _get_stage_device_num(), _get_full_batch(), _need_to_full(), _is_in_auto_parallel_mode(), _get_enable_parallel_optimizer())
print(C.clip_by_value(mindspore.Tensor([1.0, 5.0]), mindspore.Tensor(0.0), mindspore.Tensor(2.0)).asnumpy().tolist())
_parallel_predict_check()
for call in (lambda: _device_number_check("stand_alone", 2), lambda: _parameter_broadcast_check("stand_alone", True)):
    try:
        call()
    except ValueError as error:
        print("ValueError")
"""


def test_imports_of_inner_modules(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(IMPORTS)
    found = subprocess.run([sys.executable, "-m", "msjit", "--alias", "mindspore", str(program)], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, universal_newlines=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines() == ["1 0 False stand_alone 1 1 False False False False", "[1.0, 2.0]", "ValueError",
                                         "ValueError"]


def test_set_data_takes_any_shape_and_numbers():
    param = Parameter(Tensor(np.ones((2, 2), np.float32)), name="p")
    assert param.set_data(Tensor(np.zeros((3, 3), np.float32))) is param and param.shape == (3, 3)
    assert param.set_data(Tensor(np.ones((1, 2), np.int32))).dtype == ms.float32 and param.shape == (1, 2)
    assert param.set_data(2).asnumpy().tolist() == 2.0 and param.set_data(1.5).asnumpy().tolist() == 1.5
    for data in (np.ones(2), [1]):
        with pytest.raises(TypeError, match=r"\[set_data\] data"):
            param.set_data(data)
    counter = Parameter(Tensor([1, 2], ms.int32), name="q")
    assert counter.set_data(3).dtype == ms.int32 and counter.shape == ()
    with pytest.raises(TypeError, match=r"\[set_data\] data"):
        counter.set_data(1.0)


def test_load_param_into_net_takes_parameters_alone():
    net = nn.Dense(2, 1)
    with pytest.raises(TypeError, match="parameter_dict"):
        ms.load_param_into_net(net, {"weight": Tensor([[1.0, 2.0]])})


def test_short_names_of_mint():
    x = Tensor([-1.5, 0.25, 2.5])
    assert mint.clip(x, -1.0, 1.0).asnumpy().tolist() == [-1.0, 0.25, 1.0]
    assert mint.ge(x, 0.25).asnumpy().tolist() == [False, True, True] and mint.fix(x).asnumpy().tolist() == [-1, 0, 2]
    assert mint.linspace(0, 10, 3).asnumpy().tolist() == [0, 5, 10]
    assert mint.linspace(0, 1, 2, dtype=ms.float64).dtype == ms.float64


def test_frombuffer():
    memory = bytearray(np.arange(4, dtype=np.float32).tobytes())
    shared = ms.frombuffer(memory, dtype=ms.float32, count=2, offset=4)
    assert shared.asnumpy().tolist() == [1, 2]
    memory[4:8] = np.float32(7).tobytes()
    assert shared.asnumpy().tolist() == [7, 2] and ms.frombuffer(b"\x01\x02", dtype=ms.int8).asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize("buffer, options", [
    (bytearray(5), {"dtype": ms.int32}), (bytearray(8), {"dtype": ms.int32, "count": 3}), (3, {"dtype": ms.int32}),
    (bytearray(8), {"dtype": ms.int32, "offset": 9}), (bytearray(8), {"dtype": 3}), (bytearray(0), {"dtype": ms.int32}),
    (bytearray(8), {"dtype": ms.int32, "count": 0}), (bytearray(8), {"dtype": ms.int32, "offset": -1}),
    (bytearray(8), {"dtype": ms.int32, "offset": 2})])
def test_frombuffer_refuses(buffer, options):
    with pytest.raises(RuntimeError, match=r"\[frombuffer\]"):
        ms.frombuffer(buffer, **options)


def test_small_functions_of_the_top(capsys):
    assert ms.set_deterministic(True) is None and ms.get_level() == ms.get_log_config()["GLOG_v"]
    with pytest.raises(TypeError, match="deterministic"):
        ms.set_deterministic(1)
    ms.run_check()
    assert "is correct" in capsys.readouterr().out
    assert ms.profiler.ProfilerLevel.Level0.value == "Level0" and ms.profiler.AicoreMetrics("None").name == "AiCoreNone"
