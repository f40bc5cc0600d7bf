// Steps of the tape whose gradient is a Python function.
#pragma once

#include "guards/py/error.h"
#include "pylib/ext/boundary.h"

namespace msjit {

// A Python object that is let go of under the lock, which the last handle may be dropped without.
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

// The message of an error that a hook on saved tensors has made: what the hook raised is pending.
inline constexpr const char* kHookRaised = "[saved_tensors_hooks] a hook raises";

// Raises the error of a walk over the tape; what a gradient function has raised in it stands.
inline PyObject* raise_of_walk(const Error& error) {
  return PyErr_Occurred() ? nullptr : raise(error);
}

}  // namespace msjit
