// Attrs: the non-tensor arguments of an op call, in the order of its Signature.
// An AttrValue is one of none, bool, int, float, int list, dtype or string. It is hashable and
// comparable, so that graphs can merge equal nodes and primitives can be cached by it.
#pragma once

#include <string>
#include <string_view>

#include "kernels/core/dtype.h"
#include "kernels/core/inline_vec.h"

namespace msjit {

class AttrValue {
 public:
  enum class Kind : uint8_t { kNone, kBool, kInt, kFloat, kIntList, kDType, kString };
  AttrValue() = default;
  AttrValue(bool v) : kind_(Kind::kBool), int_(v) {}
  AttrValue(int64_t v) : kind_(Kind::kInt), int_(v) {}
  AttrValue(int v) : AttrValue(static_cast<int64_t>(v)) {}
  AttrValue(double v) : kind_(Kind::kFloat), float_(v) {}
  AttrValue(DType v) : kind_(Kind::kDType), int_(static_cast<int64_t>(v)) {}
  AttrValue(IntList v) : kind_(Kind::kIntList), list_(std::move(v)) {}
  AttrValue(std::string_view v) : kind_(Kind::kString), string_(intern(v)) {}
  AttrValue(const char* v) : AttrValue(std::string_view(v)) {}

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool as_bool() const { return int_ != 0; }
  int64_t as_int() const { return int_; }
  // Ints are accepted where a float is asked for.
  double as_float() const { return kind_ == Kind::kFloat ? float_ : static_cast<double>(int_); }
  DType as_dtype() const { return static_cast<DType>(int_); }
  const IntList& as_list() const { return list_; }
  std::string_view as_string() const { return *string_; }

  friend bool operator==(const AttrValue& a, const AttrValue& b);
  size_t hash() const;
  std::string str() const;  // as the IR prints it: none, true, 3, 0.5, [1, 2], float32, "mean"

 private:
  static const std::string* intern(std::string_view text);
  Kind kind_ = Kind::kNone;
  union {
    int64_t int_ = 0;
    double float_;
    const std::string* string_;  // interned, lives for ever
  };
  IntList list_;
};

using Attrs = InlineVec<AttrValue, 2>;
size_t hash_attrs(const Attrs& attrs);

}  // namespace msjit
