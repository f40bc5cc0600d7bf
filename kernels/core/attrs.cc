#include "kernels/core/attrs.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace msjit {
namespace {

size_t mix(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}

// Shortest text that reads back as the same double and is recognisably a float.
std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

const std::string* AttrValue::intern(std::string_view text) {
  static std::mutex mutex;
  static auto* table = new std::unordered_set<std::string>;  // nodes never move
  std::lock_guard lock(mutex);
  return &*table->emplace(text).first;
}

bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case AttrValue::Kind::kNone: return true;
    case AttrValue::Kind::kIntList: return a.list_ == b.list_;
    // By bits: -0.0 and 0.0 are different constants, and a NaN equals itself.
    case AttrValue::Kind::kFloat:
      return std::bit_cast<int64_t>(a.float_) == std::bit_cast<int64_t>(b.float_);
    case AttrValue::Kind::kString: return a.string_ == b.string_;
    default: return a.int_ == b.int_;
  }
}

size_t AttrValue::hash() const {
  size_t seed = static_cast<size_t>(kind_);
  switch (kind_) {
    case Kind::kNone: return seed;
    case Kind::kIntList:
      for (int64_t item : list_) seed = mix(seed, std::hash<int64_t>()(item));
      return mix(seed, list_.size());
    case Kind::kFloat: return mix(seed, std::bit_cast<size_t>(float_));
    case Kind::kString: return mix(seed, std::hash<const void*>()(string_));
    default: return mix(seed, std::hash<int64_t>()(int_));
  }
}

size_t hash_attrs(const Attrs& attrs) {
  size_t seed = attrs.size();
  for (const AttrValue& attr : attrs) seed = mix(seed, attr.hash());
  return seed;
}

std::string AttrValue::str() const {
  switch (kind_) {
    case Kind::kNone: return "none";
    case Kind::kBool: return int_ ? "true" : "false";
    case Kind::kInt: return fmt::format("{}", int_);
    case Kind::kFloat: return float_text(float_);
    case Kind::kIntList: return fmt::format("[{}]", fmt::join(list_.begin(), list_.end(), ", "));
    case Kind::kDType: return std::string(dtype_name(as_dtype()));
    case Kind::kString: break;
  }
  return quoted(*string_);
}

}  // namespace msjit
