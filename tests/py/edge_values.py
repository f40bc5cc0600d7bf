"""Every operator on NaN, the infinities, zeros of both signs, denormals and the ends of the integers: eagerly against a
capture whose kernels are compiled. Run by test_jit_edge_values.py in a separate process, because the compiler must not run in the
background. It prints a line for each difference.

    MSJIT_SYNC_COMPILE=1 python tests/py/edge_values.py unary|binary|constants|other|chains
"""
import sys
import warnings

import numpy as np

import msjit as ms
from msjit import Tensor, _msjit, nn, ops
from test_op_matrix import CASES, ROWS, attributes, inputs, tensors_of

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["int8", "uint8", "int32", "int64", "bool"]
CONSTANTS = [0, 1, -1, 2, 3, -2, 0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 4.0, float("inf"), float("-inf"), float("nan")]


def special(dtype, size=None):
    """Special and ordinary values of a dtype, repeated up to a size that ends amid a vector."""
    if dtype == "bool":
        values = [True, False]
    elif dtype.startswith(("float", "bfloat")):
        info = np.finfo("float32" if dtype == "bfloat16" else dtype)
        tiny = float(info.tiny)
        values = [np.nan, np.inf, -np.inf, 0.0, -0.0, tiny / 4, -tiny / 4, tiny, float(info.max), -float(info.max),
                  1.0, -1.0, 0.5, -0.5, 2.0, -3.25, 6.0, 7.5, 88.9, -104.0]
    else:
        info = np.iinfo(dtype)
        values = sorted({0, 1, 2, 7, info.max, info.max - 1, info.min, info.min + 1, -1 if info.min else 3})
    array = np.array(values, "float32" if dtype == "bfloat16" else dtype)
    return array if size is None else np.resize(array, size)


def tensor(array, dtype):
    return Tensor(array, ms.bool_ if dtype == "bool" else getattr(ms, dtype))


def image(value):
    """Bits, all NaNs being one."""
    array = (value.astype(ms.float32) if value.dtype == ms.bfloat16 else value).asnumpy()
    if array.dtype.kind != "f":
        return array
    found = array.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[array.itemsize]).copy()
    found[np.isnan(array)] = 0x7fff
    return found


def captured(function):
    """A capture of a copy of the function: one code object would soon have too many captures."""
    space = {"function": function}
    exec("def f(*xs):\n    return function(*xs)", space)
    return ms.jit(space["f"], mode="PIJit")


def differing(want, got, sums):
    """Where two float or integer arrays differ. `sums`: finite numbers may be rounded differently, because a library adds products in the
    order that suits the processor. NaN, the infinities and the signs of zeros must not change."""
    other = image(want) != image(got)
    if sums:
        a, b = want.asnumpy(), got.asnumpy()
        close = np.isfinite(a) & np.isfinite(b) & ((a != 0) | (b != 0))
        close[close] = np.isclose(a[close], b[close], rtol=1e-5, atol=1e-6)
        other &= ~close
    return np.argwhere(other)


def compare(label, function, tensors, exact=True, names=None, of=lambda function: function, sums=False):
    """Prints how a compiled capture, or what `of` makes of it, differs from the eager call."""
    want = of(function)(*tensors)
    got = of(captured(function))(*tensors)
    for i, (w, g) in enumerate(zip(want, got)):
        if w.dtype != g.dtype or w.shape != g.shape:
            print("%s %s: %s%s, eager %s%s" % (label, names[i] if names else i, g.dtype, g.shape, w.dtype, w.shape))
        elif not exact:
            a, b = w.astype(ms.float64).asnumpy(), g.astype(ms.float64).asnumpy()
            if not np.allclose(b, a, rtol=1e-5, atol=1e-6, equal_nan=True):
                print("%s %s: %s, eager %s" % (label, names[i] if names else i, b.ravel()[:9], a.ravel()[:9]))
        elif len(differing(w, g, sums)):
            at = tuple(differing(w, g, sums)[0])
            print("%s %s: %s, eager %s at %s of %s" % (label, names[i] if names else i, g.asnumpy()[at], w.asnumpy()[at], at,
                                                       [t.tolist()[at[0]] for t in tensors if t.ndim == 1]))


def with_attributes(op, attrs):
    return lambda *xs: op(*xs, **attrs)


def elementwise(inputs_wanted):
    """(name, function of that many tensors) of the elementwise operators."""
    for name, row in sorted(ROWS.items()):
        kinds = [p["kind"] for p in row["params"]]
        if "elementwise" in row["traits"] and kinds.count("Tensor") == inputs_wanted and name != "cast":
            yield name, with_attributes(getattr(_msjit.ops, name), attributes(row["samples"][0]))


def accepts(function, *args):
    try:
        function(*args)
    except (TypeError, ValueError, NotImplementedError):
        return False
    return True


def unary():
    """Each operator, and three others on its result and on its negated operand."""
    table = list(elementwise(1))
    for dtype in FLOATS + INTS:
        x = tensor(special(dtype, 39), dtype)
        usable = [(n, f) for n, f in table if accepts(f, x)]
        for k, (name, first) in enumerate(usable):
            chain = [(name, first)]
            for step in (1, 5, 11):
                after, then = usable[(k + step) % len(usable)]
                if accepts(then, first(x)):
                    chain.append(("%s of %s" % (after, name), lambda x, f=first, g=then: g(f(x))))
            if dtype != "bool":
                chain.append(("%s of neg" % name, lambda x, f=first: f(-x)))
                chain.append(("%s of relu" % name, lambda x, f=first: f(ops.relu(x))))
            functions = [f for _, f in chain]
            compare(dtype, lambda x, fs=functions: [f(x) for f in fs], [x], names=[n for n, _ in chain])


def binary():
    """Each operator on all pairs of values, of one dtype and of two, with signs moved about."""
    for name, op in elementwise(2):
        for first in FLOATS[:2] + INTS:
            for second in (first, "float32", "int64", "uint8"):
                x, y = (a.ravel() for a in np.meshgrid(special(first), special(second)))
                x, y = tensor(x, first), tensor(y, second)
                if not accepts(op, x, y):
                    continue
                signed = [(lambda v: v) if t.dtype == ms.bool_ else (lambda v: -v) for t in (x, y)]
                compare("%s %s %s" % (name, first, second), lambda x, y, m=signed[0], n=signed[1], op=op: [
                    op(x, y), op(m(x), y), op(x, n(y)), op(m(x), n(y)), op(op(x, y), y), op(x, x), op(abs(m(x)), abs(y)),
                    op(x, y) * 0.5], [x, y])


def constants():
    """Each operator with a number on either side."""
    for name, op in elementwise(2):
        for dtype in FLOATS[:1] + ["float16", "int32", "uint8"]:
            x = tensor(special(dtype, 39), dtype)
            pairs = [(c, left) for c in CONSTANTS for left in (True, False) if accepts(op, *((c, x) if left else (x, c)))]
            if pairs:
                compare("%s %s" % (name, dtype), lambda x, pairs=pairs, op=op: [
                    op(c, x) if left else op(x, c) for c, left in pairs], [x], names=pairs)


def poked(array, seed):
    """A few elements made special."""
    if array.dtype.kind != "f" or not array.size:
        return array
    rng, array = np.random.RandomState(seed), array.copy()
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40]  # great ones overflow in one order of adding, not in another
    some = max(1, min(array.size // 4, 5))
    array.reshape(-1)[rng.permutation(array.size)[:some]] = [values[i] for i in rng.permutation(len(values))[:some]]
    return array


def other():
    """The samples of all other operators, a few elements made special."""
    for name, index in CASES:
        row = ROWS[name]
        if set(row["traits"]) & {"random", "in_place", "elementwise"} or not inputs(name, index):
            continue
        attrs, op = attributes(row["samples"][index]), getattr(_msjit.ops, name)
        params = [p for p in row["params"] if p["kind"].startswith("Tensor")]

        def call(*xs):
            if params[0]["kind"] == "Tensor[]":
                out = op(list(xs), **attrs)
            else:
                out = op(**dict(zip([p["name"] for p in params], xs)), **attrs)
            out = out if isinstance(out, tuple) else (out,)
            return list(out) + [o * 2 for o in out if o.dtype != ms.bool_]

        for seed in range(3):
            tensors = tensors_of([(poked(a, 9 * seed + i), d) for i, (a, d) in enumerate(inputs(name, index))])
            if accepts(call, *tensors):
                compare("%s %d" % (name, index), call, tensors, exact=False)


def rows(count, width):
    array = np.random.RandomState(count).uniform(-1, 1, (count, width)).astype(np.float32)
    for i, value in enumerate([np.nan, np.inf, -np.inf, -0.0, 1e-42, -1e-42]):
        array[i % count, (7 * i) % width] = value
    return Tensor(array)


def gradients(function, count):
    """The gradients of a function by all its tensors, in a list."""
    at = ms.grad(function, tuple(range(count)))

    def call(*xs):
        found = at(*xs)
        return list(found) if isinstance(found, tuple) else [found]
    return call


def chains():
    """What is fused or handed to a library, at sizes for every path, forwards and backwards."""
    for count, width, out in ((3, 5, 4), (7, 33, 65), (64, 100, 70), (700, 40, 513)):
        x, w, b = rows(count, width), rows(out, width), rows(1, out)[0]
        clean = Tensor(np.random.RandomState(1).uniform(-1, 1, (out, width)).astype(np.float32))
        dense = nn.Dense(width, out, weight_init=clean, activation="relu")
        size = "%dx%dx%d" % (count, width, out)
        for weight in (w, clean):
            compare("linear+relu " + size, lambda x, w, b: [
                ops.relu(ops.dense(x, w, b)), ops.relu(ops.dense(x, w)), ops.relu6(ops.dense(x, w, b)),
                ops.leaky_relu(ops.dense(x, w, b)), ops.clamp(ops.dense(x, w, b), 0, 1)], [x, weight, b], sums=True)
        compare("Dense " + size, lambda x: [dense(x)], [x], sums=True)
        compare("gradient of relu " + size, lambda x, w: ops.relu(ops.dense(x, w)), [x, clean], exact=False,
                of=lambda f: gradients(f, 2))
        compare("rows " + size, lambda x: [
            ops.softmax(x), ops.log_softmax(x), ops.softmax(x * 2, 0), ops.relu(x).sum(0), ops.relu(x).max(axis=1), (x + 1).min(axis=0),
            ops.relu(x).mean(1), (x * 2).prod(1), ops.layer_norm(x, (x.shape[1],)), ops.where(x > 0, x, -x).sum(1),
            x.argmax(1), ops.cumsum(x, 1)], [x], exact=False)
        compare("gradient of softmax " + size, lambda x: ops.softmax(x) * ops.log_softmax(x), [x], exact=False,
                of=lambda f: gradients(f, 1))
    for shape in ((1, 1, 6, 5), (2, 16, 17, 19)):
        x = Tensor(poked(np.random.RandomState(2).randn(*shape).astype(np.float32), 3))
        w = Tensor(np.random.RandomState(4).randn(8, shape[1], 3, 3).astype(np.float32))
        compare("windows %s" % (shape,), lambda x, w: [
            ops.relu(ops.conv2d(x, w)), ops.relu(ops.conv2d(x, w, pad_mode="same")), ops.max_pool2d(ops.relu(x), 2),
            ops.max_pool2d(x, 3, 2, 1), ops.avg_pool2d(x, 2, 2), ops.relu(ops.max_pool2d(x, 2))], [x, w], exact=False)
    for name, f in elementwise(1):
        x = tensor(special("float32", 39), "float32")
        if accepts(f, x) and f(x).dtype == ms.float32:
            compare("gradient of " + name, f, [x], of=lambda f: gradients(f, 1))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    assert not accepts(Tensor, "x") and accepts(Tensor, 1)
    globals()[sys.argv[1]]()
    totals = ms.report()["totals"]
    print("captured %d, by operator %d" % (totals["captured_calls"], totals["breaks"]))
