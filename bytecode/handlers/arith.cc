// Unary, binary and comparison operators: constants are folded, tensors become ops, sequences
// concatenate.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/builtins/sets.h"
#include "bytecode/library.h"
#include "bytecode/tensor_value.h"
#include "guards/py/convert.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

// The op a Python operator on tensors means; null when there is none.
const OpDef* binary_op(BinaryOp op) {
  static const char* const names[kBinaryOpCount] = {
      "add",        "bitwise_and", "floor_div", "",    "matmul", "mul",        "mod",
      "bitwise_or", "pow",         "",          "sub", "div",    "bitwise_xor"};
  return find_op(names[static_cast<int>(op)]);
}

const OpDef* compare_op(int op) {
  static const char* const names[] = {"less",      "less_equal", "equal",
                                      "not_equal", "greater",    "greater_equal"};
  return find_op(names[op]);
}

// Types whose operators run no user code.
bool is_builtin_value(PyObject* o) {
  return PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyComplex_CheckExact(o) || PyBytes_CheckExact(o) ||
         PyTuple_CheckExact(o) || o == Py_None;
}

// Folding must not build something huge: "x" * 10**9, 10 ** 10 ** 6.
bool is_cheap(PyObject* a, PyObject* b, BinaryOp op) {
  if (op != BinaryOp::kPower && op != BinaryOp::kMul && op != BinaryOp::kLshift) return true;
  auto small = [](PyObject* o) {
    if (!PyLong_CheckExact(o)) return !PyTuple_CheckExact(o) || PyTuple_GET_SIZE(o) < 1024;
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    return !overflow && v > -4096 && v < 4096;
  };
  if (PyFloat_CheckExact(a) || PyFloat_CheckExact(b)) return true;
  if (op == BinaryOp::kMul && PyLong_CheckExact(a) && PyLong_CheckExact(b)) return true;
  return small(a) && small(b);
}

bool fold(Executor& x, PyObject* result, const char* what, SymRef* out) {
  if (!result) return x.raise_python(what);
  *out = make_const(Ref::steal(result));
  return true;
}

bool is_size(const SymRef& value) { return value->kind == SymKind::kSize; }

bool is_plain_number(const SymRef& value) {
  if (is_size(value) || value->kind == SymKind::kNumber) return true;
  PyObject* o = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  return o && (PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o));
}

bool concat(Executor& x, const SymRef& a, const SymRef& b, bool in_place, SymRef* out) {
  const std::vector<SymRef>* left = x.heap().items(a);
  const std::vector<SymRef>* right = x.heap().items(b);
  std::vector<SymRef> items = *left;
  items.insert(items.end(), right->begin(), right->end());
  if (in_place && a->kind == SymKind::kList) {
    a->items = std::move(items);
    a->changed = a->source != kNoSource;
    *out = a;
    return true;
  }
  *out = make_items(a->kind == SymKind::kList ? SymKind::kList : SymKind::kTuple, std::move(items));
  return true;
}

bool repeat(Executor& x, const SymRef& sequence, const SymRef& count, SymRef* out) {
  const long n = PyLong_AsLong(count->object.get());
  if (n == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return x.fail(BreakReason::kRaises, "repeating a sequence");
  }
  std::vector<SymRef> items;
  const std::vector<SymRef>& unit = *x.heap().items(sequence);
  constexpr long kMaxItems = 4096;
  if (n > kMaxItems || (n > 0 && static_cast<size_t>(n) * unit.size() > kMaxItems))
    return x.fail(BreakReason::kUnrollLimit);
  for (long k = 0; k < n; ++k) items.insert(items.end(), unit.begin(), unit.end());
  *out = make_items(sequence->kind == SymKind::kList ? SymKind::kList : SymKind::kTuple,
                    std::move(items));
  return true;
}

bool is_sequence(Executor& x, const SymRef& value) {
  return value->kind != SymKind::kTensor && x.heap().items(value) != nullptr;
}
bool is_list(const SymRef& value) { return value->kind == SymKind::kList; }

// Arithmetic that leaves open sizes open; null: the numbers have to do.
SymRef size_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op) {
  if (!is_size(a) && !is_size(b)) return nullptr;
  switch (op) {
    case BinaryOp::kAdd: return x.sizes().binary(SizeOp::kAdd, a, b);
    case BinaryOp::kSubtract: return x.sizes().binary(SizeOp::kSub, a, b);
    case BinaryOp::kMul: return x.sizes().binary(SizeOp::kMul, a, b);
    case BinaryOp::kFloorDivide: return x.sizes().binary(SizeOp::kFloorDiv, a, b);
    case BinaryOp::kRemainder: return x.sizes().binary(SizeOp::kMod, a, b);
    default: return nullptr;
  }
}

NumberExpr number_of(const SymRef& value) {
  if (value->kind == SymKind::kNumber) return value->number;
  NumberNode leaf{is_size(value) ? NumberNode::Kind::kSize : NumberNode::Kind::kConst};
  leaf.object = value->object;
  leaf.size = value->size;
  return std::make_shared<NumberNode>(std::move(leaf));
}

// Whether other numbers in the place of the open ones of a and b may make Python raise.
bool number_may_raise(const SymRef& b, BinaryOp op) {
  switch (op) {
    case BinaryOp::kTrueDivide:
    case BinaryOp::kFloorDivide:
    case BinaryOp::kRemainder: return b->kind != SymKind::kConst;
    default: return op == BinaryOp::kPower;
  }
}

// Arithmetic of open floats, and of open sizes where it gives a float; null: the numbers have to
// do. What may raise is computed in each call, used or not.
SymRef number_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op) {
  constexpr int64_t kMaxTerms = 128;
  const auto open = [](const SymRef& v) { return is_size(v) || v->kind == SymKind::kNumber; };
  if ((!open(a) && !open(b)) || !is_plain_number(a) || !is_plain_number(b)) return nullptr;
  Ref now = Ref::steal(python_binary(op, a->object.get(), b->object.get()));
  if (!now) PyErr_Clear();
  if (!now || !PyFloat_CheckExact(now.get())) return nullptr;
  NumberNode made{NumberNode::Kind::kBinary};
  made.binary = op;
  made.a = number_of(a);
  made.b = number_of(b);
  made.terms = made.a->terms + made.b->terms + 1;
  const bool may_raise = number_may_raise(b, op);
  if (made.terms > kMaxTerms || (may_raise && x.in_arm())) return nullptr;
  SymRef value = make_sym(SymKind::kNumber);
  value->object = std::move(now);
  value->number = std::make_shared<NumberNode>(std::move(made));
  if (may_raise) x.add_demand(value);
  return value;
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

namespace {

// A tensor and a NumPy scalar, which leaves the operation to the tensor.
bool numpy_pair(const SymRef& a, const SymRef& b) {
  const auto scalar = [](const SymRef& v) {
    return v->kind == SymKind::kObject && v->source != kNoSource &&
           is_numpy_scalar(v->object.get());
  };
  const auto plain = [](const SymRef& v) {
    return v->is_tensor() && (!v->object || is_exact_tensor(v->object.get()));
  };
  return (plain(a) && scalar(b)) || (scalar(a) && plain(b));
}

bool is_text(const SymRef& value) {
  PyObject* o = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  return o && (PyUnicode_CheckExact(o) || PyBytes_CheckExact(o));
}

// Members of an IntEnum and the like compute as what they are, but in the hands of an instance, and
// are printed by their classes.
bool plain_pair(Executor& x, const SymRef& a, const SymRef& b, bool prints, SymRef* p, SymRef* q) {
  *p = plain_value(x, a);
  *q = plain_value(x, b);
  if (prints && *q != b && is_text(*p)) return false;
  return (*p != a && (*q != b || b->kind != SymKind::kObject)) ||
         (*q != b && a->kind != SymKind::kObject);
}

}  // namespace

bool Executor::binary(const SymRef& a, const SymRef& b, BinaryOp op, bool in_place, SymRef* out) {
  if (a->kind == SymKind::kScalar || b->kind == SymKind::kScalar)
    return scalar_binary(*this, a, b, op, out);
  if (!look_number(a) || !look_number(b)) return false;
  if ((*out = size_binary(*this, a, b, op)) || (*out = number_binary(*this, a, b, op))) return true;
  if (!a->is_tensor() && !b->is_tensor() && (!look(a) || !look(b))) return false;
  const std::string what = fmt::format("{} {} {}", describe(*a), binary_symbol(op), describe(*b));
  bool sets = false;
  if (!set_binary(*this, a, b, op, in_place, out, &sets)) return false;
  if (sets) return true;
  SymRef p, q;
  const bool numpy = numpy_pair(a, b);
  if (!numpy && (a->kind == SymKind::kObject || b->kind == SymKind::kObject))
    return plain_pair(*this, a, b, op == BinaryOp::kRemainder, &p, &q)
               ? binary(p, q, op, in_place, out)
               : instance_binary(*this, a, b, op, in_place, out);
  if (a->is_tensor() || b->is_tensor()) {
    const OpDef* def = binary_op(op);
    if (!def || !(numpy || a->is_tensor() || is_plain_number(a)) ||
        !(numpy || b->is_tensor() || is_plain_number(b)))
      return fail(BreakReason::kUnsupported, what);
    Val inputs[2];
    if (!to_val(a, &inputs[0]) || !to_val(b, &inputs[1])) return false;
    return apply(*def, inputs, {}, out);
  }
  Ref left = constant_object(a), right = constant_object(b);
  if (left && right && is_builtin_value(left.get()) && is_builtin_value(right.get())) {
    if (!is_cheap(left.get(), right.get(), op)) return fail(BreakReason::kUnsupported, what);
    return fold(*this, python_binary(op, left.get(), right.get()), what.c_str(), out);
  }
  if (op == BinaryOp::kRemainder && left && PyUnicode_CheckExact(left.get())) {
    right = to_python(*this, b);
    if (right) return fold(*this, PyNumber_Remainder(left.get(), right.get()), what.c_str(), out);
  }
  if (op == BinaryOp::kAdd && is_sequence(*this, a) && is_sequence(*this, b) &&
      is_list(a) == is_list(b))
    return concat(*this, a, b, in_place, out);
  if (op == BinaryOp::kMul && is_sequence(*this, a) && is_plain_number(b) &&
      PyLong_Check(b->object.get()) && !(in_place && is_list(a)))
    return repeat(*this, a, b, out);
  if (op == BinaryOp::kMul && is_sequence(*this, b) && is_plain_number(a) &&
      PyLong_Check(a->object.get()))
    return repeat(*this, b, a, out);
  return fail(BreakReason::kUnsupported, what);
}

bool Executor::compare(const SymRef& a, const SymRef& b, int op, SymRef* out) {
  bool holds = false;
  if (!look_number(a) || !look_number(b)) return false;
  if (size_compare(*this, a, b, op, &holds) || shape_compare(*this, a, b, op, &holds))
    return *out = sym_bool(holds), true;
  if (!a->is_tensor() && !b->is_tensor() && (!look(a) || !look(b))) return false;
  const std::string what = fmt::format("comparison of {} and {}", describe(*a), describe(*b));
  SymRef p, q;
  const bool numpy = numpy_pair(a, b);
  if (!numpy && (a->kind == SymKind::kObject || b->kind == SymKind::kObject))
    return plain_pair(*this, a, b, false, &p, &q) ? compare(p, q, op, out)
                                                  : instance_compare(*this, a, b, op, out);
  if (a->is_tensor() || b->is_tensor()) {
    if (!(numpy || a->is_tensor() || is_plain_number(a)) ||
        !(numpy || b->is_tensor() || is_plain_number(b)))
      return fail(BreakReason::kUnsupported, what);
    Val inputs[2];
    if (!to_val(a, &inputs[0]) || !to_val(b, &inputs[1])) return false;
    return apply(*compare_op(op), inputs, {}, out);
  }
  Ref left = constant_object(a), right = constant_object(b);
  if (left && right) {
    const bool plain = is_builtin_value(left.get()) && is_builtin_value(right.get());
    const bool by_identity = (op == Py_EQ || op == Py_NE) && is_identity_constant(left.get()) &&
                             is_identity_constant(right.get());
    if (plain || by_identity)
      return fold(*this, PyObject_RichCompare(left.get(), right.get(), op), what.c_str(), out);
  }
  left = to_python(*this, a);
  right = left ? to_python(*this, b) : Ref();
  if (right)
    return fold(*this, PyObject_RichCompare(left.get(), right.get(), op), what.c_str(), out);
  return fail(BreakReason::kUnsupported, what);
}

bool Executor::unary(const SymRef& value, UnaryOp op, SymRef* out) {
  if (op == UnaryOp::kNot) {
    bool is_true = false;
    if (!truth(value, &is_true)) return false;
    *out = make_const(Ref::share(is_true ? Py_False : Py_True));
    return true;
  }
  if (!look_number(value)) return false;
  if (value->kind == SymKind::kNumber && op == UnaryOp::kNegative) {
    NumberNode made{NumberNode::Kind::kUnary};
    made.a = value->number;
    made.terms = value->number->terms + 1;
    *out = make_sym(SymKind::kNumber);
    (*out)->object = Ref::steal(PyNumber_Negative(value->object.get()));
    (*out)->number = std::make_shared<NumberNode>(std::move(made));
    return true;
  }
  if (is_size(value) && op == UnaryOp::kNegative &&
      (*out = sizes_.binary(SizeOp::kSub, make_const(Ref::steal(PyLong_FromLong(0))), value)))
    return true;
  if (!look(value)) return false;
  if (value->is_tensor()) {
    if (op == UnaryOp::kPositive) return *out = value, true;  // the very tensor
    const OpDef* def = find_op(op == UnaryOp::kNegative ? "neg" : "logical_not");
    return def ? apply(*def, std::span(&value->tensor, 1), {}, out)
               : fail(BreakReason::kUnsupported, unary_symbol(op));
  }
  if (const SymRef plain = plain_value(*this, value); plain != value) return unary(plain, op, out);
  if (value->kind == SymKind::kObject) {
    const char* const names[] = {"__pos__", "__neg__", "", "__invert__"};
    return call_special(*this, value, names[static_cast<int>(op)], {}, out);
  }
  if (!is_plain_number(value))
    return fail(BreakReason::kUnsupported, "unary operator on " + describe(*value));
  PyObject* object = value->object.get();
  PyObject* result = op == UnaryOp::kNegative   ? PyNumber_Negative(object)
                     : op == UnaryOp::kPositive ? PyNumber_Positive(object)
                                                : PyNumber_Invert(object);
  return fold(*this, result, "unary operator", out);
}

bool exec_Unary(Executor& x, SymFrame& f, const Instr& i) {
  SymRef out;
  if (!x.unary(f.peek(1), i.unary(), &out)) return false;
  f.peek(1) = std::move(out);
  return true;
}

namespace {
bool binary_instr(Executor& x, SymFrame& f, const Instr& i, bool in_place) {
  const SymRef b = f.pop();
  const SymRef a = f.pop();
  SymRef out;
  if (!x.binary(a, b, i.binary(), in_place, &out)) return false;
  f.push(std::move(out));
  return true;
}
}  // namespace

bool exec_Binary(Executor& x, SymFrame& f, const Instr& i) { return binary_instr(x, f, i, false); }
bool exec_InplaceBinary(Executor& x, SymFrame& f, const Instr& i) {
  return binary_instr(x, f, i, true);
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
  if (has_special(container, "__contains__")) {
    SymRef answer;
    return call_special(*this, container, "__contains__", {item}, &answer) && truth(answer, out);
  }
  if (container->kind == SymKind::kDict && heap_.pin_key(item)) {
    *out = heap_.dict_get(container, item) != nullptr;
    return true;
  }
  if (container->kind == SymKind::kSet) return set_contains(*this, container, item, out);
  if (container->kind == SymKind::kVars) {
    SymRef value;
    if (!vars_get(*this, container, item, &value)) return false;
    return *out = value != nullptr, true;
  }
  if (container->kind == SymKind::kIterator && container->iterator->kind == IterKind::kDictView &&
      PyUnicode_READ_CHAR(container->iterator->object.get(), 0) == 'k')
    return contains(container->iterator->children[0], item, out);
  if (!container->is_tensor() && heap_.items(container)) {
    *out = true;
    for (const SymRef& candidate : std::vector<SymRef>(*heap_.items(container))) {
      bool same = false;
      if (!same_item(*this, candidate, item, &same)) return false;
      if (same) return true;
    }
    *out = false;
    return true;
  }
  if (container->kind == SymKind::kConst && !is_identity_constant(container->object.get())) {
    Ref known = to_python(*this, item);
    const int found = known ? PySequence_Contains(container->object.get(), known.get()) : -2;
    if (found == -1) return raise_python("in");
    if (found >= 0) return *out = found == 1, true;
  }
  return fail(BreakReason::kUnsupported, fmt::format("'in' on {}", describe(*container)));
}

bool exec_ContainsOp(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef container = f.pop();
  const SymRef item = f.pop();
  bool found = false;
  if (!x.contains(container, item, &found)) return false;
  f.push(make_const(Ref::share(found != (i.arg == 1) ? Py_True : Py_False)));
  return true;
}

}  // namespace msjit
