#include "graph/scan_ops.h"

#include <algorithm>

#include "graph/cutter.h"
#include "graph/poll.h"

namespace msjit {

extern const OpDef op_copy, op_select_index, op_stack;

const OpDef op_scan = OpBuilder("scan").signature(
    "inputs: Tensor[], length: int, carried: int, scanned: int, reverse: bool = False");

namespace {

Meta stacked_meta(const Meta& row, int64_t length) {
  Meta meta = row.strong();
  meta.shape = Shape{length};
  for (Dim d : row.shape) meta.shape.push_back(d);
  return meta;
}

template <class... Args>
ErrorPtr bad(fmt::format_string<Args...> text, Args&&... args) {
  return internal_error("[scan] {}", fmt::format(text, std::forward<Args>(args)...));
}

// Checks the node's inputs, and the body's carried values, against the body. The body may have more
// outputs than the node.
Status check_metas(const Graph& graph, const Node& node, const Graph& body,
                   const ScanShape& shape) {
  for (size_t i = 0; i < shape.inputs(); ++i) {
    Meta meta = graph.meta(node.inputs[i]);
    if (i >= shape.carried && i < shape.carried + shape.scanned) {
      if (meta.shape.rank() == 0 || meta.shape[0] != shape.length)
        return bad("input {}, got {}, expected {} rows", i, meta.str(), shape.length);
      meta = row_meta(meta);
    }
    const Meta& inside = body.meta(body.inputs[i]);
    if (!(meta.strong() == inside.strong()))
      return bad("input {} of the body, got {}, expected {}", i, inside.str(), meta.str());
  }
  for (size_t i = 0; i < shape.carried; ++i)
    if (!(body.meta(body.inputs[i]).strong() == body.meta(body.outputs[i]).strong()))
      return bad("carried value {} changes dtype or shape", i);
  return {};
}

}  // namespace

ScanShape scan_shape(const Node& node) {
  const Graph& body = *node.subgraphs[0];
  ScanShape shape{};
  shape.length = node.attrs[0].as_int();
  shape.carried = static_cast<size_t>(node.attrs[1].as_int());
  shape.scanned = static_cast<size_t>(node.attrs[2].as_int());
  shape.reverse = node.attrs[3].as_bool();
  shape.captured = body.inputs.size() - shape.carried - shape.scanned;
  shape.stacked = body.outputs.size() - shape.carried;
  return shape;
}

Attrs scan_attrs(int64_t length, size_t carried, size_t scanned, bool reverse) {
  return {AttrValue(length), AttrValue(static_cast<int64_t>(carried)),
          AttrValue(static_cast<int64_t>(scanned)), AttrValue(reverse)};
}

Meta row_meta(Meta meta) {
  Shape row;
  for (int d = 1; d < meta.shape.rank(); ++d) row.push_back(meta.shape[d]);
  meta.shape = row;
  return meta;
}

std::vector<Meta> scan_outputs(const Graph& body, const Attrs& attrs) {
  std::vector<Meta> metas;
  const auto carried = static_cast<size_t>(attrs[1].as_int());
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    const Meta& meta = body.meta(body.outputs[i]);
    metas.push_back(i < carried ? meta.strong() : stacked_meta(meta, attrs[0].as_int()));
  }
  return metas;
}

Status verify_scan(const Graph& graph, const Node& node) {
  if (node.subgraphs.empty() || node.subgraphs.size() > 2) return bad("wrong number of sub-graphs");
  if (node.attrs.size() != 4) return bad("wrong number of attributes");
  const Graph& body = *node.subgraphs[0];
  const int64_t carried = node.attrs[1].as_int(), scanned = node.attrs[2].as_int();
  const auto count = static_cast<int64_t>(body.inputs.size());
  if (node.attrs[0].as_int() < 1)
    return bad("length, got {}, expected at least 1", node.attrs[0].str());
  if (carried < 0 || scanned < 0 || carried + scanned > count ||
      carried > static_cast<int64_t>(body.outputs.size()))
    return bad("the body does not fit the numbers of carried and scanned values");
  for (ValueId id : node.inputs)
    if (id < 0) return bad("an input is missing");
  const ScanShape shape = scan_shape(node);
  if (node.inputs.size() != shape.inputs())
    return bad("number of inputs, got {}, expected {}", node.inputs.size(), shape.inputs());
  MSJIT_OK(check_metas(graph, node, body, shape));
  const std::vector<Meta> metas = scan_outputs(body, node.attrs);
  if (static_cast<size_t>(node.num_outputs) != metas.size())
    return bad("number of outputs, got {}, expected {}", node.num_outputs, metas.size());
  for (size_t i = 0; i < metas.size(); ++i)
    if (!(graph.meta(node.first_output + static_cast<ValueId>(i)).strong() == metas[i]))
      return bad("output {}, expected {}", i, metas[i].str());
  return {};
}

namespace {

Tensor row_of(const Tensor& x, int64_t row) {
  Shape shape, strides;
  for (int d = 1; d < x.rank(); ++d) {
    shape.push_back(x.shape()[d]);
    strides.push_back(x.strides()[d]);
  }
  return Tensor::view(x, shape, strides, row * x.strides()[0]);
}

// A body may return a row as its next state. The final state must not share memory with the tensor
// that the row belongs to.
Status own_memory(std::span<const Tensor> scanned, Tensor* state) {
  const auto shows = [&](const Tensor& x) { return x.storage().get() == state->storage().get(); };
  if (std::ranges::none_of(scanned, shows)) return {};
  MSJIT_TRY(Tensor copy, Tensor::empty(state->meta()));
  MSJIT_OK(copy_elements(*state, copy));
  *state = std::move(copy);
  return {};
}

}  // namespace

Status run_scan(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                std::vector<Tensor>* out) {
  const ScanShape shape = scan_shape(node);
  const std::vector<Meta> metas = scan_outputs(*node.subgraphs[0], node.attrs);
  std::vector<Tensor> stacked;
  for (size_t i = shape.carried; i < shape.outputs(); ++i) {
    MSJIT_TRY(Tensor rows, Tensor::empty(metas[i]));
    stacked.push_back(std::move(rows));
  }
  std::vector<Tensor> args(in.begin(), in.end()), results;
  Poll poll;
  for (int64_t turn = 0; turn < shape.length; ++turn) {
    const int64_t row = shape.row(turn);
    for (size_t i = shape.carried; i < shape.carried + shape.scanned; ++i)
      args[i] = row_of(in[i], row);
    results.clear();
    MSJIT_OK(run(0, args, &results));
    for (size_t i = 0; i < shape.carried; ++i) args[i] = std::move(results[i]);
    for (size_t i = 0; i < shape.stacked; ++i)
      MSJIT_OK(copy_elements(results[shape.carried + i], row_of(stacked[i], row)));
    if (poll.interrupted()) return runtime_error("[scan] interrupted");
  }
  args.resize(shape.carried);
  for (Tensor& state : args) MSJIT_OK(own_memory(in.subspan(shape.carried, shape.scanned), &state));
  *out = std::move(args);
  for (Tensor& rows : stacked) out->push_back(std::move(rows));
  return {};
}

Status run_scan_by_ops(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                       RunOneOp run_op, std::vector<Tensor>* out) {
  const ScanShape shape = scan_shape(node);
  const auto apply = [&](const OpDef& op, std::span<const Tensor> inputs, Attrs attrs,
                         Tensor* result) -> Status {
    TensorVec results;
    MSJIT_OK(run_op(op, inputs, attrs, &results));
    *result = std::move(results[0]);
    return {};
  };
  std::vector<Tensor> args(in.begin(), in.end()), results;
  std::vector<std::vector<Tensor>> rows(shape.stacked, std::vector<Tensor>(size_t(shape.length)));
  Poll poll;
  for (int64_t turn = 0; turn < shape.length; ++turn) {
    const int64_t row = shape.row(turn);
    for (size_t i = shape.carried; i < shape.carried + shape.scanned; ++i)
      MSJIT_OK(
          apply(op_select_index, {&in[i], 1}, {AttrValue(row), AttrValue(int64_t{0})}, &args[i]));
    results.clear();
    MSJIT_OK(run(0, args, &results));
    for (size_t i = 0; i < shape.carried; ++i) args[i] = std::move(results[i]);
    for (size_t i = 0; i < shape.stacked; ++i)
      rows[i][size_t(row)] = std::move(results[shape.carried + i]);
    if (poll.interrupted()) return runtime_error("[scan] interrupted");
  }
  args.resize(shape.carried);
  for (Tensor& state : args)
    if (std::ranges::any_of(in.subspan(shape.carried, shape.scanned), [&](const Tensor& x) {
          return x.storage().get() == state.storage().get();
        }))
      MSJIT_OK(apply(op_copy, std::vector<Tensor>{state}, {}, &state));
  *out = std::move(args);
  for (const std::vector<Tensor>& all : rows)
    MSJIT_OK(apply(op_stack, all, {AttrValue(int64_t{0})}, &out->emplace_back()));
  return {};
}

Result<Vals> build_scan(GraphSink& sink, int32_t first_node, const ScanParts& parts) {
  Vals leading = parts.inside, results = parts.next;
  leading.insert(leading.end(), parts.rows.begin(), parts.rows.end());
  results.insert(results.end(), parts.stacked.begin(), parts.stacked.end());
  Cutter cutter(*sink.graph(), first_node, leading);
  MSJIT_OK(cutter.require(results));
  if (results.empty()) return Vals();
  std::vector<ValueId> in;
  for (const Val& value : parts.initial) in.push_back(value.id());
  for (const Val& value : parts.sequences) in.push_back(value.id());
  in.insert(in.end(), cutter.captures().begin(), cutter.captures().end());
  const auto body = cutter.cut("body", results);
  const Attrs attrs = scan_attrs(parts.length, parts.initial.size(), parts.sequences.size(), false);
  const std::vector<Meta> metas = scan_outputs(*body, attrs);
  const ValueId first = sink.append(op_scan, in, attrs, metas, {body});
  Vals values;
  for (size_t i = 0; i < metas.size(); ++i)
    values.push_back(sink.value(first + static_cast<ValueId>(i)));
  return values;
}

}  // namespace msjit
