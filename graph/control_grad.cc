#include "graph/control_grad.h"

#include "graph/autodiff.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_add;

namespace {

using Flags = InlineVec<bool, 8>;

std::span<const bool> view(const Flags& flags) { return {flags.data(), flags.size()}; }

Val zeros(GraphSink& sink, const Meta& meta) {
  Val zero = sink.constant(Tensor::scalar_of(meta.dtype, 0));
  return meta.shape.rank() > 0 ? words::broadcast_to(zero, meta.shape) : zero;
}

Vals append(GraphSink& sink, const OpDef& op, const std::vector<ValueId>& in,
            const GraphSink::Subgraphs& subgraphs) {
  const std::vector<Meta> metas = control_outputs(op, subgraphs);
  Vals values;
  if (metas.empty()) return values;
  const ValueId first = sink.append(op, in, {}, metas, subgraphs);
  for (size_t i = 0; i < metas.size(); ++i)
    values.push_back(sink.value(first + static_cast<ValueId>(i)));
  return values;
}

Result<Vals> if_vjp(GraphSink& sink, const Node& node, std::span<const Val> output_grads,
                    std::span<const bool> wanted) {
  Flags inputs, given;
  for (bool flag : wanted.subspan(1)) inputs.push_back(flag);
  std::vector<ValueId> in(node.inputs.begin(), node.inputs.end());
  for (const Val& grad : output_grads) {
    given.push_back(static_cast<bool>(grad));
    if (grad) in.push_back(grad.id());
  }
  GraphSink::Subgraphs arms;
  for (const auto& arm : node.subgraphs) {
    MSJIT_TRY(auto gradient, vjp_graph(*arm, view(inputs), view(given)));
    arms.push_back(std::move(gradient));
  }
  const Vals grads = append(sink, op_if, in, arms);
  Vals result(wanted.size());
  size_t next = 0;
  for (size_t i = 1; i < wanted.size(); ++i)
    if (wanted[i]) result[i] = grads[next++];
  return result;
}

// The body's gradient, with one more pair of input and output for every captured value, in which
// its gradient adds up over the iterations.
Result<std::shared_ptr<const Graph>> make_step(const Graph& body, const Flags& inputs) {
  const size_t carried = body.outputs.size() - 1;
  Flags given;
  given.push_back(false);
  for (size_t i = 0; i < carried; ++i) given.push_back(inputs[i]);
  MSJIT_TRY(std::shared_ptr<Graph> step, vjp_graph(body, view(inputs), view(given)));
  GraphSink sink(step);
  size_t output = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    ValueId& grad = step->outputs[output++];
    if (i < carried) continue;
    Meta meta = step->meta(grad);
    const Val sum = call(op_add, {sink.input(meta), sink.value(grad)});
    MSJIT_OK(sink.take_error());
    grad = sum.id();
  }
  return std::shared_ptr<const Graph>(std::move(step));
}

Result<Vals> while_vjp(GraphSink& sink, const Node& node, std::span<const Val> output_grads,
                       std::span<const bool> wanted) {
  const auto& body = node.subgraphs[0];
  const size_t carried = body->outputs.size() - 1;
  // A gradient may reach any carried float by way of another.
  Flags inputs;
  for (size_t i = 0; i < wanted.size(); ++i)
    inputs.push_back(i < carried ? is_float(body->meta(body->inputs[i]).dtype) : wanted[i]);
  MSJIT_TRY(auto step, make_step(*body, inputs));
  std::vector<ValueId> in(node.inputs.begin(), node.inputs.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    const bool arrived = i < carried && output_grads[i];
    const Val seed = arrived ? output_grads[i] : zeros(sink, body->meta(body->inputs[i]));
    MSJIT_OK(sink.take_error());
    in.push_back(seed.id());
  }
  const Vals grads = append(sink, op_while_grad, in, {body, step});
  Vals result(wanted.size());
  size_t next = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!inputs[i]) continue;
    if (wanted[i]) result[i] = grads[next];
    ++next;
  }
  return result;
}

}  // namespace

Result<Vals> control_vjp(GraphSink& sink, const Node& node, std::span<const Val> output_grads,
                         std::span<const bool> wanted) {
  if (is_if(node)) return if_vjp(sink, node, output_grads, wanted);
  if (is_while(node)) return while_vjp(sink, node, output_grads, wanted);
  return not_implemented_error("[backward] {} has no gradient rule", node.op->name);
}

}  // namespace msjit
