#include "codegen/fusion.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "codegen/group_order.h"
#include "graph/stages.h"

namespace msjit {
namespace {

constexpr size_t kMaxGroupNodes = 64;  // bounds compile time and register pressure
constexpr size_t kMaxGroupOperands = 40;
constexpr int kCheapNodes = 4;  // a smaller producer up to this size is computed by its consumer

bool is_op(const Node& node) { return node.kind == NodeKind::kOp; }

class Fuser {
 public:
  explicit Fuser(const Graph& graph) : graph_(graph) {}

  std::vector<FusionGroup> run() {
    find_live();
    make_singletons();
    for (int32_t n = 0; n < num_nodes(); ++n)
      if (live_[n]) grow(n);
    join_siblings();
    absorb_small_producers();
    return order_->take();
  }

 private:
  using Group = OrderedGroup;

  int32_t num_nodes() const { return static_cast<int32_t>(graph_.nodes.size()); }
  const Shape& shape_of(int32_t node) const {
    return graph_.meta(graph_.nodes[node].first_output).shape;
  }
  int32_t producer_of(ValueId id) const { return id < 0 ? -1 : graph_.values[id].node; }
  // Group of the op node defining a value; -1 for inputs and constants.
  int32_t group_of_value(ValueId id) const {
    int32_t node = producer_of(id);
    return node < 0 ? -1 : group_of_[node];
  }

  void find_live() {
    live_.assign(num_nodes(), 0);
    for (ValueId id : graph_.outputs) live_[producer_of(id)] = 1;
    for (int32_t n = num_nodes() - 1; n >= 0; --n) {
      const Node& node = graph_.nodes[n];
      if (keeps_order(node)) live_[n] = 1;
      if (!live_[n]) continue;
      for (ValueId id : node.inputs)
        if (id >= 0) live_[producer_of(id)] = 1;
    }
    for (int32_t n = 0; n < num_nodes(); ++n)
      if (!is_op(graph_.nodes[n])) live_[n] = 0;
  }

  void make_singletons() {
    group_of_.assign(num_nodes(), -1);
    order_dep_.assign(num_nodes(), -1);
    users_.resize(num_nodes());
    is_output_.assign(graph_.values.size(), 0);
    for (ValueId id : graph_.outputs) is_output_[id] = 1;
    std::vector<FusionRole> roles(num_nodes(), FusionRole::kNone);
    int32_t previous = -1;
    const bool calls = std::ranges::any_of(graph_.nodes, is_collective);
    for (int32_t n = 0; n < num_nodes(); ++n) {
      if (!live_[n]) continue;
      const Node& node = graph_.nodes[n];
      for (ValueId id : node.inputs)
        if (id >= 0 && live_[producer_of(id)]) users_[producer_of(id)].push_back(n);
      // What fails must do so before a later call of other processes is made, and only then.
      if (keeps_order(node) || (calls && node.op->may_fail()))
        order_dep_[n] = std::exchange(previous, n);
      add_singleton(n, node);
      roles[n] = groups_.back().roles[0];
    }
    needed_after_ = needed_after(graph_, live_, roles);
    order_.emplace(graph_, group_of_, order_dep_, users_, groups_);
  }

  void add_singleton(int32_t n, const Node& node) {
    Group group;
    group.nodes = {n};
    group.roles = {FusionRole::kNone};
    group.max_node = n;
    if (!enabled_) {
      // Every op by its own kernel.
    } else if (fusable_elementwise(graph_, node)) {
      group.fused = true;
      group.roles = {FusionRole::kBody};
      group.space = shape_of(n);
    } else if (fusable_reduction(graph_, node)) {
      group.fused = true;
      group.roles = {FusionRole::kReduce};
      group.space = graph_.meta(node.inputs[0]).shape;
      ReduceAxes axes;
      reduce_axes(node, group.space.rank(), &axes);
      group.reduced = axes.mask;
      group.keepdims = axes.keepdims;
    }
    group_of_[n] = static_cast<int32_t>(groups_.size());
    groups_.push_back(std::move(group));
  }

  FusionRole role_of(int32_t node) const {
    const Group& group = groups_[group_of_[node]];
    auto it = std::lower_bound(group.nodes.begin(), group.nodes.end(), node);
    return group.roles[it - group.nodes.begin()];
  }

  // Merges the group of node n, which still holds only n, with its producers' groups where that is
  // legal.
  void grow(int32_t n) {
    if (!groups_[group_of_[n]].fused) return;
    for (ValueId id : graph_.nodes[n].inputs) {
      int32_t from = group_of_value(id);
      if (from < 0 || from == group_of_[n] || !groups_[from].fused) continue;
      FusionRole role = joined_role(n, from);
      if (role == FusionRole::kNone || is_early(n, from) || !fits(from, group_of_[n])) continue;
      if (!order_->bring_together(from, group_of_[n])) continue;
      merge(from, group_of_[n], n, role);
    }
  }

  // Whether all uses of node n wait for a reduction of group `from` and its kernel has no later
  // stage. Computed in that group, n would have to be stored there and read again.
  bool is_early(int32_t n, int32_t from) const {
    const Group& group = groups_[from];
    for (size_t i = 0; i < group.nodes.size(); ++i)
      if (group.roles[i] == FusionRole::kReduce && needed_after_[n] >= group.nodes[i] &&
          !takes_stages(group))
        return true;
    return false;
  }

  // The role that node n would have in group `from`; kNone when it cannot join it.
  FusionRole joined_role(int32_t n, int32_t from) const {
    const Group& a = groups_[from];
    const Group& b = groups_[group_of_[n]];
    FusionRole role = role_of(n);
    if (role == FusionRole::kTail) return FusionRole::kNone;  // a tail belongs to one body
    if (role == FusionRole::kReduce) {
      bool same = a.space == b.space && (!a.reduced || same_reduction(a, b));
      return same && role_of(producer_of(graph_.nodes[n].inputs[0])) == FusionRole::kBody
                 ? role
                 : FusionRole::kNone;
    }
    if (bodies_join(a, b)) return FusionRole::kBody;
    if (b.nodes.size() == 1 && a.reduced && shape_of(n) == kept_shape(a) && !reads(n, a, true))
      return FusionRole::kTail;
    return FusionRole::kNone;
  }

  static bool same_reduction(const Group& a, const Group& b) {
    return a.reduced == b.reduced && a.keepdims == b.keepdims;
  }
  static Shape kept_shape(const Group& group) {
    Shape shape;
    for (int i = 0; i < group.space.rank(); ++i) {
      bool reduced = (group.reduced >> i) & 1;
      if (!reduced)
        shape.push_back(group.space[i]);
      else if (group.keepdims)
        shape.push_back(1);
    }
    return shape;
  }
  // Whether node n reads a body value of `group` (`body`), or a result of its reductions or tail.
  bool reads(int32_t n, const Group& group, bool body) const {
    for (ValueId id : graph_.nodes[n].inputs) {
      int32_t p = producer_of(id);
      if (p < 0 || !live_[p] || &groups_[group_of_[p]] != &group) continue;
      if ((role_of(p) == FusionRole::kBody) == body) return true;
    }
    return false;
  }
  // Whether the bodies of two groups can be one loop over the same points. A value that needs the
  // other group's reductions is computed in a later stage.
  bool bodies_join(const Group& a, const Group& b) const {
    if (a.space != b.space || (a.reduced && b.reduced && !same_reduction(a, b))) return false;
    for (size_t i = 0; i < b.nodes.size(); ++i) {
      const bool tail = b.roles[i] == FusionRole::kTail;
      if (reads(b.nodes[i], a, tail) && (tail || !takes_stages(a))) return false;
    }
    return true;
  }
  // Whether a stage can read what the group has reduced. Its results must broadcast over the
  // points, and the points reduced together must be few enough to still be in the caches.
  static bool takes_stages(const Group& group) {
    return (group.keepdims || std::has_single_bit(group.reduced + 1)) &&
           stages_fit(group.space, group.reduced);
  }

  bool fits(int32_t a, int32_t b) const {
    size_t nodes = groups_[a].nodes.size() + groups_[b].nodes.size();
    if (nodes > kMaxGroupNodes) return false;
    std::vector<ValueId> operands;
    for (int32_t g : {a, b})
      for (int32_t n : groups_[g].nodes) {
        for (ValueId id : graph_.nodes[n].inputs)
          if (int32_t from = group_of_value(id); id >= 0 && from != a && from != b)
            operands.push_back(id);
        if (leaves(n, a, b)) operands.push_back(graph_.nodes[n].first_output);
      }
    std::sort(operands.begin(), operands.end());
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    return operands.size() <= kMaxGroupOperands;
  }
  bool leaves(int32_t n, int32_t a, int32_t b) const {
    if (is_output_[graph_.nodes[n].first_output]) return true;
    for (int32_t user : users_[n])
      if (group_of_[user] != a && group_of_[user] != b) return true;
    return false;
  }

  void merge(int32_t from, int32_t into, int32_t n, FusionRole role) {
    Group& a = groups_[from];
    Group& b = groups_[into];
    if (!b.reduced || role == FusionRole::kTail) {
      b.reduced = a.reduced;
      b.keepdims = a.keepdims;
    }
    if (role == FusionRole::kTail) b.space = a.space;
    std::vector<std::pair<int32_t, FusionRole>> all;
    for (size_t i = 0; i < a.nodes.size(); ++i) all.emplace_back(a.nodes[i], a.roles[i]);
    for (size_t i = 0; i < b.nodes.size(); ++i)
      all.emplace_back(b.nodes[i], b.nodes[i] == n ? role : b.roles[i]);
    std::sort(all.begin(), all.end());
    b.nodes.clear();
    b.roles.clear();
    for (auto& [node, r] : all) {
      b.nodes.push_back(node);
      b.roles.push_back(r);
      group_of_[node] = into;
    }
    b.max_node = b.nodes.back();
    a.alive = false;
    a.nodes.clear();
  }

  // Merges loops over the same space that read the same value, for example sums of x and of its
  // square.
  void join_siblings() {
    std::vector<std::vector<int32_t>> readers(graph_.values.size());
    for (int32_t n = 0; n < num_nodes(); ++n) {
      if (!live_[n] || !groups_[group_of_[n]].fused || role_of(n) == FusionRole::kTail) continue;
      for (ValueId id : graph_.nodes[n].inputs)
        if (id >= 0 && graph_.meta(id).shape == groups_[group_of_[n]].space)
          readers[id].push_back(n);
    }
    for (const std::vector<int32_t>& nodes : readers) {
      for (size_t i = 1; i < nodes.size(); ++i) {
        int32_t a = group_of_[nodes[0]], b = group_of_[nodes[i]];
        if (a == b || !bodies_join(groups_[a], groups_[b]) || !bodies_join(groups_[b], groups_[a]))
          continue;
        if (fits(a, b) && order_->bring_together(b, a)) merge(b, a, -1, FusionRole::kBody);
      }
    }
  }

  // A cheap elementwise group whose only reader is the body of one other group is computed there.
  void absorb_small_producers() {
    for (size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      if (!group.alive || !group.fused || group.reduced) continue;
      if (group.space.numel() > 1 && group.nodes.size() > kCheapNodes) continue;
      int32_t into = sole_consumer(static_cast<int32_t>(g));
      if (into < 0 || !fits(static_cast<int32_t>(g), into)) continue;
      merge(static_cast<int32_t>(g), into, -1, FusionRole::kBody);
    }
  }

  int32_t sole_consumer(int32_t g) const {
    int32_t found = -1;
    for (int32_t n : groups_[g].nodes) {
      if (is_output_[graph_.nodes[n].first_output]) return -1;
      for (int32_t user : users_[n]) {
        int32_t to = group_of_[user];
        if (to == g) continue;
        if (found >= 0 && found != to) return -1;
        if (!groups_[to].fused || role_of(user) != FusionRole::kBody) return -1;
        found = to;
      }
    }
    return found;
  }

  const Graph& graph_;
  const bool enabled_ = fusion_enabled();
  std::vector<char> live_, is_output_;
  std::vector<int32_t> group_of_;
  std::vector<int32_t> needed_after_;
  std::vector<int32_t> order_dep_;  // the op before this one whose order is the program's
  std::vector<std::vector<int32_t>> users_;
  std::vector<Group> groups_;
  std::optional<GroupOrder> order_;
};

}  // namespace

std::vector<FusionGroup> fuse(const Graph& graph) { return Fuser(graph).run(); }

}  // namespace msjit
