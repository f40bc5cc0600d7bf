// JitFunction: the object that jit(f) returns. jit.cc is its type, jit_call.cc its calls.
#pragma once

#include <Python.h>

#include "guards/py/compat.h"
#include "interp_hook/config.h"
#include "interp_hook/entry.h"
#include "pylib/ext/jit_front.h"

namespace msjit {

struct JitFunction {
  PyObject_HEAD VectorcallFn vectorcall;
  PyObject* function;  // the wrapped Python function
  PyObject* dict;
  PyObject* weak;
  CodeState* state;    // of `code`
  PyCodeObject* code;  // owned: the function's code when refresh() ran; f.__code__ may be replaced
  int arguments;       // number of parameters; -1: calls must not go without a frame (for now)
  int frameless;       // what `arguments` becomes once the source is checked
  int positional;      // a call with so many positional arguments needs no binding; -1: none does
  int slots;
  int entry;  // canonical index of the first instruction
  JitMode mode;
  bool whole;           // the function is one graph, or the call raises CompileError
  SyntaxLevel level;    // of PSJit
  SyntaxLevel checked;  // the level whose source check the code has passed; kNone at first
};

inline JitFunction* as_jit(PyObject* object) { return reinterpret_cast<JitFunction*>(object); }

// Sets the fields that depend on the function's code object. False: this code never runs natively.
bool refresh(JitFunction* self);
PyObject* jit_vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                         PyObject* names) noexcept;

}  // namespace msjit
