#include <algorithm>
#include <utility>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/build.h"
#include "bytecode/values/sequence.h"
#include "guards/last_reference.h"

namespace msjit {
namespace {

PyTypeObject* list_type(const SymValue&) { return &PyList_Type; }

bool list_takes(PyObject* object) { return PyList_CheckExact(object); }

bool list_read(Heap& heap, const SymRef& value) {
  heap.guard_exact_type(value);
  if (heap.sizes().differs(heap.guards().source(value->source).text)) {
    heap.error = "a list whose length differs between calls";
    return false;
  }
  std::vector<SymRef> items;
  if (!heap.read_items(value, load::list_item, &items)) return false;
  items.insert(items.end(), value->items.begin(), value->items.end());  // those appended so far
  value->items = std::move(items);
  value->kind = SymKind::kList;
  return true;
}

BuiltinModel list_method(const SymRef& self, const char* name) {
  return find_row(list_methods(), name);
}

// Replaces the items of a slice by those of `value`; null = deletes them.
bool replace_slice(Executor& x, const SymRef& list, const SymRef& key, const SymRef& value) {
  Ref slice = constant_object(key);
  std::vector<SymRef> fresh;
  Py_ssize_t start, stop, step;
  if (!slice) return x.fail(BreakReason::kUnsupported, "slice with unknown bounds");
  if (value && !x.unpack(value, &fresh)) return false;
  if (PySlice_Unpack(slice.get(), &start, &stop, &step) < 0) return x.raise_python("slice");
  auto& items = list->items;
  const Py_ssize_t count =
      PySlice_AdjustIndices(static_cast<Py_ssize_t>(items.size()), &start, &stop, step);
  if (value && step != 1) {
    if (static_cast<Py_ssize_t>(fresh.size()) != count)
      return x.fail(BreakReason::kRaises, "assignment to an extended slice");
    for (Py_ssize_t k = 0; k < count; ++k) items[start + k * step] = fresh[k];
  } else if (step == 1) {
    items.erase(items.begin() + start, items.begin() + start + count);
    items.insert(items.begin() + start, fresh.begin(), fresh.end());
  } else {
    for (Py_ssize_t k = 0; k < count; ++k) items[start + k * step] = nullptr;
    items.erase(std::remove(items.begin(), items.end(), nullptr), items.end());
  }
  note_change(list);
  return true;
}

bool list_set_item(Executor& x, const SymRef& list, const SymRef& given, const SymRef& value) {
  Py_ssize_t index;
  const SymRef key = plain_index(given);
  if (is_slice(key)) return replace_slice(x, list, key, value);
  if (!index_value(key, &index))
    return x.fail(BreakReason::kMutation, "item " + describe(*key) + " of a list");
  const Py_ssize_t size = static_cast<Py_ssize_t>(list->items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size)
    return x.raise_new(PyExc_IndexError, "list assignment index out of range");
  if (value)
    list->items[index] = value;
  else
    list->items.erase(list->items.begin() + index);
  note_change(list);
  return true;
}

bool replace_items(PyObject* list, const Effect& effect, const Objects& objects) {
  Ref fresh = Ref::steal(PyList_New(static_cast<Py_ssize_t>(effect.values.size())));
  if (!fresh) return false;
  for (size_t i = 0; i < effect.values.size(); ++i)
    PyList_SET_ITEM(fresh.get(), static_cast<Py_ssize_t>(i),
                    Ref(objects[effect.values[i]]).release());
  return PyList_SetSlice(list, 0, PyList_Size(list), fresh.get()) == 0;
}

bool append_items(PyObject* list, const Effect& effect, const Objects& objects) {
  for (int32_t value : effect.values)
    if (PyList_Append(list, objects[value].get()) < 0) return false;
  return true;
}

void drop_items(PyObject* list, const Effect&, Departure* departure) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) departure->drop(PyList_GET_ITEM(list, i));
}

int list_rebuild(ExitBuilder& exit, const SymRef& value) {
  if (value->cls) return exit.fail(describe(*value));  // an instance's items, seen by an iterator
  return exit.add(made_by(build_list), value->items);
}

bool list_replay(ExitBuilder& exit, const SymRef& value, int target) {
  return exit.write({&effect_list_items, target, {}, {}}, value->items);
}

}  // namespace

const EffectKind effect_list_items = {.apply = replace_items, .drops = drop_items, .refills = true};
const EffectKind effect_list_append = {.apply = append_items};

const ValueKind value_list = {.name = "list",
                              .type = list_type,
                              .takes = list_takes,
                              .read = list_read,
                              .declines_instances = declines_all,
                              .matches_for_good = true,
                              .truth = sequence_truth,
                              .length = sequence_length,
                              .iterate = sequence_iterate,
                              .contains = sequence_contains,
                              .subscript = sequence_subscript,
                              .set_item = list_set_item,
                              .call = not_callable,
                              .method = list_method,
                              .to_python = sequence_to_python,
                              .join = sequence_join,
                              .join_one = sequence_join_one,
                              .rebuild = list_rebuild,
                              .replay = list_replay};

}  // namespace msjit
