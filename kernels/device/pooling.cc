// Pooling as routines, one thread per result. Gradients gather what arrives at an element in the
// order of the windows, the order in which the host adds it up.
#include "kernels/device/routine.h"
#include "kernels/device/windows.h"

namespace msjit::devices {
namespace {

// One axis of the windows, read from the arguments from `first` on.
struct Axis {
  Sym in, out, kernel, stride, dilation, pad, pad_end;
  Axis(RoutineMaker& m, int first)
      : in(m.number(first)),
        out(m.number(first + 1)),
        kernel(m.number(first + 2)),
        stride(m.number(first + 3)),
        dilation(m.number(first + 4)),
        pad(m.number(first + 5)),
        pad_end(m.number(first + 6)) {}
};
constexpr int kAxisNumbers = 7;

std::vector<int64_t> numbers_of(const Window2d& w) {
  std::vector<int64_t> all;
  for (int i = 0; i < 2; ++i)
    for (const int64_t number :
         {w.in[i], w.out[i], w.kernel[i], w.stride[i], w.dilation[i], w.pad_begin[i], w.pad_end[i]})
      all.push_back(number);
  return all;
}

struct Position {
  Sym row, column, plane;
};
Position position_of(RoutineMaker& m, Sym element, Sym rows, Sym columns) {
  const Sym rest = m.divide(element, columns);
  return {m.modulo(rest, rows), m.modulo(element, columns), m.divide(rest, rows)};
}

struct Range {
  Sym begin, end;
};
// The elements of a window that lie inside the input, `dilation` apart.
Range inside(RoutineMaker& m, const Axis& axis, Sym out) {
  const Sym start = out * axis.stride - axis.pad;
  const Sym skipped = m.divide(SymMath::max(-start, m.whole(0)) + axis.dilation - 1, axis.dilation);
  const Sym last = start + axis.dilation * (axis.kernel - 1) + 1;
  return {start + skipped * axis.dilation, SymMath::min(axis.in, last)};
}
// The windows that may hold an element of the input.
Range windows_at(RoutineMaker& m, const Axis& axis, Sym in) {
  const Sym place = in + axis.pad;
  const Sym first = SymMath::max(place - axis.dilation * (axis.kernel - 1), m.whole(0));
  return {m.divide(first + axis.stride - 1, axis.stride),
          SymMath::min(m.divide(place, axis.stride) + 1, axis.out)};
}

// Key: dtype, whether there is a y and an index, small numbers.
void max_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[3]);
  const Axis rows(m, 0), columns(m, kAxisNumbers);
  const Sym element = m.point();
  const Position at = position_of(m, element, rows.out, columns.out);
  const Range h = inside(m, rows, at.row), w = inside(m, columns, at.column);
  const Sym start = at.plane * rows.in * columns.in;
  const auto best_at = m.variable(h.begin * columns.in + w.begin);
  const auto best = m.variable(m.load(0, dtype, start + h.begin * columns.in + w.begin));
  m.loop(h.begin, h.end, rows.dilation, [&](Sym row) {
    m.loop(w.begin, w.end, columns.dilation, [&](Sym column) {
      const Sym place = row * columns.in + column;
      const Sym value = m.load(0, dtype, start + place), known = m.get(best);
      Sym better = value > known;
      if (is_float(dtype)) better = better | ((value != value) & (known == known));
      m.when(better, [&] {
        m.set(best, value);
        m.set(best_at, place);
      });
    });
  });
  if (key[1]) m.store(1, dtype, element, m.get(best));
  if (key[2]) m.store(2, DType::kInt64, element, m.get(best_at));
}

// An element of the input, and a window that may hold it.
struct Visit {
  const Axis &rows, &columns;
  const Position& element;
  Sym row, column, from;  // of the window, and its place in what arrived
};
// One thread per element of the input. It sums what term(visit, add) adds for each of the element's
// windows. Key: dtype, small numbers.
template <class Term>
void gather_routine(RoutineMaker& m, const RoutineKey& key, int result, Term&& term) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[1]);
  const Axis rows(m, 0), columns(m, kAxisNumbers);
  const Sym element = m.point();
  const Position at = position_of(m, element, rows.in, columns.in);
  const Range h = windows_at(m, rows, at.row), w = windows_at(m, columns, at.column);
  const auto sum = m.variable(m.constant(0, compute_dtype(dtype)));
  const auto add = [&](Sym value) { m.set(sum, m.rounded(dtype, m.get(sum) + value)); };
  m.loop(h.begin, h.end, [&](Sym row) {
    m.loop(w.begin, w.end, [&](Sym column) {
      const Sym from = (at.plane * rows.out + row) * columns.out + column;
      term(Visit{rows, columns, at, row, column, from}, add);
    });
  });
  m.store(result, dtype, element, m.get(sum));
}

void max_grad_routine(RoutineMaker& m, const RoutineKey& key) {
  gather_routine(m, key, 2, [&](const Visit& v, auto&& add) {
    const Sym mine = v.element.row * v.columns.in + v.element.column;
    m.when(m.load(1, DType::kInt64, v.from) == mine,
           [&] { add(m.load(0, static_cast<DType>(key[0]), v.from)); });
  });
}

// A window of an average along one axis: its part inside the input, and its size with padding.
struct Span {
  Range range;
  Sym padded;
};
Span span_of(RoutineMaker& m, const Axis& axis, Sym out) {
  const Sym first = out * axis.stride - axis.pad;
  const Sym last = SymMath::min(first + axis.kernel, axis.in + axis.pad_end);
  return {{SymMath::max(first, m.whole(0)), SymMath::min(last, axis.in)}, last - first};
}
// What the sum of a window is divided by. `mode`: 0 the elements inside the input, 1 with padding,
// 2 the argument after the axes.
Sym divisor_of(RoutineMaker& m, const Span& h, const Span& w, int64_t mode, DType dtype) {
  const Sym inside = (h.range.end - h.range.begin) * (w.range.end - w.range.begin);
  const Sym count = mode == 0   ? inside
                    : mode == 1 ? h.padded * w.padded
                                : m.number(2 * kAxisNumbers);
  return SymMath::cast(count, compute_dtype(dtype));
}

void average_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[1]);
  const Axis rows(m, 0), columns(m, kAxisNumbers);
  const Sym element = m.point();
  const Position at = position_of(m, element, rows.out, columns.out);
  const Span h = span_of(m, rows, at.row), w = span_of(m, columns, at.column);
  const auto sum = m.variable(m.constant(0, compute_dtype(dtype)));
  m.loop(h.range.begin, h.range.end, [&](Sym row) {
    m.loop(w.range.begin, w.range.end, [&](Sym column) {
      const Sym from = (at.plane * rows.in + row) * columns.in + column;
      m.set(sum, m.get(sum) + m.load(0, dtype, from));
    });
  });
  m.store(1, dtype, element, m.get(sum) / divisor_of(m, h, w, key[2], dtype));
}

void average_grad_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  gather_routine(m, key, 1, [&](const Visit& v, auto&& add) {
    const Sym count =
        divisor_of(m, span_of(m, v.rows, v.row), span_of(m, v.columns, v.column), key[2], dtype);
    add(m.load(0, dtype, v.from) / count);
  });
}

int64_t code(DType dtype) { return static_cast<int64_t>(dtype); }

int64_t mode_of(pooling::Divisor divisor) {
  return divisor.fixed ? 2 : divisor.include_padding ? 1 : 0;
}

void* address(const Tensor& t) { return t ? t.data() : nullptr; }

bool is_small(const Window2d& w) {
  const int64_t planes = w.batch * w.in_channels;
  return are_small({planes * w.in[0] * w.in[1], planes * w.out[0] * w.out[1]});
}

}  // namespace

Status max_pool(const Window2d& w, const Tensor& x, const Tensor& y, const Tensor& index) {
  MSJIT_TRY(const Tensor own, x.to_contiguous());
  return launch(open_context(x.device()), max_routine,
                {code(x.dtype()), static_cast<bool>(y), static_cast<bool>(index), is_small(w)},
                {own.data(), address(y), address(index)}, numbers_of(w),
                w.batch * w.in_channels * w.out[0] * w.out[1]);
}

Status max_pool_grad(const Window2d& w, const Tensor& x, const Tensor& dy, const Tensor& dx) {
  MSJIT_TRY(const Tensor index, Tensor::empty(Meta(DType::kInt64, false, dy.shape(), dx.device())));
  MSJIT_OK(max_pool(w, x, Tensor(), index));
  MSJIT_TRY(const Tensor arrived, dy.to_contiguous());
  return launch(open_context(dx.device()), max_grad_routine, {code(dx.dtype()), is_small(w)},
                {arrived.data(), index.data(), dx.data()}, numbers_of(w), dx.numel());
}

Status average_pool(const Window2d& w, pooling::Divisor divisor, const Tensor& x, const Tensor& y) {
  MSJIT_TRY(const Tensor own, x.to_contiguous());
  std::vector<int64_t> numbers = numbers_of(w);
  numbers.push_back(divisor.fixed);
  return launch(open_context(x.device()), average_routine,
                {code(x.dtype()), is_small(w), mode_of(divisor)}, {own.data(), y.data()}, numbers,
                y.numel());
}

Status average_pool_grad(const Window2d& w, pooling::Divisor divisor, const Tensor& dy,
                         const Tensor& dx) {
  MSJIT_TRY(const Tensor arrived, dy.to_contiguous());
  std::vector<int64_t> numbers = numbers_of(w);
  numbers.push_back(divisor.fixed);
  return launch(open_context(dx.device()), average_grad_routine,
                {code(dx.dtype()), is_small(w), mode_of(divisor)}, {arrived.data(), dx.data()},
                numbers, dx.numel());
}

}  // namespace msjit::devices
