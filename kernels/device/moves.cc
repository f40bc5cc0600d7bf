#include "kernels/device/moves.h"

#include <cstring>

#include "kernels/cpu/fill.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/routine.h"

namespace msjit {

extern const OpDef op_cast;

namespace devices {
namespace {

// An element of 16 bytes is written as two halves.
void fill_routine(RoutineMaker& m, const RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  const Sym i = m.point();
  Sym bits = m.number(0);
  if (key[1]) bits = SymMath::select((i & 1) == 0, bits, m.number(1));
  m.store(0, dtype, i, SymMath::cast(bits, dtype));
}

}  // namespace

Status fill(const Tensor& out, const AttrValue& value) {
  if (out.numel() == 0) return {};
  int64_t bits[2] = {};
  MSJIT_TRY(const Tensor one, Tensor::empty(out.dtype(), Shape{}));
  MSJIT_OK(msjit::fill(one, value));
  std::memcpy(bits, one.data(), static_cast<size_t>(item_size(out.dtype())));
  const int64_t parts = carriers(out.dtype());
  return launch(open_context(out.device()), fill_routine,
                {static_cast<int64_t>(carrier_of(out.dtype())), parts == 2}, {out.data()},
                {bits[0], bits[1]}, out.numel() * parts);
}

Status fill_zero(const Tensor& out) { return devices::fill(out, AttrValue(0)); }

Result<Tensor> cast_to(const Tensor& t, DType dtype) {
  if (t.dtype() == dtype) return t;
  TensorVec out;
  MSJIT_OK(run_op_untracked(op_cast, {&t, 1}, {AttrValue(dtype)}, &out));
  return out[0];
}

Result<Tensor> spread(const Tensor& t, DType dtype, const Shape& shape, Context& at) {
  MSJIT_TRY(const Tensor there, to_device(t, at.device));
  MSJIT_TRY(const Tensor cast, cast_to(there, dtype));
  return layout::broadcast(cast, shape).to_contiguous();
}

}  // namespace devices
}  // namespace msjit
