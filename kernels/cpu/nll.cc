#include "kernels/cpu/nll.h"

#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"

namespace msjit::nll {

Result<Reduction> reduction_of(const char* name, const AttrValue& value) {
  std::string_view text = value.as_string();
  if (text == "none") return Reduction::kNone;
  if (text == "mean") return Reduction::kMean;
  if (text == "sum") return Reduction::kSum;
  return value_error("[{}] unknown reduction, got '{}', expected 'none', 'mean' or 'sum'", name,
                     text);
}

Result<Settings> read_settings(const char* name, const Attrs& attrs, int first) {
  MSJIT_TRY(Reduction reduction, reduction_of(name, attrs[first + 1]));
  double smoothing = attrs[first + 2].as_float();
  if (!(smoothing >= 0 && smoothing <= 1))
    return value_error("[{}] label_smoothing out of range, got {}, expected 0 to 1", name,
                       smoothing);
  return Settings{attrs[first].as_int(), reduction, smoothing};
}

Status check_target(const InferCtx& ctx, const Shape& logits, const Meta& target) {
  MSJIT_OK(require_integer(ctx, target, "target"));
  if (logits.rank() == 0)
    return value_error("[{}] logits have a wrong rank, got 0, expected at least 1", ctx.name());
  Shape expected = logits;
  expected.erase(logits.rank() == 1 ? 0 : 1);
  return require_shape(ctx, target, expected, "target");
}

Status check_weight(const InferCtx& ctx, const Shape& logits, const Meta& weight) {
  MSJIT_OK(require_float(ctx, weight, "weight"));
  return require_shape(ctx, weight, {logits[logits.rank() == 1 ? 0 : 1]}, "weight");
}

Result<Problem> prepare(const char* name, const Shape& logits, const Tensor& target,
                        const Tensor* weight, DType dtype, int64_t ignore_index) {
  auto split = layout::split_at(logits, logits.rank() == 1 ? 0 : 1);
  Problem p{split.outer, split.length, split.inner, {}, {}};
  MSJIT_TRY(p.target, layout::as_int64(target));
  const int64_t* label = p.target.data_as<int64_t>();
  for (int64_t i = 0; i < p.target.numel(); ++i)
    if (label[i] != ignore_index && (label[i] < 0 || label[i] >= p.classes))
      return index_error("[{}] target is out of range, got {}, expected 0 to {}", name, label[i],
                         p.classes - 1);
  Tensor weights = weight ? *weight : layout::broadcast(Tensor::scalar_of(dtype, 1), {p.classes});
  MSJIT_TRY(p.weight, layout::contiguous_as(weights, dtype));
  return p;
}

namespace {

template <class F>
Status dispatch_compute(DType dtype, F&& f) {
  if (dtype == DType::kFloat64) return f(double{});
  return f(float{});
}

DType compute_dtype(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }

// The sum of the weights of the targets that are not ignored; `mean` divides by it.
template <class C>
C total_weight(const Problem& p, const Settings& s) {
  const int64_t* label = p.target.data_as<int64_t>();
  const C* weight = p.weight.data_as<C>();
  C total = 0;
  for (int64_t i = 0; i < p.batch * p.inner; ++i)
    if (label[i] != s.ignore_index) total += weight[label[i]];
  return total;
}

template <class C>
C position_loss(const Problem& p, const Settings& s, const C* logits, int64_t label) {
  const C* weight = p.weight.data_as<C>();
  C own = -logits[label * p.inner] * weight[label];
  if (s.smoothing == 0) return own;
  C spread = 0;
  for (int64_t c = 0; c < p.classes; ++c) spread -= logits[c * p.inner] * weight[c];
  return C(1 - s.smoothing) * own + C(s.smoothing / static_cast<double>(p.classes)) * spread;
}

}  // namespace

Status loss(const Problem& p, const Settings& s, const Tensor& logits, const Tensor& out) {
  MSJIT_TRY(Tensor x, layout::contiguous_as(logits, compute_dtype(logits.dtype())));
  MSJIT_TRY(Tensor result, Tensor::empty(x.dtype(), out.shape()));
  MSJIT_OK(dispatch_compute(x.dtype(), [&]<class C>(C) -> Status {
    const int64_t* label = p.target.data_as<int64_t>();
    C sum = 0;
    for (int64_t i = 0; i < p.batch * p.inner; ++i) {
      const C* at = x.data_as<C>() + i / p.inner * p.classes * p.inner + i % p.inner;
      C value = label[i] == s.ignore_index ? C(0) : position_loss(p, s, at, label[i]);
      if (s.reduction == Reduction::kNone) result.data_as<C>()[i] = value;
      sum += value;
    }
    if (s.reduction == Reduction::kSum) *result.data_as<C>() = sum;
    if (s.reduction == Reduction::kMean) *result.data_as<C>() = sum / total_weight<C>(p, s);
    return {};
  }));
  MSJIT_TRY(Tensor narrow, layout::cast_to(result, out.dtype()));
  copy_strided(narrow, out);
  return {};
}

Status loss_grad(const Problem& p, const Settings& s, const Tensor& grad, const Tensor& dx) {
  MSJIT_TRY(Tensor g, layout::contiguous_as(grad, compute_dtype(dx.dtype())));
  MSJIT_TRY(Tensor result, Tensor::empty(g.dtype(), dx.shape()));
  layout::fill_zero(result);
  MSJIT_OK(dispatch_compute(g.dtype(), [&]<class C>(C) -> Status {
    const int64_t* label = p.target.data_as<int64_t>();
    const C* weight = p.weight.data_as<C>();
    C scale = s.reduction == Reduction::kMean ? C(1) / total_weight<C>(p, s) : C(1);
    C own = C(1 - s.smoothing), share = C(s.smoothing / static_cast<double>(p.classes));
    for (int64_t i = 0; i < p.batch * p.inner; ++i) {
      if (label[i] == s.ignore_index) continue;
      C arrived = -scale * g.data_as<C>()[s.reduction == Reduction::kNone ? i : 0];
      C* at = result.data_as<C>() + i / p.inner * p.classes * p.inner + i % p.inner;
      if (share != 0)
        for (int64_t c = 0; c < p.classes; ++c) at[c * p.inner] = arrived * share * weight[c];
      at[label[i] * p.inner] += arrived * own * weight[label[i]];
    }
    return {};
  }));
  MSJIT_TRY(Tensor narrow, layout::cast_to(result, dx.dtype()));
  copy_strided(narrow, dx);
  return {};
}

}  // namespace msjit::nll
