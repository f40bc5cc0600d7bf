// What hook.cc and the stepper need to know about frames besides FrameView, implemented by the one
// frames/py3XX.cc that is compiled.
#pragma once

#include <Python.h>

namespace msjit::frames {

// True where an installed hook costs other calls nothing, so that it may stay.
extern const bool kHookIsFree;

PyCodeObject* code_of(void* frame);
// A tracer or profiler watches this thread.
bool is_traced(PyThreadState* thread);

}  // namespace msjit::frames
