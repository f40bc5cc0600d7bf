// copy.copy() and copy.deepcopy() of values that Python copies in its own way: numbers, texts,
// lists, dicts, tuples, and instances whose class says nothing of copies. A tensor, a set or a
// class with methods for it ends the region.
#include <fmt/core.h>

#include <map>

#include "bytecode/builtins/models.h"
#include "bytecode/builtins/sets.h"
#include "bytecode/instance.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/table_objects.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

constexpr const char* kHooks[] = {"__copy__",         "__deepcopy__",      "__reduce__",
                                  "__reduce_ex__",    "__getstate__",      "__setstate__",
                                  "__getnewargs__",   "__getnewargs_ex__", "__slots__",
                                  "__getattribute__", "__getattr__",       "__new__",
                                  "__del__"};

// Whether a class has what `object` has under these names, or nothing.
bool copies_by_default(PyTypeObject* type) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || type->tp_dictoffset == 0) return false;
  PyTypeObject* base = type;
  while (base->tp_flags & Py_TPFLAGS_HEAPTYPE) base = base->tp_base;
  if (base != &PyBaseObject_Type || !host::has_plain_names(type)) return false;
  return std::ranges::all_of(kHooks, [&](const char* name) {
    PyObject* const text = special_name(name);
    return host::find_on_class(type, text) == host::find_on_class(&PyBaseObject_Type, text);
  });
}

bool has_own_way(const SymRef& value) {
  if (value->kind == SymKind::kTensor || value->kind == SymKind::kSet) return true;
  PyTypeObject* const type = value->kind == SymKind::kObject ? type_of(*value) : nullptr;
  return type && !is_enum_type(type) && !copies_by_default(type);
}

// Where the library says how classes are copied: dicts in which programs register functions, and
// from 3.14 on sets of the builtin ones too.
constexpr const char* kCopyTables[] = {"_copy_dispatch", "_copy_atomic_types",
                                       "_copy_builtin_containers"};
constexpr const char* kDeepCopyTables[] = {"_deepcopy_dispatch", "_atomic_types"};

// Whether such a table lacks a class. A table that this version does not have is not asked.
bool lacks(Executor& x, const char* module_name, const char* table_name, const SymRef& cls) {
  PyObject* const module = loaded_module(module_name);
  PyObject* const found = module ? host::find_name(PyModule_GetDict(module), table_name) : nullptr;
  if (!found) return module != nullptr;
  const SymRef table =
      x.heap().from_constant(Ref::share(found), fmt::format("{}.{}", module_name, table_name));
  if (!x.look(table)) return false;
  if (table->kind == SymKind::kDict) return x.heap().pin_key(cls) && !x.heap().dict_get(table, cls);
  bool registered = true;
  return table->kind == SymKind::kSet && set_contains(x, table, cls, &registered) && !registered;
}

// One call of copy() or deepcopy().
class Copier {
 public:
  Copier(Executor& x, bool deep) : x_(x), deep_(deep) {}

  bool copy(const SymRef& value, SymRef* out) {
    if (value->kind == SymKind::kScalar || value->kind == SymKind::kComputed)
      return *out = value, true;
    if (!x_.look_number(value)) return false;
    if (const auto known = made_.find(value.get()); known != made_.end())
      return *out = known->second, true;
    if (++count_ > kMost) return refuse(value);
    return copy_looked_at(value, out);
  }

 private:
  static constexpr int kMost = 4096;  // values in all

  bool refuse(const SymRef& value) {
    return x_.fail(BreakReason::kCallUnknown,
                   fmt::format("{} of {}", deep_ ? "deepcopy()" : "copy()", describe(*value)));
  }

  bool copy_looked_at(const SymRef& value, SymRef* out) {
    switch (value->kind) {
      case SymKind::kConst: return is_atomic(value) ? (*out = value, true) : refuse(value);
      case SymKind::kSize:
      case SymKind::kNumber:
      case SymKind::kFunction: return *out = value, true;
      case SymKind::kTuple: return value->cls ? refuse(value) : copy_tuple(value, out);
      case SymKind::kList: return value->cls ? refuse(value) : copy_list(value, out);
      case SymKind::kDict: return value->cls && deep_ ? refuse(value) : copy_dict(value, out);
      case SymKind::kVars: {
        SymRef all;
        return vars_all(x_, value, &all) && copy_dict(all, out);
      }
      case SymKind::kObject: return copy_instance(value, out);
      default: return refuse(value);
    }
  }

  bool is_atomic(const SymRef& value) {
    PyObject* const object = value->object.get();
    if (PyType_Check(object) || PyFunction_Check(object) || PyCFunction_Check(object)) return true;
    const bool shared = PyFrozenSet_Check(object) || PySlice_Check(object);
    return !(shared && deep_) && !is_numpy_scalar(value) && to_python(x_, value);
  }

  bool copy_items(const SymRef& value, std::vector<SymRef>* out) {
    for (const SymRef& item : std::vector<SymRef>(value->items)) {
      out->push_back(item);
      if (deep_ && !copy(item, &out->back())) return false;
    }
    return true;
  }

  // A tuple whose items are their own copies is its own copy.
  bool copy_tuple(const SymRef& value, SymRef* out) {
    std::vector<SymRef> items;
    *out = value;
    if (!deep_) return true;
    if (!copy_items(value, &items)) return false;
    if (made_.count(value.get())) return refuse(value);  // a list in it holds it
    if (items == value->items) return true;
    // Whether two tuples of the program are one object is not known.
    if (value->source != kNoSource && ++tuples_ > 1) return refuse(value);
    return *out = made_[value.get()] = make_items(SymKind::kTuple, std::move(items)), true;
  }

  bool copy_list(const SymRef& value, SymRef* out) {
    std::vector<SymRef> items;
    const SymRef made = make_sym(SymKind::kList);
    made_[value.get()] = *out = made;
    if (!copy_items(value, &items)) return false;
    return made->items = std::move(items), true;
  }

  bool copy_dict(const SymRef& value, SymRef* out) {
    if (!deep_) return find_method_model(value, "copy")(x_, {value}, nullptr, out);
    if (!x_.heap().dict_all(value)) return refuse(value);
    const SymRef made = make_sym(SymKind::kDict);
    made_[value.get()] = *out = made;
    for (const auto& [key, item] : std::vector<std::pair<SymRef, SymRef>>(value->entries)) {
      SymRef k, v;
      if (!copy(key, &k) || !copy(item, &v)) return false;
      made->entries.emplace_back(std::move(k), std::move(v));
    }
    return true;
  }

  bool is_unregistered(const SymRef& cls) {
    const std::span<const char* const> tables =
        deep_ ? std::span<const char* const>(kDeepCopyTables) : kCopyTables;
    return lacks(x_, "copyreg", "dispatch_table", cls) &&
           std::ranges::all_of(tables,
                               [&](const char* name) { return lacks(x_, "copy", name, cls); });
  }

  // A new instance without a call of __init__, then a copy of the attributes.
  bool copy_instance(const SymRef& value, SymRef* out) {
    PyTypeObject* const type = type_of(*value);
    if (is_enum_type(type)) return *out = value, true;
    static PyObject* const make = host::find_on_class(&PyBaseObject_Type, special_name("__new__"));
    if (!copies_by_default(type) || !x_.heap().guard_class_version(type)) return refuse(value);
    const SymRef cls =
        x_.heap().from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    if (!x_.look(cls) || !is_unregistered(cls)) return refuse(value);
    SymRef vars, all;
    if (!instance_vars(x_, value, &vars) || !vars_all(x_, vars, &all) ||
        !call_builtin_new(x_, make, {cls}, out))
      return false;
    const SymRef made = made_[value.get()] = *out;
    for (const auto& [key, item] : std::vector<std::pair<SymRef, SymRef>>(all->entries)) {
      const char* const name = utf8_text(key->object.get());
      SymRef copied = item;
      if (name[0] == '_' && name[1] == '_') return refuse(value);  // a hook of its own
      if ((deep_ && !copy(item, &copied)) || !write_attribute(x_, made, name, copied)) return false;
    }
    return true;
  }

  Executor& x_;
  bool deep_;
  int count_ = 0, tuples_ = 0;
  std::map<const SymValue*, SymRef> made_;
};

// What has a way of its own is left to Python's code, which asks for it.
bool copied(Executor& x, BuiltinModel self, bool deep, Args args, PyObject* names, SymRef* out) {
  const bool one = !names && args.size() == 1;
  if (one && args[0]->kind == SymKind::kLazy && !x.look_number(args[0])) return false;
  if (one && !has_own_way(args[0])) return Copier(x, deep).copy(args[0], out);
  return x.call_function(modelled(self), nullptr, args, names, out);
}
bool model_copy(Executor& x, Args args, PyObject* names, SymRef* out) {
  return copied(x, model_copy, false, args, names, out);
}
bool model_deepcopy(Executor& x, Args args, PyObject* names, SymRef* out) {
  return copied(x, model_deepcopy, true, args, names, out);
}

const ModelRow kCopy[] = {{"copy", model_copy}, {"deepcopy", model_deepcopy}};

}  // namespace

const ModelTable models_copy = {"copy", kCopy, {}};

}  // namespace msjit
