// Sets. A set in captured code has a real set with it (`shadow`), whose table has the same items in
// the same places. Every operation is CPython's own on the real set, so items come in exactly
// CPython's order. Items must be plain keys, whose hash and equality run no code of the program.
#include "bytecode/builtins/sets.h"

#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/values/iterators.h"
#include "guards/py/host_call.h"
#include "guards/py/set_table.h"

namespace msjit {
namespace {

SymRef make_set(Ref shadow) {
  SymRef set = make_sym(SymKind::kSet);
  set->cls = Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(shadow.get())));
  set->shadow = std::move(shadow);
  set->born = 0;
  return set;
}

void mutated(const SymRef& set) {
  note_change(set);
  ++set->removals;
}

SymRef item_value(Executor& x, PyObject* item) {
  SymRef value = make_const(Ref::share(item));
  if (is_plain_key(value)) return value;
  value = x.heap().from_constant(Ref::share(item), "an item of a set");
  return x.heap().pin_key(value) ? value : nullptr;
}

bool not_known(Executor& x, const SymRef& value) {
  return x.fail(BreakReason::kUnsupported, fmt::format("a set with {}", describe(*value)));
}

// An iterable as an argument for a method of the real set: a container of the kind CPython would
// get, with constants as items.
Ref items_argument(Executor& x, const SymRef& value) {
  if (!x.look(value)) return {};
  if (Ref set = shadow_of(value)) return set;
  std::vector<SymRef> items;
  if (!x.unpack(value, &items)) return x.raise_ends(), Ref();
  const bool dict = value->kind == SymKind::kDict;
  Ref made = allocated(Ref::steal(dict ? PyDict_New() : PyList_New(0)));
  for (const SymRef& item : items) {
    if (!x.heap().pin_key(item)) return not_known(x, item), Ref();
    const int status =
        dict ? host::call(host::checked, PyDict_SetItem, made.get(), item->object.get(), Py_None)
             : PyList_Append(made.get(), item->object.get());
    if (status < 0) return x.raise_python("a set"), Ref();
  }
  return made;
}

bool result_value(Executor& x, const SymRef& self, Ref result, SymRef* out) {
  PyObject* object = result.get();
  if (result == self->shadow)
    *out = self;
  else if (is_plain_set(object))
    *out = make_set(std::move(result));
  else
    *out = object == Py_None || PyBool_Check(object) ? make_const(std::move(result))
                                                     : item_value(x, object);
  return *out || x.fail(BreakReason::kUnsupported, "an item of a set");
}

struct Method {
  const char* name;
  bool takes_item, changes;
};
constexpr Method kSetMethods[] = {
    {"add", true, true},
    {"discard", true, true},
    {"remove", true, true},
    {"pop", false, true},
    {"clear", false, true},
    {"update", false, true},
    {"intersection_update", false, true},
    {"difference_update", false, true},
    {"symmetric_difference_update", false, true},
    {"copy", false, false},
    {"union", false, false},
    {"intersection", false, false},
    {"difference", false, false},
    {"symmetric_difference", false, false},
    {"issubset", false, false},
    {"issuperset", false, false},
    {"isdisjoint", false, false},
};

template <size_t kMethod>
bool set_method(Executor& x, Args args, PyObject* names, SymRef* out) {
  const Method& method = kSetMethods[kMethod];
  const SymRef& self = args[0];
  if (names) return wrong_arguments(x, method.name);
  Ref given = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(args.size()) - 1)));
  for (size_t i = 1; i < args.size(); ++i) {
    Ref value;
    if (method.takes_item) {
      if (!x.look(args[i])) return false;
      if (!x.heap().pin_key(args[i])) return not_known(x, args[i]);
      value = args[i]->object;
    } else if (!(value = items_argument(x, args[i]))) {
      return false;
    }
    PyTuple_SET_ITEM(given.get(), static_cast<Py_ssize_t>(i) - 1, value.release());
  }
  Ref bound = Ref::steal(
      host::call(host::checked, PyObject_GetAttrString, shadow_of(self).get(), method.name));
  Ref result =
      bound ? Ref::steal(host::call(host::checked, PyObject_CallObject, bound.get(), given.get()))
            : Ref();
  if (!result) return x.raise_python(method.name);
  if (method.changes) mutated(self);
  return result_value(x, self, std::move(result), out);
}

template <size_t... kIndex>
std::vector<ModelRow> method_rows(std::index_sequence<kIndex...>) {
  return {{kSetMethods[kIndex].name, set_method<kIndex>}...};
}

bool construct_set(Executor& x, bool frozen, Args args, PyObject* names, SymRef* out) {
  const char* const name = frozen ? "frozenset" : "set";
  if (!positional(x, name, args, names, 0, 1)) return false;
  if (args.size() == 1 && !x.look(args[0])) return false;
  if (frozen && args.size() == 1 && type_of(*args[0]) == &PyFrozenSet_Type)
    return *out = args[0], true;
  Ref items = args.empty() ? Ref() : items_argument(x, args[0]);
  if (!args.empty() && !items) return false;
  Ref made = Ref::steal(frozen ? PyFrozenSet_New(items.get()) : PySet_New(items.get()));
  if (!made) return x.raise_python(name);
  *out = make_set(std::move(made));
  return true;
}
bool model_set(Executor& x, Args args, PyObject* names, SymRef* out) {
  return construct_set(x, false, args, names, out);
}
bool model_frozenset(Executor& x, Args args, PyObject* names, SymRef* out) {
  return construct_set(x, true, args, names, out);
}

const ModelRow kSetModels[] = {{"set", model_set}, {"frozenset", model_frozenset}};

bool add_item(Executor& x, const SymRef& set, const SymRef& item) {
  if (!x.look(item)) return false;
  if (!x.heap().pin_key(item)) return not_known(x, item);
  if (host::call(host::checked, PySet_Add, set->shadow.get(), item->object.get()) < 0)
    return x.raise_python("a set");
  mutated(set);
  return true;
}

}  // namespace

const ModelTable models_sets = {"builtins", kSetModels, {}};

std::span<const ModelRow> set_methods() {
  static const std::vector<ModelRow> rows =
      method_rows(std::make_index_sequence<std::size(kSetMethods)>());
  return rows;
}

Ref shadow_of(const SymRef& value) {
  if (value->kind == SymKind::kSet) return value->shadow;
  return value->kind == SymKind::kConst && PyFrozenSet_CheckExact(value->object.get())
             ? value->object
             : Ref();
}

bool set_items(Executor& x, const SymRef& set, std::vector<SymRef>* out) {
  Ref list = Ref::steal(host::call(host::checked, PySequence_List, shadow_of(set).get()));
  for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list.get()); ++i) {
    out->push_back(item_value(x, PyList_GET_ITEM(list.get(), i)));
    if (!out->back()) return x.fail(BreakReason::kUnsupported, "an item of a set");
  }
  return true;
}

bool set_length(Executor&, const SymRef& set, SymRef* out) {
  return *out = sym_int(PySet_GET_SIZE(shadow_of(set).get())), true;
}

bool set_iterate(Executor& x, const SymRef& set, SymRef* out) {
  std::vector<SymRef> parts = {set};
  if (!set_items(x, set, &parts)) return false;
  *out = x.new_iterator(iter_set, std::move(parts));
  (*out)->iterator->object = interned_text("__iter__");
  (*out)->iterator->removals = set->removals;
  return true;
}

bool set_contains(Executor& x, const SymRef& set, const SymRef& item, bool* out) {
  if (!x.heap().pin_key(item)) return not_known(x, item);
  const int found =
      host::call(host::checked, PySet_Contains, shadow_of(set).get(), item->object.get());
  if (found < 0) return x.raise_python("in");
  *out = found == 1;
  return true;
}

bool set_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                SymRef* out, bool* known) {
  const Ref left = shadow_of(a), right = shadow_of(b);
  const bool change = in_place && a->kind == SymKind::kSet && Py_TYPE(left.get()) == &PySet_Type;
  *known = left && right &&
           (op == BinaryOp::kOr || op == BinaryOp::kAnd || op == BinaryOp::kSubtract ||
            op == BinaryOp::kXor);
  if (!*known) return true;
  using Function = PyObject* (*)(PyObject*, PyObject*);
  const Function function =
      op == BinaryOp::kOr
          ? (change ? host::through(PyNumber_InPlaceOr) : host::through(PyNumber_Or))
      : op == BinaryOp::kAnd
          ? (change ? host::through(PyNumber_InPlaceAnd) : host::through(PyNumber_And))
      : op == BinaryOp::kXor
          ? (change ? host::through(PyNumber_InPlaceXor) : host::through(PyNumber_Xor))
          : (change ? host::through(PyNumber_InPlaceSubtract) : host::through(PyNumber_Subtract));
  Ref result = Ref::steal(host::call(host::checked, function, left.get(), right.get()));
  if (!result) return x.raise_python("an operator of sets");
  if (change) mutated(a);
  return result_value(x, a, std::move(result), out);
}

bool exec_BuildSet(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef set = make_set(allocated(Ref::steal(PySet_New(nullptr))));
  for (int k = i.arg; k > 0; --k)
    if (!add_item(x, set, f.peek(k))) return false;
  f.stack.resize(f.stack.size() - static_cast<size_t>(i.arg));
  f.push(set);
  return true;
}

bool set_of_all(Executor& x, const std::vector<SymRef>& parts, SymRef* out) {
  *out = make_set(allocated(Ref::steal(PySet_New(nullptr))));
  SymRef ignored;
  for (const SymRef& part : parts)
    if (!call_builtin_method(x, "update", {*out, part}, nullptr, &ignored)) return false;
  return true;
}

bool exec_SetAdd(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef item = f.pop(), set = f.peek(i.arg);
  if (!x.look(set)) return false;
  if (set->kind != SymKind::kSet) return x.fail(BreakReason::kMutation, describe(*set));
  return add_item(x, set, item);
}

bool exec_SetUpdate(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef from = f.pop(), set = f.peek(i.arg);
  SymRef ignored;
  if (!x.look(set)) return false;
  if (set->kind != SymKind::kSet) return x.fail(BreakReason::kMutation, describe(*set));
  return call_builtin_method(x, "update", {set, from}, nullptr, &ignored);
}

}  // namespace msjit
