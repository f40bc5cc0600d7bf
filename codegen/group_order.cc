#include "codegen/group_order.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace msjit {
namespace {

constexpr int kMaxVisits = 4000;  // of one cycle search; beyond it the merge is refused

}  // namespace

GroupOrder::GroupOrder(const Graph& graph, const std::vector<int32_t>& group_of,
                       const std::vector<int32_t>& order_dep,
                       const std::vector<std::vector<int32_t>>& users,
                       std::vector<OrderedGroup>& groups)
    : graph_(graph),
      group_of_(group_of),
      order_dep_(order_dep),
      users_(users),
      groups_(groups),
      visited_(groups.size(), 0),
      order_(groups.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  place_ = order_;
}

// Only groups placed between the two can lie on a path. Only those of them that the later group
// needs may have to move (Pearce and Kelly, JEA 2006).
bool GroupOrder::bring_together(int32_t from, int32_t into) {
  const auto [a, b] = place_[from] < place_[into] ? std::pair(from, into) : std::pair(into, from);
  if (only_read_by(a, b)) {
    if (into == a) swap_places(a, b);
    return true;
  }
  bool needs_others = false;
  if (!find_needed(a, b, &needs_others)) return false;
  if (needs_others)
    move_behind_needed(a, b);
  else if (into == b)
    swap_places(a, b);
  return true;
}

// Marks the groups placed after `a` that `b` needs. False when one of them reads `a`.
bool GroupOrder::find_needed(int32_t a, int32_t b, bool* any) {
  ++stamp_;
  std::vector<int32_t> work;
  const auto reads_a = [&](int32_t g) {
    bool found = false;
    const auto visit = [&](int32_t node) {
      const int32_t from = node < 0 ? -1 : group_of_[node];
      found |= from == a;
      if (from < 0 || place_[from] <= place_[a] || from == g || visited_[from] == stamp_) return;
      visited_[from] = stamp_;
      work.push_back(from);
    };
    for (int32_t n : groups_[g].nodes) {
      visit(order_dep_[n]);
      for (ValueId id : graph_.nodes[n].inputs) visit(producer_of(id));
    }
    return found;
  };
  reads_a(b);
  *any = !work.empty();
  for (int visits = 0; !work.empty(); ++visits) {
    const int32_t g = work.back();
    work.pop_back();
    if (visits > kMaxVisits || reads_a(g)) return false;
  }
  return true;
}

bool GroupOrder::only_read_by(int32_t a, int32_t b) const {
  for (int32_t n : groups_[a].nodes)
    for (int32_t user : users_[n])
      if (group_of_[user] != a && group_of_[user] != b) return false;
  return true;
}

void GroupOrder::swap_places(int32_t a, int32_t b) {
  std::swap(place_[a], place_[b]);
  order_[place_[a]] = a;
  order_[place_[b]] = b;
}

// Fills the places from place_[a] to place_[b]: first the groups that find_needed() marked, then a,
// b and the others.
void GroupOrder::move_behind_needed(int32_t a, int32_t b) {
  int32_t place = place_[a];
  const int32_t end = place_[b];
  std::vector<int32_t> others;
  const auto put = [&](int32_t g) { place_[order_[place] = g] = place, ++place; };
  for (int32_t p = place + 1; p < end; ++p) {
    const int32_t g = order_[p];
    if (visited_[g] == stamp_)
      put(g);
    else
      others.push_back(g);
  }
  put(a);
  put(b);
  for (int32_t g : others) put(g);
}

// Kahn's algorithm: a topological sort.
std::vector<FusionGroup> GroupOrder::take() {
  std::vector<std::vector<int32_t>> next(groups_.size());
  std::vector<int32_t> waiting(groups_.size(), 0);
  auto depend = [&](int32_t before, int32_t g) {
    if (before < 0 || group_of_[before] < 0 || group_of_[before] == g) return;
    next[group_of_[before]].push_back(g);
    ++waiting[g];
  };
  std::priority_queue<std::pair<int32_t, int32_t>, std::vector<std::pair<int32_t, int32_t>>,
                      std::greater<>>
      ready;
  for (int32_t g = 0; g < static_cast<int32_t>(groups_.size()); ++g) {
    for (int32_t n : groups_[g].nodes) {
      depend(order_dep_[n], g);
      for (ValueId id : graph_.nodes[n].inputs) depend(producer_of(id), g);
    }
    if (groups_[g].alive && !waiting[g]) ready.emplace(groups_[g].max_node, g);
  }
  std::vector<FusionGroup> sorted;
  while (!ready.empty()) {
    int32_t g = ready.top().second;
    ready.pop();
    sorted.push_back(std::move(groups_[g]));
    for (int32_t after : next[g])
      if (--waiting[after] == 0) ready.emplace(groups_[after].max_node, after);
  }
  return sorted;
}

}  // namespace msjit
