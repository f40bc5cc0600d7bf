// Moves matrix products out of scans: what a scan multiplies row by row becomes one product over
// all rows.
// - A product that depends on rows alone (the input's part of a recurrent cell) moves before the
//   loop, with the elementwise ops that lead to it and follow it.
// - A product that is only summed over the turns (the gradient of a weight) moves behind the loop.
//   So does a sum of rows that is summed over the turns (the gradient of a bias). The loop stacks
//   their operands.
// - A product that is only stacked (the gradient of the input) moves behind the loop too.
// The terms may be added in another order, so the last bits may change.
#include <algorithm>
#include <map>

#include "graph/extract.h"
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "graph/scan.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_add, op_linear, op_matmul, op_sum;

namespace {

constexpr int64_t kMaxStackedBytes = int64_t{64} << 20;  // of one value, all turns together

bool is_flag(const Node& node, size_t attr) { return node.attrs[attr].as_bool(); }

class ScanLifter {
 public:
  // `in`: the inputs in the graph being built; `used`: the outputs that something reads.
  ScanLifter(GraphSink& sink, const Node& node, std::span<const ValueId> in, std::vector<bool> used)
      : sink_(sink),
        node_(node),
        body_(*node.subgraphs[0]),
        shape_(scan_shape(node)),
        in_(in.begin(), in.end()),
        used_(std::move(used)),
        uses_(body_.values.size()) {
    for (const Node& inner : body_.nodes)
      for (ValueId id : inner.inputs)
        if (id >= 0) ++uses_[id];
    for (ValueId id : body_.outputs) ++uses_[id];
  }

  // False: there is nothing to lift.
  Result<bool> run(std::vector<ValueId>* outputs) {
    find_rows();
    find_sums();
    find_stacked_products();
    if (lifted_.empty() && sums_.empty() && products_.empty()) return false;
    MSJIT_TRY(auto body, make_body());
    append(body);
    MSJIT_OK(sink_.take_error());
    for (size_t i = 0; i < shape_.outputs(); ++i) outputs->push_back(results_[i].id());
    return true;
  }

 private:
  enum class Role : uint8_t { kOther, kRow, kInvariant };
  // A carried value that is a sum over the turns: each turn adds a term that nothing else reads.
  struct Sum {
    size_t carried;
    const Node* term;
  };

  const Meta& meta(ValueId id) const { return body_.meta(id); }
  const Node* maker(ValueId id, const OpDef& op) const {
    const Node& node = body_.producer(id);
    return node.kind == NodeKind::kOp && node.op == &op ? &node : nullptr;
  }
  bool fits(ValueId id) const {
    const Meta& row = meta(id);
    return row.shape.rank() < kMaxRank && row.shape.numel() > 0 &&
           row.shape.numel() * item_size(row.dtype) <= kMaxStackedBytes / shape_.length;
  }
  // Rows times a matrix that does not change from turn to turn.
  bool is_row_product(const Node& node) const {
    if (node.op != &op_linear && (node.op != &op_matmul || is_flag(node, 0))) return false;
    for (size_t i = 1; i < node.inputs.size(); ++i)
      if (node.inputs[i] >= 0 && role_[node.inputs[i]] != Role::kInvariant) return false;
    return meta(node.inputs[0]).shape.rank() >= 2 && meta(node.inputs[1]).shape.rank() == 2;
  }

  // -- Before the loop --

  bool is_row_work(const Node& node) const {
    if (node.kind != NodeKind::kOp || node.num_outputs != 1 || !fits(node.first_output))
      return false;
    if (is_row_product(node)) return role_[node.inputs[0]] == Role::kRow;
    if (!node.op->has(kElementwise) || !node.op->has(kPure) || node.op->has(kRandom)) return false;
    const int rank = meta(node.first_output).shape.rank();
    bool any = false;
    for (ValueId id : node.inputs) {
      if (id < 0 || role_[id] == Role::kOther) return false;
      if (role_[id] == Role::kRow && meta(id).shape.rank() != rank) return false;
      any |= role_[id] == Role::kRow;
    }
    return any;
  }

  // Finds the values that depend on rows alone (kRow), and of these the ones that lifting a product
  // moves out (lifted_).
  void find_rows() {
    role_.assign(body_.values.size(), Role::kOther);
    for (size_t i = shape_.carried; i < shape_.inputs(); ++i)
      role_[body_.inputs[i]] = i < shape_.carried + shape_.scanned ? Role::kRow : Role::kInvariant;
    std::vector<bool> behind(body_.values.size());  // a product
    for (const Node& node : body_.nodes) {
      if (node.kind == NodeKind::kConstant) role_[node.first_output] = Role::kInvariant;
      if (!is_row_work(node)) continue;
      role_[node.first_output] = Role::kRow;
      bool lifts = is_row_product(node);
      for (ValueId id : node.inputs) lifts |= behind[id];
      behind[node.first_output] = lifts;
      if (lifts) lifted_.push_back(node.first_output);
    }
  }

  bool is_lifted(ValueId id) const { return std::ranges::binary_search(lifted_, id); }

  // -- Behind the loop --

  void find_sums() {
    for (size_t i = 0; i < shape_.carried; ++i) {
      const ValueId state = body_.inputs[i], next = body_.outputs[i];
      const Node* add = maker(next, op_add);
      if (!add || uses_[state] != 1 || uses_[next] != 1 || !(meta(state) == meta(next))) continue;
      const ValueId term = add->inputs[0] == state ? add->inputs[1] : add->inputs[0];
      if (term == state || uses_[term] != 1 || !(meta(term) == meta(next))) continue;
      if (is_sum_of_products(term) || is_sum_of_rows(term))
        sums_.push_back({i, &body_.producer(term)});
    }
  }

  bool is_sum_of_products(ValueId term) const {
    const Node* product = maker(term, op_matmul);
    return product && is_flag(*product, 0) && !is_flag(*product, 1) &&
           std::ranges::all_of(product->inputs, [&](ValueId id) {
             return meta(id).shape.rank() == 2 && fits(id) && role_[id] != Role::kInvariant;
           });
  }

  bool is_sum_of_rows(ValueId term) const {
    const Node* sum = maker(term, op_sum);
    return sum && meta(sum->inputs[0]).shape.rank() == 2 && fits(sum->inputs[0]) &&
           role_[sum->inputs[0]] != Role::kInvariant &&
           sum->attrs[0].kind() == AttrValue::Kind::kIntList && !is_flag(*sum, 1) &&
           sum->attrs[0].as_list().size() == 1 && sum->attrs[0].as_list()[0] == 0;
  }

  void find_stacked_products() {
    for (size_t i = shape_.carried; i < shape_.outputs(); ++i) {
      const ValueId id = body_.outputs[i];
      const Node& product = body_.producer(id);
      if (used_[i] && uses_[id] == 1 && product.kind == NodeKind::kOp && is_row_product(product) &&
          fits(product.inputs[0]) && role_[product.inputs[0]] != Role::kInvariant && !is_lifted(id))
        products_[i] = &product;
    }
  }

  bool is_sum(size_t carried) const {
    return std::ranges::any_of(sums_, [&](const Sum& sum) { return sum.carried == carried; });
  }

  // -- The loop that is left --

  // Gives a value a place among those that the new loop stacks. Rows from outside and lifted values
  // need none: all their rows exist outside.
  void stack(ValueId id) {
    if (input_of_row(id) >= 0 || is_lifted(id)) return;
    if (!place_.count(id)) {
      place_[id] = stacked_.size();
      stacked_.push_back(id);
    }
  }

  int input_of_row(ValueId id) const {
    for (size_t i = shape_.carried; i < shape_.carried + shape_.scanned; ++i)
      if (body_.inputs[i] == id) return static_cast<int>(i);
    return -1;
  }

  Result<std::shared_ptr<const Graph>> make_body() {
    for (const Sum& sum : sums_)
      for (ValueId id : sum.term->inputs) stack(id);
    for (size_t i = shape_.carried; i < shape_.outputs(); ++i) {
      if (products_.count(i))
        stack(products_[i]->inputs[0]);
      else if (used_[i])
        stack(body_.outputs[i]);
    }
    std::vector<ValueId> results;
    for (size_t i = 0; i < shape_.carried; ++i)
      if (!is_sum(i)) results.push_back(body_.outputs[i]);
    results.insert(results.end(), stacked_.begin(), stacked_.end());
    find_needed(results);
    return extract(results);
  }

  // Finds the inputs of the body and the lifted values on which the results depend.
  void find_needed(const std::vector<ValueId>& results) {
    needed_.assign(body_.values.size(), false);
    for (ValueId id : results) needed_[id] = true;
    for (size_t n = body_.nodes.size(); n-- > 0;) {
      const Node& node = body_.nodes[n];
      bool wanted = false;
      for (int32_t i = 0; i < node.num_outputs; ++i) wanted |= needed_[node.first_output + i];
      if (!wanted || is_lifted(node.first_output)) continue;
      for (ValueId id : node.inputs)
        if (id >= 0) needed_[id] = true;
    }
  }

  Result<std::shared_ptr<const Graph>> extract(const std::vector<ValueId>& results) {
    auto graph = std::make_shared<Graph>();
    graph->name = body_.name;
    GraphSink sink(graph);
    Extractor extract(body_, &sink);
    const auto take = [&](ValueId id) { extract.map(id, sink.input(meta(id)).id()); };
    const auto take_from = [&](Vals* values, size_t i) {
      take(body_.inputs[i]);
      values->push_back(Val(&sink_, in_[i]));
    };
    for (size_t i = 0; i < shape_.carried; ++i)
      if (!is_sum(i)) take_from(&carried_, i);
    for (size_t i = shape_.carried; i < shape_.carried + shape_.scanned; ++i)
      if (needed_[body_.inputs[i]]) take_from(&scanned_, i);
    for (ValueId id : lifted_) {
      if (!needed_[id]) continue;
      take(id);
      scanned_.push_back(outside(id));
    }
    for (size_t i = shape_.carried + shape_.scanned; i < shape_.inputs(); ++i)
      if (needed_[body_.inputs[i]]) take_from(&captured_, i);
    for (ValueId id : results) extract.need(id);
    MSJIT_OK(extract.run());
    for (ValueId id : results) graph->outputs.push_back(extract.get(id));
    return std::shared_ptr<const Graph>(graph);
  }

  // -- Outside --

  // All rows of a value: taken from outside, or computed there. A loop invariant is returned as it
  // is.
  Val outside(ValueId id) {
    if (auto known = outside_.find(id); known != outside_.end()) return known->second;
    Val value;
    const Node& node = body_.producer(id);
    if (node.kind == NodeKind::kConstant) {
      value = sink_.constant(node.constant);
    } else if (node.kind == NodeKind::kInput) {
      value = sink_.value(in_[static_cast<size_t>(node.input_index)]);
    } else if (is_row_product(node)) {
      value = product(node, outside(node.inputs[0]));
    } else {
      Vals in;
      for (ValueId input : node.inputs) in.push_back(outside(input));
      sink_.set_location(node.location);
      value = call_in(&sink_, *node.op, in, node.attrs);
    }
    return outside_[id] = value;
  }

  // All rows of a value as one matrix.
  Val flat(const Val& rows) {
    const Shape& shape = rows.shape();
    return words::reshape(rows, {shape.numel() / shape.back(), shape.back()});
  }

  // rows @ matrix, as one product over all rows.
  Val product(const Node& node, const Val& rows) {
    Vals in{Val()};
    for (size_t i = 1; i < node.inputs.size(); ++i)
      in.push_back(node.inputs[i] < 0 ? Val() : outside(node.inputs[i]));
    sink_.set_location(node.location);
    in[0] = flat(rows);
    const Val all = call_in(&sink_, *node.op, in, node.attrs);
    Shape shape = rows.shape();
    shape[shape.rank() - 1] = all.shape().back();
    return words::reshape(all, shape);
  }

  // A value behind the loop: stacked by it, or computed outside.
  Val stacked(ValueId id) {
    const auto found = place_.find(id);
    return found == place_.end() ? outside(id) : results_of_loop_[found->second];
  }

  Val total(const Sum& sum) {
    sink_.set_location(sum.term->location);
    const Val begin = sink_.value(in_[sum.carried]);
    if (sum.term->op == &op_sum)
      return words::add(begin, words::sum(stacked(sum.term->inputs[0]), IntList{0, 1}));
    const Val a = flat(stacked(sum.term->inputs[0])), b = flat(stacked(sum.term->inputs[1]));
    return words::add(begin, words::matmul(a, b, true, false));
  }

  // Appends the loop and the products behind it.
  void append(const std::shared_ptr<const Graph>& body) {
    std::vector<ValueId> in;
    for (const Vals* values : {&carried_, &scanned_, &captured_})
      for (const Val& value : *values) in.push_back(value.id());
    Vals states;
    sink_.set_location(node_.location);
    if (!body->outputs.empty()) {
      const Attrs attrs =
          scan_attrs(shape_.length, carried_.size(), scanned_.size(), shape_.reverse);
      ValueId next = sink_.append(op_scan, in, attrs, scan_outputs(*body, attrs), {body});
      for (size_t i = 0; i < carried_.size(); ++i) states.push_back(sink_.value(next++));
      for (size_t i = 0; i < stacked_.size(); ++i) results_of_loop_.push_back(sink_.value(next++));
    }
    auto state = states.begin();
    for (size_t i = 0; i < shape_.carried; ++i) results_.push_back(is_sum(i) ? Val() : *state++);
    for (const Sum& sum : sums_) results_[sum.carried] = total(sum);
    for (size_t i = shape_.carried; i < shape_.outputs(); ++i) {
      const Node* lifted = products_.count(i) ? products_[i] : nullptr;
      // An output that nothing reads: any value will do.
      results_.push_back(!used_[i] ? sink_.value(in_[0])
                         : lifted  ? product(*lifted, stacked(lifted->inputs[0]))
                                   : stacked(body_.outputs[i]));
    }
  }

  GraphSink& sink_;
  const Node& node_;
  const Graph& body_;
  const ScanShape shape_;
  std::vector<ValueId> in_;
  std::vector<bool> used_;
  std::vector<int> uses_;  // in the body
  std::vector<Role> role_;
  std::vector<ValueId> lifted_;  // computed before the loop, ascending
  std::vector<Sum> sums_;
  std::map<size_t, const Node*> products_;  // by output
  std::vector<ValueId> stacked_;
  std::map<ValueId, size_t> place_;  // among these
  std::vector<bool> needed_;
  Vals carried_, scanned_, captured_;
  std::map<ValueId, Val> outside_;
  Vals results_of_loop_, results_;
};

class Lifting {
 public:
  explicit Lifting(Graph& graph) : graph_(graph), sink_(std::make_shared<Graph>()) {}

  Result<bool> run() {
    std::vector<bool> used(graph_.values.size());
    for (const Node& node : graph_.nodes)
      for (ValueId id : node.inputs)
        if (id >= 0) used[id] = true;
    for (ValueId id : graph_.outputs) used[id] = true;
    sink_.graph()->name = graph_.name;
    sink_.set_merging(false);
    std::vector<ValueId> map(graph_.values.size(), -1);
    for (ValueId id : graph_.inputs) map[id] = sink_.input(graph_.meta(id)).id();
    bool changed = false;
    for (const Node& node : graph_.nodes) {
      if (node.kind == NodeKind::kInput) continue;
      std::vector<ValueId> in, out;
      for (ValueId id : node.inputs) in.push_back(id < 0 ? -1 : map[id]);
      sink_.set_location(node.location);
      bool lifted = false;
      if (is_scan(node) && node.subgraphs.size() == 1) {
        std::vector<bool> read(used.begin() + node.first_output,
                               used.begin() + node.first_output + node.num_outputs);
        MSJIT_TRY(lifted, ScanLifter(sink_, node, in, std::move(read)).run(&out));
      }
      changed |= lifted;
      if (!lifted) {
        const ValueId first = node.kind == NodeKind::kConstant
                                  ? sink_.graph()->add_constant(node.constant)
                                  : sink_.append_like(graph_, node, in);
        for (int32_t i = 0; i < node.num_outputs; ++i) out.push_back(first + i);
      }
      for (int32_t i = 0; i < node.num_outputs; ++i)
        map[node.first_output + i] = out[static_cast<size_t>(i)];
    }
    if (!changed) return false;
    for (ValueId id : graph_.outputs) sink_.graph()->outputs.push_back(map[id]);
    graph_ = std::move(*sink_.graph());
    return true;
  }

 private:
  Graph& graph_;
  GraphSink sink_;
};

}  // namespace

Result<bool> lift_products(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, is_scan)) return false;
  return Lifting(graph).run();
}

}  // namespace msjit
