// Methods of lists and tuples; args[0] is self. To add one: write it, add its row.
#include <algorithm>

#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

bool list_append(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.append", args, names, 2, 2)) return false;
  args[0]->items.push_back(args[1]);
  note_change(args[0]);
  *out = sym_none();
  return true;
}

bool list_extend(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> items;
  if (!positional(x, "list.extend", args, names, 2, 2) || !x.unpack(args[1], &items)) return false;
  args[0]->items.insert(args[0]->items.end(), items.begin(), items.end());
  note_change(args[0]);
  *out = sym_none();
  return true;
}

bool list_pop(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.pop", args, names, 1, 2)) return false;
  auto& items = args[0]->items;
  int64_t index = -1;
  if (args.size() == 2 && !to_int(x, args[1], &index)) return wrong_arguments(x, "list.pop");
  const int64_t size = static_cast<int64_t>(items.size());
  if (size == 0) return x.raise_new(PyExc_IndexError, "pop from empty list");
  if (index < 0) index += size;
  if (index < 0 || index >= size) return x.raise_new(PyExc_IndexError, "pop index out of range");
  *out = items[index];
  items.erase(items.begin() + index);
  note_change(args[0]);
  return true;
}

bool list_insert(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t index = 0;
  if (!positional(x, "list.insert", args, names, 3, 3)) return false;
  if (!to_int(x, args[1], &index)) return wrong_arguments(x, "list.insert");
  auto& items = args[0]->items;
  const int64_t size = static_cast<int64_t>(items.size());
  if (index < 0) index = std::max<int64_t>(0, index + size);
  items.insert(items.begin() + std::min(index, size), args[2]);
  note_change(args[0]);
  *out = sym_none();
  return true;
}

// The position of an item equal to `item`, found as CPython does: identity first, then ==; -1 =
// none.
bool find_item(Executor& x, const SymRef& list, const SymRef& item, int64_t from, int64_t to,
               int64_t* out) {
  const std::vector<SymRef> items = *x.heap().items(list);
  *out = -1;
  for (int64_t i = from; i < std::min(to, static_cast<int64_t>(items.size())); ++i) {
    bool same = false;
    if (!same_item(x, items[i], item, &same)) return false;
    if (same) return *out = i, true;
  }
  return true;
}

bool sequence_index(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "index", args, names, 2, 4)) return false;
  const int64_t size = static_cast<int64_t>(x.heap().items(args[0])->size());
  int64_t from = 0, to = size, found = -1;
  if (args.size() > 2 && !to_int(x, args[2], &from)) return wrong_arguments(x, "index");
  if (args.size() > 3 && !to_int(x, args[3], &to)) return wrong_arguments(x, "index");
  if (from < 0) from = std::max<int64_t>(0, from + size);
  if (to < 0) to = std::max<int64_t>(0, to + size);
  if (!find_item(x, args[0], args[1], from, to, &found)) return false;
  if (found < 0) return x.fail(BreakReason::kRaises, "index");
  *out = sym_int(found);
  return true;
}

bool sequence_count(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "count", args, names, 2, 2)) return false;
  int64_t count = 0, at = -1;
  const int64_t size = static_cast<int64_t>(x.heap().items(args[0])->size());
  for (;;) {
    if (!find_item(x, args[0], args[1], at + 1, size, &at)) return false;
    if (at < 0) break;
    ++count;
  }
  *out = sym_int(count);
  return true;
}

bool list_remove(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t found = -1;
  if (!positional(x, "list.remove", args, names, 2, 2)) return false;
  if (!find_item(x, args[0], args[1], 0, static_cast<int64_t>(args[0]->items.size()), &found))
    return false;
  if (found < 0) return x.raise_new(PyExc_ValueError, "list.remove(x): x not in list");
  args[0]->items.erase(args[0]->items.begin() + found);
  note_change(args[0]);
  *out = sym_none();
  return true;
}

bool list_sort(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords keywords(args, names);
  const SymRef key = keywords.take("key"), reverse = keywords.take("reverse");
  bool backwards = false;
  if (!keywords.empty() || keywords.positional.size() != 1) return wrong_arguments(x, "list.sort");
  if (!sort_direction(x, reverse, &backwards)) return false;
  const std::vector<SymRef> before = args[0]->items;
  std::vector<SymRef> items = before;
  if (!sort_items(x, &items, key, backwards)) return false;
  if (args[0]->items != before) return x.fail(BreakReason::kRaises, "list.sort");
  args[0]->items = std::move(items);
  note_change(args[0]);
  *out = sym_none();
  return true;
}

bool list_reverse(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.reverse", args, names, 1, 1)) return false;
  std::reverse(args[0]->items.begin(), args[0]->items.end());
  note_change(args[0]);
  *out = sym_none();
  return true;
}

bool list_clear(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.clear", args, names, 1, 1)) return false;
  args[0]->items.clear();
  note_change(args[0]);
  *out = sym_none();
  return true;
}

bool list_copy(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.copy", args, names, 1, 1)) return false;
  *out = make_items(SymKind::kList, args[0]->items);
  return true;
}

const ModelRow kList[] = {
    {"append", list_append}, {"extend", list_extend},   {"pop", list_pop},
    {"insert", list_insert}, {"reverse", list_reverse}, {"clear", list_clear},
    {"copy", list_copy},     {"index", sequence_index}, {"count", sequence_count},
    {"remove", list_remove}, {"sort", list_sort},
};
const ModelRow kGrowsList[] = {{"append", list_append}, {"extend", list_extend}};
const ModelRow kTuple[] = {{"index", sequence_index}, {"count", sequence_count}};

}  // namespace

bool same_item(Executor& x, const SymRef& candidate, const SymRef& item, bool* out) {
  *out = candidate == item;
  if (*out) return true;
  SymRef equal;
  if (!x.compare(candidate, item, Py_EQ, &equal) || !x.truth(equal, out)) return false;
  // A NaN is found in a list by its identity alone, which is valid for this call only.
  if (!*out && candidate->object && candidate->object == item->object)
    return x.fail(BreakReason::kUnsupported,
                  "a search for an object that is not equal to itself, such as NaN,");
  return true;
}

std::span<const ModelRow> list_methods() { return kList; }
std::span<const ModelRow> unread_list_methods() { return kGrowsList; }
std::span<const ModelRow> tuple_methods() { return kTuple; }

}  // namespace msjit
