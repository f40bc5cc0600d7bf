// Classes and modules of Python's library, found without importing them: an import runs Python
// code, which may be captured in turn or wait for another thread, and nothing is an instance of a
// class whose module was never loaded.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

// Whether its import is under way.
bool is_loading(PyObject* module);
// From sys.modules, borrowed; null when it is not there or not complete.
PyObject* loaded_module(const char* name);

// Whether an object found in a module came with it: a program may have put another in its place.
bool comes_with(const char* module, PyObject* found);
// The same, of what goes by this very name.
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

}  // namespace msjit
