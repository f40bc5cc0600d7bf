#include "codegen/object_cache.h"

#include <cpuid.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <vector>

#include "kernels/core/log.h"
#include "kernels/device/routine.h"

namespace msjit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "msjit-object-2\n";
constexpr std::string_view kSuffix = ".msjit";
constexpr int64_t kMaxFileBytes = int64_t{1} << 26;
constexpr int64_t kMaxBytes = int64_t{256} << 20;  // of all files
constexpr int kStoresPerTrim = 256;
constexpr time_t kDay = 24 * 60 * 60;  // times of use are kept to a day, unfinished files an hour
constexpr time_t kHour = 60 * 60;

uint64_t hash_bytes(std::string_view bytes, uint64_t state = 0xcbf29ce484222325ull) {
  const auto mix = [&](uint64_t word) {
    state = (state ^ word) * 0x9e3779b97f4a7c15ull;
    state ^= state >> 32;
  };
  uint64_t word;
  for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    mix(word);
  }
  for (unsigned char c : bytes) mix(c);
  return state;
}

struct Closer {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;

bool is_own(const struct stat& info) {
  return info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH));
}

// Only files that this user owns are trusted, because their contents are executed.
std::optional<std::string> read_file(const std::string& path, bool own) {
  File file(std::fopen(path.c_str(), "rbe"));
  struct stat info;
  if (!file || fstat(fileno(file.get()), &info) != 0 || info.st_size > kMaxFileBytes) return {};
  if (own && !is_own(info)) return {};
  std::string text(static_cast<size_t>(info.st_size), '\0');
  if (std::fread(text.data(), 1, text.size(), file.get()) != text.size()) return {};
  if (own && std::time(nullptr) - info.st_mtime > kDay) futimens(fileno(file.get()), nullptr);
  return text;
}

// A process that runs as another user (sudo, a setuid program) does not use that user's directory.
std::string users_directory() {
  struct stat info;
  const std::string home = env_text("HOME"), named = env_text("XDG_CACHE_HOME");
  if (getauxval(AT_SECURE)) return {};
  if (named.starts_with('/')) return named + "/msjit";
  if (!home.starts_with('/') || stat(home.c_str(), &info) != 0 || info.st_uid != geteuid())
    return {};
  return home + "/.cache/msjit";
}

bool make_directory(const std::string& path) {
  struct stat info;
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) mkdir(path.substr(0, slash).c_str(), 0700);
  mkdir(path.c_str(), 0700);
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && is_own(info);
}

// Appends the CPUID data that decides which instructions a CPU has. EBX of leaf 1 is left out: it
// names the core that executed CPUID.
void add_cpu(std::string* identity) {
  const auto add = [&](unsigned leaf, unsigned subleaf, bool ebx) {
    std::array<unsigned, 4> r{};
    __get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]);
    if (!ebx) r[1] = 0;
    identity->append(reinterpret_cast<const char*>(r.data()), sizeof r);
  };
  add(1, 0, false);
  add(7, 0, true);
  add(7, 1, true);
  add(0x80000001u, 0, true);
  unsigned low, high, a, b, c = 0, d;
  __get_cpuid(1, &a, &b, &c, &d);
  if (!(c & bit_OSXSAVE)) return;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));  // the registers that the system saves
  identity->append(reinterpret_cast<const char*>(&low), sizeof low);
}

struct Place {
  std::string directory, identity;  // empty: no cache
  std::atomic<int> stores{0};
  std::atomic<bool> failing{false};  // the directory cannot be written to

  Place() {
    if (env_flag("MSJIT_NO_LLVM") || backend_path().empty()) return;
    const char* const given = std::getenv("MSJIT_CACHE_DIR");
    const std::string wanted = given ? std::string(given) : users_directory();
    const auto generator = read_file(backend_path(), false);
    if (wanted.empty() || !generator || !make_directory(wanted)) return;
    directory = wanted;
    const uint64_t hash = hash_bytes(*generator);
    identity.assign(reinterpret_cast<const char*>(&hash), sizeof hash);
    add_cpu(&identity);
  }
};

Place& place() {
  static Place* instance = new Place;  // outlives the compile thread
  return *instance;
}

// The name is two hashes with different seeds. The file also holds the key, which is compared.
std::string path_of(const std::string& key) {
  return fmt::format("{}/{:016x}{:016x}{}", place().directory, hash_bytes(key),
                     hash_bytes(key, 0x9e3779b97f4a7c15ull), kSuffix);
}

void append(std::string* out, std::string_view field) {
  *out += fmt::format("{}:{}", field.size(), field);
}

// Removes a field written by append() from the front; false when the text has another form.
bool take(std::string_view* text, std::string_view* field) {
  size_t size = 0, digits = 0;
  while (digits < text->size() && digits < 10 && (*text)[digits] >= '0' && (*text)[digits] <= '9')
    size = size * 10 + static_cast<size_t>((*text)[digits++] - '0');
  if (digits == 0 || digits >= text->size() || (*text)[digits] != ':') return false;
  text->remove_prefix(digits + 1);
  if (size > text->size()) return false;
  *field = text->substr(0, size);
  text->remove_prefix(size);
  return true;
}

class KeyWriter {
 public:
  explicit KeyWriter(std::string start) : out(std::move(start)) {}
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void add(const Shape& shape) {
    add(shape.rank());
    for (Dim d : shape) add(d);
  }
  void add(const std::vector<ScalarNode>& nodes) {
    add(nodes.size());
    for (const ScalarNode& n : nodes) {
      add(n.op), add(n.dtype), add(n.a), add(n.b), add(n.c);
      add(n.imm_float), add(n.imm_int);
    }
  }
  void add(const std::vector<KernelStore>& stores) {
    add(stores.size());
    for (const KernelStore& s : stores) add(s.node), add(s.operand);
  }

  std::string out;
};

}  // namespace

bool object_cache_enabled() { return !place().directory.empty(); }

std::string object_cache_key(const KernelSpec& spec) {
  KeyWriter key(place().identity);
  key.add(spec.dims);
  key.add(spec.reduced), key.add(spec.open), key.add(spec.long_sums);
  key.add(spec.uneven), key.add(spec.uneven_total);
  key.add(spec.operands.size());
  for (const KernelOperand& o : spec.operands)
    key.add(o.dtype), key.add(o.output), key.add(o.strides), key.add(o.streams);
  key.add(spec.stages.size());
  for (const KernelStage& stage : spec.stages) {
    key.add(stage.body);
    key.add(stage.stores);
    key.add(stage.reduces.size());
    for (const KernelReduce& r : stage.reduces) key.add(r.kind), key.add(r.node);
  }
  key.add(spec.tail);
  key.add(spec.tail_stores);
  return std::move(key.out);
}

std::string object_cache_key(const DeviceRequest& request, bool ptx) {
  KeyWriter key(request.spec ? object_cache_key(*request.spec) : place().identity);
  if (request.routine) {
    const devices::Routine& routine = *request.routine;
    key.add(routine.nodes);
    key.add(routine.steps.size());
    for (const devices::RoutineStep& s : routine.steps)
      key.add(s.op), key.add(s.dtype), key.add(s.a), key.add(s.b), key.add(s.c), key.add(s.result);
    key.add(routine.num_pointers), key.add(routine.num_numbers);
  }
  key.out += fmt::format("{} for sm_{}", ptx ? "PTX" : "emulated", request.arch);
  return std::move(key.out);
}

std::optional<std::string> object_cache_load(const std::string& key) {
  auto text = read_file(path_of(key), true);
  if (!text || !text->starts_with(kMagic)) return {};
  std::string_view rest = std::string_view(*text).substr(kMagic.size()), stored, checksum, object;
  if (!take(&rest, &stored) || !take(&rest, &checksum) || !take(&rest, &object) || !rest.empty())
    return {};
  if (stored != key || checksum != fmt::format("{:016x}", hash_bytes(object))) return {};
  return std::string(object);
}

void object_cache_store(const std::string& key, std::string_view object) {
  Place& here = place();
  if (here.failing.load()) return;
  std::string text(kMagic), path = path_of(key), aside = fmt::format("{}.{}", path, getpid());
  append(&text, key);
  append(&text, fmt::format("{:016x}", hash_bytes(object)));
  append(&text, object);
  const int fd = open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  File file(fd < 0 ? nullptr : fdopen(fd, "wb"));
  bool ok = file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  ok = ok && std::fflush(file.get()) == 0;
  file.reset();
  if (!ok || std::rename(aside.c_str(), path.c_str()) != 0) {
    unlink(aside.c_str());
    here.failing = true;
    MSJIT_LOGF(LogTopic::kPlan, "kernels are not kept: {} cannot be written to", here.directory);
    return;
  }
  if (here.stores++ % kStoresPerTrim == 0) object_cache_trim(here.directory, kMaxBytes);
}

void object_cache_trim(const std::string& directory, int64_t limit) {
  struct Known {
    time_t used;
    int64_t bytes;
    std::string path;
  };
  std::vector<Known> files;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    struct stat info;
    if (path.find(kSuffix) == std::string::npos || lstat(path.c_str(), &info) != 0) continue;
    if (!path.ends_with(kSuffix)) {  // written aside by a process that may have died
      if (std::time(nullptr) - info.st_mtime > kHour) unlink(path.c_str());
      continue;
    }
    files.push_back({info.st_mtime, info.st_size, path});
    total += info.st_size;
  }
  if (total <= limit) return;
  std::ranges::sort(files, {}, &Known::used);
  for (const Known& file : files) {
    if (total <= limit / 4 * 3) break;
    if (unlink(file.path.c_str()) == 0) total -= file.bytes;
  }
}

}  // namespace msjit
