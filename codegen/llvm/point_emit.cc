#include "codegen/llvm/point_emit.h"

namespace msjit::llvm_backend {

using llvm::Value;

PointEmitter::PointEmitter(const KernelSpec& spec, llvm::Function* function)
    : spec_(spec),
      b_(function->getContext()),
      scalar_(b_),
      function_(function),
      inner_(spec.dims.rank() - 1) {
  b_.SetInsertPoint(llvm::BasicBlock::Create(function->getContext(), "entry", function));
  for (const KernelStage& stage : spec.stages) classify(stage);
}

void PointEmitter::set_arguments(std::vector<Value*> operands, std::vector<Value*> sizes) {
  bases_ = std::move(operands);
  size_arguments_ = std::move(sizes);
  ivs_.assign(spec_.dims.rank(), nullptr);
  rows_ = bases_;
}

void PointEmitter::Varies::join(const Varies& other) {
  inner |= other.inner;
  folded |= other.folded;
  ever |= other.ever;
}

PointEmitter::Varies PointEmitter::varies(int32_t operand) const {
  // The result of a reduction is one value for all lanes that reduce it together.
  if (operand < 0) return {.inner = !inner_reduced(), .ever = true};
  Varies v;
  for (int d = 0; d <= inner_; ++d)
    if (spec_.operands[operand].strides[d] != 0)
      v.join({.inner = d == inner_, .folded = spec_.is_reduced(d), .ever = true});
  return v;
}

PointEmitter::Level PointEmitter::level_of(const Varies& v) const {
  if (!v.ever) return kOnce;
  if (!v.inner) return kRow;
  return spec_.has_reduces() && !inner_reduced() && !v.folded ? kColumn : kElement;
}

void PointEmitter::classify(const KernelStage& stage) {
  std::vector<Varies> all;
  for (const ScalarNode& node : stage.body) {
    Varies& v = all.emplace_back();
    if (node.op == ScalarOp::kInput) {
      v = varies(node.a);
    } else {
      for (int32_t operand : {node.a, node.b, node.c})
        if (operand >= 0) v.join(all[static_cast<size_t>(operand)]);
    }
  }
  std::vector<Level>& levels = levels_.emplace_back();
  for (const Varies& v : all) levels.push_back(level_of(v));
  uniform_.emplace_back(stage.body.size(), nullptr);
  first_reduce_.push_back(reduces_.size());
  for (const KernelReduce& r : stage.reduces)
    reduces_.push_back({r.kind, compute_type(stage.body[static_cast<size_t>(r.node)].dtype)});
}

void PointEmitter::enter_kernel() {
  for (size_t s = 0; s < spec_.stages.size(); ++s) compute_uniform(s, kOnce);
}

void PointEmitter::enter_stage(size_t stage) {
  stage_ = stage;
  folded_.assign(reduces_.size(), nullptr);
  for (const ScalarNode& node : this->stage().body)
    if (node.op == ScalarOp::kInput && node.a < 0)
      folded_[static_cast<size_t>(-1 - node.a)] = reduced_value(node, {i64(0), 1}, width_, 0);
  reset_accumulators(unroll_, width_);
  if (rest_by_one_) reset_accumulators(1, 1);
}

void PointEmitter::enter_stage(size_t stage, std::span<const Lanes> columns) {
  stage_ = stage;
  const int copies = static_cast<int>(columns.size());
  columns_.assign(columns.size(), {});
  enter_row();
  for (int u = 0; u < copies; ++u) compute_columns(columns[static_cast<size_t>(u)], u);
  reset_accumulators(copies, columns[0].width);
}

void PointEmitter::enter_row() {
  for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
  compute_uniform(stage_, kRow);
}

void PointEmitter::compute_uniform(size_t stage, Level level) {
  const std::vector<ScalarNode>& body = spec_.stages[stage].body;
  std::vector<Value*>& values = uniform_[stage];
  for (size_t i = 0; i < body.size(); ++i)
    if (levels_[stage][i] == level) values[i] = compute(body, i, values, {i64(0), 1});
}

void PointEmitter::compute_columns(const Lanes& lanes, int copy) {
  const std::vector<ScalarNode>& body = stage().body;
  std::vector<Value*>& values = columns_[static_cast<size_t>(copy)];
  values.assign(body.size(), nullptr);
  for (size_t i = 0; i < body.size(); ++i) {
    const ScalarNode& node = body[i];
    if (levels_[stage_][i] < kColumn)
      values[i] = across(i, lanes.width);
    else if (levels_[stage_][i] == kColumn)
      values[i] = node.op == ScalarOp::kInput && node.a < 0 ? reduced_value(node, lanes, 1, copy)
                                                            : compute(body, i, values, lanes);
  }
}

// A value that is constant along the row, copied to all lanes.
Value* PointEmitter::across(size_t i, int width) {
  const ScalarNode& node = stage().body[i];
  if (node.op == ScalarOp::kConst) return scalar_.constant(node, width);
  return scalar_.splat(uniform_[stage_][i], width);
}

void PointEmitter::element(const Lanes& lanes, int copy) {
  const std::vector<ScalarNode>& body = stage().body;
  std::vector<Value*> values(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    const Level level = levels_[stage_][i];
    values[i] = level == kElement  ? compute(body, i, values, lanes)
                : level == kColumn ? columns_[static_cast<size_t>(copy)][i]
                                   : across(i, lanes.width);
  }
  for (const KernelStore& s : stage().stores) store(s.operand, values[s.node], lanes);
  for (size_t i = 0; i < stage().reduces.size(); ++i) {
    const KernelReduce& reduce = stage().reduces[i];
    const size_t r = first_reduce_[stage_] + i;
    llvm::AllocaInst* variable = accumulator(r, copy, lanes.width).current;
    Value* acc = b_.CreateLoad(variable->getAllocatedType(), variable);
    Value* x = scalar_.fold(reduce.kind, reduces_[r].dtype, acc, values[reduce.node]);
    bool drop = lanes.mask && inner_reduced();
    b_.CreateStore(drop ? b_.CreateSelect(lanes.mask, x, acc) : x, variable);
  }
}

Value* PointEmitter::compute(const std::vector<ScalarNode>& nodes, size_t i,
                             const std::vector<Value*>& values, const Lanes& lanes) {
  const ScalarNode& node = nodes[i];
  if (node.op == ScalarOp::kConst) return scalar_.constant(node, lanes.width);
  if (node.op == ScalarOp::kInput)
    return node.a < 0 ? folded_[static_cast<size_t>(-1 - node.a)] : load(node.a, lanes);
  auto at = [&](int32_t n) { return n < 0 ? nullptr : values[n]; };
  return scalar_.op(node, nodes[node.a].dtype, at(node.a), at(node.b), at(node.c), lanes.width);
}

void PointEmitter::tail(const Lanes& lanes, int folded, int copy) {
  if (reduces_.empty()) return;
  for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
  std::vector<Value*> values(spec_.tail.size());
  for (size_t i = 0; i < spec_.tail.size(); ++i) {
    const ScalarNode& node = spec_.tail[i];
    bool reduced = node.op == ScalarOp::kInput && node.a < 0;
    values[i] =
        reduced ? reduced_value(node, lanes, folded, copy) : compute(spec_.tail, i, values, lanes);
  }
  for (const KernelStore& s : spec_.tail_stores) store(s.operand, values[s.node], lanes);
}

}  // namespace msjit::llvm_backend
