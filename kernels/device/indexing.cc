#include "kernels/device/indexing.h"

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/moves.h"
#include "kernels/device/routine.h"

namespace msjit::devices {
namespace {

// Each index is compared with all others, so the host is faster beyond this number.
constexpr int64_t kMostPut = 1 << 16;

// rows[i] = rows[i] * size + index[i]; for the first index rows[i] = index[i].
void rows_routine(RoutineMaker& m, const RoutineKey& key) {
  const Sym i = m.point();
  const Sym size = m.number(0), axis = m.number(1), name = m.number(2);
  const Sym index = SymMath::cast(m.load(0, static_cast<DType>(key[0]), i), DType::kInt64);
  const Sym wrapped = SymMath::select(index < 0, index + size, index);
  const Sym good = (wrapped >= 0) & (wrapped < size);
  note_fault(m, 2, good, name, IndexFault::kAxis, index, axis, size);
  Sym row = SymMath::select(good, wrapped, m.whole(0));
  if (!key[1]) row = m.load(1, DType::kInt64, i) * size + row;
  m.store(1, DType::kInt64, i, row);
}

// The row number of each index tuple among the indexed axes.
Result<Tensor> row_numbers(Context& at, const char* name, const Shape& x,
                           std::span<const Tensor> indices, const IntList& axes) {
  const Shape shape = indexing::index_shape(indices);
  MSJIT_TRY(void* const faults, index_faults(at));
  MSJIT_TRY(const Tensor rows, Tensor::empty(Meta(DType::kInt64, false, shape, at.device)));
  for (size_t k = 0; k < indices.size(); ++k) {
    MSJIT_TRY(const Tensor here, to_device(indices[k], at.device));
    MSJIT_TRY(const Tensor index, layout::broadcast(here, shape).to_contiguous());
    const int64_t axis = axes[k], size = x[static_cast<int>(axis)];
    MSJIT_OK(launch(at, rows_routine, {static_cast<int64_t>(index.dtype()), k == 0},
                    {index.data(), rows.data(), faults}, {size, axis, fault_name(name)},
                    rows.numel()));
  }
  return rows;
}

// The place in a contiguous tensor of `rank` axes that each index along one axis points to.
void places_routine(RoutineMaker& m, const RoutineKey& key) {
  const int rank = static_cast<int>(key[1]);
  m.use_small_numbers(key[2]);
  const Sym i = m.point();
  const Sym size = m.number(0), axis = m.number(1), name = m.number(2), stride = m.number(3);
  const Sym index = SymMath::cast(m.load(0, static_cast<DType>(key[0]), i), DType::kInt64);
  const Sym wrapped = SymMath::select(index < 0, index + size, index);
  const Sym good = (wrapped >= 0) & (wrapped < size);
  note_fault(m, 2, good, name, IndexFault::kAxis, index, axis, size);
  Sym place = SymMath::select(good, wrapped, m.whole(0)) * stride;
  Sym rest = i;
  for (int d = rank - 1; d >= 0; --d) {
    const Sym extent = m.number(4 + 2 * d);
    const Sym along = d ? m.modulo(rest, extent) : rest;
    place = place + along * m.number(5 + 2 * d);
    rest = m.divide(rest, extent);
  }
  m.store(1, DType::kInt64, i, place);
}

Result<Tensor> places_along_axis(Context& at, const char* name, const Tensor& t,
                                 const Tensor& indices, int axis) {
  MSJIT_TRY(void* const faults, index_faults(at));
  MSJIT_TRY(const Tensor index, indices.to_contiguous());
  MSJIT_TRY(const Tensor places,
            Tensor::empty(Meta(DType::kInt64, false, indices.shape(), at.device)));
  const int rank = t.rank();
  std::vector<int64_t> numbers = {rank ? t.dim(axis) : 1, axis, fault_name(name),
                                  rank ? t.strides()[axis] : 0};
  for (int d = 0; d < rank; ++d) {
    numbers.push_back(indices.dim(d));
    numbers.push_back(d == axis ? 0 : t.strides()[d]);
  }
  MSJIT_OK(launch(at, places_routine,
                  {static_cast<int64_t>(index.dtype()), rank, are_small({index.numel()})},
                  {index.data(), places.data(), faults}, numbers, index.numel()));
  return places;
}

// `pre` blocks of `rows` rows of `post` elements each; `count` rows of each block are taken or put.
struct Blocks {
  int64_t pre, rows, post, count;
};

struct Place {
  Sym q, i, p;  // place in the row, which index, which block
};
Place place_of(RoutineMaker& m, Sym element) {
  const Sym post = m.number(0), count = m.number(1);
  const Sym r = m.divide(element, post);
  return {m.modulo(element, post), m.modulo(r, count), m.divide(r, count)};
}

void take_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[1]);
  const Sym element = m.point();
  const Place at = place_of(m, element);
  const Sym row = at.p * m.number(2) + m.load(1, DType::kInt64, at.i);
  m.store(2, dtype, element, m.load(0, dtype, row * m.number(0) + at.q));
}

Status take_rows(Context& at, const Tensor& x, const Tensor& rows, const Tensor& out, Blocks b) {
  b.post *= carriers(x.dtype());
  const int64_t points = b.pre * b.count * b.post;
  return launch(at, take_routine,
                {static_cast<int64_t>(carrier_of(x.dtype())), are_small({points})},
                {x.data(), rows.data(), out.data()}, {b.post, b.count, b.rows}, points);
}

// Links equal rows: for each index, whether it is the first one with its row, and which is the next
// (-1: none).
void chain_routine(RoutineMaker& m, const RoutineKey&) {
  const Sym i = m.point(), mine = m.load(0, DType::kInt64, i);
  const auto first = m.variable(m.whole(1)), next = m.variable(m.whole(-1));
  m.loop(m.whole(0), i, [&](Sym j) {
    m.when(m.load(0, DType::kInt64, j) == mine, [&] { m.set(first, m.whole(0)); });
  });
  const auto j = m.variable(i + 1);
  m.repeat([&] { return (m.get(j) < m.number(0)) & (m.get(next) < 0); },
           [&] {
             const Sym here = m.get(j);
             m.when(m.load(0, DType::kInt64, here) == mine, [&] { m.set(next, here); });
             m.set(j, here + 1);
           });
  m.store(1, DType::kInt64, i, m.get(first));
  m.store(2, DType::kInt64, i, m.get(next));
}

void add_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[1]);
  const Place at = place_of(m, m.point());
  m.when(m.load(2, DType::kInt64, at.i) != 0, [&] {
    const Sym post = m.number(0), count = m.number(1);
    const Sym row = at.p * m.number(2) + m.load(1, DType::kInt64, at.i);
    const Sym to = row * post + at.q;
    const auto sum = m.variable(m.load(4, dtype, to));
    const auto index = m.variable(at.i);
    m.repeat([&] { return m.get(index) >= 0; },
             [&] {
               const Sym from = (at.p * count + m.get(index)) * post + at.q;
               m.set(sum, m.rounded(dtype, m.get(sum) + m.load(5, dtype, from)));
               m.set(index, m.load(3, DType::kInt64, m.get(index)));
             });
    m.store(4, dtype, to, m.get(sum));
  });
}

void write_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[1]);
  const Sym element = m.point();
  const Place at = place_of(m, element);
  m.when(m.load(3, DType::kInt64, at.i) < 0, [&] {
    const Sym row = at.p * m.number(2) + m.load(1, DType::kInt64, at.i);
    m.store(4, dtype, row * m.number(0) + at.q, m.load(5, dtype, element));
  });
}

Status put_rows(Context& at, const Tensor& target, const Tensor& rows, const Tensor& values,
                Blocks b, bool accumulate) {
  if (b.count > kMostPut)
    return not_implemented_error("[put] indices on a device, got {}, expected at most {}", b.count,
                                 kMostPut);
  const Meta meta(DType::kInt64, false, rows.shape(), at.device);
  MSJIT_TRY(const Tensor first, Tensor::empty(meta));
  MSJIT_TRY(const Tensor next, Tensor::empty(meta));
  MSJIT_OK(
      launch(at, chain_routine, {}, {rows.data(), first.data(), next.data()}, {b.count}, b.count));
  DType dtype = target.dtype();
  if (!accumulate) {
    b.post *= carriers(dtype);
    dtype = carrier_of(dtype);
  } else if (is_complex(dtype)) {
    b.post *= 2;
    dtype = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  }
  const int64_t points = b.pre * b.count * b.post;
  return launch(at, accumulate ? add_routine : write_routine,
                {static_cast<int64_t>(dtype), are_small({points})},
                {nullptr, rows.data(), first.data(), next.data(), target.data(), values.data()},
                {b.post, b.count, b.rows}, points);
}

Status no_rows(const char* name) {
  return not_implemented_error("[{}] indices into an axis of no elements on a device", name);
}

}  // namespace

Status take(const char* name, const Tensor& x, std::span<const Tensor> indices, const IntList& axes,
            const Tensor& out) {
  if (x.numel() == 0) return no_rows(name);
  if (out.numel() == 0) return {};
  Context& at = open_context(x.device());
  MSJIT_TRY(const Tensor rows, row_numbers(at, name, x.shape(), indices, axes));
  const indexing::Plan plan = indexing::make_plan(x.shape(), axes);
  Tensor source = x;
  if (plan.permuted) source = layout::permute(x, {plan.perm, static_cast<size_t>(x.rank())});
  MSJIT_TRY(source, source.to_contiguous());
  return take_rows(at, source, rows, out, {plan.pre, plan.rows, plan.post, rows.numel()});
}

Status put(const char* name, const Tensor& target, const Tensor& value,
           std::span<const Tensor> indices, const IntList& axes, bool accumulate) {
  if (target.numel() == 0) return no_rows(name);
  const indexing::Plan plan = indexing::make_plan(target.shape(), axes);
  const Shape shape = indexing::index_shape(indices);
  if (shape.numel() == 0) return {};
  if (shape.numel() > kMostPut) return no_rows(name);
  Context& at = open_context(target.device());
  MSJIT_TRY(const Tensor rows, row_numbers(at, name, target.shape(), indices, axes));
  Tensor walked = target;
  if (plan.permuted)
    walked = layout::permute(target, {plan.perm, static_cast<size_t>(target.rank())});
  MSJIT_TRY(const Tensor values,
            spread(value, target.dtype(), indexing::value_shape(walked, plan, shape, axes), at));
  MSJIT_TRY(const Tensor work, walked.to_contiguous());
  MSJIT_OK(
      put_rows(at, work, rows, values, {plan.pre, plan.rows, plan.post, rows.numel()}, accumulate));
  return work.same(walked) ? Status() : copy_elements(work, walked);
}

Status take_along_axis(const char* name, const Tensor& x, const Tensor& indices, int axis,
                       const Tensor& out) {
  if (out.numel() == 0) return {};
  if (x.numel() == 0) return no_rows(name);
  Context& at = open_context(x.device());
  MSJIT_TRY(const Tensor source, x.to_contiguous());
  MSJIT_TRY(const Tensor places, places_along_axis(at, name, source, indices, axis));
  return take_rows(at, source, places, out, {1, 1, 1, places.numel()});
}

Status put_along_axis(const char* name, const Tensor& target, const Tensor& indices,
                      const Tensor& updates, int axis, bool accumulate) {
  if (indices.numel() == 0) return {};
  if (target.numel() == 0 || indices.numel() > kMostPut) return no_rows(name);
  Context& at = open_context(target.device());
  MSJIT_TRY(const Tensor places, places_along_axis(at, name, target, indices, axis));
  MSJIT_TRY(const Tensor values, spread(updates, target.dtype(), indices.shape(), at));
  return put_rows(at, target, places, values, {1, 1, 1, places.numel()}, accumulate);
}

}  // namespace msjit::devices
