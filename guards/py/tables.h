// Dictionaries whose class does not change how an item is found: dict, OrderedDict and defaultdict
// themselves. Reading, storing and iterating run no Python code if the keys run none.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

PyTypeObject* default_dict_type();  // collections.defaultdict; null when it cannot be had

inline bool is_table_type(PyTypeObject* type) {
  return type == &PyDict_Type || type == &PyODict_Type || type == default_dict_type();
}
inline bool is_table(PyObject* object) {
  return PyDict_Check(object) && is_table_type(Py_TYPE(object));
}
// The functions below also take instances of classes derived from dict or OrderedDict, and bypass
// their methods.
// The keys in the order of iteration; empty with the error cleared when that fails.
Ref table_keys(PyObject* table);
// Walks over the keys of an OrderedDict in order, borrowed, without allocating.
class OrderedKey {
 public:
  explicit OrderedKey(PyObject* table) : node_(reinterpret_cast<const Table*>(table)->first) {}
  explicit operator bool() const { return node_; }
  PyObject* get() const { return node_->key; }
  void next() { node_ = node_->next; }

 private:
  struct Node {
    PyObject* key;
    Py_hash_t hash;
    Node *next, *previous;
  };
  struct Table {  // which the public headers do not show
    PyDictObject dict;
    Node* first;
  };
  const Node* node_;
};
// Makes `table` have these items (key, value, ...) and no others, in this order.
bool fill_table(PyObject* table, PyObject* const* items, Py_ssize_t count);

}  // namespace msjit
