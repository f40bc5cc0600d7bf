// What level STRICT of PSJit asks of objects, beside what it asks of the source: which classes may
// have instances there, whose functions may be called, what may be stored. Each function is true
// where the level is another one or the code that runs is msjit's own; else it fails.
#pragma once

#include <string_view>

#include "bytecode/exec.h"

namespace msjit {

// Whether a file is of Python's library or of a package that is installed.
bool in_library(std::string_view file);

// An instance is used: read from, called, or an operand.
bool may_use(Executor& x, const SymRef& object);
bool may_read(Executor& x, const SymRef& object, const char* name);
bool may_store(Executor& x, const SymRef& object, PyObject* name);
bool may_make(Executor& x, PyTypeObject* cls);
bool may_call(Executor& x, PyObject* function, const std::vector<SymRef>& args);
// A class method, found on a class or through an instance.
bool may_bind_class(Executor& x, PyTypeObject* cls, const char* name);

// Whether a break speaks of the language: level STRICT refuses such a function, and leaves other
// steps that no graph has to the interpreter.
bool is_outside_language(BreakReason reason);

}  // namespace msjit
