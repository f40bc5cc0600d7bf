// Val and OpSink: the one place where calls of ops can be intercepted. A Val is a value that
// belongs to a sink: a Tensor of the eager sink, or a node's output of a graph sink. Code written
// with Vals (composites, gradient rules) runs in the sink of its inputs. A failed call yields a
// poisoned Val and leaves its error in the sink, so gradient formulas need no error checks. The
// outermost caller asks take_error() once.
#pragma once

#include <initializer_list>
#include <vector>

#include "kernels/core/attrs.h"
#include "kernels/core/tensor.h"

namespace msjit {

struct OpDef;
class OpSink;

class Val {
 public:
  Val() = default;
  Val(OpSink* sink, Tensor tensor) : sink_(sink), tensor_(std::move(tensor)) {}
  Val(OpSink* sink, int32_t id) : sink_(sink), id_(id) {}
  OpSink* sink() const { return sink_; }
  const Tensor& tensor() const { return tensor_; }  // eager sinks only
  // An eager value whose data was overwritten since it was saved: its meta may be used, its data
  // not.
  static Val stale(OpSink* sink, Tensor tensor) {
    Val val(sink, std::move(tensor));
    val.id_ = 0;
    return val;
  }
  bool is_stale() const { return tensor_ && id_ >= 0; }
  int32_t id() const { return id_; }  // graph sinks only
  explicit operator bool() const { return sink_ != nullptr && (tensor_ || id_ >= 0); }
  const Meta& meta() const;
  const Shape& shape() const { return meta().shape; }
  DType dtype() const { return meta().dtype; }
  int rank() const { return meta().shape.rank(); }

 private:
  OpSink* sink_ = nullptr;
  Tensor tensor_;
  int32_t id_ = -1;
};

using Vals = std::vector<Val>;

class OpSink {
 public:
  virtual ~OpSink() = default;
  virtual Result<Vals> apply(const OpDef& op, std::span<const Val> inputs, const Attrs& attrs) = 0;
  virtual const Meta& meta(const Val& value) const = 0;
  virtual Val constant(Tensor value) = 0;

  // The first error of a poisoned computation since the last call; success when there was none.
  Status take_error();
  void poison(ErrorPtr error);

 private:
  ErrorPtr error_;
};

// Calls `op` in the sink of its first valid input, or in an explicit sink for ops without tensor
// inputs. Returns its first output; poisoned on error or if any input is.
Val call(const OpDef& op, std::initializer_list<Val> inputs, Attrs attrs = {});
Val call_in(OpSink* sink, const OpDef& op, std::span<const Val> inputs, const Attrs& attrs = {});
Vals call_multi(OpSink* sink, const OpDef& op, std::span<const Val> inputs,
                const Attrs& attrs = {});

}  // namespace msjit
