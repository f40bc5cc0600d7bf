// Interpreters without the bytecode JIT: the module says so and why.
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"

namespace msjit {

bool add_jit(PyObject* module) {
  return compat::add_object(module, "has_jit", Ref::share(Py_False)) == 0;
}

}  // namespace msjit
