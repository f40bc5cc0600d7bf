// Shared by the models of builtins: rows and tables, arguments, and conversions between SymValues
// and Python objects while capturing. A table lists one module. registry.cc lists the tables; once
// a module is imported its functions are found by object identity.
#pragma once

#include <span>
#include <string>

#include "bytecode/exec.h"

namespace msjit {

using Args = const std::vector<SymRef>&;

struct ModelRow {
  const char* name;
  BuiltinModel model;
};

// `pure`: names of functions that only compute with the values of their arguments. They are called
// while capturing. "*" means every C function of the module.
struct ModelTable {
  const char* module;
  std::span<const ModelRow> rows;
  std::span<const char* const> pure;
};
extern const ModelTable models_builtins, models_sequences, models_math, models_operator,
    models_functools, models_itertools, models_copy, models_print, models_collections, models_vars,
    models_sets, models_tensor, models_reductions, models_own, models_gradients, models_processes,
    models_system, models_draws, models_inspect, models_bisect, models_posix, models_re,
    models_heapq, models_random, models_auto_cast;

// A method of a builtin type; `self` is args[0].
bool has_builtin_method(const SymRef& self, const char* name);
bool call_builtin_method(Executor& x, const char* name, Args args, PyObject* names, SymRef* out);
BuiltinModel protocol_method(const SymRef& self, const char* name);  // d.__getitem__: protocol.cc
BuiltinModel find_class_method(PyObject* cls, const char* name);     // chain.from_iterable
BuiltinModel file_method(PyTypeObject* owner, const char* name);     // print.cc
BuiltinModel dict_class_method(const char* name);                    // dicts.cc
BuiltinModel find_row(std::span<const ModelRow> rows, const char* name);    // null: none
std::span<const ModelRow> list_methods(), tuple_methods();                  // lists.cc
std::span<const ModelRow> unread_list_methods();                            // lists.cc
std::span<const ModelRow> dict_methods();                                   // dicts.cc
std::span<const ModelRow> vars_methods();                                   // vars.cc
bool is_private(Executor& x, const SymRef& tensor);                         // tensor_write.cc
std::span<const ModelRow> tensor_write_methods();                           // tensor_write.cc
std::span<const ModelRow> gradient_methods();                               // gradients.cc
bool tensor_requires_grad(Executor& x, const SymRef& tensor, SymRef* out);  // gradients.cc
std::span<const ModelRow> tensor_layout_methods();                          // tensor_layout.cc
std::span<const ModelRow> set_methods();                                    // sets.cc
std::span<const ModelRow> ordered_dict_methods();  // those that dict lacks or that differ
// Whether an item equals the one looked for, as containers compare: identity first, then ==.
bool same_item(Executor& x, const SymRef& candidate, const SymRef& item, bool* out);
bool dict_put_all(Executor& x, const SymRef& dict, const SymRef& from);

// --- arguments ---
inline SymRef sym_bool(bool value) { return make_const(Ref::share(value ? Py_True : Py_False)); }
inline SymRef sym_none() { return make_const(Ref::none()); }
inline SymRef sym_int(int64_t value) { return make_const(Ref::steal(PyLong_FromLongLong(value))); }
bool wrong_arguments(Executor& x, const char* name);          // ends the region; always false
bool to_int(Executor& x, const SymRef& value, int64_t* out);  // an exact int; false does not fail
// Positional arguments `min` to `max`, without keywords.
bool positional(Executor& x, const char* name, Args args, PyObject* names, size_t min, size_t max);
// Keyword arguments: take() removes the one called `key` and returns it; null when it is not given.
struct Keywords {
  Keywords(Args args, PyObject* names);
  SymRef take(const char* key);
  bool empty() const { return left_ == 0; }  // all were taken
  std::vector<SymRef> positional;

 private:
  std::vector<std::pair<std::string, SymRef>> given_;
  int left_ = 0;
};

// --- values ---
// A Python object equal to a number, text, range, or container of these; empty when a tensor, an
// instance or an object known by identity is inside. Containers are new objects.
Ref to_python(Executor& x, const SymRef& value);
// The same for an item inside a container; leaves an exception set.
Ref to_python(Executor& x, const SymRef& value, int depth);
Ref constant_to_python(Executor& x, const SymRef& value, int depth);  // of a kConst
// The result of a pure function as a SymValue; null for objects of other types.
SymRef from_python(const Ref& object);
// Calls `function` with the values of the arguments. Ends the region when it raises.
bool call_pure(Executor& x, PyObject* function, const char* name, Args args, PyObject* names,
               SymRef* out);
// Whether a function on texts depends on more than its arguments: codecs, the locale. texts.cc
bool asks_outside(PyObject* function, std::string_view name, PyObject* args, PyObject* keywords);
bool shows_locale(PyObject* spec);  // a format specification
// Whether an int has too many digits, or a text is too long, to be converted into the other under
// every limit that sys.set_int_max_str_digits() can set.
bool may_be_too_long(PyObject* value);
bool fold_result(Executor& x, const Ref& result, const char* name, SymRef* out);
// An attribute of a number, range or slice: real, imag, start, stop, step, ...
bool value_attr(Executor& x, const SymRef& value, const char* name, SymRef* out);
// The pure function `object` is, by name; null when it is none.
const char* pure_name(PyObject* object);
// The function or type that calls a model (borrowed).
PyObject* modelled(BuiltinModel model);
// Sorts by `key` (a callable, None or null) as list.sort() does. sequences.cc
bool sort_items(Executor& x, std::vector<SymRef>* items, const SymRef& key, bool reverse);
// The value of `reverse`. Left to CPython where it is no int; null stands for False.
bool sort_direction(Executor& x, const SymRef& reverse, bool* out);

}  // namespace msjit
