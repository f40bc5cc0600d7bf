"""The files of the repository and a light view of C++ text, shared by the lint checks."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ("kernels", "graph", "codegen", "guards", "bytecode", "interp_hook", "pylib", "launcher")
CPP = (".cc", ".c", ".h")

_BLANKED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
    re.S,
)


def files(*suffixes):
    """Relative paths of tracked and of new, not ignored files."""
    out = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        universal_newlines=True,
    ).stdout
    paths = sorted(set(out.splitlines()))
    return [p for p in paths if (not suffixes or p.endswith(suffixes)) and (ROOT / p).is_file()]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def blank(text):
    """C++ text with comments and literals replaced by spaces; offsets and lines are kept."""
    # A digit separator is no character literal.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "_", text)
    return _BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
