// `_msjit._debug`: looks inside the bytecode front end, for tests and dumps. Nothing of the product
// depends on it.
#include "pylib/ext/jit_debug.h"

#include "bytecode/cfg.h"
#include "bytecode/decode.h"
#include "bytecode/versions/version.h"
#include "guards/py/compat.h"
#include "guards/py/error.h"

namespace msjit {
namespace {

PyObject* text(const std::string& string) {
  return PyUnicode_FromStringAndSize(string.data(), Py_ssize_t(string.size()));
}

// The code of a function or a code object; null with TypeError set otherwise.
PyCodeObject* code_of(PyObject* object) {
  if (PyFunction_Check(object)) return compat::function_code(object);
  if (PyCode_Check(object)) return (PyCodeObject*)object;
  raise(PyExc_TypeError, "[_debug] expected a function or a code object");
  return nullptr;
}

extern "C" PyObject* debug_dump_bytecode(PyObject*, PyObject* object) noexcept {
  PyCodeObject* code = code_of(object);
  return code ? text(dump_bytecode(code)) : nullptr;
}

extern "C" PyObject* debug_cfg(PyObject*, PyObject* object) noexcept {
  PyCodeObject* code = code_of(object);
  if (!code) return nullptr;
  auto decoded = decode(code);
  if (!decoded.ok()) return raise(decoded.error());
  return text(Cfg(*decoded.value()).dump());
}

// live(code) -> for each instruction the names of the live local slots.
extern "C" PyObject* debug_live(PyObject*, PyObject* object) noexcept {
  PyCodeObject* code = code_of(object);
  if (!code) return nullptr;
  auto decoded = decode(code);
  if (!decoded.ok()) return raise(decoded.error());
  const DecodedCode& d = *decoded.value();
  const Liveness live(d);
  Ref rows = Ref::steal(PyList_New(0));
  for (int i = 0; rows && i < d.size(); i++) {
    Ref row = Ref::steal(PyList_New(0));
    for (int s = 0; row && s < d.slot_count(); s++)
      if (live.live_before(i, s) && PyList_Append(row.get(), d.slot_name(s).get()) < 0) return nullptr;
    if (!row || PyList_Append(rows.get(), row.get()) < 0) return nullptr;
  }
  return rows.release();
}

// opcode_row(number) -> canonical name of the first operation, "Unsupported", or None when unmapped.
extern "C" PyObject* debug_opcode_row(PyObject*, PyObject* number) noexcept {
  const long opcode = PyLong_AsLong(number);
  if (opcode == -1 && PyErr_Occurred()) return nullptr;
  if (opcode == version::kExtendedArg) return text("ExtendedArg");
  Ref code = Ref::steal((PyObject*)PyCode_NewEmpty("<debug>", "row", 1));
  if (!code) return nullptr;
  version::RawInstr raw;
  raw.opcode = int(opcode);
  raw.arg = 1;
  version::Emitter emitter((PyCodeObject*)code.get());
  emitter.begin(raw);
  if (!version::emit(raw, emitter)) Py_RETURN_NONE;
  return text(emitter.instrs().empty() ? "Folded" : op_name(emitter.instrs()[0].op));
}

extern "C" PyObject* debug_ops(PyObject*, PyObject*) noexcept {
  Ref names = Ref::steal(PyList_New(0));
  for (int op = 0; names && op < kOpCount; op++) {
    const Ref name = Ref::steal(text(op_name(Op(op))));
    if (!name || PyList_Append(names.get(), name.get()) < 0) return nullptr;
  }
  return names.release();
}

PyMethodDef kMethods[] = {
    {"dump_bytecode", debug_dump_bytecode, METH_O, "Canonical instructions of a function or code."},
    {"cfg", debug_cfg, METH_O, "Control-flow graph of a function or code."},
    {"live", debug_live, METH_O, "Live local slots before each instruction."},
    {"opcode_row", debug_opcode_row, METH_O, "How a raw opcode is mapped."},
    {"ops", debug_ops, METH_NOARGS, "Names of all canonical operations."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "msjit._msjit._debug", nullptr, -1, kMethods,
                       nullptr, nullptr, nullptr, nullptr};

}  // namespace

bool add_debug_module(PyObject* parent) {
  return compat::add_object(parent, "_debug", Ref::steal(PyModule_Create(&kModule))) == 0;
}

}  // namespace msjit
