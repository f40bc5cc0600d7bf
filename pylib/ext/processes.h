// Collective calls and messages between processes; `msjit.communication` is built on them.
#pragma once

#include "guards/py/error.h"

namespace msjit {

bool add_processes(PyObject* module);  // the submodule `processes`

}  // namespace msjit
