// operator.itemgetter and operator.attrgetter. One that the region makes is a kGetter. One of the
// program is an object known by identity.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

bool model_itemgetter(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out);
bool model_attrgetter(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out);
// A call of a getter of the program. `known`: whether it is one; if not, nothing was done.
bool call_getter(Executor& x, const SymRef& getter, const std::vector<SymRef>& args,
                 PyObject* names, SymRef* out, bool* known);

}  // namespace msjit
