// Pin: an object of the program as a capture remembers it. While capturing it keeps the object
// alive; a published entry holds it weakly wherever the object allows that, and its death evicts
// every entry that names it before the address can be used again. So an address that is compared
// is never a stale one, and no entry keeps alive what the program could free.
#pragma once

#include <memory>
#include <vector>

#include "guards/py/ref.h"

namespace msjit {

struct EntryBase;

// One weak reference for each object that published entries name.
struct Watched {
  PyObject* object;  // address only
  Ref weak;
  std::vector<EntryBase*> entries;
};

class Pin {
 public:
  Pin() = default;
  Pin(Ref object) : object_(object.get()), keeper_(std::move(object)) {}

  // For comparisons with live objects.
  PyObject* address() const { return object_; }
  // The object itself, borrowed; null when it has died.
  PyObject* get() const;
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Pin& a, const Pin& b) { return a.object_ == b.object_; }

  // Lets go of the object; from now on `entry` is evicted when it dies. Objects that cannot be
  // referenced weakly (numbers, strings, what is built in) stay held.
  void weaken(EntryBase& entry);
  // The word that equals address() as long as the object lives; null when it is held.
  PyObject* const* life() const;

 private:
  PyObject* object_ = nullptr;
  Ref keeper_;  // the object, or a weak reference to it
  bool weak_ = false;
};

// An object as a constant of an entry holds it, a tuple of keys say: itself, or a weak reference
// where it can have one, so that the program can free it. Empty with an error set: no memory.
Ref hold_loosely(PyObject* object);
// What that stands for, borrowed; null when it has died.
PyObject* loosely_held(PyObject* held);

// Takes an entry that goes away off the objects it watched.
void unwatch(EntryBase& entry);
// How many objects are watched, for tests.
int watched_count();

}  // namespace msjit
