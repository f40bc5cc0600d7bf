// What guards on tensors share.
#pragma once

#include "guards/guard_set.h"

namespace msjit {

// Notes the dimensions that differ from those captured; false where more does.
bool changed_dims(const GuardStep& step, PyObject* object, const std::string& source,
                  std::vector<ChangedSize>* out);

}  // namespace msjit
