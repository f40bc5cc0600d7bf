#include "kernels/eager/eager_sink.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "kernels/core/error_name.h"
#include "kernels/core/profile.h"
#include "kernels/device/device_tensors.h"
#include "kernels/eager/state.h"
#include "kernels/eager/tape.h"
#include "kernels/eager/unlocked.h"

namespace msjit {

thread_local constinit EagerState eager_state;
void (*g_without_lock)(void (*work)(void*), void* data) = nullptr;

namespace {

// -- Counting

struct Totals {
  int64_t ops = 0;
  int64_t nodes = 0;
};

struct Counters {
  std::mutex mutex;
  std::vector<EagerState*> threads;
  Totals retired;        // of threads that have ended
  int64_t base_ops = 0;  // total at the last reset
};

Counters& counters() {
  static Counters* instance = new Counters;  // outlives every thread
  return *instance;
}

void add_counts(Totals* totals, const EagerState& state) {
  totals->ops += state.ops.load(std::memory_order_relaxed);
  totals->nodes += state.nodes.load(std::memory_order_relaxed);
}

struct CounterGuard {
  EagerState* state = &eager_state;
  CounterGuard() {
    Counters& all = counters();
    std::lock_guard lock(all.mutex);
    all.threads.push_back(state);
  }
  ~CounterGuard() {
    Counters& all = counters();
    std::lock_guard lock(all.mutex);
    add_counts(&all.retired, *state);
    std::erase(all.threads, state);
  }
};

Totals totals(Counters& all) {
  Totals sum = all.retired;
  for (EagerState* state : all.threads) add_counts(&sum, *state);
  return sum;
}

// -- Running

Status run_composite(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                     TensorVec* out) {
  EagerSink& sink = eager_sink();
  Vals inputs;
  inputs.reserve(in.size());
  for (const Tensor& t : in) inputs.push_back(t ? Val(&sink, t) : Val());
  Vals results = op.expand(&sink, inputs, attrs);
  if (Status status = sink.take_error(); !status.ok())
    return under_name(status.take_error(), op.name);
  for (const Val& result : results) out->push_back(result.tensor());
  return {};
}

// A write into a tensor whose value the tape needs must be refused or recorded.
Status check_in_place(const OpDef& op, std::span<const Tensor> in, bool tracked) {
  const Tensor& target = in[0];
  if (target.storage()->read_only)
    return value_error("[{}] the tensor shares memory that is read-only", op.name);
  if (!tracked || !is_tracked(target)) return {};
  if (!target.autograd()->node)
    return runtime_error(
        "[{}] a leaf tensor whose gradient is asked for cannot be modified in place", op.name);
  if (is_view_of_tracked(target))
    return runtime_error(
        "[{}] a view of a tensor with gradient history cannot be modified in place", op.name);
  return {};
}

inline bool has_autograd(std::span<const Tensor> in) {
  for (const Tensor& t : in)
    if (t && t.impl()->autograd) return true;
  return false;
}

class MetaList {
 public:
  explicit MetaList(std::span<const Tensor> in) : size_(in.size()) {
    if (size_ > kInline) [[unlikely]] {
      heap_.resize(size_);
      data_ = heap_.data();
    }
    for (size_t i = 0; i < size_; ++i) data_[i] = in[i] ? &in[i].impl()->meta : nullptr;
  }
  std::span<const Meta* const> span() const { return {data_, size_}; }

 private:
  static constexpr size_t kInline = 6;
  size_t size_;
  const Meta* inline_[kInline];
  const Meta** data_ = inline_;
  std::vector<const Meta*> heap_;
};

Status prepare_outputs(const OpDef& op, std::span<const Tensor> in, std::span<const Meta> metas,
                       TensorVec* out) {
  if (op.has(kInPlace)) {
    out->push_back(in[0]);
    return {};
  }
  for (size_t i = 0; i < metas.size(); ++i) {
    if (op.has(kView)) {
      out->emplace_back();
      continue;
    }
    auto fresh = Tensor::empty(metas[i]);
    if (!fresh.ok()) return fresh.take_error();
    out->emplace_back(fresh.take());
  }
  return {};
}

Status no_kernel(const OpDef& op) {
  return not_implemented_error("[{}] kernel for the CPU, got none, expected one", op.name);
}

// A composite may rely on checks of the op's infer rule, so that rule runs first.
Status check_call(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs) {
  if (!op.infer) return {};
  MetaList metas(in);
  InferCtx infer(op, metas.span(), attrs);
  return infer_outputs(infer);
}

Status execute(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs, TensorVec* out,
               bool tracked) {
  KernelFn kernel = op.host_kernel();
  MetaList metas(in);
  InferCtx infer(op, metas.span(), attrs);
  if (op.infer) MSJIT_OK(infer_outputs(infer));
  if (!kernel) [[unlikely]] {
    if (!op.composite) return no_kernel(op);
    if (!op.vjp || !tracked) return run_composite(op, in, attrs, out);
  }
  if (op.has(kInPlace)) [[unlikely]]
    MSJIT_OK(check_in_place(op, in, tracked));
  uint32_t first = out->size();
  Status status;
  if (devices::concerns(in, infer.outputs)) [[unlikely]] {
    GradScope untracked(false);
    status = devices::run_op(op, in, attrs, infer.outputs, out);
  } else if (kernel) [[likely]] {
    status = prepare_outputs(op, in, infer.outputs, out);
    if (status.ok()) {
      KernelCtx ctx{op, in, {out->data() + first, out->size() - first}, attrs};
      status = kernel(ctx);
    }
  } else {  // a composite with a gradient rule is one step of the tape
    GradScope untracked(false);
    status = run_composite(op, in, attrs, out);
  }
  if (!status.ok()) [[unlikely]] {
    while (out->size() > first) out->pop_back();
    return status;
  }
  std::span<Tensor> results(out->data() + first, out->size() - first);
  if (tracked) MSJIT_OK(record_op(op, in, attrs, results));
  if (op.has(kInPlace)) [[unlikely]]
    in[0].bump_version();
  return status;
}

Status run_profiled(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs, TensorVec* out,
                    bool tracked) {
  MetaList metas(in);
  InferCtx infer(op, metas.span(), attrs);
  if (op.infer) MSJIT_OK(infer_outputs(infer));
  InlineVec<const Meta*, 4> results;
  for (const Meta& meta : infer.outputs) results.push_back(&meta);
  const profile::Span span(profile::Kind::kOp, profile::work_of(op, attrs, metas.span(), results));
  return execute(op, in, attrs, out, tracked);
}

Status run_kernel(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs, TensorVec* out,
                  bool tracked) {
  if (profile::on()) [[unlikely]]
    return run_profiled(op, in, attrs, out, tracked);
  return execute(op, in, attrs, out, tracked);
}

// With fewer input elements a kernel is done before another thread could take the lock.
constexpr int64_t kUnlockElements = 1 << 14;

// Three kinds of ops always keep the lock. Views take no time. Random numbers are drawn in the
// program's order. An in-place op that gives an input a history would be seen by other threads.
bool runs_unlocked(const OpDef& op, std::span<const Tensor> in) {
  int64_t elements = 0;
  for (const Tensor& t : in)
    if (t) elements += t.numel();
  if (elements < kUnlockElements) [[likely]]
    return false;
  return !op.has(kRandom) && !op.has(kView) && !(op.has(kInPlace) && any_tracked(in));
}

}  // namespace

Status run_op(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs, TensorVec* out) {
  EagerState& state = eager_state;
  count_op(state);
  if (!has_autograd(in) || !state.recording || !any_tracked(in)) [[likely]]
    return run_kernel(op, in, attrs, out, false);
  if (op.has(kNoGrad) && !op.has(kInPlace)) {
    GradScope untracked(false);
    return run_kernel(op, in, attrs, out, false);
  }
  MSJIT_OK(check_history(op.name, in));
  if (!op.vjp && op.composite && !op.has(kInPlace)) {
    MSJIT_OK(check_call(op, in, attrs));
    return run_composite(op, in, attrs, out);
  }
  return run_kernel(op, in, attrs, out, true);
}

Status run_op_unlocking(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                        TensorVec* out) {
  if (!runs_unlocked(op, in)) return run_op(op, in, attrs, out);
  const StandIns own(in);
  const uint32_t first = out->size();
  Status status;
  without_lock([&] { status = run_op(op, own.tensors(), attrs, out); });
  own.hand_back({out->data() + first, out->size() - first});
  return status;
}

Status run_op_untracked(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                        TensorVec* out) {
  if (op.host_kernel()) [[likely]]
    return run_kernel(op, in, attrs, out, false);
  GradScope untracked(false);
  return run_kernel(op, in, attrs, out, false);
}

Result<Vals> EagerSink::apply(const OpDef& op, std::span<const Val> in, const Attrs& attrs) {
  InlineVec<Tensor, 4> inputs;
  for (const Val& v : in) {
    if (v.is_stale()) return stale_error(op);
    inputs.push_back(v.tensor());
  }
  TensorVec outputs;
  MSJIT_OK(run_op(op, inputs, attrs, &outputs));
  Vals results;
  results.reserve(outputs.size());
  for (Tensor& t : outputs) results.emplace_back(this, std::move(t));
  return results;
}

EagerSink& eager_sink() {
  static thread_local EagerSink sink;
  return sink;
}

void register_eager_state() {
  static thread_local CounterGuard guard;
  guard.state->counted = true;
}

int64_t eager_op_count() {
  Counters& all = counters();
  std::lock_guard lock(all.mutex);
  return totals(all).ops - all.base_ops;
}

void reset_eager_op_count() {
  Counters& all = counters();
  std::lock_guard lock(all.mutex);
  all.base_ops = totals(all).ops;
}

int64_t live_tape_nodes() {
  Counters& all = counters();
  std::lock_guard lock(all.mutex);
  return totals(all).nodes;
}

}  // namespace msjit
