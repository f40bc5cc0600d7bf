"""Steps with a custom gradient, for the programs of the gradient fuzzer."""
from msjit import nn, ops
from msjit.custom_function import _Function, custom_vjp


class _Tripled(nn.Cell):
    """x * x with a gradient that its inputs and output also enter."""

    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 3 * x + out * 0.5,)


class _Mixed(_Function):
    """Two inputs, whose gradients are neither those of autograd."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b.mean()

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * 2, ops.ones_like(b) * (g * a).mean()


class _Block(nn.Cell):
    """Recomputed in the backward pass."""

    def construct(self, a, b):
        return ops.tanh(a) * ops.exp(ops.clamp(b, -2, 2))


@custom_vjp
def _cubed(x):
    return x * x * x


_cubed.defbwd(lambda x, out, g: (ops.grad(lambda y: (y * y).sum())(x) * g,))


def _hooked(x):
    y = x * 2
    y.register_hook(lambda g: g * 0.5)
    return y


_block = _Block()
_block.recompute()
STEPS = {"TRIPLED": _Tripled(), "MIXED": _Mixed.apply, "CUBED": _cubed, "HOOKED": _hooked, "AGAIN": _block}
WORKS = ["TRIPLED({a})", "MIXED({a}, {b})", "CUBED({a})", "HOOKED({a})", "AGAIN({a}, {b})"]
