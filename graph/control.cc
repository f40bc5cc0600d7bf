#include "graph/control.h"

#include <algorithm>
#include <unordered_map>

#include "graph/cutter.h"
#include "graph/poll.h"
#include "graph/scan.h"
#include "kernels/core/scalar_num.h"
#include "kernels/cpu/slicing.h"
#include "kernels/device/device_tensors.h"

namespace msjit {

extern const OpDef op_slice;

const OpDef op_if = OpBuilder("if").signature("inputs: Tensor[]");
const OpDef op_while = OpBuilder("while").signature("inputs: Tensor[]");
const OpDef op_while_grad = OpBuilder("while_grad").signature("inputs: Tensor[]");
bool (*g_loop_interrupted)() = nullptr;

namespace {

ErrorPtr bad(const Node& node, std::string_view what) {
  return internal_error("[{}] {}", node.op->name, what);
}

// Compares the metas of the values that a sub-graph takes or returns with those on the other side.
// Whether a scalar is weak is ignored: it only mattered while the sub-graph was built.
Status check_metas(const Node& node, const char* what, size_t count, size_t expected,
                   const std::function<bool(size_t)>& same) {
  if (count != expected)
    return bad(node, fmt::format("number of {}, got {}, expected {}", what, count, expected));
  for (size_t i = 0; i < count; ++i)
    if (!same(i)) return bad(node, fmt::format("{} {} differ in dtype or shape", what, i));
  return {};
}

Status check_inputs(const Graph& graph, const Node& node, const Graph& sub, size_t skip) {
  return check_metas(node, "inputs", node.inputs.size() - skip, sub.inputs.size(), [&](size_t i) {
    const ValueId id = node.inputs[i + skip];
    return id >= 0 && graph.meta(id).strong() == sub.meta(sub.inputs[i]).strong();
  });
}

Status check_outputs(const Graph& graph, const Node& node, const Graph& sub, size_t skip) {
  if (sub.outputs.size() < skip)
    return bad(node, fmt::format("outputs of a sub-graph, got {}, expected at least {}",
                                 sub.outputs.size(), skip));
  return check_metas(node, "outputs", sub.outputs.size() - skip, node.num_outputs, [&](size_t i) {
    return graph.meta(node.first_output + static_cast<ValueId>(i)).strong() ==
           sub.meta(sub.outputs[i + skip]).strong();
  });
}

bool one_element(const Meta& meta) { return meta.shape.numel() == 1; }

Status verify_loop(const Graph& graph, const Node& node) {
  const Graph& body = *node.subgraphs[0];
  if (body.outputs.empty() || !one_element(body.meta(body.outputs[0])))
    return bad(node, "the flag needs one element");
  const size_t carried = body.outputs.size() - 1;
  if (body.inputs.size() < carried) return bad(node, "a carried value is no input");
  for (size_t i = 0; i < carried; ++i)
    if (!(body.meta(body.inputs[i]).strong() == body.meta(body.outputs[i + 1]).strong()))
      return bad(node, fmt::format("carried value {} changes dtype or shape", i));
  if (node.op == &op_while) {
    MSJIT_OK(check_inputs(graph, node, body, 0));
    return check_outputs(graph, node, body, 1);
  }
  const Graph& step = *node.subgraphs[1];
  MSJIT_OK(check_inputs(graph, node, step, 0));
  if (step.inputs.size() != body.inputs.size() + step.outputs.size())
    return bad(node, "the step does not fit the body");
  return check_outputs(graph, node, step, 0);
}

}  // namespace

const char* subgraph_name(const OpDef& op, size_t index) {
  if (&op == &op_if) return index == 0 ? "then" : "else";
  return index == 0 ? "body" : &op == &op_scan ? "extends" : "step";
}

const OpDef* find_control_op(std::string_view name) {
  for (const OpDef* op : {&op_if, &op_while, &op_while_grad, &op_scan})
    if (name == op->name) return op;
  return nullptr;
}

Status verify_control(const Graph& graph, const Node& node) {
  if (is_scan(node)) {
    for (const auto& sub : node.subgraphs) MSJIT_OK(verify(*sub));
    return verify_scan(graph, node);
  }
  const size_t expected = node.op == &op_while ? 1 : 2;
  if (node.op != &op_if && node.op != &op_while && node.op != &op_while_grad)
    return bad(node, "sub-graphs on an ordinary op");
  if (node.subgraphs.size() != expected) return bad(node, "wrong number of sub-graphs");
  for (const auto& sub : node.subgraphs) MSJIT_OK(verify(*sub));
  if (node.op != &op_if) return verify_loop(graph, node);
  if (node.inputs.empty() || node.inputs[0] < 0 || !one_element(graph.meta(node.inputs[0])))
    return bad(node, "the predicate needs one element");
  for (const auto& sub : node.subgraphs) {
    MSJIT_OK(check_inputs(graph, node, *sub, 1));
    MSJIT_OK(check_outputs(graph, node, *sub, 0));
  }
  return {};
}

std::vector<Meta> control_outputs(const OpDef& op, const GraphSink::Subgraphs& subgraphs) {
  const Graph& last = *subgraphs.back();
  const size_t skip = &op == &op_while ? 1 : 0;
  std::vector<Meta> metas;
  for (size_t i = skip; i < last.outputs.size(); ++i) metas.push_back(last.meta(last.outputs[i]));
  return metas;
}

// A slice with a negative step makes a copy, not a view.
static bool is_view(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOp || !node.op->has(kView)) return false;
  return node.op != &op_slice ||
         !slicing::is_reversed(graph.meta(node.first_output).shape, node.attrs[2]);
}

ValueId viewed(const Graph& graph, ValueId id) {
  const Node& node = graph.producer(id);
  return is_view(graph, node) ? node.inputs[0] : -1;
}

ValueId storage_root(const Graph& graph, ValueId id) {
  for (ValueId base = viewed(graph, id); base >= 0; base = viewed(graph, id)) id = base;
  return id;
}

bool may_be_view(const Graph& graph, ValueId id) {
  const Node& node = graph.producer(id);
  if (!node.is_control()) return viewed(graph, id) >= 0;
  const auto place = static_cast<size_t>(id - node.first_output) + (is_while(node) ? 1 : 0);
  return std::ranges::any_of(node.subgraphs, [&](const auto& sub) {
    return place < sub->outputs.size() && may_be_view(*sub, sub->outputs[place]);
  });
}

std::vector<bool> kept_apart(const Graph& graph, int sharing) {
  std::vector<bool> marked(graph.values.size());
  std::unordered_map<ValueId, int> shown;  // root -> outputs that show it
  for (ValueId id : graph.outputs) ++shown[storage_root(graph, id)];
  for (ValueId id : graph.outputs)
    if (shown[storage_root(graph, id)] >= sharing)
      for (ValueId at = id; at >= 0; at = viewed(graph, at)) marked[at] = true;
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    if (node.is_control())
      for (ValueId id : node.inputs) marked[id] = true;
    else if (is_view(graph, node))
      for (int32_t i = 0; i < node.num_outputs; ++i)  // passes look at the first output of a node
        if (marked[node.first_output + i])
          marked[node.first_output] = marked[node.inputs[0]] = true;
  }
  return marked;
}

// -- Running

Result<bool> truth_of(const Tensor& t) {
  MSJIT_TRY(const Tensor here, devices::to_host(t));
  return dispatch_any_dtype(here.dtype(), [&](auto tag) {
    return convert_value<bool>(*here.data_as<typename decltype(tag)::type>());
  });
}

namespace {

Status run_while(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                 std::vector<std::vector<Tensor>>* states, std::vector<Tensor>* out) {
  const Graph& body = *node.subgraphs[0];
  const size_t carried = body.outputs.size() - 1;
  std::vector<Tensor> args(in.begin(), in.begin() + static_cast<ptrdiff_t>(body.inputs.size()));
  std::vector<Tensor> results;
  Poll poll;
  for (;;) {
    if (states) states->emplace_back(args.begin(), args.begin() + static_cast<ptrdiff_t>(carried));
    results.clear();
    MSJIT_OK(run(0, args, &results));
    for (size_t i = 0; i < carried; ++i) args[i] = std::move(results[i + 1]);
    MSJIT_TRY(const bool goes_on, truth_of(results[0]));
    if (!goes_on) break;
    if (poll.interrupted()) return runtime_error("[while] interrupted");
  }
  args.resize(carried);
  *out = std::move(args);
  return {};
}

Status run_while_grad(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                      std::vector<Tensor>* out) {
  const Graph& body = *node.subgraphs[0];
  const size_t carried = body.outputs.size() - 1;
  std::vector<std::vector<Tensor>> states;
  std::vector<Tensor> ignored;
  MSJIT_OK(run_while(node, in, run, &states, &ignored));
  const auto inputs = static_cast<ptrdiff_t>(body.inputs.size());
  std::vector<Tensor> grads(in.begin() + inputs, in.end());
  while (!states.empty()) {
    std::vector<Tensor> args = std::move(states.back());
    states.pop_back();
    args.insert(args.end(), in.begin() + static_cast<ptrdiff_t>(carried), in.begin() + inputs);
    args.insert(args.end(), grads.begin(), grads.end());
    grads.clear();
    MSJIT_OK(run(1, args, &grads));
  }
  *out = std::move(grads);
  return {};
}

}  // namespace

Status run_control(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                   std::vector<Tensor>* out) {
  if (node.op == &op_while) return run_while(node, in, run, nullptr, out);
  if (node.op == &op_while_grad) return run_while_grad(node, in, run, out);
  if (is_scan(node)) return run_scan(node, in, run, out);
  MSJIT_TRY(const bool first, truth_of(in[0]));
  return run(first ? 0 : 1, in.subspan(1), out);
}

// -- Building

bool can_join(const Meta& a, const Meta& b) { return a == b; }

namespace {

Vals append_control(GraphSink& sink, const OpDef& op, std::span<const Val> leading,
                    std::span<const ValueId> captures, const GraphSink::Subgraphs& subgraphs) {
  std::vector<ValueId> in;
  for (const Val& value : leading) in.push_back(value.id());
  in.insert(in.end(), captures.begin(), captures.end());
  const std::vector<Meta> metas = control_outputs(op, subgraphs);
  const ValueId first = sink.append(op, in, {}, metas, subgraphs);
  Vals values;
  for (size_t i = 0; i < metas.size(); ++i)
    values.push_back(sink.value(first + static_cast<ValueId>(i)));
  return values;
}

}  // namespace

Result<Vals> build_if(GraphSink& sink, const Val& predicate, int32_t first_node,
                      std::span<const Val> then_values, std::span<const Val> else_values) {
  Cutter cutter(*sink.graph(), first_node, {});
  MSJIT_OK(cutter.require(then_values));
  MSJIT_OK(cutter.require(else_values));
  GraphSink::Subgraphs arms{cutter.cut("then", then_values), cutter.cut("else", else_values)};
  return append_control(sink, op_if, std::span(&predicate, 1), cutter.captures(), arms);
}

Result<Vals> build_while(GraphSink& sink, int32_t first_node, std::span<const Val> initial,
                         std::span<const Val> carried, const Val& again,
                         std::span<const Val> next) {
  std::vector<Val> results{again};
  results.insert(results.end(), next.begin(), next.end());
  Cutter cutter(*sink.graph(), first_node, carried);
  MSJIT_OK(cutter.require(results));
  return append_control(sink, op_while, initial, cutter.captures(), {cutter.cut("body", results)});
}

}  // namespace msjit
