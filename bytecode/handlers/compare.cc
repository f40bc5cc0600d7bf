// Comparisons, identity and membership.
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/instance.h"
#include "bytecode/numpy_dtypes.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/stepping.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"

namespace msjit {

const OpDef* compare_op(int op) {
  static const char* const names[] = {"less",      "less_equal", "equal",
                                      "not_equal", "greater",    "greater_equal"};
  return find_op(names[op]);
}

namespace {

// A comparison of which at least one operand is a tensor.
bool tensor_compare(Executor& x, const SymRef& a, const SymRef& b, int op, const std::string& what,
                    SymRef* out) {
  const SymRef& other = a->is_tensor() ? b : a;
  if (!numpy_pair(a, b) && (is_no_operand(other) || is_plain_sequence(x, other))) {
    if (op != Py_EQ && op != Py_NE) return x.fail(BreakReason::kRaises, what);
    return *out = sym_bool(op == Py_NE), true;
  }
  if (!are_tensor_operands(a, b)) return x.fail(BreakReason::kUnsupported, what);
  return apply_to_pair(x, *compare_op(op), a, b, out);
}

// Whether comparing two constants runs no code of the program.
bool compares_quietly(PyObject* a, PyObject* b, int op) {
  if (is_builtin_value(a) && is_builtin_value(b)) return true;
  return (op == Py_EQ || op == Py_NE) && compares_by_identity(a) && compares_by_identity(b);
}

}  // namespace

bool Executor::compare(const SymRef& a, const SymRef& b, int op, SymRef* out) {
  bool known = false;
  const auto ask = [&](auto rule) { return rule(*this, a, b, op, out, &known); };
  if (is_unknown(*a) || is_unknown(*b)) {
    if (!ask_operands(a, b, &ValueKind::compare, ask, &known)) return false;
    if (known) return true;
  }
  if (!look_number(a) || !look_number(b)) return false;
  if (!ask_operands(a, b, &ValueKind::compare, ask, &known)) return false;
  if (known) return true;
  if (!a->is_tensor() && !b->is_tensor() && (!look(a) || !look(b))) return false;
  const std::string what = fmt::format("comparison of {} and {}", describe(*a), describe(*b));
  if (a->is_tensor() || b->is_tensor()) return tensor_compare(*this, a, b, op, what, out);
  if (!compare_numpy_dtypes(*this, a, b, op, out, &known)) return false;
  if (known) return true;
  if (!numpy_compare(*this, a, b, op, out, &known)) return false;
  if (known) return true;
  Ref left = constant_object(a), right = constant_object(b);
  if (!left || !right || !compares_quietly(left.get(), right.get(), op)) {
    left = to_python(*this, a);
    right = left ? to_python(*this, b) : Ref();
  }
  if (!right) return fail(BreakReason::kUnsupported, what);
  return fold(*this, host::call(host::values, PyObject_RichCompare, left.get(), right.get(), op),
              what.c_str(), out);
}

bool exec_Compare(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef b = f.pop();
  const SymRef a = f.pop();
  SymRef out;
  if (!x.compare(a, b, i.arg, &out)) return false;
  f.push(std::move(out));
  return true;
}

bool exec_IsOp(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef b = f.pop();
  const SymRef a = f.pop();
  bool same = false;
  if (!identical(x, a, b, &same)) return false;
  f.push(make_const(Ref::share(same != (i.arg == 1) ? Py_True : Py_False)));
  return true;
}

bool Executor::contains(const SymRef& container, const SymRef& item, bool* out) {
  if (!look(container) || !look(item)) return false;
  const auto holds = kind_of(container).contains;
  return holds ? holds(*this, container, item, out)
               : fail(BreakReason::kUnsupported, "'in' on " + describe(*container));
}

bool exec_ContainsOp(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef container = f.pop();
  const SymRef item = f.pop();
  bool found = false;
  if (!x.look(container) || !x.look(item)) return false;
  if (compares_tensors(x, container, item)) {
    SymRef answer;
    if (!contains_tensor(x, container, item, i.arg == 1, &answer)) return false;
    f.push(std::move(answer));
    return true;
  }
  if (!x.contains(container, item, &found)) return false;
  f.push(make_const(Ref::share(found != (i.arg == 1) ? Py_True : Py_False)));
  return true;
}

Step step_compare(const Stepping& s) {
  const Ref right = s.frame.pop();
  const Ref left = s.frame.pop();
  return s.push(Ref::steal(
      host::call(host::program, PyObject_RichCompare, left.get(), right.get(), s.instr.arg)));
}

Step step_is_op(const Stepping& s) {
  const Ref right = s.frame.pop();
  const Ref left = s.frame.pop();
  return s.push(Ref::share((left == right) != bool(s.instr.arg) ? Py_True : Py_False));
}

Step step_contains_op(const Stepping& s) {
  const Ref container = s.frame.pop();
  const Ref item = s.frame.pop();
  const int found = host::call(host::program, PySequence_Contains, container.get(), item.get());
  if (found < 0) return s.raised();
  return s.push(Ref::share(bool(found) != bool(s.instr.arg) ? Py_True : Py_False));
}

}  // namespace msjit
