// Figures and switches of the core: allocator, op counts, threads.
#include "pylib/ext/config.h"

#include "codegen/device_ops.h"
#include "guards/py/convert.h"
#include "kernels/core/profile.h"
#include "kernels/core/random.h"
#include "kernels/core/storage.h"
#include "kernels/device/device_api.h"
#include "kernels/device/device_tensors.h"
#include "kernels/device/library.h"
#include "kernels/eager/eager_sink.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/tensor.h"

namespace msjit {

void (*g_default_device_changed)() = nullptr;

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

// Why no GPU can be used; "" if one can.
Ref gpu_problem(PyObject*) {
  const auto opened = devices::context({DeviceType::kCuda, 0});
  const std::string text = opened.ok() ? "" : opened.error().message;
  return text_object(text);
}

bool device_from_object(PyObject* object, Device* out) {
  int64_t index;
  if (object == Py_None) return *out = Device{}, true;
  if (!int_from_object(object, "device", "number", &index)) return false;
  if (index < 0 || index > UINT8_MAX)
    return fail(value_error("[device] number, got {}, expected 0 to {}", index, UINT8_MAX));
  *out = {DeviceType::kCuda, static_cast<uint8_t>(index)};
  return true;
}

Ref set_device(PyObject*, PyObject* which) {
  Device device;
  if (!device_from_object(which, &device)) return {};
  if (!device.is_host())
    if (auto opened = devices::context(device); !opened.ok())
      return Ref::steal(raise(opened.error()));
  if (device == default_device()) return Ref::none();
  set_default_device(device);
  if (g_default_device_changed) g_default_device_changed();
  return Ref::none();
}

Ref move_tensor(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"tensor", "device", nullptr};
  PyObject* a[2];
  Device device;
  if (!parse_args(args, "move_tensor", kNames, 2, a) || !device_from_object(a[1], &device))
    return {};
  if (!is_tensor(a[0]))
    return Ref::steal(
        raise(*type_error("[move_to] input, got {}, expected a Tensor", type_name(a[0]))));
  return sharing_with(a[0], wrap_result(devices::to_device(tensor_of(a[0]), device)));
}

Ref synchronize_device(PyObject*, PyObject* which) {
  Device device;
  if (!device_from_object(which, &device)) return {};
  return succeeded(devices::synchronize(device)) ? Ref::none() : Ref();
}

// Sets the folders, a list of str, in which the GPU vendor's libraries are looked for.
Ref set_library_folders_of(PyObject*, PyObject* list) {
  if (!PyList_Check(list))
    return Ref::steal(raise(*type_error(
        "[device] folders of libraries, got {}, expected a list of str", type_name(list))));
  std::vector<std::string> folders;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    const char* const text = PyUnicode_AsUTF8(PyList_GetItem(list, i));
    if (!text) return {};
    folders.emplace_back(text);
  }
  set_library_folders(std::move(folders));
  return Ref::none();
}

// (name, live bytes, cached bytes, peak of live bytes, operators that ran on the host, times the
// host waited for the device)
Ref device_figures(PyObject*, PyObject* which) {
  Device device;
  if (!device_from_object(which, &device)) return {};
  auto opened = devices::context(device);
  if (!opened.ok()) return Ref::steal(raise(opened.error()));
  devices::Context& at = *opened.value();
  const DeviceMemoryStats s = at.memory.stats();
  return Ref::steal(Py_BuildValue(
      "{s:s,s:i,s:L,s:L,s:L,s:L,s:L}", "name", at.api.traits().name.c_str(), "architecture",
      at.api.traits().arch, "live_bytes", static_cast<long long>(s.live_bytes), "cached_bytes",
      static_cast<long long>(s.cached_bytes), "peak_bytes", static_cast<long long>(s.peak_bytes),
      "host_runs", static_cast<long long>(device_code(at).host_runs.load()), "waits",
      static_cast<long long>(at.waits.load())));
}

Ref trim_device(PyObject*, PyObject* which) {
  Device device;
  if (!device_from_object(which, &device)) return {};
  auto opened = devices::context(device);
  if (!opened.ok()) return Ref::steal(raise(opened.error()));
  return succeeded(opened.value()->memory.trim()) ? Ref::none() : Ref();
}

Ref gpu_count(PyObject*) {
  const auto count = cuda_device_count();
  return Ref::steal(PyLong_FromLong(count.ok() ? count.value() : 0));
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
    method0<gpu_problem>(
        "gpu_problem",
        "gpu_problem()\n--\n\nWhy there is no GPU, as a str; empty where there is one."),
    method0<gpu_count>("gpu_count", "gpu_count()\n--\n\nThe number of GPUs."),
    method1<set_device>("set_default_device",
                        "set_default_device(number)\n--\n\nWhere new tensors lie: on the GPU of "
                        "that number, or on the CPU for None."),
    method<move_tensor>("move_tensor",
                        "move_tensor(tensor, device)\n--\n\nThe tensor, or a copy of it, on the "
                        "GPU of that number, or on the CPU for None."),
    method1<synchronize_device>("synchronize_device",
                                "synchronize_device(number)\n--\n\nWaits for all work of a GPU."),
    method1<device_figures>("device_figures",
                            "device_figures(number)\n--\n\nName and memory of a GPU, as a dict."),
    method1<set_library_folders_of>(
        "set_library_folders",
        "set_library_folders(folders)\n--\n\nWhere libraries of GPUs are looked for, beside the "
        "loader's own places."),
    method1<trim_device>("trim_device",
                         "trim_device(number)\n--\n\nGives unused memory of a GPU back to it."),
    method1<set_seed>("set_seed",
                      "set_seed(seed)\n--\n\nRestarts the random generator from a seed."),
    method0<rng_state>("rng_state",
                       "rng_state()\n--\n\nState of the random generator: (seed, ticket)."),
    method1<set_rng_state>("set_rng_state",
                           "set_rng_state(state)\n--\n\nPuts back what rng_state gave."),
    // The same functions again, under names for which captured code has models
    // (bytecode/builtins/draws.cc).
    method0<rng_state>("rng_mark",
                       "rng_mark()\n--\n\nState of the random generator, for rng_rewind and "
                       "rng_resume."),
    method1<set_rng_state>("rng_rewind", "rng_rewind(mark)\n--\n\nDraws again from a mark on."),
    method1<set_rng_state>("rng_resume",
                           "rng_resume(mark)\n--\n\nEnds rng_rewind; `mark` was made just "
                           "before it."),
    {nullptr}};

}  // namespace msjit
