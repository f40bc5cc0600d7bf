#include "kernels/device/routine.h"

#include <algorithm>

namespace msjit::devices {

Status (*run_routine)(Context& at, const RoutineCall& call) = nullptr;

Sym RoutineMaker::opaque(DType dtype) { return builder_.input(num_opaque_++, dtype); }

Sym RoutineMaker::point() {
  const Sym result = opaque(DType::kInt64);
  steps_.push_back({RoutineOp::kPoint, DType::kInt64, -1, -1, -1, result.id()});
  return result;
}

Sym RoutineMaker::number(int index) {
  num_numbers_ = std::max(num_numbers_, index + 1);
  const Sym result = opaque(DType::kInt64);
  steps_.push_back({RoutineOp::kNumber, DType::kInt64, index, -1, -1, result.id()});
  return result;
}

Sym RoutineMaker::load(int pointer, DType dtype, Sym index) {
  num_pointers_ = std::max(num_pointers_, pointer + 1);
  const bool half = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  const Sym result = opaque(half ? DType::kFloat32 : dtype);
  steps_.push_back({RoutineOp::kLoad, dtype, pointer, index.id(), -1, result.id()});
  return result;
}

void RoutineMaker::store(int pointer, DType dtype, Sym index, Sym value) {
  num_pointers_ = std::max(num_pointers_, pointer + 1);
  if (dtype != value.dtype()) value = builder_.emit(ScalarOp::kCast, dtype, value);
  steps_.push_back({RoutineOp::kStore, dtype, pointer, index.id(), value.id()});
}

Sym RoutineMaker::rounded(DType dtype, Sym value) {
  if (dtype == value.dtype()) return value;
  return SymMath::cast(builder_.emit(ScalarOp::kCast, dtype, value), value.dtype());
}

RoutineMaker::Variable RoutineMaker::variable(Sym start) {
  const Variable made{num_variables_++, start.dtype()};
  steps_.push_back({RoutineOp::kVariable, made.dtype, made.index, start.id()});
  return made;
}

Sym RoutineMaker::get(Variable v) {
  const Sym result = opaque(v.dtype);
  steps_.push_back({RoutineOp::kGet, v.dtype, v.index, -1, -1, result.id()});
  return result;
}

void RoutineMaker::set(Variable v, Sym value) {
  steps_.push_back({RoutineOp::kSet, v.dtype, v.index, value.id()});
}

Sym RoutineMaker::begin_loop(Sym from, Sym to, Sym step) {
  const Sym place = opaque(DType::kInt64);
  steps_.push_back({RoutineOp::kLoop, DType::kInt64, from.id(), to.id(), step.id(), place.id()});
  return place;
}

Sym RoutineMaker::split(Sym a, Sym b, bool quotient) {
  const DType dtype = small_ ? DType::kUInt32 : DType::kUInt64;
  const Sym x = SymMath::cast(a, dtype), y = SymMath::cast(b, dtype);
  const ScalarOp op = quotient ? ScalarOp::kDiv : ScalarOp::kRem;
  return SymMath::cast(builder_.emit(op, dtype, x, y), DType::kInt64);
}

Routine RoutineMaker::take() {
  return {builder_.take().nodes, std::move(steps_), num_pointers_, num_numbers_};
}

// The name is written last, because the host looks at it. Threads that find faults at the same time
// may mix their fields; every field is then still that of a real fault.
void note_fault(RoutineMaker& m, int pointer, Sym good, Sym name, IndexFault kind, Sym index,
                Sym axis, Sym size) {
  m.when(~good, [&] {
    const Sym known = m.load(pointer, DType::kInt64, m.whole(0));
    m.when(known == 0, [&] {
      const Sym fields[] = {name, m.whole(static_cast<int64_t>(kind)), index, axis, size};
      for (int i = 4; i >= 0; --i) m.store(pointer, DType::kInt64, m.whole(i), fields[i]);
    });
  });
}

Result<void*> index_faults(Context& at) {
  std::lock_guard lock(at.faults_mutex);
  if (!at.faults) {
    MSJIT_TRY(at.faults, at.api.allocate_host(kFaultFields * sizeof(int64_t)));
    std::fill_n(static_cast<int64_t*>(at.faults), kFaultFields, 0);
  }
  return at.faults;
}

DType carrier_of(DType dtype) {
  switch (item_size(dtype)) {
    case 1: return DType::kUInt8;
    case 2: return DType::kInt16;
    case 4: return DType::kInt32;
    default: return DType::kInt64;
  }
}

}  // namespace msjit::devices
