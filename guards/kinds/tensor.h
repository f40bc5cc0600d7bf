// What guards on tensors share.
#pragma once

#include "guards/guard_set.h"

namespace msjit {

// Notes the dimensions that differ from those captured; false where more does.
bool changed_dims(const GuardStep& step, PyObject* object, const std::string& source,
                  std::vector<ChangedSize>* out);

// What is said of a tensor beside dtype and shape: " and weak", " and on GPU:0".
inline std::string kind_text(const Meta& meta) {
  std::string text = meta.weak ? " and weak" : "";
  if (!meta.device.is_host()) text += " and on " + meta.device.str();
  return text;
}

}  // namespace msjit
