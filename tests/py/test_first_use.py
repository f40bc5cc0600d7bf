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
def test_a_name_found_in_captured_code_ends_one_region_at_most():
    program = """
import msjit as ms
from msjit import Tensor
step = ms.jit(lambda g: (g + 1, ms.COOTensor), mode="PIJit")
for _ in range(5):
    step(Tensor([1.0]))
from msjit.explain import records
print(sum(b["count"] for r in records() for b in r["breaks"]))
"""
    out = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, universal_newlines=True, check=True)
    assert int(out.stdout) <= 1
