// What the gradient part of a joint graph reads of the forward part, and what of that is kept.
// Inputs and outputs, and whatever shows their storage, may be written to before the backward run.
// As in eager runs that is an error where a rule reads them; where none does, it must not be
// noticed.
#pragma once

#include "graph/autodiff.h"

namespace msjit {

struct JointParts {
  const Graph& joint;
  size_t num_forward;                  // nodes before any gradient
  std::span<const ValueId> outputs;    // of the original graph
  std::span<const ValueId> seeds;      // incoming gradients
  std::span<const ValueId> gradients;  // of the inputs, and the bools that go with them
  const ControlReads& control;
};

// By value: whether rules read data in its storage. Right for values that have their own.
std::vector<bool> storage_read(const JointParts& parts);

struct KeptValues {
  std::vector<ValueId> ids;  // ascending
  std::vector<bool> copied;  // by value: is to be kept as a copy
};
KeptValues keep_values(const JointParts& parts);

}  // namespace msjit
