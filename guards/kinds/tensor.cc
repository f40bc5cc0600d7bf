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
  return fmt::format("{} is {} {}", source,
                     reinterpret_cast<PyTypeObject*>(step.object.address())->tp_name,
                     step.tensor->str());
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  memo.type_of(object);
  memo.tensor_metas();
  return true;
}

}  // namespace

const GuardKind guard_tensor = {"tensor", check, describe, watch};

}  // namespace msjit
