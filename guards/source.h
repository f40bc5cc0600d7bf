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

// The Python-visible state a guard program starts from: a live frame, or the arguments of a call.
struct Slots {
  const Slot* locals;  // localsplus, as it stands after the frame's prologue
  const Slot* stack;   // value stack, bottom first
  PyObject* globals;
  PyObject* builtins;
};

enum class LoadKind : uint8_t {
  kLocal,         // locals[index]
  kStack,         // stack[index]
  kUnboundLocal,  // None, when locals[index] is NULL
  kNullItem,      // None, when stack[index] is NULL
  kGlobal,        // globals[key]
  kBuiltin,       // builtins[key]; emitted after a guard that globals lack the key
  kGlobalsDict,   // globals
  kBuiltinsDict,  // builtins, known to be an exact dict
  kConst,         // key itself
  kCellContents,  // base is a cell
  kInstanceAttr,  // base.__dict__[key], no descriptor involved
  kInstanceDict,  // base.__dict__
  kDictItem,      // base is an exact dict; key by hash
  kListItem,      // base is an exact list, index within its guarded length
  kTupleItem,     // base is a tuple
  kMethodSelf,    // base is a bound method
  kMethodFunction,
  kMember,           // the object pointer `index` bytes into the base
  kFunctionGlobals,  // base is a function
  kFunctionDefaults,
  kFunctionKwDefaults,
  kFunctionClosure,
  kClassAttr,  // base is a class, key found on it or its bases
};

using SourceId = int32_t;
inline constexpr SourceId kNoSource = -1;

struct Source {
  LoadKind kind;
  SourceId base = kNoSource;
  int32_t index = 0;
  Pin key;             // name, dict key or constant
  Py_hash_t hash = 0;  // of key, for the dict loads
  std::string text;    // as Python writes it: self.layers[0].w
};

// Whether the load can fail though the guards before it hold, which makes it a check of its own.
bool load_can_fail(LoadKind kind);

// The object a source stands for now, or null when it is not there. `registers` holds the loaded
// bases.
PyObject* load_source(const Source& source, const Slots& slots, PyObject* const* registers);

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
