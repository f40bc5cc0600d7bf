#include "kernels/processes/agreement.h"

#include <algorithm>

#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

constexpr int64_t kTextBytes = 512;
constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;  // parts numbers that lie close together

// where, dtypes and details of a text that a member has sent.
struct Said {
  std::string parts[3];
  explicit Said(std::string_view text) {
    for (std::string& part : parts) {
      const size_t end = std::min(text.find('\n'), text.size());
      part = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
};

bool differ(const std::vector<Said>& said, int part) {
  return std::ranges::any_of(
      said, [&](const Said& one) { return one.parts[part] != said[0].parts[part]; });
}

// "float32 (2,) on ranks 0, 1; float32 (3,) on rank 2"
std::string list_differences(const ProcessGroup& group, const std::vector<Said>& said, bool calls) {
  std::vector<std::pair<std::string, std::vector<int>>> by_text;
  for (size_t i = 0; i < said.size(); ++i) {
    const auto& [where, dtypes, details] = said[i].parts;
    const std::string text = !calls            ? details
                             : details.empty() ? where
                                               : fmt::format("{} of {}", where, details);
    auto found = std::ranges::find(by_text, text, [](const auto& entry) { return entry.first; });
    if (found == by_text.end()) found = by_text.insert(found, {text, {}});
    found->second.push_back(group.ranks[i]);
  }
  std::string list;
  for (const auto& [text, ranks] : by_text) {
    list += fmt::format("{}{} on {} ", list.empty() ? "" : "; ", text,
                        ranks.size() == 1 ? "rank" : "ranks");
    for (size_t i = 0; i < ranks.size(); ++i) list += fmt::format("{}{}", i ? ", " : "", ranks[i]);
  }
  return list;
}

Status difference(const ProcessGroup& group, const std::string& where,
                  const std::vector<Said>& said) {
  const bool calls = differ(said, 0), dtypes = differ(said, 1);
  const ErrorKind kind = calls    ? ErrorKind::kRuntime
                         : dtypes ? ErrorKind::kType
                                  : ErrorKind::kValue;
  return std::make_unique<Error>(
      Error{kind, fmt::format("[{}] {}, got {}, expected the same on all ranks", where,
                              calls    ? "call"
                              : dtypes ? "dtype"
                                       : "input",
                              list_differences(group, said, calls))});
}

}  // namespace

std::string tensor_text(const Meta& meta) {
  return fmt::format("{} {}", dtype_name(meta.dtype), meta.shape.str());
}

// FNV-1a, and a last step that spreads the bits (from MurmurHash3).
int64_t text_digest(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCD;
  return static_cast<int64_t>(hash ^ (hash >> 33));
}

Result<std::vector<std::string>> exchange_texts(int group, std::string_view text) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  MSJIT_TRY(const Tensor sent, Tensor::empty({DType::kUInt8, false, Shape{kTextBytes}}));
  MSJIT_TRY(const Tensor received,
            Tensor::empty({DType::kUInt8, false, Shape{kTextBytes * g.size}}));
  auto* const own = static_cast<char*>(sent.data());
  std::fill_n(own, kTextBytes, '\0');
  std::ranges::copy(text.substr(0, kTextBytes), own);
  const std::vector<int64_t> counts(static_cast<size_t>(g.size), kTextBytes);
  MSJIT_OK(all_gather(group, sent, received, counts));
  std::vector<std::string> texts;
  for (int i = 0; i < g.size; ++i) {
    const std::string_view whole(static_cast<const char*>(received.data()) + i * kTextBytes,
                                 kTextBytes);
    texts.emplace_back(whole.substr(0, whole.find_last_not_of('\0') + 1));
  }
  return texts;
}

Result<int64_t> agree_on_call(int group, const CallText& call, int64_t of_call) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  const int64_t number = ++g.state->calls;
  const std::string text = fmt::format("{}\n{}\n{}", call.where, call.dtypes, call.details);
  const uint64_t turned = static_cast<uint64_t>(of_call) * kSpread & (~uint64_t{0} >> 1);
  MSJIT_TRY(const bool same, agree(group, text_digest(text) ^ static_cast<int64_t>(turned)));
  if (same) return number;
  MSJIT_TRY(const std::vector<std::string> texts,
            exchange_texts(group, of_call ? fmt::format("{} of call {}", text, of_call) : text));
  std::vector<Said> said;
  for (const std::string& one : texts) said.emplace_back(one);
  return difference(g, call.where, said).take_error();
}

}  // namespace msjit
