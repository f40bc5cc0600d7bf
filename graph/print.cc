#include <fmt/format.h>

#include "graph/control.h"
#include "kernels/device/device_tensors.h"

namespace msjit {
namespace {

// Maps value ids to printed numbers: inputs first, then values in node order.
std::vector<ValueId> renumber(const Graph& graph) {
  std::vector<ValueId> number(graph.values.size(), -1);
  ValueId next = 0;
  for (ValueId id : graph.inputs) number[id] = next++;
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kInput) continue;
    for (int32_t i = 0; i < node.num_outputs; ++i) number[node.first_output + i] = next++;
  }
  return number;
}

class Printer {
 public:
  Printer(const Graph& graph, const std::vector<ValueId>* number)
      : graph_(graph), number_(number) {}

  std::string ref(ValueId id) const {
    if (id < 0) return "none";
    if (static_cast<size_t>(id) >= graph_.values.size()) return fmt::format("%?{}", id);
    return fmt::format("%{}", number_ ? (*number_)[id] : id);
  }
  std::string typed(ValueId id) const {
    const Meta& meta = graph_.meta(id);
    return fmt::format("{}: {}{}", ref(id), meta.weak ? "weak " : "", meta.str());
  }
  std::string node(const Node& node) const {
    std::string line;
    for (int32_t i = 0; i < node.num_outputs; ++i)
      line += (i ? ", " : "") + typed(node.first_output + i);
    if (node.kind == NodeKind::kInput) return line + fmt::format(" = input({})", node.input_index);
    if (node.kind == NodeKind::kConstant) return line + constant(node.constant);
    line += fmt::format(" = {}({})", node.op->name, arguments(node));
    if (node.location.file)
      line += fmt::format("  # {}:{}", node.location.file, node.location.line);
    return line;
  }

 private:
  std::string arguments(const Node& node) const {
    std::string text;
    for (ValueId id : node.inputs) text += (text.empty() ? "" : ", ") + ref(id);
    size_t i = 0;
    for (const Param& param : node.op->signature.params) {
      if (param.is_tensor()) continue;
      if (i >= node.attrs.size()) break;
      const AttrValue& value = node.attrs[i++];
      bool is_default = param.has_default && value == param.default_value;
      if (!is_default)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", param.name, value.str());
    }
    return text;
  }
  static std::string constant(const Tensor& value) {
    int64_t n = value.numel();
    if (n > kMaxPrintedConstant) return fmt::format(" = constant(<{} values>)", n);
    auto dense = devices::to_host(value);
    if (dense.ok()) dense = dense.value().to_contiguous();
    if (!dense.ok()) return " = constant(<unreadable>)";
    std::string items;
    for (int64_t i = 0; i < n; ++i) items += (i ? ", " : "") + element(dense.value(), i);
    if (value.rank() > 0) items = "[" + items + "]";
    return " = constant(" + items + ")";
  }
  static std::string complex_element(const Tensor& value, int64_t i) {
    const Complex128 x = value.dtype() == DType::kComplex64
                             ? Complex128(value.data_as<Complex64>()[i])
                             : value.data_as<Complex128>()[i];
    return fmt::format("({}{:+}j)", x.real(), x.imag());
  }
  static std::string element(const Tensor& value, int64_t i) {
    if (is_complex(value.dtype())) return complex_element(value, i);
    return dispatch_dtype(value.dtype(), [&](auto tag) -> std::string {
      using T = typename decltype(tag)::type;
      T x = value.data_as<T>()[i];
      if constexpr (std::is_same_v<T, bool>) return x ? "true" : "false";
      if constexpr (std::is_integral_v<T>) return fmt::format("{}", +x);
      if constexpr (std::is_same_v<T, double>) return AttrValue(static_cast<double>(x)).str();
      // The shortest text of the float itself, which reads back to the same bits.
      std::string text = fmt::format("{}", static_cast<float>(x));
      return text.find_first_of(".enai") == std::string::npos ? text + ".0" : text;
    });
  }

  const Graph& graph_;
  const std::vector<ValueId>* number_;
};

}  // namespace

std::string print_node(const Graph& graph, const Node& node) {
  return Printer(graph, nullptr).node(node);
}

namespace {

// The text from a graph's title to its closing brace. Sub-graphs have their own numbering and are
// indented by four more spaces.
std::string print_block(const Graph& graph, std::string_view title, const std::string& indent) {
  std::vector<ValueId> number = renumber(graph);
  Printer printer(graph, &number);
  std::string text = fmt::format("{}{}(", indent, title);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    text += (i ? ", " : "") + printer.typed(graph.inputs[i]);
  text += ") {\n";
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kInput && node.input_index >= 0) continue;
    text += indent + "  " + printer.node(node) + "\n";
    for (size_t i = 0; i < node.subgraphs.size(); ++i)
      text += print_block(*node.subgraphs[i], subgraph_name(*node.op, i), indent + "    ");
  }
  text += indent + "  return";
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    text += (i ? ", " : " ") + printer.ref(graph.outputs[i]);
  return text + "\n" + indent + "}\n";
}

}  // namespace

std::string print(const Graph& graph) {
  return print_block(graph, "graph " + (graph.name.empty() ? "main" : graph.name), "");
}

}  // namespace msjit
