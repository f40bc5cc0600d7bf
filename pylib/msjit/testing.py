"""check(fn, *args): runs a function eagerly and, several times, through PIJit, and compares everything that a program can observe.

That is: results (values, dtypes, shapes, types of containers), exceptions (class and text), the arguments after the call,
and printed text. `expect` is a NumPy function whose results must agree too.
"""
import contextlib
import copy
import io

from ._native import Tensor, _msjit


class Outcome:
    """What one call returned, raised, printed and did to its arguments."""

    def __init__(self, result, error, args, printed):
        self.result, self.error, self.args, self.printed = result, error, args, printed


def observe(fn, args, kwargs=None):
    """Calls fn on copies of the arguments and returns the Outcome."""
    args, kwargs = clone(args), clone(kwargs or {})
    printed, result, error = io.StringIO(), None, None
    with contextlib.redirect_stdout(printed):
        try:
            result = fn(*args, **kwargs)
        except Exception as caught:  # noqa: BLE001 - any exception is an outcome
            error = (type(caught), str(caught))
    return Outcome(result, error, (args, kwargs), printed.getvalue())


def clone(value):
    """A deep copy in which tensors keep their flags and Cells, functions and modules stay the same."""
    if isinstance(value, Tensor):
        copied = copy.deepcopy(value) if type(value) is not Tensor else value.copy()
        if type(value) is Tensor and value.requires_grad:
            copied = copied.detach()
            copied.requires_grad = True
        return copied
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[clone(v) for v in value])
    if isinstance(value, (tuple, list)):
        return type(value)([clone(v) for v in value])
    if isinstance(value, dict):
        return type(value)((k, clone(v)) for k, v in value.items())
    return value


def difference(a, b, rtol=0.0, atol=0.0, where="result"):
    """Text saying where two values differ, or None. rtol = atol = 0 compares bits (NaN equals NaN)."""
    if type(a) is not type(b):
        return "%s: types differ, %s and %s" % (where, type(a).__name__, type(b).__name__)
    if isinstance(a, Tensor):
        return _tensor_difference(a, b, rtol, atol, where)
    if isinstance(a, (tuple, list)):
        if len(a) != len(b):
            return "%s: lengths differ, %d and %d" % (where, len(a), len(b))
        pairs = [(x, y, "%s[%d]" % (where, i)) for i, (x, y) in enumerate(zip(a, b))]
    elif isinstance(a, dict):
        if list(a) != list(b):
            return "%s: keys differ, %s and %s" % (where, list(a), list(b))
        pairs = [(a[k], b[k], "%s[%r]" % (where, k)) for k in a]
    else:
        return _plain_difference(a, b, rtol, atol, where)
    for x, y, name in pairs:
        found = difference(x, y, rtol, atol, name)
        if found:
            return found
    return None


def _tensor_difference(a, b, rtol, atol, where):
    import numpy
    if a.dtype != b.dtype:
        return "%s: dtypes differ, %s and %s" % (where, a.dtype, b.dtype)
    if tuple(a.shape) != tuple(b.shape):
        return "%s: shapes differ, %s and %s" % (where, tuple(a.shape), tuple(b.shape))
    x, y = a.asnumpy(), b.asnumpy()
    if numpy.array_equal(x, y):
        return None
    x, y = x.astype(numpy.float64), y.astype(numpy.float64)
    if numpy.allclose(x, y, rtol, atol, equal_nan=True):
        return None
    with numpy.errstate(invalid="ignore"):
        gap = numpy.nanmax(numpy.abs(x - y)) if x.size else 0
    return "%s: values differ by up to %g\n%s\n%s" % (where, gap, x, y)


def _plain_difference(a, b, rtol, atol, where):
    if hasattr(a, "__array__"):
        import numpy
        same = numpy.array_equal(a, b) or numpy.allclose(a, b, rtol, atol, equal_nan=True)
    elif isinstance(a, float):
        same = a == b or (a != a and b != b) or abs(a - b) <= atol + rtol * abs(b)
    elif type(a).__eq__ is object.__eq__:
        same = True  # plain objects: their own fields are compared where they are arguments
    else:
        same = a == b
    return None if same else "%s: %r and %r" % (where, a, b)


def compare(expected, got, rtol, atol, label):
    """Raises AssertionError where two Outcomes differ."""
    if expected.error != got.error:
        raise AssertionError("%s: exceptions differ\n eager: %s\n %s: %s" % (label, expected.error, label, got.error))
    for what, a, b in (("result", expected.result, got.result), ("arguments", expected.args, got.args)):
        found = difference(a, b, rtol, atol, what)
        if found:
            raise AssertionError("%s: %s" % (label, found))
    if expected.printed != got.printed:
        raise AssertionError("%s: printed differs\n eager: %r\n %s: %r" % (
            label, expected.printed, label, got.printed))


def check(fn, *args, expect=None, rtol=0.0, atol=0.0, runs=3, fullgraph=False, **kwargs):
    """Runs fn eagerly and `runs` times through PIJit and compares; returns the eager result.

    On interpreters without a JIT only eager and `expect` (a function of NumPy arrays) are compared.
    """
    from .jit import jit
    random = _msjit.rng_state()  # every run draws the same numbers
    expected = observe(fn, args, kwargs)
    if expect is not None:
        if expected.error:
            raise AssertionError("eager: %s" % (expected.error,))
        reference = expect(*[a.asnumpy() if isinstance(a, Tensor) else a for a in clone(args)], **kwargs)
        _compare_numpy(expected.result, reference, max(rtol, 1e-5), max(atol, 1e-6))
    if _msjit.has_jit:
        compiled = jit(fn, mode="PIJit", fullgraph=fullgraph)
        for i in range(runs):
            _msjit.set_rng_state(random)
            compare(expected, observe(compiled, args, kwargs), rtol, atol, "PIJit run %d" % (i + 1))
    return expected.result


def _compare_numpy(result, reference, rtol, atol):
    import numpy
    if isinstance(result, (tuple, list)):
        for a, b in zip(result, reference):
            _compare_numpy(a, b, rtol, atol)
        return
    got = result.asnumpy() if isinstance(result, Tensor) else numpy.asarray(result)
    reference = numpy.asarray(reference)
    if got.shape != reference.shape:
        raise AssertionError("NumPy: shapes differ, %s and %s" % (got.shape, reference.shape))
    numpy.testing.assert_allclose(got.astype(numpy.float64), reference.astype(numpy.float64), rtol, atol)


def numeric_gradient(fn, args, index, step=1e-3):
    """Gradient of the sum of fn's float outputs by args[index], by central differences in float64."""
    import numpy
    base = args[index].asnumpy().astype(numpy.float64)
    gradient = numpy.zeros(base.shape)

    def total(values):
        changed = list(args)
        changed[index] = Tensor(values.astype(args[index].asnumpy().dtype))
        outputs = fn(*changed)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        return sum(float(o.asnumpy().astype(numpy.float64).sum()) for o in outputs if _msjit.is_floating(o))
    for position in numpy.ndindex(*base.shape):
        delta = numpy.zeros(base.shape)
        delta[position] = step
        gradient[position] = (total(base + delta) - total(base - delta)) / (2 * step)
    return gradient
