// The text of a str as a C string, never null: distinct for distinct strings, lone surrogates and
// NULs included; "?" for any other object. It lives as long as the str, or for good.
#pragma once

#include <new>
#include <string>

#include "guards/py/ref.h"

namespace msjit {

const char* utf8_text(PyObject* object);
// The interned str of such a text; never empty, throws bad_alloc.
Ref text_object(const std::string& text);
// The same for the fixed names of special methods and the like, which are kept for good: looking
// for one then allocates nothing that a program could count.
PyObject* special_name(const std::string& name);
// What CPython makes of numbers and the like, which fails for want of memory alone: throws
// bad_alloc.
inline Ref allocated(Ref object) {
  if (!object) throw std::bad_alloc();
  return object;
}

}  // namespace msjit
