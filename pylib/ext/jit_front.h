// What PSJit adds to a JitFunction: its source is checked before the first capture, and a break may
// be an error. The rules and the messages are Python (pylib/msjit/psjit).
#pragma once

#include <Python.h>

#include <cstdint>

#include "bytecode/capture.h"

namespace msjit {

enum class JitMode : uint8_t { kPIJit, kPSJit };
// STRICT: the whole function in PSJit's language and one graph. LAX: the rest is the interpreter's.
enum class SyntaxLevel : uint8_t { kNone, kLax, kStrict };

// False with msjit.CompileError set: the source of a function (or of the code object of an inlined
// one, and where it was called) is missing, is not what runs, or, under kStrict, is outside the
// language.
bool check_source(PyObject* function, SyntaxLevel level, const UserPlace* call = nullptr);

// While one lives, this thread runs a call of a PSJit function: Cells called in it are part of it.
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
