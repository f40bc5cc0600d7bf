// Whether tools of sys.monitoring listen to one code object alone (from 3.12 on). Those that listen
// to everything are seen without looking at any code.
#pragma once

#include <Python.h>

namespace msjit {

// Our own tool id, -1 as long as there is none.
inline int own_monitoring_tool = -1;

// How many bytes at the start of `_co_monitoring` tell who listens.
#if PY_VERSION_HEX >= 0x030C0000
inline constexpr size_t kListenerBytes = sizeof(_Py_LocalMonitors);
inline const void* const* monitoring_of(PyCodeObject* code) {
  return reinterpret_cast<const void* const*>(&code->_co_monitoring);
}
inline bool has_listeners(PyCodeObject* code) {
  if (!code->_co_monitoring) return false;
  unsigned tools = 0;
  for (uint8_t bits : code->_co_monitoring->local_monitors.tools) tools |= bits;
  return own_monitoring_tool < 0 ? tools != 0 : (tools & ~(1u << own_monitoring_tool)) != 0;
}
inline constexpr bool kHasListeners = true;
#else
inline constexpr size_t kListenerBytes = 0;
inline const void* const* monitoring_of(PyCodeObject*) { return nullptr; }
inline bool has_listeners(PyCodeObject*) { return false; }
inline constexpr bool kHasListeners = false;
#endif

}  // namespace msjit
