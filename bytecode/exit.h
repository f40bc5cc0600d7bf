// Turns the executor's final state into the recipes and effects of a Capture: which Python objects
// the outside can see, how to rebuild each once, in an order where parts precede wholes.
#pragma once

#include <unordered_map>

#include "bytecode/exec.h"

namespace msjit {

class ExitBuilder {
 public:
  ExitBuilder(Executor& executor, Capture* capture) : x_(executor), capture_(capture) {}
  // Fills result or locals and stack, effects, graph outputs. False: some value cannot be rebuilt
  // (`failure` says which); the region has to end earlier.
  bool build();
  std::string failure;                            // empty: what ended the region
  BreakReason reason = BreakReason::kObjectType;  // of the failure
  int failure_step =
      -1;  // the region can end before this instruction instead; -1 = one earlier than tried

  // --- for the rows of the kinds (values/value_kind.h) ---
  Executor& executor() { return x_; }
  int recipe(const SymRef& value);  // of any value; -1 on failure
  bool is_made(const SymRef& value) const { return done_.count(value) != 0; }
  int add(Recipe recipe);
  int add(Recipe recipe, const std::vector<SymRef>& parts);  // whose arguments are the parts'
  int add_instance(const SymRef& value, Recipe recipe);      // whose attributes are effects
  int tensor(const SymRef& value);
  int output(const SymRef& value);  // of the graph
  bool write(Effect effect, const std::vector<SymRef>& values);
  // Always -1. `step`: where the region can end instead.
  int fail(std::string what, int step = -1);

 private:
  void assumptions();
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
  std::unordered_map<SymRef, int> done_;  // keeps what it knows alive: addresses are reused
  std::vector<std::pair<SymRef, int>> instances_;  // made, their attributes still to come
  std::unordered_map<int32_t, int> output_of_;     // graph value -> output index
  bool written_apart_ = false;  // what is made now is copied into a tensor without a history
  std::vector<ValueId> shown_;  // tensors that leave the region otherwise
};

// The outputs of a finished capture that only replace the contents of an input.
std::vector<Overwrite> find_overwrites(const Capture& capture);
// Whether a run that ends well is never given up for what it gives, so that it may write before.
bool is_never_given_up(const Capture& capture);

}  // namespace msjit
