// Source: where an object that a capture read can be found again, as a step from a frame slot or
// from another source. Sources are hash-consed in a GuardBuilder and numbered; the number is the
// register that holds the object while a guard program runs. Loading runs no Python code and takes
// no references.
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
  // Whether each call brings an object of its own here: a frame slot.
  bool handed_in() const;
};

// What a memo may assume of a loaded object without loading it again (memo.h).
enum class Trust : uint8_t {
  kNone,     // nothing: load and check every time
  kPointer,  // the pointer is compared, facts about the object are words of their own
  kExact,    // the very same object as when the memo was made
};

// One kind of load, all of which stands in guards/loads.
struct LoadKind {
  const char* name;
  // The object that the source stands for now, or null when it is not there. `base` is what its
  // base has loaded, null for the kinds that have none. Runs no Python code, and makes nothing but,
  // for `instance_dict`, the dictionary.
  PyObject* (*find)(const Source& source, PyObject* base, const Slots& slots);
  // Adds to a memo the words of memory that imply that the load finds `object` again, and says what
  // they prove. Without a function the load runs every time. `base` is trusted itself.
  Trust (*trust)(const Source& source, PyObject* base, Trust base_trust, PyObject* object,
                 MemoBuilder& memo) = nullptr;
  // Whether it can fail though the guards before it hold, which makes it a check of its own.
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

// The instance dictionary of an object, or null. An object that has none yet gets one; no
// collection starts meanwhile.
PyObject* instance_dict(PyObject* object);
// The same, but null for an object that has none yet.
PyObject* existing_dict(PyObject* object);
// Whether an object may have attributes of its own.
bool has_attributes(PyObject* object);
// What the object has for a name, apart from its class; null when that is nothing.
PyObject* instance_item(PyObject* object, PyObject* name, Py_hash_t hash);
// The object pointer `offset` bytes into an object, as member descriptors read it.
inline PyObject* object_at(PyObject* object, int offset) {
  return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}
// Where an object keeps the pointer to its dictionary; null when it has none, or none yet.
PyObject** instance_dict_slot(PyObject* object);

}  // namespace msjit
