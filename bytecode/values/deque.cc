// Deques. To those of the program a region only appends: nothing is asked of what they hold, so
// that they may grow from call to call. Those the region makes, without a limit, are known.
#include "bytecode/values/deque.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/values/build.h"
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

bool is_known(const SymRef& deque) { return deque->source == kNoSource; }

bool not_known(Executor& x, const char* what) {
  return x.fail(BreakReason::kUnsupported, fmt::format("{} of a deque", what));
}

// `entries`: the name of a method and its argument, in order.
bool add_item(Executor& x, const char* method, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, method, args, names, 2, 2)) return false;
  auto& items = args[0]->items;
  if (!is_known(args[0])) {
    args[0]->entries.emplace_back(make_const(text_object(method)), args[1]);
    args[0]->changed = true;
  } else {
    const bool last = std::strcmp(method, "append") == 0;
    items.insert(last ? items.end() : items.begin(), args[1]);
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
  return true;
}

bool clear(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "clear", args, names, 1, 1)) return false;
  if (!is_known(args[0])) return not_known(x, "clear");
  args[0]->items.clear();
  return *out = sym_none(), true;
}

bool deque_truth(Executor& x, const SymRef& value, bool* out) {
  return is_known(value) ? (*out = !value->items.empty(), true) : not_known(x, "truth");
}

bool deque_length(Executor& x, const SymRef& value, SymRef* out) {
  if (!is_known(value)) return not_known(x, "len()");
  return *out = sym_int(static_cast<int64_t>(value->items.size())), true;
}

bool extend(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> items;
  if (!positional(x, "deque.extend", args, names, 2, 2) || !x.unpack(args[1], &items)) return false;
  *out = sym_none();
  for (const SymRef& item : items)
    if (!append(x, {args[0], item}, nullptr, out)) return false;
  return true;
}

const ModelRow kMethods[] = {{"append", append},           {"appendleft", append_left},
                             {"extend", extend},           {"pop", pop_item<true>},
                             {"popleft", pop_item<false>}, {"clear", clear}};

BuiltinModel deque_method(const SymRef&, const char* name) { return find_row(kMethods, name); }

// `name` of the effect: the names of the methods, one for each value.
bool call_methods(PyObject* deque, const Effect& effect, const Objects& objects) {
  for (size_t i = 0; i < effect.values.size(); ++i)
    if (!Ref::steal(host::call(host::program, PyObject_CallMethodObjArgs, deque,
                               PyTuple_GET_ITEM(effect.name.get(), static_cast<Py_ssize_t>(i)),
                               objects[effect.values[i]].get(), nullptr)))
      return false;
  return true;
}

// A deque of bounded length gives up an item at its other end for each one it takes.
// Which end that is depends on the calls: both are taken to lose so many.
void drop_ends(PyObject* deque, const Effect& effect, Departure* departure) {
  const Ref limit = Ref::steal(host::call(host::checked, PyObject_GetAttrString, deque, "maxlen"));
  if (!limit || !PyLong_Check(limit.get())) return PyErr_Clear();
  const Py_ssize_t size = host::call(host::checked, PyObject_Size, deque),
                   added = static_cast<Py_ssize_t>(effect.values.size());
  const Py_ssize_t dropped = std::min(size, size + added - PyLong_AsSsize_t(limit.get()));
  for (Py_ssize_t i = 0; i < dropped; ++i)
    for (const Py_ssize_t at : {i, size - 1 - i})
      departure->drop(Ref::steal(host::call(host::checked, PySequence_GetItem, deque, at))
                          .get());  // the deque has it
}

constexpr EffectKind effect_deque_calls = {.apply = call_methods, .drops = drop_ends};

Ref build_deque(const Recipe& recipe, const Objects& objects) {
  const Ref items = build_list(recipe, objects);
  return items ? Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs,
                                       reinterpret_cast<PyObject*>(deque_type()), items.get(),
                                       nullptr))
               : Ref();
}

int deque_rebuild(ExitBuilder& exit, const SymRef& value) {
  return exit.add(made_by(build_deque), value->items);
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
  std::vector<SymRef> items;
  if (!positional(x, "deque", args, names, 0, 1)) return false;
  if (!args.empty() && !x.unpack(args[0], &items)) return false;
  return *out = make_items(SymKind::kDeque, std::move(items)), true;
}

const ValueKind value_deque = {.name = "deque",
                               .type = type_of_deque,
                               .truth = deque_truth,
                               .length = deque_length,
                               .method = deque_method,
                               .rebuild = deque_rebuild,
                               .replay = deque_replay};

}  // namespace msjit
