// Libraries of a device's maker, opened on demand: by name, which finds those of the system and
// those that the process has loaded already, then in folders where packages of Python keep them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace msjit {

// The first of `names` that is found, null for none. It stays open.
void* open_library(std::span<const char* const> names);
// Where to look, beside the loader's own places.
void set_library_folders(std::vector<std::string> folders);

}  // namespace msjit
