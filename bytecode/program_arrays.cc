#include "bytecode/program_arrays.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "bytecode/builtins/models.h"
#include "guards/py/array_layout.h"
#include "guards/py/convert.h"
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

}  // namespace msjit
