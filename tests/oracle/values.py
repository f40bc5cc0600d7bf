"""Inputs as text: "f32[2,3]" is a float32 tensor, anything else a Python expression.

A tensor's text is dtype[sizes] and a mark for its values:
  (none) uniform in [-2, 2), integers in [-4, 5)     +   above zero: [0.5, 3), integers in [1, 5)
  u      inside (0.05, 0.95)                         !   NaN, infinities, zeros of both signs, extreme integers
  <n     integers in [0, n)                          0   zeros
  p      parameter: as (none), made a Parameter      #n  another draw of the same kind
The same text gives the same values in every process.
"""
import re
import zlib

import numpy as np

DTYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "i8": "int8", "i16": "int16",
          "i32": "int32", "i64": "int64", "u8": "uint8", "b": "bool_", "u16": "uint16", "u32": "uint32", "u64": "uint64",
          "c64": "complex64", "c128": "complex128"}
TENSOR = re.compile(r"(bf16|f16|f32|f64|i8|i16|i32|i64|u8|u16|u32|u64|c64|c128|b)\[([\d,]*)\]([+u!0p]|<\d+)?(?:#(\d+))?$")


def is_tensor(spec):
    return TENSOR.match(spec) is not None


def is_float(spec):
    return is_tensor(spec) and spec[:spec.index("[")] in ("f16", "f32", "f64", "bf16")


def is_special(spec):
    return is_tensor(spec) and "!" in spec


def array(spec):
    """(NumPy array, dtype name, mark) of a tensor's text."""
    kind, sizes, mark, draw = TENSOR.match(spec).groups()
    shape, name, mark = tuple(int(s) for s in sizes.split(",") if s), DTYPES[kind], mark or ""
    rng = np.random.RandomState(zlib.crc32((sizes + (draw or "")).encode()) % 100000)
    numpy_name = {"bool_": "bool", "bfloat16": "float32"}.get(name, name)
    if mark == "!":
        values = np.resize(special(numpy_name), shape)
    elif name == "bool_":
        values = rng.rand(*shape) < 0.5
    elif "float" in name or "complex" in name:
        low, high = {"+": (0.5, 3), "u": (0.05, 0.95), "0": (0, 0)}.get(mark, (-2, 2))
        values = rng.uniform(low, high, shape)
        if "complex" in name:
            values = values + 1j * rng.uniform(low, high, shape)
    else:
        low, high = (0, int(mark[1:])) if mark[:1] == "<" else {"+": (1, 5), "0": (0, 1)}.get(mark, (-4, 5))
        values = rng.randint(max(low, 0) if "uint" in name else low, high, shape)
    return np.asarray(values).astype(numpy_name), name, mark


def special(name):
    if name == "bool":
        return np.array([True, False])
    if "float" in name:
        return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 100.0], name)
    info = np.iinfo(name)
    return np.array([0, info.max, info.min, 1, info.max - 1, 2], name)


def make(spec, ms):
    """The argument that a text stands for, in the library `ms`."""
    if not is_tensor(spec):
        return eval(spec, {"ms": ms, "np": np, "Tensor": ms.Tensor, "inf": float("inf"), "nan": float("nan")})
    values, name, mark = array(spec)
    tensor = ms.Tensor(values, getattr(ms, name))
    return ms.Parameter(tensor, name="p%d" % values.size) if mark == "p" else tensor
