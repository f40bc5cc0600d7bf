// The text of a str as a C string, never null, and distinct for distinct strings, even with lone
// surrogates or NULs. "?" for any other object. It lives at least as long as the str.
#pragma once

#include <new>
#include <string>

#include "guards/py/ref.h"

namespace msjit {

const char* utf8_text(PyObject* object);
// The interned str for a text of utf8_text(); never empty, throws bad_alloc.
Ref interned_text(const std::string& text);
// The same for fixed names such as those of special methods. They are kept for good, so a later
// lookup allocates nothing that a program could count.
PyObject* special_name(const std::string& name);
// Passes on an object that CPython has made of plain values. That fails only for lack of memory:
// throws bad_alloc.
inline Ref allocated(Ref object) {
  if (!object) throw std::bad_alloc();
  return object;
}

}  // namespace msjit
