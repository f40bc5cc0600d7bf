// What functions on texts depend on besides their arguments: codecs and error handlers that a
// program can register, the locale, and the limit on digits of ints.
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// The encodings and error handlers that CPython knows without asking its registries.
constexpr std::string_view kKnownWords[] = {
    "utf-8",   "utf8",    "UTF-8",      "ascii",  "us-ascii", "ASCII",   "latin1",
    "latin-1", "latin_1", "iso-8859-1", "strict", "ignore",   "replace", "surrogateescape"};

// The characters of a text; if it cannot be read, a text that ends in "n", which counts as
// depending on the locale.
std::string_view view_of(PyObject* text) {
  const char* bytes = utf8_text(text);
  if (!bytes) PyErr_Clear();
  return bytes ? bytes : "n";
}

// Whether one of the texts from argument `first` on names a codec or error handler that may be the
// program's.
bool names_codec(Py_ssize_t first, PyObject* args, PyObject* keywords) {
  const auto known = [](PyObject* word) {
    return !PyUnicode_Check(word) || std::find(std::begin(kKnownWords), std::end(kKnownWords),
                                               view_of(word)) != std::end(kKnownWords);
  };
  for (Py_ssize_t i = first; i < PyTuple_GET_SIZE(args); ++i)
    if (!known(PyTuple_GET_ITEM(args, i))) return true;
  PyObject* word = nullptr;
  for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, nullptr, &word);)
    if (!known(word)) return true;
  return false;
}

// Whether a format text has a field whose specification ends in "n" (the locale's format) or
// contains a field itself.
bool has_locale_field(std::string_view text) {
  bool field = false, specified = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (field && c == '{') return true;
    if (!field && (c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      ++i;  // a doubled brace is text
    } else if (c == '{') {
      field = true;
    } else if (c == ':') {
      specified |= field;
    } else if (c == '}') {
      if (specified && text[i - 1] == 'n') return true;
      field = specified = false;
    }
  }
  return false;
}

}  // namespace

bool shows_locale(PyObject* spec) { return view_of(spec).ends_with('n'); }

bool may_be_too_long(PyObject* value) {
  constexpr size_t kBits = 2100, kDigits = 640;  // the lowest limit that a program can set
  if (PyLong_CheckExact(value)) return _PyLong_NumBits(value) > kBits;
  return (PyUnicode_CheckExact(value) || PyBytes_CheckExact(value)) &&
         host::call(host::values, PyObject_Size, value) > static_cast<Py_ssize_t>(kDigits);
}

bool asks_outside(PyObject* function, std::string_view name, PyObject* args, PyObject* keywords) {
  if (name == "str" || name == "bytes") return names_codec(1, args, keywords);
  if (name == "str.encode" || name == "bytes.decode") return names_codec(0, args, keywords);
  if (name == "format")
    return PyTuple_GET_SIZE(args) == 2 && PyUnicode_Check(PyTuple_GET_ITEM(args, 1)) &&
           shows_locale(PyTuple_GET_ITEM(args, 1));
  if (name != "str.format" && name != "str.format_map") return false;
  return has_locale_field(view_of(PyCFunction_GET_SELF(function)));
}

}  // namespace msjit
