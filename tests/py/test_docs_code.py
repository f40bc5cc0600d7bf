"""The programs in the pages of docs/ run, and print what the pages say.

The blocks marked `python` of a page run in order in one process. A block marked `output` behind one says what it prints. Pages that quote parts of
programs are listed in FRAGMENTS.
"""
import os
import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
FRAGMENTS = {"tour"}  # its blocks are the inputs of what is shown behind them
BLOCK = re.compile(r"^```(python|output)\n(.*?)^```$", re.M | re.S)
PAGES = [path for path in sorted(DOCS.glob("*.md")) if path.stem not in FRAGMENTS and "```python" in path.read_text()]
MARK = "--- block %d ends ---"


def blocks_of(text):
    """[(line of the page, code, expected output or None)]"""
    found = []
    for match in BLOCK.finditer(text):
        if match.group(1) == "python":
            found.append([text.count("\n", 0, match.start()) + 2, match.group(2), None])
        else:
            found[-1][2] = match.group(2)
    return found


def program_of(blocks, path):
    """A file with the blocks at the lines of the page, so that errors and graph breaks name them."""
    lines = []
    for number, (line, code, _) in enumerate(blocks):
        lines += [""] * (line - 1 - len(lines)) + code.rstrip("\n").split("\n")
        lines.append("print(%r)" % (MARK % number))
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.costly
@pytest.mark.jit
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_page(page, tmp_path):
    blocks = blocks_of(page.read_text())
    program = tmp_path / "page.py"
    program_of(blocks, program)
    done = subprocess.run([sys.executable, str(program)], cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=300, env=dict(os.environ, MSJIT_BREAK_EVERY="0"))
    assert done.returncode == 0, "%s: %s" % (page.name, done.stderr)
    assert not done.stderr, done.stderr
    rest = done.stdout
    for number, (line, _, expected) in enumerate(blocks):
        printed, _, rest = rest.partition(MARK % number + "\n")
        if expected is not None:
            assert printed == expected, "%s:%d" % (page.name, line)


def test_output_blocks_have_a_program():
    for page in PAGES:
        assert not re.search(r"\A[^`]*^```output", page.read_text(), re.M), page.name


def test_links_within_the_project_lead_somewhere():
    """Those of the site itself are checked by `make docs`, which also knows the generated pages."""
    root = DOCS.parent
    for page in [root / "README.md", root / "CHANGELOG.md"] + sorted(DOCS.glob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.S)):
            if not re.match(r"[a-z]+:", target) and not target.startswith("api/"):
                assert (page.parent / target).exists(), "%s: %s" % (page.name, target)


def test_the_site_has_every_page_and_only_its_own_links():
    """What `make docs` would refuse, where the page api.md is called names.md."""
    nav = (DOCS.parent / "mkdocs.yml").read_text()
    for page in sorted(DOCS.glob("*.md")):
        assert re.search(r"[ \[]%s\b" % re.escape("names.md" if page.name == "api.md" else page.name), nav), page.name
        assert not re.search(r"\]\(\.\./", re.sub(r"```.*?```", "", page.read_text(), flags=re.S)), page.name


def test_blocks_are_found_with_their_lines():
    text = "# A\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n```\nno program\n```\n```python\nx = 2\n```\n"
    assert blocks_of(text) == [[4, "print(1)\n", "1\n"], [14, "x = 2\n", None]]
