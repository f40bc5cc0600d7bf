// Registers `_msjit.ImportFinder`.
#pragma once

#include <Python.h>

namespace msjit {

bool add_import_finder(PyObject* module);  // false with an exception set

}  // namespace msjit
