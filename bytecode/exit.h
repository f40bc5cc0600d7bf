// ExitBuilder: turns the executor's final state into the recipes and effects of a Capture. It finds
// the Python objects that the outside can see and how to build each of them once, parts before
// wholes.
#pragma once

#include <unordered_map>

#include "bytecode/exec.h"

namespace msjit {

class ExitBuilder {
 public:
  ExitBuilder(Executor& executor, Capture* capture) : x_(executor), capture_(capture) {}
  // Fills the result, or locals and stack; effects; graph outputs. False: some value cannot be
  // rebuilt (`failure` says which), and the region has to end earlier.
  bool build();
  std::string failure;  // empty: the reason is that which ended the region
  BreakReason reason = BreakReason::kObjectType;  // of the failure
  int failure_step = -1;  // the step before which the region can end instead; -1 = one step earlier

  // --- for the rows of the kinds (values/value_kind.h) ---
  Executor& executor() { return x_; }
  int recipe(const SymRef& value);  // of any value; -1 on failure
  bool is_made(const SymRef& value) const { return done_.count(value) != 0; }
  int add(Recipe recipe);
  int add(Recipe recipe, const std::vector<SymRef>& parts);  // with the parts' recipes as arguments
  int add_instance(const SymRef& value, Recipe recipe);      // its attributes become effects
  int tensor(const SymRef& value);
  int output(const SymRef& value);   // makes it an output of the graph
  int output(ValueId id, bool own);  // `own`: no other value may be the same tensor
  bool write(Effect effect, const std::vector<SymRef>& values);
  // Always -1. `step`: where the region can end instead.
  int fail(std::string what, int step = -1);

 private:
  void assumptions();
  void checks();
  bool demanded();
  bool tensor_writes();
  bool gradients();
  bool all(const std::vector<SymRef>& values, std::vector<int32_t>* out);
  bool frame_state();
  void note_dropped();
  bool effects();
  bool effects_of(const SymRef& value);
  bool dies_with_frame(const SymRef& value) const;
  bool shared_cells();
  bool fill_instances();
  int make(const SymRef& value);

  Executor& x_;
  Capture* capture_;
  std::unordered_map<SymRef, int> done_;           // holds the values, because addresses are reused
  std::vector<std::pair<SymRef, int>> instances_;  // made; their attributes are not stored yet
  std::unordered_map<int32_t, int> output_of_;     // graph value -> output index
  bool written_apart_ = false;  // the current output is only copied into a tensor without a history
  std::vector<ValueId> shown_;  // all other tensors that leave the region
};

// The outputs of a finished capture that only replace the contents of an input, so that they may be
// written over it.
std::vector<Overwrite> find_overwrites(const Capture& capture);
// Whether a run that computes all outputs is always completed, so that it may write to inputs
// before its end.
bool is_never_given_up(const Capture& capture);

}  // namespace msjit
