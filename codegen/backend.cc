#include "codegen/backend.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>

#include "codegen/compile_queue.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

constexpr const char* kLibrary = "libmsjit_llvm.so";

std::string find_library() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&load_backend), &info) || !info.dli_fname) return {};
  std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  path = slash == std::string::npos ? kLibrary : path.substr(0, slash + 1) + kLibrary;
  return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

std::atomic<void (*)(const char*)> g_report{nullptr};
std::atomic<bool> g_missing{env_flag("MSJIT_NO_LLVM")};

struct Loaded {
  const Backend* backend = nullptr;
  std::string error;

  Loaded() {
    if (env_flag("MSJIT_NO_LLVM")) {
      error = "switched off by MSJIT_NO_LLVM";
      return;
    }
    open();
    g_missing.store(!backend, std::memory_order_relaxed);
    if (const auto report = g_report.load(); report && !backend) report(error.c_str());
  }

  void open() {
    const std::string& path = backend_path();
    void* const library = dlopen(path.empty() ? kLibrary : path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      error = dlerror();
      return;
    }
    using Entry = const Backend* (*)();
    auto entry = reinterpret_cast<Entry>(dlsym(library, "msjit_backend"));
    backend = entry ? entry() : nullptr;
    if (!backend || backend->abi_version != kBackendAbi) {
      backend = nullptr;
      error = std::string(kLibrary) + " is of another build";
      return;
    }
    // Exit handlers run in reverse order: registered here, the compile thread ends before the
    // library's static objects are destroyed.
    compile_queue_stop_at_exit();
  }
};

}  // namespace

const Backend* load_backend(std::string* error) {
  static const Loaded* loaded = new Loaded;
  if (!loaded->backend) *error = loaded->error;
  return loaded->backend;
}

bool has_backend() { return !g_missing.load(std::memory_order_relaxed); }

const std::string& backend_path() {
  static const auto* path = new std::string(find_library());
  return *path;
}

void on_backend_missing(void (*report)(const char* reason)) { g_report = report; }

}  // namespace msjit
