#include "bytecode/values/computed_builds.h"

#include "bytecode/numbers.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/computed_classes.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

Ref checked(PyObject* made, const Recipe& recipe) {
  Ref result = Ref::steal(made);
  const int place = recipe.number & ((1 << kClassBits) - 1);
  const bool fits =
      !result || (place == kNumPyPlace ? is_numpy_scalar(result.get())
                                       : Py_TYPE(result.get()) == computable_classes()[place]);
  if (!fits) {
    PyErr_SetString(PyExc_TypeError, "[region] a computed number of another class");
    return {};
  }
  return result;
}

int64_t detail_of(const Recipe& recipe) { return recipe.number >> kClassBits; }

}  // namespace

Ref computed_builds::binary(const Recipe& recipe, const Objects& objects) {
  return checked(host::call(host::program, python_binary, BinaryOp(detail_of(recipe)),
                            argument(recipe, objects, 0), argument(recipe, objects, 1)),
                 recipe);
}

// An operation on two numbers, one of them of NumPy, or on 0-d arrays. NumPy's warning would name
// another place in the program, so where it may warn the region fails.
Ref computed_builds::numpy_binary(const Recipe& recipe, const Objects& objects) {
  const BinaryOp op = BinaryOp(detail_of(recipe));
  const Ref none = Ref::steal(PyTuple_New(0));
  if (!none) return {};
  Ref operands[2];
  for (size_t i = 0; i < 2; ++i) {
    PyObject* const given = argument(recipe, objects, i);
    const bool plain = is_numpy_scalar(given) || is_number_class(Py_TYPE(given));
    operands[i] = plain
                      ? Ref::share(given)
                      : Ref::steal(host::call(host::program, PyObject_GetItem, given, none.get()));
    if (!operands[i]) return {};
  }
  if (!numpy_is_quiet(operands[0].get(), operands[1].get(), op)) {
    PyErr_SetString(PyExc_ArithmeticError, "[region] NumPy may warn of a computation");
    return {};
  }
  return checked(host::call(host::program, python_binary, op, operands[0].get(), operands[1].get()),
                 recipe);
}

Ref computed_builds::compare(const Recipe& recipe, const Objects& objects) {
  return checked(host::call(host::program, PyObject_RichCompare, argument(recipe, objects, 0),
                            argument(recipe, objects, 1), static_cast<int>(detail_of(recipe))),
                 recipe);
}

Ref computed_builds::unary(const Recipe& recipe, const Objects& objects) {
  PyObject* const value = argument(recipe, objects, 0);
  switch (UnaryOp(detail_of(recipe))) {
    case UnaryOp::kNegative:
      return checked(host::call(host::program, PyNumber_Negative, value), recipe);
    case UnaryOp::kPositive:
      return checked(host::call(host::program, PyNumber_Positive, value), recipe);
    default: return checked(host::call(host::program, PyNumber_Invert, value), recipe);
  }
}

Ref computed_builds::function_call(const Recipe& recipe, const Objects& objects) {
  const Recipe plain = {.kind = &recipe_built, .args = recipe.args};
  const Ref args = build_tuple(plain, objects);
  return args ? checked(host::call(host::program, PyObject_Call, recipe.object.get(), args.get(),
                                   nullptr),
                        recipe)
              : Ref();
}

Ref computed_builds::format(const Recipe& recipe, const Objects& objects) {
  Ref shown = Ref::share(argument(recipe, objects, 0));
  switch (detail_of(recipe)) {
    case 1: shown = Ref::steal(host::call(host::program, PyObject_Str, shown.get())); break;
    case 2: shown = Ref::steal(host::call(host::program, PyObject_Repr, shown.get())); break;
    case 3: shown = Ref::steal(host::call(host::program, PyObject_ASCII, shown.get())); break;
    default: break;
  }
  return shown
             ? checked(host::call(host::program, PyObject_Format, shown.get(), recipe.object.get()),
                       recipe)
             : Ref();
}

Ref computed_builds::concat(const Recipe& recipe, const Objects& objects) {
  const Ref parts = build_list(recipe, objects);
  const Ref empty = Ref::steal(PyUnicode_FromStringAndSize(nullptr, 0));
  return parts && empty
             ? checked(host::call(host::program, PyUnicode_Join, empty.get(), parts.get()), recipe)
             : Ref();
}

Ref computed_builds::length(const Recipe& recipe, const Objects& objects) {
  return checked(PyLong_FromSsize_t(PyUnicode_GET_LENGTH(argument(recipe, objects, 0))), recipe);
}

// The item at a position counted as CPython does.
Ref computed_builds::item(const Recipe& recipe, const Objects& objects) {
  const auto count = static_cast<Py_ssize_t>(recipe.args.size()) - 1;
  Py_ssize_t at = PyLong_AsSsize_t(argument(recipe, objects, 0));
  if (at == -1 && PyErr_Occurred()) return {};
  if (at < 0) at += count;
  if (at < 0 || at >= count) {
    PyErr_SetString(PyExc_IndexError, "[region] index out of range");
    return {};
  }
  PyObject* const item = argument(recipe, objects, static_cast<size_t>(at) + 1);
  return checked(Ref::share(item).release(), recipe);
}

}  // namespace msjit
