#include "guards/last_reference.h"

#include <unordered_map>
#include <vector>

#include "guards/py/objects.h"

namespace msjit {
namespace {

constexpr size_t kMaxVisits = 1024;  // an object that holds more is assumed to run code

bool has_callback(PyObject* object) {
  const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
  if (offset == 0 || PyType_Check(object)) return false;
  const auto* weak = *reinterpret_cast<PyWeakReference**>(reinterpret_cast<char*>(object) + offset);
  for (; weak; weak = weak->wr_next)
    if (weak->wr_callback && !is_death_callback(weak->wr_callback)) return true;
  return false;
}

bool ends_in_code(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  return type->tp_finalize || type->tp_del || has_callback(object);
}

// Drops references in thought, one by one. An object without any left dies; then each object that
// it holds loses a reference.
class Fall {
 public:
  void gains(PyObject* object) { --lost_[object]; }
  // Whether dropping a reference to this object runs code.
  bool meets_code(PyObject* object) {
    due_.push_back(object);
    for (size_t next = due_.size() - 1; next < due_.size(); ++next) {
      PyObject* const one = due_[next];
      if (due_.size() > kMaxVisits) return true;
      if (!loses_last(one)) continue;
      if (ends_in_code(one)) return true;
      PyTypeObject* const type = Py_TYPE(one);
      if (PyType_IS_GC(type) && type->tp_traverse(one, visit, this)) return true;
    }
    return false;
  }

 private:
  bool loses_last(PyObject* object) {
    if (Py_REFCNT(object) == 1 && lost_.empty()) return true;
    return ++lost_[object] == Py_REFCNT(object);
  }
  static int visit(PyObject* object, void* self) noexcept {
    std::vector<PyObject*>& due = static_cast<Fall*>(self)->due_;
    if (Departure::may_end_in_code(object)) due.push_back(object);
    return due.size() > kMaxVisits;
  }
  std::vector<PyObject*> due_;
  std::unordered_map<PyObject*, Py_ssize_t> lost_;  // minus what they gain
};

}  // namespace

bool Departure::may_end_in_code(PyObject* object) {
  if (is_exact_tensor(object)) {
    const auto* tensor = reinterpret_cast<TensorObject*>(object);
    return tensor->weakrefs || tensor->dict;
  }
  PyTypeObject* const type = Py_TYPE(object);
  return (PyType_IS_GC(type) || type->tp_finalize || type->tp_del || type->tp_weaklistoffset) &&
         !PyType_Check(object);
}

bool Departure::runs_code() const {
  Fall fall;
  for (PyObject* object : kept_) fall.gains(object);
  for (PyObject* object : dropped_)
    if (fall.meets_code(object)) return true;
  return false;
}

}  // namespace msjit
