#include "codegen/fused_unit.h"

#include <algorithm>

#include "codegen/chunks.h"
#include "codegen/compile_queue.h"
#include "kernels/core/log.h"
#include "kernels/core/profile.h"

namespace msjit {
namespace {

constexpr int kMaxVariants = 8;  // layouts compiled for one fused step; others run op by op
constexpr int64_t kLeastCodeBytes = 2 * 4096;  // a page of code and one of data

// Strides of dims of size 1 never matter.
bool same_layout(const Shape& shape, const Shape& a, const Shape& b) {
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] != 1 && a[i] != b[i]) return false;
  return true;
}

}  // namespace

// Does nothing when the unit died while it waited.
class FusedUnit::Job final : public CompileJob {
 public:
  Job(const std::shared_ptr<FusedUnit>& unit, Variant* variant, Specs specs)
      : unit_(unit), variant_(variant), specs_(std::move(specs)) {}
  void run() override {
    const std::shared_ptr<FusedUnit> unit = unit_.lock();
    if (!unit) return;
    DumpScope scope(DumpScope::Continue{unit->dump_directory_});
    std::optional<profile::Span> span;
    if (profile::on()) span.emplace(profile::Kind::kCompile, profile::Work{"kernel"});
    Kernels kernels{get_kernel(specs_.main), nullptr};
    if (specs_.finish) kernels.finish = get_kernel(*specs_.finish);
    unit->settle(*variant_, std::move(kernels));
  }
  void drop() override {
    const std::shared_ptr<FusedUnit> unit = unit_.lock();
    if (!unit) return;
    variant_->state.store(kFailed);
    variant_->state.notify_all();
  }

 private:
  std::weak_ptr<FusedUnit> unit_;
  Variant* variant_;  // of the unit
  Specs specs_;
};

FusedUnit::FusedUnit(std::shared_ptr<const FusedProgram> program, FusedShapes shapes,
                     std::vector<Shape> strides, bool open)
    : program_(std::move(program)),
      shapes_(std::move(shapes)),
      open_(open),
      dump_directory_(dump_directory()) {
  for (size_t i = 0; i < strides.size(); ++i) {
    const Shape& shape = shapes_.operands[i];
    contiguous_.push_back(same_layout(shape, strides[i], contiguous_strides(shape)));
  }
  primary_.strides = std::move(strides);
}

FusedUnit::~FusedUnit() {
  for (Variant* v = others_.load(); v;) delete std::exchange(v, v->next);
}

FusedUnit::Specs FusedUnit::specs_of(Variant& variant) const {
  Specs specs{specialize(*program_, shapes_, variant.strides), {}};
  cut(variant, &specs);
  variant.bound.range = launch_range(specs.main);
  if (specs.finish) variant.finish.range = launch_range(*specs.finish);
  if (!open_) return specs;
  specs.main = open_spec(std::move(specs.main), &variant.sizes);
  if (specs.finish) specs.finish = open_spec(std::move(*specs.finish), &variant.finish_sizes);
  return specs;
}

void FusedUnit::cut(Variant& variant, Specs* specs) const {
  auto cut = cut_into_chunks(specs->main);
  if (!cut) return;
  variant.bound.num_reduces = specs->main.stages[0].reduces.size();
  variant.bound.num_partials = cut->num_partials;
  specs->main = std::move(cut->parts);
  specs->finish = std::move(cut->finish);
}

void FusedUnit::settle(Variant& variant, Kernels kernels) {
  variant.keep = std::move(kernels);
  const bool ok = variant.keep.ok();
  variant.bound.fn = variant.keep.main->fn();
  if (open_) variant.bound.sizes = variant.sizes.data();
  if (variant.keep.finish) {
    variant.finish.fn = variant.keep.finish->fn();
    if (open_) variant.finish.sizes = variant.finish_sizes.data();
    variant.bound.finish = &variant.finish;
  }
  if (ok) variant.kernel.store(&variant.bound, std::memory_order_release);
  variant.state.store(ok ? kReady : kFailed);
  variant.state.notify_all();
}

void FusedUnit::schedule(Variant& variant) {
  Specs specs = specs_of(variant);
  Kernels known{find_kernel(specs.main), specs.finish ? find_kernel(*specs.finish) : nullptr};
  if (known.main && (known.finish || !specs.finish)) return settle(variant, std::move(known));
  auto job = std::make_shared<Job>(shared_from_this(), &variant, std::move(specs));
  if (compile_synchronously())
    compile_now(*job);
  else
    compile_queue_submit(std::move(job));
}

double FusedUnit::Kernels::compile_ms() const {
  return (main ? main->compile_ms() : 0) + (finish ? finish->compile_ms() : 0);
}

int64_t FusedUnit::Kernels::code_bytes() const {
  return (main ? main->code_bytes() : 0) + (finish ? finish->code_bytes() : 0);
}

// Plans for other sizes use the same kernels, so each user counts a part of them.
int64_t FusedUnit::Kernels::share_of_code() const {
  const auto share = [](const KernelPtr& kernel) {
    return kernel ? kernel->code_bytes() / std::max(1L, kernel.use_count()) : 0;
  };
  return share(main) + share(finish);
}

bool FusedUnit::is_for(const FusedShapes& shapes, std::span<const Shape> strides) const {
  return shapes_ == shapes && std::ranges::equal(primary_.strides, strides);
}

void FusedUnit::compile_primary() {
  if (!scheduled_.exchange(true)) schedule(primary_);
}

void FusedUnit::wait() { primary_.state.wait(kPending); }

bool FusedUnit::matches(const Variant& variant, std::span<const Tensor> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!same_layout(shapes_.operands[i], variant.strides[i], inputs[i].strides())) return false;
  return true;
}

const BoundKernel* FusedUnit::find_variant(std::span<const Tensor> inputs) {
  if (matches(primary_, inputs)) return primary();
  auto find = [&]() -> Variant* {
    for (Variant* v = others_.load(std::memory_order_acquire); v; v = v->next)
      if (matches(*v, inputs)) return v;
    return nullptr;
  };
  if (Variant* found = find()) return found->kernel.load(std::memory_order_acquire);
  Variant* fresh;
  {
    std::lock_guard lock(adding_);
    if (find()) return nullptr;
    int count = 0;
    for (Variant* v = others_.load(); v; v = v->next) ++count;
    if (count >= kMaxVariants) return nullptr;
    fresh = new Variant;
    for (const Tensor& t : inputs) fresh->strides.push_back(t.strides());
    fresh->next = others_.load();
    others_.store(fresh, std::memory_order_release);
  }
  schedule(*fresh);
  return fresh->kernel.load(std::memory_order_acquire);
}

double FusedUnit::compile_ms() const {
  double ms = 0;
  auto add = [&](const Variant& v) {
    if (v.state.load() != kPending) ms += v.keep.compile_ms();
  };
  add(primary_);
  for (Variant* v = others_.load(); v; v = v->next) add(*v);
  return ms;
}

int64_t FusedUnit::code_bytes() const {
  auto bytes = static_cast<int64_t>(sizeof *this + 2 * shapes_.operands.size() * sizeof(Shape));
  auto add = [&](const Variant& v) {
    if (v.state.load() == kPending)
      bytes += kLeastCodeBytes;
    else
      bytes += v.keep.share_of_code();
  };
  add(primary_);
  for (Variant* v = others_.load(); v; v = v->next) add(*v);
  return bytes;
}

std::string FusedUnit::status() const {
  int state = primary_.state.load();
  if (state == kPending) return "not compiled yet";
  if (!primary_.keep.main) return "not compiled: the process is exiting";
  const Kernels& made = primary_.keep;
  if (state == kFailed)
    return fmt::format("not compiled: {}", (made.main->fn() ? made.finish : made.main)->error());
  int others = 0;
  for (Variant* v = others_.load(); v; v = v->next) ++others;
  std::string text = made.main->spec().str();
  if (made.finish) text += fmt::format(", in {} chunks", primary_.bound.range.extent);
  text += fmt::format(", {} bytes in {:.2f} ms", made.code_bytes(), made.compile_ms());
  return others ? text + fmt::format(", {} more layouts", others) : text;
}

}  // namespace msjit
