// Source: where an object that a capture read can be found again: a frame slot, or a step from
// another source (an attribute, an item). A GuardBuilder keeps each distinct source once and
// numbers them. The number is also the index of the register that holds the object while a guard
// program runs. Loading runs no Python code and takes no references.
#pragma once

#include <string>

#include "guards/pin.h"
#include "guards/py/ref.h"
#include "guards/py/slot.h"

namespace msjit {

class MemoBuilder;

// The Python-visible state a guard program starts from: a live frame, or the arguments of a call.
struct Slots {
  const Slot* locals;  // localsplus, as it stands after the frame's prologue
  const Slot* stack;   // value stack, bottom first
  PyObject* globals;
  PyObject* builtins;
};

using SourceId = int32_t;
inline constexpr SourceId kNoSource = -1;
struct LoadKind;

struct Source {
  const LoadKind* kind = nullptr;
  SourceId base = kNoSource;
  int32_t index = 0;
  Pin key;             // name, dict key or constant
  Py_hash_t hash = 0;  // of key, for the dict loads
  std::string text;    // as Python writes it: self.layers[0].w
  // Whether this is a frame slot: each call brings an object of its own there.
  bool handed_in() const;
};

// What a memo (memo.h) may assume of a loaded object without loading it again.
enum class Trust : uint8_t {
  kNone,     // nothing: load and check every time
  kPointer,  // the pointer is compared; what is known of the object is compared by further words
  kExact,    // the very same object as when the memo was made
};

// One kind of load. All that is specific to it stands in one file of guards/loads.
struct LoadKind {
  const char* name;
  // The object that the source stands for now, or null when it is not there. `base` is the object
  // that the base source has loaded, null for the kinds without one. It runs no Python code and
  // makes nothing, except that `instance_dict` may make the dictionary.
  PyObject* (*find)(const Source& source, PyObject* base, const Slots& slots);
  // Adds to a memo the words of memory that imply that the load finds `object` again, and says what
  // they prove. Asked only where `base` is trusted itself. Without a function the load runs every
  // time.
  Trust (*trust)(const Source& source, PyObject* base, Trust base_trust, PyObject* object,
                 MemoBuilder& memo) = nullptr;
  // Whether the load can fail although the guards before it hold. If so, the load is a check of its
  // own.
  bool can_fail = true;
  bool handed_in = false;  // see Source
};

// The kinds, as the files of guards/loads define them: load::dict_item.
namespace load {
#define MSJIT_LOAD_KIND(name) extern const LoadKind name;
#include "load_kinds.inc"
#undef MSJIT_LOAD_KIND
}  // namespace load

inline bool Source::handed_in() const { return kind->handed_in; }

// The instance dictionary of an object, or null. It is made where the object has none yet, with the
// collector kept from starting.
PyObject* instance_dict(PyObject* object);
// As instance_dict(), but never makes one: null for an object that has none yet.
PyObject* existing_dict(PyObject* object);
// Whether an object may have attributes of its own.
bool has_attributes(PyObject* object);
// The value in the object's own attributes (not its class) under a name; null when there is none.
PyObject* instance_item(PyObject* object, PyObject* name, Py_hash_t hash);
// The object pointer `offset` bytes into an object, as member descriptors read it.
inline PyObject* object_at(PyObject* object, int offset) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}
// Where an object keeps the pointer to its dictionary; null when it has none, or none yet.
PyObject** instance_dict_slot(PyObject* object);

}  // namespace msjit
