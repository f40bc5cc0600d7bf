// Plan: a frozen graph as a list of steps over slots. A slot holds one value of a run. A step is a
// fused loop, one op's kernel, a view, a branch or loop, or a weight in another dtype. Invariants:
// steps stand in execution order; each slot has one writer; a slot of kind kArena never escapes a
// run; random ops keep their program order. A Plan is immutable and shared by all threads.
#pragma once

#include <memory>

#include "codegen/kernel_spec.h"
#include "graph/ir.h"
#include "kernels/core/profile.h"

namespace msjit {

enum class PlanSlotKind : uint8_t {
  kInput,     // borrowed from the caller; any layout
  kConstant,  // owned by the plan
  kArena,     // an intermediate at a fixed offset of the workspace's arena
  kFresh,     // allocated in each run because it, or a view of it, leaves the run
  kView,      // made by a view op in each run
  kResult,    // handed over by a control or weight step in each run; may be another slot's tensor
  kTemp,      // lives inside one fused step, and only while that step runs op by op
};

struct PlanSlot {
  PlanSlotKind kind;
  ValueId value;
  Meta meta;
  Shape strides;               // as they are when all inputs are contiguous
  Tensor constant;             // kConstant
  bool channels_last = false;  // kArena, kTemp: lies in memory as N, H, W, C
  int64_t offset = 0;          // kArena
  int64_t bytes = 0;
};

// One call of an op's own kernel.
struct PlanOp {
  std::shared_ptr<const Node> node;  // keeps its graph alive, or is a copy (shared_steps.cc)
  InlineVec<int32_t, 4> in;          // slots, -1 = absent optional input
  InlineVec<int32_t, 2> out;
  InlineVec<int32_t, 2> release;  // temps read here for the last time
};

// A fused loop before its sizes and layout are known. specialize() makes a KernelSpec of it for
// given shapes and input strides.
struct FusedProgram {
  int32_t space = -1;  // a slot that has the shape of the iteration space
  uint32_t reduced = 0;
  bool keepdims = false;
  struct Operand {
    int32_t slot;
    DType dtype;
    bool output = false;
    bool tail = false;           // indexed by the kept dims
    bool channels_last = false;  // lies in memory as N, H, W, C, as planned
    bool streams = false;        // an output that is written past the caches
    friend bool operator==(const Operand&, const Operand&) = default;
  };
  std::vector<Operand> operands;  // inputs, then outputs
  int num_inputs = 0;
  std::vector<KernelStage> stages;
  std::vector<ScalarNode> tail;
  std::vector<KernelStore> tail_stores;
  friend bool operator==(const FusedProgram&, const FusedProgram&) = default;
};

// The sizes of a FusedProgram in one plan.
struct FusedShapes {
  Shape space;
  std::vector<Shape> operands;
  friend bool operator==(const FusedShapes&, const FusedShapes&) = default;
};

enum class PlanStepKind : uint8_t {
  kFused,
  kOp,
  kView,
  kControl,
  kWeight,  // a weight in another dtype, kept from run to run while the weight's bytes do not
            // change
};
struct Plan;

struct PlanStep {
  PlanStepKind kind;
  std::vector<PlanOp> ops;  // exactly one unless fused
  std::shared_ptr<const FusedProgram> fused;
  std::vector<int32_t> fresh;  // kFresh slots allocated here
  int32_t takes = -1;          // the slot whose memory its result takes over
  // An input of a sub-graph whose memory its result takes over in runs in which nothing else holds
  // it, as in a loop from the second turn on; the slots of views of it, which are used no more.
  int32_t reuses = -1;
  std::vector<int32_t> dead_views;
  bool writes_over = false;                         // its results may be written over inputs
  bool in_order = false;                            // with writes_over: also when it runs op by op
  std::vector<std::shared_ptr<const Plan>> nested;  // kControl: one per sub-graph
  InlineVec<bool, 8> copied;  // kControl, by input: a constant, which must not leave the run
};

// A step that plans for different sizes may share. It is only changed while its plan is made.
class SharedStep {
 public:
  SharedStep() : step_(std::make_shared<PlanStep>()) {}
  PlanStep* get() { return step_.get(); }
  PlanStep* operator->() { return step_.get(); }
  const PlanStep* operator->() const { return step_.get(); }
  operator PlanStep&() { return *step_; }
  operator const PlanStep&() const { return *step_; }
  bool same(const SharedStep& other) const { return step_ == other.step_; }
  long plans() const { return step_.use_count(); }  // that hold it

 private:
  std::shared_ptr<PlanStep> step_;
};

struct PlanOutput {
  int32_t slot;
  enum class How : uint8_t {
    kTake,   // the slot's own handle
    kAlias,  // a new header over storage that is not the plan's own
    kShare,  // in a sub-graph: the tensor itself, which another output or the caller holds too
    kCopy,   // a copy: constants, and values with their own storage in eager mode
  } how;
  Shape strides = {};  // kCopy: as eager code lays the tensor out; empty: row-major
};

struct Plan {
  std::shared_ptr<const Graph> graph;  // null once steps have been shared with another plan
  std::vector<PlanSlot> slots;         // the graph's inputs come first
  std::vector<SharedStep> steps;
  std::vector<PlanOutput> outputs;
  int64_t arena_bytes = 0;
  int num_inputs = 0;
  // The steps from here on only compute results that may be written over inputs (overwrites.cc).
  size_t commit = 0;
  bool writes_early = false;       // these steps stand among the others instead (early_writes.cc)
  std::vector<int32_t> target_of;  // by slot: the input its value may overwrite, or -1
  std::vector<int32_t> commit_inputs;   // the graph's inputs that these steps read or overwrite
  std::vector<int32_t> commit_results;  // slots made by control steps that these steps read
  bool open_sizes = false;  // kernels take sizes, and numbers computed from them, as arguments
  std::string str() const;
};

std::string describe_step(const Plan& plan, const PlanStep& step);
// What a profiler is told of a step. A branch or loop counts as nothing; the steps inside it count.
profile::Work work_of_step(const Plan& plan, const PlanStep& step);

// `original` is the graph before the passes: it tells which outputs own their storage in eager
// mode. `nested`: the plan of a sub-graph. Its outputs keep their identity when they are inputs
// handed on. `like`: as for share_steps().
Result<std::shared_ptr<const Plan>> make_plan(std::shared_ptr<const Graph> graph,
                                              const Graph& original, bool nested = false,
                                              bool open_sizes = false, const Plan* like = nullptr);

// Moves the steps that may overwrite inputs behind all others (overwrites.cc), or with `early` to
// the earliest place where they may run.
void plan_commit(Plan* plan, std::span<const Overwrite> overwrites, bool early);
// An order in which the steps that `writes` marks come as early as they may; empty when there is
// none. `base`, by slot: the slot whose memory it shows. `target`, by slot: the input that its
// value overwrites.
std::vector<size_t> early_order(const Plan& plan, std::span<const int32_t> base,
                                std::span<const int32_t> target, std::span<const char> writes);
// By slot: the slot whose memory it shows; a slot that is no view shows its own (buffers.cc).
std::vector<int32_t> find_bases(const Plan& plan);
// Finds the results that take over the memory of an input (takeovers.cc).
void plan_takeovers(Plan* plan, bool nested);
// Places the arena slots (buffers.cc).
void assign_arena(Plan* plan);
// Decides which images lie in memory channels last (channels_last.cc).
void choose_channels_last(Plan* plan);
// Strides of every slot when the inputs are contiguous (layout.cc).
Status assign_layouts(Plan* plan);
// The strides that eager code gives to a value of a graph; empty where it is row-major, or where
// only a run can tell.
Result<Shape> eager_strides(const Graph& graph, ValueId id);

// Fills the programs of a fused step (lower.cc). False when the step must stay op by op.
struct FusionGroup;
bool lower_group(const Graph& graph, const FusionGroup& group, std::span<const int32_t> value_slot,
                 std::span<const char> escapes, bool open_sizes, FusedProgram* out);

FusedShapes shapes_of(const Plan& plan, const FusedProgram& program);
// The loop nest for operands with these shapes and strides (one Shape per input operand, in order).
KernelSpec specialize(const FusedProgram& program, const FusedShapes& shapes,
                      std::span<const Shape> input_strides);

// Replaces steps of a new plan by equal ones of a plan of the same program for other sizes, and
// gives up the graph. So of many plans that are used in turn little more than what depends on the
// sizes comes into the caches.
void share_steps(Plan* plan, const Plan& like);

}  // namespace msjit
