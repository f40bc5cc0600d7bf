// Every sample of every operator, four ways: eager, interpreted graph, optimised graph, compiled
// region; values and gradients.
#include <sstream>
#include "codegen/region.h"

#include "graph/graph_testing.h"
#include "graph/pipeline.h"
#include "kernels/core/random.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

using namespace testing_util;

// -- Samples: attributes as Python writes them
// ---------------------------------------------------------------------

AttrValue read_value(std::string text, ParamKind kind) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return AttrValue(text == "True");
  if (text[0] == '"' || text[0] == '\'')
    return AttrValue(std::string_view(text).substr(1, text.size() - 2));
  if (text.starts_with("ms.")) {
    DType dtype;
    EXPECT_TRUE(dtype_from_name(std::string_view(text).substr(3), &dtype)) << text;
    return AttrValue(dtype);
  }
  if (text[0] == '[' || text[0] == '(' || kind == ParamKind::kIntList) {
    IntList list;
    for (char& c : text)
      if (c != '-' && (c < '0' || c > '9')) c = ' ';
    std::stringstream stream(text);
    for (int64_t item; stream >> item;) list.push_back(item);
    return AttrValue(list);
  }
  bool whole = text.find_first_of(".e") == std::string::npos;
  if (whole && kind != ParamKind::kFloat) return AttrValue(static_cast<int64_t>(std::stoll(text)));
  return AttrValue(std::stod(text));
}

// "axis=(0, 2), keepdims=True" -> name and text of each.
std::vector<std::pair<std::string, std::string>> keywords(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> found;
  int depth = 0;
  std::string current;
  auto flush = [&] {
    size_t eq = current.find('=');
    if (eq == std::string::npos) return;
    size_t start = current.find_first_not_of(' ');
    found.emplace_back(current.substr(start, eq - start), current.substr(eq + 1));
    current.clear();
  };
  for (char c : text) {
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == ',' && depth == 0)
      flush();
    else
      current += c;
  }
  flush();
  return found;
}

Attrs attrs_of(const OpDef& op, const OpSample& sample) {
  Attrs attrs;
  auto given = keywords(sample.attrs);
  for (const Param& param : op.signature.params) {
    if (param.is_tensor()) continue;
    AttrValue value = param.default_value;
    for (const auto& [name, text] : given)
      if (name == param.name) value = read_value(text, param.kind);
    attrs.push_back(value);
  }
  return attrs;
}

std::vector<Tensor> inputs_of(const OpDef& op, const OpSample& sample) {
  std::mt19937 rng(3);
  std::vector<Tensor> inputs;
  double low = sample.low_high.empty() ? -2 : sample.low_high[0];
  double high = sample.low_high.empty() ? 2 : sample.low_high[1];
  for (size_t i = 0; i < sample.shapes.size(); ++i) {
    DType dtype = DType::kFloat32;
    if (i < sample.dtypes.size()) {
      EXPECT_TRUE(dtype_from_name(sample.dtypes[i], &dtype));
    }
    inputs.push_back(random_tensor(rng, Shape(sample.shapes[i]), dtype, low, high));
  }
  while (!op.signature.variadic && static_cast<int>(inputs.size()) < op.signature.num_tensors)
    inputs.emplace_back();
  return inputs;
}

// -- Runs
// ----------------------------------------------------------------------------------------------------------

struct Outcome {
  bool ok = false;
  std::vector<Tensor> outputs;
};

Outcome run_op_eagerly(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs) {
  set_random_state({7, 0});
  TensorVec out;
  Status status = run_op(op, inputs, attrs, &out);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return {status.ok(), {out.begin(), out.end()}};
}

std::shared_ptr<Graph> graph_of(const OpDef& op, std::span<const Tensor> inputs,
                                const Attrs& attrs) {
  auto graph = std::make_shared<Graph>();
  graph->name = op.name;
  GraphSink sink(graph);
  Vals args;
  for (const Tensor& t : inputs) args.push_back(t ? sink.input(t.meta()) : Val());
  auto out = sink.apply(op, args, attrs);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  if (!out.ok()) return nullptr;
  for (const Val& v : out.value()) graph->outputs.push_back(v.id());
  return graph;
}

std::vector<Tensor> given(std::span<const Tensor> inputs) {
  std::vector<Tensor> present;
  for (const Tensor& t : inputs)
    if (t) present.push_back(t);
  return present;
}

void expect_all_close(std::span<const Tensor> got, std::span<const Tensor> want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) expect_close(got[i], want[i], tolerance);
}

std::vector<Tensor> tracked_copies(std::span<const Tensor> inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& t : inputs) {
    leaves.push_back(t ? t.detach() : Tensor());
    if (t && is_float(t.dtype())) set_requires_grad(leaves.back(), true);
  }
  return leaves;
}

// 16-bit results differ by a rounding where the order of operations does.
double tolerance_of(std::span<const Tensor> tensors) {
  for (const Tensor& t : tensors)
    if (t && (t.dtype() == DType::kFloat16 || t.dtype() == DType::kBFloat16)) return 2e-2;
  return 2e-5;
}

std::vector<Tensor> floats(std::span<const Tensor> tensors) {
  std::vector<Tensor> kept;
  for (const Tensor& t : tensors)
    if (t && is_float(t.dtype())) kept.push_back(t);
  return kept;
}

void check_values(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                  const Outcome& eager) {
  auto graph = graph_of(op, inputs, attrs);
  if (!graph) return;
  Status sound = verify(*graph);
  EXPECT_TRUE(sound.ok()) << (sound.ok() ? "" : sound.error().message);
  std::vector<Tensor> args = given(inputs);
  set_random_state({7, 0});
  auto interpreted = interpret(*graph, args);
  ASSERT_TRUE(interpreted.ok()) << interpreted.error().message;
  double tolerance = std::max(tolerance_of(args), tolerance_of(eager.outputs));
  expect_all_close(interpreted.value(), eager.outputs, tolerance);
  auto parsed = parse_graph(print(*graph));
  if (parsed.ok()) {
    EXPECT_EQ(print(*parsed.value()), print(*graph));
  }
  Graph optimised = *graph;
  Status status = run_pipeline(optimised);
  ASSERT_TRUE(status.ok()) << status.error().message;
  sound = verify(optimised);
  EXPECT_TRUE(sound.ok()) << (sound.ok() ? "" : sound.error().message);
  set_random_state({7, 0});
  auto result = interpret(optimised, args);
  ASSERT_TRUE(result.ok()) << result.error().message;
  expect_all_close(result.value(), eager.outputs, tolerance);
}

void check_gradients(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs) {
  std::vector<Tensor> leaves = tracked_copies(inputs), wrt = floats(leaves);
  Outcome eager = run_op_eagerly(op, leaves, attrs);
  std::vector<Tensor> outputs = floats(eager.outputs);
  if (wrt.empty() || outputs.empty()) return;
  auto want = gradients(outputs, {}, wrt, true);
  ASSERT_TRUE(want.ok()) << want.error().message;
  auto second = gradients(want.value(), {}, wrt, false);
  // A rule may say that it has no second derivative; then the region says the same.
  std::string refusal = second.ok() ? "" : second.error().message;
  EXPECT_TRUE(second.ok() || refusal.find("second derivatives") != std::string::npos) << refusal;

  auto graph = graph_of(op, inputs, attrs);
  if (!graph) return;
  auto region = RegionFunction::create(graph);
  ASSERT_TRUE(region.ok()) << region.error().message;
  leaves = tracked_copies(inputs);
  wrt = floats(leaves);
  std::vector<TensorImpl*> impls;
  for (const Tensor& t : leaves)
    if (t) impls.push_back(t.impl());
  std::vector<Tensor> results(graph->outputs.size());
  set_random_state({7, 0});
  Status status = region.value()->call(impls, results);
  ASSERT_TRUE(status.ok()) << status.error().message;
  double tolerance = std::max(tolerance_of(wrt), 1e-4);
  expect_all_close(results, eager.outputs, tolerance);
  auto got = gradients(floats(results), {}, wrt, false);
  ASSERT_TRUE(got.ok()) << got.error().message;
  expect_all_close(got.value(), want.value(), tolerance);
  auto through = gradients(floats(results), {}, wrt, true);
  ASSERT_TRUE(through.ok()) << through.error().message;
  expect_all_close(through.value(), want.value(), tolerance);
  auto region_second = gradients(through.value(), {}, wrt, false);
  EXPECT_EQ(region_second.ok() ? "" : region_second.error().message, refusal);
  if (second.ok() && region_second.ok())
    expect_all_close(region_second.value(), second.value(), 10 * tolerance);
}

TEST(EveryOp, EagerGraphAndRegionAgree) {
  int samples = 0;
  for (const OpDef* op : all_ops()) {
    if (op->has(kInPlace)) continue;
    for (const OpSample& sample : op->samples) {
      SCOPED_TRACE(fmt::format("{}({})", op->name, sample.attrs));
      std::vector<Tensor> inputs = inputs_of(*op, sample);
      Attrs attrs = attrs_of(*op, sample);
      Outcome eager = run_op_eagerly(*op, inputs, attrs);
      if (!eager.ok) continue;
      check_values(*op, inputs, attrs, eager);
      if (sample.check_grad && !op->has(kNoGrad)) check_gradients(*op, inputs, attrs);
      ++samples;
    }
  }
  EXPECT_GT(samples, 100);
}

}  // namespace
}  // namespace msjit
