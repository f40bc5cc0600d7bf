// Figures and switches of the core: allocator, op counts, threads.
#include "pylib/ext/config.h"

#include "kernels/core/storage.h"
#include "kernels/eager/eager_sink.h"
#include "pylib/ext/boundary.h"

namespace msjit {
namespace {

Ref allocator_figures(PyObject*) {
  const AllocatorStats s = allocator_stats();
  return Ref::steal(Py_BuildValue("{s:L,s:L,s:L}", "live_bytes",
                                  static_cast<long long>(s.live_bytes), "cached_bytes",
                                  static_cast<long long>(s.cached_bytes), "live_blocks",
                                  static_cast<long long>(s.live_blocks)));
}
Ref trim(PyObject*) {
  allocator_trim();
  return Ref::none();
}
Ref op_count(PyObject*) { return Ref::steal(PyLong_FromLongLong(eager_op_count())); }
Ref reset_op_count(PyObject*) {
  reset_eager_op_count();
  return Ref::none();
}

}  // namespace

PyMethodDef g_config_functions[] = {
    method0<allocator_figures>("allocator_stats",
                               "allocator_stats()\n--\n\nBytes and blocks of the allocator."),
    method0<trim>("allocator_trim",
                  "allocator_trim()\n--\n\nGives cached memory back to the system."),
    method0<op_count>("eager_op_count",
                      "eager_op_count()\n--\n\nOp calls that ran outside any graph."),
    method0<reset_op_count>("reset_eager_op_count",
                            "reset_eager_op_count()\n--\n\nSets that count to zero."),
    {nullptr}};

}  // namespace msjit
