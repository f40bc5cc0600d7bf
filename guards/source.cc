#include "guards/source.h"

#include "guards/py/collector.h"
#include "guards/py/compat_layout.h"
#include "guards/py/host_call.h"

namespace msjit {

PyObject** instance_dict_slot(PyObject* object) {
  const compat::OwnValues own = compat::own_values(object);
  return own.items && !own.has_dict ? nullptr : _PyObject_GetDictPtr(object);
}

PyObject* instance_dict(PyObject* object) {
  QuietCollector none;  // no collection while the dictionary is made
  if (!existing_dict(object)) none.begin();
  PyObject** slot = _PyObject_GetDictPtr(object);
  return slot ? *slot : nullptr;
}

PyObject* existing_dict(PyObject* object) {
  PyObject** slot = instance_dict_slot(object);
  return slot ? *slot : nullptr;
}

bool has_attributes(PyObject* object) {
  return compat::own_values(object).items || _PyObject_GetDictPtr(object);
}

PyObject* instance_item(PyObject* object, PyObject* name, Py_hash_t hash) {
  const compat::OwnValues own = compat::own_values(object);
  if (own.items) return compat::own_item(own, name);
  PyObject* dict = existing_dict(object);
  return dict ? host::call(host::checked, _PyDict_GetItem_KnownHash, dict, name, hash) : nullptr;
}

}  // namespace msjit
