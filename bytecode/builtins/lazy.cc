// next() of the iterators that compute: map, filter and those of itertools.
#include "bytecode/values/iterators.h"

namespace msjit {
namespace {

bool next_map(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  std::vector<SymRef> row;
  for (size_t i = 1; i < it.children.size(); ++i) {
    row.emplace_back();
    if (!x.next(it.children[i], &row.back(), done)) return false;
    if (*done) return true;
  }
  return x.call(it.children[0], std::move(row), nullptr, out);
}

bool next_filter(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  for (;;) {
    if (!x.next(it.children[1], out, done)) return false;
    if (*done) return true;
    SymRef answer = *out;
    if (!it.children[0]->is_const(Py_None) && !x.call(it.children[0], {*out}, nullptr, &answer))
      return false;
    bool keep = false;
    if (!x.truth(answer, &keep)) return false;
    if (keep) return true;
  }
}

bool next_chain(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  for (;;) {
    *done = it.position >= static_cast<int64_t>(it.children.size());
    if (*done) return true;
    // An iterable is turned into an iterator only when it is reached.
    SymRef& current = it.children[it.position];
    SymRef iterator;
    if (it.step == 0) {
      if (!x.iterate(current, &iterator)) return false;
      current = iterator;
      it.step = 1;
    }
    bool end = false;
    if (!x.next(current, out, &end)) return false;
    if (!end) return true;
    ++it.position;
    it.step = 0;
  }
}

bool next_slice(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  for (;;) {
    *done = it.count >= 0 && it.position >= it.count && it.position >= it.upcoming;
    if (*done) return true;
    if (!x.next(it.children[0], out, done) || *done) return *done;
    if (it.position++ < it.upcoming) continue;
    it.upcoming += it.step;
    if (it.count >= 0 && it.upcoming > it.count) it.upcoming = it.count;
    return true;
  }
}

bool next_row(Executor& x, SymIterator& it, bool spread, SymRef* out, bool* done) {
  SymRef item;
  if (!x.next(it.children[1], &item, done) || *done) return *done;
  std::vector<SymRef> args = {item};
  if (spread) {
    args.clear();
    if (!x.unpack(item, &args)) return false;
    return x.call(it.children[0], std::move(args), nullptr, out);
  }
  SymRef answer;
  bool keep = false;
  if (!x.call(it.children[0], std::move(args), nullptr, &answer) || !x.truth(answer, &keep))
    return false;
  *out = item;
  *done = !keep;
  return true;
}

bool next_total(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  SymRef item;
  if (!x.next(it.children[0], &item, done) || *done) return *done;
  if (!it.children[2]) {
    it.children[2] = item;
  } else {
    SymRef total;
    const bool added = it.children[1]->is_const(Py_None)
                           ? x.binary(it.children[2], item, BinaryOp::kAdd, false, &total)
                           : x.call(it.children[1], {it.children[2], item}, nullptr, &total);
    if (!added) return false;
    it.children[2] = total;
  }
  *out = it.children[2];
  return true;
}

bool next_spread(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  return next_row(x, it, true, out, done);
}

bool next_while(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  return next_row(x, it, false, out, done);
}

bool next_repeated(Executor&, SymIterator& it, SymRef* out, bool* done) {
  *done = it.count >= 0 && it.position >= it.count;
  ++it.position;
  *out = it.children[0];
  return true;
}

bool next_in_cycle(Executor&, SymIterator& it, SymRef* out, bool* done) {
  *done = it.children.empty();
  if (!*done) *out = it.children[static_cast<size_t>(it.position++) % it.children.size()];
  return true;
}

bool next_group(Executor&, SymIterator& it, SymRef* out, bool* done) {
  const auto at = static_cast<size_t>(it.position);
  if (at > 0 && at <= it.children.size()) it.children[at - 1]->iterator->exhausted = true;
  *done = at >= it.children.size();
  if (*done) return true;
  *out = make_items(SymKind::kTuple, {it.children[at], it.children[at + 1]});
  it.position += 2;
  return true;
}

bool next_count(Executor& x, SymIterator& it, SymRef* out, bool*) {
  *out = it.children[0];
  SymRef next;
  if (!x.binary(it.children[0], it.children[1], BinaryOp::kAdd, false, &next)) return false;
  it.children[0] = next;
  return true;
}

Ref build_map(const Recipe& recipe, const Objects& objects) {
  return build_call(&PyMap_Type, recipe, objects);
}

Ref build_filter(const Recipe& recipe, const Objects& objects) {
  return build_call(&PyFilter_Type, recipe, objects);
}

}  // namespace

// The first child of map and filter is the function; for accumulate, repeat, count and slice see
// itertools.cc.
const IterKind iter_map = {
    .next = next_map, .build = build_map, .asks_again = true, .wraps_from = 1};
const IterKind iter_filter = {
    .next = next_filter, .build = build_filter, .asks_again = true, .wraps_from = 1};
const IterKind iter_chain = {.next = next_chain};
const IterKind iter_slice = {.next = next_slice};
const IterKind iter_star_map = {.next = next_spread, .asks_again = true};
const IterKind iter_take_while = {.next = next_while};
const IterKind iter_accumulate = {.next = next_total, .asks_again = true};
const IterKind iter_repeat = {.next = next_repeated};
const IterKind iter_count = {.next = next_count};
const IterKind iter_cycle = {.next = next_in_cycle};
const IterKind iter_groups = {.next = next_group};

}  // namespace msjit
