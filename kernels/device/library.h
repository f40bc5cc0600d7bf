// Opens libraries of a device's vendor on demand. They are searched by name, which finds system
// libraries and those already loaded, and then in the folders where Python packages keep them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace msjit {

// The first of `names` that is found; null when there is none. It stays open.
void* open_library(std::span<const char* const> names);
// Sets folders to search in addition to the loader's.
void set_library_folders(std::vector<std::string> folders);

}  // namespace msjit
