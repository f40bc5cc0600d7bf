"""The programs of jit_user_*.py behave the same under the JIT, and break no more often than noted there."""
import sys

import pytest

import jit_user_loops  # noqa: F401 - adds its programs
import jit_user_objects  # noqa: F401 - adds its programs
import msjit as ms
from jit_same import FORCED, breaks, same
from jit_user_programs import PROGRAMS
from msjit import _msjit

pytestmark = pytest.mark.jit


@pytest.mark.parametrize("fn,make,limit,exact", PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_program(fn, make, limit, exact):
    _msjit.reset()
    ms.set_seed(1)
    same(fn, make, variants=(0, 0, 1, 0), exact=exact)
    if not FORCED and sys.version_info >= (3, 8):
        found = breaks(fn)
        assert len(found) <= limit, ["line %d: %s" % (b["line"], b["detail"]) for b in found]
