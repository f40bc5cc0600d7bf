// Results of NumPy as values of a region: which arrays are kept, and what their views show.
#include <algorithm>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/known_arrays.h"
#include "guards/py/array_layout.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

constexpr Py_ssize_t kMaxArrayElements = 1 << 16;  // the largest array that a capture keeps

const ArrayLayout& kept_layout(PyObject* array) { return array_layout(array); }

// The array that has the memory that an array shows; null where it is no array.
PyObject* owner_of(PyObject* array) {
  PyObject* const base = kept_layout(array).base;
  if (!base) return array;
  return is_ndarray(base) ? owner_of(base) : nullptr;
}

bool is_listing(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }
PyObject* listed(PyObject* listing, Py_ssize_t i) {
  return PyList_CheckExact(listing) ? PyList_GET_ITEM(listing, i) : PyTuple_GET_ITEM(listing, i);
}

// Makes a view of `parent` by calling `function` with it and `args`.
SymRef make_view(PyObject* view, const SymRef& parent, const Ref& function, const Ref& args,
                 const Ref& keywords) {
  SymRef made = make_items(SymKind::kArray, {parent});
  made->object = Ref::share(view);
  made->shadow = allocated(
      Ref::steal(PyTuple_Pack(3, function.get(), args.get(), keywords ? keywords.get() : Py_None)));
  return made;
}

// A result that is a new array in another shape, as tile() gives it: a view of an array that nobody
// has. Null: it is something else.
SymRef reshaped(PyObject* array, PyObject* owner) {
  if (kept_layout(owner).base || count_of(owner) != count_of(array)) return nullptr;
  const Ref function =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString,
                            reinterpret_cast<PyObject*>(ndarray_type()), "reshape"));
  const Ref shape = Ref::steal(host::call(host::of_static, PyObject_GetAttrString, array, "shape"));
  const Ref args = shape ? Ref::steal(PyTuple_Pack(1, shape.get())) : Ref();
  const Ref again = args && function
                        ? Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs,
                                                function.get(), owner, shape.get(), nullptr))
                        : Ref();
  if (!again) return PyErr_Clear(), nullptr;
  const ArrayLayout &a = kept_layout(array), &b = kept_layout(again.get());
  if (a.data != b.data || !std::equal(a.strides, a.strides + a.rank, b.strides)) return nullptr;
  SymRef parent = make_sym(SymKind::kArray);
  parent->object = Ref::share(owner);
  return make_view(array, parent, function, args, {});
}

bool may_keep(PyObject* array) {
  const Elements elements = elements_of(array);
  return std::strchr("biuf", elements.kind) && elements.bits <= 64 &&
         count_of(array) <= kMaxArrayElements;
}

bool keep_array_result(Executor& x, const char* name, PyObject* array, const KnownCall& call,
                       SymRef* out) {
  for (const SymRef& given : call.arrays)
    if (given->object.get() == array) return *out = given, true;
  if (!may_keep(array)) return wrong_arguments(x, name);
  PyObject* const owner = owner_of(array);
  if (owner == array) {
    *out = make_sym(SymKind::kArray);
    (*out)->object = Ref::share(array);
    return true;
  }
  if (!owner) return wrong_arguments(x, name);
  PyObject* const first = call.args && PyTuple_GET_SIZE(call.args.get()) > 0
                              ? PyTuple_GET_ITEM(call.args.get(), 0)
                              : nullptr;
  for (const SymRef& given : call.arrays) {
    if (owner_of(given->object.get()) != owner) continue;
    if (given->object.get() != first) return wrong_arguments(x, name);
    const Ref rest = allocated(
        Ref::steal(PyTuple_GetSlice(call.args.get(), 1, PyTuple_GET_SIZE(call.args.get()))));
    *out = make_view(array, given, call.function, rest, call.keywords);
    return true;
  }
  *out = reshaped(array, owner);
  return *out || wrong_arguments(x, name);
}

}  // namespace

PyTypeObject* ndarray_type() {
  static constinit LibraryType type("numpy", "ndarray");
  return type.get();
}

bool is_ndarray(PyObject* object) { return Py_TYPE(object) == ndarray_type(); }

Py_ssize_t count_of(PyObject* array) {
  Py_ssize_t count = 1;
  for (int i = 0; i < kept_layout(array).rank; ++i) count *= kept_layout(array).shape[i];
  return count;
}

Elements elements_of(PyObject* array) {
  PyObject* const dtype = kept_layout(array).dtype;
  const Ref kind = Ref::steal(host::call(host::checked, PyObject_GetAttrString, dtype, "kind"));
  const Ref size = Ref::steal(host::call(host::checked, PyObject_GetAttrString, dtype, "itemsize"));
  const Ref native =
      Ref::steal(host::call(host::checked, PyObject_GetAttrString, dtype, "isnative"));
  if (!kind || !size || !native.is(Py_True)) return PyErr_Clear(), Elements();
  return {utf8_text(kind.get())[0], 8 * PyLong_AsLong(size.get())};
}

bool keep_result(Executor& x, const char* name, const Ref& result, const KnownCall& call,
                 SymRef* out) {
  PyObject* const object = result.get();
  if (is_ndarray(object)) return keep_array_result(x, name, object, call, out);
  if (is_listing(object) && Py_SIZE(object) > 0 && is_ndarray(listed(object, 0))) {
    std::vector<SymRef> items(static_cast<size_t>(Py_SIZE(object)));
    for (size_t i = 0; i < items.size(); ++i)
      if (!keep_result(x, name, Ref::share(listed(object, static_cast<Py_ssize_t>(i))), {},
                       &items[i]))
        return false;
    *out =
        make_items(PyList_CheckExact(object) ? SymKind::kList : SymKind::kTuple, std::move(items));
    return true;
  }
  *out = from_python(result);
  return *out || wrong_arguments(x, name);
}

}  // namespace msjit
