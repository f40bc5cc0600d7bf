#include "graph/shape_trace.h"

#include <algorithm>
#include <set>

#include "graph/control.h"
#include "graph/passes/passes.h"
#include "graph/size_fit.h"
#include "kernels/core/registry.h"

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

// Builds the graph of a trace, or of as much of it as has been recorded so far.
class TraceReplay {
 public:
  TraceReplay(const ShapeTrace& trace, std::span<const int64_t> sizes)
      : trace_(trace),
        sizes_(sizes.begin(), sizes.end()),
        graph_(std::make_shared<Graph>()),
        sink_(graph_) {
    graph_->name = trace.name;
    sink_.set_merging(false);
  }

  bool advance() {
    while (status_.ok() && next_ < trace_.steps.size()) status_ = run(trace_.steps[next_++]);
    return status_.ok();
  }
  bool has(int32_t value) const { return value < static_cast<int32_t>(values_.size()); }
  const Shape& shape(int32_t value) const { return values_[value].shape(); }

  Result<std::shared_ptr<Graph>> finish() {
    advance();
    MSJIT_OK(std::move(status_));
    for (const ShapeTrace::Claim& claim : trace_.claims) {
      int64_t said = 0;
      if (!evaluate(*claim.expr, sizes_, &said) || said != shape(claim.value)[claim.dim])
        return internal_error("[shapes] dimension {} of a value, got {}, expected {}", claim.dim,
                              shape(claim.value)[claim.dim], said);
    }
    for (const auto& [value, own] : trace_.outputs) {
      ValueId id = values_[value].id();
      const bool twice = own || std::find(graph_->outputs.begin(), graph_->outputs.end(), id) !=
                                    graph_->outputs.end();
      if (twice || graph_->producer(id).kind != NodeKind::kOp) {
        const Meta meta{graph_->meta(id).dtype, false, graph_->meta(id).shape};
        id = graph_->add_op(op_copy, std::span(&id, 1), {}, std::span(&meta, 1), {});
      }
      graph_->outputs.push_back(id);
    }
    graph_->overwrites = trace_.overwrites;
    if (trace_.branches) {  // what arms have left behind
      MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*graph_));
    }
    return graph_;
  }

 private:
  Result<int64_t> size(const TracedSize& traced) const {
    int64_t value = 0;
    if (evaluate(*traced.expr, sizes_, &value)) return value;
    return internal_error("[shapes] a size beyond 64 bits");
  }

  Status run(const TraceStep& step) {
    sink_.set_location(step.location);
    first_node_.push_back(static_cast<int32_t>(graph_->nodes.size()));
    Vals results;
    switch (step.kind) {
      case TraceStep::Kind::kInput: {
        MSJIT_TRY(Meta meta, input_meta(step));
        results = {sink_.input(meta)};
        break;
      }
      case TraceStep::Kind::kScalar: results = {sink_.input(trace_.values[step.first])}; break;
      case TraceStep::Kind::kConstant: results = {sink_.constant(step.constant)}; break;
      case TraceStep::Kind::kApply: {
        MSJIT_TRY(results, apply(step));
        break;
      }
      case TraceStep::Kind::kIndex: {
        MSJIT_TRY(Val value, index(step));
        results = {value};
        break;
      }
      case TraceStep::Kind::kCopy: results = {copy(values_[step.inputs[0]])}; break;
      case TraceStep::Kind::kPlaceholder: {
        const Meta meta = values_[step.inputs[0]].meta();
        results = {sink_.value(graph_->add_placeholder(meta))};
        break;
      }
      case TraceStep::Kind::kRow: {
        const Meta meta = row_meta(values_[step.inputs[0]].meta());
        results = {sink_.value(graph_->add_placeholder(meta))};
        break;
      }
      case TraceStep::Kind::kScan: {
        MSJIT_TRY(results, scan(step));
        break;
      }
      case TraceStep::Kind::kIf:
      case TraceStep::Kind::kWhile: {
        MSJIT_TRY(results, control(step));
        break;
      }
      case TraceStep::Kind::kScope:
        scopes_.set(first_node_.back(), static_cast<int>(step.attrs[0].as_int()),
                    step.attrs[1].as_bool());
        sink_.set_differentiable(scopes_.level() > 0);
        break;
      case TraceStep::Kind::kGradients: {
        MSJIT_TRY(results, gradients(step));
        break;
      }
    }
    return check(step, results);
  }

  Val copy(const Val& from) {
    const ValueId id = from.id();
    const Meta meta = from.meta();
    return sink_.value(
        graph_->add_op(op_copy, std::span(&id, 1), {}, std::span(&meta, 1), sink_.location()));
  }

  Result<Vals> control(const TraceStep& step) {
    Vals in;
    for (int32_t value : step.inputs) in.push_back(values_[value]);
    const std::span<const Val> all = in;
    const size_t count = static_cast<size_t>(step.count);
    const int32_t first = first_node_[step.mark];
    if (step.kind == TraceStep::Kind::kIf) {
      const auto one = all.subspan(1, count), other = all.subspan(1 + count, count);
      MSJIT_OK(check_pairs(one, other));
      for (const Val& value : all.subspan(1)) MSJIT_OK(check_view(value, first));
      return build_if(sink_, in[0], first, one, other);
    }
    const auto inside = all.subspan(count, count), next = all.subspan(2 * count + 1, count);
    MSJIT_OK(check_pairs(inside, next));
    for (const Val& value : next) MSJIT_OK(check_view(value, first));
    return build_while(sink_, first, all.first(count), inside, in[2 * count], next);
  }

  Result<Vals> scan(const TraceStep& step) {
    auto next = step.inputs.begin();
    const auto take = [&](size_t count) {
      Vals values;
      for (size_t i = 0; i < count; ++i) values.push_back(values_[*next++]);
      return values;
    };
    const auto carried = static_cast<size_t>(step.attrs[0].as_int());
    const auto scanned = static_cast<size_t>(step.attrs[1].as_int());
    ScanParts parts;
    parts.length = step.attrs[2].as_int();
    if (!step.sizes.empty()) {
      MSJIT_TRY(parts.length, size(step.sizes[0]));
    }
    parts.initial = take(carried);
    parts.inside = take(carried);
    parts.sequences = take(scanned);
    parts.rows = take(scanned);
    parts.next = take(carried);
    parts.stacked = take(static_cast<size_t>(step.inputs.end() - next));
    if (parts.length < 1) return internal_error("[shapes] a loop without turns");
    MSJIT_OK(check_pairs(parts.inside, parts.next));
    for (const Val& x : parts.sequences)
      if (x.shape().rank() == 0 || x.shape()[0] != parts.length)
        return internal_error("[shapes] rows of a loop, got {}, expected {}", x.shape().str(),
                              parts.length);
    const int32_t first = first_node_[step.mark];
    for (const Val& value : parts.next) MSJIT_OK(check_view(value, first));
    return build_scan(sink_, first, parts);
  }

  Result<Vals> gradients(const TraceStep& step) {
    Vals in;
    for (int32_t value : step.inputs) in.push_back(value < 0 ? Val() : values_[value]);
    const std::span<const Val> all = in;
    const auto count = static_cast<size_t>(step.attrs[0].as_int());
    return pull_back(sink_, scopes_, all.first(count), all.subspan(count, count),
                     all.subspan(2 * count), step.attrs[1].as_bool());
  }

  static Status check_pairs(std::span<const Val> a, std::span<const Val> b) {
    for (size_t i = 0; i < a.size(); ++i)
      if (!can_join(a[i].meta(), b[i].meta()))
        return internal_error("[shapes] values of a branch, got {} and {}", a[i].meta().str(),
                              b[i].meta().str());
    return {};
  }

  // As the join rule asks: what an arm has made is no view of a tensor from outside.
  Status check_view(const Val& value, int32_t first) const {
    const auto inside = [&](ValueId id) {
      return graph_->values[id].node >= first && graph_->producer(id).kind == NodeKind::kOp;
    };
    ValueId root = value.id();
    while (inside(root) && !graph_->producer(root).is_control() &&
           graph_->producer(root).op->has(kView))
      root = graph_->producer(root).inputs[0];
    if (root == value.id() || (inside(root) && !graph_->producer(root).is_control())) return {};
    return internal_error("[shapes] a view of a tensor made outside the arm");
  }

  Result<Meta> input_meta(const TraceStep& step) const {
    Meta meta = trace_.values[step.first];
    for (const TracedSize& traced : step.sizes) {
      MSJIT_TRY(meta.shape[traced.at], size(traced));
      if (meta.shape[traced.at] < 0) return internal_error("[shapes] a negative dimension");
    }
    if (checked_numel(meta.shape) < 0) return internal_error("[shapes] too many elements");
    return meta;
  }

  Result<Vals> apply(const TraceStep& step) {
    Attrs attrs = step.attrs;
    for (const TracedSize& traced : step.sizes) {
      MSJIT_TRY(const int64_t value, size(traced));
      AttrValue& attr = attrs[traced.at];
      if (traced.item < 0) {
        const bool real = attr.kind() == AttrValue::Kind::kFloat;
        attr = real ? AttrValue(static_cast<double>(value)) : AttrValue(value);
      } else {
        IntList list = attr.as_list();
        list[traced.item] = value;
        attr = AttrValue(std::move(list));
      }
    }
    Vals in;
    for (int32_t value : step.inputs) in.push_back(value < 0 ? Val() : values_[value]);
    return sink_.apply(*step.op, in, attrs);
  }

  Result<Val> index(const TraceStep& step) {
    std::vector<IndexItem> items = step.items;
    for (const TracedSize& traced : step.sizes) {
      IndexItem& item = items[traced.at];
      int64_t& field = traced.item == 0 ? item.start : traced.item == 1 ? item.stop : item.step;
      MSJIT_TRY(field, size(traced));
    }
    return index_in_graph(values_[step.inputs[0]], items);
  }

  // What Python code may have been told of the results.
  Status check(const TraceStep& step, Vals& results) {
    if (static_cast<int32_t>(results.size()) != step.count)
      return internal_error("[shapes] number of results, got {}, expected {}", results.size(),
                            step.count);
    for (int32_t i = 0; i < step.count; ++i) {
      const Meta& got = results[i].meta();
      const Meta& captured = trace_.values[step.first + i];
      if (got.dtype != captured.dtype || got.weak != captured.weak ||
          got.shape.rank() != captured.shape.rank())
        return internal_error("[shapes] a result, got {}, captured {}", got.str(), captured.str());
      if (trace_.branches && !known_.insert(results[i].id()).second) results[i] = copy(results[i]);
      values_.push_back(std::move(results[i]));
    }
    return {};
  }

  const ShapeTrace& trace_;
  std::vector<int64_t> sizes_;
  std::shared_ptr<Graph> graph_;
  GraphSink sink_;
  GradScopes scopes_;
  Vals values_;
  std::set<ValueId> known_;
  std::vector<int32_t> first_node_;  // by step: the nodes there were before it
  size_t next_ = 0;
  Status status_;
};

Result<std::shared_ptr<Graph>> build_graph(const ShapeTrace& trace,
                                           std::span<const int64_t> sizes) {
  return TraceReplay(trace, sizes).finish();
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

// A call may hand back a value that is known already; here every result is a value of its own.
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

void ShapeRecorder::pulled_back(std::span<const Val> outputs, std::span<const Val> seeds,
                                std::span<const Val> wrt, bool differentiable,
                                std::span<Val> results) {
  TraceStep step{TraceStep::Kind::kGradients};
  for (const auto values : {outputs, seeds, wrt})
    for (const Val& value : values) step.inputs.push_back(value ? value_of(value.id()) : -1);
  step.attrs = {AttrValue(static_cast<int64_t>(outputs.size())), AttrValue(differentiable)};
  add_results(std::move(step), results);
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
