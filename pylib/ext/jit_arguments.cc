#include "pylib/ext/jit_arguments.h"

#include "guards/py/compat.h"
#include "guards/py/host_call.h"
#include "guards/py/text.h"

namespace msjit {

bool BoundArguments::bind(PyObject* function, const DecodedCode& code, PyObject* const* args,
                          Py_ssize_t count, PyObject* names) {
  const int positional = code.code()->co_argcount;
  const int total = positional + code.code()->co_kwonlyargcount;
  if (count > positional) return false;
  values_.resize(static_cast<uint32_t>(total));
  for (int i = 0; i < total; ++i) values_[i] = i < count ? args[i] : nullptr;
  const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
  const int first = compat::positional_only_count(code.code());
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    // The names in a call and those of parameters are interned.
    PyObject* const name = PyTuple_GET_ITEM(names, k);
    int i = first;
    while (i < total && code.slot_name(i).get() != name) ++i;
    if (i == total || values_[i]) return false;
    values_[i] = args[count + k];
  }
  return fill_defaults(function, code, positional);
}

bool BoundArguments::fill_defaults(PyObject* function, const DecodedCode& code, int positional) {
  PyObject* const defaults = compat::function(function)->func_defaults;
  PyObject* const by_name = compat::function(function)->func_kwdefaults;
  const int have = defaults ? static_cast<int>(PyTuple_GET_SIZE(defaults)) : 0;
  for (int i = 0; i < static_cast<int>(values_.size()); ++i) {
    if (values_[i]) continue;
    PyObject* value = nullptr;
    if (i >= positional)
      value = by_name ? host::find_name(by_name, utf8_text(code.slot_name(i).get())) : nullptr;
    else if (i >= positional - have)
      value = PyTuple_GET_ITEM(defaults, i - (positional - have));
    if (!take_default(i, value)) return false;
  }
  return true;
}

bool BoundArguments::take_default(int index, PyObject* value) {
  if (!value) return false;
  values_[index] = value;
  defaults_.push_back(Ref::share(value));
  return true;
}

}  // namespace msjit
