// Construction of containers, strings and functions, and unpacking.
#include "bytecode/versions/version.h"
#include "guards/py/compat.h"
#include "interp_hook/stepper_ops.h"

namespace msjit {
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
    if (PySet_Add(set.get(), items[i]) < 0) return {};
  return set;
}

Ref map_of(PyObject* const* items, int pairs) {
  Ref map = Ref::steal(PyDict_New());
  for (int i = 0; map && i < pairs; i++)
    if (PyDict_SetItem(map.get(), items[2 * i], items[2 * i + 1]) < 0) return {};
  return map;
}

Ref const_key_map_of(PyObject* const* items, int count) {
  Ref map = Ref::steal(PyDict_New());
  for (int i = 0; map && i < count; i++)
    if (PyDict_SetItem(map.get(), PyTuple_GET_ITEM(items[count], i), items[i]) < 0) return {};
  return map;
}

Ref string_of(PyObject* const* items, int count) {
  const Ref empty = Ref::steal(PyUnicode_FromStringAndSize(nullptr, 0));
  const Ref parts = list_of(items, count);
  return empty && parts ? Ref::steal(PyUnicode_Join(empty.get(), parts.get())) : Ref();
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

bool is_iterable(PyObject* object) { return Py_TYPE(object)->tp_iter || PySequence_Check(object); }

// A merge that can neither fail nor run Python code: exact string keys, none of them there already.
bool merges_quietly(PyObject* into, PyObject* from) {
  if (!PyDict_CheckExact(from)) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(from, &at, &key, &value);)
    if (!PyUnicode_CheckExact(key) || PyDict_Contains(into, key)) return false;
  return true;
}

Step list_extend(const Stepping& s) {
  if (!is_iterable(s.frame.peek(1).get())) return s.hand_over();
  const Ref iterable = s.frame.pop();
  const Ref items = Ref::steal(PySequence_List(iterable.get()));
  if (!items) return s.raised();
  const Py_ssize_t end = PyList_GET_SIZE(s.container());
  return s.done(PyList_SetSlice(s.container(), end, end, items.get()));
}

int unpack_failed(int expected, int after, Py_ssize_t got) {
  if (PyErr_Occurred()) return -1;
  if (after < 0)
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected %d, got %zd)", expected,
                 got);
  else
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %d, got %zd)",
                 expected + after, got);
  return -1;
}

// Takes `before` items off the iterator of `iterable`, then either nothing more (after < 0) or a
// list of the rest with its last `after` items split off. `out` receives them in order.
int unpack(PyObject* iterable, int before, int after, std::vector<Ref>& out) {
  const Ref iterator = Ref::steal(PyObject_GetIter(iterable));
  if (!iterator) return -1;
  for (int i = 0; i < before; i++) {
    Ref item = Ref::steal(PyIter_Next(iterator.get()));
    if (!item) return unpack_failed(before, after, i);
    out.push_back(std::move(item));
  }
  if (after < 0) {
    const Ref extra = Ref::steal(PyIter_Next(iterator.get()));
    if (!extra) return PyErr_Occurred() ? -1 : 0;
    const std::string text = version::too_many_values(
        before, version::has_known_size(Py_TYPE(iterable)) ? PyObject_Size(iterable) : -1);
    PyErr_SetString(PyExc_ValueError, text.c_str());
    return -1;
  }
  Ref rest = Ref::steal(PySequence_List(iterator.get()));
  if (!rest) return -1;
  const Py_ssize_t size = PyList_GET_SIZE(rest.get());
  if (size < after) return unpack_failed(before, after, before + size);
  PyObject* list = rest.get();
  out.push_back(std::move(rest));
  for (Py_ssize_t i = size - after; i < size; i++)
    out.push_back(Ref::share(PyList_GET_ITEM(list, i)));
  return PyList_SetSlice(list, size - after, size, nullptr);
}

bool is_tuple_of(PyObject* object, int items) {
  return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == items;
}

// A compiler's code adds to what it has just made.
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

Step step_build(const Stepping& s) {
  const int count = pops(s.instr);
  if (s.instr.op == Op::kBuildConstKeyMap && !is_tuple_of(s.frame.peek(1).get(), s.instr.arg))
    return s.hand_over();
  Ref result = built(s.instr, Operands(s.frame, count).data());
  s.frame.drop(count);
  return s.push(std::move(result));
}

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
    case Op::kSetAdd: return s.done(PySet_Add(s.container(), value.get()));
    case Op::kSetUpdate: return s.done(_PySet_Update(s.container(), value.get()));
    case Op::kMapAdd: {
      const Ref key = s.frame.pop();
      return s.done(PyDict_SetItem(s.container(), key.get(), value.get()));
    }
    default: return s.done(PyDict_Update(s.container(), value.get()));
  }
}

namespace {

// Whether merging the operand can only fail inside code of its own; what CPython would refuse with
// a text of the instruction is left to it.
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
  if (into == UnpackInto::kMap || into == UnpackInto::kKeywords) return PyDict_Update(all, operand);
  const Ref items = Ref::steal(PySequence_List(operand));
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

Step step_format(const Stepping& s) {
  const bool converts = s.instr.op == Op::kConvertValue;
  const Ref spec = !converts && s.instr.arg & kFormatSpec ? s.frame.pop() : Ref();
  Ref value = s.frame.pop();
  switch (s.instr.arg & kFormatConversion) {
    case 1: value = Ref::steal(PyObject_Str(value.get())); break;
    case 2: value = Ref::steal(PyObject_Repr(value.get())); break;
    case 3: value = Ref::steal(PyObject_ASCII(value.get())); break;
    default: break;
  }
  if (!value) return s.raised();
  if (converts) return s.push(std::move(value));
  if (PyUnicode_CheckExact(value.get()) && !spec) return s.push(std::move(value));
  return s.push(Ref::steal(PyObject_Format(value.get(), spec.get())));
}

Step step_unpack(const Stepping& s) {
  if (!is_iterable(s.frame.peek(1).get())) return s.hand_over();
  const Ref sequence = s.frame.pop();
  const bool star = s.instr.op == Op::kUnpackEx;
  std::vector<Ref> items;
  const int before = star ? s.instr.arg & 0xFF : s.instr.arg;
  if (unpack(sequence.get(), before, star ? s.instr.arg >> 8 : -1, items) < 0) return s.raised();
  while (!items.empty()) {
    s.frame.push(std::move(items.back()));
    items.pop_back();
  }
  return s.next();
}

Step step_make_function(const Stepping& s) {
  const PyObject* given = s.frame.peek(1 + s.instr.aux).get();
  if (!PyCode_Check(given)) return s.hand_over();  // no compiler's code
  const Ref qualname = s.instr.aux ? s.frame.pop() : Ref();
  const Ref code = s.frame.pop();
  PyObject* globals = s.frame.globals().get();
  Ref made = Ref::steal(qualname ? PyFunction_NewWithQualName(code.get(), globals, qualname.get())
                                 : PyFunction_New(code.get(), globals));
  if (!made) return s.raised();
  auto* function = (PyFunctionObject*)made.get();
  if (s.instr.arg & 8) function->func_closure = s.frame.pop().release();
  if (s.instr.arg & 4) function->func_annotations = s.frame.pop().release();
  if (s.instr.arg & 2) function->func_kwdefaults = s.frame.pop().release();
  if (s.instr.arg & 1) function->func_defaults = s.frame.pop().release();
  return s.push(std::move(made));
}

// The function is fresh: nothing was there before.
Step step_set_function_attribute(const Stepping& s) {
  Ref made = s.frame.pop();
  auto* function = (PyFunctionObject*)made.get();
  Ref value = s.frame.pop();
  switch (s.instr.arg) {
    case 1: function->func_defaults = value.release(); break;
    case 2: function->func_kwdefaults = value.release(); break;
    case 4: function->func_annotations = value.release(); break;
    case kAnnotate: compat::set_annotate(made.get(), std::move(value)); break;
    default: function->func_closure = value.release(); break;
  }
  return s.push(std::move(made));
}

}  // namespace msjit
