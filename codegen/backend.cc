#include "codegen/backend.h"

#include <dlfcn.h>

#include <mutex>

#include "codegen/compile_queue.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

constexpr const char* kLibrary = "libmsjit_llvm.so";

std::string own_directory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&load_backend), &info) || !info.dli_fname) return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

struct Loaded {
  const Backend* backend = nullptr;
  std::string error;

  Loaded() {
    if (env_flag("MSJIT_NO_LLVM")) {
      error = "switched off by MSJIT_NO_LLVM";
      return;
    }
    std::string path = own_directory() + kLibrary;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
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
    // Handlers run in reverse: the thread ends before the library's own static objects do.
    compile_queue_stop_at_exit();
  }
};

}  // namespace

const Backend* load_backend(std::string* error) {
  static const Loaded* loaded = new Loaded;
  if (!loaded->backend) *error = loaded->error;
  return loaded->backend;
}

}  // namespace msjit
