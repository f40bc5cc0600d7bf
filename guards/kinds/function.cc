// FUNCTION: a function known by identity still has its code object. Its defaults are read through
// sources of their own; its closure cannot be replaced.
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/compat.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return PyFunction_Check(object) && compat::function(object)->func_code == step.object.address();
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  PyObject* code = step.object.get();
  return code ? fmt::format("{}.__code__.co_firstlineno == {}", source,
                            reinterpret_cast<PyCodeObject*>(code)->co_firstlineno)
              : fmt::format("{}.__code__ is gone", source);
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  memo.word(&compat::function(object)->func_code);
  return true;
}

}  // namespace

const GuardKind guard::function = {
    .name = "function", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
