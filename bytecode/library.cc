// Objects of the standard library that captured code uses like objects of its own classes:
// functools.partial, named tuples, members of enumerations.
#include "bytecode/library.h"
#include "guards/py/host_call.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "guards/py/library_type.h"

namespace msjit {
namespace {

PyTypeObject* partial_type() {
  static constinit LibraryType type("functools", "partial");
  return type.get();
}

// The attribute func, args or keywords of a partial object.
SymRef part(Executor& x, const SymRef& partial, const char* name) {
  PyObject* found = find_special(partial, name);
  return found && is_object_member(type_of(*partial), found) ? x.heap().member(partial, found)
                                                             : nullptr;
}

// Merges the arguments of a call through a partial object: its own positional ones come first, and
// keywords of the call override its own.
bool merge(Executor& x, const SymRef& partial, std::vector<SymRef>* args, Ref* names) {
  const SymRef own = part(x, partial, "args"), keywords = part(x, partial, "keywords");
  if (!own || !keywords || !x.look(own) || !x.look(keywords)) return false;
  const std::vector<SymRef>* items = x.heap().items(own);
  if (!items || keywords->kind != SymKind::kDict || !x.heap().dict_all(keywords)) return false;
  const size_t given = *names ? static_cast<size_t>(PyTuple_GET_SIZE(names->get())) : 0;
  std::vector<std::pair<Ref, SymRef>> merged;
  for (const auto& [key, value] : keywords->entries) {
    if (!PyUnicode_CheckExact(key->object.get())) return false;
    merged.emplace_back(key->object, value);
  }
  for (size_t k = 0; k < given; ++k) {
    PyObject* name = PyTuple_GET_ITEM(names->get(), static_cast<Py_ssize_t>(k));
    const SymRef& value = (*args)[args->size() - given + k];
    auto it = merged.begin();
    while (it != merged.end() && PyUnicode_Compare(it->first.get(), name) != 0) ++it;
    if (it == merged.end())
      merged.emplace_back(Ref::share(name), value);
    else
      it->second = value;
  }
  args->resize(args->size() - given);
  args->insert(args->begin(), items->begin(), items->end());
  names->reset();
  if (merged.empty()) return true;
  *names = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(merged.size()))));
  for (size_t k = 0; k < merged.size(); ++k) {
    PyTuple_SET_ITEM(names->get(), static_cast<Py_ssize_t>(k), merged[k].first.release());
    args->push_back(merged[k].second);
  }
  return true;
}

SymRef keyword_dict(const std::vector<SymRef>& args, PyObject* names) {
  SymRef dict = make_sym(SymKind::kDict);
  const Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t k = 0; k < count; ++k)
    dict->entries.emplace_back(make_const(Ref::share(PyTuple_GET_ITEM(names, k))),
                               args[args.size() - static_cast<size_t>(count - k)]);
  return dict;
}

}  // namespace

bool is_partial(const SymRef& value) {
  return value->kind == SymKind::kObject && type_of(*value) == partial_type();
}
bool is_partial_type(PyObject* object) {
  return object == reinterpret_cast<PyObject*>(partial_type());
}

bool call_partial(Executor& x, const SymRef& partial, std::vector<SymRef> args, PyObject* names,
                  SymRef* out) {
  Ref all_names = Ref::share(names);
  const SymRef function = part(x, partial, "func");
  if (!function || !merge(x, partial, &args, &all_names))
    return x.fail(BreakReason::kCallUnknown, describe(*partial));
  return x.call(function, std::move(args), all_names.get(), out);
}

bool make_partial(Executor& x, std::vector<SymRef> args, PyObject* names, SymRef* out) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  if (args.size() <= keywords || !x.look(args[0]))
    return args.size() > keywords ? false : x.fail(BreakReason::kRaises, "partial()");
  const SymRef function = args[0];
  const bool known =
      function->kind == SymKind::kFunction || function->kind == SymKind::kMethod ||
      (function->kind == SymKind::kConst && PyCallable_Check(function->object.get())) ||
      has_special(function, "__call__");
  if (!known)  // a partial of a partial would be merged into one
    return x.fail(BreakReason::kCallUnknown, "partial() of " + describe(*function));
  SymRef made = make_sym(SymKind::kObject);
  made->cls = Ref::share(reinterpret_cast<PyObject*>(partial_type()));
  made->born = x.root_step();
  SymRef own =
      make_items(SymKind::kTuple, {args.begin() + 1, args.end() - static_cast<long>(keywords)});
  made->attributes = {{"func", function}, {"args", own}, {"keywords", keyword_dict(args, names)}};
  *out = std::move(made);
  return true;
}

// --- tuples of a class of their own --------------------------------------------------------------

bool is_plain_tuple_type(PyTypeObject* type) {
  if (!PyType_IsSubtype(type, &PyTuple_Type) || type == &PyTuple_Type || type->tp_dictoffset != 0)
    return false;
  for (const char* name :
       {"__getitem__", "__iter__", "__len__", "__contains__", "__add__", "__radd__", "__mul__",
        "__rmul__", "__bool__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
        "__getattribute__", "__getattr__", "__del__"}) {
    PyObject* text = special_name(name);
    if (host::find_on_class(type, text) != host::find_on_class(&PyTuple_Type, text)) return false;
  }
  return true;
}

bool new_tuple(Executor& x, const SymRef& cls, const std::vector<SymRef>& args, SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  std::vector<SymRef> items;
  if (!is_plain_tuple_type(type) || args.size() > 2 || !x.heap().guard_class_version(type))
    return x.fail(BreakReason::kMakeInstance, type->tp_name);
  if (args.size() == 2 && !x.unpack(args[1], &items)) return false;
  *out = make_items(SymKind::kTuple, std::move(items));
  (*out)->cls = cls->object;
  return true;
}

// The index of the field that a descriptor of a named tuple's class reads; -1 for other
// descriptors.
int tuple_field(PyObject* descriptor) {
  static constinit LibraryType getter("_collections", "_tuplegetter");
  if (Py_TYPE(descriptor) != getter.get()) return -1;
  Ref parts =
      Ref::steal(host::call(host::checked, PyObject_CallMethod, descriptor, "__reduce__", nullptr));
  Ref args = parts && PyTuple_Check(parts.get()) && PyTuple_GET_SIZE(parts.get()) == 2
                 ? Ref::share(PyTuple_GET_ITEM(parts.get(), 1))
                 : Ref();
  const long index = args && PyTuple_Check(args.get()) && PyTuple_GET_SIZE(args.get()) == 2
                         ? PyLong_AsLong(PyTuple_GET_ITEM(args.get(), 0))
                         : -1;
  PyErr_Clear();
  return static_cast<int>(index);
}

// --- regular expressions -------------------------------------------------------------------------

namespace {

// Whether an attribute of a pattern or match is a text. Those of bytes may depend on the locale.
bool holds_text(PyObject* object, const char* name) {
  const Ref held = Ref::steal(host::call(host::checked, PyObject_GetAttrString, object, name));
  if (!held) PyErr_Clear();
  return held && PyUnicode_CheckExact(held.get());
}

}  // namespace

bool is_pattern(PyObject* object) {
  static constinit LibraryType type("re", "Pattern");
  return Py_TYPE(object) == type.get() && holds_text(object, "pattern");
}

bool is_match(PyObject* object) {
  static constinit LibraryType type("re", "Match");
  return Py_TYPE(object) == type.get() && holds_text(object, "string");
}

// --- enumerations --------------------------------------------------------------------------------

namespace {
PyTypeObject* enum_meta() {
  static constinit LibraryType meta("enum", "EnumMeta");
  return meta.get();
}
PyTypeObject* enum_base() {
  static constinit LibraryType base("enum", "Enum");
  return base.get();
}
}  // namespace

bool is_enum_type(PyTypeObject* type) {
  PyTypeObject* const base = enum_base();
  static PyObject* const hash_name = special_name("__hash__");
  return base && Py_TYPE(type) == enum_meta() && PyType_IsSubtype(type, base) &&
         host::find_on_class(type, hash_name) == host::find_on_class(base, hash_name);
}

PyObject* enum_field(PyTypeObject* type, PyObject* found, PyObject* name) {
  const char* const text = utf8_text(name);
  const bool value = text && std::strcmp(text, "value") == 0;
  if (!text || (!value && std::strcmp(text, "name") != 0)) return nullptr;
  if (!is_enum_type(type) || host::find_on_class(enum_base(), name) != found) return nullptr;
  return special_name(value ? "_value_" : "_name_");
}

namespace {

// One of an enumeration's own containers, such as _member_map_; null when there is none.
SymRef enum_part(Executor& x, const SymRef& cls, const char* name) {
  PyTypeObject* const meta = enum_meta();
  PyObject* object = cls->kind == SymKind::kConst ? cls->object.get() : nullptr;
  if (!meta || !object || Py_TYPE(object) != meta) return nullptr;
  auto* type = reinterpret_cast<PyTypeObject*>(object);
  PyObject* found = host::find_on_class(type, special_name(name));
  if (!found || !x.heap().guard_class_version(type) || !x.heap().guard_class_version(meta))
    return nullptr;
  SymRef part =
      x.heap().from_constant(Ref::share(found), fmt::format("{}.{}", type->tp_name, name));
  return x.heap().realize(part) ? part : nullptr;
}

bool is_flag(PyTypeObject* type) {
  static constinit LibraryType flag("enum", "Flag");
  return !flag.get() || PyType_IsSubtype(type, flag.get());
}

bool has_own_new(PyTypeObject* type) {
  PyTypeObject* const base = enum_base();
  if (Py_TYPE(type) != enum_meta()) return true;  // another metaclass may answer in Python
  const auto find = [](PyTypeObject* of) {
    return Ref::steal(host::call(host::checked, PyObject_GetAttrString,
                                 reinterpret_cast<PyObject*>(of), "__new__"));
  };
  const Ref own = find(type), plain = base ? find(base) : Ref();
  PyErr_Clear();
  return !own || !(own == plain);
}

}  // namespace

bool enum_call(Executor& x, const SymRef& cls, const SymRef& value, SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  if (!x.look(value)) return false;
  if (type_of(*value) == type) return *out = value, true;
  const SymRef members = has_own_new(type) ? nullptr : enum_part(x, cls, "_value2member_map_");
  if (members && members->kind == SymKind::kDict && x.heap().pin_key(value))
    if ((*out = x.heap().dict_get(members, value))) return true;
  const std::string what = describe(*cls);
  // A combination of flags becomes a member when it is first asked for.
  return is_flag(type) ? x.fail_for_now(BreakReason::kCallUnknown, what)
                       : x.fail(BreakReason::kCallUnknown, what);
}

bool enum_item(Executor& x, const SymRef& cls, const SymRef& name, SymRef* out) {
  const SymRef members = enum_part(x, cls, "_member_map_");
  if (!members || members->kind != SymKind::kDict || !x.heap().pin_key(name))
    return x.fail(BreakReason::kUnsupported, "index of " + describe(*cls));
  *out = x.heap().dict_get(members, name);
  return *out || x.raise_new(PyExc_KeyError, {name}, "dict lookup");
}

bool enum_members(Executor& x, const SymRef& cls, std::vector<SymRef>* out) {
  const SymRef names = enum_part(x, cls, "_member_names_");
  const SymRef members = names ? enum_part(x, cls, "_member_map_") : nullptr;
  const std::vector<SymRef>* listed = names ? x.heap().items(names) : nullptr;
  if (!listed || !members) return x.fail(BreakReason::kIterate, describe(*cls));
  for (const SymRef& name : std::vector<SymRef>(*listed)) {
    out->emplace_back();
    if (!enum_item(x, cls, name, &out->back())) return false;
  }
  return true;
}

bool is_enum_class(const SymRef& value) {
  return value->kind == SymKind::kConst && enum_meta() &&
         Py_TYPE(value->object.get()) == enum_meta();
}

namespace {

void add_operators(std::vector<std::string>* names, std::initializer_list<const char*> operators) {
  for (const char* name : operators)
    for (const char* kind : {"", "r", "i"}) names->push_back(fmt::format("__{}{}__", kind, name));
}

const std::vector<std::string>& bitwise_methods() {
  static const auto& names = *[] {
    auto* all = new std::vector<std::string>{"__invert__"};
    add_operators(all, {"and", "or", "xor"});
    return all;
  }();
  return names;
}

const std::vector<std::string>& other_methods() {
  static const auto& names = *[] {
    auto* all = new std::vector<std::string>{
        "__eq__",      "__ne__",    "__lt__",    "__le__",    "__gt__",  "__ge__",  "__bool__",
        "__len__",     "__hash__",  "__index__", "__neg__",   "__pos__", "__int__", "__float__",
        "__complex__", "__round__", "__trunc__", "__floor__", "__ceil__"};
    add_operators(all, {"add", "floordiv", "lshift", "matmul", "mul", "mod", "pow", "rshift", "sub",
                        "truediv"});
    return all;
  }();
  return names;
}

// Whether a class inherits these methods from its builtin base. A number has no length, whatever
// its class adds.
bool computes_as(PyTypeObject* type, PyTypeObject* base, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    PyObject* const text = special_name(name);
    return (base == &PyLong_Type && name == "__len__") ||
           host::find_on_class(type, text) == host::find_on_class(base, text);
  });
}

}  // namespace

SymRef plain_value(Executor& x, const SymRef& value, bool bitwise) {
  if (value->kind != SymKind::kObject || !value->object || value->source == kNoSource) return value;
  PyTypeObject* type = Py_TYPE(value->object.get());
  PyTypeObject* base = PyLong_Check(value->object.get())      ? &PyLong_Type
                       : PyUnicode_Check(value->object.get()) ? &PyUnicode_Type
                                                              : nullptr;
  if (!base || Py_TYPE(type) != enum_meta() || !computes_as(type, base, other_methods()))
    return value;
  // A bitwise operation on flags gives a flag.
  if ((bitwise || !is_flag(type)) && !computes_as(type, base, bitwise_methods())) return value;
  if (!x.heap().guard_class_version(type)) return value;
  x.heap().guards().add(guard::identity, value->source, {.object = value->object});
  PyObject* object = value->object.get();
  return make_const(base == &PyLong_Type
                        ? Ref::steal(host::call(host::checked, PyNumber_Add, object,
                                                allocated(Ref::steal(PyLong_FromLong(0))).get()))
                        : Ref::steal(PyUnicode_FromObject(object)));
}

}  // namespace msjit
