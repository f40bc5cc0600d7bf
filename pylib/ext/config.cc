// Figures and switches of the core: allocator, op counts, threads.
#include "pylib/ext/config.h"

#include "kernels/core/profile.h"
#include "kernels/core/random.h"
#include "kernels/core/storage.h"
#include "kernels/device/device_api.h"
#include "kernels/eager/eager_sink.h"
#include "pylib/ext/boundary.h"

namespace msjit {
namespace {

Ref allocator_figures(PyObject*) {
  const AllocatorStats s = allocator_stats();
  return Ref::steal(Py_BuildValue(
      "{s:L,s:L,s:L,s:L}", "live_bytes", static_cast<long long>(s.live_bytes), "cached_bytes",
      static_cast<long long>(s.cached_bytes), "live_blocks", static_cast<long long>(s.live_blocks),
      "peak_bytes", static_cast<long long>(s.peak_bytes)));
}
Ref reset_peaks(PyObject*) {
  allocator_reset_peaks();
  return Ref::none();
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

// Why tensors cannot lie on a GPU: what the driver says, or that they may not yet.
Ref gpu_problem(PyObject*) {
  const auto device = cuda_device(0);
  const std::string text =
      device.ok() ? "[cuda] tensors, got a GPU, expected the CPU: they cannot lie on " +
                        device.value()->traits().name + " yet"
                  : device.error().message;
  return Ref::steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

// The generator's state as Python sees it: (seed, ticket).
Ref rng_state(PyObject*) {
  const RandomState state = random_state();
  return Ref::steal(Py_BuildValue("(LL)", static_cast<long long>(state.seed),
                                  static_cast<long long>(state.ticket)));
}
Ref set_rng_state(PyObject*, PyObject* state) {
  long long seed, ticket;
  if (!PyTuple_Check(state) || !PyArg_ParseTuple(state, "LL:set_rng_state", &seed, &ticket)) {
    PyErr_Clear();
    return Ref::steal(raise(*type_error(
        "[set_rng_state] state, got {}, expected a tuple of two ints", type_name(state))));
  }
  set_random_state({seed, ticket});
  return Ref::none();
}
Ref set_seed(PyObject*, PyObject* seed) {
  int64_t value;
  if (!int_from_object(seed, "set_seed", "seed", &value)) return {};
  set_random_seed(value);
  return Ref::none();
}

Ref profile_start(PyObject*) {
  profile::start();
  return Ref::none();
}
// One tuple an event: kind, name, thread, begin and duration in microseconds, bytes, flops.
Ref profile_stop(PyObject*) {
  const profile::Events found = profile::stop();
  Ref list = Ref::steal(PyList_New(0));
  for (const profile::Event& event : found.events) {
    if (!list) return {};
    const Ref row = Ref::steal(Py_BuildValue(
        "(ssiddLL)", profile::kind_name(event.kind), event.work.name.c_str(), event.thread,
        static_cast<double>(event.begin_ns) / 1e3, static_cast<double>(event.duration_ns) / 1e3,
        static_cast<long long>(event.work.bytes), static_cast<long long>(event.work.flops)));
    if (!row || PyList_Append(list.get(), row.get()) < 0) return {};
  }
  return Ref::steal(Py_BuildValue("(OL)", list.get(), static_cast<long long>(found.dropped)));
}

}  // namespace

PyMethodDef g_config_functions[] = {
    method0<allocator_figures>("allocator_stats",
                               "allocator_stats()\n--\n\nBytes and blocks of the allocator."),
    method0<reset_peaks>(
        "allocator_reset_peaks",
        "allocator_reset_peaks()\n--\n\nThe most bytes handed out are counted anew."),
    method0<trim>("allocator_trim",
                  "allocator_trim()\n--\n\nGives cached memory back to the system."),
    method0<op_count>("eager_op_count",
                      "eager_op_count()\n--\n\nOp calls that ran outside any graph."),
    method0<reset_op_count>("reset_eager_op_count",
                            "reset_eager_op_count()\n--\n\nSets that count to zero."),
    method0<profile_start>("profile_start",
                           "profile_start()\n--\n\nFrom here on, what runs is noted."),
    method0<profile_stop>("profile_stop",
                          "profile_stop()\n--\n\nEnds that: (events, number of events left out)."),
    method0<gpu_problem>("gpu_problem",
                         "gpu_problem()\n--\n\nWhy tensors cannot lie on a GPU, as a str."),
    method1<set_seed>("set_seed",
                      "set_seed(seed)\n--\n\nRestarts the random generator from a seed."),
    method0<rng_state>("rng_state",
                       "rng_state()\n--\n\nState of the random generator: (seed, ticket)."),
    method1<set_rng_state>("set_rng_state",
                           "set_rng_state(state)\n--\n\nPuts back what rng_state gave."),
    {nullptr}};

}  // namespace msjit
