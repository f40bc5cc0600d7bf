"""What a CompileError says where a function cannot be one graph: every one tells what to write instead."""
import importlib
import pathlib
import re

import numpy as np
import pytest

pytest.importorskip("msjit._msjit")
import msjit as ms
from msjit import Tensor, nn

pytestmark = [pytest.mark.jit, pytest.mark.captures]
X = Tensor(np.array([1.0, 2.0], np.float32))
BREAKS = pathlib.Path(__file__).resolve().parents[2] / "bytecode" / "breaks.def"


class Sevenfold(nn.Cell):
    def construct(self, x):
        return x * 3

    def bprop(self, x, out, dout):
        return (dout * 7,)


own = Sevenfold()


def gradient_inside(x):
    return ms.grad(own)(x)


def step(x):
    return own(x) * 2


def long_loop(x):
    for _ in range(20000):
        x = x + 1
    return x


@pytest.mark.parametrize("options", [dict(fullgraph=True), dict(mode="PIJit", fullgraph=True)], ids=str)
@pytest.mark.parametrize("call, instead", [
    (lambda **o: ms.jit(gradient_inside, **o)(X), "ask for the gradient outside of the compiled function"),
    (lambda **o: ms.grad(ms.jit(step, **o))(X), "use level LAX, without fullgraph, where gradients are asked for"),
    (lambda **o: ms.jit(long_loop, **o)(X), "compile what the loop repeats as a function of its own, or raise"),
])
def test_what_to_write_instead(options, call, instead):
    with pytest.raises(ms.CompileError, match=instead) as caught:
        call(**options)
    assert "none needed" not in str(caught.value)
    call(mode=options.get("mode"))  # the way out that is named


def test_no_reason_is_left_out():
    """Reasons that need no cure where the interpreter may go on have one where it may not."""
    found = re.findall(r'MSJIT_BREAK\(k(\w+), "[^"]*", "none needed', BREAKS.read_text())
    names = {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in found}
    assert names == set(importlib.import_module("msjit.psjit.check")._INSTEAD) and len(names) >= 5
