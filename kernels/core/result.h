// Errors in the Python-free core are values: Result<T> and Status hold either a value or an Error.
// No exception crosses a function of this project, except bad_alloc. The message is what the user
// reads: `[op] what, got X, expected Y`. The kind says which Python exception the bindings raise.
#pragma once

#include <fmt/core.h>

#include <cassert>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace msjit {

enum class ErrorKind : uint8_t {
  kType,
  kValue,
  kIndex,
  kMemory,
  kOverflow,
  kZeroDivision,
  kNotImplemented,
  kRuntime,
  kInternal,  // our fault, never the user's
};

struct Error {
  ErrorKind kind;
  std::string message;
};

using ErrorPtr = std::unique_ptr<Error>;

// Success, or an Error. Converts from ErrorPtr, so `return type_error("...")` works in both
// classes.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorPtr error) : error_(std::move(error)) { assert(error_); }
  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }
  ErrorPtr take_error() { return std::move(error_); }

 private:
  ErrorPtr error_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : has_value_(true) { new (&storage_) T(std::move(value)); }
  Result(ErrorPtr error) : error_(std::move(error)), has_value_(false) { assert(error_); }
  Result(Result&& other) noexcept : error_(std::move(other.error_)), has_value_(other.has_value_) {
    if (has_value_) new (&storage_) T(std::move(other.value()));
  }
  Result& operator=(Result&& other) noexcept {
    if (this != &other) {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (has_value_) value().~T();
  }
  bool ok() const { return has_value_; }
  T& value() { return *std::launder(reinterpret_cast<T*>(&storage_)); }
  const T& value() const { return *std::launder(reinterpret_cast<const T*>(&storage_)); }
  T take() { return std::move(value()); }
  const Error& error() const { return *error_; }
  ErrorPtr take_error() { return std::move(error_); }

 private:
  alignas(T) unsigned char storage_[sizeof(T)];
  ErrorPtr error_;
  bool has_value_;
};

template <class... Args>
ErrorPtr make_error(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return std::make_unique<Error>(Error{kind, fmt::format(format, std::forward<Args>(args)...)});
}

#define MSJIT_DEFINE_ERROR(name, kind)                                              \
  template <class... Args>                                                          \
  [[gnu::cold]] ErrorPtr name(fmt::format_string<Args...> format, Args&&... args) { \
    return make_error(ErrorKind::kind, format, std::forward<Args>(args)...);        \
  }
MSJIT_DEFINE_ERROR(type_error, kType)
MSJIT_DEFINE_ERROR(value_error, kValue)
MSJIT_DEFINE_ERROR(index_error, kIndex)
MSJIT_DEFINE_ERROR(memory_error, kMemory)
MSJIT_DEFINE_ERROR(overflow_error, kOverflow)
MSJIT_DEFINE_ERROR(zero_division_error, kZeroDivision)
MSJIT_DEFINE_ERROR(not_implemented_error, kNotImplemented)
MSJIT_DEFINE_ERROR(runtime_error, kRuntime)
MSJIT_DEFINE_ERROR(internal_error, kInternal)
#undef MSJIT_DEFINE_ERROR

#define MSJIT_CONCAT_(a, b) a##b
#define MSJIT_CONCAT(a, b) MSJIT_CONCAT_(a, b)

// MSJIT_TRY(auto x, f()): x = the value of f(), or returns its error. MSJIT_OK(f()) does this for a
// Status.
#define MSJIT_TRY_(tmp, decl, expr)       \
  auto tmp = (expr);                      \
  if (!tmp.ok()) return tmp.take_error(); \
  decl = tmp.take()
#define MSJIT_TRY(decl, expr) MSJIT_TRY_(MSJIT_CONCAT(msjit_try_, __COUNTER__), decl, expr)
#define MSJIT_OK(expr)                                                                    \
  do {                                                                                    \
    if (auto msjit_status = (expr); !msjit_status.ok()) return msjit_status.take_error(); \
  } while (0)

}  // namespace msjit
