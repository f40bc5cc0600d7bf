// Steps of the tape whose gradient is a Python function.
#pragma once

#include "guards/py/error.h"

namespace msjit {

extern PyMethodDef g_custom_gradient_functions[];
extern PyMethodDef g_saved_hooks_functions[];  // saved_hooks.cc

// The message of an error that a hook on saved tensors has made: what the hook raised is pending.
inline constexpr const char* kHookRaised = "[saved_tensors_hooks] a hook raises";

// Raises the error of a walk over the tape; what a gradient function has raised in it stands.
inline PyObject* raise_of_walk(const Error& error) {
  return PyErr_Occurred() ? nullptr : raise(error);
}

}  // namespace msjit
