"""Behaviour on CPUs without AVX-512. oneDNN is told here to use only older instructions."""
import os
import subprocess
import sys

PROGRAM = """
import numpy as np
import msjit as ms
from msjit import Tensor, nn, ops

random = np.random.RandomState(0)
for rows, inner, outer in ((64, 512, 10), (7, 512, 33), (130, 300, 256)):
    row = random.rand(1, inner).astype(np.float32)
    x = np.repeat(row, rows, 0)
    for has_bias in (True, False):
        layer = nn.Dense(inner, outer, has_bias=has_bias)
        weight = layer.weight.asnumpy()
        expected = row @ weight.T + (layer.bias.asnumpy() if has_bias else 0)
        captured = ms.jit(layer, mode="PIJit")
        for _ in range(4):  # from the third call on the weight is read packed
            y = layer(Tensor(x)).asnumpy()
            assert (y == y[0]).all() and np.allclose(y[:1], expected, rtol=1e-4, atol=1e-5), (rows, inner, outer)
            assert (captured(Tensor(x)).asnumpy() == y).all()
            strided = Tensor(np.repeat(x, 2, 1))[:, ::2]
            assert (layer(strided).asnumpy() == y).all()

layer = nn.Dense(40, 30)
step = ms.value_and_grad(lambda x: ops.relu(layer(x)).sum(), 0, layer.trainable_params())
x = random.rand(9, 40).astype(np.float32)
loss, (by_x, by_weights) = step(Tensor(x))
weight, bias = layer.weight.asnumpy(), layer.bias.asnumpy()
hidden = x @ weight.T + bias
assert np.allclose(loss.asnumpy(), np.maximum(hidden, 0).sum(), rtol=1e-4)
assert np.allclose(by_x.asnumpy(), (hidden > 0) @ weight, rtol=1e-4, atol=1e-5)
assert np.allclose(by_weights[0].asnumpy(), (hidden > 0).T @ x, rtol=1e-4, atol=1e-5)

for dtype in (np.int8, np.uint8):
    x = random.randint(0, 128, (9, 700)).astype(dtype) * dtype(2) + dtype(1)  # the largest there are, too
    weight = random.choice([-128, 127], (5, 700)).astype(np.int8)
    scale = np.full(5, 0.5, np.float32)
    sums = x.astype(np.int64) @ weight.T.astype(np.int64)
    assert (ops.int8_linear(Tensor(x), Tensor(weight), Tensor(scale)).asnumpy() == sums * np.float32(0.5)).all()

    images = random.randint(0, 128, (2, 40, 6, 6)).astype(dtype) * dtype(2) + dtype(1)
    for groups in (1, 40):
        kernels = random.choice([-128, 127], (40, 40 // groups, 3, 3)).astype(np.int8)
        sums = ops.conv2d(Tensor(images.astype(np.float64)), Tensor(kernels.astype(np.float64)), None, 1, "same", 0, 1, groups)
        got = ops.int8_conv2d(Tensor(images), Tensor(kernels), Tensor(np.full(40, 0.5, np.float32)), padding=1, groups=groups)
        assert (got.asnumpy() == sums.asnumpy().astype(np.float32) * np.float32(0.5)).all()
print("done")
"""


def test_equal_rows_give_equal_results():
    env = dict(os.environ, ONEDNN_MAX_CPU_ISA="AVX2")
    done = subprocess.run([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, timeout=120)
    assert done.stdout.decode() == "done\n"
