#include "guards/last_reference.h"

#include "guards/py/objects.h"

namespace msjit {
namespace {

constexpr int kMaxVisits = 1024;  // what holds more is taken for something that runs code

bool has_callback(PyObject* object) {
  const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
  if (offset == 0 || PyType_Check(object)) return false;
  const auto* weak = *reinterpret_cast<PyWeakReference**>(reinterpret_cast<char*>(object) + offset);
  for (; weak; weak = weak->wr_next)
    if (weak->wr_callback && !is_death_callback(weak->wr_callback)) return true;
  return false;
}

int visit(PyObject* object, void* visits) noexcept {
  if (++*static_cast<int*>(visits) > kMaxVisits) return 1;
  if (Py_REFCNT(object) != 1 || is_exact_tensor(object)) return 0;
  PyTypeObject* const type = Py_TYPE(object);
  if (type->tp_finalize || type->tp_del || has_callback(object)) return 1;
  if (!PyType_IS_GC(type) || PyType_Check(object)) return 0;
  return type->tp_traverse(object, visit, visits);
}

}  // namespace

bool dies_with_code(PyObject* object) {
  int visits = 0;
  return object && visit(object, &visits) != 0;
}

}  // namespace msjit
