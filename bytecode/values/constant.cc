// Constants. Numbers, texts, ranges and tuples of them are known by value; functions, classes,
// modules and other objects by identity. What is specific to classes and modules is in classes.cc.
#include <fmt/core.h>

#include "bytecode/attribute.h"
#include "bytecode/builtins/models.h"
#include "bytecode/builtins/sets.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/exit.h"
#include "bytecode/instance.h"
#include "bytecode/library.h"
#include "bytecode/numpy_dtypes.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/build.h"
#include "bytecode/values/classes.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/sequence.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

std::string constant_describe(const SymValue& value) { return describe_object(value.object.get()); }
PyTypeObject* constant_type(const SymValue& value) { return Py_TYPE(value.object.get()); }

bool is_known_by_identity(PyObject* object) {
  return is_singleton(object) || is_identity_constant(object);
}

bool constant_takes(PyObject* object) {
  return is_known_by_identity(object) || is_value_type(object) || is_numpy_scalar(object) ||
         is_pattern(object) || is_legacy_method(object) || is_numpy_dtype(object);
}

bool read_by_identity(Heap& heap, const SymRef& value) {
  PyObject* const object = value->object.get();
  heap.guard_identity(value);
  // A class whose metaclass is written in Python may get another metaclass.
  if (PyType_Check(object) && !has_plain_metaclass(object) && !heap.guard_type_of(value))
    return false;
  if (PyModule_Check(object)) heap.guard_exact_type(value);  // it may be given another class
  value->kind = SymKind::kConst;
  if (PyFunction_Check(object)) heap.guard_function(value);
  return true;
}

bool constant_read(Heap& heap, const SymRef& value) {
  PyObject* const object = value->object.get();
  if (is_known_by_identity(object)) return read_by_identity(heap, value);
  if (is_pattern(object)) {
    if (!heap.lasts(value)) return heap.read_instance(value);
    heap.guard_identity(value);
  } else if (is_legacy_method(object) || is_numpy_dtype(object)) {
    heap.guard_identity(value);
  } else if (is_numpy_scalar(object)) {
    heap.guards().add(guard::bits, value->source, {.object = value->object});
  } else if (heap.guards().source(value->source).kind != &load::constant) {
    heap.guards().add(guard::equal, value->source, {.object = value->object});
  }
  value->kind = SymKind::kConst;
  return true;
}

bool is_tuple(const SymRef& value) { return PyTuple_CheckExact(value->object.get()); }
bool is_class(const SymRef& value) { return PyType_Check(value->object.get()); }

bool constant_declines(const SymRef& value, BinaryOp op) {
  PyObject* const o = value->object.get();
  if (PyUnicode_CheckExact(o) || PyBytes_CheckExact(o)) return op != BinaryOp::kRemainder;
  return PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o) || o == Py_None ||
         PyComplex_CheckExact(o) || PyTuple_CheckExact(o);
}

bool no_truth(Executor& x, const SymRef& value) {
  return x.fail(BreakReason::kCallUnknown, "bool() of " + describe(*value));
}

bool constant_truth(Executor& x, const SymRef& value, bool* out) {
  PyObject* const object = value->object.get();
  if (is_class(value)) return class_truth(x, value, out);
  if (PyFunction_Check(object)) return *out = true;
  if (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) {
    if (find_special(value, "__bool__") || find_special(value, "__len__"))
      return no_truth(x, value);
    return *out = true;
  }
  const int result = host::call(host::of_static, PyObject_IsTrue, object);
  if (result < 0) return x.raise_python("bool()");
  return *out = result != 0, true;
}

bool constant_length(Executor& x, const SymRef& value, SymRef* out) {
  if (is_tuple(value)) return sequence_length(x, value, out);
  if (is_class(value)) {
    std::vector<SymRef> members;
    if (!is_enum_class(value))
      return x.fail(BreakReason::kCallUnknown, "len() of " + describe(*value));
    if (!enum_members(x, value, &members)) return false;
    return *out = sym_int(static_cast<int64_t>(members.size())), true;
  }
  const Py_ssize_t size = host::call(host::of_static, PyObject_Size, value->object.get());
  if (size < 0) return x.raise_python("len()");
  return *out = sym_int(size), true;
}

bool constant_iterate(Executor& x, const SymRef& value, SymRef* out) {
  PyObject* const object = value->object.get();
  if (is_tuple(value)) return sequence_iterate(x, value, out);
  if (PyRange_Check(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object)) {
    *out = x.new_iterator(iter_constant, {});
    (*out)->iterator->object = value->object;
    return true;
  }
  if (shadow_of(value)) return set_iterate(x, value, out);
  if (!is_enum_class(value)) return x.fail(BreakReason::kIterate, describe(*value));
  std::vector<SymRef> members;
  if (!enum_members(x, value, &members)) return false;
  *out = x.new_iterator(iter_computed, {make_items(SymKind::kTuple, std::move(members))});
  return true;
}

bool constant_contains(Executor& x, const SymRef& container, const SymRef& item, bool* out) {
  if (is_tuple(container)) return sequence_contains(x, container, item, out);
  if (!is_identity_constant(container->object.get())) {
    const Ref known = to_python(x, item);
    const int found =
        known ? host::call(host::values, PySequence_Contains, container->object.get(), known.get())
              : -2;
    if (found == -1) return x.raise_python("in");
    if (found >= 0) return *out = found == 1, true;
  }
  return x.fail(BreakReason::kUnsupported, "'in' on " + describe(*container));
}

bool constant_subscript(Executor& x, const SymRef& container, const SymRef& given, SymRef* out) {
  SymRef key;
  if (is_tuple(container)) return sequence_subscript(x, container, given, out);
  if (!plain_key(x, given, &key)) return false;
  if (is_enum_class(container)) return enum_item(x, container, key, out);
  PyObject* const object = container->object.get();
  const Ref known = is_class(container) ? Ref() : constant_object(key);
  if (known && is_match(object))
    return fold_result(x,
                       Ref::steal(host::call(host::checked, PyObject_GetItem, object, known.get())),
                       "a match's group", out);
  if (known &&
      (PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || PyRange_Check(object)) &&
      (PyLong_CheckExact(known.get()) || PySlice_Check(known.get()))) {
    if (Ref item = Ref::steal(host::call(host::values, PyObject_GetItem, object, known.get())))
      return *out = make_const(std::move(item)), true;
    PyErr_Clear();
    return x.fail(BreakReason::kRaises, "index out of range");
  }
  return x.fail(BreakReason::kUnsupported, "index of " + describe(*container));
}

bool function_attribute(Executor& x, const SymRef& function, PyObject* name, SymRef* out) {
  if ((*out = x.heap().function_attr(function, name))) return true;
  if (x.heap().error.empty() && !host::find_on_class(&PyFunction_Type, name))
    return no_attribute(x, function, utf8_text(name));
  return x.fail(BreakReason::kAttribute,
                fmt::format("{} of {}", utf8_text(name), describe(*function)));
}

bool constant_attribute(Executor& x, const SymRef& object, PyObject* name, SymRef* out) {
  const char* const text = utf8_text(name);
  if (PyModule_CheckExact(object->object.get())) return module_attribute(x, object, name, out);
  if (is_class(object)) return class_attribute(x, object, name, out);
  if (PyFunction_Check(object->object.get())) return function_attribute(x, object, name, out);
  if (is_numpy_dtype(object->object.get())) return numpy_dtype_attribute(x, object, name, out);
  if (has_builtin_method(object, text)) return bound_by_name(object, name, out);
  return value_attr(x, object, text, out);
}

BuiltinModel constant_method(const SymRef& self, const char* name) {
  if (is_numpy_scalar(self)) return find_row(numpy_methods(), name);
  if (is_class(self)) return find_class_method(self->object.get(), name);
  return is_tuple(self) ? find_row(tuple_methods(), name) : nullptr;
}

Ref constant_itself(const SymRef& value) { return value->object; }

int constant_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made{&recipe_constant};
  made.object = value->object;
  return exit.add(std::move(made));
}

}  // namespace

const ValueKind value_constant = {.describe = constant_describe,
                                  .type = constant_type,
                                  .takes = constant_takes,
                                  .read = constant_read,
                                  .declines_instances = constant_declines,
                                  .matches_for_good = true,
                                  .truth = constant_truth,
                                  .length = constant_length,
                                  .iterate = constant_iterate,
                                  .contains = constant_contains,
                                  .subscript = constant_subscript,
                                  .attribute = constant_attribute,
                                  .call = call_constant,
                                  .method = constant_method,
                                  .binary = set_binary,
                                  .to_python = constant_to_python,
                                  .constant = constant_itself,
                                  .rebuild = constant_rebuild};

}  // namespace msjit
