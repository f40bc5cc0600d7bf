#include "kernels/device/nll.h"

#include "kernels/cpu/layout.h"
#include "kernels/device/moves.h"
#include "kernels/device/routine.h"

namespace msjit {

extern const OpDef op_sum, op_div;

namespace devices {
namespace {

constexpr int64_t kNone = -1;  // in a key: no such operand

// Arguments: inner size, classes, ignore_index, the shares of the target and of every class, the
// operator's name. Pointers: logits or the incoming gradient, targets, weights, results, faults,
// total weight.
struct Terms {
  RoutineMaker& m;
  const RoutineKey& key;  // dtype, of targets, of weights, whether every class has a share, small
  Sym inner, classes, ignored;
  DType computed;

  Terms(RoutineMaker& maker, const RoutineKey& k)
      : m(maker),
        key(k),
        inner(maker.number(0)),
        classes(maker.number(1)),
        ignored(maker.number(2)),
        computed(compute_dtype(static_cast<DType>(k[0]))) {
    m.use_small_numbers(key[4]);
  }
  Sym share(int argument) { return SymMath::cast(m.real(argument), computed); }
  Sym target(Sym position) {
    return SymMath::cast(m.load(1, static_cast<DType>(key[1]), position), DType::kInt64);
  }
  Sym weight(Sym of) {
    if (key[2] == kNone) return m.constant(1, computed);
    return SymMath::cast(m.load(2, static_cast<DType>(key[2]), of), computed);
  }
  // A valid class, even when the target is out of range.
  Sym checked(Sym label) {
    const Sym good = (label >= 0) & (label < classes);
    note_fault(m, 4, good, m.number(5), IndexFault::kClass, label, m.whole(0), classes);
    return SymMath::select(good, label, m.whole(0));
  }
};

// The loss at each position.
void loss_routine(RoutineMaker& m, const RoutineKey& key) {
  Terms t(m, key);
  const auto dtype = static_cast<DType>(key[0]);
  const Sym i = m.point(), label = t.target(i);
  const auto loss = m.variable(m.constant(0, t.computed));
  m.when(label != t.ignored, [&] {
    const Sym safe = t.checked(label);
    const Sym start = m.divide(i, t.inner) * t.classes * t.inner + m.modulo(i, t.inner);
    const Sym own = -m.load(0, dtype, start + safe * t.inner) * t.weight(safe);
    if (!key[3]) return m.set(loss, own);
    const auto spread = m.variable(m.constant(0, t.computed));
    m.loop(m.whole(0), t.classes, [&](Sym c) {
      m.set(spread, m.get(spread) - m.load(0, dtype, start + c * t.inner) * t.weight(c));
    });
    m.set(loss, t.share(3) * own + t.share(4) * m.get(spread));
  });
  m.store(3, static_cast<DType>(key[5]), i, m.get(loss));
}

// The weight of each position whose target is not ignored.
void weight_routine(RoutineMaker& m, const RoutineKey& key) {
  Terms t(m, key);
  const Sym i = m.point(), label = t.target(i);
  const auto weight = m.variable(m.constant(0, t.computed));
  m.when(label != t.ignored, [&] { m.set(weight, t.weight(t.checked(label))); });
  m.store(3, t.computed, i, m.get(weight));
}

// key[5] describes the incoming gradient: one value per position (0), one for all (1), one for all
// that is divided by the total weight (2).
void grad_routine(RoutineMaker& m, const RoutineKey& key) {
  Terms t(m, key);
  const auto dtype = static_cast<DType>(key[0]);
  const Sym element = m.point();
  const Sym row = m.divide(element, t.inner), of = m.modulo(row, t.classes);
  const Sym i = m.divide(row, t.classes) * t.inner + m.modulo(element, t.inner);
  const Sym label = t.target(i);
  const auto result = m.variable(m.constant(0, t.computed));
  m.when(label != t.ignored, [&] {
    const Sym safe = t.checked(label);
    Sym arrived = -m.load(0, dtype, key[5] ? m.whole(0) : i);
    if (key[5] == 2) arrived = arrived * (1.0 / m.load(5, t.computed, m.whole(0)));
    if (key[3]) m.set(result, arrived * t.share(4) * t.weight(of));
    m.when(of == safe,
           [&] { m.set(result, m.get(result) + arrived * t.share(3) * t.weight(safe)); });
  });
  m.store(3, dtype, element, m.get(result));
}

// The operands of all three routines.
struct Problem {
  Context& at;
  layout::AxisSplit split;
  Tensor target, weight;
  void* faults;
  int64_t count;
  RoutineKey key;
  std::vector<int64_t> numbers;

  void* weights() const { return weight ? weight.data() : nullptr; }
};

Result<Problem> prepare(const char* name, const nll::Settings& s, const Tensor& logits,
                        const Tensor& target, const Tensor* weight) {
  const Shape& shape = logits.shape();
  Context& at = open_context(logits.device());
  Problem p{at, layout::split_at(shape, shape.rank() == 1 ? 0 : 1), {}, {}, nullptr, 0, {}, {}};
  if (p.split.length == 0) return not_implemented_error("[{}] classes on a device, got none", name);
  MSJIT_TRY(const Tensor there, to_device(target, at.device));
  MSJIT_TRY(p.target, there.to_contiguous());
  if (weight) {
    MSJIT_TRY(p.weight, weight->to_contiguous());
  }
  MSJIT_TRY(p.faults, index_faults(at));
  p.count = p.split.outer * p.split.inner;
  p.key = {static_cast<int64_t>(logits.dtype()), static_cast<int64_t>(p.target.dtype()),
           weight ? static_cast<int64_t>(p.weight.dtype()) : kNone, s.smoothing != 0,
           are_small({logits.numel(), p.count})};
  p.numbers = {p.split.inner,
               p.split.length,
               s.ignore_index,
               bits_of_real(1 - s.smoothing),
               bits_of_real(s.smoothing / static_cast<double>(p.split.length)),
               fault_name(name)};
  return p;
}

Result<Tensor> call(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs) {
  TensorVec out;
  MSJIT_OK(run_op_untracked(op, in, attrs, &out));
  return out[0];
}
Result<Tensor> sum_of(const Tensor& t) {
  return call(op_sum, {&t, 1}, {AttrValue(), AttrValue(false)});
}

Result<Tensor> total_weight(const Problem& p, DType computed) {
  MSJIT_TRY(const Tensor each, Tensor::empty(Meta(computed, false, Shape{p.count}, p.at.device)));
  MSJIT_OK(launch(p.at, weight_routine, p.key,
                  {nullptr, p.target.data(), p.weights(), each.data(), p.faults}, p.numbers,
                  p.count));
  return sum_of(each);
}

}  // namespace

Status nll_loss(const char* name, const nll::Settings& s, const Tensor& logits,
                const Tensor& target, const Tensor* weight, const Tensor& out) {
  MSJIT_TRY(Problem p, prepare(name, s, logits, target, weight));
  MSJIT_TRY(const Tensor x, logits.to_contiguous());
  const bool reduced = s.reduction != nll::Reduction::kNone;
  const DType computed = compute_dtype(x.dtype());
  Tensor each = out;
  if (reduced) {
    MSJIT_TRY(each, Tensor::empty(Meta(computed, false, Shape{p.count}, p.at.device)));
  }
  p.key[5] = static_cast<int64_t>(each.dtype());
  MSJIT_OK(launch(p.at, loss_routine, p.key,
                  {x.data(), p.target.data(), p.weights(), each.data(), p.faults}, p.numbers,
                  p.count));
  if (!reduced) return {};
  MSJIT_TRY(Tensor total, sum_of(each));
  if (s.reduction == nll::Reduction::kMean) {
    MSJIT_TRY(const Tensor by, total_weight(p, computed));
    const Tensor both[] = {total, by};
    MSJIT_TRY(total, call(op_div, both, {}));
  }
  MSJIT_TRY(total, cast_to(total, out.dtype()));
  return copy_elements(total, out);
}

Status nll_loss_grad(const char* name, const nll::Settings& s, const Tensor& grad,
                     const Tensor& target, const Tensor* weight, const Tensor& dx) {
  MSJIT_TRY(Problem p, prepare(name, s, dx, target, weight));
  MSJIT_TRY(const Tensor arrived, to_device(grad, p.at.device));
  MSJIT_TRY(const Tensor own, arrived.to_contiguous());
  Tensor total;
  if (s.reduction == nll::Reduction::kMean) {
    MSJIT_TRY(total, total_weight(p, compute_dtype(dx.dtype())));
  }
  p.key[5] = s.reduction == nll::Reduction::kNone ? 0 : total ? 2 : 1;
  return launch(p.at, grad_routine, p.key,
                {own.data(), p.target.data(), p.weights(), dx.data(), p.faults,
                 total ? total.data() : nullptr},
                p.numbers, dx.numel());
}

}  // namespace devices
}  // namespace msjit
