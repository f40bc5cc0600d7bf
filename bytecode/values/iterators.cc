#include "bytecode/values/iterators.h"

#include "bytecode/builtins/models.h"
#include "bytecode/builtins/sets.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

bool next_at(Executor& x, SymIterator& it, int64_t index, SymRef* out, bool* done) {
  const std::vector<SymRef>& items = *x.heap().items(it.children[0]);
  *done = index < 0 || index >= static_cast<int64_t>(items.size());
  if (*done) return true;
  *out = items[index];
  ++it.position;
  return true;
}

bool next_of_sequence(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  return next_at(x, it, it.position, out, done);
}

bool next_reversed(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  return next_at(x, it, it.count - 1 - it.position, out, done);
}

bool next_of_constant(Executor&, SymIterator& it, SymRef* out, bool* done) {
  *done = it.position >= host::call(host::values, PyObject_Size, it.object.get());
  if (*done) return true;
  *out = make_const(
      Ref::steal(host::call(host::values, PySequence_GetItem, it.object.get(), it.position++)));
  return true;
}

// The next entry of a dict, as keys(), values() or items() give it; read when it is taken.
bool next_entry(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  const SymRef& dict = it.children[0];
  if (it.count != static_cast<int64_t>(dict->entries.size()))
    return x.fail(BreakReason::kRaises, "iteration over a dict that changed its size");
  if (it.removals != dict->removals)
    return x.fail(BreakReason::kIterate, "a dict that lost keys meanwhile");
  *done = it.position >= it.count;
  if (*done) return true;
  const auto& [key, item] = dict->entries[it.position++];
  switch (PyUnicode_READ_CHAR(it.object.get(), 0)) {
    case 'k': *out = key; break;
    case 'v': *out = item; break;
    default: *out = make_items(SymKind::kTuple, {key, item});
  }
  return true;
}

bool next_of_view(Executor& x, SymIterator&, SymRef*, bool*) {
  return x.fail(BreakReason::kRaises, "next() of a dict view");
}

bool next_of_set(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  const SymRef& set = it.children[0];
  const size_t size = it.children.size() - 1;
  if (static_cast<size_t>(PySet_GET_SIZE(shadow_of(set).get())) != size)
    return x.fail(BreakReason::kRaises, "iteration over a set that changed its size");
  if (it.removals != set->removals) return x.fail(BreakReason::kIterate, "a set that changed");
  *done = static_cast<size_t>(it.position) >= size;
  if (!*done) *out = it.children[static_cast<size_t>(++it.position)];
  return true;
}

bool next_zip(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  std::vector<SymRef> row;
  for (const SymRef& child : it.children) {
    SymRef item;
    if (!x.next(child, &item, done)) return false;
    if (*done) return true;
    row.push_back(std::move(item));
  }
  *done = it.children.empty();
  *out = make_items(SymKind::kTuple, std::move(row));
  return true;
}

bool next_numbered(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  SymRef item;
  if (!x.next(it.children[0], &item, done)) return false;
  if (*done) return true;
  *out = make_items(SymKind::kTuple, {sym_int(it.position++), std::move(item)});
  return true;
}

// An iterator that has already given `taken` items.
Ref advanced(Ref iterator, int64_t taken) {
  for (int64_t i = 0; iterator && i < taken; ++i) {
    Ref item = Ref::steal(host::call(host::program, PyIter_Next, iterator.get()));
    if (!item) break;
  }
  return PyErr_Occurred() ? Ref() : iterator;
}

// A list may get its items later, by an effect, so its iterator's position is set by __setstate__.
Ref build_of_sequence(const Recipe& recipe, const Objects& objects) {
  PyObject* const sequence = argument(recipe, objects, 0);  // a class derived from list may answer
  const auto iterate =
      PyList_Check(sequence) ? PyList_Type.tp_iter : host::through(PyObject_GetIter);
  Ref made = Ref::steal(host::call(host::program, iterate, sequence));
  if (!made || recipe.number == 0) return made;
  Ref set = Ref::steal(host::call(host::program, PyObject_CallMethod, made.get(), "__setstate__",
                                  "L", static_cast<long long>(recipe.number)));
  return set ? made : Ref();
}

Ref build_of_constant(const Recipe& recipe, const Objects&) {
  return advanced(Ref::steal(host::call(host::program, PyObject_GetIter, recipe.object.get())),
                  recipe.number);
}

Ref build_of_method(const Recipe& recipe, const Objects& objects) {
  const Ref view = build_method_call(recipe, objects);
  return view ? advanced(Ref::steal(host::call(host::program, PyObject_GetIter, view.get())),
                         recipe.number)
              : Ref();
}

Ref build_reversed(const Recipe& recipe, const Objects& objects) {
  return advanced(build_call(&PyReversed_Type, recipe, objects), recipe.number);
}

Ref build_zip(const Recipe& recipe, const Objects& objects) {
  return build_call(&PyZip_Type, recipe, objects);
}

Ref build_enumerate(const Recipe& recipe, const Objects& objects) {
  const Ref start = Ref::steal(PyLong_FromLongLong(recipe.number));
  return start ? Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs,
                                       reinterpret_cast<PyObject*>(&PyEnum_Type),
                                       argument(recipe, objects, 0), start.get(), nullptr))
               : Ref();
}

}  // namespace

const IterKind iter_sequence = {.next = next_of_sequence, .build = build_of_sequence};
const IterKind iter_reversed = {.next = next_reversed, .build = build_reversed, .by_state = true};
const IterKind iter_computed = {.next = next_of_sequence};
const IterKind iter_constant = {.next = next_of_constant, .build = build_of_constant};
const IterKind iter_dict = {.next = next_entry, .build = build_of_method, .by_state = true};
const IterKind iter_dict_view = {.next = next_of_view, .build = build_method_call};
// The children are the set, then its items.
const IterKind iter_set = {
    .next = next_of_set, .build = build_of_method, .num_built_of = 1, .by_state = true};
const IterKind iter_zip = {
    .next = next_zip, .build = build_zip, .asks_again = true, .wraps_from = 0};
const IterKind iter_enumerate = {
    .next = next_numbered, .build = build_enumerate, .asks_again = true, .wraps_from = 0};

}  // namespace msjit
