// TENSOR: the exact Python class, dtype and shape of a tensor. Layout and autograd state are the
// executable's business.
#include <fmt/core.h>

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
                     dtype_name(step.tensor->dtype), shape, step.tensor->weak ? " and weak" : "");
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  memo.tensor_class(object);
  memo.tensor_metas();
  return true;
}

}  // namespace

const GuardKind guard_tensor = {"tensor", check, describe, watch};

}  // namespace msjit
