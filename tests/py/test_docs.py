"""The generated pages of docs/ are up to date."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_generated_pages_are_fresh():
    done = subprocess.run([sys.executable, str(ROOT / "tests/tools/gen_docs.py"), "--check"], stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout.decode()


def _code(text):
    """C++ without comments and layout."""
    return " ".join(re.sub(r"//[^\n]*", "", text).split())


def test_code_on_the_pages_is_the_code():
    """The models that the recipes show are those of the sources: an operator, and the handler of an instruction."""
    operator, handler = re.findall(r"```cpp\n(.*?)```", (ROOT / "docs/adding.md").read_text(), re.S)
    assert _code(operator) == _code((ROOT / "kernels/ops/logaddexp.cc").read_text())
    assert _code(handler) in _code((ROOT / "bytecode/handlers/match.cc").read_text())
    square = _code((ROOT / "kernels/ops/square.cc").read_text())
    shown = re.search(r"```\n(MSJIT_OP\(square\).*?)```", (ROOT / "kernels/ops/README.md").read_text(), re.S).group(1)
    for line in shown.split("\n"):
        assert _code(line).rstrip(";") in square, line


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the reference is the same for all interpreters")
def test_reference_is_written(tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "tests/tools/gen_api.py"), str(tmp_path / "pages")], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout.decode()
    cell = (tmp_path / "pages/api/nn.md").read_text().partition("\n## nn.Cell\n")[2].partition("\n## ")[0]
    for name in ("set_train(", "trainable_params(", "register_forward_hook(", "state_dict("):  # of the class and of its parts
        assert "- `%s" % name in cell, name
    main = (tmp_path / "pages/api/msjit.md").read_text()
    assert "## ms.grad\n" in main and "get_sdc_detect_result" not in main  # the latter is unsupported
