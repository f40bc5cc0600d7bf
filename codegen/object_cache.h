// Machine code kept between processes: one file a kernel, in MSJIT_CACHE_DIR, else in the user's
// cache directory ($XDG_CACHE_HOME or ~/.cache, there msjit); an empty MSJIT_CACHE_DIR switches it
// off. A file counts only when everything its code depends on is the same: the spec, the CPU and
// the code generator's own library. Files are written aside and renamed, so concurrent processes
// see whole ones; damaged ones are ignored. What was used least recently goes when the directory
// has grown too large. Nothing here is ever an error: without the cache kernels are compiled.
#pragma once

#include <optional>
#include <string>

#include "codegen/backend.h"
#include "codegen/kernel_spec.h"

namespace msjit {

// False where there is no directory that is the user's alone.
bool object_cache_enabled();
// What identifies a kernel, in full; not text.
std::string object_cache_key(const KernelSpec& spec);
// The same of a kernel for a GPU: PTX, or the object that plays it.
std::string object_cache_key(const DeviceRequest& request, bool ptx);
std::optional<std::string> object_cache_load(const std::string& key);
void object_cache_store(const std::string& key, std::string_view object);

// Deletes what was used least recently, where the files of a directory are more than `limit` bytes,
// until three quarters of that are left.
void object_cache_trim(const std::string& directory, int64_t limit);

}  // namespace msjit
