// Logs and dumps for people who debug msjit.
// MSJIT_LOG=passes,graph prints the named topics on stderr; MSJIT_DUMP=dir writes numbered text
// files, one directory a capture. Both are read once; when they are off a check is one load.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace msjit {

// Names in MSJIT_LOG are these without the k, in lower case; `all` selects every one.
enum class LogTopic : uint8_t {
  kBreaks,
  kGuards,
  kGraph,
  kPasses,
  kShapes,
  kIr,
  kAsm,
  kPtx,
  kPlan,
  kDevice
};
inline constexpr int kNumLogTopics = 10;

namespace log_detail {
extern uint32_t g_topics;  // bit set; kUnread until it is first needed
inline constexpr uint32_t kUnread = 1u << 31;
uint32_t read_topics();
}  // namespace log_detail

inline bool log_enabled(LogTopic topic) {
  uint32_t topics = log_detail::g_topics;
  if (topics & log_detail::kUnread) [[unlikely]]
    topics = log_detail::read_topics();
  return (topics >> static_cast<int>(topic)) & 1;
}
// One line, or several, prefixed with "msjit <topic>: ".
void log_text(LogTopic topic, std::string_view text);
// Replaces what MSJIT_LOG said; returns false at an unknown name.
bool set_log_topics(std::string_view names);

// Evaluates its arguments only when the topic is on.
#define MSJIT_LOGF(topic, ...)                            \
  do {                                                    \
    if (::msjit::log_enabled(topic)) [[unlikely]]         \
      ::msjit::log_text(topic, fmt::format(__VA_ARGS__)); \
  } while (0)

bool dump_enabled();
// While it lives, files dumped by this thread go to a fresh directory `0007_<name>` below
// MSJIT_DUMP. Nested scopes keep the outer directory. Costs nothing when dumping is off.
class DumpScope {
 public:
  explicit DumpScope(std::string_view name);
  // Continues in a directory of another thread's scope, got from dump_directory().
  struct Continue {
    std::string directory;
  };
  explicit DumpScope(Continue directory);
  ~DumpScope();
  DumpScope(const DumpScope&) = delete;

 private:
  bool entered_ = false;
};
std::string dump_directory();  // empty outside a scope or when dumping is off
// Writes `03_<name>` into the current directory; the number counts the files of that directory.
void dump_file(std::string_view name, std::string_view text);

// An environment variable; empty when unset. Switches are off when unset, empty or "0".
std::string env_text(const char* name);
bool env_flag(const char* name);

}  // namespace msjit
