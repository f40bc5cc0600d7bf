#include "graph/text_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace msjit {

void TextReader::skip_space(bool newlines) {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' ||
                                (newlines && text_[at_] == '\n')))
    line_ += text_[at_++] == '\n';
}

bool TextReader::accept(std::string_view token) {
  skip_space();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

Status TextReader::expect(std::string_view token) {
  if (accept(token)) return {};
  std::string got(text_.substr(at_, std::min<size_t>(12, text_.find('\n', at_) - at_)));
  return fail("expected '{}', got '{}'", token, got);
}

std::string_view TextReader::word() {
  skip_space();
  size_t start = at_;
  while (at_ < text_.size() &&
         ((text_[at_] >= 'a' && text_[at_] <= 'z') || text_[at_] == '_' ||
          (text_[at_] >= 'A' && text_[at_] <= 'Z') || (text_[at_] >= '0' && text_[at_] <= '9')))
    ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view TextReader::number_text() {
  skip_space();
  size_t start = at_;
  while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                text_[at_] == '+' || text_[at_] == '-' || text_[at_] == '.'))
    ++at_;
  return text_.substr(start, at_ - start);
}

Result<int64_t> TextReader::integer() {
  std::string_view text = number_text();
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return fail("expected an integer, got '{}'", text);
  return value;
}

Result<Meta> TextReader::type() {
  Meta meta;
  std::string_view name = word();
  if (name == "weak") {
    meta.weak = true;
    name = word();
  }
  if (!dtype_from_name(name, &meta.dtype)) return fail("unknown dtype '{}'", name);
  MSJIT_OK(expect("["));
  while (!accept("]")) {
    if (meta.shape.rank() > 0) MSJIT_OK(expect(","));
    MSJIT_TRY(int64_t dim, integer());
    if (meta.shape.rank() == kMaxRank) return fail("more than {} dimensions", kMaxRank);
    meta.shape.push_back(dim);
  }
  if (checked_numel(meta.shape) < 0) return fail("bad shape {}", meta.shape.str());
  return meta;
}

Result<AttrValue> TextReader::list_value() {
  MSJIT_OK(expect("["));
  IntList list;
  while (!accept("]")) {
    if (!list.empty()) MSJIT_OK(expect(","));
    MSJIT_TRY(int64_t item, integer());
    list.push_back(item);
  }
  return AttrValue(std::move(list));
}

Result<AttrValue> TextReader::string_value() {
  MSJIT_OK(expect("\""));
  std::string out;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    out.push_back(text_[at_++]);
  }
  MSJIT_OK(expect("\""));
  return AttrValue(std::string_view(out));
}

Result<AttrValue> TextReader::number_value(ParamKind kind) {
  std::string text(number_text());
  DType dtype;
  if (dtype_from_name(text, &dtype)) return AttrValue(dtype);
  if (text == "none") return AttrValue();
  if (text == "true" || text == "false") return AttrValue(text == "true");
  bool whole = !text.empty() && text.find_first_not_of("0123456789+-") == std::string::npos;
  char* end = nullptr;
  if (whole && kind != ParamKind::kFloat) {
    int64_t value = 0;
    auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && last == text.data() + text.size()) return AttrValue(value);
    return fail("bad integer '{}'", text);
  }
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end) return fail("bad value '{}'", text);
  return AttrValue(value);
}

Result<AttrValue> TextReader::attr_value(ParamKind kind) {
  if (peek() == '[') return list_value();
  if (peek() == '"') return string_value();
  return number_value(kind);
}

}  // namespace msjit
