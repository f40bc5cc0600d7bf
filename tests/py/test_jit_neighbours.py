"""Other users of resources that the JIT takes from the interpreter: extra data of code objects, the frame evaluator."""
import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap

import pytest

pytest.importorskip("msjit._msjit")
pytestmark = pytest.mark.jit

EXTRA = """
import ctypes, sys, warnings
name = "PyUnstable_Eval_RequestCodeExtraIndex" if sys.version_info >= (3, 12) else "_PyEval_RequestCodeExtraIndex"
request = getattr(ctypes.pythonapi, name)
request.restype, request.argtypes = ctypes.c_ssize_t, [ctypes.c_void_p]
def take(left):
    indices = []
    while len(indices) < 255 - left:
        index = request(None)
        if index < 0:
            break
        indices.append(index)
    return indices
"""

PROGRAM = """
import numpy as np, msjit as ms
from msjit import Tensor
def f(x, k):
    return helper(x) * k + 1
def helper(x):
    return x + 1
def check():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        g = ms.jit(f, mode="PIJit")
    assert [g(Tensor(np.float32([1, 2])), 2).tolist() for _ in range(3)] == [[5, 7]] * 3
    return ms.has_jit and ms.stats().get("calls", 0)
"""


def run(script, *args, env=None):
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(script), *args], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, env=env)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text[-3000:]
    return text


@pytest.mark.costly
@pytest.mark.parametrize("left", [0, 1, 2, 3, 4])
def test_places_for_extra_data_run_out(left):
    """Other code has taken all indices for extra data but `left`. Then functions run uncompiled, or compiled if enough are left."""
    run(EXTRA + "take(%d)\n" % left + PROGRAM + "check()\n")


def test_others_are_not_told_of_code_without_their_data():
    """Every code object that was looked at had places for all, and their functions were called when it died."""
    run(EXTRA + """
import gc, numpy as np, msjit as ms
from msjit import Tensor
told = []
free = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: told.append(data))
assert request(ctypes.cast(free, ctypes.c_void_p)) >= 0
for n in range(5):
    space = {}
    exec("def f(x):\\n    return g(x) * 2\\ndef g(x):\\n    return x + 1\\n", space)
    run = ms.jit(space["f"], mode="PIJit")
    assert [run(Tensor(np.float32([1]))).tolist() for _ in range(3)] == [[4]] * 3
    ms._msjit.mark_code(space["g"])
    del run, space
    gc.collect()
assert told == [], told
""")


def test_places_for_extra_data_are_taken_afterwards():
    run(EXTRA + PROGRAM + "import msjit\ntake(0)\ncheck()\ncheck()\n")


@pytest.mark.captures
def test_extra_data_of_others():
    """Extra data of others and of msjit on one code object stay apart."""
    run(EXTRA + """
set_extra = getattr(ctypes.pythonapi, "PyUnstable_Code_SetExtra" if sys.version_info >= (3, 12) else "_PyCode_SetExtra")
get_extra = getattr(ctypes.pythonapi, "PyUnstable_Code_GetExtra" if sys.version_info >= (3, 12) else "_PyCode_GetExtra")
set_extra.argtypes = [ctypes.py_object, ctypes.c_ssize_t, ctypes.c_void_p]
get_extra.argtypes = [ctypes.py_object, ctypes.c_ssize_t, ctypes.POINTER(ctypes.c_void_p)]
first = request(None)
""" + PROGRAM + """
second = request(None)
def read(code, index):
    out = ctypes.c_void_p()
    assert get_extra(code, index, ctypes.byref(out)) == 0
    return out.value
for index, code in ((first, f.__code__), (second, f.__code__), (first, helper.__code__)):
    assert set_extra(code, index, 1000 + index) == 0
assert check() > 0
for index, code in ((first, f.__code__), (second, f.__code__), (first, helper.__code__)):
    assert read(code, index) == 1000 + index
    assert set_extra(code, index, 0) == 0
assert check() > 0
""")


HOOK = r"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>
static _PyFrameEvalFunction below;
static long calls;
#if PY_VERSION_HEX >= 0x030B0000
#define FRAME struct _PyInterpreterFrame
#else
#define FRAME PyFrameObject
#endif
static PyObject* eval(PyThreadState* thread, FRAME* frame, int throwing) {
  calls++;
  return (below ? below : _PyEval_EvalFrameDefault)(thread, frame, throwing);
}
static PyObject* install(PyObject* self, PyObject* none) {
  PyInterpreterState* interp = PyInterpreterState_Get();
  below = _PyInterpreterState_GetEvalFrameFunc(interp);
  _PyInterpreterState_SetEvalFrameFunc(interp, eval);
  Py_RETURN_NONE;
}
static PyObject* uninstall(PyObject* self, PyObject* none) {
  _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), below);
  Py_RETURN_NONE;
}
static PyObject* count(PyObject* self, PyObject* none) { return PyLong_FromLong(calls); }
static PyMethodDef methods[] = {{"install", install, METH_NOARGS, 0}, {"uninstall", uninstall, METH_NOARGS, 0},
                                {"count", count, METH_NOARGS, 0}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "other_hook", 0, -1, methods};
PyMODINIT_FUNC PyInit_other_hook(void) { return PyModule_Create(&module); }
"""

CHAIN = """
import warnings, other_hook
""" + PROGRAM + """
def seen(work):
    before = other_hook.count()
    result = work()
    return other_hook.count() - before, result
def plain():
    return 1
def through(x):
    y = x * 2
    plain.__class__.__call__(plain)   # a call that leaves the region
    return y + 1
def breaking():
    g = ms.jit(through, mode="PIJit")
    assert [g(Tensor(np.float32([1, 2]))).tolist() for _ in range(3)] == [[3, 5]] * 3
"""


def test_a_library_that_was_patched_before():
    """Others in the places of builtins and library functions and types, from before the first capture on."""
    run("""
import builtins, collections, copy, enum, functools, itertools, math, operator
import numpy as np, msjit as ms
from msjit import Tensor

def named(module, name):
    def give(f):
        f.__module__, f.__name__ = module, name
        return f
    return give

class Partial:
    def __init__(self, f, *args):
        self.f, self.given = f, args
    def __call__(self, *args):
        return self.f(*self.given, *args, 46)

class Table(dict):
    pass

builtins.sum = named("builtins", "sum")(lambda v, *a: 42)
builtins.len = lambda v: 43
builtins.zip = lambda *a: [(1, 2)]
builtins.hash = print
math.floor = lambda v: 44
math.sqrt = abs
math.log = print
operator.add = lambda a, b: 45
operator.sub = operator.mul
copy.copy = named("copy", "copy")(lambda v: [v])
functools.reduce = lambda f, v, *a: 47
functools.partial = Partial
itertools.chain = zip
collections.defaultdict = lambda *a: Table(a=48)

def f(x):
    return (x * 2, sum([1, 2]), len([1]), list(zip([1], [2])), math.floor(2.5), math.sqrt(-4), math.log(3), operator.add(1, 2),
            operator.sub(1, 2), copy.copy(3), functools.reduce(operator.mul, [1, 2]), functools.partial(max, 1)(2), hash(5),
            list(itertools.chain([1], [2])), collections.defaultdict(int)["a"])

x = Tensor(np.float32([1, 2]))
expected = f(x)[1:]
jitted = ms.jit(f, mode="PIJit")
for _ in range(3):
    assert jitted(x)[1:] == expected, (jitted(x)[1:], expected)
    assert jitted(x)[0].tolist() == [2, 4]
""")


@pytest.fixture(scope="module")
def other_hook(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    include = sysconfig.get_paths()["include"]
    if not compiler or not os.path.exists(os.path.join(include, "Python.h")):
        pytest.skip("no compiler or headers")
    folder = tmp_path_factory.mktemp("hook")
    (folder / "hook.c").write_text(HOOK)
    target = folder / ("other_hook" + sysconfig.get_config_var("EXT_SUFFIX"))
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-I" + include, str(folder / "hook.c"), "-o", str(target)], check=True)
    return dict(os.environ, PYTHONPATH=os.pathsep.join([str(folder)] + [p for p in sys.path if p]))


@pytest.mark.costly
@pytest.mark.skipif(not (3, 9) <= sys.version_info < (3, 12), reason="the evaluator is set by functions from 3.9 on, ours until 3.11")
@pytest.mark.parametrize("order", ["before", "after", "between", "gone while ours is there", "ours first, then gone"])
def test_chained_evaluators(order, other_hook):
    steps = {
        "before": "other_hook.install(); check(); breaking(); assert seen(plain)[0] == 1; check(); other_hook.uninstall(); check()",
        "after": "check(); breaking(); other_hook.install(); assert seen(plain)[0] == 1; check(); breaking()\\n"
                 "assert seen(plain)[0] == 1; other_hook.uninstall(); check(); breaking(); assert seen(plain)[0] == 0",
        "between": "other_hook.install(); breaking(); other_hook.uninstall(); breaking(); other_hook.install(); breaking()\\n"
                   "assert seen(breaking)[0] > 0 and seen(plain)[0] == 1; other_hook.uninstall(); check(); breaking()",
        "gone while ours is there": "keep = Tensor(np.float32([1])); ms._msjit.mark_code(through); other_hook.install(); through(keep)\\n"
                                    "other_hook.uninstall(); breaking(); through(keep); check(); assert seen(plain)[0] == 0",
        "ours first, then gone": "ms._msjit.mark_code(through); keep = Tensor(np.float32([1])); through(keep); other_hook.install()\\n"
                                 "through(keep); breaking(); del keep; ms._msjit.unmark_code(through); assert seen(plain)[0] == 1\\n"
                                 "other_hook.uninstall(); breaking(); check(); assert seen(plain)[0] == 0",
    }[order].replace("\\n", "\n")
    run(CHAIN + steps.replace("; ", "\n"), env=other_hook)
