// Frames of CPython 3.13, met in a monitoring callback.
#define Py_BUILD_CORE
#include <Python.h>

#if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030E0000
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>

#include <algorithm>

#include "bytecode/frame_view.h"
#include "bytecode/versions/version.h"
#include "guards/py/compat_monitoring.h"
#include "interp_hook/frames/internals.h"

namespace msjit {
namespace {

using Frame = _PyInterpreterFrame;

Frame* as_frame(void* frame) { return static_cast<Frame*>(frame); }
PyCodeObject* code_object(Frame* frame) { return _PyFrame_GetCode(frame); }
#include "interp_hook/frames/from_313.inc"
#include "interp_hook/frames/until_313.inc"

}  // namespace

#include "interp_hook/frames/monitored_frame.inc"

frames::KeepPairs::KeepPairs(PyCodeObject* code) : code_(code) {}
frames::KeepPairs::~KeepPairs() {}

}  // namespace msjit
#endif
