// TextReader: the words, numbers and types of a graph's text form.
#pragma once

#include <string_view>

#include "graph/ir.h"

namespace msjit {

class TextReader {
 protected:
  explicit TextReader(std::string_view text) : text_(text) {}

  void skip_space(bool newlines = false);
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token);
  Status expect(std::string_view token);
  std::string_view word();
  std::string_view number_text();
  Result<int64_t> integer();
  Result<Meta> type();
  Result<AttrValue> attr_value(ParamKind kind);
  Result<AttrValue> number_value(ParamKind kind);
  // A ValueError that names the line.
  template <class... Args>
  ErrorPtr fail(fmt::format_string<Args...> format, Args&&... args) {
    return value_error("[parse] line {}: {}", line_,
                       fmt::format(format, std::forward<Args>(args)...));
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;

 private:
  Result<AttrValue> list_value();
  Result<AttrValue> string_value();
};

}  // namespace msjit
