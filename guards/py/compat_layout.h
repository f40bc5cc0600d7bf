// Layouts of CPython's objects that the public headers do not show: places of a frame, key tables
// of dictionaries, the attributes that an instance keeps itself.
#pragma once

#include "guards/py/host_call.h"
#include "guards/py/ref.h"

namespace msjit::compat {

// --- places of a frame ---------------------------------------------------------------------------
// See slot.h. NULL is a tag without a pointer. A pointer to an immortal object is tagged as not
// owned, so that its reference count is not changed.
#if PY_VERSION_HEX >= 0x030E0000
inline constexpr uintptr_t kSlotTags = 3;
inline uintptr_t slot_bits(PyObject* object) {
  return object ? reinterpret_cast<uintptr_t>(object) | (object->ob_flags & 1u) : 1;
}
#else
inline constexpr uintptr_t kSlotTags = 0;
inline uintptr_t slot_bits(PyObject* object) { return reinterpret_cast<uintptr_t>(object); }
#endif

// --- dictionaries --------------------------------------------------------------------------------
// The head of a dictionary's key table, which the public headers do not show.
struct KeysHead {
  Py_ssize_t references;
#if PY_VERSION_HEX >= 0x030B0000
  uint8_t log2_size, log2_index_bytes, kind;  // kind 0: keys of any class
  uint32_t version;
  Py_ssize_t usable, used;
#else
  Py_ssize_t size;
  void* lookup;  // the lookup function; one of them is for keys of any class
#endif
};
inline const KeysHead* keys_head(PyObject* dict) {
  return reinterpret_cast<const KeysHead*>(reinterpret_cast<PyDictObject*>(dict)->ma_keys);
}
// Whether an instance and its dictionary share the storage of the values (from 3.13 on). The
// instance writes there without changing the dictionary's version.
inline bool shares_values(PyObject* dict) {
#if PY_VERSION_HEX >= 0x030D0000
  return reinterpret_cast<PyDictObject*>(dict)->ma_values != nullptr;
#else
  (void)dict;
  return false;
#endif
}
// The address of eight bytes whose value changes with each change of a dictionary, and that never
// has a value twice, for any dictionary. Null when there is no reliable one. Up to 3.13
// dictionaries have a version tag; later ones are watched, see dict_watch.cc.
#if PY_VERSION_HEX >= 0x030E0000
const void* watched_version(PyObject* dict);
inline const void* dict_version(PyObject* dict) {
  return shares_values(dict) ? nullptr : watched_version(dict);
}
#else
inline const void* dict_version(PyObject* dict) {
  if (shares_values(dict)) return nullptr;
#if PY_VERSION_HEX >= 0x030C0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
  return &reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#if PY_VERSION_HEX >= 0x030C0000
#pragma GCC diagnostic pop
#endif
}
#endif
#if PY_VERSION_HEX >= 0x030B0000
// Position of a str among the keys that the instances of a class share; -1 when it is none of them.
inline Py_ssize_t shared_key(const KeysHead* keys, PyObject* name) {
  struct Item {
    PyObject *key, *value;
  };
  const auto* indices = reinterpret_cast<const char*>(keys + 1);
  const auto* items = reinterpret_cast<const Item*>(indices + (1 << keys->log2_index_bytes));
  for (Py_ssize_t i = 0; i < keys->used; ++i)
    if (items[i].key == name) return i;
  for (Py_ssize_t i = 0; i < keys->used; ++i)
    if (PyUnicode_Compare(items[i].key, name) == 0) return i;
  return -1;
}
#endif
#if PY_VERSION_HEX >= 0x030D0000
struct SharedValues {
  uint8_t capacity, size, embedded, valid;
  PyObject* items[1];
};
#endif
// The address of eight bytes that determine the value under a str in a dictionary with shared
// values, as long as its `ma_values` stays the same. It is the place of the value. Where no
// instance of the class has had such an attribute, it is the number of attributes they have had.
inline const void* shared_value(PyObject* dict, PyObject* name) {
#if PY_VERSION_HEX >= 0x030D0000
  const KeysHead* keys = keys_head(dict);
  auto* values = reinterpret_cast<SharedValues*>(reinterpret_cast<PyDictObject*>(dict)->ma_values);
  const Py_ssize_t i = shared_key(keys, name);
  return i < 0 ? static_cast<const void*>(&keys->used) : &values->items[i];
#else
  (void)dict, (void)name;
  return nullptr;
#endif
}

// --- attributes that an object keeps without a dictionary ----------------------------------------
// From 3.11 on an instance gets a dictionary only when somebody asks for one; CPython's own
// functions that look for it make it. Until then the instance keeps the values itself, in the order
// of the keys that its class shares. On 3.13 it still does so with a dictionary that has no other
// keys.
struct OwnValues {
  PyObject** items = nullptr;  // null: a dictionary keeps them, or there are none
  const KeysHead* keys = nullptr;
  const void* place = nullptr;  // eight bytes that keep their value while `items` does
  bool has_dict = false;        // there is a dictionary too
};
inline OwnValues own_values([[maybe_unused]] PyObject* object) {
  OwnValues own;
#if PY_VERSION_HEX >= 0x030B0000
  PyTypeObject* type = Py_TYPE(object);
  if (!(type->tp_flags & Py_TPFLAGS_MANAGED_DICT)) return own;
  auto* const fields = reinterpret_cast<char**>(object);
#if PY_VERSION_HEX >= 0x030D0000
  auto* values =
      reinterpret_cast<SharedValues*>(fields + type->tp_basicsize / Py_ssize_t(sizeof *fields));
  own.has_dict = fields[-3];
  own.place = own.has_dict ? static_cast<void*>(values) : fields - 3;
  if ((type->tp_flags & Py_TPFLAGS_INLINE_VALUES) && values->valid) own.items = values->items;
#elif PY_VERSION_HEX >= 0x030C0000
  own.place = fields - 3;
  if (reinterpret_cast<uintptr_t>(fields[-3]) & 1)
    own.items = reinterpret_cast<PyObject**>(fields[-3] + 1);
#else
  own.place = fields - 4;
  own.items = reinterpret_cast<PyObject**>(fields[-4]);
#endif
  own.keys =
      reinterpret_cast<const KeysHead*>(reinterpret_cast<PyHeapTypeObject*>(type)->ht_cached_keys);
#endif
  return own;
}
// As shared_value(), for an object that keeps its values itself.
inline const void* own_value([[maybe_unused]] const OwnValues& own,
                             [[maybe_unused]] PyObject* name) {
#if PY_VERSION_HEX >= 0x030B0000
  const Py_ssize_t i = shared_key(own.keys, name);
  return i < 0 ? static_cast<const void*>(&own.keys->used) : &own.items[i];
#else
  return nullptr;
#endif
}
// The value itself, borrowed; null when there is none.
inline PyObject* own_item([[maybe_unused]] const OwnValues& own, [[maybe_unused]] PyObject* name) {
#if PY_VERSION_HEX >= 0x030B0000
  const Py_ssize_t i = PyUnicode_CheckExact(name) ? shared_key(own.keys, name) : -1;
  return i < 0 ? nullptr : own.items[i];
#else
  return nullptr;
#endif
}
// Whether every key is an exact str. May be false although it is so.
inline bool has_only_string_keys(PyObject* dict) {
#if PY_VERSION_HEX >= 0x030B0000
  return keys_head(dict)->kind != 0;
#else
  static const void* any_keys = nullptr;
  if (!any_keys) {
    Ref number = Ref::steal(PyLong_FromLong(0));
    Ref numbered = Ref::steal(PyDict_New());
    if (!number || !numbered ||
        host::call(host::checked, PyDict_SetItem, numbered.get(), number.get(), Py_None) < 0)
      return PyErr_Clear(), false;
    any_keys = keys_head(numbered.get())->lookup;
  }
  return keys_head(dict)->lookup != any_keys;
#endif
}

}  // namespace msjit::compat
