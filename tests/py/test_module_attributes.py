"""What modules of the package read from one another exists: `_k.add`, where `from . import registry as _k` stands above. It runs on one interpreter."""
import ast
import importlib
import pathlib
import sys
import types

import pytest

import msjit

ROOT = pathlib.Path(msjit.__file__).parent
OPTIONAL = {("msjit._msjit", "no_jit_reason")}  # of a build without the JIT


def module_names(path, nodes):
    """{name in the file: module of the package}."""
    package = ["msjit", *path.relative_to(ROOT).parts[:-1]]
    found = {}
    for node in nodes:
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = package[:len(package) - node.level + 1] + ([node.module] if node.module else [])
        module = importlib.import_module(".".join(base))
        for name in node.names:
            value = getattr(module, name.name, None) if name.name != "*" else None
            if isinstance(value, types.ModuleType):
                found[name.asname or name.name] = value
    return found


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the sources are the same for all interpreters")
def test_names_of_modules_exist():
    missing = []
    for path in sorted(ROOT.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        modules = module_names(path, nodes)
        for node in nodes:
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id not in modules:
                continue
            module = modules[node.value.id]
            if not hasattr(module, node.attr) and (module.__name__, node.attr) not in OPTIONAL:
                missing.append("%s:%d: %s.%s" % (path.relative_to(ROOT), node.lineno, module.__name__, node.attr))
    assert missing == []
