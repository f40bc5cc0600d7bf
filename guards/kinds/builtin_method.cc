// BUILTIN_METHOD: a bound method of a class written in C is that of the definition at the address
// `number`. A guard on its class comes before.
#include <fmt/core.h>

#include "guards/memo.h"

namespace msjit {
namespace {

PyMethodDef*& definition(PyObject* method) {
  return reinterpret_cast<PyCFunctionObject*>(method)->m_ml;
}

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return reinterpret_cast<intptr_t>(definition(object)) == step.number;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("{}.__name__ == '{}'", source,
                     reinterpret_cast<const PyMethodDef*>(step.number)->ml_name);
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  memo.word(&definition(object));
  return true;
}

}  // namespace

const GuardKind guard::builtin_method = {
    .name = "builtin_method", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
