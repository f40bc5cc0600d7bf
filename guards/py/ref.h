// Owning and borrowed references to Python objects; the only place with raw reference counting.
// A Ref enters through `steal` (takes over a new reference) or `share` (adds one); an empty Ref is
// a NULL slot. Both hold the GIL contract of the C API: create, copy and destroy them with the GIL
// held.
#pragma once

#include <Python.h>

#include <utility>

namespace msjit {

// A pointer somebody else keeps alive. Never store one beyond the owner's life.
class Borrowed {
 public:
  constexpr Borrowed() = default;
  constexpr Borrowed(std::nullptr_t) {}
  constexpr explicit Borrowed(PyObject* object) : object_(object) {}
  constexpr PyObject* get() const { return object_; }
  constexpr explicit operator bool() const { return object_ != nullptr; }
  friend constexpr bool operator==(Borrowed a, Borrowed b) { return a.object_ == b.object_; }

 private:
  PyObject* object_ = nullptr;
};

class [[nodiscard]] Ref {
 public:
  constexpr Ref() = default;
  constexpr Ref(std::nullptr_t) {}
  Ref(const Ref& other) noexcept : object_(other.object_) { Py_XINCREF(object_); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  // The old value dies last: its destructor may run Python code that looks at this Ref.
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  static Ref steal(PyObject* new_reference) { return Ref(new_reference); }
  static Ref share(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  static Ref share(Borrowed borrowed) { return share(borrowed.get()); }
  static Ref none() { return share(Py_None); }

  PyObject* get() const { return object_; }
  // Hands the reference to the caller (C API results, stealing functions, frame slots).
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  void reset() { Ref().swap(*this); }
  void swap(Ref& other) noexcept { std::swap(object_, other.object_); }

  explicit operator bool() const { return object_ != nullptr; }
  operator Borrowed() const { return Borrowed(object_); }
  bool is(PyObject* other) const { return object_ == other; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  constexpr explicit Ref(PyObject* object) : object_(object) {}
  PyObject* object_ = nullptr;
};

// A new reference to return from a C API function.
inline PyObject* new_reference(PyObject* object) { return Ref::share(object).release(); }
// Drops a reference that a C structure (a frame slot) owned.
inline void drop_reference(PyObject* object) { Ref::steal(object).reset(); }

}  // namespace msjit
