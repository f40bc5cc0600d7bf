// types.MappingProxyType: a read-only view of a mapping, as inspect.Signature.parameters is.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// MappingProxyType(mapping).
bool make_mapping_proxy(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out);

}  // namespace msjit
