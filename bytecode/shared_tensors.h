// SharedTensors: tensors that share memory, a tensor and its views. A write to one of them is a new
// content of the tensor that owns the memory; all of them are derived anew from it. The owner was
// made in the region, or it is a tensor of the program, of which the region has made views.
#pragma once

#include <unordered_map>

#include "bytecode/exec.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {

class SharedTensors {
 public:
  explicit SharedTensors(Executor& x) : x_(x) {}

  // Finds what shares the memory of `tensor`. False: that is not known, or a write to it cannot be
  // stated as a write to the owner of the memory.
  bool find(const SymRef& tensor);
  // Gives `tensor` this content. Nothing else may use the old one afterwards, except backward
  // passes if the write is recorded. False: not possible.
  bool write(Val content, bool recorded);

 private:
  bool find_owner(ValueId id);
  bool find_views();
  bool find_members();
  Val derived(ValueId id, const Val& owner);

  Executor& x_;
  std::vector<ValueId> path_;  // from the tensor to the last view before the owner
  ValueId owner_ = -1;
  // The values that share the memory; each with a tensor that has the layout it has in eager code.
  std::unordered_map<ValueId, Tensor> layouts_;
  std::vector<SymRef> members_;
  SymRef program_owner_;  // null: the owner was made in the region
  std::unordered_map<ValueId, Val> derived_;
};

// What eager code gives for a view of a tensor with this layout; empty when it fails. Of a view at
// a position that the run will know: the one at the first position.
TensorVec eager_views(const Node& view, const Tensor& source);
// A tensor with the layout of a value that has memory of its own. False: it is too large.
bool lay_out_owner(const Meta& meta, Tensor* out);

}  // namespace msjit
