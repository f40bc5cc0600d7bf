// Steps of the tape whose gradient is a Python function.
#pragma once

#include "guards/py/error.h"
#include "pylib/ext/boundary.h"

namespace msjit {

// Owns a Python object for C++ code that may be destroyed without the GIL: the destructor takes the
// GIL before it drops the reference.
class Kept {
 public:
  explicit Kept(Ref object) : object_(std::move(object)) {}
  ~Kept() {
    if (!Py_IsInitialized()) {
      (void)object_.release();
      return;
    }
    const GilAcquire locked;
    const KeepPyError keep;
    object_.reset();
  }
  Kept(const Kept&) = delete;
  PyObject* get() const { return object_.get(); }

 private:
  Ref object_;
};

extern PyMethodDef g_custom_gradient_functions[];
extern PyMethodDef g_saved_hooks_functions[];  // saved_hooks.cc

// The error message if a hook on saved tensors has raised; its Python exception is pending.
inline constexpr const char* kHookRaised = "[saved_tensors_hooks] a hook raises";

// Raises the error of a backward pass. If a Python gradient function has raised in it, its
// exception stands.
inline PyObject* raise_of_walk(const Error& error) {
  return PyErr_Occurred() ? nullptr : raise(error);
}

}  // namespace msjit
