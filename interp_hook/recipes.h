// The Python objects that a region builds at its exit.
#pragma once

#include <span>
#include <string>

#include "interp_hook/entry.h"

namespace msjit {

// What the objects of an exit are made from.
struct ExitState {
  const Entry& entry;
  PyObject* const* registers;      // filled by the guards
  std::span<const int64_t> sizes;  // the open sizes of the call
  std::span<const Tensor> outputs;
  const DrawnNumbers& drawn;
  const Objects& objects;  // made so far
  std::string* error;
};

// Makes the objects of all recipes. A result that is written over an input is an empty Ref. False:
// one cannot be made, and the error says why.
bool make_objects(const ExitState& exit, Objects* objects);

}  // namespace msjit
