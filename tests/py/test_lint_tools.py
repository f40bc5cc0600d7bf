"""The checks behind `make lint` find what they are for."""

import pathlib
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    return __import__


@pytest.mark.parametrize("path, header, system, bad", [
    ("kernels/core/tensor.h", "graph/ir.h", False, True),
    ("graph/ir.h", "kernels/core/tensor.h", False, False),
    ("codegen/plan.cc", "guards/source.h", False, True),
    ("kernels/core/tensor.h", "kernels/eager/tape.h", False, True),
    ("kernels/cpu/onednn/program.h", "dnnl.hpp", True, False),
    ("kernels/ops/matmul.cc", "dnnl.hpp", True, True),
    ("codegen/plan.cc", "llvm/IR/Module.h", True, True),
    ("codegen/llvm/jit.cc", "llvm/IR/Module.h", True, False),
    ("graph/ir.cc", "Python.h", True, True),
    ("guards/cache.cc", "Python.h", True, False),
    ("bytecode/exec.cc", "internal/pycore_frame.h", True, True),
    ("interp_hook/frames/py311.cc", "internal/pycore_frame.h", True, False),
])
def test_includes_point_one_way(tool, path, header, system, bad):
    assert bool(tool("check_layers").check_include(path, header, system)) == bad


def test_function_lengths_are_counted(tool):
    text = """
namespace a {
struct S {
  int f() const { return 1; }
  std::vector<int> x = {1, 2};
};
// int comment() {
static const Row kRows[] = {
  {1, "}"},
};
int long_one(int x) {
  if (x) {
    return '{';
  }
  return 0;
}
}  // namespace a
"""
    found = {name: length for name, _, length in tool("check_sizes").cpp_functions(text)}
    assert found == {"f": 1, "long_one": 6}


@pytest.mark.skipif(sys.version_info < (3, 8), reason="ast has no end positions before 3.8")
def test_python_functions_are_counted(tool):
    assert list(tool("check_sizes").python_functions("def f():\n    pass\n\n\nx = 1\n")) == [("f", 1, 2)]


def test_types_that_a_file_defines(tool):
    text = """
        namespace a { struct A { struct Inner {}; }; class B; enum class C : int { x };
        namespace { struct Own {}; }
        namespace b { class [[nodiscard]] D final : public std::vector<int> {}; } }
        struct a::A::Later {}; void f() { struct Local {}; }
        struct Last { int i = 0; };  // struct Commented {};
    """
    assert list(tool("check_names").types(text)) == ["a::A", "a::C", "a::b::D", "Last"]


@pytest.mark.parametrize("path, text, bad", [
    ("guards/kinds/a.cc", "return PyObject_RichCompareBool(a, b, Py_EQ) == 1;", 1),
    ("guards/kinds/a.cc", "return host::call(host::values, PyObject_RichCompareBool, a, b, Py_EQ) == 1;", 0),
    ("bytecode/a.cc", "host::call(host::checked,\n           PyObject_Hash, key);", 0),
    ("bytecode/a.cc", "host::call(host::because, PyObject_Hash, key);", 1),
    ("bytecode/a.cc", "host::call(reason, PyObject_Hash, key);", 2),
    ("bytecode/a.cc", "const auto f = PyNumber_Add;", 1),
    ("bytecode/a.cc", "const auto f = host::through(PyNumber_Add); f(a, b);", 0),
    ("bytecode/a.cc", "Py_TYPE(o)->tp_iternext(o);", 1),
    ("bytecode/a.cc", "if (type->tp_getattro == PyObject_GenericGetAttr) return true;", 0),
    ("bytecode/a.cc", "PyObject* f = _PyType_Lookup(type, name);", 1),
    ("bytecode/a.cc", "return compat::vectorcall(f, nullptr, 0, nullptr);", 1),
    ("bytecode/a.cc", "// PyObject_Hash(key)\nPyTuple_GET_ITEM(t, 0); PySequence_Check(o); PyNumber_Check(o);", 0),
    ("pylib/ext/a.cc", "PyObject_Hash(key);", 1),
    ("kernels/a.cc", "PyObject_Hash(key);", 0),
])
def test_calls_of_cpython_name_a_reason(tool, path, text, bad):
    assert len(list(tool("check_host_calls").offences(path, text))) == bad


def test_all_kinds_of_loads_are_declared(tool):
    """The build finds load kinds by the first words of their declaration, so all must be declared in that form."""
    text = "".join(p.read_text() for p in (TOOLS.parents[1] / "guards/loads").glob("*.cc"))
    assert text.count("const LoadKind load::") == text.count("\nconst LoadKind load::") >= 22
