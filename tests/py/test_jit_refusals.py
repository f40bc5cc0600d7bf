"""What a CompileError says if a function cannot be one graph: every message says what to write instead."""
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


def loss(x):
    y = own(x)
    return (y if x.sum() > 0 else x).sum()


def gradient_inside(x):
    return ms.grad(loss)(x)


def step(x):
    return own(x) * 2


def long_loop(x):
    for i in range(20000):
        x = x + len(str(i))
    return x


@pytest.mark.parametrize("options", [dict(fullgraph=True), dict(mode="PIJit", fullgraph=True)], ids=str)
@pytest.mark.parametrize("call, instead", [
    (lambda **o: ms.jit(gradient_inside, **o)(X), "or use level LAX"),
    (lambda **o: ms.grad(ms.jit(step, **o))(X), "or use level LAX"),
    (lambda **o: ms.jit(long_loop, **o)(X), "write one operation on a tensor that holds all the items, or raise"),
])
def test_what_to_write_instead(options, call, instead):
    with pytest.raises(ms.CompileError, match=instead) as caught:
        call(**options)
    assert "none needed" not in str(caught.value)
    call(mode=options.get("mode"))  # the way out that is named


def test_no_reason_is_left_out():
    """Reasons whose cure is "none needed", because the interpreter takes over, have a second cure for functions that must be one graph."""
    rows = [row for row in BREAKS.read_text().splitlines() if '"none needed' in row]
    assert len(rows) >= 5
    assert not [row for row in rows if not re.search(r'"none needed[^"]*", "[^"]+"\)$', row)]
