#include "graph/shape_trace.h"

#include "graph/size_fit.h"
#include "graph/trace_replay.h"

namespace msjit {

extern const OpDef op_copy, op_reshape;

uint64_t ShapeTrace::used_symbols() const {
  uint64_t all = 0;
  for (const TraceStep& step : steps)
    for (const TracedSize& size : step.sizes) all |= size.expr->symbols;
  return all;
}

int64_t ShapeTrace::bytes() const {
  return static_cast<int64_t>(sizeof *this + steps.size() * sizeof(TraceStep) +
                              values.size() * (sizeof(Meta) + 8) + claims.size() * sizeof(Claim));
}

Result<Val> index_in_graph(const Val& x, std::span<const IndexItem> items) {
  MSJIT_TRY(IndexPlan plan, plan_index(x.shape(), items));
  Val value = apply_basic_index(x, plan);
  MSJIT_OK(x.sink()->take_error());
  if (value.id() != x.id() || plan.advanced) return value;
  Attrs attrs;
  attrs.push_back(AttrValue(IntList(std::span<const int64_t>(x.shape()))));
  MSJIT_TRY(Vals results, x.sink()->apply(op_reshape, std::span(&x, 1), attrs));
  return results[0];
}

// --- recording -----------------------------------------------------------------------------------

ShapeRecorder::ShapeRecorder(ShapeEnv* env, std::shared_ptr<Graph> graph)
    : env_(env), graph_(std::move(graph)), trace_(std::make_shared<ShapeTrace>()) {
  trace_->name = graph_->name;
}

ShapeRecorder::~ShapeRecorder() = default;

int32_t ShapeRecorder::value_of(ValueId id) {
  if (id < 0) return -1;
  const int32_t value =
      static_cast<size_t>(id) < value_of_.size() ? value_of_[static_cast<size_t>(id)] : -1;
  broken_ |= value < 0;
  return value;
}

// A call may return a value that is known already. The trace gives every result its own value, so
// such a result is copied.
void ShapeRecorder::add_results(TraceStep step, std::span<Val> results) {
  step.first = static_cast<int32_t>(trace_->values.size());
  step.count = static_cast<int32_t>(results.size());
  uint64_t symbols = 0;
  for (const TracedSize& size : step.sizes) symbols |= size.expr->symbols;
  for (int32_t input : step.inputs)
    if (input >= 0) symbols |= trace_->symbols[input];
  for (Val& result : results) {
    ValueId id = result.id();
    if (knows(id)) {
      const Meta meta = graph_->meta(id);
      id = graph_->add_op(op_copy, std::span(&id, 1), {}, std::span(&meta, 1), step.location);
      result = Val(result.sink(), id);
    }
    if (value_of_.size() <= static_cast<size_t>(id)) value_of_.resize(id + 1, -1);
    value_of_[id] = static_cast<int32_t>(trace_->values.size());
    trace_->values.push_back(graph_->meta(id));
    trace_->symbols.push_back(symbols);
    dims_.emplace_back();
  }
  trace_->steps.push_back(std::move(step));
}

void ShapeRecorder::input(ValueId id, std::vector<TracedSize> sizes) {
  TraceStep step{TraceStep::Kind::kInput};
  step.sizes = sizes;
  Val value(nullptr, id);
  add_results(std::move(step), {&value, 1});
  std::vector<SizeExpr>& dims = dims_.back();
  for (Dim d : graph_->meta(id).shape) dims.push_back(size_const(d));
  for (TracedSize& size : sizes) dims[size.at] = std::move(size.expr);
}

ValueId ShapeRecorder::scalar() {
  Val value(nullptr, graph_->add_input(Meta{DType::kInt64, true, {}}));
  add_results(TraceStep{TraceStep::Kind::kScalar}, {&value, 1});
  return value.id();
}

void ShapeRecorder::constant(ValueId id) {
  if (knows(id)) return;
  TraceStep step{TraceStep::Kind::kConstant};
  step.constant = graph_->producer(id).constant;
  Val value(nullptr, id);
  add_results(std::move(step), {&value, 1});
}

void ShapeRecorder::applied(const OpDef& op, std::span<const Val> in, const Attrs& attrs,
                            Vals* results, SourceLocation location) {
  TraceStep step{TraceStep::Kind::kApply};
  step.op = &op;
  for (const Val& value : in) step.inputs.push_back(value ? value_of(value.id()) : -1);
  step.attrs = attrs;
  step.sizes = std::exchange(pending_, {});
  step.location = location;
  add_results(std::move(step), *results);
}

void ShapeRecorder::indexed(const Val& x, std::vector<IndexItem> items,
                            std::vector<TracedSize> sizes, Val* result, SourceLocation location) {
  TraceStep step{TraceStep::Kind::kIndex};
  step.inputs.push_back(value_of(x.id()));
  step.items = std::move(items);
  step.sizes = std::move(sizes);
  step.location = location;
  add_results(std::move(step), {result, 1});
}

void ShapeRecorder::output(ValueId id, bool own) { trace_->outputs.push_back({value_of(id), own}); }

void ShapeRecorder::copied(ValueId from, Val* result) {
  TraceStep step{TraceStep::Kind::kCopy};
  step.inputs.push_back(value_of(from));
  add_results(std::move(step), {result, 1});
}

void ShapeRecorder::placeholder(ValueId initial, Val* result) {
  trace_->branches = true;
  TraceStep step{TraceStep::Kind::kPlaceholder};
  step.inputs.push_back(value_of(initial));
  add_results(std::move(step), {result, 1});
}

void ShapeRecorder::row(ValueId sequence, Val* result) {
  trace_->branches = true;
  TraceStep step{TraceStep::Kind::kRow};
  step.inputs.push_back(value_of(sequence));
  add_results(std::move(step), {result, 1});
}

void ShapeRecorder::scanned(int32_t mark, const ScanParts& parts, const SizeExpr& length,
                            std::span<Val> results) {
  trace_->branches = true;
  TraceStep step{TraceStep::Kind::kScan};
  for (const Vals* values :
       {&parts.initial, &parts.inside, &parts.sequences, &parts.rows, &parts.next, &parts.stacked})
    for (const Val& value : *values) step.inputs.push_back(value_of(value.id()));
  step.mark = mark;
  step.location = graph_->producer(results[0].id()).location;
  step.attrs = {AttrValue(static_cast<int64_t>(parts.initial.size())),
                AttrValue(static_cast<int64_t>(parts.sequences.size())), AttrValue(parts.length)};
  if (!length->is_const()) step.sizes = {{2, -1, length}};
  add_results(std::move(step), results);
}

void ShapeRecorder::built(TraceStep::Kind kind, int32_t mark, std::span<const Val> in,
                          std::span<Val> results) {
  trace_->branches = true;
  TraceStep step{kind};
  for (const Val& value : in) step.inputs.push_back(value_of(value.id()));
  step.mark = mark;
  add_results(std::move(step), results);
}

void ShapeRecorder::scope(int level, bool recording) {
  TraceStep step{TraceStep::Kind::kScope};
  step.attrs = {AttrValue(static_cast<int64_t>(level)), AttrValue(recording)};
  add_results(std::move(step), {});
}

void ShapeRecorder::draws(int first) {
  TraceStep step{TraceStep::Kind::kDraws};
  step.attrs = {AttrValue(static_cast<int64_t>(first))};
  add_results(std::move(step), {});
}

void ShapeRecorder::custom(const CustomStep& custom) {
  TraceStep step{TraceStep::Kind::kCustom};
  for (const auto* ids : {&custom.inputs, &custom.outputs})
    for (ValueId id : *ids) step.inputs.push_back(value_of(id));
  step.attrs = {AttrValue(static_cast<int64_t>(custom.inputs.size()))};
  add_results(std::move(step), {});
}

void ShapeRecorder::backward(std::span<const Val> outputs, std::span<const Val> seeds,
                             std::span<const Val> wrt, bool differentiable) {
  TraceStep step{TraceStep::Kind::kBackward};
  for (const auto values : {outputs, seeds, wrt})
    for (const Val& value : values) step.inputs.push_back(value ? value_of(value.id()) : -1);
  step.attrs = {AttrValue(static_cast<int64_t>(outputs.size())), AttrValue(differentiable)};
  add_results(std::move(step), {});
}

void ShapeRecorder::backward_next(int custom, Vals* arrived) {
  TraceStep step{TraceStep::Kind::kBackwardNext};
  IntList present;
  Vals results;
  for (const Val& value : *arrived) {
    present.push_back(value ? 1 : 0);
    if (value) results.push_back(value);
  }
  step.attrs = {AttrValue(static_cast<int64_t>(custom)), AttrValue(std::move(present))};
  add_results(std::move(step), results);
  auto next = results.begin();
  for (Val& value : *arrived)
    if (value) value = *next++;
}

void ShapeRecorder::backward_give(std::span<const Val> gradients) {
  TraceStep step{TraceStep::Kind::kBackwardGive};
  for (const Val& value : gradients) step.inputs.push_back(value ? value_of(value.id()) : -1);
  add_results(std::move(step), {});
}

void ShapeRecorder::backward_end(std::span<Val> results) {
  add_results(TraceStep{TraceStep::Kind::kBackwardEnd}, results);
}

uint64_t ShapeRecorder::symbols(ValueId id) const {
  return knows(id) ? trace_->symbols[value_of_[id]] : 0;
}

TraceReplay* ShapeRecorder::replay(const std::vector<int64_t>& sizes) {
  std::unique_ptr<TraceReplay>& known = replays_[sizes];
  if (!known) known = std::make_unique<TraceReplay>(*trace_, sizes);
  known->advance();
  return known.get();
}

SizeExpr ShapeRecorder::guess(int32_t value, int dim) {
  const int64_t now = trace_->values[value].shape[dim];
  const uint64_t open = trace_->symbols[value] & ~env_->fixed();
  const auto ask = [&](const std::vector<int64_t>& sizes, int64_t* out) {
    const TraceReplay* there = replay(sizes);
    if (!there->has(value)) return false;
    *out = there->shape(value)[dim];
    return true;
  };
  SizeExpr expr = fit_size(env_->hints(), open, now, ask);
  return expr && env_->hint(expr) == now ? expr : nullptr;
}

std::vector<SizeExpr> ShapeRecorder::dims(ValueId id) {
  const int32_t value = value_of(id);
  if (value < 0) return std::vector<SizeExpr>(graph_->meta(id).shape.rank());
  std::vector<SizeExpr>& dims = dims_[value];
  const int rank = trace_->values[value].shape.rank();
  for (int d = static_cast<int>(dims.size()); d < rank; ++d) {
    dims.push_back(guess(value, d));
    if (dims.back()) trace_->claims.push_back({value, d, dims.back()});
  }
  return dims;
}

}  // namespace msjit
