#include "kernels/core/op.h"
#include "kernels/device/device_tensors.h"

#include <algorithm>

namespace msjit {
namespace {

Shape broadcast_shape_or_empty(const Shape& a, const Shape& b, bool* ok) {
  const int rank = std::max(a.rank(), b.rank());
  Shape out;
  out.set_rank(rank);
  *ok = true;
  for (int i = 0; i < rank; ++i) {
    int ia = i - (rank - a.rank());
    int ib = i - (rank - b.rank());
    Dim da = ia < 0 ? 1 : a[ia];
    Dim db = ib < 0 ? 1 : b[ib];
    if (da != db && da != 1 && db != 1) *ok = false;
    out[i] = da == 1 ? db : da;
  }
  return out;
}

}  // namespace

const char* InferCtx::name() const { return op.name; }

Status InferCtx::require_eq(Dim a, Dim b, const char* what) const {
  if (a == b) return {};
  std::string shapes;
  for (int i = 0, count = 0; i < num_inputs() && count < 4; ++i) {
    if (!has(i)) continue;
    shapes += (count++ ? ", " : "") + in(i).shape.str();
  }
  return value_error("[{}] {} must match, got {} and {} in shapes {}", op.name, what, a, b, shapes);
}

Result<int> InferCtx::axis(int64_t axis, int rank) const {
  int64_t span = std::max(rank, 1);  // as NumPy, a 0-d tensor has axes 0 and -1
  if (axis < -span || axis >= span) {
    return value_error("[{}] axis is out of range, got {}, expected {} to {}", op.name, axis, -span,
                       span - 1);
  }
  return static_cast<int>(axis < 0 ? axis + span : axis);
}

Result<IntList> InferCtx::axes(const AttrValue& axes, int rank) const {
  IntList list;
  if (axes.is_none() || (axes.kind() == AttrValue::Kind::kIntList && axes.as_list().empty())) {
    for (int i = 0; i < rank; ++i) list.push_back(i);
    return list;
  }
  auto add = [&](int64_t item) -> Status {
    MSJIT_TRY(int normal, axis(item, rank));
    if (rank > 0) list.push_back(normal);
    return {};
  };
  if (axes.kind() == AttrValue::Kind::kIntList) {
    for (int64_t item : axes.as_list()) MSJIT_OK(add(item));
  } else {
    MSJIT_OK(add(axes.as_int()));
  }
  std::sort(list.begin(), list.end());
  if (std::adjacent_find(list.begin(), list.end()) != list.end()) {
    return value_error("[{}] axes must be distinct, got {}", op.name, axes.str());
  }
  return list;
}

Result<Shape> InferCtx::broadcast(const Shape& a, const Shape& b) const {
  if (a == b) return a;
  bool ok;
  Shape out = broadcast_shape_or_empty(a, b, &ok);
  if (ok && checked_numel(out) >= 0) return out;
  if (ok) return memory_error("[{}] shape is too large, got {}", op.name, out.str());
  return value_error("[{}] shapes cannot be broadcast, got {} and {}", op.name, a.str(), b.str());
}

OpBuilder&& OpBuilder::elementwise(DTypeRule rule) && {
  def_.dtype_rule = rule;
  def_.traits |= kElementwise;
  def_.infer = elementwise_infer;
  return std::move(*this);
}

OpBuilder&& OpBuilder::unary(DTypeRule rule) && {
  return std::move(*this).signature("x: Tensor").elementwise(rule);
}

OpBuilder&& OpBuilder::binary(DTypeRule rule) && {
  return std::move(*this).signature("x: Tensor, y: Tensor").elementwise(rule);
}

OpBuilder&& OpBuilder::ternary(DTypeRule rule) && {
  return std::move(*this).signature("x: Tensor, y: Tensor, z: Tensor").elementwise(rule);
}

// The operand that decides by kScalarYields; null: both do.
static const Meta* deciding_operand(const OpDef& op, std::span<const Meta* const> inputs) {
  if (!op.has(kScalarYields) || inputs.size() != 2 || !inputs[0] || !inputs[1]) return nullptr;
  const Meta &a = *inputs[0], &b = *inputs[1];
  const bool alike = (is_float(a.dtype) && is_float(b.dtype)) ||
                     (is_integer(a.dtype) && is_integer(b.dtype) && mixable(a.dtype, b.dtype));
  if (a.weak || b.weak || !alike || (a.shape.rank() == 0) == (b.shape.rank() == 0)) return nullptr;
  return a.shape.rank() == 0 ? &b : &a;
}

DType compute_dtype(const OpDef& op, std::span<const Meta* const> inputs) {
  DTypeRule rule = op.dtype_rule;
  if (const Meta* const one = deciding_operand(op, inputs)) return compute_dtype(op, {&one, 1});
  if (rule == DTypeRule::kLogical) return DType::kBool;
  if (rule == DTypeRule::kCast) return inputs[0]->dtype;  // of a number too
  size_t first = rule == DTypeRule::kSelect ? 1 : 0;
  // Strong operands decide first: promoting a weak one with them early would make it strong.
  bool any = false;
  bool any_strong = false;
  DType strong = DType::kBool;
  DType weak = DType::kBool;
  for (size_t i = first; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    const Meta& meta = *inputs[i];
    any = true;
    if (meta.weak) {
      weak = wider(weak, meta.dtype);
    } else {
      strong = any_strong ? promote(strong, false, meta.dtype, false) : meta.dtype;
      any_strong = true;
    }
  }
  DType result = !any         ? DType::kFloat32
                 : any_strong ? promote(strong, false, weak, true)
                              : promote(weak, true, weak, true);
  if (rule == DTypeRule::kFloat && !is_inexact(result)) return DType::kFloat32;
  if (rule == DTypeRule::kNumeric && result == DType::kBool) return DType::kInt32;
  return result;
}

// An error for tensors whose dtypes MindSpore does not mix. Python numbers mix with any.
static Status check_mixable(const InferCtx& ctx, std::span<const Meta* const> metas) {
  const DTypeRule rule = ctx.op.dtype_rule;
  if (rule == DTypeRule::kLogical || rule == DTypeRule::kCast) return {};
  const Meta* first = nullptr;
  for (size_t i = rule == DTypeRule::kSelect ? 1 : 0; i < metas.size(); ++i) {
    if (!metas[i] || metas[i]->weak) continue;
    if (first && !mixable(first->dtype, metas[i]->dtype))
      return type_error(
          "[{}] dtypes, got {} and {}, expected equal ones: uint16, uint32 and uint64 are not "
          "converted implicitly",
          ctx.name(), dtype_name(first->dtype), dtype_name(metas[i]->dtype));
    if (!first || is_bool(first->dtype)) first = metas[i];
  }
  return {};
}

namespace {

thread_local Device g_tables;  // where constants of the current composite or rule go

Status mixed_devices(const InferCtx& ctx, Device a, Device b) {
  return runtime_error("[{}] devices of the tensors, got {} and {}, expected the same", ctx.name(),
                       a.str(), b.str());
}

// Results go where the inputs are. A single number on the host may be mixed with device tensors.
Status place_outputs(InferCtx& ctx) {
  if (!devices::in_use()) [[likely]]
    return {};
  Device where;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.has(i) || ctx.in(i).device.is_host()) [[likely]]
      continue;
    if (!where.is_host() && ctx.in(i).device != where)
      return mixed_devices(ctx, where, ctx.in(i).device);
    where = ctx.in(i).device;
  }
  if (where.is_host()) {
    if (!ctx.op.has(kCreates)) [[likely]]
      return {};
    where = g_tables.is_host() ? default_device() : g_tables;
    if (where.is_host()) return {};
  } else {
    for (int i = 0; i < ctx.num_inputs(); ++i)
      if (ctx.has(i) && ctx.in(i).device.is_host() && ctx.in(i).shape.rank() > 0)
        return mixed_devices(ctx, ctx.in(i).device, where);
  }
  for (Meta& meta : ctx.outputs) meta.device = where;
  return {};
}

}  // namespace

Status infer_outputs(InferCtx& ctx) {
  if (!ctx.op.has(kComplex)) {
    const auto refuse = [&](DType dtype) {
      return type_error("[{}] dtype is not supported, got {}, expected a real one", ctx.name(),
                        dtype_name(dtype));
    };
    for (int i = 0; i < ctx.num_inputs(); ++i)
      if (ctx.has(i) && is_complex(ctx.in(i).dtype)) return refuse(ctx.in(i).dtype);
    for (const AttrValue& value : ctx.attrs)
      if (value.kind() == AttrValue::Kind::kDType && is_complex(value.as_dtype()))
        return refuse(value.as_dtype());
  }
  MSJIT_OK(ctx.op.infer(ctx));
  return place_outputs(ctx);
}

TableScope::TableScope(OpSink* sink, std::span<const Val> inputs) : outer_(g_tables) {
  g_tables = {};
  if (!devices::in_use()) [[likely]]
    return;
  for (const Val& input : inputs)
    if (input && !sink->meta(input).device.is_host()) g_tables = sink->meta(input).device;
}
TableScope::~TableScope() { g_tables = outer_; }

Vals OpDef::expand(OpSink* sink, std::span<const Val> inputs, const Attrs& attrs) const {
  const TableScope tables(sink, inputs);
  return composite(sink, inputs, attrs);
}

Tensor place_table(OpSink* sink, Tensor table) {
  if (g_tables.is_host() || table.rank() == 0 || !table.device().is_host()) [[likely]]
    return table;
  auto placed = devices::to_device(table, g_tables);
  if (placed.ok()) return placed.take();
  sink->poison(placed.take_error());
  return table;
}

Status elementwise_infer(InferCtx& ctx) {
  InlineVec<const Meta*, 4> metas;
  for (int i = 0; i < ctx.num_inputs(); ++i) metas.push_back(ctx.has(i) ? &ctx.in(i) : nullptr);
  MSJIT_OK(check_mixable(ctx, metas));
  DType compute = compute_dtype(ctx.op, metas);
  DTypeRule rule = ctx.op.dtype_rule;
  if (rule == DTypeRule::kInteger && is_inexact(compute)) {
    return type_error("[{}] dtype is not supported, got {}, expected bool or an integer",
                      ctx.name(), dtype_name(compute));
  }
  DType result = compute;
  if (rule == DTypeRule::kBoolResult || rule == DTypeRule::kLogical) result = DType::kBool;
  if (rule == DTypeRule::kCast) result = ctx.attrs[0].as_dtype();
  const Shape* shape = nullptr;
  Shape merged;
  for (const Meta* meta : metas) {
    if (!meta) continue;
    if (!shape) {
      shape = &meta->shape;
    } else if (!(*shape == meta->shape)) {
      MSJIT_TRY(merged, ctx.broadcast(*shape, meta->shape));
      shape = &merged;
    }
  }
  ctx.add_output(result, shape ? *shape : merged);
  return {};
}

}  // namespace msjit
