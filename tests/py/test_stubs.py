"""The checked-in type stubs are what the registry gives."""
import ast
import importlib.util
import pathlib

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "tools" / "gen_stubs.py"


@pytest.fixture(scope="module")
def stubs():
    spec = importlib.util.spec_from_file_location("gen_stubs", str(TOOL))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_parses(stubs):
    tree = ast.parse(stubs.generate())
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    assert "Tensor" in names and "ops" in names


def test_names_are_there(stubs):
    """Every operator of the build is in the file; `tests/tools/gen_stubs.py` writes it."""
    text = stubs.OUT.read_text()
    missing = [row["name"] for row in stubs._msjit.op_table() if "def %s(" % row["name"] not in text]
    assert not missing
