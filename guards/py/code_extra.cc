// Up to 3.8 one collector serves all interpreters of a process, but each interpreter has its own
// table of functions that free the data attached to code objects. So when code of ours dies while a
// sub-interpreter runs, its data would not be freed. On 3.7 that table starts uninitialised, and
// CPython would call whatever is there.
#include <array>

#include "guards/py/compat.h"

namespace msjit::compat {
namespace {

constexpr int kMaxUsers = 255;  // CPython's limit
std::array<freefunc, kMaxUsers> free_functions = {};
destructor dealloc_code = nullptr;

void dealloc_code_anywhere(PyObject* code) {
  auto* extras = static_cast<CodeExtras*>(reinterpret_cast<PyCodeObject*>(code)->co_extra);
  if (extras && PyThreadState_Get()->interp != PyInterpreterState_Main()) {
    for (Py_ssize_t i = 0; i < extras->size && i < kMaxUsers; ++i)
      if (extras->items[i] && free_functions[size_t(i)])
        free_functions[size_t(i)](extras->items[i]);
    extras->size = 0;
  }
  dealloc_code(code);
}

}  // namespace

void free_in_any_interpreter(Py_ssize_t index, freefunc free) {
  if (index < 0 || index >= kMaxUsers) return;
  free_functions[size_t(index)] = free;
  if (!dealloc_code) dealloc_code = std::exchange(PyCode_Type.tp_dealloc, dealloc_code_anywhere);
}

}  // namespace msjit::compat
