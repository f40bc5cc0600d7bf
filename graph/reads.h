// What the gradient part of a joint graph reads of the forward part, and which of these values the
// forward run keeps. The program may write to inputs and outputs, and to anything that shares their
// storage, before the backward run. When a gradient rule reads the old contents, that write is an
// error, as in eager execution. When no rule does, the write must make no difference.
#pragma once

#include "graph/autodiff.h"

namespace msjit {

// The gradient of one input, and the bool that goes with it, or -1.
struct InputGradient {
  ValueId value, arrives;
};

struct JointParts {
  const Graph& joint;
  size_t num_forward;                // nodes before any gradient
  std::span<const ValueId> outputs;  // of the original graph
  std::span<const ValueId> seeds;    // incoming gradients
  std::span<const InputGradient> gradients;
  const ControlReads& control;
};

// By value: whether gradient rules read data in its storage. Only right for a value that owns its
// storage.
std::vector<bool> storage_read(const JointParts& parts);

struct KeptValues {
  std::vector<ValueId> ids;  // ascending
  std::vector<bool> copied;  // by value: is to be kept as a copy
};
KeptValues keep_values(const JointParts& parts);

}  // namespace msjit
