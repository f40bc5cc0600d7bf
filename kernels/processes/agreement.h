// Before a collective call, the members of a group exchange what they are about to call. Different
// shapes, dtypes or calls are an error on all. They exchange one number, a digest of a text that
// describes the call; only if the numbers differ do they exchange the texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/tensor.h"

namespace msjit {

struct CallText {
  CallText(std::string_view where, std::string_view dtypes, std::string details)
      : where(where), dtypes(dtypes), details(std::move(details)) {}
  std::string where;    // the name by which the program knows the call
  std::string dtypes;   // "float32 int32"
  std::string details;  // "float32 (2, 3), sum"
};

std::string tensor_text(const Meta& meta);  // "float32 (2, 3)"
// A number that is the same in every process.
int64_t text_digest(std::string_view text);
// The texts of all members, cut off where they are too long.
Result<std::vector<std::string>> exchange_texts(int group, std::string_view text);
// The number of this call in the group, from 1 on. RuntimeError if the members differ in the call,
// TypeError for other dtypes, ValueError for other details. `of_call`: the number of the recorded
// call that a gradient belongs to, else 0. The caller holds the group's lock.
Result<int64_t> agree_on_call(int group, const CallText& call, int64_t of_call);

}  // namespace msjit
