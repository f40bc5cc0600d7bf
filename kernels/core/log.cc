#include "kernels/core/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace msjit {
namespace {

constexpr std::string_view kTopicNames[kNumLogTopics] = {
    "breaks", "guards", "graph", "passes", "shapes", "ir", "asm", "ptx", "plan", "device"};

// False at an unknown name; the known ones are enabled nevertheless.
bool parse_topics(std::string_view names, uint32_t* topics) {
  bool known = true;
  *topics = 0;
  while (!names.empty()) {
    size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    names = comma == std::string_view::npos ? std::string_view() : names.substr(comma + 1);
    uint32_t bits = name == "all" ? (1u << kNumLogTopics) - 1 : 0;
    for (int i = 0; i < kNumLogTopics; ++i)
      if (name == kTopicNames[i]) bits |= 1u << i;
    known &= bits != 0 || name.empty();
    *topics |= bits;
  }
  return known;
}

struct Dump {
  std::string root;
  bool on = false;
  std::atomic<int> next_directory{0};
  Dump() : root(env_text("MSJIT_DUMP")), on(!root.empty()) {}
};

Dump& dump() {
  static Dump* instance = new Dump;
  return *instance;
}

struct Current {
  std::string directory;
  int next_file = 0;
};
thread_local Current t_current;

// File names keep letters, digits and a little punctuation.
std::string safe_name(std::string_view name) {
  std::string out;
  for (char c : name.substr(0, 100)) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("_-.@:<>+").find(c) != std::string_view::npos;
    out.push_back(plain ? c : '_');
  }
  return out;
}

}  // namespace

namespace log_detail {

uint32_t g_topics = kUnread;

uint32_t read_topics() {
  std::string names = env_text("MSJIT_LOG");
  uint32_t topics;
  if (!parse_topics(names, &topics))
    std::fprintf(stderr, "msjit: unknown name in MSJIT_LOG=%s\n", names.c_str());
  return g_topics = topics;
}

}  // namespace log_detail

bool set_log_topics(std::string_view names) { return parse_topics(names, &log_detail::g_topics); }

void log_text(LogTopic topic, std::string_view text) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::string_view name = kTopicNames[static_cast<int>(topic)];
  std::string out;
  while (!text.empty()) {
    size_t end = text.find('\n');
    out += fmt::format("msjit {}: {}\n", name, text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

bool dump_enabled() { return dump().on; }

DumpScope::DumpScope(std::string_view name) {
  if (!dump_enabled() || !t_current.directory.empty()) return;
  int number = dump().next_directory.fetch_add(1);
  std::string directory = fmt::format("{}/{:04d}_{}", dump().root, number, safe_name(name));
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return;
  t_current = {std::move(directory), 0};
  entered_ = true;
}

DumpScope::DumpScope(Continue directory) {
  if (directory.directory.empty() || !t_current.directory.empty()) return;
  // Numbered from 50 on: the first thread may still be writing files with lower numbers.
  t_current = {std::move(directory.directory), 50};
  entered_ = true;
}

DumpScope::~DumpScope() {
  if (entered_) t_current = {};
}

std::string dump_directory() { return t_current.directory; }

void dump_file(std::string_view name, std::string_view text) {
  if (t_current.directory.empty()) return;
  std::string path =
      fmt::format("{}/{:02d}_{}", t_current.directory, t_current.next_file++, safe_name(name));
  if (FILE* file = std::fopen(path.c_str(), "w")) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
}

std::string env_text(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool env_flag(const char* name) {
  std::string value = env_text(name);
  return !value.empty() && value != "0";
}

}  // namespace msjit
