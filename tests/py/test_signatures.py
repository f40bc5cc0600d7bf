"""Names, order and kinds of parameters of functions and constructors are MindSpore's; tests/tools/api_signatures.py --read stores them."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

import api_signatures  # noqa: E402

# ops.relu is the bare operator, which eager programs call the most; a static method has no self to leave out.
KNOWN = {"ops.relu: unknown keyword inplace", "Tensor.from_numpy: array is required, and MindSpore has none"}


@pytest.mark.parametrize("space", api_signatures.SPACES)
def test_parameters(space):
    found, count = [], 0
    for at, name, parameters in api_signatures.stored(space + "."):
        if at == space:
            found += ["%s.%s: %s" % (space, name, text) for text in api_signatures.differences(space, name, parameters)]
            count += 1
    assert set(found) <= KNOWN and count


def test_what_counts_as_a_difference():
    kinds = api_signatures.differences
    assert kinds("ops", "addr", ["x", "vec1", "vec2", "beta=?", "alpha=?"]) == []
    assert kinds("ops", "addr", ["x", "vec2", "vec1", "beta=?", "alpha=?"])[0].startswith("order ")
    assert kinds("ops", "addr", ["x", "vec1=?", "vec2", "beta=?", "alpha=?"]) == ["vec1 is required"]
    assert kinds("ops", "addr", ["vec1", "vec2"]) == ["x is required, and MindSpore has none"]
    assert kinds("ops", "abs", ["input"]) == [] and kinds("ops", "abs", ["bogus"]) == ["unknown keyword bogus"]
    assert kinds("nn", "Dense", ["in_channels", "none"]) == ["unknown keyword none"]
