// Machine code kept between processes, one file per kernel. The directory is MSJIT_CACHE_DIR, or
// else $XDG_CACHE_HOME/msjit or ~/.cache/msjit. An empty MSJIT_CACHE_DIR switches the cache off. A
// file is used only when everything its code depends on is equal: the spec, the CPU and the code
// generator's library. Files are written under another name and then renamed, so concurrent
// processes only see complete files; damaged files are ignored. When the directory grows too large,
// the least recently used files are deleted. Nothing here is ever an error: without the cache,
// kernels are compiled.
#pragma once

#include <optional>
#include <string>

#include "codegen/backend.h"
#include "codegen/kernel_spec.h"

namespace msjit {

// False when there is no directory that only the user can write to.
bool object_cache_enabled();
// All that identifies a kernel, as binary data.
std::string object_cache_key(const KernelSpec& spec);
// The key of a GPU kernel: PTX, or the object that emulates it.
std::string object_cache_key(const DeviceRequest& request, bool ptx);
std::optional<std::string> object_cache_load(const std::string& key);
void object_cache_store(const std::string& key, std::string_view object);

// When the files of a directory have more than `limit` bytes, deletes the least recently used ones
// until three quarters of the limit are left.
void object_cache_trim(const std::string& directory, int64_t limit);

}  // namespace msjit
