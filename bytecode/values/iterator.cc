// Iterators, and the views of dicts before iter().
#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/values/iterators.h"

namespace msjit {
namespace {

// The dict of a view; null: it is an iterator instead.
SymRef viewed(const SymRef& value) {
  const SymIterator& it = *value->iterator;
  return it.kind == &iter_dict_view ? it.children[0] : nullptr;
}

bool iterator_truth(Executor& x, const SymRef& value, bool* out) {
  const SymRef dict = viewed(value);
  return dict ? x.truth(dict, out) : (*out = true);
}

bool iterator_length(Executor& x, const SymRef& value, SymRef* out) {
  const SymRef dict = viewed(value);
  return dict ? x.length(dict, out)
              : x.fail(BreakReason::kCallUnknown, "len() of " + describe(*value));
}

bool iterator_iterate(Executor& x, const SymRef& value, SymRef* out) {
  if (const SymRef dict = viewed(value)) return x.dict_iterator(dict, value->iterator->object, out);
  return *out = value, true;
}

bool iterator_contains(Executor& x, const SymRef& container, const SymRef& item, bool* out) {
  const SymRef dict = viewed(container);
  if (dict && PyUnicode_READ_CHAR(container->iterator->object.get(), 0) == 'k')
    return x.contains(dict, item, out);
  return x.fail(BreakReason::kUnsupported, "'in' on " + describe(*container));
}

int iterator_rebuild(ExitBuilder& exit, const SymRef& value) {
  const SymIterator& it = *value->iterator;
  const IterKind& kind = *it.kind;
  if (it.generator) return exit.fail("a generator that is kept or returned", value->born);
  if (it.exhausted) return exit.add(made_by(iter_sequence.build), {make_sym(SymKind::kTuple)});
  if (!kind.build) return exit.fail("an iterator of itertools", value->born);
  if (kind.by_state && (it.children[0]->changed || it.removals != it.children[0]->removals))
    return exit.fail("an iterator over a changed container", value->born);
  std::vector<SymRef> parts = it.children;
  if (kind.num_built_of >= 0) parts.resize(static_cast<size_t>(kind.num_built_of));
  for (size_t i = kind.wraps_from; i < parts.size(); ++i)
    if (parts[i]->kind != SymKind::kIterator)
      return exit.fail("iterator over " + describe(*parts[i]), value->born);
  Recipe made = made_by(kind.build);
  made.object = it.object;
  made.number = it.position;
  return exit.add(std::move(made), parts);
}

}  // namespace

const ValueKind value_iterator = {.name = "iterator",
                                  .truth = iterator_truth,
                                  .length = iterator_length,
                                  .iterate = iterator_iterate,
                                  .contains = iterator_contains,
                                  .method = find_generator_method,
                                  .rebuild = iterator_rebuild};

}  // namespace msjit
