"""Type stubs are written from the registry."""
import ast
import importlib.util
import pathlib
import subprocess
import sys

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


@pytest.mark.costly
@pytest.mark.jit
def test_stubs_of_packages_are_fresh():
    """They name what `import msjit` gives, on every interpreter."""
    tool = str(TOOL.with_name("gen_package_stubs.py"))
    done = subprocess.run([sys.executable, tool, "--check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    assert done.returncode == 0, done.stdout


def test_file_holds_the_core(stubs):
    """The file may lag behind the newest operators until `tests/tools/gen_stubs.py` is run, not behind the Tensor type."""
    text = stubs.OUT.read_text()
    assert stubs.HEAD in text
    for name in ("asnumpy", "set_data", "backward", "__dlpack__", "matmul", "sum"):
        assert "def %s(" % name in text
