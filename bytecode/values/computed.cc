#include "bytecode/values/computed.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/exit.h"
#include "bytecode/numbers.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/build.h"
#include "bytecode/values/computed_builds.h"
#include "bytecode/values/computed_classes.h"
#include "bytecode/values/computed_graph.h"
#include "bytecode/values/tensor_array.h"
#include "bytecode/values/turn_table.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

// The class of a number or text; null for other values. A value of the program that nothing has
// looked at gets a guard on its class and stays kLazy.
PyTypeObject* class_of(Executor& x, const SymRef& value) {
  PyTypeObject* type = nullptr;
  switch (value->kind) {
    case SymKind::kScalar:
    case SymKind::kComputed:
    case SymKind::kNumber:
    case SymKind::kSize: type = type_of(*value); break;
    case SymKind::kTensorArray: return is_number_of_array(*value) ? numpy_number() : nullptr;
    case SymKind::kLazy:
    case SymKind::kConst: type = Py_TYPE(value->object.get()); break;
    default: break;
  }
  if (type && is_numpy_scalar_class(type)) type = numpy_number();
  if (!is_computable(type)) return nullptr;
  if (value->kind == SymKind::kLazy) x.heap().guard_exact_type(value);
  return type;
}

bool is_deferred(const SymRef& value) {
  return value->kind == SymKind::kScalar || value->kind == SymKind::kComputed ||
         value->kind == SymKind::kTensorArray;
}

bool holds_deferred(const SymRef& value) {
  return is_deferred(value) || (value->kind == SymKind::kTuple && value->source == kNoSource &&
                                std::ranges::any_of(value->items, is_deferred));
}

// --- while capturing ---

// An operand with its value of now. An array would show later writes to its tensor.
SymRef as_now(const SymRef& value) {
  SymRef now = value;
  if (value->kind == SymKind::kTensorArray) return array_now(*value);
  if (value->kind != SymKind::kTuple || !holds_deferred(value)) return now;
  now = make_items(SymKind::kTuple, value->items);
  for (SymRef& item : now->items) item = as_now(item);
  return now;
}

// Makes a kComputed. False where it may raise and is in an arm of a branch, which may not be the
// one that is taken.
bool make(Executor& x, Build build, int64_t detail, Ref object, PyTypeObject* cls, bool may_raise,
          std::vector<SymRef> args, SymRef* out, bool* known) {
  *known = true;
  for (SymRef& arg : args) arg = as_now(arg);
  SymRef made = make_items(SymKind::kComputed, std::move(args));
  made->cls = Ref::share(reinterpret_cast<PyObject*>(cls));
  if (may_raise && x.in_arm()) return x.look(made);
  const auto known_classes = computable_classes();
  const auto at = std::ranges::find(known_classes, cls) - known_classes.begin();
  made->computation = std::make_shared<Computation>(
      Computation{build, detail << kClassBits | at, std::move(object)});
  if (may_raise) x.add_demand(made);
  *out = std::move(made);
  return true;
}

// Whether the operand of "..." % is a number or text, or a tuple of these.
bool shows_values(Executor& x, const SymRef& shown) {
  if (shown->kind != SymKind::kTuple || shown->cls) return class_of(x, shown) != nullptr;
  return std::ranges::all_of(shown->items,
                             [&](const SymRef& item) { return class_of(x, item) != nullptr; });
}

// --- the row ---

std::string computed_describe(const SymValue& value) {
  return fmt::format("{} made of tensors", type_of(value)->tp_name);
}

bool computed_refuse(Executor& x, const SymRef& value) {
  if (drawn_in(value)) return refuse_drawn(x, value, describe(*value));
  return x.fail(BreakReason::kTensorValue, describe(*value));
}

// An operand that is a kComputed without a recipe so far.
SymRef unmade_operand(const ExitBuilder& exit, const SymValue& value) {
  for (const SymRef& item : value.items)
    if (item->kind == SymKind::kComputed && !exit.is_made(item)) return item;
  return nullptr;
}

// The total of a long loop is a deep chain of values. The recipes are made from its beginning,
// without recursion.
int computed_rebuild(ExitBuilder& exit, const SymRef& value) {
  std::vector<SymRef> chain;
  for (SymRef at = value; (at = unmade_operand(exit, *at));) chain.push_back(at);
  for (; !chain.empty(); chain.pop_back())
    if (exit.recipe(chain.back()) < 0) return -1;
  Recipe made = made_by(value->computation->build);
  made.number = value->computation->number;
  made.object = value->computation->object;
  return exit.add(std::move(made), value->items);
}

}  // namespace

Computed computed_parts(const SymValue& value) {
  using Form = Computed::Form;
  const Computation& made = *value.computation;
  const Form form = made.build == computed_builds::binary          ? Form::kBinary
                    : made.build == computed_builds::unary         ? Form::kUnary
                    : made.build == computed_builds::compare       ? Form::kCompare
                    : made.build == computed_builds::function_call ? Form::kCall
                    : made.build == computed_builds::item          ? Form::kItem
                                                                   : Form::kOther;
  return {form, made.number >> kClassBits,
          form == Form::kCall ? function_name(made.object.get()) : "", &value.items};
}

bool is_shown_later(const Executor& x, const SymRef& value) {
  return !x.strict() && is_deferred(value) && value->kind != SymKind::kTensorArray;
}

bool computed_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out,
                     bool* known) {
  if (x.strict() || (!holds_deferred(a) && !holds_deferred(b))) return true;
  if (is_by_turn(a) || is_by_turn(b)) return true;
  PyTypeObject* const left = class_of(x, a);
  if (left == &PyUnicode_Type && op == BinaryOp::kRemainder && shows_values(x, b))
    return make(x, computed_builds::binary, static_cast<int64_t>(op), {}, &PyUnicode_Type, true,
                {a, b}, out, known);
  PyTypeObject* const right = left ? class_of(x, b) : nullptr;
  if (!right) return true;
  if (left == &PyUnicode_Type && right == left && op == BinaryOp::kAdd)
    return computed_concat(x, {a, b}, out, known);
  if ((is_numpy_class(left) || is_numpy_class(right)) && left != &PyUnicode_Type &&
      right != &PyUnicode_Type)
    return make(x, computed_builds::numpy_binary, static_cast<int64_t>(op), {}, numpy_number(),
                true, {a, b}, out, known);
  if (!is_number_class(left) || !is_number_class(right)) return true;
  PyTypeObject* const cls = class_of_numbers(left, right, b, op);
  return !cls || make(x, computed_builds::binary, static_cast<int64_t>(op), {}, cls,
                      numbers_may_raise(x, left, right, a, b, op), {a, b}, out, known);
}

bool computed_length(Executor& x, const SymRef& text, SymRef* out, bool* known) {
  return make(x, computed_builds::length, 0, {}, &PyLong_Type, false, {text}, out, known);
}

bool computed_item(Executor& x, const SymRef& index, const std::vector<SymRef>& items, SymRef* out,
                   bool* known) {
  if (x.strict() || items.empty() || class_of(x, index) != &PyLong_Type) return true;
  PyTypeObject* const cls = class_of(x, items[0]);
  if (!cls || is_numpy_class(cls)) return true;
  for (const SymRef& item : items)
    if (class_of(x, item) != cls) return true;
  std::vector<SymRef> parts = {index};
  parts.insert(parts.end(), items.begin(), items.end());
  const Draw* const draw = is_drawn(*index) ? &x.heap().draws()[index->draw] : nullptr;
  const auto count = static_cast<int64_t>(items.size());
  const bool within = draw ? draw->kind == Draw::Kind::kBelow && draw->limit <= count
                           : index->at_least >= 0 && index->at_most < count;
  return make(x, computed_builds::item, 0, {}, cls, !within, std::move(parts), out, known);
}

// An in-place operator changes an array on its left, and with it the tensor: refused.
bool computed_operator(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                       SymRef* out, bool* known) {
  if (in_place && a->kind == SymKind::kTensorArray) return x.look(a);
  if (is_by_turn(a) || is_by_turn(b)) return true;
  if (!computed_binary(x, a, b, op, out, known)) return false;
  if (*known) return true;
  *known = true;
  return scalar_binary(x, a, b, op, out);
}

bool computed_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                      bool* known) {
  if (x.strict() || is_by_turn(a) || is_by_turn(b) || (!is_deferred(a) && !is_deferred(b)))
    return true;
  PyTypeObject *const left = class_of(x, a), *const right = left ? class_of(x, b) : nullptr;
  if (!right || !is_number_class(left) || !is_number_class(right))  // arrays compare elementwise
    return scalar_compare(x, a, b, op, out, known);
  return make(x, computed_builds::compare, op, {}, &PyBool_Type, false, {a, b}, out, known);
}

namespace {

// `not value`, if the truth can be computed as a tensor.
bool negated_test(Executor& x, const SymRef& value, SymRef* out, bool* known) {
  SymRef test;
  if (!test_of_computed(x, value, &test)) return false;
  *known = test != nullptr;
  return !test || truth_of_tensor(x, test, true, out);
}

}  // namespace

bool computed_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  PyTypeObject* const type = x.strict() ? nullptr : class_of(x, value);
  if (op == UnaryOp::kNot) return negated_test(x, value, out, known);
  if (!is_number_class(type)) return true;
  if (op == UnaryOp::kInvert && type != &PyLong_Type) return true;  // ~True warns
  return make(x, computed_builds::unary, static_cast<int64_t>(op), {},
              is_int_class(type) ? &PyLong_Type : &PyFloat_Type, false, {value}, out, known);
}

bool computed_call(Executor& x, PyObject* object, const char* name,
                   const std::vector<SymRef>& given, PyObject* names, SymRef* out, bool* known) {
  std::vector<SymRef> args = given;
  const auto in_a_turn = [&](const std::vector<SymRef>& of, SymRef* made) {
    return x.call(make_const(Ref::share(object)), of, nullptr, made);
  };
  if (!names && !call_by_turn(x, given, in_a_turn, out, known)) return false;
  if (*known) return true;
  for (SymRef& arg : args)
    if (!number_of_turn(x, SymRef(arg), &arg)) return false;
  if (x.strict() || names || !std::ranges::any_of(args, is_deferred)) return true;
  std::vector<PyTypeObject*> classes;
  for (const SymRef& arg : args) {
    classes.push_back(class_of(x, arg));
    if (!classes.back()) return true;
  }
  PyTypeObject* const cls = class_of_call(object, name, classes);
  if (!cls) return true;
  std::vector<SymRef> all = args;
  Ref function = Ref::share(object);
  PyObject* const self = PyCFunction_Check(object) ? PyCFunction_GET_SELF(object) : nullptr;
  if (self && PyUnicode_CheckExact(self)) {  // "...".format: call str.format, which is never freed
    all.insert(all.begin(), make_const(Ref::share(self)));
    function = Ref::steal(host::call(host::of_static, PyObject_GetAttrString,
                                     reinterpret_cast<PyObject*>(&PyUnicode_Type), "format"));
    if (!function) return x.raise_python(name);
  }
  // int() and float() of an int of 64 bits always work.
  const bool small = args.size() == 1 && args[0]->kind == SymKind::kScalar &&
                     is_integer(args[0]->tensor.dtype()) && is_int_class(classes[0]);
  const bool of_int = object == reinterpret_cast<PyObject*>(&PyLong_Type) ||
                      object == reinterpret_cast<PyObject*>(&PyFloat_Type);
  const bool may_raise = !(small && of_int) && call_may_raise(object, classes);
  return make(x, computed_builds::function_call, 0, std::move(function), cls, may_raise,
              std::move(all), out, known);
}

bool computed_ufunc(Executor& x, PyObject* ufunc, const SymRef& arg, SymRef* out, bool* known) {
  if (x.strict() || !is_deferred(arg) || *function_name(ufunc) == '\0') return true;
  PyTypeObject* const type = class_of(x, arg);
  const bool of_array =
      arg->kind == SymKind::kTensorArray && is_numpy_class(type) && is_float(arg->tensor.dtype());
  return !(of_array || type == &PyFloat_Type) ||
         make(x, computed_builds::function_call, 0, Ref::share(ufunc), numpy_number(), false, {arg},
              out, known);
}

bool computed_sum(Executor& x, PyObject* sum, const std::vector<SymRef>& items, const SymRef& start,
                  SymRef* out, bool* known) {
  PyTypeObject* const type = class_of(x, start);
  if (!is_number_class(type)) return true;
  bool floats = !is_int_class(type);
  for (const SymRef& item : items) {
    PyTypeObject* const of_item = class_of(x, item);
    if (!is_number_class(of_item)) return true;
    floats |= !is_int_class(of_item);
  }
  return make(x, computed_builds::function_call, 0, Ref::share(sum),
              floats ? &PyFloat_Type : &PyLong_Type, true,
              {make_items(SymKind::kTuple, items), start}, out, known);
}

bool computed_format(Executor& x, const SymRef& value, int conversion, Ref spec, SymRef* out,
                     bool* known) {
  if (x.strict() || !is_deferred(value) || !class_of(x, value)) return true;
  if (!spec) spec = allocated(Ref::steal(PyUnicode_FromStringAndSize(nullptr, 0)));
  return make(x, computed_builds::format, conversion, std::move(spec), &PyUnicode_Type, true,
              {value}, out, known);
}

bool computed_concat(Executor& x, const std::vector<SymRef>& texts, SymRef* out, bool* known) {
  if (x.strict() || !std::ranges::any_of(texts, is_deferred)) return true;
  for (const SymRef& text : texts)
    if (class_of(x, text) != &PyUnicode_Type) return true;
  return make(x, computed_builds::concat, 0, {}, &PyUnicode_Type, false, texts, out, known);
}

const ValueKind value_computed = {.describe = computed_describe,
                                  .refuse = computed_refuse,
                                  .binary = computed_operator,
                                  .compare = computed_compare,
                                  .unary = computed_unary,
                                  .rebuild = computed_rebuild};

}  // namespace msjit
