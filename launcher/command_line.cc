#include "launcher/command_line.h"

#include <cstring>
#include <string_view>

namespace msjit::launcher {
namespace {

constexpr std::string_view kName = "msjit";
// These options have a value: the rest of the word, else the next word.
constexpr std::string_view kValued = "cmWX";
// After these the arguments of the program begin.
constexpr std::string_view kLast = "cm";
constexpr std::string_view kValuedWord = "--check-hash-based-pycs";

void keep(std::string_view value, std::vector<std::string>& found) {
  if (value == kName) found.emplace_back();
  if (value.substr(0, kName.size() + 1) == "msjit=") found.emplace_back(value.substr(6));
}

}  // namespace

std::vector<std::string> msjit_options(int argc, char** argv) {
  std::vector<std::string> found;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.size() < 2 || word[0] != '-' || word == "--") break;
    if (word[1] == '-') {
      if (word == kValuedWord) ++i;
      continue;
    }
    const size_t at = word.find_first_of(kValued, 1);
    if (at == word.npos) continue;
    if (kLast.find(word[at]) != kLast.npos) break;
    std::string_view value = word.substr(at + 1);
    if (value.empty() && ++i < argc) value = argv[i];
    if (word[at] == 'X') keep(value, found);
  }
  return found;
}

}  // namespace msjit::launcher
