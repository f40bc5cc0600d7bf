"""usage: gen_accuracy.py [OP...]

Writes docs/accuracy.md: the greatest error of each mathematical operator, against mpmath at 60 digits. A range is tried at a
million random values, besides those at its ends; those that a wider float finds worst are measured exactly. With operators
named, their rows are only printed. Run it after a build, in an environment that has mpmath:

    build/venv/3.10/bin/python -m pip install mpmath
    build/venv/3.10/bin/python tests/tools/gen_accuracy.py
"""

import pathlib
import sys

import mpmath
import numpy as np

from msjit import Tensor, ops

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNT, MEASURED = 1000000, 24
mpmath.mp.dps = 60
HEAD = """# Accuracy of the mathematical operators

Written by `tests/tools/gen_accuracy.py`; do not edit. The greatest error found among a million values a range, in units in the
last place (ulp), against mpmath at 60 digits. Compiled kernels give the same bits as eager calls. "all" means every finite
value, by its bits, denormals and the greatest ones included; 16-bit floats are computed in float32 and rounded once.
`sin`, `cos` and `tan` of float64 are the C library's.

| op | dtype | range | max ulp | at |
| --- | --- | --- | --- | --- |
"""
ALL = None
# name: (NumPy's name, mpmath's function, ranges of float32, ranges of float64)
UNARY = {
    "sin": ("sin", mpmath.sin, [(-4, 4), (-1e4, 1e4), ALL], [(-4, 4), ALL]),
    "cos": ("cos", mpmath.cos, [(-4, 4), (-1e4, 1e4), ALL], [(-4, 4), ALL]),
    "tan": ("tan", mpmath.tan, [(-4, 4), (-1e4, 1e4), ALL], [(-4, 4), ALL]),
    "asin": ("arcsin", mpmath.asin, [(-1, 1), (-1e-3, 1e-3)], [(-1, 1), (-1e-3, 1e-3)]),
    "acos": ("arccos", mpmath.acos, [(-1, 1), (0.999, 1)], [(-1, 1), (0.999, 1)]),
    "atan": ("arctan", mpmath.atan, [(-3, 3), ALL], [(-3, 3), ALL]),
    "sinh": ("sinh", mpmath.sinh, [(-1, 1), (-89.4, 89.4), ALL], [(-1, 1), (-710.4, 710.4), ALL]),
    "cosh": ("cosh", mpmath.cosh, [(-1, 1), (-89.4, 89.4), ALL], [(-1, 1), (-710.4, 710.4), ALL]),
    "tanh": ("tanh", mpmath.tanh, [(-1, 1), (-10, 10), ALL], [(-1, 1), (-20, 20), ALL]),
    "asinh": ("arcsinh", mpmath.asinh, [(-1, 1), ALL], [(-1, 1), ALL]),
    "acosh": ("arccosh", mpmath.acosh, [(1, 2), (1, 1e10), (1e10, 3e38)], [(1, 2), (1, 1e10), (1e10, 1e308)]),
    "atanh": ("arctanh", mpmath.atanh, [(-1, 1), (-1e-3, 1e-3)], [(-1, 1), (-1e-3, 1e-3)]),
    "exp": ("exp", mpmath.exp, [(-1, 1), (-103, 88.7)], [(-1, 1), (-745, 709.7)]),
    "expm1": ("expm1", mpmath.expm1, [(-1, 1), (-20, 88.7), (-1e-3, 1e-3)], [(-1, 1), (-40, 709.7), (-1e-3, 1e-3)]),
    "log": ("log", mpmath.log, [(0.5, 2), (0, 3e38)], [(0.5, 2), (0, 1e308)]),
    "log1p": ("log1p", mpmath.log1p, [(-1, 1), (-1e-3, 1e-3), (0, 3e38)], [(-1, 1), (-1e-3, 1e-3), (0, 1e308)]),
}
BINARY = {
    "atan2": ("arctan2", mpmath.atan2, [((-3, 3), (-3, 3)), (ALL, ALL)], [((-3, 3), (-3, 3)), (ALL, ALL)]),
    "pow": (
        "power",
        mpmath.power,
        [((0, 10), (-10, 10)), ((0.9, 1.1), (-800, 800)), ((0, 3e38), (-1, 1))],
        [((0, 10), (-10, 10)), ((0.9, 1.1), (-6000, 6000)), ((0, 1e308), (-1, 1))],
    ),
}


def drawn(rng, limits, dtype):
    """Random values of a range: of all floats by their bits, else half of them evenly and half by their exponents."""
    bits = {np.float32: np.int32, np.float64: np.int64}[dtype]
    if limits is ALL:
        info = np.iinfo(bits)
        x = rng.integers(info.min, info.max, COUNT, bits).view(dtype)
        ends = np.array([np.finfo(dtype).max, np.finfo(dtype).tiny, np.finfo(dtype).tiny / 3, 1], dtype)
    else:
        low, high = limits
        x = rng.uniform(low, high, COUNT).astype(dtype)
        if low <= 0:
            x[::2] = x[::2] * 2.0 ** -rng.uniform(0, 40 if dtype is np.float32 else 300, COUNT // 2)
        ends = np.array([low, high], dtype)
    x[: ends.size] = ends
    return np.where(np.isfinite(x), x, dtype(0.5))


def ulps(got, want, dtype):
    """The exact error of one result."""
    rounded = dtype(float(want)) if dtype is np.float64 else np.float32(str(mpmath.nstr(want, 30)))
    step = np.nextafter(abs(rounded), dtype(np.inf)) - abs(rounded)
    step = step if np.isfinite(step) else abs(rounded) - np.nextafter(abs(rounded), dtype(0))
    return float(abs(mpmath.mpf(float(got)) - want) / mpmath.mpf(float(step)))


def worst(name, row, limits, dtype):
    rng = np.random.default_rng(1)
    limits = limits if name in BINARY else (limits,)
    xs = [drawn(rng, each, dtype) for each in limits]
    got = getattr(ops, name)(*[Tensor(x) for x in xs]).asnumpy()
    wide = np.float64 if dtype is np.float32 else np.longdouble
    want = getattr(np, row[0])(*[x.astype(wide) for x in xs])
    error = abs(got - want) / np.spacing(abs(want).astype(dtype)).astype(wide)
    usable = np.isfinite(want) & (abs(want) <= np.finfo(dtype).max)
    assert np.isfinite(got[usable]).all(), name
    error[~usable] = -1
    found = [
        (ulps(got[i], row[1](*[mpmath.mpf(float(x[i])) for x in xs]), dtype), i)
        for i in np.argsort(error)[-MEASURED:]
        if usable[i]
    ]
    most, at = max(found)
    return most, ", ".join("%.9g" % x[at] if dtype is np.float32 else "%.17g" % x[at] for x in xs)


def shown(limits):
    if limits is ALL:
        return "all"
    if isinstance(limits[0], tuple) or limits[0] is ALL:
        return ", ".join(shown(each) for each in limits)
    return "%g ... %g" % limits


def rows(names):
    for name, row in list(UNARY.items()) + list(BINARY.items()):
        for dtype, ranges in ((np.float32, row[2]), (np.float64, row[3])):
            for limits in ranges if not names or name in names else ():
                most, at = worst(name, row, limits, dtype)
                yield "| %s | %s | %s | %.2f | %s |" % (name, dtype.__name__, shown(limits), most, at)


def main():
    np.seterr(all="ignore")
    if sys.argv[1:]:
        for row in rows(sys.argv[1:]):
            print(row, flush=True)
    else:
        (ROOT / "docs/accuracy.md").write_text(HEAD + "\n".join(rows(())) + "\n")


if __name__ == "__main__":
    main()
