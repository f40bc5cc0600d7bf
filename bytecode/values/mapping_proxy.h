// types.MappingProxyType: a read-only view of a mapping, as inspect.Signature.parameters is.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// MappingProxyType(mapping).
bool make_mapping_proxy(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out);
// Where such an object of the program keeps its mapping, which nothing can replace.
PyObject** proxied_mapping(PyObject* proxy);

}  // namespace msjit
