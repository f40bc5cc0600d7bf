#include "bytecode/program_arrays.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "bytecode/builtins/models.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/sequence.h"
#include "guards/py/array_layout.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

PyTypeObject* array_type() {
  static constinit LibraryType type("numpy", "ndarray");
  return type.get();
}

}  // namespace

bool is_program_array(const SymValue& value) {
  return value.kind == SymKind::kObject && value.source != kNoSource && value.object &&
         Py_TYPE(value.object.get()) == array_type();
}

bool Heap::array_meta(const SymRef& array, Meta* out) {
  PyObject* const object = array->object.get();
  Tensor now;
  if (!tensor_from_buffer(object, "Tensor", false, &now)) return PyErr_Clear(), false;
  const ArrayLayout& layout = array_layout(object);
  const Shape& shape = now.shape();
  if (layout.rank != shape.rank() || !std::equal(shape.begin(), shape.end(), layout.shape))
    return false;
  *out = {now.dtype(), false, shape};
  guards_.add(guard::array, array->source,
              {.object = Ref::share(layout.dtype), .tensor = std::make_shared<const Meta>(*out)});
  return true;
}

bool Heap::array_input(const SymRef& array, Val* out) {
  if (array->tensor) return *out = array->tensor, true;
  // The array may share the memory of a tensor that the region has written.
  Meta meta;
  if (!tensor_writes_.empty() || !renewed_.empty() || !array_meta(array, &meta)) return false;
  scalars_.push_back({static_cast<int32_t>(inputs_.size()), {}, {}, array->source});
  inputs_.push_back(kNoSource);
  *out = array->tensor = sizes_->fixed_input(meta);
  return true;
}

bool program_array_attribute(Executor& x, const SymRef& array, PyObject* name, SymRef* out,
                             bool* known) {
  const std::string_view text = utf8_text(name);
  *known = text == "shape" || text == "ndim" || text == "size";
  Meta meta;
  if (!*known) return true;
  if (x.strict() || !x.heap().array_meta(array, &meta))
    return x.fail(BreakReason::kAttribute, fmt::format("{} of {}", text, describe(*array)));
  if (text == "ndim") return *out = sym_int(meta.shape.rank()), true;
  if (text == "size") return *out = sym_int(meta.shape.numel()), true;
  std::vector<SymRef> dims;
  for (Dim d : meta.shape) dims.push_back(sym_int(d));
  return *out = make_items(SymKind::kTuple, std::move(dims)), true;
}

bool program_array_length(Executor& x, const SymRef& array, SymRef* out) {
  Meta meta;
  if (x.strict() || !x.heap().array_meta(array, &meta) || meta.shape.rank() == 0)
    return x.fail(BreakReason::kCallUnknown, "len() of " + describe(*array));
  return *out = sym_int(meta.shape[0]), true;
}

namespace {

bool refuse_element(Executor& x, const SymRef& array) {
  return x.fail(BreakReason::kUnsupported, "an item of " + describe(*array));
}

// The position of the element that a key names, in the order of the shape; -1: a view, or none.
int64_t element_position(const Shape& shape, PyObject* key) {
  const bool several = PyTuple_CheckExact(key);
  const Py_ssize_t count = several ? PyTuple_GET_SIZE(key) : 1;
  int64_t position = 0;
  if (count != shape.rank()) return -1;
  for (int i = 0; i < shape.rank(); ++i) {
    PyObject* const part = several ? PyTuple_GET_ITEM(key, i) : key;
    if (!PyLong_CheckExact(part)) return -1;
    int64_t index = PyLong_AsLongLong(part);
    if (index == -1 && PyErr_Occurred()) return PyErr_Clear(), -1;
    if (index < 0) index += shape[i];
    if (index < 0 || index >= shape[i]) return -1;
    position = position * shape[i] + index;
  }
  return position;
}

}  // namespace

bool program_array_element(Executor& x, const SymRef& array, int64_t position, SymRef* out) {
  Meta meta;
  Heap& heap = x.heap();
  PyObject* const object = array->object.get();
  if (x.strict() || !heap.tensor_writes().empty() || !heap.renewed().empty() ||
      x.sizes().differs(element_path(heap.guards().source(array->source).text, position)) ||
      !heap.array_meta(array, &meta))
    return refuse_element(x, array);
  const Ref flat = Ref::steal(host::call(host::checked, PyObject_GetAttrString, object, "flat"));
  const Ref index = Ref::steal(PyLong_FromLongLong(position));
  const Ref item =
      flat && index
          ? Ref::steal(host::call(host::checked, PyObject_GetItem, flat.get(), index.get()))
          : Ref();
  const Ref bytes =
      Ref::steal(PyBytes_FromStringAndSize(element_of(object, position), item_size(meta.dtype)));
  if (!item || !bytes || !is_numpy_scalar(item.get()))
    return PyErr_Clear(), refuse_element(x, array);
  heap.guards().add(guard::element, array->source, {.number = position, .object = bytes});
  return *out = make_const(item), true;
}

bool program_array_subscript(Executor& x, const SymRef& array, const SymRef& given, SymRef* out) {
  SymRef key;
  Meta meta;
  if (!plain_key(x, given, &key)) return false;
  const Ref known = key->is_tensor() ? Ref() : to_python(x, key);
  const int64_t position =
      known && x.heap().array_meta(array, &meta) ? element_position(meta.shape, known.get()) : -1;
  return position < 0 ? refuse_element(x, array) : program_array_element(x, array, position, out);
}

namespace {

bool next_element(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  *done = it.position >= it.count;
  return *done || program_array_element(x, it.children[0], it.position++, out);
}

}  // namespace

const IterKind iter_program_array = {.next = next_element};

bool program_array_iterate(Executor& x, const SymRef& array, SymRef* out) {
  Meta meta;
  if (x.strict() || !x.heap().array_meta(array, &meta) || meta.shape.rank() != 1)
    return x.fail(BreakReason::kIterate, describe(*array));
  *out = x.new_iterator(iter_program_array, {array});
  (*out)->iterator->count = meta.shape[0];
  return true;
}

}  // namespace msjit
