"""What programs say about graphs to come: checked, and changing nothing."""
import numpy as np
import pytest

import msjit as ms
from msjit import Symbol, Tensor, nn, ops

X = Tensor(np.ones((2, 3), np.float32))


def test_symbols():
    size = Symbol(max=100, divisor=8, remainder=3)
    assert str(size) == "{'max': 100, 'divisor': 8, 'remainder': 3}" and Symbol(max=2, min=4).to_dict() == {"min": 4}
    described = Tensor(shape=[size, 3, None], dtype=ms.float32)
    assert described.shape == (-1, 3, -1) and described.symbolic_shape == [size.to_dict(), 3, None]
    net = nn.Dense(3, 2)
    net.set_inputs(Tensor(shape=[Symbol(unique=True), 3], dtype=ms.float32))
    assert net(X).shape == (2, 2)


@pytest.mark.parametrize("call, error, text", [
    (lambda: Symbol(max="a"), TypeError, r"\[symbol\] max, got str, expected an int"),
    (lambda: Symbol(unique=1), TypeError, r"\[symbol\] unique, got int, expected a bool"),
    (lambda: Symbol(min=0), ValueError, r"\[symbol\] min, got 0, expected 1 or more"),
    (lambda: Symbol(divisor=4, remainder=4), ValueError, r"\[symbol\] remainder, got 4, expected 0 to 3"),
    (lambda: Tensor(shape=["a"], dtype=ms.float32), TypeError, r"\[Tensor\] shape, got str, expected None or ints"),
    (ms.enable_dynamic, ValueError, r"\[enable_dynamic\] arguments, got none"),
    (lambda: ms.enable_dynamic(y=Tensor(shape=None, dtype=ms.float32))(lambda x: x), ValueError, "got 'y', expected one of"),
    (lambda: ms.enable_dynamic(x=X)(lambda x: x), TypeError, r"shape of argument x, got \[2, 3\], expected a None in it"),
    (lambda: ms.no_inline(3), AttributeError, r"\[no_inline\] fn, got int, expected a function"),
    (lambda: ms.set_dump(3), ValueError, r"\[set_dump\] target, got int, expected a Cell or a Primitive")])
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_functions_stay_what_they_are():
    @ms.enable_dynamic(x=Tensor(shape=[None, 3], dtype=ms.float32), parts=[Tensor(shape=None, dtype=ms.float32)])
    @ms.jit
    def total(x, parts):
        return twice(x) + parts[0]

    @ms.no_inline
    def twice(x):
        return x * 2
    assert (total(X, [X]).asnumpy() == 3).all()
    with pytest.warns(UserWarning, match="dumped on NPUs alone"):
        ms.set_dump(ops.ReLU())
    ms.ms_memory_recycle()
