// TENSOR_OPEN: as TENSOR, but dimensions that are kOpenDim in the payload may have any size.
#include <fmt/core.h>

#include "guards/kinds/tensor.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != step.object.address()) return false;
  const Meta& meta = tensor_of(object).meta();
  const Meta& wanted = *step.tensor;
  if (!meta.same_kind(wanted)) return false;
  for (int d = 0; d < wanted.shape.rank(); ++d)
    if (meta.shape[d] != wanted.shape[d] && wanted.shape[d] != kOpenDim) return false;
  return true;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  PyObject* type = step.object.get();
  std::string text = fmt::format(
      "type({0}) is {1} and {0}.dtype == {2} and {0}.ndim == {3}{4}", source,
      type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "gone",
      dtype_name(step.tensor->dtype), step.tensor->shape.rank(), kind_text(*step.tensor));
  for (int d = 0; d < step.tensor->shape.rank(); ++d)
    if (step.tensor->shape[d] != kOpenDim)
      text += fmt::format(" and {}.shape[{}] == {}", source, d, step.tensor->shape[d]);
  return text;
}

}  // namespace

const GuardKind guard::tensor_open = {
    .name = "tensor_open", .check = check, .describe = describe, .changes = changed_dims};

}  // namespace msjit
