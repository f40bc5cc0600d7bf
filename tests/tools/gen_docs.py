"""usage: gen_docs.py [--check]

Writes docs/coverage.md, what the bytecode JIT captures and what ends a region, from bytecode/isa.def, bytecode/breaks.def
and the tables of models in bytecode/builtins, and docs/deviations.md from tests/oracle/deviation_rows.py. --check only
compares.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracle"))

import deviation_rows  # noqa: E402,F401
import deviations  # noqa: E402

KINDS = {"kList": "list", "kTuple": "tuple", "kDict": "dict", "kTensorMethods": "Tensor", "kFileMethods": "io.TextIOBase",
         "kGeneratorMethods": "random.Random", "kDrawing": "numpy.random.RandomState"}
HEAD = """# What is captured, what ends a region

Written by `tests/tools/gen_docs.py` from the sources; do not edit. A region that ends early loses nothing: CPython runs that
instruction in the original frame, and capture goes on behind it. `msjit.explain(f, *args)` names each place.
"""


def read(path):
    return (ROOT / path).read_text()


def code(names):
    return ", ".join("`%s`" % name for name in names)


def instructions():
    """(captured, left to CPython): an instruction without a handler of its own only ends the region."""
    rows = re.findall(r"(?m)^MSJIT_CANON\((\w+),", read("bytecode/isa.def"))
    text = "".join(path.read_text() for path in sorted((ROOT / "bytecode").rglob("*.cc")))
    left = set(re.findall(r"MSJIT_ENDS_REGION\((\w+)", text))
    for name, body in re.findall(r"bool exec_(\w+)\(Executor& x, SymFrame&(?: f)?, const Instr&(?: i)?\) \{\n(.*?)\n\}", text,
                                 re.S):
        if body.strip().startswith("return x.fail(") and body.count(";") == 1:
            left.add(name)
    return [r for r in rows if r not in left], [r for r in rows if r in left]


def table_names(text, name):
    found = re.search(r"%s\[\] = \{(.*?)\n?\};" % name, text, re.S)
    return found.group(1) if found else ""


def models():
    """{module: names} from the ModelTable definitions, {type: methods} from the tables of methods."""
    modules, methods = {}, {}
    for path in sorted((ROOT / "bytecode/builtins").glob("*.cc")):
        text = path.read_text()
        for module, rows, pure in re.findall(r'const ModelTable \w+ =\s*\{"(\w+)", ([\w{}]+), ([\w{}]+)\}', text):
            names = re.findall(r'\{"(\w+)"', table_names(text, rows)) if rows != "{}" else []
            names += re.findall(r'"([\w*]+)"', table_names(text, pure)) if pure != "{}" else []
            if names:  # those with a dot are methods that Python code below a module calls
                modules.setdefault(module, []).extend(names)
        for name, kind in KINDS.items():
            if table_names(text, name):
                methods[kind] = re.findall(r'"(\w+)"', table_names(text, name))
    return modules, methods


def breaks():
    text = re.sub(r'"\s*\n\s*"', "", read("bytecode/breaks.def"))
    string = r'\s*"((?:[^"\\]|\\.)*)"'
    for name, message, cure, whole in re.findall(r'(?s)MSJIT_BREAK\((\w+),%s,%s(?:,%s)?\)' % (string, string, string), text):
        cure += "; for one graph: " + whole if whole else ""
        key = re.sub(r"(?<!^)([A-Z])", r"_\1", name[1:]).lower()
        yield key, message.replace("{}", "..."), cure


def page():
    captured, left = instructions()
    modules, methods = models()
    out = [HEAD, "## Instructions", "", "Captured: %s." % code(captured), ""]
    if left:
        out += ["Always run by CPython: %s." % code(left), ""]
    out += ["## Builtins and modules", "",
            "Besides Python functions, which are inlined, and the operators of `msjit.ops`. `*` means every function.", ""]
    for module in sorted(modules):
        out.append("- `%s`: %s" % (module, code(sorted(set(modules[module])))))
    out += ["", "## Methods", "", "Of `str`, `bytes`, `int`, `float`, `complex`, `bool` and `range`: all.", ""]
    for kind in sorted(methods):
        out.append("- `%s`: %s" % (kind, code(sorted(methods[kind]))))
    out += ["", "## What ends a region", "", "| reason | explain says | cure |", "| --- | --- | --- |"]
    out += ["| `%s` | %s | %s |" % row for row in breaks()]
    return "\n".join(out) + "\n"


def main():
    stale = False
    for name, text in (("docs/coverage.md", page()), ("docs/deviations.md", deviations.page())):
        path = ROOT / name
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale = True
            print("%s: stale, run tests/tools/gen_docs.py" % name)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
