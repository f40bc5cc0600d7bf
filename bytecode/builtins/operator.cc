// The operator module: the operators as functions.
#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/values/getter.h"

namespace msjit {
namespace {

template <BinaryOp kOp, bool kInPlace>
bool binary(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "operator", args, names, 2, 2) &&
         x.binary(args[0], args[1], kOp, kInPlace, out);
}

template <int kOp>
bool compare(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "operator", args, names, 2, 2) && x.compare(args[0], args[1], kOp, out);
}

template <UnaryOp kOp>
bool unary(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "operator", args, names, 1, 1) && x.unary(args[0], kOp, out);
}

template <bool kWanted>
bool identity(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool same = false;
  if (!positional(x, "operator.is_", args, names, 2, 2)) return false;
  if (!identical(x, args[0], args[1], &same)) return false;
  *out = sym_bool(same == kWanted);
  return true;
}

bool model_truth(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool value = false;
  if (!positional(x, "operator.truth", args, names, 1, 1) || !x.truth(args[0], &value))
    return false;
  *out = sym_bool(value);
  return true;
}

bool model_contains(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool found = false;
  if (!positional(x, "operator.contains", args, names, 2, 2)) return false;
  if (!x.contains(args[0], args[1], &found)) return false;
  *out = sym_bool(found);
  return true;
}

bool model_getitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "operator.getitem", args, names, 2, 2) && x.subscript(args[0], args[1], out);
}

bool model_setitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  *out = sym_none();
  return positional(x, "operator.setitem", args, names, 3, 3) &&
         x.set_item(args[0], args[1], args[2]);
}

bool model_delitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  *out = sym_none();
  return positional(x, "operator.delitem", args, names, 2, 2) && x.del_item(args[0], args[1]);
}

const ModelRow kOperatorModels[] = {
    {"add", binary<BinaryOp::kAdd, false>},
    {"sub", binary<BinaryOp::kSubtract, false>},
    {"mul", binary<BinaryOp::kMul, false>},
    {"truediv", binary<BinaryOp::kTrueDivide, false>},
    {"floordiv", binary<BinaryOp::kFloorDivide, false>},
    {"mod", binary<BinaryOp::kRemainder, false>},
    {"pow", binary<BinaryOp::kPower, false>},
    {"matmul", binary<BinaryOp::kMatMul, false>},
    {"and_", binary<BinaryOp::kAnd, false>},
    {"or_", binary<BinaryOp::kOr, false>},
    {"xor", binary<BinaryOp::kXor, false>},
    {"lshift", binary<BinaryOp::kLshift, false>},
    {"rshift", binary<BinaryOp::kRshift, false>},
    {"iadd", binary<BinaryOp::kAdd, true>},
    {"isub", binary<BinaryOp::kSubtract, true>},
    {"imul", binary<BinaryOp::kMul, true>},
    {"lt", compare<Py_LT>},
    {"le", compare<Py_LE>},
    {"eq", compare<Py_EQ>},
    {"ne", compare<Py_NE>},
    {"gt", compare<Py_GT>},
    {"ge", compare<Py_GE>},
    {"neg", unary<UnaryOp::kNegative>},
    {"pos", unary<UnaryOp::kPositive>},
    {"invert", unary<UnaryOp::kInvert>},
    {"inv", unary<UnaryOp::kInvert>},
    {"not_", unary<UnaryOp::kNot>},
    {"is_", identity<true>},
    {"is_not", identity<false>},
    {"truth", model_truth},
    {"contains", model_contains},
    {"getitem", model_getitem},
    {"setitem", model_setitem},
    {"delitem", model_delitem},
    {"itemgetter", model_itemgetter},
    {"attrgetter", model_attrgetter},
};
const char* const kPureOperators[] = {"index"};

}  // namespace

const ModelTable models_operator = {"operator", kOperatorModels, kPureOperators};

}  // namespace msjit
