// Machine code kept between processes: one file a kernel in the directory MSJIT_CACHE_DIR names
// (unset or empty: none). A file counts only when everything its code depends on is the same: the
// spec, the target and the code generator's own library. Files are written aside and renamed, so
// concurrent processes see whole ones; damaged ones are ignored.
#pragma once

#include <optional>
#include <string>

#include "codegen/kernel_spec.h"

namespace msjit {

bool object_cache_enabled();
// What identifies a kernel: the spec and the target, in full.
std::string object_cache_key(const KernelSpec& spec, std::string_view target);
std::optional<std::string> object_cache_load(const std::string& key);
void object_cache_store(const std::string& key, std::string_view object);

// Hash of a file's contents, 0 when it cannot be read.
uint64_t file_hash(const char* path);

}  // namespace msjit
