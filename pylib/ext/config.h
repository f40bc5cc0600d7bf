// Python bindings of statistics and settings of the Python-free core.
#pragma once

#include <Python.h>

namespace msjit {

extern PyMethodDef g_config_functions[];

// Called when the default device changes: captures made for another one no longer hold.
extern void (*g_default_device_changed)();

}  // namespace msjit
