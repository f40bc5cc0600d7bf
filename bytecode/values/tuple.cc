// Tuples, and named tuples (by their `cls`).
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/library.h"
#include "bytecode/values/build.h"
#include "bytecode/values/sequence.h"

namespace msjit {
namespace {

PyTypeObject* tuple_type(const SymValue&) { return &PyTuple_Type; }

bool tuple_takes(PyObject* object) {
  return PyTuple_CheckExact(object) || is_plain_tuple_type(Py_TYPE(object));
}

bool tuple_read(Heap& heap, const SymRef& value) {
  PyObject* const object = value->object.get();
  if (!PyTuple_CheckExact(object)) {
    if (!heap.read_instance(value)) return false;
    value->cls = Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  } else if (Py_SIZE(object) > Heap::kMaxItems && heap.pin_floats(value)) {
    value->kind = SymKind::kConst;
    return true;
  } else {
    heap.guard_exact_type(value);
  }
  if (!heap.read_items(value, load::tuple_item, &value->items)) return false;
  value->kind = SymKind::kTuple;
  return true;
}

bool holds_size(const SymRef& value) {
  return value->kind == SymKind::kTuple && !value->cls &&
         std::any_of(value->items.begin(), value->items.end(), is_size);
}

// == and != of plain tuples that contain open sizes, as shapes do. False: not of that kind.
bool shape_compare(Executor& x, const SymRef& a, const SymRef& b, int op, bool* out) {
  if ((op != Py_EQ && op != Py_NE) || (!holds_size(a) && !holds_size(b))) return false;
  const std::vector<SymRef>*left = x.heap().items(a), *right = x.heap().items(b);
  if (!left || !right || is_list(a) || is_list(b)) return false;
  bool equal = true;  // tuples of other lengths are compared item by item too
  for (size_t i = 0; equal && i < std::min(left->size(), right->size()); ++i) {
    const SymRef &l = (*left)[i], &r = (*right)[i];
    if (!x.heap().realize_open(l) || !x.heap().realize_open(r)) return false;
    const SizeExpr m = Sizes::expr(l), n = Sizes::expr(r);
    if (!m || !n) return false;
    equal = x.sizes().decide(SizeCompare::kEqual, m, n);
  }
  *out = (equal && left->size() == right->size()) == (op == Py_EQ);
  return true;
}

// Named tuples compare as plain ones; a class with comparisons of its own is no kTuple.
SymRef without_class(const SymRef& value) {
  return value->cls ? make_items(SymKind::kTuple, value->items) : value;
}

bool is_any_tuple(const SymRef& value) {
  return value->kind == SymKind::kTuple ||
         (value->kind == SymKind::kConst && PyTuple_CheckExact(value->object.get()));
}

bool tuple_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                   bool* known) {
  bool holds = false;
  *known = (a->cls || b->cls) && is_any_tuple(a) && is_any_tuple(b);
  if (*known) return x.compare(without_class(a), without_class(b), op, out);
  *known = shape_compare(x, a, b, op, &holds);
  if (*known) *out = sym_bool(holds);
  return true;
}

BuiltinModel tuple_method(const SymRef& self, const char* name) {
  return find_row(tuple_methods(), name);
}

bool tuple_attribute(Executor& x, const SymRef& object, PyObject* name, SymRef* out) {
  return object->cls ? generic_get_attr(x, object, name, out)
                     : method_attribute(x, object, name, out);
}

Ref tuple_to_python(Executor& x, const SymRef& value, int depth) {
  // A named tuple may have methods of its own, such as __repr__.
  return value->cls ? Ref() : sequence_to_python(x, value, depth);
}

Ref tuple_constant(const SymRef& value) {
  if (value->cls) return {};
  Ref tuple = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(value->items.size()))));
  for (size_t i = 0; i < value->items.size(); ++i) {
    Ref item = constant_object(value->items[i]);
    if (!item) return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.release());
  }
  return tuple;
}

int tuple_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made = made_by(build_tuple);
  made.object = value->cls;
  return exit.add(std::move(made), value->items);
}

}  // namespace

const ValueKind value_tuple = {.name = "tuple",
                               .type = tuple_type,
                               .takes = tuple_takes,
                               .read = tuple_read,
                               .declines_instances = declines_all,
                               .matches_for_good = true,
                               .truth = sequence_truth,
                               .length = sequence_length,
                               .iterate = sequence_iterate,
                               .contains = sequence_contains,
                               .subscript = sequence_subscript,
                               .attribute = tuple_attribute,
                               .call = not_callable,
                               .method = tuple_method,
                               .compare = tuple_compare,
                               .to_python = tuple_to_python,
                               .constant = tuple_constant,
                               .join = sequence_join,
                               .join_one = sequence_join_one,
                               .rebuild = tuple_rebuild};

}  // namespace msjit
