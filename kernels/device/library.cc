#include "kernels/device/library.h"

#include <dlfcn.h>

#include <mutex>

namespace msjit {
namespace {

std::mutex g_mutex;
std::vector<std::string>& folders() {
  static auto* const all = new std::vector<std::string>;
  return *all;
}

}  // namespace

void* open_library(std::span<const char* const> names) {
  std::lock_guard lock(g_mutex);
  for (const char* name : names) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    for (const std::string& folder : folders())
      if (void* const library = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
  }
  return nullptr;
}

void set_library_folders(std::vector<std::string> all) {
  std::lock_guard lock(g_mutex);
  folders() = std::move(all);
}

}  // namespace msjit
