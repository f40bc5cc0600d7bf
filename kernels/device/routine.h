// Routine: a device kernel that is no fused loop (indexing, windows, random bits), as data. An
// operator's device kernel states it as a function over a RoutineMaker, which records what a thread
// does at one point. A launch runs it at the points 0, 1, ... in any order. Values are Syms, so the
// maths of scalar_math.h works here too. The function is called once per key: equal keys mean equal
// code.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/core/scalar_math.h"
#include "kernels/device/device_tensors.h"

namespace msjit::devices {

enum class RoutineOp : uint8_t {
  kPoint,     // result: the point of this thread
  kNumber,    // result: argument number a
  kLoad,      // result: element b of pointer a, whose elements are `dtype`
  kStore,     // the same element is set to c
  kVariable,  // declares variable a with value b
  kGet,       // result: variable a
  kSet,       // variable a becomes b
  kLoop,      // a loop up to kEnd; result: its variable, from a up to, not including, b, by c
  kWhen,      // if a holds, runs the steps up to kEnd
  kRepeat,    // repeats the steps up to kEnd
  kWhile,     // ends the innermost kRepeat when a does not hold
  kEnd,
};

struct RoutineStep {
  RoutineOp op;
  DType dtype = DType::kInt64;
  int32_t a = -1, b = -1, c = -1;  // nodes, or numbers of pointers, variables and arguments
  int32_t result = -1;             // the kInput node that stands for it
  friend bool operator==(const RoutineStep&, const RoutineStep&) = default;
};

// Nodes are pure: they are computed where a step first needs them.
struct Routine {
  std::vector<ScalarNode> nodes;
  std::vector<RoutineStep> steps;
  int num_pointers = 0, num_numbers = 0;
};

class RoutineMaker {
 public:
  Sym point();
  Sym number(int index);                                             // int64
  Sym real(int index) { return SymMath::from_bits(number(index)); }  // see bits_of_real
  Sym whole(int64_t value) { return builder_.constant_int(value, DType::kInt64); }
  Sym constant(double value, DType dtype) { return builder_.constant(value, dtype); }
  // 16-bit floats are float32 in registers, rounded when they are stored.
  Sym load(int pointer, DType dtype, Sym index);
  void store(int pointer, DType dtype, Sym index, Sym value);

  // The value as an element of that dtype would hold it.
  Sym rounded(DType dtype, Sym value);

  struct Variable {
    int32_t index;
    DType dtype;
  };
  Variable variable(Sym start);
  Sym get(Variable v);
  void set(Variable v, Sym value);

  template <class Body>
  void loop(Sym from, Sym to, Sym step, Body&& body) {
    body(begin_loop(from, to, step));
    end();
  }
  template <class Body>
  void loop(Sym from, Sym to, Body&& body) {
    loop(from, to, whole(1), body);
  }
  // While `condition()` holds.
  template <class Condition, class Body>
  void repeat(Condition&& condition, Body&& body) {
    steps_.push_back({RoutineOp::kRepeat});
    steps_.push_back({RoutineOp::kWhile, DType::kBool, condition().id()});
    body();
    end();
  }
  template <class Body>
  void when(Sym condition, Body&& body) {
    steps_.push_back({RoutineOp::kWhen, DType::kBool, condition.id()});
    body();
    end();
  }
  // For non-negative numbers. After use_small_numbers(true) they must be below 2^31, which is much
  // cheaper.
  Sym divide(Sym a, Sym b) { return split(a, b, true); }
  Sym modulo(Sym a, Sym b) { return split(a, b, false); }
  void use_small_numbers(bool small) { small_ = small; }

  Routine take();

 private:
  Sym opaque(DType dtype);
  Sym begin_loop(Sym from, Sym to, Sym step);
  void end() { steps_.push_back({RoutineOp::kEnd}); }
  Sym split(Sym a, Sym b, bool quotient);

  ScalarBuilder builder_;
  std::vector<RoutineStep> steps_;
  int32_t num_opaque_ = 0, num_variables_ = 0, num_pointers_ = 0, num_numbers_ = 0;
  bool small_ = false;
};

inline int64_t bits_of_real(double value) { return std::bit_cast<int64_t>(value); }

// All that a routine's code depends on besides its function.
using RoutineKey = std::array<int64_t, 6>;
using RoutineFn = void (*)(RoutineMaker& m, const RoutineKey& key);

struct RoutineCall {
  RoutineFn make;
  RoutineKey key{};
  std::span<void* const> pointers;
  std::span<const int64_t> numbers;
  int64_t points;
};
// Queues a call. Set by codegen/device_routine.cc.
extern Status (*run_routine)(Context& at, const RoutineCall& call);

inline Status launch(Context& at, RoutineFn make, const RoutineKey& key,
                     std::initializer_list<void*> pointers, std::span<const int64_t> numbers,
                     int64_t points) {
  return run_routine(at, {make, key, {pointers.begin(), pointers.size()}, numbers, points});
}
inline Status launch(Context& at, RoutineFn make, const RoutineKey& key,
                     std::initializer_list<void*> pointers, std::initializer_list<int64_t> numbers,
                     int64_t points) {
  return launch(at, make, key, pointers, std::span(numbers.begin(), numbers.size()), points);
}
// Whether all indices into tensors with so many elements are small numbers (use_small_numbers).
inline bool are_small(std::initializer_list<int64_t> counts) {
  for (const int64_t count : counts)
    if (count >= int64_t{1} << 31) return false;
  return true;
}

// ---- indices that are out of range ----
// A routine cannot stop a program. So it notes the first such index in memory that the host reads
// at its next wait. That wait then fails with the error of the host's kernel.
enum class IndexFault : int64_t { kAxis, kPlane, kClass };
// Notes a fault unless `good`. `pointer`: that of index_faults(). `name`: the number from
// fault_name().
void note_fault(RoutineMaker& m, int pointer, Sym good, Sym name, IndexFault kind, Sym index,
                Sym axis, Sym size);
Result<void*> index_faults(Context& at);
inline int64_t fault_name(const char* op) { return reinterpret_cast<int64_t>(op); }

// The dtype of a register that holds an element: 16-bit floats are float32 there.
inline DType compute_dtype(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 ? DType::kFloat32 : dtype;
}

// An integer dtype with elements of the size of `dtype`, for code that moves bits; complex128 takes
// two.
DType carrier_of(DType dtype);
inline int64_t carriers(DType dtype) { return dtype == DType::kComplex128 ? 2 : 1; }

}  // namespace msjit::devices
