// Structural pattern matching, decided while capturing under the guards installed by looking at the
// subject.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/instance.h"
#include "bytecode/stepping.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/compat.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

bool push_bool(SymFrame& f, bool value) {
  f.push(make_const(Ref::share(value ? Py_True : Py_False)));
  return true;
}

// Whether it is known that the subject is a sequence or a mapping. Instances are left to CPython:
// registering their class as an abstract sequence or mapping would change the answer without any
// guard noticing.
bool known_kind(Executor& x, const SymRef& subject) {
  return x.look(subject) &&
         (kind_of(subject).matches_for_good ||
          x.fail(BreakReason::kUnsupported, fmt::format("match on {}", describe(*subject))));
}

const std::vector<SymRef>* key_items(Executor& x, const SymRef& keys) {
  const std::vector<SymRef>* items = x.heap().items(keys);
  if (!items) return nullptr;
  for (const SymRef& key : *items)
    if (!x.look(key) || !is_plain_key(key)) return nullptr;
  return items;
}

}  // namespace

bool exec_MatchSequence(Executor& x, SymFrame& f, const Instr&) {
  const SymRef subject = f.peek(1);
  if (!known_kind(x, subject)) return false;
  const bool range = subject->kind == SymKind::kConst && PyRange_Check(subject->object.get());
  return push_bool(f, range || (!subject->is_tensor() && x.heap().items(subject)));
}

bool exec_MatchMapping(Executor& x, SymFrame& f, const Instr&) {
  const SymRef subject = f.peek(1);
  if (!known_kind(x, subject)) return false;
  if (subject->kind == SymKind::kConst && !compat::is_plain_value(subject->object.get()))
    return x.fail(BreakReason::kUnsupported, "match on " + describe(*subject));
  return push_bool(f, subject->kind == SymKind::kDict);
}

bool exec_GetLen(Executor& x, SymFrame& f, const Instr&) {
  int64_t size = 0;
  if (!x.length(f.peek(1), &size)) return false;
  f.push(make_const(Ref::steal(PyLong_FromLongLong(size))));
  return true;
}

bool exec_MatchKeys(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef subject = f.peek(2);
  const std::vector<SymRef>* keys = key_items(x, f.peek(1));
  if (!x.look(subject) || !keys || subject->kind != SymKind::kDict)
    return x.fail(BreakReason::kUnsupported, "match on " + describe(*subject));
  std::vector<SymRef> values;
  for (size_t k = 0; k < keys->size(); ++k) {
    for (size_t other = 0; other < k; ++other)
      if (same_key((*keys)[k], (*keys)[other])) return x.fail(BreakReason::kRaises, "match");
    SymRef value = x.heap().dict_get(subject, (*keys)[k]);
    if (!value) break;
    values.push_back(std::move(value));
  }
  const bool matched = values.size() == keys->size();
  f.push(matched ? make_items(SymKind::kTuple, std::move(values)) : make_const(Ref::none()));
  return i.aux ? push_bool(f, matched) : true;
}

bool exec_CopyDictWithoutKeys(Executor& x, SymFrame& f, const Instr&) {
  const SymRef subject = f.peek(2);
  const std::vector<SymRef>* keys = key_items(x, f.peek(1));
  if (!x.look(subject) || !keys || subject->kind != SymKind::kDict)
    return x.fail(BreakReason::kUnsupported, "match on " + describe(*subject));
  if (!x.heap().dict_all(subject)) return x.fail(BreakReason::kObjectType, x.heap().error);
  SymRef rest = make_sym(SymKind::kDict);
  for (const auto& [key, value] : subject->entries) {
    if (!x.look(key)) return false;
    if (!is_plain_key(key)) return x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
    const auto taken = [&key = key](const SymRef& other) { return same_key(key, other); };
    if (std::none_of(keys->begin(), keys->end(), taken)) rest->entries.emplace_back(key, value);
  }
  f.peek(1) = std::move(rest);
  return true;
}

namespace {

// isinstance() where the metaclass does not redefine it.
bool is_instance(Executor& x, const SymRef& subject, const SymRef& cls, bool* out) {
  if (!x.look(subject) || !x.look(cls)) return false;
  PyObject* object = cls->kind == SymKind::kConst ? cls->object.get() : nullptr;
  PyTypeObject* type = type_of(*subject);
  if (!object || !PyType_Check(object) || !has_plain_metaclass(object) || !type ||
      subject->kind == SymKind::kIterator)
    return x.fail(BreakReason::kUnsupported, "class pattern on " + describe(*subject));
  *out = PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(object));
  return *out || tells_its_class(type) ||
         x.fail(BreakReason::kUnsupported, "class pattern on " + describe(*subject));
}

// Types whose single positional pattern matches the whole value.
bool matches_itself(PyTypeObject* type) {
  for (PyTypeObject* plain : {&PyLong_Type, &PyFloat_Type, &PyUnicode_Type, &PyBool_Type,
                              &PyTuple_Type, &PyList_Type, &PyDict_Type, &PyBytes_Type})
    if (type == plain) return true;
  return false;
}

// The attributes that the patterns match. A missing attribute ends the region, because only CPython
// knows whether it means "no match".
bool attributes_of(Executor& x, const SymRef& subject, const SymRef& cls, int positional,
                   const SymRef& names, std::vector<SymRef>* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  std::vector<PyObject*> wanted;
  if (positional == 1 && matches_itself(type)) {
    out->push_back(subject);
  } else if (positional > 0) {
    static PyObject* const args_name = special_name("__match_args__");
    SymRef listed;
    if (!x.get_attr(cls, args_name, &listed)) return false;
    const std::vector<SymRef>* order = x.look(listed) ? x.heap().items(listed) : nullptr;
    if (!order || listed->cls || order->size() < static_cast<size_t>(positional))
      return x.fail(BreakReason::kUnsupported, fmt::format("__match_args__ of {}", type->tp_name));
    for (int k = 0; k < positional; ++k) {
      const SymRef& name = (*order)[static_cast<size_t>(k)];
      if (!x.look(name) || name->kind != SymKind::kConst)
        return x.fail(BreakReason::kUnsupported, "class pattern");
      wanted.push_back(name->object.get());
    }
  }
  const Ref keywords = constant_object(names);
  if (!keywords) return x.fail(BreakReason::kUnsupported, "class pattern");
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords.get()); ++k)
    wanted.push_back(PyTuple_GET_ITEM(keywords.get(), k));
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!PyUnicode_CheckExact(wanted[k]) ||
        std::count(wanted.begin(), wanted.begin() + static_cast<ptrdiff_t>(k), wanted[k]))
      return x.fail(BreakReason::kRaises, "class pattern");
    SymRef value;
    if (!x.get_attr(subject, wanted[k], &value)) return false;
    out->push_back(std::move(value));
  }
  return true;
}

}  // namespace

bool exec_MatchClass(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef names = f.pop(), cls = f.pop(), subject = f.pop();
  bool matched = false;
  std::vector<SymRef> values;
  if (!is_instance(x, subject, cls, &matched)) return false;
  if (matched && !attributes_of(x, subject, cls, i.arg, names, &values)) return false;
  if (matched)
    f.push(make_items(SymKind::kTuple, std::move(values)));
  else
    f.push(i.aux ? subject : make_const(Ref::none()));
  return i.aux ? push_bool(f, matched) : true;
}

Step step_match_type(const Stepping& s) {
  PyObject* subject = s.frame.peek(1).get();
  if (s.instr.op == Op::kGetLen) {
    const Py_ssize_t size = host::call(host::program, PyObject_Length, subject);
    return size < 0 ? s.raised() : s.push(Ref::steal(PyLong_FromSsize_t(size)));
  }
  const bool matched = s.instr.op == Op::kMatchSequence ? compat::is_sequence_pattern(subject)
                                                        : compat::is_mapping_pattern(subject);
  return s.push(Ref::share(matched ? Py_True : Py_False));
}

// Plain dicts only: other mappings are read through their `get`. Repeated keys are an error, also
// left to CPython.
Step step_match_keys(const Stepping& s) {
  PyObject* subject = s.frame.peek(2).get();
  PyObject* keys = s.frame.peek(1).get();
  if (!PyDict_CheckExact(subject) || !PyTuple_CheckExact(keys)) return s.hand_over();
  const Py_ssize_t count = PyTuple_GET_SIZE(keys);
  const Ref seen = Ref::steal(PySet_New(keys));
  if (!seen || PySet_GET_SIZE(seen.get()) != count) {
    PyErr_Clear();
    return s.hand_over();
  }
  Ref values = Ref::steal(PyTuple_New(count));
  for (Py_ssize_t i = 0; values && i < count; i++) {
    PyObject* value =
        host::call(host::program, PyDict_GetItemWithError, subject, PyTuple_GET_ITEM(keys, i));
    if (!value) {
      if (PyErr_Occurred()) return s.raised();
      values = Ref::none();
      break;
    }
    PyTuple_SET_ITEM(values.get(), i, new_reference(value));
  }
  if (!values) return s.raised();
  const bool matched = !values.is(Py_None);
  s.frame.push(std::move(values));
  return s.instr.aux ? s.push(Ref::share(matched ? Py_True : Py_False)) : s.next();
}

Step step_copy_dict_without_keys(const Stepping& s) {
  PyObject* subject = s.frame.peek(2).get();
  if (!PyDict_CheckExact(subject) || !PyTuple_CheckExact(s.frame.peek(1).get()))
    return s.hand_over();
  const Ref keys = s.frame.pop();
  Ref rest = Ref::steal(PyDict_Copy(subject));
  for (Py_ssize_t i = 0; rest && i < PyTuple_GET_SIZE(keys.get()); i++)
    if (host::call(host::program, PyDict_DelItem, rest.get(), PyTuple_GET_ITEM(keys.get(), i)) < 0)
      rest.reset();
  return s.push(std::move(rest));
}

}  // namespace msjit
