// Executable: a compiled graph. run() is thread-safe and needs no GIL. A new one can run at once,
// op by op on the prebuilt kernels (tier 0). Its fused kernels are compiled on a background thread
// and swapped in atomically (tier 1). With MSJIT_SYNC_COMPILE=1 compile() returns after they are
// compiled.
#pragma once

#include "graph/ir.h"

namespace msjit {

class PendingRun;
class PlanRunner;

class Executable {
 public:
  virtual ~Executable() = default;
  // Runs the pass pipeline on a copy of `graph`, plans it and schedules its kernels.
  // `open_sizes`: the graph is one of many that differ in sizes; its kernels take the sizes as
  // arguments and are shared with them. `like`: for another of these graphs; what is equal is
  // shared with it, and the optimised graph is not kept.
  static Result<std::shared_ptr<Executable>> compile(const Graph& graph, bool open_sizes = false,
                                                     const Executable* like = nullptr);
  // Like compile(), but plans a large graph on the compile thread; until then run() goes node by
  // node.
  static Result<std::shared_ptr<Executable>> compile_later(
      std::shared_ptr<const Graph> graph, bool open_sizes = false,
      std::shared_ptr<const Executable> like = {});

  // Inputs are borrowed. Their metas are those the graph was built for (the guards have checked
  // it); their layout may be any. `outputs` has one empty handle per graph output and receives new
  // tensors or views of the inputs.
  virtual Status run(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs) = 0;
  // Like run(), but outputs that overwrite inputs may be left out; `pending` then has to write
  // them.
  virtual Status begin(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
                       PendingRun* pending) = 0;

  virtual void release_memory() = 0;  // frees the headers that a large plan keeps for its next run
  virtual int tier() const = 0;       // 0: op by op, 1: fused kernels in place
  virtual void wait_compiled() = 0;   // blocks until tier 1 is reached or given up
  virtual double compile_ms() const = 0;  // time spent in passes, planning and code generation
  // Plan and machine code, for the pool budget. Arenas have a budget of their own (arenas.cc).
  virtual int64_t code_bytes() const = 0;
  virtual int num_ops() const = 0;             // ops of the graph as captured
  virtual int num_kernels() const = 0;         // fused kernels and op kernels of the plan
  virtual std::string describe() const = 0;    // the plan as text, one step per line
  virtual std::string graph_text() const = 0;  // the optimised graph; "" when it was not kept
  virtual const PlanRunner* runner() const { return nullptr; }  // null: none, or not yet
};

}  // namespace msjit
