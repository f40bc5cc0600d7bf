// What guards on tensors share.
#pragma once

#include "guards/guard_set.h"

namespace msjit {

// Adds the dimensions that differ from the captured ones; false where anything else differs.
bool changed_dims(const GuardStep& step, PyObject* object, const std::string& source,
                  std::vector<ChangedSize>* out);

// The part of a guard's text after dtype and shape: " and weak", " and on GPU:0".
inline std::string kind_text(const Meta& meta) {
  std::string text = meta.weak ? " and weak" : "";
  if (!meta.device.is_host()) text += " and on " + meta.device.str();
  return text;
}

}  // namespace msjit
