// Slot: one place of a frame, which is a local variable, a cell, or an item of the value stack. Up
// to 3.13 it is a pointer that owns its object. From 3.14 on its two low bits are tags. One tag
// says that the place owns no reference, because the object is immortal or a place below holds it.
// An array of plain pointers can be read as slots, too.
#pragma once

#include "guards/py/compat_layout.h"

namespace msjit {

class Slot {
 public:
  PyObject* get() const { return reinterpret_cast<PyObject*>(bits_ & ~compat::kSlotTags); }
  operator PyObject*() const { return get(); }
  // Makes it empty, as for an unbound variable. The caller has taken the old object before.
  void clear() { bits_ = compat::slot_bits(nullptr); }
  void put(Ref value) { bits_ = compat::slot_bits(value.release()); }
  Ref take() {
    Ref value = bits_ & compat::kSlotTags ? Ref::share(get()) : Ref::steal(get());
    clear();
    return value;
  }
  // Drops the old object after the new one is in place, because a finalizer may look at the slot.
  void replace(Ref value) {
    const Ref old = take();
    put(std::move(value));
  }
  void put_bits(uintptr_t bits) { bits_ = bits; }  // for values that are no objects

 private:
  uintptr_t bits_;
};
static_assert(sizeof(Slot) == sizeof(PyObject*));

inline const Slot* as_slots(PyObject* const* objects) {
  return reinterpret_cast<const Slot*>(objects);
}

}  // namespace msjit
