// Keeps CPython's garbage collector from starting.
#pragma once

#include "guards/py/compat.h"
#include "guards/py/host_call.h"

namespace msjit {

// From begin() to end(), or to the end of its life, no allocation starts a collection.
class QuietCollector {
 public:
  QuietCollector() = default;
  QuietCollector(const QuietCollector&) = delete;
  ~QuietCollector() { end(); }
  void begin() {
    if (!compat::kAllocationCollects || began_ || !call(gc().enabled)) return;
    began_ = true;
    call(gc().disable);
  }
  void end() {
    if (began_) call(gc().enable);
    began_ = false;
  }

 private:
  // The functions of module gc: before 3.10 the C API has none. These allocate nothing.
  struct Functions {
    PyObject *enabled, *enable, *disable;
  };
  static const Functions& gc() {
    static const Functions all = {find("isenabled"), find("enable"), find("disable")};
    return all;
  }
  static PyObject* find(const char* name) {
    const Ref module = Ref::steal(host::call(host::program, PyImport_ImportModule, "gc"));
    PyObject* found =
        module ? host::call(host::of_static, PyObject_GetAttrString, module.get(), name) : nullptr;
    if (!found) PyErr_Clear();
    return found && PyCFunction_Check(found) ? found : nullptr;  // for good
  }
  static bool call(PyObject* function) {
    return function &&
           Ref::steal(PyCFunction_GET_FUNCTION(function)(PyCFunction_GET_SELF(function), nullptr))
               .is(Py_True);
  }
  bool began_ = false;
};

}  // namespace msjit
