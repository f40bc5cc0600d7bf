"""docs/tour.md shows what the tools print: each line of its listings, graphs, plans and PTX appears in what its programs give."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs/tour.md").read_text()
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
IMPORTS = "import logging; import msjit as ms; from msjit import Parameter, Tensor, nn, ops; note = logging.info; x = ops.ones((2, 3), ms.float32)"
DRIVER = '''
import sys
import msjit as ms
from msjit import _msjit, ops

def ones(*shape):
    return ops.ones(shape, ms.float32)

blocks = []
for path in sys.argv[1:]:
    blocks.append({"__name__": "block"})
    exec(compile(open(path).read(), path, "exec"), blocks[-1])
first, halve, half, recur, scale = [next(b[name] for b in blocks if name in b) for name in ("f", "halve", "half", "recur", "Scale")]
ms.set_context(mode=ms.PYNATIVE_MODE)
print(ms.explain(first, ones(2, 3), ones(3, 4)))
print(ms.explain(halve, ones(2)))
for rows in (4, 5, 6, 7):
    half(ones(rows, 3))
for rows in (9, 2):
    print(ms.explain(half, ones(rows, 3)))
for steps in (4, 5, 6, 8):
    recur(ones(steps, 2, 3), ones(2, 4), ones(3, 4), ones(4, 4))
for function in (first.__wrapped__, scale.construct):
    print(_msjit._debug.dump_bytecode(function.__code__))
'''

PRODUCT = """
import msjit as ms
x = ms.ops.ones((1024, 1024), ms.float32)
ms.jit(lambda x, y: x * y + x, mode="PIJit")(x, x)
"""


def placed(code):
    """The block at the place where the comment of a line that says its number is right."""
    lines = code.split("\n")
    said = [int(match.group(1)) - number for number, line in enumerate(lines, 1) for match in [re.search(r"# line (\d+)", line)] if match]
    assert len(set(said)) == 1, code
    return IMPORTS + "\n" * said[0] + code


def squeezed(text):
    """One line without the prefixes of the tools and without names of files, so that `# tour.py:6` is `# 6`."""
    text = re.sub(r'File "[^"]*"', "File", re.sub(r"(?<=# )\S+\.py:", "", text))
    return " ".join(re.sub(r"(?m)^(msjit \w+:|\s*\||\s*guard )", "", text).split())


def shown(text):
    """The pieces of a block: its lines, where there are two columns both parts of each."""
    for line in text.split("\n"):
        for piece in re.split(r"(?<=\S) {5,}(?=\S)", line):
            piece = re.sub(r"( \}|\s*\.\.\.)$", "", squeezed(piece))
            if piece not in ("", "}", "...", "^"):
                yield piece


@pytest.mark.jit  # not costly: it runs on one interpreter anyway
@pytest.mark.skipif(sys.version_info[:2] != (3, 10), reason="the page shows bytecode of 3.10")
def test_tour(tmp_path):
    blocks = [(language, text) for language, text in FENCE.findall(PAGE)]
    paths = []
    for language, text in blocks:
        if language == "python":
            paths.append(tmp_path / ("block%d.py" % len(paths)))
            paths[-1].write_text(placed(text))
    refused = tmp_path / "refused.py"
    refused.write_text(paths[-1].read_text().replace("if x.sum() < 0:", "try:\n            x.sum()\n        except ValueError:"))
    (tmp_path / "driver.py").write_text(DRIVER)
    env = dict(os.environ, MSJIT_LOG="graph,plan,ptx", MSJIT_SYNC_COMPILE="1", MSJIT_CACHE_DIR="", MSJIT_BREAK_EVERY="0")
    printed = ""
    for command in (["driver.py", *map(str, paths)], ["refused.py"], ["-c", PRODUCT]):
        printed += subprocess.run([sys.executable, *command], cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  universal_newlines=True, timeout=300, env=env).stdout
    printed = squeezed(printed)
    without_lines = re.sub(r" # \d+\b", "", printed)
    pieces = [piece for language, text in blocks if not language for piece in shown(text)]
    assert len(pieces) > 120
    assert [piece for piece in pieces if piece not in printed and piece not in without_lines] == []
