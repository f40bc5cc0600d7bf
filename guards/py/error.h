// The pending Python exception: saved around code that must not disturb it, or turned into text.
// Also raises the errors of the Python-free core. No function that succeeds leaves an exception
// set.
#pragma once

#include <string>
#include <string_view>

#include "guards/py/host_call.h"
#include "guards/py/ref.h"
#include "kernels/core/result.h"

namespace msjit {

// The pending exception, taken out of the thread; dropped unless restored.
class PyError {
 public:
  static PyError fetch() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyError error;
    error.type_ = Ref::steal(type);
    error.value_ = Ref::steal(value);
    error.traceback_ = Ref::steal(traceback);
    return error;
  }
  void restore() && { PyErr_Restore(type_.release(), value_.release(), traceback_.release()); }
  explicit operator bool() const { return bool(type_); }
  Borrowed type() const { return type_; }
  Borrowed value() const { return value_; }

  // `TypeError: message`; "no error" when nothing was pending.
  std::string text() const {
    if (!type_) return "no error";
    std::string out = PyType_Check(type_.get()) ? ((PyTypeObject*)type_.get())->tp_name : "error";
    if (!value_) return out;
    Ref message = Ref::steal(host::call(host::program, PyObject_Str, value_.get()));
    const char* utf8 = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
    if (utf8 && *utf8) out.append(": ").append(utf8);
    PyErr_Clear();
    return out;
  }

 private:
  Ref type_, value_, traceback_;
};

// Restores at the end of the scope the exception that is pending now, whatever happens in between.
class KeepPyError {
 public:
  KeepPyError() : saved_(PyError::fetch()) {}
  ~KeepPyError() { std::move(saved_).restore(); }
  KeepPyError(const KeepPyError&) = delete;
  KeepPyError& operator=(const KeepPyError&) = delete;

 private:
  PyError saved_;
};

// Clears the pending exception and returns its text.
inline std::string take_error_text() { return PyError::fetch().text(); }

// msjit.InternalError, once the extension has made it.
inline PyObject* g_internal_error = nullptr;

inline PyObject* exception_type(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kType: return PyExc_TypeError;
    case ErrorKind::kValue: return PyExc_ValueError;
    case ErrorKind::kIndex: return PyExc_IndexError;
    case ErrorKind::kMemory: return PyExc_MemoryError;
    case ErrorKind::kOverflow: return PyExc_OverflowError;
    case ErrorKind::kZeroDivision: return PyExc_ZeroDivisionError;
    case ErrorKind::kNotImplemented: return PyExc_NotImplementedError;
    case ErrorKind::kRuntime: return PyExc_RuntimeError;
    case ErrorKind::kInternal: break;
  }
  return g_internal_error ? g_internal_error : PyExc_SystemError;
}

// Raises `error` in Python. Returns nullptr so that C API functions can `return raise(...)`.
inline PyObject* raise(const Error& error) {
  // A signal handler has raised an exception during a long loop: that one stays.
  if (error.message == "[while] interrupted" && PyErr_Occurred()) return nullptr;
  PyErr_SetString(exception_type(error.kind), error.message.c_str());
  return nullptr;
}
inline PyObject* raise(PyObject* type, std::string_view message) {
  Ref text = Ref::steal(PyUnicode_FromStringAndSize(message.data(), Py_ssize_t(message.size())));
  if (text) PyErr_SetObject(type, text.get());
  return nullptr;
}

}  // namespace msjit
