#include "bytecode/builtins/sets.h"

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/last_reference.h"
#include "guards/pin.h"
#include "guards/py/host_call.h"
#include "guards/py/set_table.h"

namespace msjit {
namespace {

std::string set_describe(const SymValue& value) { return type_of(value)->tp_name; }

bool set_takes(PyObject* object) { return PyAnySet_CheckExact(object); }

bool has_plain_items(PyObject* set) {
  const Ref items = Ref::steal(host::call(host::checked, PySequence_List, set));
  if (!items) return PyErr_Clear(), false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i)
    if (PyObject* item = PyList_GET_ITEM(items.get(), i); !is_key_value(item) && !is_single(item))
      return false;
  return true;
}

bool set_read(Heap& heap, const SymRef& value) {
  constexpr Py_ssize_t kCompared = 16;  // a larger frozenset is the same one, or another capture
  PyObject* const object = value->object.get();
  const bool small = PySet_GET_SIZE(object) <= Heap::kMaxItems;
  heap.error = "set with items that compare by Python code";
  if (small && !has_plain_items(object)) return false;
  value->shadow = small ? clone_set(object) : Ref();
  const Ref table = value->shadow ? loose_set(object) : Ref();
  Ref payload = table ? Ref::steal(PyTuple_Pack(1, table.get())) : Ref();
  if (!payload) return PyErr_Clear(), false;
  if (PyFrozenSet_CheckExact(object) && PySet_GET_SIZE(object) > kCompared && heap.lasts(value))
    heap.guard_identity(value);
  else
    heap.guards().add(guard::set_items, value->source, {.object = std::move(payload)});
  value->cls = Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  value->kind = SymKind::kSet;
  return true;
}

bool set_truth(Executor&, const SymRef& value, bool* out) {
  return *out = PySet_GET_SIZE(value->shadow.get()) != 0, true;
}

BuiltinModel set_method(const SymRef&, const char* name) { return find_row(set_methods(), name); }

Ref set_to_python(Executor&, const SymRef& value, int) { return clone_set(value->shadow.get()); }

// A copy that holds its items loosely (pin.h) and that nothing changes. It is in a tuple, which has
// no weak references, so that an entry always keeps it alive itself.
Ref kept_copy(const SymRef& value) {
  const Ref table = allocated(loose_set(value->shadow.get()));
  return allocated(Ref::steal(PyTuple_Pack(1, table.get())));
}

// The items that such a copy does not keep alive; the exit has to.
std::vector<SymRef> loose_items(const Ref& copy) {
  std::vector<SymRef> items;
  visit_set(PyTuple_GET_ITEM(copy.get(), 0), [&](PyObject* held) {
    if (PyObject* const item = loosely_held(held); item && item != held)
      items.push_back(make_const(Ref::share(item)));
  });
  return items;
}

Ref build_set(const Recipe& recipe, const Objects&) {
  return tight_set(PyTuple_GET_ITEM(recipe.object.get(), 0));
}

bool replace_items(PyObject* set, const Effect& effect, const Objects&) {
  return assign_set(set, PyTuple_GET_ITEM(effect.name.get(), 0));
}

void drop_items(PyObject* set, const Effect& effect, Departure* departure) {
  visit_set(set, [&](PyObject* item) { departure->drop(item); });
  if (departure->empty()) return;
  visit_set(PyTuple_GET_ITEM(effect.name.get(), 0), [&](PyObject* held) {
    if (PyObject* const item = loosely_held(held)) departure->keep(item);
  });
}

constexpr EffectKind effect_set_items = {
    .apply = replace_items, .drops = drop_items, .refills = true};

int set_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made = made_by(build_set);
  const Ref copy = kept_copy(value);
  made.object = copy;
  return exit.add(std::move(made), loose_items(copy));
}

bool set_replay(ExitBuilder& exit, const SymRef& value, int target) {
  const Ref copy = kept_copy(value);
  return exit.write({&effect_set_items, target, copy, {}}, loose_items(copy));
}

}  // namespace

const ValueKind value_set = {.describe = set_describe,
                             .takes = set_takes,
                             .read = set_read,
                             .declined_by_tensors = true,
                             .truth = set_truth,
                             .length = set_length,
                             .iterate = set_iterate,
                             .contains = set_contains,
                             .method = set_method,
                             .binary = set_binary,
                             .to_python = set_to_python,
                             .rebuild = set_rebuild,
                             .replay = set_replay};

}  // namespace msjit
