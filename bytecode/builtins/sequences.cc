// Builtins over several values (order, selection, lazy maps and filters), and builtins of one value
// that is more than a number.
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/size.h"
#include "guards/py/host_call.h"
#include "kernels/core/registry.h"

namespace msjit {

namespace {

// While CPython sorts, values that have no Python object yet are represented by stand-ins, which
// are compared symbolically.
struct Sorting {
  Executor& x;
  std::vector<SymRef> values;
  bool failed = false;
  static inline Sorting* current = nullptr;  // protected by the GIL
};

struct StandIn {
  PyObject_HEAD Py_ssize_t index;
};
PyObject* compare_stand_ins(PyObject* a, PyObject* b, int op);

PyTypeObject* stand_in_type() {
  // Without the guard of a static initialiser: a collection may let other threads run.
  static PyTypeObject* type = nullptr;
  static PyType_Slot slots[] = {{Py_tp_richcompare, reinterpret_cast<void*>(compare_stand_ins)},
                                {0, nullptr}};
  static PyType_Spec spec = {"msjit.StandIn", sizeof(StandIn), 0, Py_TPFLAGS_DEFAULT, slots};
  if (!type) type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

SymRef sym_of(PyObject* object) {
  if (Py_TYPE(object) != stand_in_type()) return make_const(Ref::share(object));
  return Sorting::current->values[static_cast<size_t>(reinterpret_cast<StandIn*>(object)->index)];
}

PyObject* compare_stand_ins(PyObject* a, PyObject* b, int op) {
  Sorting& sorting = *Sorting::current;
  SymRef answer;
  bool truth = false;
  if (sorting.failed || !sorting.x.compare(sym_of(a), sym_of(b), op, &answer) ||
      !sorting.x.truth(answer, &truth)) {
    sorting.failed = true;
    PyErr_SetString(PyExc_RuntimeError, "[sort] comparison that cannot be captured");
    return nullptr;
  }
  return Ref::share(truth ? Py_True : Py_False).release();
}

Ref sort_key(Sorting& sorting, const SymRef& value) {
  if (Ref known = to_python(sorting.x, value)) return known;
  if (value->kind == SymKind::kTuple && !value->cls) {
    Ref tuple = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(value->items.size()))));
    for (size_t i = 0; i < value->items.size(); ++i) {
      Ref part = sort_key(sorting, value->items[i]);
      if (!part) return {};
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), part.release());
    }
    return tuple;
  }
  Ref made = Ref::steal(stand_in_type()->tp_alloc(stand_in_type(), 0));
  if (!made) return {};
  reinterpret_cast<StandIn*>(made.get())->index = static_cast<Py_ssize_t>(sorting.values.size());
  sorting.values.push_back(value);
  return made;
}

// Calls `function` with `args`; stand-ins among them refer to `sorting`.
Ref call_sorting(Sorting& sorting, PyObject* function, PyObject* args, PyObject* keywords) {
  Sorting* const outer = std::exchange(Sorting::current, &sorting);
  Ref result = Ref::steal(host::call(host::checked, PyObject_Call, function, args, keywords));
  Sorting::current = outer;
  return result;
}

}  // namespace

bool sort_items(Executor& x, std::vector<SymRef>* items, const SymRef& key, bool reverse) {
  const Py_ssize_t size = static_cast<Py_ssize_t>(items->size());
  Ref keys = allocated(Ref::steal(PyList_New(0))), order = allocated(Ref::steal(PyList_New(0)));
  Sorting sorting{x, {}};
  for (Py_ssize_t i = 0; i < size; ++i) {
    SymRef value = (*items)[static_cast<size_t>(i)];
    if (key && !key->is_const(Py_None) && !x.call(key, {value}, nullptr, &value)) return false;
    if (size == 1) return true;  // nothing is compared
    if (!x.look(value)) return false;
    Ref known = sort_key(sorting, value);
    if (!known) return PyErr_Clear(), x.fail(BreakReason::kInternal, "no memory");
    if (PyList_Append(keys.get(), known.get()) < 0 ||
        PyList_Append(order.get(), allocated(Ref::steal(PyLong_FromSsize_t(i))).get()) < 0)
      return x.raise_python("sorting");
  }
  // CPython itself sorts, so that the same comparisons are made in the same order.
  Ref sort =
      allocated(Ref::steal(host::call(host::checked, PyObject_GetAttrString, order.get(), "sort")));
  Ref none = allocated(Ref::steal(PyTuple_New(0))), options = allocated(Ref::steal(PyDict_New()));
  Ref pick = allocated(
      Ref::steal(host::call(host::checked, PyObject_GetAttrString, keys.get(), "__getitem__")));
  if (host::call(host::checked, PyDict_SetItemString, options.get(), "key", pick.get()) < 0 ||
      host::call(host::checked, PyDict_SetItemString, options.get(), "reverse",
                 reverse ? Py_True : Py_False) < 0)
    return x.raise_python("sorting");
  if (!call_sorting(sorting, sort.get(), none.get(), options.get())) {
    PyErr_Clear();
    return sorting.failed ? x.raise_ends() : x.fail(BreakReason::kRaises, "sorting");
  }
  std::vector<SymRef> sorted;
  for (Py_ssize_t i = 0; i < size; ++i)
    sorted.push_back((*items)[PyLong_AsSize_t(PyList_GET_ITEM(order.get(), i))]);
  *items = std::move(sorted);
  return true;
}

bool sort_direction(Executor& x, const SymRef& reverse, bool* out) {
  int64_t value = 0;
  if (reverse && !to_int(x, reverse, &value)) return wrong_arguments(x, "reverse of a sort");
  *out = value != 0;
  return true;
}

namespace {

bool model_sorted(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords keywords(args, names);
  const SymRef key = keywords.take("key"), reverse = keywords.take("reverse");
  bool backwards = false;
  std::vector<SymRef> items;
  if (!keywords.empty() || keywords.positional.size() != 1) return wrong_arguments(x, "sorted");
  if (!sort_direction(x, reverse, &backwards)) return false;
  if (!x.unpack(args[0], &items) || !sort_items(x, &items, key, backwards)) return false;
  *out = make_items(SymKind::kList, std::move(items));
  return true;
}

// The minimum or maximum of sizes as an expression; null when an item is no size.
SymRef extreme_size(Executor& x, const std::vector<SymRef>& items, SizeOp op) {
  bool open = false;
  for (const SymRef& item : items) {
    if (!x.heap().realize_open(item) || !Sizes::expr(item)) return nullptr;
    open |= item->kind == SymKind::kSize;
  }
  SymRef best = open ? items[0] : nullptr;
  for (size_t i = 1; best && i < items.size(); ++i) best = x.sizes().binary(op, best, items[i]);
  return best;
}

// The same of floats, two at a time.
bool extreme_number(Executor& x, PyObject* function, const char* name,
                    const std::vector<SymRef>& items, SymRef* out, bool* known) {
  const auto is_float = [](const SymRef& item) {
    return (item->kind == SymKind::kLazy || item->kind == SymKind::kConst ||
            item->kind == SymKind::kNumber) &&
           item->object && PyFloat_CheckExact(item->object.get());
  };
  if (items.size() < 2 || !std::ranges::all_of(items, is_float)) return true;
  SymRef best = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    *known = false;
    if (!open_call(x, function, name, {best, items[i]}, &best, known)) return false;
    if (!*known) return true;
  }
  *out = best;
  return true;
}

bool model_min(Executor& x, Args args, PyObject* names, SymRef* out);
bool model_max(Executor& x, Args args, PyObject* names, SymRef* out);

// min() and max(): the first of the best items.
bool extreme(Executor& x, Args args, PyObject* names, int op, const char* name, SymRef* out) {
  Keywords keywords(args, names);
  const SymRef key = keywords.take("key"), fallback = keywords.take("default");
  std::vector<SymRef> items = keywords.positional;
  if (!keywords.empty() || items.empty()) return wrong_arguments(x, name);
  if (items.size() == 1) {
    const SymRef from = items[0];
    items.clear();
    if (!x.unpack(from, &items)) return false;
  } else if (fallback) {
    return wrong_arguments(x, name);
  }
  if (items.empty() && !fallback) return x.fail(BreakReason::kRaises, name);
  if (!key && (*out = extreme_size(x, items, op == Py_LT ? SizeOp::kMin : SizeOp::kMax)))
    return true;
  bool known = false;
  PyObject* const function = modelled(op == Py_LT ? model_min : model_max);
  if (!key && !computed_call(x, function, name, items, nullptr, out, &known)) return false;
  if (!key && !known && !extreme_number(x, function, name, items, out, &known)) return false;
  if (known) return true;
  *out = items.empty() ? fallback : items[0];
  SymRef best;
  for (const SymRef& item : items) {
    SymRef value = item, better;
    if (key && !key->is_const(Py_None) && !x.call(key, {item}, nullptr, &value)) return false;
    bool wins = !best;
    if (best && !x.compare(value, best, op, &better)) return false;
    if (best && better->is_tensor() && value == item && best == *out) {
      if (!choose_tensor(x, better, best, value, &best)) return false;
      *out = best;
      continue;
    }
    if (best && !x.truth(better, &wins)) return false;
    if (!wins) continue;
    best = value;
    *out = item;
  }
  return true;
}
bool model_min(Executor& x, Args args, PyObject* names, SymRef* out) {
  return extreme(x, args, names, Py_LT, "min", out);
}
bool model_max(Executor& x, Args args, PyObject* names, SymRef* out) {
  return extreme(x, args, names, Py_GT, "max", out);
}

bool model_abs(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool known = false;
  if (!computed_call(x, modelled(model_abs), "abs", args, names, out, &known)) return false;
  if (!known && !names && !open_call(x, modelled(model_abs), "abs", args, out, &known))
    return false;
  if (known) return true;
  if (!positional(x, "abs", args, names, 1, 1) || !x.look(args[0])) return false;
  if (args[0]->is_tensor())
    return x.apply(*find_op("abs"), std::span(&args[0]->tensor, 1), {}, out);
  if (is_numpy_scalar(args[0])) return numpy_absolute(x, args[0], out);
  Ref value = to_python(x, args[0]);
  return value
             ? fold_result(x, Ref::steal(host::call(host::values, PyNumber_Absolute, value.get())),
                           "abs", out)
             : wrong_arguments(x, "abs");
}

bool model_bool(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool truth = false;
  if (!positional(x, "bool", args, names, 0, 1)) return false;
  if (args.size() == 1) {
    if (!x.look_open(args[0])) return false;
    if (args[0]->is_tensor()) return number_of_tensor(x, args[0], &PyBool_Type, out);
    if (!x.truth(args[0], &truth)) return false;
  }
  *out = sym_bool(truth);
  return true;
}

bool model_setattr(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "setattr", args, names, 3, 3) || !x.look(args[1])) return false;
  if (args[1]->kind != SymKind::kConst || !PyUnicode_CheckExact(args[1]->object.get()))
    return wrong_arguments(x, "setattr");
  *out = sym_none();
  return x.set_attr(args[0], args[1]->object.get(), args[2]);
}

bool model_hasattr(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "hasattr", args, names, 2, 2) || !x.look(args[1])) return false;
  if (args[1]->kind != SymKind::kConst || !PyUnicode_CheckExact(args[1]->object.get()))
    return wrong_arguments(x, "hasattr");
  {
    const Executor::Catching catching(x);
    SymRef ignored;
    if (x.get_attr(args[0], args[1]->object.get(), &ignored)) return *out = sym_bool(true), true;
  }
  if (!x.take_raised(PyExc_AttributeError)) return x.raise_on();
  *out = sym_bool(false);
  return true;
}

bool model_issubclass(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "issubclass", args, names, 2, 2)) return false;
  std::vector<SymRef> classes = {args[1]};
  if (!x.look(args[0]) || !x.look(args[1])) return false;
  const bool list = args[1]->kind == SymKind::kList;
  const std::vector<SymRef>* several = list ? nullptr : x.heap().items(args[1]);
  if (several) classes = *several;
  bool result = false;
  for (const SymRef& cls : classes) {
    if (!x.look(cls)) return false;
    for (const SymRef& part : {args[0], cls})
      if (part->kind != SymKind::kConst || !PyType_Check(part->object.get()) ||
          !has_plain_metaclass(part->object.get()))
        return wrong_arguments(x, "issubclass");
    auto* type = reinterpret_cast<PyTypeObject*>(args[0]->object.get());
    // A class may get other bases.
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !x.heap().guard_class_version(type))
      return wrong_arguments(x, "issubclass");
    result = result || PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(cls->object.get()));
  }
  *out = sym_bool(result);
  return true;
}

// Makes an iterator whose children are the callable and an iterator over each of the other
// arguments.
bool lazy(Executor& x, Args args, PyObject* names, const IterKind& kind, size_t max,
          const char* name, SymRef* out) {
  if (!positional(x, name, args, names, 2, max) || !x.look(args[0])) return false;
  std::vector<SymRef> children = {args[0]};
  for (size_t i = 1; i < args.size(); ++i) {
    children.emplace_back();
    if (!x.iterate(args[i], &children.back())) return false;
  }
  *out = x.new_iterator(kind, std::move(children));
  return true;
}
bool model_map(Executor& x, Args args, PyObject* names, SymRef* out) {
  return lazy(x, args, names, iter_map, 64, "map", out);
}
bool model_filter(Executor& x, Args args, PyObject* names, SymRef* out) {
  return lazy(x, args, names, iter_filter, 2, "filter", out);
}

const ModelRow kSequenceModels[] = {
    {"sorted", model_sorted},   {"min", model_min},
    {"max", model_max},         {"abs", model_abs},
    {"bool", model_bool},       {"setattr", model_setattr},
    {"hasattr", model_hasattr}, {"map", model_map},
    {"filter", model_filter},   {"issubclass", model_issubclass},
};

}  // namespace

const ModelTable models_sequences = {"builtins", kSequenceModels, {}};

}  // namespace msjit
