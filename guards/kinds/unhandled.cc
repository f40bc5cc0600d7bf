// UNHANDLED: the thread is not handling an exception, so sys.exc_info() is empty.
#include "guards/guard_set.h"

namespace msjit {
namespace {

bool check(const GuardStep&, PyObject*, PyObject* const*) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_GetExcInfo(&type, &value, &traceback);  // the thread holds them too: none dies here
  const Ref held[] = {Ref::steal(type), Ref::steal(value), Ref::steal(traceback)};
  return !value || value == Py_None;
}

std::string describe(const GuardStep&, const std::string&, const std::string&) {
  return "sys.exc_info()[1] is None";
}

}  // namespace

const GuardKind guard::unhandled = {.name = "unhandled", .check = check, .describe = describe};

}  // namespace msjit
