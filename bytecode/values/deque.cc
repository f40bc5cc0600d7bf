// Deques. To a deque of the program a region only appends, and it asks for its length. Its contents
// are never read, so it may grow from call to call. A deque made in the region is known; a bounded
// one has the attribute `maxlen`.
#include "bytecode/values/deque.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/sequence.h"
#include "bytecode/values/value_kind.h"
#include "guards/last_reference.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {

PyTypeObject* deque_type() {
  static constinit LibraryType type("_collections", "deque");
  return type.get();
}

namespace {

PyTypeObject* type_of_deque(const SymValue&) { return deque_type(); }

bool deque_takes(PyObject* object) { return Py_TYPE(object) == deque_type(); }

bool deque_read(Heap& heap, const SymRef& value) {
  heap.guard_exact_type(value);
  value->kind = SymKind::kDeque;
  return true;
}

bool is_known(const SymRef& deque) { return deque->source == kNoSource; }

bool not_known(Executor& x, const char* what) {
  return x.fail(BreakReason::kUnsupported, fmt::format("{} of a deque", what));
}

// The maxlen; -1: none.
int64_t limit_of(const SymValue& deque) {
  return deque.attributes.empty() ? -1
                                  : PyLong_AsLongLong(deque.attributes[0].second->object.get());
}

void put(SymValue& deque, const SymRef& item, bool last) {
  auto& items = deque.items;
  items.insert(last ? items.end() : items.begin(), item);
  ++deque.removals;
  if (const int64_t limit = limit_of(deque);
      limit >= 0 && static_cast<int64_t>(items.size()) > limit)
    items.erase(last ? items.begin() : items.end() - 1);
}

// Appends an item. On a deque of the program this is noted in `entries`: the name of the method and
// its argument, in order.
bool add_item(Executor& x, const char* method, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, method, args, names, 2, 2)) return false;
  if (!is_known(args[0])) {
    args[0]->entries.emplace_back(make_const(interned_text(method)), args[1]);
    args[0]->changed = true;
  } else {
    put(*args[0], args[1], std::strcmp(method, "append") == 0);
  }
  return *out = sym_none(), true;
}

bool append(Executor& x, Args args, PyObject* names, SymRef* out) {
  return add_item(x, "append", args, names, out);
}

bool append_left(Executor& x, Args args, PyObject* names, SymRef* out) {
  return add_item(x, "appendleft", args, names, out);
}

template <bool kLast>
bool pop_item(Executor& x, Args args, PyObject* names, SymRef* out) {
  const char* const name = kLast ? "pop" : "popleft";
  if (!positional(x, name, args, names, 1, 1)) return false;
  auto& items = args[0]->items;
  if (!is_known(args[0])) return not_known(x, name);
  if (items.empty()) return x.raise_new(PyExc_IndexError, "pop from an empty deque");
  *out = kLast ? items.back() : items.front();
  items.erase(kLast ? items.end() - 1 : items.begin());
  ++args[0]->removals;
  return true;
}

bool clear(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "clear", args, names, 1, 1)) return false;
  if (!is_known(args[0])) return not_known(x, "clear");
  args[0]->items.clear();
  ++args[0]->removals;
  return *out = sym_none(), true;
}

// The number of items. A deque of the program has grown by the appended ones, up to its bound.
bool count_items(Executor& x, const SymRef& deque, int64_t* out) {
  *out = static_cast<int64_t>(deque->items.size());
  if (is_known(deque)) return true;
  if (!x.heap().deque_length(deque, out))
    return x.fail(BreakReason::kObjectType, "a deque whose length differs between calls");
  if (deque->entries.empty()) return true;
  const int64_t limit = x.heap().deque_limit(deque);
  *out += static_cast<int64_t>(deque->entries.size());
  if (limit >= 0) *out = std::min(*out, limit);
  return true;
}

bool deque_truth(Executor& x, const SymRef& value, bool* out) {
  int64_t count = 0;
  return count_items(x, value, &count) && (*out = count != 0, true);
}

bool deque_length(Executor& x, const SymRef& value, SymRef* out) {
  int64_t count = 0;
  return count_items(x, value, &count) && (*out = sym_int(count), true);
}

bool extend(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> items;
  if (!positional(x, "deque.extend", args, names, 2, 2) || !x.unpack(args[1], &items)) return false;
  *out = sym_none();
  for (const SymRef& item : items)
    if (!append(x, {args[0], item}, nullptr, out)) return false;
  return true;
}

bool rotate(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t by = 1;
  if (!positional(x, "deque.rotate", args, names, 1, 2)) return false;
  if (args.size() > 1 && !to_int(x, args[1], &by)) return wrong_arguments(x, "deque.rotate");
  if (!is_known(args[0])) return not_known(x, "rotate");
  auto& items = args[0]->items;
  const int64_t size = static_cast<int64_t>(items.size());
  if (size > 1)
    std::rotate(items.begin(), items.begin() + ((-by % size) + size) % size, items.end());
  ++args[0]->removals;
  return *out = sym_none(), true;
}

bool deque_subscript(Executor& x, const SymRef& deque, const SymRef& given, SymRef* out) {
  SymRef key;
  Py_ssize_t index = 0;
  if (!is_known(deque)) return not_known(x, "index");
  if (!plain_key(x, given, &key)) return false;
  if (!index_value(key, &index)) return not_known(x, "index");
  const Py_ssize_t size = static_cast<Py_ssize_t>(deque->items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return x.raise_new(PyExc_IndexError, "deque index out of range");
  return *out = deque->items[static_cast<size_t>(index)], true;
}

bool next_item(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  const SymValue& deque = *it.children[0];
  if (it.removals != deque.removals)
    return x.fail(BreakReason::kRaises, "iteration over a deque that changed");
  *done = it.position >= it.count;
  if (!*done) *out = deque.items[static_cast<size_t>(it.position++)];
  return true;
}

const IterKind iter_deque = {.next = next_item, .by_state = true};

bool deque_iterate(Executor& x, const SymRef& deque, SymRef* out) {
  if (!is_known(deque)) return x.fail(BreakReason::kIterate, "a deque of the program");
  *out = x.new_iterator(iter_deque, {deque});
  (*out)->iterator->count = static_cast<int64_t>(deque->items.size());
  (*out)->iterator->removals = deque->removals;
  return true;
}

const ModelRow kMethods[] = {
    {"append", append},      {"appendleft", append_left},  {"extend", extend},
    {"pop", pop_item<true>}, {"popleft", pop_item<false>}, {"clear", clear},
    {"rotate", rotate}};

BuiltinModel deque_method(const SymRef&, const char* name) { return find_row(kMethods, name); }

// Replays the appends. The effect's `name` is a tuple of method names, one for each value.
bool call_methods(PyObject* deque, const Effect& effect, const Objects& objects) {
  for (size_t i = 0; i < effect.values.size(); ++i)
    if (!Ref::steal(host::call(host::program, PyObject_CallMethodObjArgs, deque,
                               PyTuple_GET_ITEM(effect.name.get(), static_cast<Py_ssize_t>(i)),
                               objects[effect.values[i]].get(), nullptr)))
      return false;
  return true;
}

// A bounded deque drops an item at the other end for each one that it gets. Which end that is
// depends on the calls, so both ends are assumed to lose that many.
void drop_ends(PyObject* deque, const Effect& effect, Departure* departure) {
  const int64_t limit = limit_of_deque(deque);
  if (limit < 0) return;
  const Py_ssize_t size = host::call(host::checked, PyObject_Size, deque),
                   added = static_cast<Py_ssize_t>(effect.values.size());
  const Py_ssize_t dropped = std::min(size, size + added - static_cast<Py_ssize_t>(limit));
  for (Py_ssize_t i = 0; i < size; ++i)
    if (i < dropped || i >= size - dropped)
      departure->drop(Ref::steal(host::call(host::checked, PySequence_GetItem, deque, i))
                          .get());  // the deque still holds it
}

constexpr EffectKind effect_deque_calls = {.apply = call_methods, .drops = drop_ends};

Ref build_deque(const Recipe& recipe, const Objects& objects) {
  const Ref items = build_list(recipe, objects);
  const Ref limit =
      recipe.number ? Ref::steal(PyLong_FromLongLong(recipe.number - 1)) : Ref::none();
  return items && limit ? Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs,
                                                reinterpret_cast<PyObject*>(deque_type()),
                                                items.get(), limit.get(), nullptr))
                        : Ref();
}

int deque_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made = made_by(build_deque);
  made.number = limit_of(*value) + 1;
  return exit.add(std::move(made), value->items);
}

bool deque_replay(ExitBuilder& exit, const SymRef& value, int target) {
  const Py_ssize_t count = static_cast<Py_ssize_t>(value->entries.size());
  Ref names = allocated(Ref::steal(PyTuple_New(count)));
  std::vector<SymRef> items;
  for (const auto& [name, item] : value->entries) {
    PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(items.size()),
                     Ref(name->object).release());
    items.push_back(item);
  }
  return exit.write({&effect_deque_calls, target, std::move(names), {}}, items);
}

}  // namespace

bool model_deque(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords keywords(args, names);
  std::vector<SymRef>& given = keywords.positional;
  SymRef limit = keywords.take("maxlen");
  if (given.size() == 2 && !limit) limit = given[1], given.pop_back();
  if (!keywords.empty() || given.size() > 1) return wrong_arguments(x, "deque");
  int64_t most = -1;
  if (limit &&
      !(x.look(limit) && (limit->is_const(Py_None) || (to_int(x, limit, &most) && most >= 0))))
    return wrong_arguments(x, "deque");
  std::vector<SymRef> items;
  if (!given.empty() && !x.unpack(given[0], &items)) return false;
  *out = make_items(SymKind::kDeque, {});
  if (most >= 0) (*out)->attributes.emplace_back("maxlen", sym_int(most));
  for (const SymRef& item : items) put(**out, item, true);
  return true;
}

const ValueKind value_deque = {.name = "deque",
                               .type = type_of_deque,
                               .takes = deque_takes,
                               .read = deque_read,
                               .truth = deque_truth,
                               .length = deque_length,
                               .iterate = deque_iterate,
                               .subscript = deque_subscript,
                               .method = deque_method,
                               .rebuild = deque_rebuild,
                               .replay = deque_replay};

}  // namespace msjit
