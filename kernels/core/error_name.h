// Errors of inner steps, under the name of what the user has called.
#pragma once

#include <string_view>

#include "kernels/core/result.h"

namespace msjit {

// "[sum] axis, got 3" becomes "[mean] axis, got 3". An IndexError depends on values, which compiled
// graphs meet too, where the steps stand alone: it keeps its name.
inline ErrorPtr under_name(ErrorPtr error, std::string_view name) {
  if (error->kind == ErrorKind::kIndex) return error;
  const size_t end = error->message.find(']');
  if (error->message.starts_with('[') && end != std::string::npos &&
      error->kind != ErrorKind::kInternal)
    error->message.replace(1, end - 1, name);
  return error;
}

}  // namespace msjit
