"""Type checkers understand the package: the examples pass mypy, jit keeps a function's signature, and wrong calls are found."""
import importlib.util
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is installed for one interpreter")


def mypy(tmp_path, *arguments):
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--config-file",
                           str(ROOT / "pyproject.toml"), *arguments], cwd=str(ROOT), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, timeout=600)
    return done.returncode, done.stdout


@pytest.mark.costly
def test_examples(tmp_path):
    code, out = mypy(tmp_path, *map(str, sorted((ROOT / "examples").glob("*.py"))))
    assert code == 0, out


PROGRAM = '''
import msjit as ms
from msjit import Tensor, nn

@ms.jit
def plain(x: Tensor, times: int = 1) -> Tensor:
    return x * times

@ms.jit(mode="PIJit", fullgraph=False)
def bytecode(x: Tensor) -> int:
    return x.ndim

class Net(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x

    @ms.jit
    def twice(self, x: Tensor) -> Tensor:
        return x + x

net = ms.jit(Net(), mode="PIJit")
reveal_type(plain)            # 1
reveal_type(bytecode)         # 2
reveal_type(net)              # 3
reveal_type(net.twice(Tensor(1.0)))  # 4
plain(Tensor(1.0), times="2")  # wrong 1
bytecode()                     # wrong 2
ms.jit(plain, mode="other")    # wrong 3
nn.Dense(3)                    # wrong 4
ms.no_such_name                # wrong 5
nn.Dense(3, 2, has_bias=True, activation="relu")
optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)
optimizer.parameters
'''


@pytest.mark.costly
def test_signatures_are_kept(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    code, out = mypy(tmp_path, str(path))
    lines = PROGRAM.split("\n")
    found = {}
    for line in out.splitlines():
        if "program.py:" in line:
            found.setdefault(int(line.split("program.py:")[1].split(":")[0]), line)

    def at(mark):
        return found[next(number for number, line in enumerate(lines, 1) if line.endswith("# " + mark))]
    assert "msjit._msjit.Tensor, times: " in at("1") and "def (x: " in at("1")
    assert "def (x: msjit._msjit.Tensor) ->" in at("2") and at("2").count("int") == 1
    assert 'Net"' in at("3") and 'Tensor"' in at("4")
    for number in range(1, 6):
        assert ": error:" in at("wrong %d" % number)
    assert out.count(": error:") == 5 and code == 1, out
