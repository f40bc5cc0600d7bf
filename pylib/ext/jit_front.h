// What PSJit adds to a JitFunction: its source is checked before the first capture, and a graph
// break may be an error. The rules and the messages are written in Python (pylib/msjit/psjit).
#pragma once

#include <Python.h>

#include <cstdint>

#include "bytecode/capture.h"

namespace msjit {

enum class JitMode : uint8_t { kPIJit, kPSJit };
// STRICT: the whole function must be in PSJit's language and become one graph. LAX: the interpreter
// runs the parts that cannot be captured. kNone: the context decides.
enum class SyntaxLevel : uint8_t { kNone, kLax, kStrict };

// Checks the source of a function, or of the code object of an inlined one (`call`: where it is
// called). False with msjit.CompileError set: the source is missing, is not the source of the code
// that runs, or, under kStrict, is outside the language.
bool check_source(PyObject* function, SyntaxLevel level, const UserPlace* call = nullptr);

// While one lives, this thread runs a call of a PSJit function. Cells called in it belong to its
// graph and do not start one of their own.
class GraphCall {
 public:
  explicit GraphCall(bool counts) : counts_(counts) { depth += counts_; }
  ~GraphCall() { depth -= counts_; }
  GraphCall(const GraphCall&) = delete;
  GraphCall& operator=(const GraphCall&) = delete;
  static bool under_way() { return depth > 0; }

 private:
  const bool counts_;
  static thread_local int depth;
};

void add_front_end();                        // tells the driver
extern PyMethodDef g_front_end_functions[];  // jit_front.cc

}  // namespace msjit
