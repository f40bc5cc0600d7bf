// Whether tools of sys.monitoring listen to one code object alone (from 3.12 on). Tools that listen
// to everything are found without looking at a code object.
#pragma once

#include "guards/py/ref.h"

namespace msjit::compat {

inline int own_monitoring_tool = -1;  // while we have none

#if PY_VERSION_HEX >= 0x030C0000
inline constexpr bool kHasListeners = true;
// Size of the part of `_co_monitoring` that says who listens.
#if PY_VERSION_HEX >= 0x030E0000
// The head of `_PyCoMonitoringData`, which the public headers do not show any more.
using LocalMonitors = struct { uint8_t tools[11]; };
inline const LocalMonitors& local_monitors(PyCodeObject* code) {
  return *reinterpret_cast<const LocalMonitors*>(code->_co_monitoring);
}
#else
using LocalMonitors = _Py_LocalMonitors;
inline const LocalMonitors& local_monitors(PyCodeObject* code) {
  return code->_co_monitoring->local_monitors;
}
#endif
inline constexpr size_t kListenerBytes = sizeof(LocalMonitors);
inline const void* const* monitoring_of(PyCodeObject* code) {
  return reinterpret_cast<const void* const*>(&code->_co_monitoring);
}
inline bool has_listeners(PyCodeObject* code) {
  if (!code->_co_monitoring) return false;
  unsigned tools = 0;
  for (uint8_t bits : local_monitors(code).tools) tools |= bits;
  return own_monitoring_tool < 0 ? tools != 0 : (tools & ~(1u << own_monitoring_tool)) != 0;
}
#else
inline constexpr bool kHasListeners = false;
inline constexpr size_t kListenerBytes = 0;
inline const void* const* monitoring_of(PyCodeObject*) { return nullptr; }
inline bool has_listeners(PyCodeObject*) { return false; }
#endif

}  // namespace msjit::compat
