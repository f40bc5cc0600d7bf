// Executable: a compiled graph. run() is thread-safe and needs no GIL. A fresh one runs at once op
// by op on the prebuilt kernels (tier 0); its fused kernels are compiled on a background thread and
// swapped in atomically (tier 1). MSJIT_SYNC_COMPILE=1 compiles before compile() returns.
#pragma once

#include "graph/ir.h"

namespace msjit {

class PendingRun;

class Executable {
 public:
  virtual ~Executable() = default;
  // Runs the pass pipeline on a copy of `graph`, plans it and schedules its kernels.
  // `open_sizes`: it is one of many for graphs that differ in sizes; kernels are shared with them.
  static Result<std::shared_ptr<Executable>> compile(const Graph& graph, bool open_sizes = false);
  // Does the same on the compile thread where that takes long; run() goes node by node until then.
  static Result<std::shared_ptr<Executable>> compile_later(std::shared_ptr<const Graph> graph,
                                                           bool open_sizes = false);

  // Inputs are borrowed and have the metas the graph was built for (the guards saw to that); any
  // layout. `outputs` has one empty handle a graph output and receives fresh tensors or views of
  // the inputs.
  virtual Status run(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs) = 0;
  // The same, but outputs that overwrite inputs may be left out: `pending` then has to write them.
  virtual Status begin(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
                       PendingRun* pending) = 0;

  virtual void release_memory() = 0;           // gives idle arenas back to the allocator
  virtual int tier() const = 0;                // 0: op by op, 1: fused kernels in place
  virtual void wait_compiled() = 0;            // blocks until tier 1 is reached or given up
  virtual double compile_ms() const = 0;       // time spent in passes, planning and code generation
  virtual int64_t code_bytes() const = 0;      // plan and machine code, for the pool budget
  virtual int num_ops() const = 0;             // ops of the graph as captured
  virtual int num_kernels() const = 0;         // fused kernels and op kernels of the plan
  virtual std::string describe() const = 0;    // the plan as text, one step a line
  virtual std::string graph_text() const = 0;  // the optimised graph
};

}  // namespace msjit
