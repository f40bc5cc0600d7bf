// Classes and modules of Python's library, found without importing them. An import runs Python
// code, which might be captured in turn or wait for another thread. It is not needed: nothing is an
// instance of a class whose module was never loaded.
#pragma once

#include <cstdint>

#include "guards/py/ref.h"

namespace msjit {

// Whether the import of this module is still running.
bool is_loading(PyObject* module);
// The module of this name in sys.modules, borrowed; null when it is missing or not complete.
PyObject* loaded_module(const char* name);

// Whether an object found in a module belongs to that module. A program may have replaced it.
bool comes_with(const char* module, PyObject* found);
// The same, and the object has this very name.
bool comes_with(const char* module, const char* name, PyObject* found);

class LibraryType {
 public:
  constexpr LibraryType(const char* module, const char* name) : module_(module), name_(name) {}
  // Null as long as the module is not loaded.
  PyTypeObject* get();

 private:
  const char* module_;
  const char* name_;
  PyTypeObject* found_ = nullptr;  // for as long as the interpreter lives
};

// The `maxlen` of a collections.deque; -1: none.
int64_t limit_of_deque(PyObject* deque);

}  // namespace msjit
