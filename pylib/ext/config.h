// Python bindings of statistics and settings of the Python-free core.
#pragma once

#include <Python.h>

namespace msjit {

extern PyMethodDef g_config_functions[];

// What was captured for another device is no longer true.
extern void (*g_default_device_changed)();

}  // namespace msjit
