#include "kernels/core/dtype.h"

#include <algorithm>

namespace msjit {
namespace {

struct DTypeInfo {
  std::string_view name;
  int64_t size;
};
constexpr DTypeInfo kInfo[kNumDTypes] = {
    {"bool", 1},   {"uint8", 1},   {"int8", 1},     {"int16", 2},     {"int32", 4},
    {"int64", 8},  {"float16", 2}, {"bfloat16", 2}, {"float32", 4},   {"float64", 8},
    {"uint16", 2}, {"uint32", 4},  {"uint64", 8},   {"complex64", 8}, {"complex128", 16},
};

int kind_of(DType d) { return is_complex(d) ? 3 : is_float(d) ? 2 : is_integer(d) ? 1 : 0; }

// Position in the promotion order, narrowest first.
int rank_of(DType d) {
  static constexpr int kRank[kNumDTypes] = {0, 1, 2, 3, 5, 7, 9, 10, 11, 12, 4, 6, 8, 13, 14};
  return kRank[static_cast<int>(d)];
}

DType promote_strong(DType a, DType b) {
  if (a == b) return a;
  if (rank_of(a) > rank_of(b)) std::swap(a, b);
  if (a == DType::kFloat16 && b == DType::kBFloat16) return DType::kFloat32;
  // No 8-bit type holds both ranges.
  if (a == DType::kUInt8 && b == DType::kInt8) return DType::kInt16;
  if (a == DType::kFloat64 && b == DType::kComplex64) return DType::kComplex128;
  return b;
}

// The dtype of a Python scalar that lifts the kind of the other operand, or stands alone.
DType default_dtype(int kind) {
  constexpr DType kDefaults[] = {DType::kBool, DType::kInt64, DType::kFloat32, DType::kComplex64};
  return kDefaults[kind];
}

}  // namespace

int64_t item_size(DType dtype) { return kInfo[static_cast<int>(dtype)].size; }

std::string_view dtype_name(DType dtype) { return kInfo[static_cast<int>(dtype)].name; }

bool dtype_from_name(std::string_view name, DType* out) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (kInfo[i].name != name) continue;
    *out = static_cast<DType>(i);
    return true;
  }
  return false;
}

DType wider(DType a, DType b) { return rank_of(a) < rank_of(b) ? b : a; }

DType promote(DType a, bool weak_a, DType b, bool weak_b) {
  if (!weak_a && !weak_b) return promote_strong(a, b);
  if (weak_a && weak_b) return default_dtype(std::max(kind_of(a), kind_of(b)));
  DType strong = weak_a ? b : a;
  int weak_kind = kind_of(weak_a ? a : b);
  return weak_kind > kind_of(strong) ? default_dtype(weak_kind) : strong;
}

}  // namespace msjit
