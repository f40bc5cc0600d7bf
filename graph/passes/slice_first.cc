// Moves slices before the elementwise ops that compute the sliced value: f(g(x))[i] becomes
// f(g(x[i])). The kept elements have the bits they had. A value that other nodes read too is not
// sliced early. Nor is a slice that is an output of the graph: it would lose the strides that show
// it is a view.
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "kernels/core/words.h"

namespace msjit {
namespace {

struct Ranges {
  IntList begin, end, step;
};

bool is_movable(const Match& m, ValueId id) {
  const Node* node = m.maker(id);
  return node && node->op->has(kElementwise) && node->num_outputs == 1 && m.used_once(id);
}

// `ranges` slice a value of shape `full`. Returns the ranges that slice an operand which is
// broadcast to that value.
Ranges for_operand(const Ranges& ranges, const Shape& full, const Shape& operand, bool* whole) {
  Ranges own;
  *whole = true;
  int lead = full.rank() - operand.rank();
  for (int axis = 0; axis < operand.rank(); ++axis) {
    size_t at = static_cast<size_t>(axis + lead);
    bool given = at < ranges.begin.size() && operand[axis] == full[axis + lead];
    given = given &&
            !(ranges.begin[at] == 0 && ranges.end[at] == operand[axis] && ranges.step[at] == 1);
    own.begin.push_back(given ? ranges.begin[at] : 0);
    own.end.push_back(given ? ranges.end[at] : operand[axis]);
    own.step.push_back(given ? ranges.step[at] : 1);
    *whole &= !given;
  }
  return own;
}

Val sliced(const Match& m, ValueId id, const Ranges& ranges) {
  if (!is_movable(m, id)) {
    Attrs attrs{AttrValue(ranges.begin), AttrValue(ranges.end), AttrValue(ranges.step)};
    Val source = m.sink()->value(id);
    return call_in(m.sink(), m.op(), {&source, 1}, attrs);
  }
  const Node& node = *m.maker(id);
  std::vector<Val> operands;
  for (ValueId in : node.inputs) {
    if (in < 0) return {};
    bool whole = false;
    Ranges own = for_operand(ranges, m.meta(id).shape, m.meta(in).shape, &whole);
    operands.push_back(whole ? m.sink()->value(in) : sliced(m, in, own));
    if (!operands.back()) return {};
  }
  return call_in(m.sink(), *node.op, operands, node.attrs);
}

Val slice_of_elementwise(const Match& m) {
  if (m.is_output() || !is_movable(m, m.in(0))) return {};
  return sliced(m, m.in(0), {m.attr(0).as_list(), m.attr(1).as_list(), m.attr(2).as_list()});
}

}  // namespace

Result<bool> slice_first(Graph& graph) {
  static constexpr Rule kRule{"slice of elementwise", "slice", slice_of_elementwise};
  static const RuleTable* rules = new RuleTable{std::span(&kRule, 1)};
  return apply_rules(graph, *rules);
}

}  // namespace msjit
