#include "graph/grad.h"

#include "graph/graph_sink.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_add, op_logical_or, op_logical_and;

namespace {

bool same(const Val& a, const Val& b) { return a.id() == b.id(); }

}  // namespace

Val masked(const Grad& grad) {
  return grad.arrives ? words::where(grad.arrives, grad.value, 0) : grad.value;
}

Grad add(const Grad& a, const Grad& b) {
  if (!a || !b) return a ? a : b;
  if (same(a.arrives, b.arrives)) return {call(op_add, {a.value, b.value}), a.arrives};
  return {call(op_add, {masked(a), masked(b)}), either_arrives(a.arrives, b.arrives)};
}

Val arrives_in(GraphSink& sink, const Grad& grad) {
  return grad.arrives ? grad.arrives
                      : sink.constant(Tensor::scalar_of(DType::kBool, static_cast<bool>(grad)));
}

Val either_arrives(const Val& a, const Val& b) {
  if (!a || !b) return {};
  return same(a, b) ? a : call(op_logical_or, {a, b});
}

Val both_arrive(const Val& a, const Val& b) {
  if (!a || !b) return a ? a : b;
  return same(a, b) ? a : call(op_logical_and, {a, b});
}

}  // namespace msjit
