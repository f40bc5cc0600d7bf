// What level STRICT of PSJit requires of objects, in addition to the source: which classes may have
// instances, whose functions may be called, what may be stored. Each function is true at other
// levels and for msjit's own code; else it fails the executor where the object is not allowed.
#pragma once

#include <string_view>

#include "bytecode/exec.h"

namespace msjit {

// Whether a function is msjit's own, by the module name in its globals.
bool is_own(PyObject* globals);
// Whether a file belongs to Python's library or to an installed package.
bool in_library(std::string_view file);

// An instance is used: read from, called, or an operand.
bool may_use(Executor& x, const SymRef& object);
bool may_read(Executor& x, const SymRef& object, const char* name);
bool may_store(Executor& x, const SymRef& object, PyObject* name);
bool may_make(Executor& x, PyTypeObject* cls);
bool may_call(Executor& x, PyObject* function, const std::vector<SymRef>& args);
// A class method, found on a class or through an instance.
bool may_bind_class(Executor& x, PyTypeObject* cls, const char* name);

// Whether a break reason is a violation of the language, so that level STRICT refuses the function.
// Other steps that cannot be in a graph are left to the interpreter.
bool is_outside_language(BreakReason reason);

}  // namespace msjit
