// Signatures from their text: "x: Tensor, axis: int[]? = None, keepdims: bool = False".
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "kernels/core/op.h"

namespace msjit {
namespace {

[[noreturn]] void bad_signature(std::string_view text) {
  std::fprintf(stderr, "msjit: malformed signature: %.*s\n", static_cast<int>(text.size()),
               text.data());
  std::abort();
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool take_suffix(std::string_view* text, std::string_view suffix) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

// Splits at top-level commas: those inside [] or quotes do not count.
std::vector<std::string_view> split_params(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    if (c == '"') quoted = !quoted;
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    bool end = i == text.size() || (c == ',' && depth == 0 && !quoted);
    if (!end) continue;
    std::string_view part = trim(text.substr(start, i - start));
    if (!part.empty()) parts.push_back(part);
    start = i + 1;
  }
  return parts;
}

template <class T>
bool parse_number(std::string_view text, T* out) {
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, *out);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

AttrValue parse_list(std::string_view text, std::string_view whole) {
  IntList items;
  for (std::string_view part : split_params(text.substr(1, text.size() - 2))) {
    int64_t item = 0;
    if (!parse_number(part, &item)) bad_signature(whole);
    items.push_back(item);
  }
  return items;
}

AttrValue parse_default(std::string_view text, ParamKind kind, std::string_view whole) {
  if (text == "None") return {};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
    return text.substr(1, text.size() - 2);
  }
  if (text.size() >= 2 && (text.front() == '[' || text.front() == '(')) {
    return parse_list(text, whole);
  }
  if (kind == ParamKind::kDType) {
    DType dtype;
    if (!dtype_from_name(text, &dtype)) bad_signature(whole);
    return dtype;
  }
  int64_t integer = 0;
  if (kind != ParamKind::kFloat && parse_number(text, &integer)) {
    if (kind == ParamKind::kIntList) return IntList{integer};
    return integer;
  }
  double number = 0;
  if (!parse_number(text, &number)) bad_signature(whole);
  return number;
}

ParamKind parse_kind(std::string_view type, bool optional, std::string_view whole) {
  if (type == "Tensor") return optional ? ParamKind::kOptionalTensor : ParamKind::kTensor;
  struct Row {
    std::string_view name;
    ParamKind kind;
  };
  static constexpr Row kRows[] = {
      {"Tensor[]", ParamKind::kTensorList},
      {"bool", ParamKind::kBool},
      {"int", ParamKind::kInt},
      {"float", ParamKind::kFloat},
      {"number", ParamKind::kNumber},
      {"int[]", ParamKind::kIntList},
      {"dtype", ParamKind::kDType},
      {"str", ParamKind::kString},
  };
  for (const Row& row : kRows) {
    if (row.name == type) return row.kind;
  }
  bad_signature(whole);
}

Param parse_param(std::string_view text, std::string_view whole) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) bad_signature(whole);
  Param param;
  param.name = trim(text.substr(0, colon));
  std::string_view type = trim(text.substr(colon + 1));
  std::string_view value;
  if (size_t equals = type.find('='); equals != std::string_view::npos) {
    value = trim(type.substr(equals + 1));
    type = trim(type.substr(0, equals));
    param.has_default = true;
  }
  param.optional = take_suffix(&type, "?");
  param.kind = parse_kind(type, param.optional, whole);
  if (param.has_default) param.default_value = parse_default(value, param.kind, whole);
  return param;
}

}  // namespace

Signature Signature::parse(std::string_view text) {
  Signature signature;
  for (std::string_view part : split_params(text)) {
    Param param = parse_param(part, text);
    if (param.is_tensor()) {
      ++signature.num_tensors;
      signature.variadic |= param.kind == ParamKind::kTensorList;
    } else {
      ++signature.num_attrs;
    }
    signature.params.push_back(std::move(param));
  }
  if (signature.variadic && signature.num_tensors != 1) bad_signature(text);
  return signature;
}

int Signature::attr_index(std::string_view name) const {
  int index = 0;
  for (const Param& param : params) {
    if (param.is_tensor()) continue;
    if (param.name == name) return index;
    ++index;
  }
  return -1;
}

}  // namespace msjit
