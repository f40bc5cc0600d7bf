// Pin: an object of the program as a capture remembers it. While capturing, a Pin keeps the object
// alive. A published entry (one in the graph pool, cache.h) holds it by a weak reference wherever
// the object allows that. When the object dies, every entry that names it is evicted before the
// address can be used again. So a compared address never belongs to another, later object, and no
// entry keeps alive what the program could free.
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

  // Replaces the reference by a weak one; from now on `entry` is evicted when the object dies.
  // Objects without weak references (numbers, strings, builtin classes) stay held.
  void weaken(EntryBase& entry);
  // The address of the word that equals address() as long as the object lives; null when the object
  // is held.
  PyObject* const* life() const;

 private:
  PyObject* object_ = nullptr;
  Ref keeper_;  // the object, or a weak reference to it
  bool weak_ = false;
};

// What an entry stores for an object inside one of its constants, such as a tuple of keys: a weak
// reference where the object can have one, so that the program can free it, else the object itself.
// Empty with an error set: no memory.
Ref hold_loosely(PyObject* object);
// The object that hold_loosely() gave this for, borrowed; null when it has died.
PyObject* loosely_held(PyObject* held);

// Removes an entry that is about to be destroyed from the lists of the objects it watched.
void unwatch(EntryBase& entry);
// How many objects are watched, for tests.
int watched_count();

}  // namespace msjit
