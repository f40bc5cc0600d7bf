#include "codegen/object_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <memory>

#include "kernels/core/log.h"

namespace msjit {
namespace {

constexpr std::string_view kMagic = "msjit-object-1\n";
constexpr int64_t kMaxFileBytes = int64_t{1} << 26;

uint64_t hash_bytes(std::string_view bytes, uint64_t state = 0xcbf29ce484222325ull) {
  for (unsigned char c : bytes) state = (state ^ c) * 0x100000001b3ull;
  return state;
}

struct Closer {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, Closer>;

// Only files of this user's own are trusted: they are executed.
std::optional<std::string> read_file(const std::string& path, bool own) {
  File file(std::fopen(path.c_str(), "rb"));
  struct stat info;
  if (!file || fstat(fileno(file.get()), &info) != 0 || info.st_size > kMaxFileBytes) return {};
  if (own && (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)))) return {};
  std::string text(static_cast<size_t>(info.st_size), '\0');
  if (std::fread(text.data(), 1, text.size(), file.get()) != text.size()) return {};
  return text;
}

const std::string& directory() {
  static const auto* name = new std::string(env_text("MSJIT_CACHE_DIR"));
  return *name;
}

// Two hashes of different seeds; the key itself is in the file and is compared.
std::string path_of(const std::string& key) {
  return fmt::format("{}/{:016x}{:016x}.msjit", directory(), hash_bytes(key),
                     hash_bytes(key, 0x9e3779b97f4a7c15ull));
}

void append(std::string* out, std::string_view field) {
  *out += fmt::format("{}:{}", field.size(), field);
}

// Takes a field written by append() off the front; false at anything else.
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

void write_nodes(std::string* out, const std::vector<ScalarNode>& nodes) {
  for (const ScalarNode& n : nodes)
    *out +=
        fmt::format("{} {} {} {} {} {:x} {}\n", static_cast<int>(n.op), static_cast<int>(n.dtype),
                    n.a, n.b, n.c, std::bit_cast<uint64_t>(n.imm_float), n.imm_int);
}

}  // namespace

bool object_cache_enabled() { return !directory().empty(); }

std::string object_cache_key(const KernelSpec& spec, std::string_view target) {
  std::string key = fmt::format("{}\n{} {} {} {}\n", target, spec.dims.str(), spec.reduced,
                                spec.open, spec.long_sums);
  for (const KernelOperand& o : spec.operands)
    key += fmt::format("{} {} {}\n", dtype_name(o.dtype), o.output, o.strides.str());
  key += "body\n";
  write_nodes(&key, spec.body);
  for (const KernelStore& s : spec.stores) key += fmt::format("store {} {}\n", s.node, s.operand);
  for (const KernelReduce& r : spec.reduces)
    key += fmt::format("reduce {} {}\n", static_cast<int>(r.kind), r.node);
  key += "tail\n";
  write_nodes(&key, spec.tail);
  for (const KernelStore& s : spec.tail_stores)
    key += fmt::format("store {} {}\n", s.node, s.operand);
  return key;
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
  mkdir(directory().c_str(), 0700);
  std::string text(kMagic), path = path_of(key), aside = fmt::format("{}.{}", path, getpid());
  append(&text, key);
  append(&text, fmt::format("{:016x}", hash_bytes(object)));
  append(&text, object);
  int fd = open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return;
  File file(fdopen(fd, "wb"));
  bool ok = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  ok &= std::fflush(file.get()) == 0;
  file.reset();
  if (!ok || std::rename(aside.c_str(), path.c_str()) != 0) unlink(aside.c_str());
}

uint64_t file_hash(const char* path) {
  auto text = read_file(path, false);
  return text ? hash_bytes(*text) : 0;
}

}  // namespace msjit
