#include "guards/py/set_table.h"

#include <cstring>
#include <utility>

#include "guards/pin.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

PySetObject* table_of(PyObject* set) { return reinterpret_cast<PySetObject*>(set); }

// A place whose item was taken out. Its key is a marker without a counted reference.
bool is_dummy(const setentry& entry) { return entry.key && entry.hash == -1; }

bool same_item(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return loosely_held(b) == a;
  if (!PyUnicode_CheckExact(a) && !PyLong_CheckExact(a) && !PyBytes_CheckExact(a)) return false;
  return host::equal_values(a, b);
}

}  // namespace

Ref clone_set(PyObject* set) {
  const PySetObject* from = table_of(set);
  Ref made = Ref::steal(Py_TYPE(set)->tp_alloc(Py_TYPE(set), 0));
  if (!made) return {};
  PySetObject* to = table_of(made.get());
  to->mask = PySet_MINSIZE - 1;
  to->table = to->smalltable;
  to->hash = -1;
  const size_t places = static_cast<size_t>(from->mask) + 1;
  if (from->table != from->smalltable) {
    auto* table = static_cast<setentry*>(PyMem_Malloc(places * sizeof(setentry)));
    if (!table) return PyErr_NoMemory(), Ref();
    to->table = table;
    to->mask = from->mask;
  }
  std::memcpy(to->table, from->table, places * sizeof(setentry));
  for (size_t i = 0; i < places; ++i)
    if (to->table[i].key && !is_dummy(to->table[i])) (void)new_reference(to->table[i].key);
  to->fill = from->fill;
  to->used = from->used;
  to->finger = from->finger;
  return made;
}

// A clone in which each item is replaced by `other(item)`, in its place.
template <class F>
Ref clone_with(PyObject* set, const F& other) {
  Ref made = clone_set(set);
  PySetObject* table = made ? table_of(made.get()) : nullptr;
  for (Py_ssize_t i = 0; table && i <= table->mask; ++i) {
    setentry& entry = table->table[i];
    if (!entry.key || is_dummy(entry)) continue;
    Ref item = other(entry.key);
    if (!item) return {};
    drop_reference(std::exchange(entry.key, item.release()));
  }
  return made;
}

Ref loose_set(PyObject* set) { return clone_with(set, hold_loosely); }

Ref tight_set(PyObject* loose) {
  return clone_with(loose, [](PyObject* held) {
    PyObject* const object = loosely_held(held);
    if (!object) PyErr_SetString(PyExc_SystemError, "an item of a set has died");
    return Ref::share(object);
  });
}

bool same_set(PyObject* set, PyObject* loose) {
  const PySetObject *x = table_of(set), *y = table_of(loose);
  if (Py_TYPE(set) != Py_TYPE(loose) || x->fill != y->fill || x->used != y->used ||
      x->mask != y->mask || x->finger != y->finger)
    return false;
  for (Py_ssize_t i = 0; i <= x->mask; ++i) {
    const setentry &p = x->table[i], &q = y->table[i];
    if (!p.key || !q.key) {
      if (p.key != q.key) return false;
    } else if (p.hash != q.hash || (!is_dummy(p) && !same_item(p.key, q.key))) {
      return false;
    }
  }
  return true;
}

bool assign_set(PyObject* into, PyObject* loose) {
  Ref copy = tight_set(loose);
  if (!copy) return false;
  PySetObject *a = table_of(into), *b = table_of(copy.get());
  const bool small_a = a->table == a->smalltable, small_b = b->table == b->smalltable;
  std::swap(a->fill, b->fill);
  std::swap(a->used, b->used);
  std::swap(a->mask, b->mask);
  std::swap(a->finger, b->finger);
  std::swap(a->table, b->table);
  std::swap(a->smalltable, b->smalltable);
  if (small_b) a->table = a->smalltable;
  if (small_a) b->table = b->smalltable;
  return true;
}

}  // namespace msjit
