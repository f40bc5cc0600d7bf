// Containers that are filled item by item, or merged from others.
#include "bytecode/builtins/sets.h"
#include "bytecode/handlers/building.h"
#include "bytecode/scan_capture.h"
#include "bytecode/stepping.h"
#include "bytecode/table_objects.h"
#include "guards/py/compat.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// Checks the container that a comprehension or call fills; it was made in the region.
bool fresh(Executor& x, const SymRef& container, SymKind kind) {
  if (!x.look(container)) return false;
  if (container->kind == kind) return true;
  return x.fail(BreakReason::kMutation, describe(*container));
}

bool update_dict(Executor& x, SymFrame& f, const Instr& i, bool refuse_duplicates) {
  SymRef from = f.pop();
  const SymRef into = f.peek(i.arg);
  if (!as_dict(x, &from) || !fresh(x, into, SymKind::kDict)) return false;
  if (from->kind != SymKind::kDict)
    return x.fail(BreakReason::kUnsupported, "update from " + describe(*from));
  if (!x.heap().dict_all(from) || !x.heap().dict_all(into))
    return x.fail(BreakReason::kObjectType, x.heap().error);
  if (refuse_duplicates)
    for (const auto& [key, value] : from->entries)
      if (x.heap().dict_get(into, key))
        return x.fail(BreakReason::kRaises, "repeated keyword argument");
  return put_all(x, into, from->entries);
}

}  // namespace

bool exec_ListAppend(Executor& x, SymFrame& f, const Instr& i) {
  SymRef item = f.pop();
  const SymRef list = f.peek(i.arg);
  if (list->kind == SymKind::kRows) return append_row(x, list, item);
  if (!fresh(x, list, SymKind::kList)) return false;
  list->items.push_back(std::move(item));
  note_change(list);
  return true;
}

bool exec_MapAdd(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef value = f.pop();
  const SymRef key = f.pop();
  const SymRef dict = f.peek(i.arg);
  if (!fresh(x, dict, SymKind::kDict)) return false;
  if (!x.heap().dict_all(dict)) return x.fail(BreakReason::kObjectType, x.heap().error);
  return put_all(x, dict, {{key, value}});
}

bool exec_ListExtend(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef from = f.pop();
  const SymRef list = f.peek(i.arg);
  std::vector<SymRef> items;
  if (!fresh(x, list, SymKind::kList) || !x.unpack(from, &items)) return false;
  list->items.insert(list->items.end(), items.begin(), items.end());
  note_change(list);
  return true;
}

namespace {

bool unpack_maps(Executor& x, const std::vector<SymRef>& maps, bool keywords, SymRef* out) {
  *out = make_sym(SymKind::kDict);
  for (SymRef map : maps) {
    if (!as_dict(x, &map)) return false;
    if (map->kind != SymKind::kDict)
      return x.fail(BreakReason::kUnsupported, "update from " + describe(*map));
    if (!x.heap().dict_all(map)) return x.fail(BreakReason::kObjectType, x.heap().error);
    if (keywords)
      for (const auto& [key, value] : map->entries)
        if (x.look(key) && x.heap().dict_get(*out, key))
          return x.fail(BreakReason::kRaises, "repeated keyword argument");
    if (!put_all(x, *out, map->entries)) return false;
  }
  return true;
}

}  // namespace

bool exec_BuildUnpack(Executor& x, SymFrame& f, const Instr& i) {
  const UnpackInto into = UnpackInto(i.aux);
  const std::vector<SymRef> parts = take(f, i.arg);
  SymRef out;
  if (into == UnpackInto::kSet) {
    if (!set_of_all(x, parts, &out)) return false;
  } else if (into == UnpackInto::kMap || into == UnpackInto::kKeywords) {
    if (!unpack_maps(x, parts, into == UnpackInto::kKeywords, &out)) return false;
  } else {
    std::vector<SymRef> items;
    for (const SymRef& part : parts) {
      std::vector<SymRef> more;
      if (!x.unpack(part, &more)) return false;
      items.insert(items.end(), more.begin(), more.end());
    }
    out =
        make_items(into == UnpackInto::kList ? SymKind::kList : SymKind::kTuple, std::move(items));
  }
  f.push(std::move(out));
  return true;
}

bool exec_ListToTuple(Executor& x, SymFrame& f, const Instr&) {
  const SymRef list = f.pop();
  if (!fresh(x, list, SymKind::kList)) return false;
  f.push(make_items(SymKind::kTuple, list->items));
  return true;
}

bool exec_DictUpdate(Executor& x, SymFrame& f, const Instr& i) {
  return update_dict(x, f, i, false);
}
bool exec_DictMerge(Executor& x, SymFrame& f, const Instr& i) { return update_dict(x, f, i, true); }

namespace {

// Whether a merge can neither fail nor run Python code: all keys are exact strings that the target
// does not have.
bool merges_quietly(PyObject* into, PyObject* from) {
  if (!PyDict_CheckExact(from)) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(from, &at, &key, &value);)
    if (!PyUnicode_CheckExact(key) || host::call(host::checked, PyDict_Contains, into, key))
      return false;
  return true;
}

Step list_extend(const Stepping& s) {
  if (!is_iterable(s.frame.peek(1).get())) return s.hand_over();
  const Ref iterable = s.frame.pop();
  const Ref items = Ref::steal(host::call(host::program, PySequence_List, iterable.get()));
  if (!items) return s.raised();
  const Py_ssize_t end = PyList_GET_SIZE(s.container());
  return s.done(PyList_SetSlice(s.container(), end, end, items.get()));
}

// Whether the container has the class that this instruction fills. In a compiler's code it always
// has.
bool takes_items(Op op, PyObject* container) {
  if (!container) return false;
  switch (op) {
    case Op::kListAppend:
    case Op::kListExtend: return PyList_Check(container);
    case Op::kSetAdd:
    case Op::kSetUpdate: return PyAnySet_Check(container);
    default: return PyDict_Check(container);
  }
}

}  // namespace

Step step_add_item(const Stepping& s) {
  PyObject* top = s.frame.peek(1).get();
  PyObject* below = s.frame.peek(s.instr.arg + 1).get();
  if (!takes_items(s.instr.op, s.frame.peek(s.instr.arg + pops(s.instr)).get()))
    return s.hand_over();
  if (s.instr.op == Op::kListExtend) return list_extend(s);
  if (s.instr.op == Op::kDictMerge && !merges_quietly(below, top)) return s.hand_over();
  if (s.instr.op == Op::kDictUpdate && !PyDict_CheckExact(top)) return s.hand_over();
  const Ref value = s.frame.pop();
  switch (s.instr.op) {
    case Op::kListAppend: return s.done(PyList_Append(s.container(), value.get()));
    case Op::kSetAdd:
      return s.done(host::call(host::program, PySet_Add, s.container(), value.get()));
    case Op::kSetUpdate: return s.done(_PySet_Update(s.container(), value.get()));
    case Op::kMapAdd: {
      const Ref key = s.frame.pop();
      return s.done(
          host::call(host::program, PyDict_SetItem, s.container(), key.get(), value.get()));
    }
    default: return s.done(host::call(host::program, PyDict_Update, s.container(), value.get()));
  }
}

namespace {

// Whether merging the operand can only fail inside the operand's own code. Operands that CPython
// refuses with an error text of the instruction are left to it.
bool unpacks(UnpackInto into, PyObject* operand) {
  switch (into) {
    case UnpackInto::kMap:
    case UnpackInto::kKeywords: return PyDict_CheckExact(operand);
    case UnpackInto::kSet: return true;
    default: return is_iterable(operand);
  }
}

int unpack_into(UnpackInto into, PyObject* all, PyObject* operand) {
  if (into == UnpackInto::kSet) return _PySet_Update(all, operand);
  if (into == UnpackInto::kMap || into == UnpackInto::kKeywords)
    return host::call(host::program, PyDict_Update, all, operand);
  const Ref items = Ref::steal(host::call(host::program, PySequence_List, operand));
  const Py_ssize_t end = PyList_GET_SIZE(all);
  return items ? PyList_SetSlice(all, end, end, items.get()) : -1;
}

}  // namespace

Step step_build_unpack(const Stepping& s) {
  const auto into = UnpackInto(s.instr.aux);
  const int count = s.instr.arg;
  const Operands operands(s.frame, count);
  for (int i = 0; i < count; i++)
    if (!unpacks(into, operands[i])) return s.hand_over();
  const bool map = into == UnpackInto::kMap || into == UnpackInto::kKeywords;
  Ref all = Ref::steal(map                        ? PyDict_New()
                       : into == UnpackInto::kSet ? PySet_New(nullptr)
                                                  : PyList_New(0));
  for (int i = 0; all && i < count; i++) {
    if (into == UnpackInto::kKeywords && !merges_quietly(all.get(), operands[i]))
      return s.hand_over();
    if (unpack_into(into, all.get(), operands[i]) < 0) all.reset();
  }
  if (all && (into == UnpackInto::kTuple || into == UnpackInto::kArguments))
    all = Ref::steal(PyList_AsTuple(all.get()));
  s.frame.drop(count);
  return s.push(std::move(all));
}

Step step_list_to_tuple(const Stepping& s) {
  const Ref list = s.frame.pop();
  return s.push(Ref::steal(PyList_AsTuple(list.get())));
}

}  // namespace msjit
