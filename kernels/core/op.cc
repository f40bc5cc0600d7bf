#include "kernels/core/op.h"
#include "kernels/device/device_tensors.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace msjit {
namespace {

[[noreturn]] void bad_signature(std::string_view text) {
  std::fprintf(stderr, "msjit: malformed signature: %.*s\n", static_cast<int>(text.size()),
               text.data());
  std::abort();
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool take_suffix(std::string_view* text, std::string_view suffix) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

// Splits at top-level commas: those inside [] or quotes do not count.
std::vector<std::string_view> split_params(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    if (c == '"') quoted = !quoted;
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    bool end = i == text.size() || (c == ',' && depth == 0 && !quoted);
    if (!end) continue;
    std::string_view part = trim(text.substr(start, i - start));
    if (!part.empty()) parts.push_back(part);
    start = i + 1;
  }
  return parts;
}

template <class T>
bool parse_number(std::string_view text, T* out) {
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, *out);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

AttrValue parse_list(std::string_view text, std::string_view whole) {
  IntList items;
  for (std::string_view part : split_params(text.substr(1, text.size() - 2))) {
    int64_t item = 0;
    if (!parse_number(part, &item)) bad_signature(whole);
    items.push_back(item);
  }
  return items;
}

AttrValue parse_default(std::string_view text, ParamKind kind, std::string_view whole) {
  if (text == "None") return {};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
    return text.substr(1, text.size() - 2);
  }
  if (text.size() >= 2 && (text.front() == '[' || text.front() == '(')) {
    return parse_list(text, whole);
  }
  if (kind == ParamKind::kDType) {
    DType dtype;
    if (!dtype_from_name(text, &dtype)) bad_signature(whole);
    return dtype;
  }
  int64_t integer = 0;
  if (kind != ParamKind::kFloat && parse_number(text, &integer)) {
    if (kind == ParamKind::kIntList) return IntList{integer};
    return integer;
  }
  double number = 0;
  if (!parse_number(text, &number)) bad_signature(whole);
  return number;
}

ParamKind parse_kind(std::string_view type, bool optional, std::string_view whole) {
  if (type == "Tensor") return optional ? ParamKind::kOptionalTensor : ParamKind::kTensor;
  struct Row {
    std::string_view name;
    ParamKind kind;
  };
  static constexpr Row kRows[] = {
      {"Tensor[]", ParamKind::kTensorList},
      {"bool", ParamKind::kBool},
      {"int", ParamKind::kInt},
      {"float", ParamKind::kFloat},
      {"number", ParamKind::kNumber},
      {"int[]", ParamKind::kIntList},
      {"dtype", ParamKind::kDType},
      {"str", ParamKind::kString},
  };
  for (const Row& row : kRows) {
    if (row.name == type) return row.kind;
  }
  bad_signature(whole);
}

Param parse_param(std::string_view text, std::string_view whole) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) bad_signature(whole);
  Param param;
  param.name = trim(text.substr(0, colon));
  std::string_view type = trim(text.substr(colon + 1));
  std::string_view value;
  if (size_t equals = type.find('='); equals != std::string_view::npos) {
    value = trim(type.substr(equals + 1));
    type = trim(type.substr(0, equals));
    param.has_default = true;
  }
  param.optional = take_suffix(&type, "?");
  param.kind = parse_kind(type, param.optional, whole);
  if (param.has_default) param.default_value = parse_default(value, param.kind, whole);
  return param;
}

int max_rank_of(const Shape& a, const Shape& b) { return std::max(a.rank(), b.rank()); }

Shape broadcast_shape_or_empty(const Shape& a, const Shape& b, bool* ok) {
  int rank = max_rank_of(a, b);
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

Signature Signature::parse(std::string_view text) {
  Signature signature;
  for (std::string_view part : split_params(text)) {
    Param param = parse_param(part, text);
    if (param.is_tensor()) {
      ++signature.num_tensors;
      signature.variadic |= param.kind == ParamKind::kTensorList;
    } else {
      ++signature.num_attrs;
    }
    signature.params.push_back(std::move(param));
  }
  if (signature.variadic && signature.num_tensors != 1) bad_signature(text);
  return signature;
}

int Signature::attr_index(std::string_view name) const {
  int index = 0;
  for (const Param& param : params) {
    if (param.is_tensor()) continue;
    if (param.name == name) return index;
    ++index;
  }
  return -1;
}

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
