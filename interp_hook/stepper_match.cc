// Pattern matching, but for class patterns.
#include "guards/py/compat.h"
#include "interp_hook/stepper_ops.h"

namespace msjit {

Step step_match_type(const Stepping& s) {
  PyObject* subject = s.frame.peek(1).get();
  if (s.instr.op == Op::kGetLen) {
    const Py_ssize_t size = PyObject_Length(subject);
    return size < 0 ? s.raised() : s.push(Ref::steal(PyLong_FromSsize_t(size)));
  }
  const bool matched = s.instr.op == Op::kMatchSequence ? compat::is_sequence_pattern(subject)
                                                        : compat::is_mapping_pattern(subject);
  return s.push(Ref::share(matched ? Py_True : Py_False));
}

// Plain dicts only: other mappings are asked through their `get`, and repeated keys are reported.
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
    PyObject* value = PyDict_GetItemWithError(subject, PyTuple_GET_ITEM(keys, i));
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
    if (PyDict_DelItem(rest.get(), PyTuple_GET_ITEM(keys.get(), i)) < 0) rest.reset();
  return s.push(std::move(rest));
}

}  // namespace msjit
