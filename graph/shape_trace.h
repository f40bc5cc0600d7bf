// ShapeTrace: the calls that a capture with open sizes made, so that its graph can be built again
// for other sizes. It lists the calls as the program made them, before composites are expanded and
// shapes inferred. Sizes among their arguments are expressions. Each rebuild runs the shape rules
// again. During capture the Python code was told facts: dtypes, ranks, numbers of results,
// dimensions as expressions. A rebuild checks these facts, and fails when one does not hold for the
// new sizes.
#pragma once

#include <map>
#include <optional>

#include "graph/pullback.h"
#include "graph/scan.h"
#include "graph/shape_env.h"
#include "kernels/core/index_plan.h"

namespace msjit {

// A size among the arguments of a step.
struct TracedSize {
  int32_t at;    // kInput: dimension; kApply, kScan: attribute; kIndex: index item
  int32_t item;  // in a list of ints, -1 = the attribute itself; kIndex: 0 start, 1 stop, 2 step
  SizeExpr expr;
};

struct TraceStep {
  enum class Kind : uint8_t {
    kInput,
    kScalar,  // an input that holds a size on which only values depend, no shapes
    kConstant,
    kApply,
    kIndex,
    kCopy,         // a copy of a tensor
    kPlaceholder,  // of a loop, for what comes in as inputs[0]
    kRow,          // the same for the rows of inputs[0]
    kIf,           // predicate, values of one arm, of the other
    kWhile,        // initial values, placeholders, the condition, next values
    kScan,         // ScanParts in their order; attrs are the numbers of carried and of scanned
                   // values and the length, which may be in `sizes`
    kScope,        // a scope of gradients begins or ends: attrs are level and recording
    kDraws,        // draws from number attrs[0] on are repeated; -1: no longer
    kCustom,       // a step with a custom gradient: inputs, outputs; the number of inputs
    // A backward pass; passes may be inside one another.
    kBackward,      // begins: outputs, seeds, wrt; attrs: number of outputs, `differentiable`
    kBackwardNext,  // stops at a custom step: its number and which gradients arrive are attrs
    kBackwardGive,  // goes on with the gradients of that step's inputs
    kBackwardEnd,   // results are the gradients by wrt
  };
  Kind kind;
  const OpDef* op = nullptr;
  InlineVec<int32_t, 3> inputs;  // traced values, -1 = absent
  int32_t mark = 0;              // kIf, kWhile, kScan: the first step of the arms or the body
  Attrs attrs;
  std::vector<IndexItem> items;
  std::vector<TracedSize> sizes;
  Tensor constant;
  SourceLocation location;
  int32_t first = 0, count = 0;  // results
};

struct ShapeTrace {
  std::string name;
  std::vector<TraceStep> steps;
  std::vector<Meta> values;       // of every result, as captured
  std::vector<uint64_t> symbols;  // by value: those its shape may depend on
  struct Claim {
    int32_t value;
    int dim;
    SizeExpr expr;
  };
  std::vector<Claim> claims;  // dimensions as the program was told them
  struct Output {
    int32_t value;
    bool own;  // must be a copy
  };
  std::vector<Output> outputs;
  std::vector<Overwrite> overwrites;  // of the graphs built
  bool writes_early = false;          // as Graph::writes_early
  bool branches = false;              // holds kIf, kWhile or kScan
  uint64_t used_symbols() const;      // those that the graph depends on
  int64_t bytes() const;
};

// The graph for these sizes. An error when the recorded calls do not work for them.
Result<std::shared_ptr<Graph>> build_graph(const ShapeTrace& trace, std::span<const int64_t> sizes);

// The basic-indexing part of x[items] as ops. When there is no other part the result is a view,
// also for x[...], where it is a view of all of x.
Result<Val> index_in_graph(const Val& x, std::span<const IndexItem> items);

class TraceReplay;

// Records a trace while a GraphSink builds the graph of a capture.
class ShapeRecorder {
 public:
  ShapeRecorder(ShapeEnv* env, std::shared_ptr<Graph> graph);
  ~ShapeRecorder();

  void input(ValueId id, std::vector<TracedSize> sizes);
  ValueId scalar();  // a new 0-d int64 input
  // Sizes among the attributes of the op that is applied next.
  void set_sizes(std::vector<TracedSize> sizes) { pending_ = std::move(sizes); }
  // From the sink.
  void constant(ValueId id);
  void applied(const OpDef& op, std::span<const Val> in, const Attrs& attrs, Vals* results,
               SourceLocation location);
  void indexed(const Val& x, std::vector<IndexItem> items, std::vector<TracedSize> sizes,
               Val* result, SourceLocation location);
  void output(ValueId id, bool own);
  // Branches and loops on tensor values. Arms and bodies are recorded as ordinary steps.
  int32_t mark() const { return static_cast<int32_t>(trace_->steps.size()); }
  void copied(ValueId from, Val* result);
  void placeholder(ValueId initial, Val* result);
  void row(ValueId sequence, Val* result);
  // `in`: the arguments of build_if or build_while, in the order of kIf and kWhile.
  void built(TraceStep::Kind kind, int32_t mark, std::span<const Val> in, std::span<Val> results);
  void scanned(int32_t mark, const ScanParts& parts, const SizeExpr& length,
               std::span<Val> results);
  void scope(int level, bool recording);
  void draws(int first);
  void custom(const CustomStep& step);
  // The calls of a Pullback. `seeds` has one entry for each output.
  void backward(std::span<const Val> outputs, std::span<const Val> seeds, std::span<const Val> wrt,
                bool differentiable);
  void backward_next(int custom, Vals* arrived);
  void backward_give(std::span<const Val> gradients);
  void backward_end(std::span<Val> results);

  // The dimensions of a value; null where no expression is known for one.
  std::vector<SizeExpr> dims(ValueId id);
  uint64_t symbols(ValueId id) const;
  bool knows(ValueId id) const {
    return static_cast<size_t>(id) < value_of_.size() && value_of_[id] >= 0;
  }
  // The graph holds something that the trace does not.
  bool broken() const { return broken_; }
  std::shared_ptr<const ShapeTrace> finish() {
    trace_->overwrites = graph_->overwrites;
    trace_->writes_early = graph_->writes_early;
    return trace_;
  }

 private:
  int32_t value_of(ValueId id);
  void add_results(TraceStep step, std::span<Val> results);
  SizeExpr guess(int32_t value, int dim);
  TraceReplay* replay(const std::vector<int64_t>& sizes);

  ShapeEnv* env_;
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<ShapeTrace> trace_;
  std::vector<int32_t> value_of_;  // by graph value, -1 = none
  std::vector<std::vector<SizeExpr>> dims_;
  std::vector<TracedSize> pending_;
  std::map<std::vector<int64_t>, std::unique_ptr<TraceReplay>> replays_;
  bool broken_ = false;
};

}  // namespace msjit
