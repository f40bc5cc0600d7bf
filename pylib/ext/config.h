// Python bindings of statistics and settings of the Python-free core.
#pragma once

#include <Python.h>

namespace msjit {

extern PyMethodDef g_config_functions[];

}  // namespace msjit
