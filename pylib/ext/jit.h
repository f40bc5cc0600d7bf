// What the bytecode JIT adds to the module. jit.cc on the interpreters it is built for, no_jit.cc
// on the others.
#pragma once

#include <Python.h>

namespace msjit {

bool add_jit(PyObject* module);  // false with an exception set
// Sets has_jit to False and says why.
bool add_no_jit(PyObject* module, const char* reason);

// The code object of a function, a method, a JitFunction or a code object; null with TypeError set.
PyCodeObject* code_of(PyObject* object);
extern PyMethodDef g_mark_functions[];      // jit_marks.cc
extern PyMethodDef g_program_functions[];   // jit_program.cc
extern PyMethodDef g_settings_functions[];  // jit_settings.cc
void drop_all_captures();                   // something that all captures rely on has changed
void pause_captures(bool begin);            // begins or ends a pause: interp_hook/config.h
extern PyMethodDef g_main_functions[];      // jit_main.cc
extern PyMethodDef g_export_functions[];    // jit_export.cc

}  // namespace msjit
