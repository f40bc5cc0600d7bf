// Hooks on the tensors that the tape keeps. Each tensor is handed to the program when an op is
// recorded, and asked back when the gradient needs it.
#pragma once

#include <memory>
#include <vector>

#include "kernels/core/op.h"

namespace msjit {

class PackedTensor {
 public:
  virtual ~PackedTensor() = default;
  virtual Result<Tensor> unpack() = 0;
};

class SavedHooks {
 public:
  virtual ~SavedHooks() = default;
  virtual Result<std::shared_ptr<PackedTensor>> pack(const Tensor& tensor) = 0;
};

// One entry per input and one per output of an op; null: the gradient does not read its data.
struct PackedTensors {
  std::vector<std::shared_ptr<PackedTensor>> inputs, outputs;
};

// The innermost hooks of this thread apply. `EagerState::hooked` says whether there are any.
void push_saved_hooks(std::shared_ptr<SavedHooks> hooks);
void pop_saved_hooks();

// Hands the tensors that the gradients of the `wanted` inputs of `op` will read to the innermost
// hooks, inputs first.
Result<std::unique_ptr<PackedTensors>> pack_tensors(const OpDef& op, std::span<const Tensor> in,
                                                    const Attrs& attrs, std::span<const Tensor> out,
                                                    std::span<const bool> wanted);
// What a hook gives back for a tensor of this dtype and shape; an error when it has another dtype
// or shape.
Result<Tensor> unpack_tensor(PackedTensor& packed, const Meta& meta);

}  // namespace msjit
