// Methods of lists, tuples and dicts; args[0] is self. To add one: write it, add its row.
#include <algorithm>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/table_objects.h"
#include "bytecode/values/iterators.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

void changed(const SymRef& self) { self->changed = self->source != kNoSource; }

bool complete(Executor& x, const SymRef& dict) {
  return x.heap().dict_all(dict) || x.fail(BreakReason::kObjectType, x.heap().error);
}

bool list_append(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.append", args, names, 2, 2)) return false;
  args[0]->items.push_back(args[1]);
  changed(args[0]);
  *out = sym_none();
  return true;
}

bool list_extend(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> items;
  if (!positional(x, "list.extend", args, names, 2, 2) || !x.unpack(args[1], &items)) return false;
  args[0]->items.insert(args[0]->items.end(), items.begin(), items.end());
  changed(args[0]);
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
  changed(args[0]);
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
  changed(args[0]);
  *out = sym_none();
  return true;
}

// The place of an item equal to `item`, found as CPython does: identity first, then ==; -1 = none.
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
  changed(args[0]);
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
  changed(args[0]);
  *out = sym_none();
  return true;
}

bool list_reverse(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.reverse", args, names, 1, 1)) return false;
  std::reverse(args[0]->items.begin(), args[0]->items.end());
  changed(args[0]);
  *out = sym_none();
  return true;
}

bool list_clear(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.clear", args, names, 1, 1)) return false;
  args[0]->items.clear();
  changed(args[0]);
  *out = sym_none();
  return true;
}

bool list_copy(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "list.copy", args, names, 1, 1)) return false;
  *out = make_items(SymKind::kList, args[0]->items);
  return true;
}

bool view(Executor& x, Args args, PyObject* names, const char* method, SymRef* out) {
  if (!positional(x, method, args, names, 1, 1)) return false;
  *out = x.new_iterator(iter_dict_view, {args[0]});
  (*out)->iterator->object = Ref::steal(PyUnicode_InternFromString(method));
  return true;
}
bool dict_keys(Executor& x, Args args, PyObject* names, SymRef* out) {
  return view(x, args, names, "keys", out);
}
bool dict_values(Executor& x, Args args, PyObject* names, SymRef* out) {
  return view(x, args, names, "values", out);
}
bool dict_items(Executor& x, Args args, PyObject* names, SymRef* out) {
  return view(x, args, names, "items", out);
}

// The key of a method that takes one and a default.
bool key_argument(Executor& x, const char* name, Args args, PyObject* names) {
  if (!positional(x, name, args, names, 2, 3) || !x.look(args[1])) return false;
  return x.heap().pin_key(args[1]) || wrong_arguments(x, name);
}

bool dict_get(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!key_argument(x, "dict.get", args, names)) return false;
  *out = x.heap().dict_get(args[0], args[1]);
  if (!*out) *out = args.size() == 3 ? args[2] : sym_none();
  return true;
}

bool dict_setdefault(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!key_argument(x, "dict.setdefault", args, names) || !complete(x, args[0])) return false;
  *out = x.heap().dict_get(args[0], args[1]);
  if (*out) return true;
  *out = args.size() == 3 ? args[2] : sym_none();
  x.heap().dict_set(args[0], args[1], *out);
  changed(args[0]);
  return true;
}

bool dict_pop(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!key_argument(x, "dict.pop", args, names) || !complete(x, args[0])) return false;
  *out = x.heap().dict_remove(args[0], args[1]);
  if (!*out && args.size() == 3) *out = args[2];
  return *out || x.raise_new(PyExc_KeyError, {args[1]}, "dict.pop");
}

bool dict_popitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "dict.popitem", args, names, 1, 1) || !complete(x, args[0])) return false;
  if (args[0]->entries.empty())
    return args[0]->cls ? x.fail(BreakReason::kRaises, "popitem")
                        : x.raise_new(PyExc_KeyError, "popitem(): dictionary is empty");
  const SymRef key = args[0]->entries.back().first;
  SymRef value = x.heap().dict_remove(args[0], key);
  *out = make_items(SymKind::kTuple, {key, std::move(value)});
  return true;
}

bool dict_clear(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "dict.clear", args, names, 1, 1) || !complete(x, args[0])) return false;
  args[0]->entries.clear();
  ++args[0]->removals;
  changed(args[0]);
  *out = sym_none();
  return true;
}

bool dict_copy(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "dict.copy", args, names, 1, 1) || !complete(x, args[0])) return false;
  *out = make_sym(SymKind::kDict);
  (*out)->cls = args[0]->cls;
  (*out)->items = args[0]->items;
  (*out)->entries = args[0]->entries;
  return true;
}

// `last` of OrderedDict.popitem() and move_to_end().
bool last_argument(Executor& x, Keywords* given, size_t place, bool* out) {
  SymRef last = given->take("last");
  if (!last && given->positional.size() > place) last = given->positional[place];
  *out = true;
  return given->empty() && given->positional.size() <= place + 1 && (!last || x.truth(last, out));
}

bool ordered_popitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords given(args, names);
  bool last = true;
  if (!last_argument(x, &given, 1, &last)) return wrong_arguments(x, "OrderedDict.popitem");
  if (!complete(x, args[0])) return false;
  if (!last && !args[0]->entries.empty())
    std::rotate(args[0]->entries.begin(), args[0]->entries.begin() + 1, args[0]->entries.end());
  return dict_popitem(x, {args[0]}, nullptr, out);
}

bool ordered_move(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords given(args, names);
  bool last = true;
  if (given.positional.size() < 2 || !last_argument(x, &given, 2, &last) ||
      !x.heap().pin_key(args[1]))
    return wrong_arguments(x, "OrderedDict.move_to_end");
  if (!complete(x, args[0])) return false;
  SymRef value = x.heap().dict_remove(args[0], args[1]);
  if (!value) return x.raise_new(PyExc_KeyError, {args[1]}, "OrderedDict.move_to_end");
  auto& entries = args[0]->entries;
  entries.emplace(last ? entries.end() : entries.begin(), args[1], std::move(value));
  changed(args[0]);
  *out = sym_none();
  return true;
}

bool dict_update(Executor& x, Args args, PyObject* names, SymRef* out) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t count = args.size() - keywords;
  if (count > 2) return wrong_arguments(x, "dict.update");
  if (!complete(x, args[0])) return false;
  if (count == 2 && !dict_put_all(x, args[0], args[1])) return false;
  for (size_t k = 0; k < keywords; ++k)
    x.heap().dict_set(args[0],
                      make_const(Ref::share(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k)))),
                      args[count + k]);
  changed(args[0]);
  *out = sym_none();
  return true;
}

// dict.fromkeys(keys, value), also of an instance.
bool dict_from_keys(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> keys;
  if (!positional(x, "dict.fromkeys", args, names, 2, 3)) return false;
  if (args[0]->cls) return wrong_arguments(x, "dict.fromkeys");  // its class is called
  if (!x.unpack(args[1], &keys)) return false;
  SymRef dict = make_sym(SymKind::kDict);
  for (const SymRef& key : keys) {
    if (!x.look(key)) return false;
    if (!x.heap().pin_key(key))
      return x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
    x.heap().dict_set(dict, key, args.size() == 3 ? args[2] : sym_none());
  }
  dict->changed = false;
  *out = std::move(dict);
  return true;
}

// defaultdict(factory, ...) and OrderedDict(...); what follows the factory is as for dict().
bool make_table(Executor& x, PyTypeObject* type, bool factory, Args args, PyObject* names,
                SymRef* out) {
  std::vector<SymRef> rest = args;
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  SymRef dict = make_sym(SymKind::kDict);
  dict->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  if (factory && rest.size() > keywords) {
    if (!x.look(rest[0])) return false;
    dict->items = {rest[0]};
    rest.erase(rest.begin());
  }
  if (!dict_update(
          x,
          [&] {
            std::vector<SymRef> with_self = rest;
            with_self.insert(with_self.begin(), dict);
            return with_self;
          }(),
          names, out))
    return false;
  dict->changed = false;
  *out = std::move(dict);
  return true;
}
bool model_default_dict(Executor& x, Args args, PyObject* names, SymRef* out) {
  return make_table(x, default_dict_type(), true, args, names, out);
}
bool model_ordered_dict(Executor& x, Args args, PyObject* names, SymRef* out) {
  return make_table(x, &PyODict_Type, false, args, names, out);
}

const ModelRow kList[] = {
    {"append", list_append}, {"extend", list_extend},   {"pop", list_pop},
    {"insert", list_insert}, {"reverse", list_reverse}, {"clear", list_clear},
    {"copy", list_copy},     {"index", sequence_index}, {"count", sequence_count},
    {"remove", list_remove}, {"sort", list_sort},
};
const ModelRow kGrowsList[] = {{"append", list_append}, {"extend", list_extend}};
const ModelRow kTuple[] = {{"index", sequence_index}, {"count", sequence_count}};
const ModelRow kDict[] = {
    {"keys", dict_keys},
    {"values", dict_values},
    {"items", dict_items},
    {"get", dict_get},
    {"pop", dict_pop},
    {"update", dict_update},
    {"popitem", dict_popitem},
    {"clear", dict_clear},
    {"setdefault", dict_setdefault},
    {"copy", dict_copy},
    {"fromkeys", dict_from_keys},
};
const ModelRow kOrderedDict[] = {{"popitem", ordered_popitem}, {"move_to_end", ordered_move}};
const ModelRow kCollections[] = {{"OrderedDict", model_ordered_dict},
                                 {"defaultdict", model_default_dict}};

}  // namespace

BuiltinModel dict_class_method(const char* name) {
  return std::strcmp(name, "fromkeys") == 0 ? dict_from_keys : nullptr;
}

// dict.update() and dict(): from a dict, or from an iterable of pairs.
bool dict_put_all(Executor& x, const SymRef& dict, const SymRef& given) {
  SymRef from = given;
  if (!as_dict(x, &from)) return false;
  std::vector<std::pair<SymRef, SymRef>> entries;
  if (from->kind == SymKind::kDict) {
    if (!complete(x, from)) return false;
    entries = from->entries;
  } else {
    std::vector<SymRef> pairs;
    if (from->kind == SymKind::kObject) return wrong_arguments(x, "dict");
    if (!x.unpack(from, &pairs)) return false;
    for (const SymRef& pair : pairs) {
      std::vector<SymRef> both;
      if (!x.unpack(pair, &both)) return false;
      if (both.size() != 2) return x.fail(BreakReason::kRaises, "dict update");
      entries.emplace_back(both[0], both[1]);
    }
  }
  for (const auto& [key, value] : entries) {
    if (!x.look(key)) return false;
    if (!x.heap().pin_key(key))
      return x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
    x.heap().dict_set(dict, key, value);
  }
  changed(dict);
  return true;
}

bool same_item(Executor& x, const SymRef& candidate, const SymRef& item, bool* out) {
  *out = candidate == item;
  if (*out) return true;
  SymRef equal;
  if (!x.compare(candidate, item, Py_EQ, &equal) || !x.truth(equal, out)) return false;
  // A NaN is in a list by its identity alone, which holds for this call only.
  if (!*out && candidate->object && candidate->object == item->object)
    return x.fail(BreakReason::kUnsupported, "identity of values");
  return true;
}

const ModelTable models_collections = {"collections", kCollections, {}};

std::span<const ModelRow> ordered_dict_methods() { return kOrderedDict; }

std::span<const ModelRow> unread_list_methods() { return kGrowsList; }

std::span<const ModelRow> container_methods(SymKind kind) {
  if (kind == SymKind::kList) return kList;
  return kind == SymKind::kDict ? std::span<const ModelRow>(kDict) : kTuple;
}

}  // namespace msjit
