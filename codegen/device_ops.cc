#include "codegen/device_ops.h"

#include <cstring>
#include <optional>

#include "graph/graph_sink.h"
#include "kernels/core/log.h"
#include "kernels/device/timing.h"

namespace msjit {
namespace {

constexpr size_t kMostPrograms = 4096, kMostNumbers = 4096;

size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15u; }

size_t hash_call(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs) {
  size_t seed = mix(reinterpret_cast<size_t>(&op), hash_attrs(attrs));
  for (const Tensor& t : in) {
    if (!t) {
      seed = mix(seed, 1);
      continue;
    }
    seed = mix(seed, static_cast<size_t>(t.dtype()) * 4 + t.meta().weak * 2 + t.device().is_host());
    for (Dim d : t.shape()) seed = mix(seed, static_cast<size_t>(d));
  }
  return seed;
}

bool is_for(const DeviceCode::Program& program, const OpDef& op, std::span<const Tensor> in,
            const Attrs& attrs) {
  if (program.op != &op || program.metas.size() != in.size() || !(program.attrs == attrs))
    return false;
  for (size_t i = 0; i < in.size(); ++i)
    if (program.given[i] != static_cast<bool>(in[i]) ||
        (in[i] && !(program.metas[i] == in[i].meta())))
      return false;
  return true;
}

// A graph of this one call. Its inputs are the tensors that are given.
Result<std::shared_ptr<Graph>> graph_of(const OpDef& op, std::span<const Tensor> in,
                                        const Attrs& attrs) {
  auto graph = std::make_shared<Graph>();
  graph->name = op.name;
  GraphSink sink(graph);
  Vals inputs;
  for (const Tensor& t : in) inputs.push_back(t ? sink.input(t.meta()) : Val());
  Vals results;
  if (op.has(kInPlace)) {  // the new values of the first inputs
    results = op.update(&sink, inputs, attrs);
  } else {
    MSJIT_TRY(results, sink.apply(op, inputs, attrs));
  }
  MSJIT_OK(sink.take_error());
  for (const Val& result : results) graph->outputs.push_back(result.id());
  return graph;
}

// Null when the operator, or a part of its graph, has no kernel on the device.
std::unique_ptr<DeviceProgram> compile_call(devices::Context& at, const OpDef& op,
                                            std::span<const Tensor> in, const Attrs& attrs) {
  if ((op.has(kInPlace) && !op.update) || op.has(kRandom)) return nullptr;
  if (op.device_kernel() && !op.composite) return nullptr;  // it has refused
  auto graph = graph_of(op, in, attrs);
  if (!graph.ok()) return nullptr;
  auto program = DeviceProgram::compile(*graph.value(), true, at);
  if (!program.ok() || !program.value()->stays()) return nullptr;
  return program.take();
}

std::shared_ptr<const DeviceCode::Program> find_program(DeviceCode& code, size_t hash,
                                                        const OpDef& op, std::span<const Tensor> in,
                                                        const Attrs& attrs) {
  std::lock_guard lock(code.mutex);
  for (const auto& program : code.programs[hash])
    if (is_for(*program, op, in, attrs)) return program;
  return nullptr;
}

// Compiles without the lock: folding constants runs operators on the device, which take it too.
std::shared_ptr<const DeviceCode::Program> program_for(devices::Context& at, const OpDef& op,
                                                       std::span<const Tensor> in,
                                                       const Attrs& attrs) {
  DeviceCode& code = device_code(at);
  const size_t hash = hash_call(op, in, attrs);
  if (auto found = find_program(code, hash, op, in, attrs)) return found;
  auto made = std::make_shared<DeviceCode::Program>();
  for (const Tensor& t : in) {
    made->given.push_back(static_cast<bool>(t));
    made->metas.push_back(t ? t.meta() : Meta());
  }
  made->op = &op;
  made->attrs = attrs;
  made->program = compile_call(at, op, in, attrs);
  std::lock_guard lock(code.mutex);
  if (++code.num_programs > kMostPrograms) {
    code.programs.clear();
    code.num_programs = 1;
  }
  code.programs[hash].push_back(made);
  return made;
}

Status run_program(const OpDef& op, const DeviceProgram& program, std::span<const Tensor> in,
                   TensorVec* out) {
  InlineVec<Tensor, 4> given;
  for (const Tensor& t : in)
    if (t) given.push_back(t);
  InlineVec<Tensor, 2> results;
  results.resize(program.plan().outputs.size());
  MSJIT_OK(program.run({given.data(), given.size()}, {results.data(), results.size()}));
  if (op.has(kInPlace)) {
    for (uint32_t i = 0; i < results.size(); ++i) MSJIT_OK(copy_elements(results[i], in[i]));
    out->push_back(in[0]);
    return {};
  }
  for (Tensor& t : results) out->push_back(std::move(t));
  return {};
}

// Runs the host kernel on copies of the inputs. What an in-place operator wrote is copied back.
Status run_on_host(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                   std::span<const Meta> metas, devices::Context& at, TensorVec* out) {
  device_code(at).host_runs.fetch_add(1, std::memory_order_relaxed);
  MSJIT_LOGF(LogTopic::kDevice, "[{}] runs on the host", op.name);
  InlineVec<Tensor, 4> here, results;
  for (const Tensor& t : in) {
    here.emplace_back();
    if (!t) continue;
    MSJIT_TRY(here.back(), devices::to_host(t));
  }
  if (op.has(kInPlace)) {
    results.push_back(here[0]);
  } else {
    for (Meta meta : metas) {
      meta.device = {};
      MSJIT_TRY(Tensor made, Tensor::empty(meta));
      results.push_back(std::move(made));
    }
  }
  KernelCtx ctx{op, {here.data(), here.size()}, {results.data(), results.size()}, attrs};
  MSJIT_OK(op.host_kernel()(ctx));
  if (op.has(kInPlace)) {
    for (size_t i = 0; i < in.size(); ++i)
      if (in[i] && !here[i].same(in[i])) MSJIT_OK(copy_elements(here[i], in[i]));
    out->push_back(in[0]);
    return {};
  }
  for (size_t i = 0; i < metas.size(); ++i) {
    MSJIT_TRY(Tensor made, devices::to_device(results[i], metas[i].device));
    out->push_back(std::move(made));
  }
  return {};
}

Status run_view(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs, size_t count,
                TensorVec* out) {
  const uint32_t first = out->size();
  for (size_t i = 0; i < count; ++i) out->emplace_back();
  KernelCtx ctx{op, in, {out->data() + first, count}, attrs};
  return op.host_kernel()(ctx);
}

Device device_of_call(std::span<const Tensor> in, std::span<const Meta> metas) {
  for (const Meta& meta : metas)
    if (!meta.device.is_host()) return meta.device;
  for (const Tensor& t : in)
    if (t && !t.device().is_host()) return t.device();
  return {};
}

Status run_device_kernel(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                         std::span<const Meta> metas, TensorVec* out) {
  const uint32_t first = out->size();
  for (const Meta& meta : metas) {
    MSJIT_TRY(Tensor made, Tensor::empty(meta));
    out->push_back(std::move(made));
  }
  KernelCtx ctx{op, in, {out->data() + first, metas.size()}, attrs};
  std::optional<devices::Timed> timed;
  if (devices::times_are_asked()) [[unlikely]]
    timed.emplace(devices::open_context(device_of_call(in, metas)), [&] {
      std::string name = op.name;
      for (const Tensor& t : in)
        if (t) name += " " + t.shape().str();
      return name + " -> " + metas[0].str();
    });
  return op.device_kernel()(ctx);
}

Status run(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
           std::span<const Meta> metas, TensorVec* out) {
  MSJIT_TRY(devices::Context* const at, devices::context(device_of_call(in, metas)));
  if (op.has(kView)) return run_view(op, in, attrs, metas.size(), out);
  if (op.device_kernel()) {
    const uint32_t first = out->size();
    Status status = run_device_kernel(op, in, attrs, metas, out);
    if (status.ok() || status.error().kind != ErrorKind::kNotImplemented) return status;
    while (out->size() > first) out->pop_back();
  }
  const auto found = program_for(*at, op, in, attrs);
  if (found->program) return run_program(op, *found->program, in, out);
  if (op.host_kernel()) return run_on_host(op, in, attrs, metas, *at, out);
  return not_implemented_error("[{}] kernel for {} or the CPU, got none, expected one", op.name,
                               at->device.str());
}

[[maybe_unused]] const bool g_installed = (devices::run_op = run, true);

}  // namespace

DeviceCode& device_code(devices::Context& at) {
  std::call_once(at.code_made, [&] { at.code = std::make_shared<DeviceCode>(at.api); });
  return *static_cast<DeviceCode*>(at.code.get());
}

Result<Tensor> device_number(devices::Context& at, const Tensor& number) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(item_size(number.dtype()));
  if (size > sizeof bits || number.numel() != 1) return devices::to_device(number, at.device);
  std::memcpy(&bits, number.data(), size);
  const std::tuple key(number.dtype(), number.meta().weak, bits);
  DeviceCode& code = device_code(at);
  std::lock_guard lock(code.mutex);
  if (code.numbers.size() >= kMostNumbers) code.numbers.clear();
  Tensor& known = code.numbers[key];
  if (known) return known;
  auto made = devices::to_device(number, at.device);
  if (!made.ok()) {
    code.numbers.erase(key);
    return made;
  }
  known = made.value();
  return known;
}

}  // namespace msjit
