// print(): an effect, replayed in program order at the region's exit. What it is given is turned to
// text at once, because a list may change behind the call; only tensors wait for their values.
#include "bytecode/builtins/models.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

// sys.stdout is an object of CPython whose write() runs no code of the program.
bool plain_output(Executor& x) {
  PyObject* const sys = loaded_module("sys");
  static PyObject* const stdout_name = PyUnicode_InternFromString("stdout");
  static PyObject* const write_name = PyUnicode_InternFromString("write");
  if (!sys) return false;
  const SymRef module = x.heap().from_constant(Ref::share(sys), "sys");
  if (!x.look(module)) return false;
  const SymRef output = x.heap().instance_attr(module, stdout_name);
  if (!output || !x.look(output) || output->kind != SymKind::kObject || !output->object)
    return false;
  PyObject* write = _PyType_Lookup(Py_TYPE(output->object.get()), write_name);
  return write && Py_TYPE(write) == &PyMethodDescr_Type;
}

bool printable(Executor& x, const SymRef& value, SymRef* out) {
  if (!x.look_number(value)) return false;
  *out = value;
  if (value->is_tensor() || value->kind == SymKind::kSize || value->kind == SymKind::kNumber)
    return true;
  Ref known = to_python(x, value);
  Ref text = known ? Ref::steal(PyObject_Str(known.get())) : Ref();
  if (!text) {
    PyErr_Clear();
    return x.fail(BreakReason::kCallUnknown, "print of " + describe(*value));
  }
  *out = make_const(std::move(text));
  return true;
}

bool model_print(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords given(args, names);
  Heap::Printed line;
  for (const char* key : {"sep", "end", "flush"}) {
    const SymRef value = given.take(key);
    if (!value) continue;
    Ref known = to_python(x, value);
    if (!known ||
        !(known.get() == Py_None || PyBool_Check(known.get()) || PyUnicode_CheckExact(known.get())))
      return wrong_arguments(x, "print");
    if (!line.keywords) line.keywords = Ref::steal(PyDict_New());
    PyDict_SetItemString(line.keywords.get(), key, known.get());
  }
  if (!given.empty() || !plain_output(x)) return wrong_arguments(x, "print");
  for (const SymRef& value : given.positional) {
    line.values.emplace_back();
    if (!printable(x, value, &line.values.back())) return false;
  }
  x.heap().printed().push_back(std::move(line));
  *out = sym_none();
  return true;
}

const ModelRow kModels[] = {{"print", model_print}};

}  // namespace

const ModelTable models_print = {"builtins", kModels, {}};

}  // namespace msjit
