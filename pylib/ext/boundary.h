// The boundary between CPython and C++: every function that CPython calls goes through `entry`,
// which is noexcept and turns a C++ exception into a Python one. Also a small argument parser for
// functions that are rarely called.
#pragma once

#include <type_traits>

#include "guards/py/compat.h"
#include "guards/py/convert.h"

namespace msjit {

template <class T>
struct BoundaryType {
  using type = T;
  static T failed() { return static_cast<T>(-1); }
  static T pass(T value) { return value; }
};
template <>
struct BoundaryType<Ref> {
  using type = PyObject*;
  static PyObject* failed() { return nullptr; }
  static PyObject* pass(Ref value) { return value.release(); }
};
template <>
struct BoundaryType<PyObject*> {
  using type = PyObject*;
  static PyObject* failed() { return nullptr; }
  static PyObject* pass(PyObject* value) { return value; }
};
template <>
struct BoundaryType<void> {
  using type = void;
};

void translate_exception() noexcept;  // inside a catch block

template <auto F>
struct Boundary;
template <class R, class... A, R (*F)(A...)>
struct Boundary<F> {
  using B = BoundaryType<R>;
  static typename B::type call(A... args) noexcept {
    try {
      if constexpr (std::is_void_v<R>)
        F(args...);
      else
        return B::pass(F(args...));
    } catch (...) {
      translate_exception();
      if constexpr (!std::is_void_v<R>) return B::failed();
    }
  }
};
// F as a C function: Ref becomes PyObject*.
template <auto F>
inline constexpr auto entry = &Boundary<F>::call;

// Arguments of a METH_FASTCALL | METH_KEYWORDS function.
struct Args {
  PyObject* const* values;
  Py_ssize_t count;  // positional
  PyObject* names;   // tuple of keyword names, or null
};

template <auto F>
PyObject* no_args(PyObject* self, PyObject*) {
  return Boundary<F>::call(self);
}
template <auto F>
PyObject* one_arg(PyObject* self, PyObject* arg) {
  return Boundary<F>::call(self, arg);
}
template <Ref (*F)(PyObject*, const Args&)>
PyObject* any_args(PyObject* self, PyObject* const* values, Py_ssize_t count,
                   PyObject* names) noexcept {
  try {
    return F(self, Args{values, count, names}).release();
  } catch (...) {
    translate_exception();
    return nullptr;
  }
}
template <auto F>
constexpr PyMethodDef method0(const char* name, const char* doc) {
  return {name, no_args<F>, METH_NOARGS, doc};
}
template <auto F>
constexpr PyMethodDef method1(const char* name, const char* doc) {
  return {name, one_arg<F>, METH_O, doc};
}
template <auto F>
PyMethodDef method(const char* name, const char* doc, int flags = 0) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(any_args<F>)),
          METH_FASTCALL | METH_KEYWORDS | flags, doc};
}
template <auto Get>
PyObject* get_attribute(PyObject* self, void*) {
  return Boundary<Get>::call(self);
}
template <auto Set>
int set_attribute(PyObject* self, PyObject* value, void*) {
  return Boundary<Set>::call(self, value);
}

// Sorts arguments into `out` by the parameter `names` (null-terminated); absent ones stay null. The
// first `required` must be there. False with TypeError set.
bool parse_args(const Args& args, const char* where, const char* const* names, int required,
                PyObject** out);

// A Result<Tensor> as a Python object, or its error raised.
inline Ref wrap_result(Result<Tensor> result) {
  if (!result.ok()) return Ref::steal(raise(result.error()));
  return wrap_tensor(result.take());
}
inline bool succeeded(Status status) { return status.ok() || fail(status.take_error()); }
inline Ref text_object(std::string_view text) {
  return Ref::steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

}  // namespace msjit
