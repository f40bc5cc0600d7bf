// Reads the text form of a graph. The result is a graph or a ValueError that names the line,
// whatever the input.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "graph/control.h"
#include "graph/text_reader.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '<' || c == '>' || c == '@' || c == ':' || c == '/' || c == '-';
}

class Parser : private TextReader {
 public:
  explicit Parser(std::string_view text) : TextReader(text), graph_(std::make_shared<Graph>()) {}
  Result<std::shared_ptr<Graph>> run();

 private:
  Status header();
  Status parameters();
  Status block();
  Status statement();
  Status control(const OpDef& op, const std::vector<Meta>& metas);
  Result<std::shared_ptr<const Graph>> subgraph(const char* name);
  bool is_next(std::string_view token);  // on this line or the next ones
  Status returns();
  Status constant(const Meta& meta, Tensor* out);
  Status call(std::string_view name, std::vector<ValueId>* in, Attrs* attrs, const OpDef** op);
  Status arguments(const OpDef& op, std::vector<ValueId>* in, Attrs* attrs);
  Status argument(const OpDef& op, std::vector<ValueId>* in, std::vector<bool>* given,
                  Attrs* attrs);
  Status append(const OpDef& op, const std::vector<ValueId>& in, const Attrs& attrs,
                const std::vector<Meta>& metas);
  Result<int64_t> definition_number();
  Result<ValueId> value_ref();
  SourceLocation location();
  Status define(int64_t number, ValueId id) {
    if (!ids_.emplace(number, id).second) return fail("%{} is defined twice", number);
    return {};
  }

  static constexpr int kMaxNesting = 100;
  int nesting_ = 0;
  std::shared_ptr<Graph> graph_;
  std::unordered_map<int64_t, ValueId> ids_;
};

Result<int64_t> Parser::definition_number() {
  MSJIT_OK(expect("%"));
  return integer();
}

Result<ValueId> Parser::value_ref() {
  MSJIT_TRY(int64_t number, definition_number());
  auto it = ids_.find(number);
  if (it == ids_.end()) return fail("%{} is not defined", number);
  return it->second;
}

bool fits(ParamKind kind, const AttrValue& value, bool optional) {
  using Kind = AttrValue::Kind;
  switch (value.kind()) {
    case Kind::kNone: return optional;
    case Kind::kBool: return kind == ParamKind::kBool || kind == ParamKind::kNumber;
    case Kind::kInt: return kind == ParamKind::kInt || kind == ParamKind::kNumber;
    case Kind::kFloat: return kind == ParamKind::kFloat || kind == ParamKind::kNumber;
    case Kind::kIntList: return kind == ParamKind::kIntList;
    case Kind::kDType: return kind == ParamKind::kDType;
    case Kind::kString: break;
  }
  return kind == ParamKind::kString;
}

Status Parser::argument(const OpDef& op, std::vector<ValueId>* in, std::vector<bool>* given,
                        Attrs* attrs) {
  if (peek() == '%') {
    MSJIT_TRY(ValueId id, value_ref());
    in->push_back(id);
    return {};
  }
  std::string name(word());
  if (name == "none") {
    in->push_back(-1);
    return {};
  }
  int index = op.signature.attr_index(name);
  if (index < 0) return fail("{} has no attribute '{}'", op.name, name);
  MSJIT_OK(expect("="));
  const Param* param = nullptr;
  for (const Param& p : op.signature.params)
    if (p.name == name) param = &p;
  MSJIT_TRY((*attrs)[index], attr_value(param->kind));
  if (!fits(param->kind, (*attrs)[index], param->optional))
    return fail("attribute '{}' of {} has the wrong type, got {}", name, op.name,
                (*attrs)[index].str());
  (*given)[index] = true;
  return {};
}

Status Parser::call(std::string_view name, std::vector<ValueId>* in, Attrs* attrs,
                    const OpDef** op) {
  *op = find_op(name);
  if (!*op) return fail("unknown op '{}'", name);
  MSJIT_OK(arguments(**op, in, attrs));
  const Signature& signature = (*op)->signature;
  if (!signature.variadic && static_cast<int>(in->size()) != signature.num_tensors)
    return fail("{} takes {} inputs, got {}", name, signature.num_tensors, in->size());
  return {};
}

// What stands between the parentheses.
Status Parser::arguments(const OpDef& op, std::vector<ValueId>* in, Attrs* attrs) {
  std::vector<bool> given;
  for (const Param& param : op.signature.params) {
    if (param.is_tensor()) continue;
    attrs->push_back(param.default_value);
    given.push_back(param.has_default || param.optional);
  }
  MSJIT_OK(expect("("));
  bool first = true;
  while (!accept(")")) {
    if (!first) MSJIT_OK(expect(","));
    first = false;
    MSJIT_OK(argument(op, in, &given, attrs));
  }
  for (bool g : given)
    if (!g) return fail("{} lacks an attribute", op.name);
  return {};
}

template <class T>
bool parse_element(const AttrValue& value, T* out) {
  using Kind = AttrValue::Kind;
  if constexpr (std::is_same_v<T, bool>) {
    *out = value.as_bool();
    return value.kind() == Kind::kBool;
  } else if constexpr (std::is_integral_v<T>) {
    *out = static_cast<T>(value.as_int());
    return value.kind() == Kind::kInt;
  } else if constexpr (std::is_same_v<T, double>) {
    *out = value.as_float();
    return value.kind() == Kind::kFloat || value.kind() == Kind::kInt;
  } else {
    *out = static_cast<T>(static_cast<float>(value.as_float()));
    return value.kind() == Kind::kFloat || value.kind() == Kind::kInt;
  }
}

Status Parser::constant(const Meta& meta, Tensor* out) {
  MSJIT_OK(expect("("));
  if (accept("<")) return fail("the values of a large constant are not part of the text");
  int64_t n = meta.shape.numel();
  if (n > kMaxPrintedConstant) return fail("a constant of {} elements is too large", n);
  MSJIT_TRY(*out, Tensor::empty(meta));
  bool listed = meta.shape.rank() > 0;
  if (listed) MSJIT_OK(expect("["));
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) MSJIT_OK(expect(","));
    MSJIT_TRY(AttrValue value, number_value(ParamKind::kNumber));
    if (is_complex(meta.dtype)) return fail("complex constants are not part of the text");
    bool ok = dispatch_dtype(meta.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return parse_element<T>(value, out->data_as<T>() + i);
    });
    if (!ok) return fail("element {} does not fit {}", value.str(), dtype_name(meta.dtype));
  }
  if (listed) MSJIT_OK(expect("]"));
  return expect(")");
}

SourceLocation Parser::location() {
  if (!accept("#")) return {};
  size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view rest = text_.substr(at_, end - at_);
  at_ = end;
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return {};
  int line = 0;
  std::from_chars(rest.data() + colon + 1, rest.data() + rest.size(), line);
  return {intern_file(rest.substr(0, colon)), line};
}

Status Parser::append(const OpDef& op, const std::vector<ValueId>& in, const Attrs& attrs,
                      const std::vector<Meta>& metas) {
  std::vector<const Meta*> in_metas;
  for (ValueId id : in) in_metas.push_back(id < 0 ? nullptr : &graph_->meta(id));
  const auto& params = op.signature.params;
  for (size_t i = 0; i < in.size() && !op.signature.variadic; ++i) {
    size_t tensors = 0;
    for (const Param& param : params)
      if (param.is_tensor() && tensors++ == i && in[i] < 0 &&
          param.kind != ParamKind::kOptionalTensor)
        return fail("{} needs its input {}", op.name, i);
  }
  if (op.signature.variadic && std::find(in.begin(), in.end(), -1) != in.end())
    return fail("{} needs all its inputs", op.name);
  if (!op.infer) return fail("{} has no shape rule", op.name);
  InferCtx infer(op, in_metas, attrs);
  if (Status status = infer_outputs(infer); !status.ok()) return fail("{}", status.error().message);
  if (infer.outputs.size() != metas.size())
    return fail("{} has {} outputs, got {}", op.name, infer.outputs.size(), metas.size());
  for (size_t i = 0; i < metas.size(); ++i) {
    if (metas[i] == infer.outputs[i]) continue;
    return fail("output {} of {} is {}{}, got {}{}", i, op.name,
                infer.outputs[i].weak ? "weak " : "", infer.outputs[i].str(),
                metas[i].weak ? "weak " : "", metas[i].str());
  }
  graph_->add_op(op, in, attrs, infer.outputs, location());
  return {};
}

Status Parser::statement() {
  std::vector<int64_t> numbers;
  std::vector<Meta> metas;
  do {
    MSJIT_TRY(int64_t number, definition_number());
    numbers.push_back(number);
    MSJIT_OK(expect(":"));
    MSJIT_TRY(Meta meta, type());
    metas.push_back(meta);
  } while (accept(","));
  MSJIT_OK(expect("="));
  std::string_view name = word();
  auto first = static_cast<ValueId>(graph_->values.size());
  if (name == "constant") {
    if (metas.size() != 1) return fail("a constant is one value");
    Tensor value;
    MSJIT_OK(constant(metas[0], &value));
    graph_->add_constant(std::move(value));
  } else if (const OpDef* held = find_control_op(name)) {
    MSJIT_OK(control(*held, metas));
  } else {
    std::vector<ValueId> in;
    Attrs attrs;
    const OpDef* op = nullptr;
    MSJIT_OK(call(name, &in, &attrs, &op));
    MSJIT_OK(append(*op, in, attrs, metas));
  }
  for (size_t i = 0; i < numbers.size(); ++i)
    MSJIT_OK(define(numbers[i], first + static_cast<ValueId>(i)));
  return {};
}

Status Parser::returns() {
  while (peek() == '%') {
    MSJIT_TRY(ValueId id, value_ref());
    graph_->outputs.push_back(id);
    if (!accept(",")) break;
  }
  skip_space(true);
  return expect("}");
}

// A sub-graph numbers its values by itself and cannot name those of the graph around it.
Result<std::shared_ptr<const Graph>> Parser::subgraph(const char* name) {
  skip_space(true);
  MSJIT_OK(expect(name));
  if (++nesting_ > kMaxNesting) return fail("more than {} nested sub-graphs", kMaxNesting);
  auto outer_graph = std::exchange(graph_, std::make_shared<Graph>());
  auto outer_ids = std::exchange(ids_, {});
  graph_->name = name;
  MSJIT_OK(parameters());
  MSJIT_OK(block());
  --nesting_;
  ids_ = std::move(outer_ids);
  std::shared_ptr<const Graph> inner = std::exchange(graph_, std::move(outer_graph));
  return inner;
}

bool Parser::is_next(std::string_view token) {
  const size_t at = at_;
  const int line = line_;
  skip_space(true);
  const bool found = accept(token);
  at_ = at;
  line_ = line;
  return found;
}

Status Parser::control(const OpDef& op, const std::vector<Meta>& metas) {
  std::vector<ValueId> in;
  Attrs attrs;
  MSJIT_OK(arguments(op, &in, &attrs));
  const SourceLocation where = location();
  const int line = line_;
  GraphSink::Subgraphs subgraphs;
  for (size_t i = 0; i < (&op == &op_while ? 1 : 2); ++i) {
    if (i == 1 && &op == &op_scan && !is_next(subgraph_name(op, i))) break;
    MSJIT_TRY(auto sub, subgraph(subgraph_name(op, i)));
    subgraphs.push_back(std::move(sub));
  }
  graph_->add_op(op, in, attrs, metas, where);
  graph_->nodes.back().subgraphs = std::move(subgraphs);
  if (Status status = verify_control(*graph_, graph_->nodes.back()); !status.ok()) {
    line_ = line;
    return fail("{}", status.error().message);
  }
  return {};
}

Status Parser::header() {
  skip_space(true);
  MSJIT_OK(expect("graph"));
  skip_space();
  size_t start = at_;
  while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
  graph_->name = std::string(text_.substr(start, at_ - start));
  return parameters();
}

Status Parser::parameters() {
  MSJIT_OK(expect("("));
  while (!accept(")")) {
    if (!graph_->inputs.empty()) MSJIT_OK(expect(","));
    MSJIT_TRY(int64_t number, definition_number());
    MSJIT_OK(expect(":"));
    MSJIT_TRY(Meta meta, type());
    MSJIT_OK(define(number, graph_->add_input(meta)));
  }
  return expect("{");
}

Status Parser::block() {
  while (true) {
    skip_space(true);
    if (accept("return")) return returns();
    MSJIT_OK(statement());
    if (char c = peek(); c != '\n' && c != '}') return fail("expected the end of the line");
  }
}

Result<std::shared_ptr<Graph>> Parser::run() {
  MSJIT_OK(header());
  MSJIT_OK(block());
  skip_space(true);
  if (at_ != text_.size()) return fail("text after the end of the graph");
  return graph_;
}

}  // namespace

Result<std::shared_ptr<Graph>> parse_graph(std::string_view text) { return Parser(text).run(); }

}  // namespace msjit
