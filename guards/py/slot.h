// One place of a frame: a local variable, a cell, an item of the value stack. Up to 3.13 it is a
// pointer that owns its object. From 3.14 on two low bits of it are tags: one says that the place
// owns nothing, because the object lives for good or somebody below holds it. An array of plain
// pointers reads as slots, too.
#pragma once

#include "guards/py/compat.h"

namespace msjit {

class Slot {
 public:
  PyObject* get() const { return reinterpret_cast<PyObject*>(bits_ & ~compat::kSlotTags); }
  operator PyObject*() const { return get(); }
  // Leaves it empty, which an unbound variable is. What it held was taken before.
  void clear() { bits_ = compat::slot_bits(nullptr); }
  void put(Ref value) { bits_ = compat::slot_bits(value.release()); }
  Ref take() {
    Ref value = bits_ & compat::kSlotTags ? Ref::share(get()) : Ref::steal(get());
    clear();
    return value;
  }
  // What it held is let go when it holds the new value already: a finalizer may look at it.
  void replace(Ref value) {
    const Ref old = take();
    put(std::move(value));
  }
  void put_bits(uintptr_t bits) { bits_ = bits; }  // for what is no object

 private:
  uintptr_t bits_;
};
static_assert(sizeof(Slot) == sizeof(PyObject*));

inline const Slot* as_slots(PyObject* const* objects) {
  return reinterpret_cast<const Slot*>(objects);
}

}  // namespace msjit
