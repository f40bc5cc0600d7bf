"""Checks that includes point one way, and that outside headers and raw CPython calls stay where they belong."""

import re
import sys

import sources

LAYERS = {
    "kernels": {"kernels"},
    "graph": {"graph", "kernels"},
    "codegen": {"codegen", "graph", "kernels"},
    "guards": {"guards", "graph", "kernels"},
    "bytecode": {"bytecode", "guards", "graph", "kernels"},
    "interp_hook": {"interp_hook", "bytecode", "codegen", "guards", "graph", "kernels"},
    "pylib": set(sources.CODE) - {"launcher"},
    "launcher": {"launcher", "guards"},
}
# Inside kernels: what each folder must not reach up to.
UPWARD = {
    "kernels/core/": r"kernels/(ops|eager|cpu|cuda)/",
    "kernels/cpu/": r"kernels/(ops|eager)/",
}
# header pattern -> where it may be included
OUTSIDE = [
    (r"(oneapi/)?dnnl", r"kernels/cpu/onednn/"),
    (r"pocketfft", r"kernels/cpu/fft\.cc"),
    (r"llvm(-c)?/", r"codegen/llvm/"),
    (r"cuda|cublas|cudnn|nvrtc", r"(kernels/cuda|codegen/llvm)/|codegen/cuda"),
    (r"(internal/pycore_|opcode\.h)", r"(bytecode/versions|interp_hook/frames)/"),
    (r"(Python|structmember|frameobject|opcode|datetime)\.h|cpython/", r"(guards|bytecode|interp_hook|pylib/ext|launcher)/"),
    (r"numpy/", r"$^"),
]
# word pattern -> where it may stand
WORDS = [
    (r"\bPY_(VERSION_HEX|MINOR_VERSION)\b", r"bytecode/versions/|interp_hook/frames/|guards/py/compat\w*\.h$"),
    (r"\bPy_(X?INCREF|X?DECREF|X?NewRef|CLEAR|X?SETREF)\b", r"guards/py/|interp_hook/frames/"),
    (r"\b(throw|try|catch)\b", r"guards/py/|interp_hook/|pylib/ext/|kernels/core/|kernels/cpu/onednn/|kernels/cpu/fft\.cc|codegen/llvm/"),
]
MARKS = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
TOP_LEVEL = set(
    "CMakeLists.txt interp_hook bytecode guards graph codegen kernels pylib launcher tests README.md "
    "Makefile pyproject.toml LICENSE CHANGELOG.md mkdocs.yml examples docs".split()
)


def check_include(path, header, system):
    layer = path.split("/")[0]
    first = header.split("/")[0]
    if not system and first in LAYERS:
        if first not in LAYERS[layer]:
            return "%s must not include %s" % (layer, header)
        for folder, pattern in UPWARD.items():
            if path.startswith(folder) and re.match(pattern, header):
                return "%s must not include %s" % (folder, header)
    for pattern, allowed in OUTSIDE:
        if first not in LAYERS and re.match(pattern, header):
            return None if re.match(allowed, path) else "%s may not be included here" % header
    return None


def check_file(path):
    text = sources.read(path)
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
        what = match and check_include(path, match.group(2), match.group(1) == "<")
        if what:
            yield number, what
        if MARKS.search(line):
            yield number, "unfinished-work mark"
    for number, line in enumerate(sources.blank(text).splitlines(), 1):
        for pattern, allowed in WORDS:
            match = re.search(pattern, line)
            if match and not re.match(allowed, path):
                yield number, "%s may not stand here" % match.group()


def main():
    bad = 0
    for path in sources.files():
        top = path.split("/")[0]
        if top not in TOP_LEVEL and not top.startswith("."):
            print("%s: not among the top-level entries" % path)
            bad += 1
    for path in sources.files(*sources.CPP, ".def", ".inc"):
        if path.split("/")[0] not in sources.CODE:
            continue
        for number, what in check_file(path):
            print("%s:%d: %s" % (path, number, what))
            bad += 1
    print("layers: %d offences" % bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
