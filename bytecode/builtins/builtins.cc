// Models of Python's builtin functions and types. To add one: write the function, add its row to
// kBuiltinModels. A model sees positional and keyword arguments as CPython's vectorcall passes
// them.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/iterators.h"
#include "guards/py/abstract.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

SymRef boolean(bool value) { return sym_bool(value); }

bool unsupported(Executor& x, const char* name) {
  return x.fail(BreakReason::kCallUnknown, fmt::format("builtin {} with these arguments", name));
}

bool model_len(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return unsupported(x, "len");
  return x.length(args[0], out);
}

// The __class__ that an instance gives, where its class reads attributes in a way of its own; null:
// it raises AttributeError.
bool told_class(Executor& x, const SymRef& value, PyTypeObject** out) {
  static PyObject* const name = special_name("__class__");
  SymRef told;
  if (value->kind != SymKind::kObject) return unsupported(x, "isinstance");
  {
    const Executor::Catching catching(x);
    if (!x.get_attr(value, name, &told)) told = nullptr;
  }
  if (!told) return x.take_raised(PyExc_AttributeError) ? (*out = nullptr, true) : x.raise_on();
  if (!x.look(told)) return false;
  if (told->kind != SymKind::kConst || !PyType_Check(told->object.get()))
    return unsupported(x, "isinstance");
  *out = reinterpret_cast<PyTypeObject*>(told->object.get());
  return true;
}

// isinstance() of an abstract class, from the answers that it remembers. Where it remembers none
// the region ends, and the interpreter runs the test.
bool abstract_instance(Executor& x, const SymRef& value, PyTypeObject* cls, bool* out) {
  PyTypeObject *const meta = Py_TYPE(cls), *const type = type_of(*value);
  PyTypeObject* told = type;
  if (meta != abstract_metaclass() || !x.heap().guard_class_version(meta))
    return unsupported(x, "isinstance");
  if (!tells_its_class(type) && !told_class(x, value, &told)) return false;
  if (told != type) return unsupported(x, "isinstance");
  const Remembered known = remembered_subclass(reinterpret_cast<PyObject*>(cls), type);
  if (known == Remembered::kNothing)
    return x.fail_for_now(BreakReason::kCallUnknown, "the first isinstance() of this kind");
  if (known == Remembered::kNo) x.heap().guard_registrations();
  return *out = known == Remembered::kYes, true;
}

bool instance_of(Executor& x, const SymRef& value, PyTypeObject* cls, bool* out) {
  PyTypeObject* type = type_of(*value);
  if (!type) return unsupported(x, "isinstance");
  // A metaclass may redefine the test.
  if (!has_plain_metaclass(reinterpret_cast<PyObject*>(cls))) {
    if (type == cls) return *out = true, true;
    static PyObject* const check = special_name("__instancecheck__");
    if (host::find_on_class(Py_TYPE(cls), check) != host::find_on_class(&PyType_Type, check))
      return abstract_instance(x, value, cls, out);
  }
  *out = PyType_IsSubtype(type, cls);
  if (*out || tells_its_class(type)) return true;
  PyTypeObject* told = nullptr;
  return told_class(x, value, &told) && (*out = told && PyType_IsSubtype(told, cls), true);
}

// Whether a number that cannot be looked at has an exact builtin class.
bool is_number_of_class(const Executor& x, const SymRef& value) {
  const bool deferred = value->kind == SymKind::kScalar || value->kind == SymKind::kComputed;
  PyTypeObject* const type = deferred && !x.strict() ? type_of(*value) : nullptr;
  return type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type;
}

bool any_instance_of(Executor& x, const SymRef& value, const SymRef& classes, bool* out) {
  if ((!is_number_of_class(x, value) && !x.look_number(value)) || !x.look(classes)) return false;
  const bool list = classes->kind == SymKind::kList;
  if (const std::vector<SymRef>* items = list ? nullptr : x.heap().items(classes)) {
    for (const SymRef& cls : std::vector<SymRef>(*items)) {
      if (!any_instance_of(x, value, cls, out)) return false;
      if (*out) return true;
    }
    return *out = false, true;
  }
  if (classes->kind != SymKind::kConst || !PyType_Check(classes->object.get()))
    return unsupported(x, "isinstance");
  return instance_of(x, value, reinterpret_cast<PyTypeObject*>(classes->object.get()), out);
}

bool model_isinstance(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool result = false;
  if (names || args.size() != 2) return unsupported(x, "isinstance");
  if (!any_instance_of(x, args[0], args[1], &result)) return false;
  *out = boolean(result);
  return true;
}

bool model_type(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return x.fail(BreakReason::kMakeClass);
  if (!is_number_of_class(x, args[0]) && !x.look_open(args[0])) return false;
  PyObject* type = reinterpret_cast<PyObject*>(type_of(*args[0]));
  if (!type) return unsupported(x, "type");
  *out = x.heap().from_constant(Ref::share(type), reinterpret_cast<PyTypeObject*>(type)->tp_name);
  return true;
}

bool model_getattr(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() < 2 || args.size() > 3 || !x.look(args[1]))
    return unsupported(x, "getattr");
  if (args[1]->kind != SymKind::kConst || !PyUnicode_CheckExact(args[1]->object.get()))
    return unsupported(x, "getattr");
  if (args.size() == 2) return x.get_attr(args[0], args[1]->object.get(), out);
  {
    const Executor::Catching catching(x);
    if (x.get_attr(args[0], args[1]->object.get(), out)) return true;
  }
  if (!x.take_raised(PyExc_AttributeError)) return x.raise_on();
  *out = args[2];
  return true;
}

bool model_sequence(Executor& x, Args args, PyObject* names, SymKind kind, SymRef* out) {
  std::vector<SymRef> items;
  if (names || args.size() > 1) return unsupported(x, kind == SymKind::kList ? "list" : "tuple");
  if (args.size() == 1 && !x.look(args[0])) return false;
  if (args.size() == 1 && kind == SymKind::kTuple && args[0]->kind == SymKind::kTuple &&
      !args[0]->cls) {
    *out = args[0];  // tuple(t) is t
    return true;
  }
  if (args.size() == 1 && !x.unpack(args[0], &items)) return false;
  *out = make_items(kind, std::move(items));
  return true;
}
bool model_list(Executor& x, Args a, PyObject* n, SymRef* out) {
  return model_sequence(x, a, n, SymKind::kList, out);
}
bool model_tuple(Executor& x, Args a, PyObject* n, SymRef* out) {
  return model_sequence(x, a, n, SymKind::kTuple, out);
}

bool model_dict(Executor& x, Args args, PyObject* names, SymRef* out) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t positional = args.size() - keywords;
  SymRef dict = make_sym(SymKind::kDict);
  if (positional > 1) return unsupported(x, "dict");
  if (positional == 1 && !dict_put_all(x, dict, args[0])) return false;
  for (size_t k = 0; k < keywords; ++k)
    x.heap().dict_set(dict,
                      make_const(Ref::share(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k)))),
                      args[positional + k]);
  dict->changed = false;
  *out = std::move(dict);
  return true;
}

bool model_zip(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names) return unsupported(x, "zip");
  std::vector<SymRef> children(args.size());
  for (size_t i = 0; i < args.size(); ++i)
    if (!x.iterate(args[i], &children[i])) return false;
  *out = x.new_iterator(iter_zip, std::move(children));
  return true;
}

bool model_enumerate(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t start = 0;
  Keywords given(args, names);
  SymRef first = given.take("start");
  if (!first && given.positional.size() == 2) first = given.positional[1];
  if (!given.empty() || args.size() != (first ? 2 : 1) || given.positional.empty())
    return unsupported(x, "enumerate");
  if (first && (!x.look(first) || first->kind != SymKind::kConst ||
                !PyLong_CheckExact(first->object.get()) || !to_int(x, first, &start)))
    return unsupported(x, "enumerate");
  SymRef child;
  if (!x.iterate(args[0], &child)) return false;
  *out = x.new_iterator(iter_enumerate, {std::move(child)}, start);
  return true;
}

// The range in reverse order.
Ref backwards(PyObject* range) {
  const Ref step = allocated(Ref::steal(PyLong_FromLong(-1)));
  const Ref slice = Ref::steal(PySlice_New(nullptr, nullptr, step.get()));
  return slice ? Ref::steal(host::call(host::values, PyObject_GetItem, range, slice.get())) : Ref();
}

bool model_reversed(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1 || !x.look(args[0])) return unsupported(x, "reversed");
  if (args[0]->kind == SymKind::kIterator) return x.reverse_turns(args[0], out);
  if (args[0]->kind == SymKind::kConst && PyRange_Check(args[0]->object.get())) {
    *out = x.new_iterator(iter_constant, {});  // CPython's is an iterator over a range, too
    (*out)->iterator->object = backwards(args[0]->object.get());
    return (*out)->iterator->object ? true : x.raise_python("reversed()");
  }
  const bool rows = args[0]->is_tensor() && args[0]->tensor.rank() > 0;
  if (rows || (args[0]->kind == SymKind::kConst && PyUnicode_CheckExact(args[0]->object.get()))) {
    std::vector<SymRef> items;
    if (!x.unpack(args[0], &items)) return false;
    std::reverse(items.begin(), items.end());
    *out = x.new_iterator(iter_computed, {make_items(SymKind::kTuple, std::move(items))});
    return true;
  }
  if (args[0]->is_tensor() || !x.heap().items(args[0])) return unsupported(x, "reversed");
  *out = x.new_iterator(iter_reversed, {args[0]});
  (*out)->iterator->count = static_cast<int64_t>(x.heap().items(args[0])->size());
  return true;
}

bool model_iter(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return unsupported(x, "iter");
  if (!x.iterate(args[0], out)) return false;
  // A row iterator over a tensor could only leave the region as an iterator over the tensor, so
  // this one may not leave.
  if (args[0]->is_tensor()) (*out)->iterator->kind = &iter_computed;
  return true;
}

bool model_next(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool done = false;
  if (names || args.empty() || args.size() > 2 || !x.look(args[0])) return unsupported(x, "next");
  if (!is_iterator(args[0]) || (args[0]->iterator && args[0]->iterator->kind == &iter_dict_view))
    return unsupported(x, "next");
  if (!x.next(args[0], out, &done)) return false;
  if (!done) return true;
  if (args.size() == 1) return x.raise_new(PyExc_StopIteration, {}, "next()");
  *out = args[1];
  return true;
}

bool model_callable(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1 || !x.look(args[0])) return unsupported(x, "callable");
  const SymRef& value = args[0];
  if (value->kind == SymKind::kFunction || value->kind == SymKind::kMethod)
    return *out = boolean(true), true;
  if (value->cls) return *out = boolean(type_of(*value)->tp_call != nullptr), true;
  if (value->object) return *out = boolean(PyCallable_Check(value->object.get())), true;
  *out = boolean(false);
  return true;
}

// id(): only of an object that is the same one in the next call.
bool model_id(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return unsupported(x, "id");
  if (!x.look(args[0])) return false;
  if (!x.heap().pin(args[0])) return unsupported(x, "id");
  *out = make_const(Ref::steal(PyLong_FromVoidPtr(args[0]->object.get())));
  return true;
}

bool model_super(Executor& x, Args args, PyObject* names, SymRef* out) {
  SymRef cls, self;
  if (names || args.size() == 1 || args.size() > 2) return unsupported(x, "super");
  if (args.size() == 2) {
    cls = args[0], self = args[1];
  } else {
    SymFrame& frame = x.current();
    const DecodedCode& code = *frame.code;
    self = x.slot(frame, 0);
    for (int i = 0; i < code.slot_count(); ++i) {
      const char* name = utf8_text(code.slot_name(i).get());
      if (code.slot_kind(i) != SlotKind::kFree || std::strcmp(name, "__class__") != 0) continue;
      SymRef cell = x.slot(frame, i);
      if (!x.look(cell)) return false;
      cls = x.heap().cell_contents(cell);
    }
    if (self && self->kind == SymKind::kCell) self = x.heap().cell_contents(self);
  }
  if (!cls || !self || !x.look(cls) || !x.look(self)) return unsupported(x, "super");
  if (cls->kind != SymKind::kConst || !PyType_Check(cls->object.get()))
    return unsupported(x, "super");
  const bool of_class = self->kind == SymKind::kConst && PyType_Check(self->object.get());
  PyTypeObject* type =
      of_class ? reinterpret_cast<PyTypeObject*>(self->object.get()) : type_of(*self);
  if ((!of_class && self->kind != SymKind::kObject) ||
      !PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(cls->object.get())))
    return unsupported(x, "super");
  *out = make_items(SymKind::kSuper, {cls, self});
  return true;
}

// pow(a, b) with a tensor or NumPy scalar among them is a ** b.
bool model_pow(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!names && args.size() == 2) {
    if (!x.look_number(args[0]) || !x.look_number(args[1])) return false;
    if (args[0]->is_tensor() || args[1]->is_tensor() || is_numpy_scalar(args[0]) ||
        is_numpy_scalar(args[1]))
      return x.binary(args[0], args[1], BinaryOp::kPower, false, out);
  }
  return call_pure(x, modelled(model_pow), "pow", args, names, out);
}

// round() of a tensor calls its __round__.
bool model_round(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!names && !args.empty() && args.size() <= 2 && !is_shown_later(x, args[0])) {
    if (!x.look_number(args[0])) return false;
    SymRef method;
    if (args[0]->is_tensor())
      return x.get_attr(args[0], special_name("__round__"), &method) &&
             x.call(method, {args.begin() + 1, args.end()}, nullptr, out);
  }
  return call_pure(x, modelled(model_round), "round", args, names, out);
}

const ModelRow kBuiltinModels[] = {
    {"len", model_len},
    {"isinstance", model_isinstance},
    {"type", model_type},
    {"getattr", model_getattr},
    {"list", model_list},
    {"tuple", model_tuple},
    {"dict", model_dict},
    {"zip", model_zip},
    {"iter", model_iter},
    {"enumerate", model_enumerate},
    {"reversed", model_reversed},
    {"next", model_next},
    {"callable", model_callable},
    {"super", model_super},
    {"id", model_id},
    {"pow", model_pow},
    {"round", model_round},
};
const char* const kPureBuiltins[] = {"int", "float", "str",    "range",   "divmod", "ord",
                                     "chr", "repr",  "hash",   "slice",   "ascii",  "bin",
                                     "hex", "oct",   "format", "complex", "bytes"};

}  // namespace

const ModelTable models_builtins = {"builtins", kBuiltinModels, kPureBuiltins};

bool Executor::length(const SymRef& value, SymRef* out) {
  const ValueKind& unread = kind_of(value);
  if (!(unread.asked_unread && unread.length) && !look(value)) return false;
  const auto count = kind_of(value).length;
  return count ? count(*this, value, out)
               : fail(BreakReason::kCallUnknown, "len() of " + describe(*value));
}

bool Executor::length(const SymRef& value, int64_t* out) {
  SymRef size;
  if (!length(value, &size) || !look(size)) return false;
  return to_int(*this, size, out) || fail(BreakReason::kInternal, "a length that is no int");
}

}  // namespace msjit
