// functools, itertools and copy. The iterators of itertools compute their items when these are
// taken (lazy.cc). They cannot leave a region: if one is still alive at the end, the region ends
// before the call that made it.
#include <algorithm>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/control.h"
#include "bytecode/values/iterators.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

constexpr size_t kMaxRows = 4096;

bool model_reduce(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "functools.reduce", args, names, 2, 3)) return false;
  SymRef iterator;
  if (!x.iterate(args[1], &iterator)) return false;
  SymRef total = args.size() == 3 ? args[2] : nullptr;
  for (size_t taken = 0;; ++taken) {
    SymRef item;
    bool done = false;
    if (taken > kMaxRows) return x.fail(BreakReason::kUnrollLimit);
    if (!x.next(iterator, &item, &done)) return false;
    if (done) break;
    if (!total) {
      total = item;
    } else {
      SymRef next;
      if (!x.call(args[0], {total, item}, nullptr, &next)) return false;
      total = next;
    }
  }
  if (!total) return x.fail(BreakReason::kRaises, "functools.reduce");
  *out = total;
  return true;
}

// An iterator over a list of tuples that is computed already.
bool computed(Executor& x, std::vector<SymRef> rows, SymRef* out) {
  *out = x.new_iterator(iter_computed, {make_items(SymKind::kTuple, std::move(rows))});
  return true;
}

bool model_product(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords keywords(args, names);
  int64_t repeat = 1;
  if (SymRef times = keywords.take("repeat"); times && !to_int(x, times, &repeat))
    return wrong_arguments(x, "itertools.product");
  if (!keywords.empty() || repeat < 0 || repeat > 8) return wrong_arguments(x, "itertools.product");
  std::vector<std::vector<SymRef>> pools;
  for (const SymRef& arg : keywords.positional) {
    pools.emplace_back();
    if (!x.unpack(arg, &pools.back())) return false;
  }
  const size_t once = pools.size();
  for (int64_t k = 1; k < repeat; ++k)
    for (size_t i = 0; i < once; ++i) pools.push_back(pools[i]);
  if (repeat == 0) pools.clear();
  std::vector<std::vector<SymRef>> rows = {{}};
  for (const auto& pool : pools) {
    std::vector<std::vector<SymRef>> longer;
    if (rows.size() * pool.size() > kMaxRows) return x.fail(BreakReason::kUnrollLimit);
    for (const auto& row : rows)
      for (const SymRef& item : pool) {
        longer.push_back(row);
        longer.back().push_back(item);
      }
    rows = std::move(longer);
  }
  std::vector<SymRef> tuples;
  for (auto& row : rows) tuples.push_back(make_items(SymKind::kTuple, std::move(row)));
  return computed(x, std::move(tuples), out);
}

// permutations(), combinations(): CPython chooses the positions; the items are put there.
bool chosen(Executor& x, const char* name, Args args, PyObject* names, size_t min, SymRef* out) {
  std::vector<SymRef> items, rows;
  if (!positional(x, name, args, names, min, 2) || !x.unpack(args[0], &items)) return false;
  int64_t length = static_cast<int64_t>(items.size());
  if (args.size() == 2 && !to_int(x, args[1], &length)) return wrong_arguments(x, name);
  if (items.size() > 12 || length < 0) return wrong_arguments(x, name);
  PyObject* module = loaded_module("itertools");
  if (!module) return wrong_arguments(x, name);
  Ref places = Ref::steal(
      host::call(host::checked, PyObject_CallMethod, module, name, "NL",
                 host::call(host::checked, PySequence_Tuple,
                            Ref::steal(host::call(host::checked, PyObject_CallFunction,
                                                  reinterpret_cast<PyObject*>(&PyRange_Type), "n",
                                                  static_cast<Py_ssize_t>(items.size())))
                                .get()),
                 static_cast<long long>(length)));
  while (places) {
    Ref row = Ref::steal(host::call(host::checked, PyIter_Next, places.get()));
    if (!row) break;
    if (rows.size() > kMaxRows) return x.fail(BreakReason::kUnrollLimit);
    std::vector<SymRef> picked;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(row.get()); ++i)
      picked.push_back(items[PyLong_AsSize_t(PyTuple_GET_ITEM(row.get(), i))]);
    rows.push_back(make_items(SymKind::kTuple, std::move(picked)));
  }
  if (PyErr_Occurred()) return PyErr_Clear(), wrong_arguments(x, name);
  return computed(x, std::move(rows), out);
}
bool model_permutations(Executor& x, Args args, PyObject* names, SymRef* out) {
  return chosen(x, "permutations", args, names, 1, out);
}
bool model_combinations(Executor& x, Args args, PyObject* names, SymRef* out) {
  return chosen(x, "combinations", args, names, 2, out);
}

bool model_chain(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names) return wrong_arguments(x, "itertools.chain");
  *out = x.new_iterator(iter_chain, args);
  return true;
}

// All items of a container that is no iterator, instance or dict. Lists are noted in `taken`,
// because they may change later.
using Taken = std::vector<std::pair<SymRef, std::vector<SymRef>>>;
bool take_all(Executor& x, const char* name, const SymRef& from, std::vector<SymRef>* items,
              Taken* taken) {
  if (!x.look(from)) return false;
  if (from->kind == SymKind::kIterator || from->kind == SymKind::kObject ||
      from->kind == SymKind::kDict)
    return wrong_arguments(x, name);
  if (!x.unpack(from, items)) return false;
  if (from->kind == SymKind::kList) taken->emplace_back(from, *items);
  return true;
}

// chain.from_iterable(): an iterable is only iterated when the one before it is exhausted.
bool chain_from_iterable(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> iterables;
  constexpr const char* name = "itertools.chain.from_iterable";
  Taken taken;
  if (!positional(x, name, args, names, 2, 2) || !take_all(x, name, args[1], &iterables, &taken))
    return false;
  *out = x.new_iterator(iter_chain, std::move(iterables));
  (*out)->iterator->taken = std::move(taken);
  return true;
}

bool model_zip_longest(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords keywords(args, names);
  SymRef fill = keywords.take("fillvalue");
  if (!keywords.empty()) return wrong_arguments(x, "itertools.zip_longest");
  std::vector<std::vector<SymRef>> columns;
  Taken taken;
  size_t longest = 0;
  for (const SymRef& arg : keywords.positional) {
    columns.emplace_back();
    if (!take_all(x, "itertools.zip_longest", arg, &columns.back(), &taken)) return false;
    longest = std::max(longest, columns.back().size());
  }
  if (!fill) fill = sym_none();
  std::vector<SymRef> rows;
  for (size_t i = 0; i < longest; ++i) {
    std::vector<SymRef> row;
    for (const auto& column : columns) row.push_back(i < column.size() ? column[i] : fill);
    rows.push_back(make_items(SymKind::kTuple, std::move(row)));
  }
  if (!computed(x, std::move(rows), out)) return false;
  (*out)->iterator->taken = std::move(taken);
  return true;
}

// groupby(): all keys are computed at once. That must not change anything, since the program
// computes them one by one.
bool model_groupby(Executor& x, Args args, PyObject* names, SymRef* out) {
  constexpr const char* name = "itertools.groupby";
  Keywords keywords(args, names);
  SymRef key = keywords.take("key");
  if (!key && keywords.positional.size() == 2) key = keywords.positional[1];
  if (!keywords.empty() || keywords.positional.empty() || keywords.positional.size() > 2)
    return wrong_arguments(x, name);
  std::vector<SymRef> items, groups, group;
  Taken taken;
  if (!take_all(x, name, keywords.positional[0], &items, &taken)) return false;
  if (key && (!x.look(key) || key->is_const(Py_None))) key = nullptr;
  const HeapMark before(x.heap(), x.current());
  const auto end_group = [&](const SymRef& of) {
    if (!of) return;
    groups.push_back(of);
    groups.push_back(
        x.new_iterator(iter_computed, {make_items(SymKind::kTuple, std::move(group))}));
    group.clear();
  };
  SymRef current;
  for (const SymRef& item : items) {
    SymRef own = item, equal;
    bool same = false;
    if (key && !x.call(key, {item}, nullptr, &own)) return x.raise_ends();
    if (current && !same_item(x, current, own, &same)) return x.raise_ends();
    if (!same) end_group(current);
    if (!same) current = own;
    group.push_back(item);
  }
  end_group(current);
  if (!before.change(x.heap()).empty()) return wrong_arguments(x, name);
  *out = x.new_iterator(iter_groups, std::move(groups));
  (*out)->iterator->taken = std::move(taken);
  return true;
}

bool model_cycle(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> items;
  Taken taken;
  if (!positional(x, "itertools.cycle", args, names, 1, 1) ||
      !take_all(x, "itertools.cycle", args[0], &items, &taken))
    return false;
  *out = x.new_iterator(iter_cycle, std::move(items));
  (*out)->iterator->taken = std::move(taken);
  return true;
}

bool model_repeat(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t times = -1;
  if (!positional(x, "itertools.repeat", args, names, 1, 2)) return false;
  if (args.size() == 2 && !to_int(x, args[1], &times))
    return wrong_arguments(x, "itertools.repeat");
  *out = x.new_iterator(iter_repeat, {args[0]});
  (*out)->iterator->count = args.size() == 2 ? std::max<int64_t>(0, times) : -1;
  return true;
}

bool model_count(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "itertools.count", args, names, 0, 2)) return false;
  SymRef start = args.empty() ? sym_int(0) : args[0];
  SymRef step = args.size() == 2 ? args[1] : sym_int(1);
  for (const SymRef& part : {start, step})
    if (int64_t number; !to_int(x, part, &number)) return wrong_arguments(x, "itertools.count");
  *out = x.new_iterator(iter_count, {start, step});
  return true;
}

bool model_islice(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t bounds[3] = {0, -1, 1};  // start, stop (-1 = none), step
  if (!positional(x, "itertools.islice", args, names, 2, 4)) return false;
  for (size_t i = 1; i < args.size(); ++i) {
    int64_t& bound = bounds[args.size() == 2 ? 1 : i - 1];
    if (!x.look(args[i])) return false;
    if (args[i]->is_const(Py_None)) continue;
    if (!to_int(x, args[i], &bound) || bound < 0) return wrong_arguments(x, "itertools.islice");
  }
  SymRef child;
  if (bounds[2] < 1) return wrong_arguments(x, "itertools.islice");
  if (!x.iterate(args[0], &child)) return false;
  *out = x.new_iterator(iter_slice, {std::move(child)});
  SymIterator& it = *(*out)->iterator;
  it.upcoming = bounds[0];
  it.count = bounds[1];
  it.step = bounds[2];
  return true;
}

// Makes an iterator whose children are the callable and an iterator over the other argument.
bool with_function(Executor& x, const char* name, Args args, PyObject* names, const IterKind& kind,
                   SymRef* out) {
  SymRef child;
  if (!positional(x, name, args, names, 2, 2) || !x.iterate(args[1], &child)) return false;
  *out = x.new_iterator(kind, {args[0], std::move(child)});
  return true;
}
bool model_starmap(Executor& x, Args args, PyObject* names, SymRef* out) {
  return with_function(x, "itertools.starmap", args, names, iter_star_map, out);
}
bool model_takewhile(Executor& x, Args args, PyObject* names, SymRef* out) {
  return with_function(x, "itertools.takewhile", args, names, iter_take_while, out);
}

bool model_accumulate(Executor& x, Args args, PyObject* names, SymRef* out) {
  SymRef child;
  if (!positional(x, "itertools.accumulate", args, names, 1, 2)) return false;
  if (!x.iterate(args[0], &child)) return false;
  *out = x.new_iterator(iter_accumulate,
                        {std::move(child), args.size() == 2 ? args[1] : sym_none(), nullptr});
  return true;
}

const ModelRow kFunctools[] = {{"reduce", model_reduce}};
const ModelRow kItertools[] = {
    {"product", model_product},
    {"permutations", model_permutations},
    {"combinations", model_combinations},
    {"chain", model_chain},
    {"zip_longest", model_zip_longest},
    {"cycle", model_cycle},
    {"groupby", model_groupby},
    {"repeat", model_repeat},
    {"count", model_count},
    {"islice", model_islice},
    {"starmap", model_starmap},
    {"takewhile", model_takewhile},
    {"accumulate", model_accumulate},
};

}  // namespace

BuiltinModel find_class_method(PyObject* cls, const char* name) {
  static constinit LibraryType chain("itertools", "chain");
  if (cls == reinterpret_cast<PyObject*>(&PyDict_Type)) return dict_class_method(name);
  return cls == reinterpret_cast<PyObject*>(chain.get()) && std::strcmp(name, "from_iterable") == 0
             ? chain_from_iterable
             : nullptr;
}

const ModelTable models_functools = {"functools", kFunctools, {}};
const ModelTable models_itertools = {"itertools", kItertools, {}};

}  // namespace msjit
