// Comparisons, identity and membership.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "bytecode/builtins/models.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/value_kind.h"
#include "guards/kinds/order.h"
#include "guards/py/convert.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

const OpDef* compare_op(int op) {
  static const char* const names[] = {"less",      "less_equal", "equal",
                                      "not_equal", "greater",    "greater_equal"};
  return find_op(names[op]);
}

bool size_compare(Executor& x, const SymRef& a, const SymRef& b, int op, bool* out) {
  static constexpr SizeCompare kOps[] = {SizeCompare::kLess,    SizeCompare::kLessEqual,
                                         SizeCompare::kEqual,   SizeCompare::kNotEqual,
                                         SizeCompare::kGreater, SizeCompare::kGreaterEqual};
  if (!is_size(a) && !is_size(b)) return false;
  const SizeExpr left = Sizes::expr(a), right = Sizes::expr(b);
  if (!left || !right) return false;
  *out = x.sizes().decide(kOps[op], left, right);
  return true;
}

// A known float, or an int that is one, too: beyond 2**53 not every int is.
bool as_double(const SymRef& value, double* out) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (value->kind != SymKind::kConst) return false;
  if (PyFloat_CheckExact(value->object.get())) {
    *out = PyFloat_AS_DOUBLE(value->object.get());
    return true;
  }
  int64_t number = 0;
  if (!small_int(value->object.get(), &number) || std::abs(number) > kExact) return false;
  *out = static_cast<double>(number);
  return true;
}

// An open float of the program beside a constant: a relation that other floats may have too.
bool order_compare(Executor& x, const SymRef& a, const SymRef& b, int op, bool* out) {
  static constexpr int kReversed[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
  if (b->kind == SymKind::kNumber && a->kind != SymKind::kNumber)
    return order_compare(x, b, a, kReversed[op], out);
  double constant = 0;
  if (a->kind != SymKind::kNumber || a->number->kind != NumberNode::Kind::kSource ||
      !as_double(b, &constant))
    return false;
  const double now = PyFloat_AS_DOUBLE(a->number->object.get());
  x.heap().guards().add_guard(order_guard(a->number->source, now, op, constant));
  return *out = in_order(now, op, constant), true;
}

bool holds_size(const SymRef& value) {
  return value->kind == SymKind::kTuple && !value->cls &&
         std::any_of(value->items.begin(), value->items.end(), is_size);
}

// == and != of plain tuples with sizes in them, as shapes are compared. False: not of that kind.
bool shape_compare(Executor& x, const SymRef& a, const SymRef& b, int op, bool* out) {
  if ((op != Py_EQ && op != Py_NE) || (!holds_size(a) && !holds_size(b))) return false;
  const std::vector<SymRef>*left = x.heap().items(a), *right = x.heap().items(b);
  if (!left || !right || is_list(a) || is_list(b)) return false;
  bool equal = true;  // tuples of other lengths are compared item by item too
  for (size_t i = 0; equal && i < std::min(left->size(), right->size()); ++i) {
    const SymRef &l = (*left)[i], &r = (*right)[i];
    if (!x.heap().realize_open(l) || !x.heap().realize_open(r)) return false;
    const SizeExpr m = Sizes::expr(l), n = Sizes::expr(r);
    if (!m || !n) return false;
    equal = x.sizes().decide(SizeCompare::kEqual, m, n);
  }
  *out = (equal && left->size() == right->size()) == (op == Py_EQ);
  return true;
}

}  // namespace

bool Executor::compare(const SymRef& a, const SymRef& b, int op, SymRef* out) {
  bool holds = false;
  if (!look_number(a) || !look_number(b)) return false;
  if (size_compare(*this, a, b, op, &holds) || order_compare(*this, a, b, op, &holds) ||
      shape_compare(*this, a, b, op, &holds))
    return *out = sym_bool(holds), true;
  if (!a->is_tensor() && !b->is_tensor() && (!look(a) || !look(b))) return false;
  const std::string what = fmt::format("comparison of {} and {}", describe(*a), describe(*b));
  SymRef p, q;
  const bool numpy = numpy_pair(a, b);
  if (!numpy && (a->kind == SymKind::kObject || b->kind == SymKind::kObject))
    return plain_pair(*this, a, b, false, &p, &q) ? compare(p, q, op, out)
                                                  : instance_compare(*this, a, b, op, out);
  if (a->is_tensor() || b->is_tensor()) {
    const SymRef& other = a->is_tensor() ? b : a;
    if (!numpy && (is_no_operand(other) || is_plain_sequence(*this, other))) {
      if (op != Py_EQ && op != Py_NE) return fail(BreakReason::kRaises, what);
      return *out = sym_bool(op == Py_NE), true;
    }
    if (!(numpy || a->is_tensor() || is_plain_number(a)) ||
        !(numpy || b->is_tensor() || is_plain_number(b)))
      return fail(BreakReason::kUnsupported, what);
    Val inputs[2];
    if (!to_val(a, &inputs[0]) || !to_val(b, &inputs[1])) return false;
    return apply(*compare_op(op), inputs, {}, out);
  }
  bool known = false;
  if (!numpy_compare(*this, a, b, op, out, &known)) return false;
  if (known) return true;
  Ref left = constant_object(a), right = constant_object(b);
  if (left && right) {
    const bool plain = is_builtin_value(left.get()) && is_builtin_value(right.get());
    const bool by_identity = (op == Py_EQ || op == Py_NE) && compares_by_identity(left.get()) &&
                             compares_by_identity(right.get());
    if (plain || by_identity)
      return fold(*this, PyObject_RichCompare(left.get(), right.get(), op), what.c_str(), out);
  }
  left = to_python(*this, a);
  right = left ? to_python(*this, b) : Ref();
  if (right)
    return fold(*this, PyObject_RichCompare(left.get(), right.get(), op), what.c_str(), out);
  return fail(BreakReason::kUnsupported, what);
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

}  // namespace msjit
