"""usage: gen_api.py FOLDER      (with the interpreter of a built msjit)

Copies docs/*.md to FOLDER and writes the API reference to FOLDER/api: one page a module, a section a name, with signature and docstring.
`make docs` runs it; MkDocs makes the site of the result.
"""
import functools
import html
import importlib
import inspect
import pathlib
import re
import shutil
import sys
import types

from msjit.absent import Absent

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Page: title, modules whose names it has.
PAGES = {
    "msjit": ("msjit", ["msjit"]),
    "tensor": ("Tensor", ["msjit:Tensor"]),
    "nn": ("msjit.nn", ["msjit.nn"]),
    "ops": ("msjit.ops", ["msjit.ops"]),
    "mint": ("msjit.mint", ["msjit.mint", "msjit.mint.nn", "msjit.mint.nn.functional", "msjit.mint.optim", "msjit.mint.linalg"]),
    "train": ("msjit.train, msjit.amp", ["msjit.train", "msjit.amp"]),
    "quantization": ("msjit.quantization", ["msjit.quantization"]),
    "dataset": ("msjit.dataset", ["msjit.dataset", "msjit.dataset.vision", "msjit.dataset.transforms"]),
    "tools": ("msjit.profiler, msjit.testing, msjit.alias", ["msjit.profiler", "msjit.testing", "msjit.alias"]),
}
HEAD = "# %s\n\nWritten from the docstrings of the package by `make docs`.\n"


def public(module):
    """{name: object}: what the module offers to users; modules, private and unsupported names and what belongs to Python are left out."""
    found = {}
    for name in getattr(module, "__all__", None) or dir(module):
        value = getattr(module, name, None)
        if name.startswith("_") or isinstance(value, (types.ModuleType, Absent)) or not callable(value) and not is_instance(value):
            continue
        if (getattr(value, "__module__", None) or "msjit").split(".")[0] == "msjit":
            found[name] = value
    return found


def is_instance(value):
    """An object with a documentation of its own class, such as msjit.config."""
    return type(value).__module__.startswith("msjit.config")


def signature(value):
    """The parameters as text, without addresses of defaults."""
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        text = getattr(value, "__text_signature__", None) or "(...)"
    return re.sub(r" at 0x[0-9a-f]+", "", text).replace("(self, ", "(").replace("(self)", "()")


def prose(text):
    """A paragraph as Markdown that shows its characters as they are."""
    return re.sub(r"([\\`*_\[\]#|~])", r"\\\1", html.escape(text, quote=False))


def described(text):
    """A docstring as Markdown: paragraphs of prose, tables of parameters as they stand, examples as code."""
    out = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = part.split("\n")
        if part.lstrip().startswith(">>>"):
            out.append("```python\n%s\n```" % inspect.cleandoc(part))
        elif any(line.startswith(" ") or re.match(r"\w[\w, ]*  +\S", line) for line in lines):
            out.append("```text\n%s\n```" % part)
        else:
            out.append(prose(" ".join(lines)))
    return "\n\n".join(out)


def section(path, value, level=3):
    """Heading, signature, docstring; of a class its methods and properties too."""
    doc = inspect.getdoc(value) or ""
    if not inspect.isclass(value) and doc.startswith(path.split(".")[-1] + "("):  # an operator says its signature first
        doc = doc.partition("\n\n")[2]
    lines = ["%s %s" % ("#" * level, prose(path)), "```python\n%s%s\n```" % (path, signature(value))]
    if doc:
        lines.append(described(doc))
    if inspect.isclass(value) and not issubclass(value, BaseException):
        lines += members(path, value)
    return "\n\n".join(lines)


@functools.lru_cache(maxsize=None)
def shown_values():
    """The ids of all objects that have a section of their own."""
    modules = [path.partition(":")[0] for _, paths in PAGES.values() for path in paths]
    return frozenset(id(value) for path in modules for value in public(importlib.import_module(path)).values())


def own_members(kind):
    """{name: value} of the class and of the parts it is made of, such as CellState: bases with public names but without a section."""
    found = {}
    for base in kind.__mro__:
        if base is not kind and id(base) in shown_values() or base.__module__.split(".")[0] != "msjit":
            break
        if base is kind or not base.__name__.startswith("_"):
            found = dict(vars(base), **found)
    return found


def members(path, kind):
    """Methods and properties of a class, as a list."""
    rows = []
    for name, value in sorted(own_members(kind).items()):
        doc = None if name.startswith("_") or name == "construct" else getattr(value, "__doc__", None)
        if doc and (callable(value) or isinstance(value, (property, staticmethod, classmethod)) or inspect.isdatadescriptor(value)):
            own = inspect.cleandoc(doc)
            first = own.partition("\n\n")[2] if own.startswith(name + "(") else own
            plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            shown = name + (signature(plain) if callable(plain) else "")
            rows.append("- `%s`: %s" % (shown.replace("`", "'"), prose(first.split("\n\n")[0].replace("\n", " "))))
    return ["\n".join(rows)] if rows else []


def page(title, modules):
    """One page of the reference."""
    out, written = [HEAD % title], set()
    for path in modules:
        path, _, only = path.partition(":")
        module = importlib.import_module(path)
        short = path.replace("msjit.", "", 1) if path != "msjit" else "ms"
        for name, value in sorted(public(module).items(), key=lambda item: item[0].lower()):
            if (only and name != only) or (name == "Tensor" and not only) or (path, name) in written:
                continue
            written.add((path, name))
            out.append(section("%s.%s" % (short, name), value, 2))
    return "\n\n".join(out) + "\n", len(written)


def index(counts):
    rows = ["| [%s](%s.md) | %d |" % (PAGES[name][0], name, count) for name, count in counts.items()]
    return "\n".join([
        "# API", "", "Names, signatures and defaults are MindSpore's; what differs on purpose is in [Deviations](../deviations.md).", "",
        "`import msjit as ms` and `from msjit import nn, ops, mint` are meant throughout.", "", "| page | names |", "| --- | --- |", *rows, ""])


def main(folder):
    shutil.rmtree(str(folder), ignore_errors=True)
    (folder / "api").mkdir(parents=True)
    for path in sorted((ROOT / "docs").glob("*.md")):
        # The page api.md would have the address of the folder api/.
        shutil.copy(str(path), str(folder / (path.name if path.name != "api.md" else "names.md")))
    counts = {}
    for name, (title, modules) in PAGES.items():
        text, counts[name] = page(title, modules)
        (folder / "api" / (name + ".md")).write_text(text)
    (folder / "api/index.md").write_text(index(counts))
    print("API reference: %d names on %d pages" % (sum(counts.values()), len(counts)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve())
