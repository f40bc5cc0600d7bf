// Instances of user classes. Methods of the class written in Python are called; otherwise
// `object`'s behaviour applies.
#include <fmt/core.h>
#include <structmember.h>

#include "bytecode/attribute.h"
#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/exit.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/instance.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/program_arrays.h"
#include "bytecode/values/build.h"
#include "bytecode/values/cached_function.h"
#include "bytecode/values/getter.h"
#include "bytecode/values/value_kind.h"
#include "guards/last_reference.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

std::string object_describe(const SymValue& value) {
  return fmt::format("{} object", type_of(value)->tp_name);
}
PyTypeObject* object_type(const SymValue& value) { return Py_TYPE(value.object.get()); }

bool object_read(Heap& heap, const SymRef& value) { return heap.read_instance(value); }

bool object_truth(Executor& x, const SymRef& value, bool* out) {
  const SymRef plain = plain_value(x, value);
  return plain != value ? x.truth(plain, out) : instance_truth(x, value, out);
}

bool object_length(Executor& x, const SymRef& value, SymRef* out) {
  int64_t size = -1;
  SymRef answer;
  if (is_program_array(*value)) return program_array_length(x, value, out);
  if (!has_special(value, "__len__"))
    return x.fail(BreakReason::kCallUnknown, "len() of " + describe(*value));
  if (!call_special(x, value, "__len__", {}, &answer) || !x.look(answer)) return false;
  if (!to_int(x, answer, &size) || size < 0) return x.fail(BreakReason::kRaises, "__len__");
  return *out = sym_int(size), true;
}

bool object_contains(Executor& x, const SymRef& container, const SymRef& item, bool* out) {
  SymRef answer;
  if (!has_special(container, "__contains__"))
    return x.fail(BreakReason::kUnsupported, "'in' on " + describe(*container));
  return call_special(x, container, "__contains__", {item}, &answer) && x.truth(answer, out);
}

bool object_iterate(Executor& x, const SymRef& value, SymRef* out) {
  return is_program_array(*value) ? program_array_iterate(x, value, out)
                                  : instance_iter(x, value, out);
}

bool object_subscript(Executor& x, const SymRef& container, const SymRef& key, SymRef* out) {
  if (is_program_array(*container)) return program_array_subscript(x, container, key, out);
  return x.look_fixed(key) && call_special(x, container, "__getitem__", {key}, out);
}

bool object_set_item(Executor& x, const SymRef& container, const SymRef& key, const SymRef& value) {
  const char* const name = value ? "__setitem__" : "__delitem__";
  std::vector<SymRef> args = {key};
  SymRef ignored;
  if (value) args.push_back(value);
  return has_special(container, name)
             ? call_special(x, container, name, std::move(args), &ignored)
             : x.fail(BreakReason::kMutation, "an item of " + describe(*container));
}

// Whether attribute reads of a class follow object.__getattribute__. A __getattr__ as fallback is
// allowed.
bool is_generic_getattr(PyTypeObject* type) {
  if (type->tp_getattro == PyObject_GenericGetAttr) return true;
  PyObject* const found = host::find_on_class(type, special_name("__getattribute__"));
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && found &&
         Py_TYPE(found) == &PyWrapperDescr_Type &&
         reinterpret_cast<PyWrapperDescrObject*>(found)->d_wrapped ==
             reinterpret_cast<void*>(PyObject_GenericGetAttr);
}

// Reads an attribute. If object.__getattribute__ raises AttributeError, __getattr__ answers.
bool object_attribute(Executor& x, const SymRef& self, PyObject* name, SymRef* out) {
  bool known = false;
  if (is_program_array(*self) && !program_array_attribute(x, self, name, out, &known)) return false;
  if (known) return true;
  if (!is_generic_getattr(type_of(*self))) {
    if (!has_special(self, "__getattribute__") || find_special(self, "__getattr__"))
      return x.fail(BreakReason::kAttribute, utf8_text(name));
    return call_special(x, self, "__getattribute__", {make_const(Ref::share(name))}, out);
  }
  if (!has_special(self, "__getattr__")) return generic_get_attr(x, self, name, out);
  {
    const Executor::Catching catching(x);
    if (generic_get_attr(x, self, name, out)) return true;
  }
  if (!x.take_raised(PyExc_AttributeError)) return x.raise_on();
  return call_special(x, self, "__getattr__", {make_const(Ref::share(name))}, out);
}

// An instance is called through its class's __call__.
bool object_call(Executor& x, const SymRef& callable, std::vector<SymRef> args, PyObject* names,
                 SymRef* out) {
  if (!may_use(x, callable)) return false;
  bool known = false;
  if (!call_numpy_object(x, callable, args, names, out, &known)) return false;
  if (known) return true;
  if (!call_cached(x, callable, args, names, out, &known)) return false;
  if (known) return true;
  if (!call_getter(x, callable, args, names, out, &known)) return false;
  if (known) return true;
  if (is_partial(callable)) return call_partial(x, callable, std::move(args), names, out);
  if (!has_special(callable, "__call__"))
    return x.fail(BreakReason::kCallUnknown, describe(*callable));
  SymRef function = x.heap().from_constant(Ref::share(find_special(callable, "__call__")),
                                           fmt::format("{}.__call__", type_of(*callable)->tp_name));
  args.insert(args.begin(), callable);
  return x.call(function, std::move(args), names, out);
}

// Makes an instance of a class derived from `object`, dict or OrderedDict, by the __new__ of that
// base.
Ref build_instance(const Recipe& recipe, const Objects&) {
  auto* cls = reinterpret_cast<PyTypeObject*>(recipe.object.get());
  PyTypeObject* base = cls;
  while (base->tp_flags & Py_TPFLAGS_HEAPTYPE) base = base->tp_base;
  Ref none = Ref::steal(PyTuple_New(0));
  return none ? Ref::steal(host::call(host::checked, base->tp_new, cls, none.get(), nullptr))
              : Ref();
}

Ref build_partial(const Recipe& recipe, const Objects& objects) {
  const Ref function = Ref::steal(PyTuple_Pack(1, argument(recipe, objects, 0)));
  const Ref all = function ? Ref::steal(host::call(host::program, PySequence_Concat, function.get(),
                                                   argument(recipe, objects, 1)))
                           : Ref();
  return all ? Ref::steal(host::call(host::program, PyObject_Call, recipe.object.get(), all.get(),
                                     argument(recipe, objects, 2)))
             : Ref();
}

// The object that PyObject_GenericSetAttr would replace under a name.
PyObject* held_attribute(PyObject* object, PyObject* name) {
  if (PyObject* item = instance_item(object, name, host::call(host::values, PyObject_Hash, name)))
    return item;
  PyObject* const found = host::find_on_class(Py_TYPE(object), name);
  if (!found || Py_TYPE(found) != &PyMemberDescr_Type) return nullptr;
  const PyMemberDef* member = reinterpret_cast<PyMemberDescrObject*>(found)->d_member;
  const bool holds = member->type == T_OBJECT || member->type == T_OBJECT_EX;
  return holds ? object_at(object, static_cast<int>(member->offset)) : nullptr;
}

void drop_attribute(PyObject* object, const Effect& effect, Departure* departure) {
  departure->drop(held_attribute(object, effect.name.get()));
}

bool store_attribute(PyObject* object, const Effect& effect, const Objects& objects) {
  return host::call(host::program, PyObject_GenericSetAttr, object, effect.name.get(),
                    objects[effect.values[0]].get()) == 0;
}

bool delete_attribute(PyObject* object, const Effect& effect, const Objects&) {
  if (host::call(host::program, PyObject_GenericSetAttr, object, effect.name.get(), nullptr) == 0)
    return true;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
  PyErr_Clear();  // it was set and deleted inside the region
  return true;
}

constexpr EffectKind effect_delete_attribute = {.apply = delete_attribute, .drops = drop_attribute};

bool look_at_operands(Executor& x, const SymRef& a, const SymRef& b) {
  return (a->is_tensor() || x.look(a)) && (b->is_tensor() || x.look(b));
}

bool object_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                   SymRef* out, bool* known) {
  SymRef p, q;
  if (!look_at_operands(x, a, b)) return false;
  *known = true;
  return plain_pair(x, a, b, op, &p, &q) ? x.binary(p, q, op, in_place, out)
                                         : instance_binary(x, a, b, op, in_place, out);
}

bool object_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                    bool* known) {
  SymRef p, q;
  if (!look_at_operands(x, a, b)) return false;
  *known = true;
  return plain_pair(x, a, b, {}, &p, &q) ? x.compare(p, q, op, out)
                                         : instance_compare(x, a, b, op, out);
}

bool object_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  *known = true;
  const char* const names[] = {"__pos__", "__neg__", "", "__invert__"};
  const SymRef plain = plain_value(x, value, op == UnaryOp::kInvert);
  return plain != value ? x.unary(plain, op, out)
                        : call_special(x, value, names[static_cast<int>(op)], {}, out);
}

// Builds the object first. Its attributes are effects, so that objects may refer to one another.
int object_rebuild(ExitBuilder& exit, const SymRef& value) {
  PyTypeObject* type = type_of(*value);
  if (is_partial(value)) {
    Recipe made = made_by(build_partial);
    made.object = value->cls;
    std::vector<SymRef> parts;
    for (const auto& [name, part] : value->attributes) parts.push_back(part);
    return exit.add(std::move(made), parts);
  }
  if (is_exception_type(type) || type == &PyTraceBack_Type)
    return exit.fail(is_exception_type(type) ? "an exception" : "a traceback", value->born);
  Recipe made = made_by(build_instance);
  made.object = value->cls;
  return exit.add_instance(value, std::move(made));
}

// The items of an instance of a class derived from dict or list.
bool replay_items(ExitBuilder& exit, const SymRef& value, int target) {
  const SymRef items = value->items.empty() ? SymRef() : value->items[0];
  if (!items) return true;
  const bool container = items->kind == SymKind::kList || items->kind == SymKind::kDict;
  return !container || !items->changed ||
         exit.write({&effect_dict_items, target, {}, {}}, flat_entries(*items));
}

bool object_replay(ExitBuilder& exit, const SymRef& value, int target) {
  if (!replay_cached(exit, value, target)) return false;
  if (!replay_items(exit, value, target)) return false;
  for (const std::string& name : value->written) {
    for (const auto& [attribute, written] : value->attributes) {
      if (attribute != name) continue;
      const bool gone = written->is_null();
      Effect set{
          gone ? &effect_delete_attribute : &effect_set_attribute, target, interned_text(name), {}};
      if (!exit.write(std::move(set), gone ? std::vector<SymRef>() : std::vector<SymRef>{written}))
        return false;
    }
  }
  return true;
}

BuiltinModel object_method(const SymRef& value, const char* name) {
  return generator_method(value, name);
}

}  // namespace

const EffectKind effect_set_attribute = {.apply = store_attribute, .drops = drop_attribute};

const ValueKind value_object = {.describe = object_describe,
                                .type = object_type,
                                .read = object_read,
                                .truth = object_truth,
                                .length = object_length,
                                .iterate = object_iterate,
                                .contains = object_contains,
                                .subscript = object_subscript,
                                .set_item = object_set_item,
                                .attribute = object_attribute,
                                .call = object_call,
                                .method = object_method,
                                .binary = object_binary,
                                .compare = object_compare,
                                .unary = object_unary,
                                .rebuild = object_rebuild,
                                .replay = object_replay};

}  // namespace msjit
