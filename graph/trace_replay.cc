#include "graph/trace_replay.h"

#include <algorithm>

#include "graph/control.h"
#include "graph/passes/passes.h"

namespace msjit {

extern const OpDef op_copy;

TraceReplay::TraceReplay(const ShapeTrace& trace, std::span<const int64_t> sizes)
    : trace_(trace),
      sizes_(sizes.begin(), sizes.end()),
      graph_(std::make_shared<Graph>()),
      sink_(graph_) {
  graph_->name = trace.name;
  sink_.set_merging(false);
}

bool TraceReplay::advance() {
  while (status_.ok() && next_ < trace_.steps.size()) status_ = run(trace_.steps[next_++]);
  return status_.ok();
}

Result<std::shared_ptr<Graph>> TraceReplay::finish() {
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
  graph_->writes_early = trace_.writes_early;
  if (trace_.branches) {  // the originals of arms and bodies
    MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*graph_));
  }
  return graph_;
}

Result<int64_t> TraceReplay::size(const TracedSize& traced) const {
  int64_t value = 0;
  if (evaluate(*traced.expr, sizes_, &value)) return value;
  return internal_error("[shapes] a size beyond 64 bits");
}

Status TraceReplay::run(const TraceStep& step) {
  sink_.set_location(step.location);
  first_node_.push_back(static_cast<int32_t>(graph_->nodes.size()));
  MSJIT_TRY(Vals results, results_of(step));
  return check(step, results);
}

Result<Vals> TraceReplay::results_of(const TraceStep& step) {
  switch (step.kind) {
    case TraceStep::Kind::kInput: return input(step);
    case TraceStep::Kind::kScalar: return Vals{sink_.input(trace_.values[step.first])};
    case TraceStep::Kind::kConstant: return Vals{sink_.constant(step.constant)};
    case TraceStep::Kind::kApply: return apply(step);
    case TraceStep::Kind::kIndex: return index(step);
    case TraceStep::Kind::kCopy: return Vals{copy(values_[step.inputs[0]])};
    case TraceStep::Kind::kPlaceholder: return placeholder(values_[step.inputs[0]].meta());
    case TraceStep::Kind::kRow: return placeholder(row_meta(values_[step.inputs[0]].meta()));
    case TraceStep::Kind::kScan: return scan(step);
    case TraceStep::Kind::kIf:
    case TraceStep::Kind::kWhile: return control(step);
    case TraceStep::Kind::kScope: return scope(step);
    case TraceStep::Kind::kDraws: return draws(step);
    case TraceStep::Kind::kCustom: return custom(step);
    case TraceStep::Kind::kBackward: return begin_backward(step);
    case TraceStep::Kind::kBackwardNext: return next_custom(step);
    case TraceStep::Kind::kBackwardGive: return give_gradients(step);
    case TraceStep::Kind::kBackwardEnd: return end_backward();
  }
  return internal_error("[shapes] a step of an unknown kind");
}

Vals TraceReplay::placeholder(const Meta& meta) {
  return {sink_.value(graph_->add_placeholder(meta))};
}

Vals TraceReplay::scope(const TraceStep& step) {
  scopes_.set(first_node_.back(), static_cast<int>(step.attrs[0].as_int()),
              step.attrs[1].as_bool());
  sink_.set_differentiable(scopes_.level() > 0);
  return {};
}

Vals TraceReplay::draws(const TraceStep& step) {
  sink_.draw_again(static_cast<int>(step.attrs[0].as_int()));
  return {};
}

Val TraceReplay::copy(const Val& from) {
  const ValueId id = from.id();
  const Meta meta = from.meta();
  return sink_.value(
      graph_->add_op(op_copy, std::span(&id, 1), {}, std::span(&meta, 1), sink_.location()));
}

Result<Vals> TraceReplay::control(const TraceStep& step) {
  Vals in;
  for (int32_t value : step.inputs) in.push_back(values_[value]);
  const std::span<const Val> all = in;
  const size_t count = static_cast<size_t>(step.count);
  const int32_t first = first_node_[step.mark];
  if (step.kind == TraceStep::Kind::kIf) {
    const auto one = all.subspan(1, count), other = all.subspan(1 + count, count);
    MSJIT_OK(check_pairs(one, other));
    return build_if(sink_, in[0], first, one, other);
  }
  const auto inside = all.subspan(count, count), next = all.subspan(2 * count + 1, count);
  MSJIT_OK(check_pairs(inside, next));
  return build_while(sink_, first, all.first(count), inside, in[2 * count], next);
}

Result<Vals> TraceReplay::scan(const TraceStep& step) {
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
  return build_scan(sink_, first, parts);
}

Vals TraceReplay::values(std::span<const int32_t> traced) const {
  Vals found;
  for (int32_t value : traced) found.push_back(value < 0 ? Val() : values_[value]);
  return found;
}

Vals TraceReplay::custom(const TraceStep& step) {
  CustomStep custom;
  const auto inputs = static_cast<size_t>(step.attrs[0].as_int());
  for (size_t i = 0; i < step.inputs.size(); ++i)
    (i < inputs ? custom.inputs : custom.outputs).push_back(values_[step.inputs[i]].id());
  scopes_.add_custom(std::move(custom));
  return {};
}

Result<Vals> TraceReplay::begin_backward(const TraceStep& step) {
  const Vals in = values(step.inputs);
  const std::span<const Val> all = in;
  const auto count = static_cast<size_t>(step.attrs[0].as_int());
  passes_.push_back({Pullback(sink_, scopes_, step.attrs[1].as_bool()), -1});
  MSJIT_OK(passes_.back().pullback.begin(all.first(count), all.subspan(count, count),
                                         all.subspan(2 * count)));
  return Vals{};
}

Result<Vals> TraceReplay::next_custom(const TraceStep& step) {
  Pass& pass = passes_.back();
  MSJIT_TRY(pass.custom, pass.pullback.next());
  const Vals arrived = pass.custom < 0 ? Vals() : pass.pullback.arrived(pass.custom);
  IntList present;
  for (const Val& value : arrived) present.push_back(value ? 1 : 0);
  if (pass.custom != step.attrs[0].as_int() || !(present == step.attrs[1].as_list()))
    return internal_error("[shapes] a step with a custom gradient, got {}, captured {}",
                          pass.custom, step.attrs[0].as_int());
  Vals results;
  for (const Val& value : arrived)
    if (value) results.push_back(value);
  return results;
}

Result<Vals> TraceReplay::give_gradients(const TraceStep& step) {
  Pass& pass = passes_.back();
  MSJIT_OK(pass.pullback.give(pass.custom, values(step.inputs)));
  return Vals{};
}

Result<Vals> TraceReplay::end_backward() {
  Pullback& pullback = passes_.back().pullback;
  MSJIT_TRY(const int custom, pullback.next());
  if (custom >= 0)
    return internal_error("[shapes] a step with a custom gradient, got {}, captured none", custom);
  MSJIT_TRY(Vals results, pullback.finish());
  passes_.pop_back();
  return results;
}

Status TraceReplay::check_pairs(std::span<const Val> a, std::span<const Val> b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!can_join(a[i].meta(), b[i].meta()))
      return internal_error("[shapes] values of a branch, got {} and {}", a[i].meta().str(),
                            b[i].meta().str());
  return {};
}

Result<Vals> TraceReplay::input(const TraceStep& step) {
  Meta meta = trace_.values[step.first];
  for (const TracedSize& traced : step.sizes) {
    MSJIT_TRY(meta.shape[traced.at], size(traced));
    if (meta.shape[traced.at] < 0) return internal_error("[shapes] a negative dimension");
  }
  if (checked_numel(meta.shape) < 0) return internal_error("[shapes] too many elements");
  return Vals{sink_.input(meta)};
}

Result<Vals> TraceReplay::apply(const TraceStep& step) {
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

Result<Vals> TraceReplay::index(const TraceStep& step) {
  std::vector<IndexItem> items = step.items;
  for (const TracedSize& traced : step.sizes) {
    IndexItem& item = items[traced.at];
    int64_t& field = traced.item == 0 ? item.start : traced.item == 1 ? item.stop : item.step;
    MSJIT_TRY(field, size(traced));
  }
  MSJIT_TRY(Val value, index_in_graph(values_[step.inputs[0]], items));
  return Vals{std::move(value)};
}

Status TraceReplay::check(const TraceStep& step, Vals& results) {
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

Result<std::shared_ptr<Graph>> build_graph(const ShapeTrace& trace,
                                           std::span<const int64_t> sizes) {
  return TraceReplay(trace, sizes).finish();
}

}  // namespace msjit
