"""What is said to a program that asks for a GPU: the error names the cause."""
import ctypes

import numpy as np
import pytest

import msjit as ms
from msjit import _msjit

pytestmark = pytest.mark.skipif(not _msjit.gpu_problem(), reason="there is a GPU")


def _driver():
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def _calls():
    x = ms.Tensor(np.ones(3, np.float32))
    return {"set_context": lambda: ms.set_context(device_target="GPU"), "set_device": lambda: ms.set_device("GPU"),
            "to": lambda: x.to("GPU"), "to index": lambda: x.to("cuda:0"), "move_to": lambda: x.move_to("GPU"),
            "ops.move_to": lambda: ms.ops.move_to(x, "GPU")}


@pytest.mark.parametrize("name", sorted(_calls()))
def test_the_cause_is_named(name):
    with pytest.raises(ValueError, match=r"^\[(set_context|to|move_to)\] .* got '(GPU|cuda:0)', expected 'CPU'; \[cuda\] ") as caught:
        _calls()[name]()
    if _driver() is None:
        assert "driver library, got none (libcuda.so.1: cannot open" in str(caught.value)
    assert ms.get_context("device_target") == "CPU"


def test_other_devices_are_refused_without_looking_for_a_driver():
    with pytest.raises(ValueError, match=r"^\[set_context\] device_target, got 'Ascend', expected 'CPU' or 'GPU'$"):
        ms.set_context(device_target="Ascend")
    assert ms.Tensor([1.0]).to("CPU").move_to("CPU").asnumpy().tolist() == [1.0]
