// TENSOR: the exact Python class (`object`), dtype and shape (`tensor`) of a tensor. The compiled
// region itself checks layout and autograd state.
#include <fmt/core.h>

#include "guards/kinds/tensor.h"
#include "guards/memo.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != step.object.address()) return false;
  return tensor_of(object).meta() == *step.tensor;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  std::string shape;
  for (Dim d : step.tensor->shape) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", d);
  if (step.tensor->shape.rank() == 1) shape += ",";
  PyObject* type = step.object.get();
  return fmt::format("type({0}) is {1} and {0}.dtype == {2} and {0}.shape == ({3}){4}", source,
                     type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "gone",
                     dtype_name(step.tensor->dtype), shape, kind_text(*step.tensor));
}

// A compared address is not enough: it could be that of a later tensor.
bool watch(const GuardStep& step, PyObject* object, MemoBuilder& memo) {
  if (!memo.is_exact(step.target)) return false;
  memo.tensor_class(object);
  memo.tensor_metas();
  return true;
}

}  // namespace

bool changed_dims(const GuardStep& step, PyObject* object, const std::string& source,
                  std::vector<ChangedSize>* out) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != step.object.address()) return false;
  const Meta &now = tensor_of(object).meta(), &then = *step.tensor;
  if (!now.same_kind(then)) return false;
  for (int d = 0; d < then.shape.rank(); ++d)
    if (now.shape[d] != then.shape[d] && then.shape[d] != kOpenDim)
      out->push_back({source, d, std::to_string(now.shape[d])});
  return true;
}

const GuardKind guard::tensor = {.name = "tensor",
                                 .check = check,
                                 .describe = describe,
                                 .watch = watch,
                                 .changes = changed_dims};

}  // namespace msjit
