// CPython's collector, kept from starting.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

// Up to 3.11 the allocation of an object that the collector counts may start a collection, and so
// run code of the program; from 3.12 on collections wait for the interpreter. While one of these
// lives, from begin() on, none is started.
class QuietCollector {
 public:
  QuietCollector() = default;
  QuietCollector(const QuietCollector&) = delete;
  ~QuietCollector() { end(); }
#if PY_VERSION_HEX >= 0x030C0000
  void begin() {}
  void end() {}
#else
  void begin() {
    if (began_ || !is(gc().enabled)) return;
    began_ = true;
    is(gc().disable);
  }
  void end() {
    if (std::exchange(began_, false)) is(gc().enable);
  }

 private:
  // Before 3.10 there are no functions of C to do it, but these allocate nothing.
  struct Functions {
    PyObject *enabled, *enable, *disable;
  };
  static const Functions& gc() {
    static const Functions all = {find("isenabled"), find("enable"), find("disable")};
    return all;
  }
  static PyObject* find(const char* name) {
    const Ref module = Ref::steal(PyImport_ImportModule("gc"));
    PyObject* found = module ? PyObject_GetAttrString(module.get(), name) : nullptr;
    if (!found) PyErr_Clear();
    return found && PyCFunction_Check(found) ? found : nullptr;  // for good
  }
  static bool is(PyObject* function) {
    return function &&
           Ref::steal(PyCFunction_GET_FUNCTION(function)(PyCFunction_GET_SELF(function), nullptr))
               .is(Py_True);
  }
  bool began_ = false;
#endif
};

}  // namespace msjit
