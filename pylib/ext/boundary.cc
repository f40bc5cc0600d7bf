#include "pylib/ext/boundary.h"

#include <exception>

namespace msjit {
namespace {

int find_name(const char* const* names, PyObject* name) {
  for (int i = 0; names[i]; ++i)
    if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0) return i;
  return -1;
}

}  // namespace

void translate_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    raise(Error{ErrorKind::kInternal,
                std::string("[msjit] unexpected C++ exception: ") + error.what()});
  } catch (...) {
    raise(Error{ErrorKind::kInternal, "[msjit] unexpected C++ exception"});
  }
}

bool parse_args(const Args& args, const char* where, const char* const* names, int required,
                PyObject** out) {
  int total = 0;
  while (names[total]) out[total++] = nullptr;
  if (args.count > total)
    return fail(type_error("[{}] positional arguments, got {}, expected at most {}", where,
                           args.count, total));
  for (Py_ssize_t i = 0; i < args.count; ++i) out[i] = args.values[i];
  const Py_ssize_t keywords = args.names ? PyTuple_GET_SIZE(args.names) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject* name = PyTuple_GET_ITEM(args.names, i);
    const int at = find_name(names, name);
    if (at < 0) {
      const char* text = PyUnicode_AsUTF8(name);
      PyErr_Clear();
      return fail(type_error("[{}] keyword argument, got '{}', expected a known one", where,
                             text ? text : "?"));
    }
    if (out[at])
      return fail(type_error("[{}] argument '{}', got two values, expected one", where, names[at]));
    out[at] = args.values[args.count + i];
  }
  for (int i = 0; i < required; ++i)
    if (!out[i])
      return fail(type_error("[{}] missing argument '{}', got {} arguments, expected at least {}",
                             where, names[i], args.count + keywords, required));
  return true;
}

}  // namespace msjit
