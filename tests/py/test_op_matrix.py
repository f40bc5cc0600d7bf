"""Every operator on each of its samples: value against its NumPy expression, gradient against finite differences, and
the captured call against the eager one: elementwise operators bit for bit."""
import inspect

import numpy as np
import pytest

import msjit
from msjit import Tensor, _msjit

TABLE = _msjit.op_table()
ROWS = {row["name"]: row for row in TABLE}
CASES = [(row["name"], i) for row in TABLE for i in range(len(row["samples"]))]
GRAD_CASES = [(n, i) for n, i in CASES if ROWS[n]["differentiable"] and ROWS[n]["samples"][i]["check_grad"]
              and not set(ROWS[n]["traits"]) & {"in_place", "random"}]
TOLERANCE = {"float16": 4e-3, "bfloat16": 4e-2, "float32": 2e-5, "float64": 1e-9, "complex64": 2e-5, "complex128": 1e-9}
WIDE = {"f": np.float64, "c": np.complex128}


def attributes(sample):
    return eval("dict(%s)" % sample["attrs"], {"ms": msjit, "msjit": msjit, "inf": float("inf"), "nan": float("nan")})


def inputs(name, index):
    """Arrays of a sample; float16 inputs are rounded to what a tensor of that dtype holds."""
    sample, rng = ROWS[name]["samples"][index], np.random.RandomState(len(name) * 31 + index)
    low, high = sample["low_high"] or (-2, 2)
    arrays = []
    for i, shape in enumerate(sample["shapes"]):
        dtype = sample["dtypes"][i] if i < len(sample["dtypes"]) else "float32"
        values = np.asarray(rng.uniform(low, high, shape))
        if dtype == "bool":
            values = np.floor(values) > 0 if high <= 2 and low >= 0 else values > (low + high) / 2
        elif "int" in dtype:
            values = np.floor(values)
        elif "complex" in dtype:
            values = values + 1j * rng.uniform(low, high, shape)
        arrays.append((values.astype("float32" if dtype == "bfloat16" else dtype), dtype))
    return arrays


def to_args(name, tensors):
    """Keyword arguments of the tensors; one list when the op takes a list of tensors."""
    params = [p for p in ROWS[name]["params"] if p["kind"].startswith("Tensor")]
    if params and params[0]["kind"] == "Tensor[]":
        return {params[0]["name"]: list(tensors)}
    return {p["name"]: t for p, t in zip(params, tensors)}


def bind(name, values, attrs):
    """Parameter names to values, by the op's signature, for its NumPy expression."""
    params = ROWS[name]["params"]
    bound = {p["name"]: p["default"] for p in params if p["has_default"]}
    bound.update(to_args(name, values), **attrs)
    return {k: np.dtype(v.name) if isinstance(v, _msjit.DType) and v.name != "bfloat16" else v for k, v in bound.items()}


def call(name, tensors, attrs):
    out = getattr(_msjit.ops, name)(**to_args(name, tensors), **attrs)
    return out if isinstance(out, tuple) else (out,)


def tensors_of(arrays):
    return [Tensor(a, d) for a, d in arrays]


@pytest.mark.parametrize("name, index", CASES, ids=lambda v: str(v))
def test_value(name, index):
    row, arrays = ROWS[name], inputs(name, index)
    attrs = attributes(row["samples"][index])
    got = call(name, tensors_of(arrays), attrs)
    if not row["numpy"] or "random" in row["traits"]:
        return
    values = [Tensor(a, d).asnumpy() for a, d in arrays]
    wide = [v.astype(WIDE.get(v.dtype.kind, v.dtype)) for v in values]
    scope = dict(np=np, math=__import__("math"), **bind(name, wide, attrs))
    try:
        with np.errstate(all="ignore"):
            want = eval(row["numpy"], scope)
    except ValueError as error:
        assert "zero-size array" in str(error)  # NumPy has no maximum of nothing
        return
    want = want if isinstance(want, (tuple, list)) else (want,)
    assert len(got) == len(want)
    rough = max([TOLERANCE.get(d, 1e-9) for _, d in arrays] + [TOLERANCE.get(g.dtype.name, 1e-9) for g in got])
    for g, w in zip(got, want):
        w = np.asarray(w)
        assert g.shape == w.shape
        np.testing.assert_allclose(g.astype(msjit.float64).asnumpy() if g.dtype.is_floating_point else g.asnumpy(), w,
                                   rtol=rough * 4, atol=rough * 4)


def loss_of(name, arrays, weights, attrs):
    out = call(name, [Tensor(a) for a in arrays], attrs)
    """Its gradient with regard to each output, of complex numbers dL/dx + i dL/dy, is the weights."""
    return sum(float((o.asnumpy().astype(w.dtype) * w.conj()).real.sum()) for o, w in zip(out, weights) if w is not None)


def numeric_gradient(name, arrays, at, weights, attrs, step):
    grad = np.zeros(arrays[at].shape)
    for place in np.ndindex(*arrays[at].shape):
        sides = []
        for sign in (1, -1):
            moved = [a.copy() for a in arrays]
            moved[at][place] += sign * step
            sides.append(loss_of(name, moved, weights, attrs))
        grad[place] = (sides[0] - sides[1]) / (2 * step)
    return grad


@pytest.mark.parametrize("name, index", GRAD_CASES, ids=lambda v: str(v))
def test_gradient(name, index):
    attrs = attributes(ROWS[name]["samples"][index])
    arrays = [a if d in ("float32", "float64") or not d.startswith(("float", "bfloat")) else a.astype("float32")
              for a, d in inputs(name, index)]
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
    step = 1e-6
    try:
        call(name, [Tensor(a) for a in wide], attrs)
    except (TypeError, NotImplementedError):
        wide, step = arrays, 1e-2  # kernels of float32 alone
    floats = [i for i, a in enumerate(wide) if a.dtype.kind == "f"]
    if not floats or sum(wide[i].size for i in floats) > 400:
        pytest.skip("nothing to differentiate, or too much of it")
    leaves = [Tensor(a) for a in wide]
    for i in floats:
        leaves[i].requires_grad = True
    out = call(name, leaves, attrs)
    rng = np.random.RandomState(0)
    weights = [np.asarray(rng.rand(*o.shape)) * (1 + 2j if o.dtype.is_complex else 1)
               if (o.dtype.is_floating_point or o.dtype.is_complex) and _msjit.is_tracked(o) else None for o in out]
    used = [(o, Tensor(w.astype(o.asnumpy().dtype))) for o, w in zip(out, weights) if w is not None]
    grads = _msjit.gradients([o for o, _ in used], [w for _, w in used], [leaves[i] for i in floats], False)
    for i, grad in zip(floats, grads):
        want = numeric_gradient(name, wide, i, weights, attrs, step)
        assert grad.shape == want.shape and grad.dtype is leaves[i].dtype
        tolerance = 1e-5 if step < 1e-4 else 3e-2
        np.testing.assert_allclose(grad.asnumpy(), want, rtol=tolerance, atol=tolerance)


def function_of(name, attrs):
    """A function of the tensors alone that calls the op."""
    row, op = ROWS[name], getattr(_msjit.ops, name)
    params = [p for p in row["params"] if p["kind"].startswith("Tensor")]
    if params and params[0]["kind"] == "Tensor[]":
        return lambda *xs: op(list(xs), **attrs)
    if row["params"][:len(params)] == params:
        return lambda *xs: op(*xs, **attrs)
    names = [p["name"] for p in params]
    return lambda *xs: op(**dict(zip(names, xs)), **attrs)


@pytest.mark.parametrize("name, index", CASES, ids=lambda v: str(v))
def test_gradient_by_everything(name, index):
    """Gradients may be asked for integer and bool inputs too, such as labels and indices. That does not change the gradients of the float inputs."""
    row, arrays = ROWS[name], inputs(name, index)
    if not arrays or {"random", "in_place"} & set(row["traits"]):
        pytest.skip("nothing to differentiate")
    function = function_of(name, attributes(row["samples"][index]))
    floats = tuple(i for i, (_, d) in enumerate(arrays) if "float" in d)
    everything = tuple(range(len(arrays)))
    found = msjit.grad(function, everything)(*tensors_of(arrays))
    found = found if isinstance(found, tuple) else (found,)
    alone = msjit.grad(function, floats)(*tensors_of(arrays)) if floats else ()
    for i, grad in zip(floats, alone if isinstance(alone, tuple) else (alone,)):
        np.testing.assert_array_equal(grad.astype(msjit.float64).asnumpy(), found[i].astype(msjit.float64).asnumpy())
    captured = found
    if _msjit.has_jit:
        captured = msjit.grad(msjit.jit(function, mode="PIJit"), everything)(*tensors_of(arrays))
        captured = captured if isinstance(captured, tuple) else (captured,)
    for (array, _), grad, other in zip(arrays, found, captured):
        assert grad.shape == other.shape == np.shape(array) and grad.dtype == other.dtype
        np.testing.assert_allclose(grad.astype(msjit.float64).asnumpy(), other.astype(msjit.float64).asnumpy(),
                                   rtol=1e-5, atol=1e-6)


@pytest.mark.jit
@pytest.mark.parametrize("name, index", CASES, ids=lambda v: str(v))
def test_captured(name, index):
    row = ROWS[name]
    if "random" in row["traits"]:
        pytest.skip("random")
    attrs, arrays = attributes(row["samples"][index]), inputs(name, index)
    function = function_of(name, attrs)
    captured = msjit.jit(function, mode="PIJit")
    want = call(name, tensors_of(arrays), attrs)
    for _ in range(2):
        got = captured(*tensors_of(arrays))
        got = got if isinstance(got, tuple) else (got,)
        assert [g.dtype for g in got] == [w.dtype for w in want]
        for g, w in zip(got, want):
            if "elementwise" in row["traits"]:
                np.testing.assert_array_equal(g.asnumpy(), w.asnumpy())
            else:  # a fused sum may add in another order
                np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_described(name):
    row = ROWS[name]
    assert row["doc"].strip()
    assert str(inspect.signature(getattr(_msjit.ops, name))) == row["signature"]


def test_every_operator_has_samples():
    """Exceptions: operators that write in place, draw random numbers, call other processes, make tensors from no tensor, or are the gradient of
    another one."""
    bare = [n for n, r in ROWS.items() if not r["samples"] and not set(r["traits"]) & {"in_place", "random", "collective"}
            and any(p["kind"].startswith("Tensor") for p in r["params"]) and not n.endswith(("_grad", "_from"))]
    assert not bare
