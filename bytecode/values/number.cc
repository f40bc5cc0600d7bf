// Open floats, and operators of open floats and sizes.
#include <cstdlib>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/values/computed_classes.h"
#include "bytecode/values/size.h"
#include "guards/kinds/order.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// Arithmetic that leaves open sizes open; null: compute with the ints.
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

// Whether Python may raise for other values of the open numbers.
bool number_may_raise(const SymRef& b, BinaryOp op) {
  switch (op) {
    case BinaryOp::kTrueDivide:
    case BinaryOp::kFloorDivide:
    case BinaryOp::kRemainder: return b->kind != SymKind::kConst;
    default: return op == BinaryOp::kPower;
  }
}

// Arithmetic of open floats, and of open sizes if it gives a float; null: compute with the numbers.
// If it may raise, it is computed in each call, used or not. That is allowed in an arm too: where
// it raises, the interpreter runs the region.
SymRef number_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op) {
  constexpr int64_t kMaxTerms = 128;
  const auto open = [](const SymRef& v) { return is_size(v) || v->kind == SymKind::kNumber; };
  if ((!open(a) && !open(b)) || !is_plain_number(a) || !is_plain_number(b)) return nullptr;
  Ref now =
      Ref::steal(host::call(host::values, python_binary, op, a->object.get(), b->object.get()));
  if (!now) PyErr_Clear();
  if (!now || !PyFloat_CheckExact(now.get())) return nullptr;
  NumberNode made{NumberNode::Kind::kBinary};
  made.binary = op;
  made.a = number_of(a);
  made.b = number_of(b);
  made.terms = made.a->terms + made.b->terms + 1;
  if (made.terms > kMaxTerms) return nullptr;
  SymRef value = make_sym(SymKind::kNumber);
  value->object = std::move(now);
  value->number = std::make_shared<NumberNode>(std::move(made));
  if (number_may_raise(b, op)) x.add_demand(value);
  return value;
}

// A comparison of sizes. Its outcome becomes a relation that the sizes of later calls must satisfy.
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

// A known float, or an int that a double holds exactly, as not every int beyond 2**53 is.
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

// A comparison of an open float with a constant. Its outcome is guarded, so other floats with this
// outcome are served too.
bool order_compare(Executor& x, const SymRef& a, const SymRef& b, int op, bool* out) {
  static constexpr int kReversed[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
  if (b->kind == SymKind::kNumber && a->kind != SymKind::kNumber)
    return order_compare(x, b, a, kReversed[op], out);
  double constant = 0;
  if (a->kind != SymKind::kNumber || a->number->kind != NumberNode::Kind::kSource ||
      !as_double(b, &constant))
    return false;
  const double now = PyFloat_AS_DOUBLE(a->number->object.get());
  x.heap().guards().add(guard::order, a->number->source, order_payload(now, op, constant));
  return *out = in_order(now, op, constant), true;
}

PyTypeObject* number_type(const SymValue&) { return &PyFloat_Type; }

int number_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made{&recipe_number};
  made.open = value->number;
  return exit.add(std::move(made));
}

bool negated(Executor& x, const SymRef& value, SymRef* out) {
  NumberNode made{NumberNode::Kind::kUnary};
  made.a = value->number;
  made.terms = value->number->terms + 1;
  *out = make_sym(SymKind::kNumber);
  (*out)->object = Ref::steal(host::call(host::values, PyNumber_Negative, value->object.get()));
  (*out)->number = std::make_shared<NumberNode>(std::move(made));
  return (*out)->object || x.raise_python("unary operator");
}

bool number_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  *known = op == UnaryOp::kNegative;
  return !*known || negated(x, value, out);
}

}  // namespace

bool open_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool, SymRef* out,
                 bool* known) {
  if (!x.look_number(a) || !x.look_number(b)) return false;
  *known = (*out = size_binary(x, a, b, op)) || (*out = number_binary(x, a, b, op));
  return true;
}

bool open_call(Executor& x, PyObject* function, const char* name, const std::vector<SymRef>& args,
               SymRef* out, bool* known) {
  constexpr int64_t kMaxTerms = 128;
  if (x.strict() || args.empty() || args.size() > 2) return true;
  std::vector<PyTypeObject*> classes;
  bool open = false;
  for (const SymRef& arg : args) {
    if (arg->kind == SymKind::kLazy && !x.look_number(arg)) return false;
    if (!is_plain_number(arg) || PyBool_Check(arg->object.get())) return true;
    open |= is_size(arg) || arg->kind == SymKind::kNumber;
    classes.push_back(Py_TYPE(arg->object.get()));
  }
  if (!open || class_of_call(function, name, classes) != &PyFloat_Type) return true;
  PyObject* const second = args.size() > 1 ? args[1]->object.get() : nullptr;
  Ref now = Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs, function,
                                  args[0]->object.get(), second, nullptr));
  if (!now) PyErr_Clear();
  if (!now || !PyFloat_CheckExact(now.get())) return true;
  NumberNode made{NumberNode::Kind::kCall};
  made.object = Ref::share(function);
  made.a = number_of(args[0]);
  made.b = second ? number_of(args[1]) : nullptr;
  made.terms = made.a->terms + (made.b ? made.b->terms : 0) + 1;
  if (made.terms > kMaxTerms) return true;
  SymRef value = make_sym(SymKind::kNumber);
  value->object = std::move(now);
  value->number = std::make_shared<NumberNode>(std::move(made));
  x.add_demand(value);
  *out = std::move(value);
  return *known = true;
}

bool open_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out, bool* known) {
  bool holds = false;
  *known = size_compare(x, a, b, op, &holds) || order_compare(x, a, b, op, &holds);
  if (*known) *out = sym_bool(holds);
  return true;
}

const ValueKind value_number = {.name = "float that differs between calls",
                                .type = number_type,
                                .binary = open_binary,
                                .compare = open_compare,
                                .unary = number_unary,
                                .rebuild = number_rebuild};

}  // namespace msjit
