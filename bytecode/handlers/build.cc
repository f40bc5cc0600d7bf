// Construction of containers, slices and strings.
#include "bytecode/handlers/building.h"
#include "bytecode/stepping.h"
#include "bytecode/values/computed.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

bool build_items(SymFrame& f, const Instr& i, SymKind kind) {
  f.push(make_items(kind, take(f, i.arg)));
  return true;
}

}  // namespace

bool put_all(Executor& x, const SymRef& dict,
             const std::vector<std::pair<SymRef, SymRef>>& entries) {
  for (const auto& [key, value] : entries) {
    if (!x.look(key)) return false;
    if (!x.heap().pin_key(key))
      return x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
    const bool changed = dict->changed;
    x.heap().dict_set(dict, key, value);
    dict->changed = changed || dict->source != kNoSource;
  }
  return true;
}

bool exec_BuildTuple(Executor&, SymFrame& f, const Instr& i) {
  return build_items(f, i, SymKind::kTuple);
}
bool exec_BuildList(Executor&, SymFrame& f, const Instr& i) {
  return build_items(f, i, SymKind::kList);
}

bool exec_BuildMap(Executor& x, SymFrame& f, const Instr& i) {
  const std::vector<SymRef> flat = take(f, 2 * i.arg);
  std::vector<std::pair<SymRef, SymRef>> entries;
  for (size_t k = 0; k < flat.size(); k += 2) entries.emplace_back(flat[k], flat[k + 1]);
  SymRef dict = make_sym(SymKind::kDict);
  if (!put_all(x, dict, entries)) return false;
  f.push(std::move(dict));
  return true;
}

bool exec_BuildConstKeyMap(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef keys = f.pop();
  const std::vector<SymRef> values = take(f, i.arg);
  const std::vector<SymRef>* known = x.heap().items(keys);
  if (!known || known->size() != values.size())
    return x.fail(BreakReason::kUnsupported, "keys of a dict that are no tuple");
  const std::vector<SymRef>& names = *known;
  std::vector<std::pair<SymRef, SymRef>> entries;
  for (size_t k = 0; k < values.size(); ++k) entries.emplace_back(names[k], values[k]);
  SymRef dict = make_sym(SymKind::kDict);
  if (!put_all(x, dict, entries)) return false;
  f.push(std::move(dict));
  return true;
}

bool exec_BuildSlice(Executor& x, SymFrame& f, const Instr& i) {
  std::vector<SymRef> parts = take(f, i.arg);
  if (parts.size() == 2) parts.push_back(make_const(Ref::none()));
  for (const SymRef& part : parts)
    if (part->kind != SymKind::kTurn && !x.look_open(part)) return false;
  f.push(make_items(SymKind::kSlice, std::move(parts)));
  return true;
}

bool exec_BuildString(Executor& x, SymFrame& f, const Instr& i) {
  const std::vector<SymRef> parts = take(f, i.arg);
  bool known = false;
  SymRef later;
  if (!computed_concat(x, parts, &later, &known)) return false;
  if (known) return f.push(std::move(later)), true;
  Ref text = allocated(Ref::steal(PyUnicode_FromString("")));
  for (const SymRef& part : parts) {
    if (!x.look(part)) return false;
    if (part->kind != SymKind::kConst || !PyUnicode_CheckExact(part->object.get()))
      return x.fail(BreakReason::kUnsupported, "text from " + describe(*part));
    text = Ref::steal(host::call(host::values, PyUnicode_Concat, text.get(), part->object.get()));
    if (!text) {
      PyErr_Clear();
      return x.fail(BreakReason::kRaises, "text");
    }
  }
  f.push(make_const(std::move(text)));
  return true;
}

namespace {

Ref list_of(PyObject* const* items, int count) {
  Ref list = Ref::steal(PyList_New(count));
  for (int i = 0; list && i < count; i++) PyList_SET_ITEM(list.get(), i, new_reference(items[i]));
  return list;
}

Ref tuple_of(PyObject* const* items, int count) {
  Ref tuple = Ref::steal(PyTuple_New(count));
  for (int i = 0; tuple && i < count; i++)
    PyTuple_SET_ITEM(tuple.get(), i, new_reference(items[i]));
  return tuple;
}

Ref set_of(PyObject* const* items, int count) {
  Ref set = Ref::steal(PySet_New(nullptr));
  for (int i = 0; set && i < count; i++)
    if (host::call(host::program, PySet_Add, set.get(), items[i]) < 0) return {};
  return set;
}

Ref map_of(PyObject* const* items, int pairs) {
  Ref map = Ref::steal(PyDict_New());
  for (int i = 0; map && i < pairs; i++)
    if (host::call(host::program, PyDict_SetItem, map.get(), items[2 * i], items[2 * i + 1]) < 0)
      return {};
  return map;
}

Ref const_key_map_of(PyObject* const* items, int count) {
  Ref map = Ref::steal(PyDict_New());
  for (int i = 0; map && i < count; i++)
    if (host::call(host::program, PyDict_SetItem, map.get(), PyTuple_GET_ITEM(items[count], i),
                   items[i]) < 0)
      return {};
  return map;
}

Ref string_of(PyObject* const* items, int count) {
  const Ref empty = Ref::steal(PyUnicode_FromStringAndSize(nullptr, 0));
  const Ref parts = list_of(items, count);
  return empty && parts
             ? Ref::steal(host::call(host::program, PyUnicode_Join, empty.get(), parts.get()))
             : Ref();
}

Ref built(const Instr& instr, PyObject* const* items) {
  switch (instr.op) {
    case Op::kBuildTuple: return tuple_of(items, instr.arg);
    case Op::kBuildList: return list_of(items, instr.arg);
    case Op::kBuildSet: return set_of(items, instr.arg);
    case Op::kBuildMap: return map_of(items, instr.arg);
    case Op::kBuildConstKeyMap: return const_key_map_of(items, instr.arg);
    case Op::kBuildString: return string_of(items, instr.arg);
    default:
      return Ref::steal(PySlice_New(items[0], items[1], instr.arg == 3 ? items[2] : nullptr));
  }
}

bool is_tuple_of(PyObject* object, int items) {
  return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == items;
}

}  // namespace

Step step_build(const Stepping& s) {
  const int count = pops(s.instr);
  if (s.instr.op == Op::kBuildConstKeyMap && !is_tuple_of(s.frame.peek(1).get(), s.instr.arg))
    return s.hand_over();
  Ref result = built(s.instr, Operands(s.frame, count).data());
  s.frame.drop(count);
  return s.push(std::move(result));
}

}  // namespace msjit
