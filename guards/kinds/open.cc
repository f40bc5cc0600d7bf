// TENSOR_OPEN: as TENSOR, but the dimensions that are kOpenDim in the payload may be anything. INT:
// an exact int whose value is left open, within what sizes can be. FLOAT: an exact float.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/open_sizes.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

bool check_tensor(const GuardStep& step, PyObject* object, PyObject* const*) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != step.object.address()) return false;
  const Meta& meta = tensor_of(object).meta();
  const Meta& wanted = *step.tensor;
  if (meta.dtype != wanted.dtype || meta.weak != wanted.weak ||
      meta.shape.rank() != wanted.shape.rank())
    return false;
  for (int d = 0; d < wanted.shape.rank(); ++d)
    if (meta.shape[d] != wanted.shape[d] && wanted.shape[d] != kOpenDim) return false;
  return true;
}

std::string describe_tensor(const GuardStep& step, const std::string& source, const std::string&) {
  PyObject* type = step.object.get();
  std::string text =
      fmt::format("type({0}) is {1} and {0}.dtype == {2} and {0}.ndim == {3}{4}", source,
                  type ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "gone",
                  dtype_name(step.tensor->dtype), step.tensor->shape.rank(),
                  step.tensor->weak ? " and weak" : "");
  for (int d = 0; d < step.tensor->shape.rank(); ++d)
    if (step.tensor->shape[d] != kOpenDim)
      text += fmt::format(" and {}.shape[{}] == {}", source, d, step.tensor->shape[d]);
  return text;
}

bool check_int(const GuardStep&, PyObject* object, PyObject* const*) {
  int64_t value = 0;
  return small_int(object, &value);
}

std::string describe_int(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("type({0}) is int and abs({0}) <= {1}", source, kLargestOpenInt);
}

bool check_float(const GuardStep&, PyObject* object, PyObject* const*) {
  return PyFloat_CheckExact(object);
}

std::string describe_float(const GuardStep&, const std::string& source, const std::string&) {
  return fmt::format("type({}) is float", source);
}

}  // namespace

const GuardKind guard_float = {"float", check_float, describe_float};
const GuardKind guard_tensor_open = {"tensor_open", check_tensor, describe_tensor};
const GuardKind guard_int = {"int", check_int, describe_int};

}  // namespace msjit
