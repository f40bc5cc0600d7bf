"""Names that modules find at their first use: they stay in the module, and captured code reads them without ending its region."""
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, absent, nn, ops
from msjit.ops import composite

KEPT = [(ms, "COOTensor"), (ms, "Layout"), (ops, "DataType"), (ops.function, "derivative"), (nn, "Accuracy"),
        (ms.common, "COOTensor"), (ops.functional, "csr2coo")]


@pytest.mark.parametrize("module, name", [pair for pair in KEPT if hasattr(*pair)], ids=lambda value: getattr(value, "__name__", value))
def test_what_was_found_once_stays_in_the_module(module, name):
    found = getattr(module, name)
    assert vars(module)[name] is found is getattr(module, name)


def test_names_of_builtins_and_absent_names_do_not_stay():
    assert ms.int is not int and "int" not in vars(ms)
    assert isinstance(ops.GeSwitch, absent.Absent) and "GeSwitch" not in vars(ops)
    with pytest.raises(AttributeError):
        ms.no_such_name
    assert "no_such_name" not in vars(ms)


@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("options", [dict(mode="PIJit", fullgraph=True), dict(fullgraph=True)])
def test_functions_of_composite_are_captured_whole(options):
    """Training scripts clip by C.clip_by_global_norm and C.clip_by_value."""
    step = ms.jit(lambda g: composite.clip_by_value(composite.clip_by_global_norm((g,), 1.0)[0], Tensor(-0.5), Tensor(0.5)), **options)
    for _ in range(2):
        np.testing.assert_allclose(step(Tensor([3.0, -4.0])).asnumpy(), [0.5, -0.5])


@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("name", ["COOTensor", "mint.exp", "numpy.ones", "scipy.linalg.inv", "experimental.optim"])
def test_a_name_found_in_captured_code_ends_no_region(name):
    program = """
import msjit as ms
step = ms.jit(lambda g: (g + 1, ms.%s)[0], mode="PIJit", fullgraph=True)
print(step(ms.Tensor([1.0])), step(ms.Tensor([2.0])))
""" % name
    out = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, universal_newlines=True, check=True)
    assert out.stdout == "[2.] [3.]\n"


@pytest.mark.jit
def test_a_module_of_the_program_finds_names_itself_and_once_a_call():
    program = """
import msjit as ms, types
lazy, asked = types.ModuleType("lazy"), []
lazy.__getattr__ = lambda name: asked.append(name) or 3
step = ms.jit(lambda g: g + lazy.scale, mode="PIJit")
print([step(ms.Tensor([1.0])).asnumpy().tolist() for _ in range(6)], len(asked))
lazy.scale = 5
print(step(ms.Tensor([1.0])))
"""
    out = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, universal_newlines=True, check=True)
    assert out.stdout == "%s 6\n[6.]\n" % ([[4.0]] * 6)


@pytest.mark.jit
@pytest.mark.captures
def test_a_module_of_the_program_that_keeps_what_it_finds_ends_no_region_for_long():
    program = """
import msjit as ms, types
from msjit.explain import records
lazy = types.ModuleType("lazy")
lazy.__getattr__ = lambda name: setattr(lazy, name, 3) or 3
step = ms.jit(lambda g: (g + 1) * lazy.scale, mode="PIJit")
def breaks(calls):
    for _ in range(calls):
        step(ms.Tensor([1.0]))
    return sum(b["count"] for r in records() for b in r["breaks"])
print(breaks(8) == breaks(8))
"""
    out = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, universal_newlines=True, check=True)
    assert out.stdout == "True\n"
