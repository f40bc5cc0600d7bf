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
  // `fits`: asked once whether the class found is the one that this code knows; null: it always is.
  constexpr LibraryType(const char* module, const char* name, bool (*fits)(PyTypeObject*) = nullptr)
      : module_(module), name_(name), fits_(fits) {}
  // Null as long as the module is not loaded, and for a class that does not fit.
  PyTypeObject* get();

 private:
  const char* module_;
  const char* name_;
  bool (*fits_)(PyTypeObject*);
  bool refused_ = false;
  PyTypeObject* found_ = nullptr;  // for as long as the interpreter lives
};

// The `maxlen` of a collections.deque; -1: none.
int64_t limit_of_deque(PyObject* deque);

}  // namespace msjit
