// TENSOR: the exact Python class, dtype and shape of a tensor. Layout and autograd state are the
// executable's business.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != step.object.get()) return false;
  return tensor_of(object).meta() == *step.tensor;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("{} is {} {}", source,
                     reinterpret_cast<PyTypeObject*>(step.object.get())->tp_name,
                     step.tensor->str());
}

}  // namespace

const GuardKind guard_tensor = {"tensor", check, describe};

}  // namespace msjit
