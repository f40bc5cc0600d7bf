"""What reads or gives the memory of a tensor of bfloat16, whose elements NumPy holds as float32."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor


def halves(*values):
    return Tensor(np.float32(values)).astype(ms.bfloat16)


def test_a_view_of_another_dtype_has_the_bits_of_the_elements():
    x = halves(1, 2)
    assert x.view(ms.int16).tolist() == [0x3f80, 0x4000]
    assert x.view(ms.float32).tolist() == np.uint32([0x40003f80]).view(np.float32).tolist()
    assert halves(-3).view(ms.uint8).tolist() == [0x40, 0xc0]
    assert halves(1)[0].view(ms.int16).tolist() == 0x3f80


def test_a_view_as_bfloat16_has_the_bits_of_the_elements():
    x = Tensor(np.uint16([0x3f80, 0xc040])).view(ms.bfloat16)
    assert x.dtype == ms.bfloat16 and x.shape == (2,) and x.astype(ms.float32).tolist() == [1, -3]
    assert Tensor(np.float32([1, 2])).view(ms.bfloat16).astype(ms.float32).tolist() == [0, 1, 0, 2]
    assert x.view(ms.bfloat16).astype(ms.float32).tolist() == [1, -3]
    with pytest.raises(ValueError, match=r"\[view\] bytes of the last axis, got 6, expected a multiple of 4"):
        halves(1, 2, 3).view(ms.float32)


def test_bytes_are_two_for_each_element():
    x = halves(1, 2)
    assert x.get_bytes() == b"\x80\x3f\x00\x40"
    again = Tensor.convert_bytes_to_tensor(x.get_bytes(), (2, 1), ms.bfloat16)
    assert again.dtype == ms.bfloat16 and again.shape == (2, 1) and again.astype(ms.float32).tolist() == [[1], [2]]
