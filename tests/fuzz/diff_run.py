"""Runs one program of the differential fuzzer plainly, under PIJit and under both levels of PSJit and says where they differ."""
import io
import os
import signal
import sys
import types

import numpy as np
from ways import WAYS, SourceText

import msjit as ms
from msjit import Tensor

CALLS = (0, 0, 1, 0, 2, 3, 1, 4, 5, 6, 0, 9)
SECONDS = 10


class Hang(BaseException):
    pass


def make_args(module, variant):
    """Arguments of one call; variants differ in values, in what aliases what, and from 4 on in sizes."""
    x = Tensor((np.arange(6, dtype=np.float32).reshape(2, 3) - 2) / 4)
    y = Tensor(np.array([0.5, -1.5, 2.0], dtype=np.float32))
    xs = [1, 2.5, "w", y]
    d = {"a": 1, "b": x}
    o = module["Child" if variant == 2 else "Box"](y, [3, 4])
    o.rate, n = 0.5 + variant / 8, 2
    if variant == 1:
        n, xs[0] = 3, 5
        o.count = 2
    elif variant == 2:
        y, o.items = x, xs
        d["l"] = xs
    elif variant == 3:
        x = Tensor(np.ones((2, 3), dtype=np.float32))
        xs, d = [x, x, 0], {"c": o, "a": 2}
        n = 0
    elif variant > 3:
        n = variant - 3
        x = Tensor((np.arange(3 * n, dtype=np.float32).reshape(n, 3) - 2) / 4)
        d["b"] = x
    return [x, y, n, "ab-c" if variant != 1 else "xyz", xs, d, o]


class Picture:
    """A comparable picture of values: types, contents, and which of them are one object."""

    def __init__(self):
        self.seen = {}
        self.keep = []
        self.tensors = []

    def of(self, value):
        if type(value) is int and value.bit_length() > 10000:  # too long for repr() from 3.11 on
            return ("int", hex(value))
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes, range)):
            return (type(value).__name__, repr(value))
        if type(value).__module__ == "numpy":
            return (type(value).__name__, str(value.dtype), repr(value.tolist()))
        if id(value) in self.seen and value != ():
            return ("again", self.seen[id(value)])
        self.seen[id(value)] = len(self.seen)
        self.keep.append(value)
        return (type(value).__name__, self.parts(value))

    def parts(self, value):
        if isinstance(value, Tensor):
            self.tensors.append(value.asnumpy().copy())
            return (str(value.dtype), tuple(value.shape))
        if isinstance(value, (list, tuple)):
            return [self.of(v) for v in value]
        if isinstance(value, dict):
            attributes = vars(value) if hasattr(value, "__dict__") else {}
            items = [(self.of(k), self.of(v)) for k, v in value.items()]
            return items if attributes is value else items + [self.of(list(attributes.items()))] * bool(attributes)
        if isinstance(value, (set, frozenset)):
            return sorted(repr(v) for v in value)
        if isinstance(value, types.FunctionType):
            cells = [c.cell_contents for c in value.__closure__ or () if not self.empty(c)]
            return [value.__qualname__, self.of(value.__defaults__), self.of(cells)]
        if isinstance(value, types.MethodType):
            return [value.__func__.__qualname__, self.of(value.__self__)]
        if hasattr(value, "func") and hasattr(value, "keywords"):
            return [self.of(value.args), self.of(value.keywords)]
        if isinstance(value, type):
            return value.__qualname__
        return [self.of(list(vars(value).items()))] if hasattr(value, "__dict__") else []

    @staticmethod
    def empty(cell):
        try:
            return cell.cell_contents is cell  # False; the read raises if the cell is empty
        except ValueError:
            return True


def error_of(error, file, depth=0):
    frames, trace = [], error.__traceback__
    # From 3.11 on, a specialized store-and-load pair reports an unbound local at the line of the store.
    quiet = sys.version_info >= (3, 11) and isinstance(error, UnboundLocalError)
    while trace:
        if trace.tb_frame.f_code.co_filename == file:
            frames.append((trace.tb_frame.f_code.co_name, 0 if quiet else trace.tb_lineno))
        trace = trace.tb_next
    context = error.__context__ and depth < 4 and error_of(error.__context__, file, depth + 1)
    return (type(error).__name__, str(error), frames, context, error.__cause__ is not None)


def call(fn, module, variant):
    """(output, picture, tensors) of one call."""
    args = make_args(module, variant)
    before, sys.stdout = sys.stdout, io.StringIO()
    result = error = None
    try:
        try:
            result = fn(*args)
        except Exception as e:
            error = error_of(e, module["main"].__code__.co_filename)
        output = sys.stdout.getvalue()
    finally:
        sys.stdout = before
    picture = Picture()
    state = [result, args, module["SHARED"], module["TABLE"], module["TOTAL"], module["Box"].scale]
    return {"output": output, "error": error, "values": picture.of(state)}, picture.tensors


def same_tensors(a, b):
    return len(a) == len(b) and all(
        p.shape == q.shape and np.allclose(p, q, rtol=1e-5, atol=1e-6, equal_nan=True) for p, q in zip(a, b))


def alarm(seconds):
    def ring(*_):
        raise Hang()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def check(source, calls=CALLS, ways=tuple(WAYS), whole=None):
    """None when all runs agree; else a text that says how they differ. Appends to `whole`, if given, how many of the calls
    under level STRICT were not refused."""
    np.seterr(all="ignore")
    ms.set_seed(0)
    with SourceText(source) as text:
        try:
            alarm(SECONDS)
            module = text.load({"__name__": "program"})
            expected = [call(module["main"], module, v) for v in calls]
        except (Hang, MemoryError):
            return None
        finally:
            alarm(0)
        for way in ways:
            found = compare(text, way, calls, expected, whole)
            if found:
                return found
    return None


def compare(text, way, calls, expected, whole):
    """`check` for one way of running."""
    module = text.load({"__name__": "program"})
    try:
        alarm(SECONDS * 3)
        jitted = WAYS[way](module["main"])
        for k, variant in enumerate(calls):
            got = call(jitted, module, variant)
            if "SystemError" in str(got[0]["error"]):
                return "internal error in call %d under %s: %s" % (k, way, got[0]["error"])
            for part, value in expected[k][0].items():
                if got[0][part] != value:
                    return "%s of call %d:\n  plain %r\n  %s %r" % (part, k, value, way, got[0][part])
            if not same_tensors(expected[k][1], got[1]):
                return "tensors of call %d:\n  plain %r\n  %s %r" % (k, expected[k][1], way, got[1])
    except Hang:
        return "hang: %s did not finish in %d s" % (way, SECONDS * 3)
    finally:
        alarm(0)
    if way == "STRICT" and whole is not None:
        whole.append(jitted.whole)
    return None


def kind_of(text):
    """What a shrunk program must keep of a difference."""
    return text.split(" ", 1)[0] if text else None


os.environ.setdefault("MSJIT_STRICT", "1")
