// Methods of dicts and of instances of its subclasses; args[0] is self. To add one: write it, add
// its row.
#include <algorithm>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/table_objects.h"
#include "bytecode/values/deque.h"
#include "bytecode/values/iterators.h"
#include "guards/py/host_call.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

bool complete(Executor& x, const SymRef& dict) {
  return x.heap().dict_all(dict) || x.fail(BreakReason::kObjectType, x.heap().error);
}

bool view(Executor& x, Args args, PyObject* names, const char* method, SymRef* out) {
  if (!positional(x, method, args, names, 1, 1)) return false;
  *out = x.new_iterator(iter_dict_view, {args[0]});
  (*out)->iterator->object = interned_text(method);
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

// Checks the key of a method that takes a key and a default.
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
  note_change(args[0]);
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
  note_change(args[0]);
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

// The argument `last` of OrderedDict.popitem() and move_to_end().
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
  note_change(args[0]);
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
  note_change(args[0]);
  *out = sym_none();
  return true;
}

// dict.fromkeys(keys, value), also called on an instance.
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

// defaultdict(factory, ...) and OrderedDict(...). The arguments after the factory are those of
// dict().
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

// Used by Counter: table[key] = table.get(key, 0) + 1 for each item.
bool model_count_elements(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> keys;
  if (!positional(x, "_count_elements", args, names, 2, 2) || !x.look(args[0])) return false;
  const auto is_dicts = [&](const char* name) {
    return find_special(args[0], name) == host::find_on_class(&PyDict_Type, special_name(name));
  };
  if (!is_table_object(args[0]) || !is_dicts("get") || !is_dicts("__setitem__"))
    return wrong_arguments(x, "_count_elements");
  if (!x.unpack(args[1], &keys)) return false;
  for (const SymRef& key : keys) {
    SymRef count, ignored;
    if (!call_container_method(x, "get", {args[0], key, sym_int(0)}, nullptr, &count) ||
        !x.binary(count, sym_int(1), BinaryOp::kAdd, false, &count) ||
        !call_container_method(x, "__setitem__", {args[0], key, count}, nullptr, &ignored))
      return false;
  }
  return *out = sym_none(), true;
}

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
                                 {"defaultdict", model_default_dict},
                                 {"deque", model_deque},
                                 {"_count_elements", model_count_elements}};

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
  note_change(dict);
  return true;
}

const ModelTable models_collections = {"collections", kCollections, {}};

std::span<const ModelRow> ordered_dict_methods() { return kOrderedDict; }

std::span<const ModelRow> dict_methods() { return kDict; }

}  // namespace msjit
