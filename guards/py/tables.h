// Dictionaries whose class adds nothing to how an item is found: dict, OrderedDict and defaultdict
// themselves. Reading, storing and walking over one runs no Python code when its keys run none.
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
// These take instances of classes derived from dict or OrderedDict too, past their methods.
// The keys in the order in which iteration gives them; empty with an error cleared when that fails.
Ref table_keys(PyObject* table);
// The keys of an OrderedDict one by one in that order, borrowed: nothing is allocated.
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
