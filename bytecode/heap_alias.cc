// Guards against aliasing: an object that a capture changes must not be, under another name,
// something else that it looked at. Lists, dicts and instances must be different objects.
// Attributes and globals of different objects must not be stored in one dict.
#include <algorithm>
#include <functional>

#include "bytecode/heap.h"
#include "guards/py/objects.h"

namespace msjit {

bool Heap::guard_aliasing() {
  for (const SymRef& changed : mutables_) {
    if (!changed->changed) continue;
    for (const SymRef& other : mutables_) {
      if (other == changed || Py_TYPE(other->object.get()) != Py_TYPE(changed->object.get()))
        continue;
      guards_.add(guard::different, changed->source, {.other = other->source});
    }
  }
  const Namespaces all = find_namespaces();
  return guard_namespaces(all) && guard_tables(all);
}

void Heap::guard_parameters_differ() {
  std::vector<SymRef> sorted;
  for (const auto& [object, value] : parameter_of_) sorted.push_back(value);
  std::ranges::sort(sorted, std::less<>(), [](const SymRef& value) { return value->object.get(); });
  for (size_t i = 1; i < sorted.size(); ++i)
    guards_.add(guard::below, sorted[i - 1]->source, {.other = sorted[i]->source});
}

// The dicts in which dicts, instances, classes, modules, functions and globals store their names.
// Almost every instance has the only reference to its __dict__; for these, one guard is enough.
Heap::Namespaces Heap::find_namespaces() {
  Namespaces all;
  for (const auto& [id, object] : namespaces_) all[id] = {object};
  for (const SymRef& value : mutables_) {
    if (value->kind == SymKind::kDict)
      all[value->source] = {value->object.get(), value->changed, true};
    if (value->kind != SymKind::kObject || !value->changed) continue;
    if (has_unshared_names(value->object.get())) {
      guards_.add(guard::unshared, value->source);
      all.erase(value->source);
    } else {
      all[value->source] = {value->object.get(), true};
    }
  }
  for (const GlobalWrite& write : global_writes_) {
    const SourceId own =
        write.source != kNoSource
            ? write.source
            : guards_.add_source(load::globals_dict, kNoSource, 0, {}, "globals()");
    all[own] = {write.globals, true};
  }
  return all;
}

bool Heap::guard_namespaces(const Namespaces& all) {
  for (const auto& [id, changed] : all) {
    if (!changed.changed) continue;
    for (const auto& [other_id, other] : all) {
      const bool met = other.changed && other_id <= id;  // each pair is compared once
      if (met || (changed.is_dict && other.is_dict)) continue;
      if (!guard_apart_from(id, changed, other_id, other)) return false;
    }
  }
  return true;
}

// An instance of a class derived from dict may be the __dict__ of another object, or its own. Its
// items are attributes then. If one of the two changes, this guards that they are different
// dictionaries. False when they are one now.
bool Heap::guard_tables(Namespaces all) {
  for (const SymRef& value : mutables_)
    if (value->kind == SymKind::kObject && !value->changed)
      all[value->source] = {value->object.get()};
  for (const SymRef& table : mutables_) {
    if (table->kind != SymKind::kObject || table->items.empty() ||
        table->items[0]->kind != SymKind::kDict)
      continue;
    PyObject* const own = table->object.get();
    if (table->changed) all[table->source] = {own, true};
    for (const auto& [id, other] : all) {
      if (!table->changed && !other.changed) continue;
      PyObject *const object = other.object, *const names = names_of(own);
      if (existing_dict(object) == own || (object != own && names && names == names_of(object)))
        return false;
      guards_.add(guard::apart, table->source, {.other = id});
    }
  }
  return true;
}

bool Heap::guard_apart_from(SourceId id, const Namespace& changed, SourceId other_id,
                            const Namespace& other) {
  PyObject* const names = names_of(changed.object);
  if (!names || names != names_of(other.object)) {
    guards_.add(guard::apart, id, {.other = other_id});
    return true;
  }
  // The attributes of a module are known to be the changed globals, while these are the module's
  // globals.
  if (names != changed.object || changed.is_dict || !PyModule_CheckExact(other.object))
    return false;
  const SourceId dict = guards_.add_source(load::instance_dict, other_id, 0, {},
                                           guards_.source(other_id).text + ".__dict__");
  guards_.add(guard::same, dict, {.other = id});
  return true;
}

}  // namespace msjit
