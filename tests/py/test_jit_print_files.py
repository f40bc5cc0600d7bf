"""print() to any text file of CPython's own, in program order. Printing to file objects that the program defines is left to the interpreter."""
import io
import sys

import numpy as np
import pytest

import msjit as ms
from jit_same import captured
from msjit import Tensor, ops

pytestmark = pytest.mark.jit


def x3():
    return Tensor(np.float32([1.5, -2.25, 7]))


def lines(x, out):
    y = ops.tanh(x)
    print("mean", float(y.mean()), x.shape, file=out, flush=True)
    print(y, sep="", end="!\n", file=out)
    return y * 2


def to_the_same(x, out):
    print("a", x.ndim)
    print("b", x.ndim, file=sys.stdout)
    print("c", x.ndim, file=None)
    return ops.tanh(x)


def to_two(x, out):
    print("a", x.ndim, file=out)
    print("b", x.ndim)
    print("c", x.ndim, file=out)
    return ops.tanh(x)


def written(x, out):
    y = ops.tanh(x)
    a = out.write("step %d\n" % x.ndim)
    b = out.write("mean %.3f" % float(y.mean()))
    print("", file=out)
    out.flush()
    return y * 2, a, b


def to_stdout(x, out):
    sys.stdout.write("a")
    print("b", x.ndim)
    sys.stdout.flush()
    return ops.tanh(x)


class Tee(io.StringIO):
    def write(self, text):
        return super().write(text.upper())


class Counting(io.StringIO):
    def __getattribute__(self, name):
        if name == "write":
            SEEN.append(name)
        return super().__getattribute__(name)


SEEN = []


def shadowed():
    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    out.write = lambda text, write=out.write: write("<" + text + ">")
    return out


def text_of(out):
    out.flush()
    return out.getvalue() if isinstance(out, io.StringIO) else out.buffer.getvalue().decode()


FILES = [io.StringIO, lambda: io.TextIOWrapper(io.BytesIO(), newline=""), Tee, Counting, shadowed]


@pytest.mark.parametrize("fn", [lines, to_two, to_the_same, written, to_stdout], ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", FILES, ids=lambda f: f.__name__)
def test_the_text_is_plain_s(fn, make, capsys):
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        plain, out = make(), make()
        fn(x3(), plain)
        expected = text_of(plain), capsys.readouterr().out
        jitted(x3(), out)
        assert (text_of(out), capsys.readouterr().out) == expected


def test_captured_whole():
    captured(lines, lambda v: (x3(), io.StringIO()))
    captured(to_the_same, lambda v: (x3(), None))
    captured(written, lambda v: (x3(), io.StringIO()))
    captured(to_stdout, lambda v: (x3(), None))


def test_write_gives_the_number_of_characters_and_refuses_other_things():
    def fn(x, out, text):
        n = out.write(text)
        return x + 1, n
    jitted = ms.jit(fn, mode="PIJit")
    for text in ("abc", "", "\u00e9t\u00e9\n", "abc", b"abc", 3, None, "xy"):
        results = []
        for f in (fn, jitted):
            out = io.StringIO()
            try:
                result = f(x3(), out, text)[1]
            except TypeError as error:
                result = str(error)
            results.append((result, out.getvalue()))
        assert results[0] == results[1]


def test_a_string_of_a_derived_class_is_left_to_python():
    class Text(str):
        pass

    def fn(x, out):
        return x + 1, out.write(Text("abc"))
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        out = io.StringIO()
        assert jitted(x3(), out)[1] == 3 and out.getvalue() == "abc"


def test_a_method_put_on_the_file_later():
    """A second call finds write() on the object itself."""
    def fn(x):
        y = ops.tanh(x)
        print("a", file=OUT[0])
        return y
    jitted = ms.jit(fn, mode="PIJit")
    texts = []
    for f in (fn, jitted):
        OUT[0] = io.TextIOWrapper(io.BytesIO(), write_through=True)
        f(x3())
        f(x3())
        OUT[0].write = lambda text, write=OUT[0].write: write(text.upper())
        f(x3())
        texts.append(text_of(OUT[0]))
    assert texts[0] == texts[1] == "a\na\nA\n"


OUT = [None]


@pytest.mark.parametrize("broken", [lambda out: out.close(), lambda out: out.detach()])
def test_a_closed_file_raises_where_it_stands(broken):
    def fn(x, out, log):
        log.append("before")
        print("a", file=out)
        log.append("after")
        return x + 1
    jitted = ms.jit(fn, mode="PIJit")
    jitted(x3(), io.TextIOWrapper(io.BytesIO()), [])
    results = []
    for f in (fn, jitted):
        out, log = io.TextIOWrapper(io.BytesIO()), []
        broken(out)
        with pytest.raises(ValueError) as error:
            f(x3(), out, log)
        results.append((str(error.value), log))
    assert results[0] == results[1]


class Raw(io.RawIOBase):
    """A raw stream of the program below CPython's own text file. When text reaches it, it sees all changes made before the print."""

    def __init__(self, m):
        self.m, self.seen = m, []

    def writable(self):
        return True

    def write(self, data):
        self.seen.append((bytes(data), self.m["n"]))
        return len(data)


def counted(x, out, m):
    m["n"] += 1
    print("a", file=out, flush=True)
    m["n"] += 1
    print("b", file=out, flush=True)
    return x + 1


@pytest.mark.parametrize("wrap", [io.BufferedWriter, lambda raw: raw])
def test_a_stream_below_a_text_file_sees_the_state_of_that_line(wrap):
    jitted, seen = ms.jit(counted, mode="PIJit"), []
    for f in (counted, jitted, jitted, jitted):
        raw = Raw({"n": 0})
        f(x3(), io.TextIOWrapper(wrap(raw), write_through=True), raw.m)
        seen.append(raw.seen)
    assert seen[1:] == seen[:1] * 3


@pytest.mark.captures
def test_files_of_bytes_and_of_the_system_are_captured(tmp_path):
    for out in (io.TextIOWrapper(io.BytesIO()), open(str(tmp_path / "text"), "w"), io.StringIO()):
        with out:
            captured(lines, lambda v: (x3(), out))
