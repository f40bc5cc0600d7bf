// Processes that work together: what `msjit.communication` is made of.
#pragma once

#include "guards/py/error.h"

namespace msjit {

bool add_processes(PyObject* module);  // the submodule `processes`

}  // namespace msjit
