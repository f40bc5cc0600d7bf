#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

PyTypeObject* slice_type(const SymValue&) { return &PySlice_Type; }

bool slice_takes(PyObject* object) { return PySlice_Check(object); }

// A slice is immutable. Its bounds are looked at one by one, because slices with 1, 1.0 or True as
// a bound are equal.
bool slice_read(Heap& heap, const SymRef& value) {
  heap.guard_exact_type(value);
  auto* const slice = reinterpret_cast<PySliceObject*>(value->object.get());
  const auto read_bound = [&](PyObject** at, const char* name) {
    value->items.push_back(heap.part(value, at, name));
    return heap.realize(value->items.back());
  };
  value->kind = SymKind::kSlice;
  return read_bound(&slice->start, "start") && read_bound(&slice->stop, "stop") &&
         read_bound(&slice->step, "step");
}

bool slice_truth(Executor&, const SymRef&, bool* out) { return *out = true; }

Ref slice_constant(const SymRef& value) {
  Ref parts[3];
  for (int i = 0; i < 3; ++i)
    if (!(parts[i] = constant_object(value->items[i]))) return {};
  return Ref::steal(PySlice_New(parts[0].get(), parts[1].get(), parts[2].get()));
}

Ref slice_to_python(Executor&, const SymRef& value, int) { return slice_constant(value); }

Ref build_slice(const Recipe& recipe, const Objects& objects) {
  return Ref::steal(PySlice_New(argument(recipe, objects, 0), argument(recipe, objects, 1),
                                argument(recipe, objects, 2)));
}

int slice_rebuild(ExitBuilder& exit, const SymRef& value) {
  return exit.add(made_by(build_slice), value->items);
}

}  // namespace

const ValueKind value_slice = {.name = "slice",
                               .type = slice_type,
                               .takes = slice_takes,
                               .read = slice_read,
                               .truth = slice_truth,
                               .to_python = slice_to_python,
                               .constant = slice_constant,
                               .rebuild = slice_rebuild};

}  // namespace msjit
