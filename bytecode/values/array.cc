// NumPy arrays made of known values.
#include <fmt/core.h>

#include <climits>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/known_arrays.h"
#include "bytecode/numbers.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/build.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/turn_table.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/array_layout.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

std::string array_describe(const SymValue& value) { return describe_object(value.object.get()); }
PyTypeObject* array_type(const SymValue& value) { return Py_TYPE(value.object.get()); }

const ArrayLayout& layout(const SymRef& array) { return array_layout(array->object.get()); }

bool array_truth(Executor& x, const SymRef& array, bool*) {
  return x.fail(BreakReason::kCallUnknown, "bool() of " + describe(*array));
}

bool array_length(Executor& x, const SymRef& array, SymRef* out) {
  if (layout(array).rank == 0) return x.fail(BreakReason::kRaises, "len() of a 0-d array");
  return *out = sym_int(layout(array).shape[0]), true;
}

// Whether an index means one thing in every version of NumPy, without a warning.
bool is_plain_index(PyObject* key, bool nested = false) {
  if (PyTuple_CheckExact(key) && !nested) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
      if (!is_plain_index(PyTuple_GET_ITEM(key, i), true)) return false;
    return true;
  }
  if (PyList_CheckExact(key)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(key); ++i)
      if (PyObject* item = PyList_GET_ITEM(key, i); !PyLong_CheckExact(item)) return false;
    return PyList_GET_SIZE(key) > 0;
  }
  return PyLong_CheckExact(key) || PySlice_Check(key) || key == Py_None || key == Py_Ellipsis ||
         is_numpy_integer(key) || std::strcmp(Py_TYPE(key)->tp_name, "numpy.ndarray") == 0;
}

bool array_subscript(Executor& x, const SymRef& array, const SymRef& key, SymRef* out) {
  const Ref index = known_value(x, key);
  if (!index || !is_plain_index(index.get()))
    return x.fail(BreakReason::kUnsupported, "index of " + describe(*array));
  return call_array_method(x, "__getitem__", {array, key}, nullptr, out);
}

// Reads each item when it is taken, so that stores in the loop are seen.
bool next_element(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  const SymRef& array = it.children[0];
  *done = it.position >= layout(array).shape[0];
  return *done || array_subscript(x, array, sym_int(it.position++), out);
}

}  // namespace

const IterKind iter_array = {.next = next_element};

namespace {

bool array_iterate(Executor& x, const SymRef& array, SymRef* out) {
  if (layout(array).rank == 0) return x.fail(BreakReason::kRaises, "iteration over a 0-d array");
  *out = x.new_iterator(iter_array, {array});
  return true;
}

// Whether all ints in a value fit elements of such a kind. NumPy warns of others.
bool fits(PyObject* value, const Elements& elements) {
  if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
    const bool list = PyList_CheckExact(value);
    for (Py_ssize_t i = 0; i < Py_SIZE(value); ++i)
      if (!fits(list ? PyList_GET_ITEM(value, i) : PyTuple_GET_ITEM(value, i), elements))
        return false;
    return true;
  }
  if ((elements.kind != 'i' && elements.kind != 'u') || !PyLong_CheckExact(value)) return true;
  const long number = PyLong_AsLong(value);
  if (number == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
  const long most = elements.bits >= 64 ? LONG_MAX : (1L << (elements.bits - 1)) - 1;
  return number <= most && number >= (elements.kind == 'u' ? 0 : -most);
}

// A store in an arm or loop body could not be taken back. NumPy warns of ints that the dtype cannot
// hold, and of arrays of one element that become a number.
bool array_set_item(Executor& x, const SymRef& array, const SymRef& key, const SymRef& value) {
  const std::string what = "an item of " + describe(*array);
  if (!value || x.in_arm() || !x.look(value)) return x.fail(BreakReason::kMutation, what);
  const Ref index = known_value(x, key), item = known_value(x, value);
  if (!index || !item || !is_plain_index(index.get())) return x.fail(BreakReason::kMutation, what);
  SymRef target, ignored;
  if (!call_array_method(x, "__getitem__", {array, key}, nullptr, &target)) return false;
  const bool single = target->kind != SymKind::kArray;
  const bool sequence = PyList_CheckExact(item.get()) || PyTuple_CheckExact(item.get());
  if (!(is_known_number(item.get()) || (!single && (is_array(value) || sequence))) ||
      !fits(item.get(), elements_of(array->object.get())))
    return x.fail(BreakReason::kMutation, what);
  x.heap().note_effect();
  return call_array_method(x, "__setitem__", {array, key, value}, nullptr, &ignored);
}

bool array_attribute(Executor& x, const SymRef& array, PyObject* name, SymRef* out) {
  const char* const text = utf8_text(name);
  if (find_row(array_methods(), text)) return bound_by_name(array, name, out);
  if (std::strcmp(text, "T") == 0) return call_array_method(x, "transpose", {array}, nullptr, out);
  for (const char* each : {"shape", "ndim", "size"})
    if (std::strcmp(text, each) == 0)
      return fold_result(
          x, Ref::steal(host::call(host::of_static, PyObject_GetAttr, array->object.get(), name)),
          text, out);
  return x.fail(BreakReason::kAttribute, fmt::format("{} of {}", text, describe(*array)));
}

BuiltinModel array_method(const SymRef&, const char* name) {
  return find_row(array_methods(), name);
}

bool is_operand(Executor& x, const SymRef& value) {
  if (is_array(value)) return true;
  if (is_unknown(*value) || !x.look(value)) return false;
  return is_plain_number(value) || is_numpy_scalar(value);
}

// Whether an array meets a number or another array, both known.
bool are_operands(Executor& x, const SymRef& a, const SymRef& b) {
  return !a->is_tensor() && !b->is_tensor() && is_operand(x, a) && is_operand(x, b);
}

bool keep(Executor& x, const std::string& what, const Ref& result, SymRef* out) {
  return result ? keep_result(x, what.c_str(), result, {}, out)
                : x.fail(BreakReason::kUnsupported, what);
}

// a += b stores in `a`, which an arm or a loop body could not take back.
bool change(Executor& x, const std::string& what, const SymRef& a, const SymRef& b, BinaryOp op,
            SymRef* out) {
  if (x.in_arm()) return x.fail(BreakReason::kMutation, what);
  x.heap().note_effect();
  *out = a;
  return quietly([&] { return inplace_binary(op, a->object.get(), b->object.get()); }) ||
         x.fail(BreakReason::kUnsupported, what);
}

bool array_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                  SymRef* out, bool* known) {
  *known = are_operands(x, a, b);
  if (!*known) return true;
  const std::string what = fmt::format("{} {} {}", describe(*a), binary_symbol(op), describe(*b));
  if (in_place && is_array(a)) return change(x, what, a, b, op, out);
  return keep(x, what, quietly([&] {
                return host::call(host::checked, python_binary, op, a->object.get(),
                                  b->object.get());
              }),
              out);
}

bool array_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                   bool* known) {
  *known = are_operands(x, a, b);
  if (!*known) return true;
  return keep(x, fmt::format("comparison of {} and {}", describe(*a), describe(*b)), quietly([&] {
                return host::call(host::checked, PyObject_RichCompare, a->object.get(),
                                  b->object.get(), op);
              }),
              out);
}

bool array_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  PyObject* const object = value->object.get();
  *known = true;
  return keep(x, "unary operator on " + describe(*value), quietly([&] {
                return op == UnaryOp::kNegative
                           ? host::call(host::checked, PyNumber_Negative, object)
                       : op == UnaryOp::kPositive
                           ? host::call(host::checked, PyNumber_Positive, object)
                           : host::call(host::checked, PyNumber_Invert, object);
              }),
              out);
}

// A view is made of the array it shows by the call that made it while capturing: `object` holds the
// function, its other arguments and its keywords.
Ref build_view(const Recipe& recipe, const Objects& objects) {
  PyObject* const call = recipe.object.get();
  const Ref first = Ref::steal(PyTuple_Pack(1, argument(recipe, objects, 0)));
  const Ref args = first ? Ref::steal(host::call(host::checked, PySequence_Concat, first.get(),
                                                 PyTuple_GET_ITEM(call, 1)))
                         : Ref();
  PyObject* const keywords = PyTuple_GET_ITEM(call, 2);
  return args ? Ref::steal(host::call(host::program, PyObject_Call, PyTuple_GET_ITEM(call, 0),
                                      args.get(), keywords == Py_None ? nullptr : keywords))
              : Ref();
}

int array_rebuild(ExitBuilder& exit, const SymRef& value) {
  if (!value->items.empty()) {
    Recipe view = made_by(build_view);
    view.object = value->shadow;
    return exit.add(std::move(view), value->items);
  }
  Recipe made{&recipe_constant};
  made.object = value->object;
  Recipe copied = made_by(build_method_call);  // the array itself stays with the capture
  copied.object = interned_text("__copy__");
  copied.args = {exit.add(std::move(made))};
  return exit.add(std::move(copied));
}

}  // namespace

const ValueKind value_array = {.describe = array_describe,
                               .type = array_type,
                               .truth = array_truth,
                               .length = array_length,
                               .iterate = array_iterate,
                               .subscript = array_subscript,
                               .set_item = array_set_item,
                               .attribute = array_attribute,
                               .method = array_method,
                               .binary = array_binary,
                               .compare = array_compare,
                               .unary = array_unary,
                               .rebuild = array_rebuild};

}  // namespace msjit
