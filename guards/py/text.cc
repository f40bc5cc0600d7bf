#include "guards/py/text.h"

#include <cstring>
#include <new>
#include <unordered_map>
#include <unordered_set>

namespace msjit {
namespace {

// For texts that UTF-8 cannot encode as a C string: surrogates are encoded as they are, NUL as C0
// 80.
const char* odd_text(PyObject* string) {
  static auto& kept = *new std::unordered_set<std::string>;
  PyErr_Clear();
  const Ref bytes = Ref::steal(PyUnicode_AsEncodedString(string, "utf-8", "surrogatepass"));
  if (!bytes) {
    PyErr_Clear();
    return "?";
  }
  std::string text;
  for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(bytes.get()); ++i) {
    const char c = PyBytes_AS_STRING(bytes.get())[i];
    text += c ? std::string(1, c) : std::string("\xC0\x80");
  }
  return kept.insert(std::move(text)).first->c_str();
}

}  // namespace

const char* utf8_text(PyObject* object) {
  if (!object || !PyUnicode_Check(object)) return "?";
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  return text && std::strlen(text) == size_t(size) ? text : odd_text(object);
}

Ref interned_text(const std::string& text) {
  PyObject* made = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), nullptr);
  if (!made) {
    PyErr_Clear();
    std::string raw = text;
    for (size_t at; (at = raw.find("\xC0\x80")) != std::string::npos;)
      raw.replace(at, 2, std::string(1, '\0'));
    made = PyUnicode_DecodeUTF8(raw.data(), Py_ssize_t(raw.size()), "surrogatepass");
  }
  if (!made) throw std::bad_alloc();
  PyUnicode_InternInPlace(&made);
  return Ref::steal(made);
}

PyObject* special_name(const std::string& name) {
  static auto& kept = *new std::unordered_map<std::string, Ref>;
  Ref& text = kept[name];
  if (!text) text = interned_text(name);
  return text.get();
}

}  // namespace msjit
