#include "guards/pin.h"

#include <algorithm>
#include <unordered_map>

#include "guards/cache.h"
#include "guards/last_reference.h"
#include "guards/py/compat.h"

namespace msjit {
namespace {

using Table = std::unordered_map<PyObject*, std::shared_ptr<Watched>>;

Table& by_object() {
  static auto* const table = new Table;
  return *table;
}
Table& by_reference() {
  static auto* const table = new Table;
  return *table;
}

void drop(const std::shared_ptr<Watched>& watched) {
  // A new object may be at the address already.
  auto it = by_object().find(watched->object);
  if (it != by_object().end() && it->second == watched) by_object().erase(it);
  by_reference().erase(watched->weak.get());
}

// CPython calls this while the object dies, with the weak reference.
PyObject* on_death(PyObject*, PyObject* reference) noexcept {
  auto it = by_reference().find(reference);
  if (it != by_reference().end()) {
    const std::shared_ptr<Watched> watched = it->second;
    drop(watched);
    for (EntryBase* entry : std::exchange(watched->entries, {})) bury(*entry);
    sweep_graveyard();
  }
  return Ref::none().release();
}

PyObject* death_callback() {
  static PyMethodDef method = {"evict", on_death, METH_O, nullptr};
  // Without the guard of a static initialiser: a collection may let other threads run.
  static PyObject* callback = nullptr;
  if (!callback) callback = PyCFunction_New(&method, nullptr);
  return callback;
}

bool can_weaken(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (!PyType_SUPPORTS_WEAKREFS(type)) return false;
  if (PyType_Check(object))
    return reinterpret_cast<PyTypeObject*>(object)->tp_flags & Py_TPFLAGS_HEAPTYPE;
  return true;
}

std::shared_ptr<Watched> watch(PyObject* object) {
  if (auto it = by_object().find(object); it != by_object().end()) return it->second;
  Ref weak = Ref::steal(PyWeakref_NewRef(object, death_callback()));
  if (!weak) {
    PyErr_Clear();
    return nullptr;
  }
  auto watched = std::make_shared<Watched>(Watched{object, weak, {}});
  by_object()[object] = watched;
  by_reference()[weak.get()] = watched;
  return watched;
}

}  // namespace

bool is_death_callback(PyObject* callback) { return callback == death_callback(); }

PyObject* const* Pin::life() const {
  return weak_ ? &reinterpret_cast<PyWeakReference*>(keeper_.get())->wr_object : nullptr;
}

PyObject* Pin::get() const {
  if (!weak_) return object_;
  return *life() == object_ && Py_REFCNT(object_) > 0 ? object_ : nullptr;
}

void Pin::weaken(EntryBase& entry) {
  if (!object_ || weak_ || !can_weaken(object_)) return;
  if (Py_REFCNT(object_) == 1) return;  // the capture made it, such as an array constant
  const std::shared_ptr<Watched> watched = watch(object_);
  if (!watched) return;
  if (std::find(entry.watched.begin(), entry.watched.end(), watched) == entry.watched.end()) {
    entry.watched.push_back(watched);
    watched->entries.push_back(&entry);
  }
  weak_ = true;
  keeper_ =
      watched->weak;  // may let the last reference go: the object dies here, and the entry too
}

Ref hold_loosely(PyObject* object) {
  return can_weaken(object) ? Ref::steal(PyWeakref_NewRef(object, nullptr)) : Ref::share(object);
}

PyObject* loosely_held(PyObject* held) {
  if (!PyWeakref_CheckRefExact(held)) return held;
  PyObject* const object = reinterpret_cast<PyWeakReference*>(held)->wr_object;
  return object != Py_None && Py_REFCNT(object) > 0 ? object : nullptr;
}

void unwatch(EntryBase& entry) {
  for (const std::shared_ptr<Watched>& watched : std::exchange(entry.watched, {})) {
    auto& entries = watched->entries;
    entries.erase(std::remove(entries.begin(), entries.end(), &entry), entries.end());
    if (entries.empty()) drop(watched);
  }
}

int watched_count() { return static_cast<int>(by_object().size()); }

}  // namespace msjit
