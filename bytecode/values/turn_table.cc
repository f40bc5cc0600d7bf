#include "bytecode/values/turn_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "bytecode/builtins/models.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/known_arrays.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/program_arrays.h"
#include "bytecode/scan_capture.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// The turn that tells which loop a number belongs to.
const SymRef& turn_of(const SymRef& value) {
  return value->kind == SymKind::kTurn ? value : value->items[0];
}

// The loop by whose turns all of `operands` are known, but for constants; null: there is none.
ScanCapture* loop_of(Executor& x, std::span<const SymRef> operands) {
  ScanCapture* loop = nullptr;
  for (const SymRef& operand : operands) {
    if (operand->kind == SymKind::kConst) continue;
    ScanCapture* const own = is_by_turn(operand) ? x.scan_of(turn_of(operand)) : nullptr;
    if (!own || own->known_turns() < 0 || (loop && own != loop)) return nullptr;
    if (operand->kind == SymKind::kTurn && operand->items[0]->kind != SymKind::kConst)
      return nullptr;
    loop = own;
  }
  return loop;
}

SymRef in_turn(const SymRef& value, int64_t turn) {
  if (value->kind == SymKind::kTurnTable) return number_in_turn(*value, turn);
  if (value->kind != SymKind::kTurn) return value;
  const int64_t first = PyLong_AsLongLong(value->items[0]->object.get());
  return sym_int(first + PyLong_AsLongLong(value->items[1]->object.get()) * turn);
}

bool holds_number(const SymRef& value) {
  return value->kind == SymKind::kConst && is_known_number(value->object.get());
}

// Whether all are exact as float32 too, beside which the row is then one int32.
bool are_small(const Tensor& ints) {
  constexpr int64_t kMost = int64_t{1} << 24;
  return std::ranges::all_of(std::span(ints.data_as<int64_t>(), size_t(ints.numel())),
                             [](int64_t n) { return n >= -kMost && n <= kMost; });
}

// The numbers as a tensor; nothing where no dtype holds all of them.
std::optional<Tensor> tensor_of(const SymValue& table) {
  PyObject* const numbers = table.object.get();
  const Py_ssize_t count = PyTuple_GET_SIZE(numbers);
  PyObject* const first = PyTuple_GET_ITEM(numbers, 0);
  const bool truth = PyBool_Check(first);
  const bool integer = PyLong_CheckExact(first) || is_numpy_integer(first);
  const bool real = PyFloat_CheckExact(first) || (is_numpy_scalar(first) && !integer);
  if (!truth && !integer && (!real || PyNumber_Check(first) == 0)) return {};
  auto made = Tensor::empty(truth     ? DType::kBool
                            : integer ? DType::kInt64
                                      : DType::kFloat64,
                            Shape{static_cast<int64_t>(count)});
  if (!made.ok()) return {};
  Tensor all = made.take();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const number = PyTuple_GET_ITEM(numbers, i);
    if (truth) {
      all.data_as<bool>()[i] = number == Py_True;
    } else if (integer) {
      const Ref index = Ref::steal(host::call(host::values, PyNumber_Index, number));
      if (!index || !small_int(index.get(), &all.data_as<int64_t>()[i]))
        return PyErr_Clear(), std::nullopt;
    } else {
      all.data_as<double>()[i] = host::call(host::values, PyFloat_AsDouble, number);
      if (PyErr_Occurred()) return PyErr_Clear(), std::nullopt;
    }
  }
  return all;
}

// The row of a table as a kScalar.
bool scalar_of(Executor& x, const SymRef& table, SymRef* out) {
  ScanCapture* const loop = x.scan_of(table->items[0]);
  const std::optional<Tensor> numbers = tensor_of(*table);
  SymRef row;
  if (!loop || !numbers) return x.look(table);
  const DType dtype = numbers->dtype();
  Tensor rows = *numbers;
  if (dtype == DType::kInt64 && are_small(rows) && !cast_tensor(*numbers, DType::kInt32, &rows))
    return x.look(table);
  PyTypeObject* const type = is_bool(dtype)      ? &PyBool_Type
                             : is_integer(dtype) ? &PyLong_Type
                                                 : &PyFloat_Type;
  if (!loop->table_row(rows, &row) || !number_of_tensor(x, row, type, out)) return false;
  if (type != &PyLong_Type) return true;
  const auto [least, most] =
      std::ranges::minmax(std::span(numbers->data_as<int64_t>(), size_t(numbers->numel())));
  (*out)->at_least = least;
  (*out)->at_most = most;
  return true;
}

bool is_of_numpy_class(const SymRef& value) {
  return value->kind == SymKind::kTurnTable &&
         is_numpy_scalar(PyTuple_GET_ITEM(value->object.get(), 0));
}

// Computes with two operands for each turn. Where that is not possible, with what the run knows of
// them in a turn.
bool pair_by_turn(Executor& x, const SymRef& a, const SymRef& b, const OfTurn& compute, SymRef* out,
                  bool* known) {
  for (const SymRef& operand : {a, b})
    if (!is_unknown(*operand) && !x.look_number(operand)) return false;
  const SymRef operands[2] = {a, b};
  if (!compute_by_turn(x, operands, compute, out, known) || *known) return *known;
  const bool beside = a->is_tensor() || b->is_tensor();
  SymRef left, right;
  *known = true;
  return number_of_turn(x, a, &left, beside) && number_of_turn(x, b, &right, beside) &&
         compute({left, right}, out);
}

PyTypeObject* table_type(const SymValue& value) {
  return Py_TYPE(PyTuple_GET_ITEM(value.object.get(), 0));
}

std::string table_describe(const SymValue& value) {
  return fmt::format("the {} of a turn", table_type(value)->tp_name);
}

bool table_refuse(Executor& x, const SymRef& value) {
  return x.fail(BreakReason::kUnsupported, describe(*value));
}

bool table_operator(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                    SymRef* out, bool* known) {
  return pair_by_turn(
      x, a, b,
      [&](const std::vector<SymRef>& of, SymRef* made) {
        return x.binary(of[0], of[1], op, in_place, made);
      },
      out, known);
}

bool table_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                   bool* known) {
  return pair_by_turn(
      x, a, b,
      [&](const std::vector<SymRef>& of, SymRef* made) {
        return x.compare(of[0], of[1], op, made);
      },
      out, known);
}

bool table_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  const auto compute = [&](const std::vector<SymRef>& of, SymRef* made) {
    return x.unary(of[0], op, made);
  };
  return compute_by_turn(x, std::span(&value, 1), compute, out, known);
}

bool table_item(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  bool known = false;
  const auto item = [&](const std::vector<SymRef>& of, SymRef* made) {
    SymRef method;
    return x.get_attr(of[0], interned_text("item").get(), &method) &&
           x.call(method, {}, nullptr, made);
  };
  if (names || args.size() != 1) return x.look(args[0]);
  return compute_by_turn(x, args, item, out, &known) && (known || x.look(args[0]));
}

constexpr ModelRow kTableMethods[] = {{"item", table_item}};

BuiltinModel table_method(const SymRef&, const char* name) { return find_row(kTableMethods, name); }

bool table_attribute(Executor& x, const SymRef& table, PyObject* name, SymRef* out) {
  const bool known = is_of_numpy_class(table) && find_row(kTableMethods, utf8_text(name));
  return known ? bound_by_name(table, name, out) : x.look(table);
}

}  // namespace

bool is_known_number(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
         is_numpy_scalar(object);
}

SymRef number_in_turn(const SymValue& table, int64_t turn) {
  return make_const(Ref::share(PyTuple_GET_ITEM(table.object.get(), turn)));
}

bool is_known_by_turn(Executor& x, const SymRef& value) {
  return is_by_turn(value) && loop_of(x, std::span(&value, 1));
}

bool number_of_turn(Executor& x, const SymRef& value, SymRef* out, bool beside_tensor) {
  *out = value;
  if (value->kind == SymKind::kTurn) return scalar_of_turn(x, value, out);
  if (value->kind != SymKind::kTurnTable) return true;
  return !beside_tensor && is_of_numpy_class(value) ? x.look(value) : scalar_of(x, value, out);
}

bool table_of_turns(Executor& x, const SymRef& turn, const std::vector<SymRef>& values, SymRef* out,
                    bool* known) {
  const auto same_class = [&](const SymRef& value) {
    return holds_number(value) && Py_TYPE(value->object.get()) == Py_TYPE(values[0]->object.get());
  };
  if (values.empty() || !std::ranges::all_of(values, same_class)) return true;
  *known = true;
  const auto same = [&](const SymRef& value) { return value->object == values[0]->object; };
  if (std::ranges::all_of(values, same)) return *out = values[0], true;
  Ref numbers = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size()))));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(numbers.get(), static_cast<Py_ssize_t>(i), Ref(values[i]->object).release());
  *out = make_items(SymKind::kTurnTable, {turn});
  (*out)->object = std::move(numbers);
  return true;
}

bool compute_by_turn(Executor& x, std::span<const SymRef> operands, const OfTurn& compute,
                     SymRef* out, bool* known) {
  ScanCapture* const loop = loop_of(x, operands);
  if (!loop) return true;
  std::vector<SymRef> values, of(operands.size());
  for (int64_t t = 0; t < loop->known_turns(); ++t) {
    for (size_t i = 0; i < of.size(); ++i) of[i] = in_turn(operands[i], t);
    // An exception of one turn is none of the others: the loop is unrolled.
    const Executor::Catching catching(x);
    if (!compute(of, &values.emplace_back()) || !x.look_number(values.back()))
      return x.raise_ends();
    if (!holds_number(values.back())) return true;
  }
  const SymRef& turn = turn_of(*std::ranges::find_if(operands, is_by_turn));
  return table_of_turns(x, turn, values, out, known);
}

bool call_by_turn(Executor& x, const std::vector<SymRef>& args, const OfTurn& call, SymRef* out,
                  bool* known) {
  if (std::ranges::none_of(args, is_by_turn)) return true;
  for (const SymRef& arg : args)
    if (!is_unknown(*arg) && !x.look_number(arg)) return false;
  return compute_by_turn(x, args, call, out, known);
}

bool item_by_turn(Executor& x, const SymRef& container, const SymRef& key, SymRef* out,
                  bool* known) {
  if (!is_known_by_turn(x, key)) return true;
  if (!x.look(container)) return false;
  const bool plain = is_plain_sequence(x, container) || is_array(container) ||
                     is_program_array(*container) ||
                     (container->kind == SymKind::kDict && !container->cls);
  const auto read = [&](const std::vector<SymRef>& of, SymRef* made) {
    return x.subscript(container, of[0], made);
  };
  return !plain || compute_by_turn(x, std::span(&key, 1), read, out, known);
}

const ValueKind value_turn_table = {.describe = table_describe,
                                    .type = table_type,
                                    .refuse = table_refuse,
                                    .asked_unread = true,
                                    .attribute = table_attribute,
                                    .method = table_method,
                                    .binary = table_operator,
                                    .compare = table_compare,
                                    .unary = table_unary};

}  // namespace msjit
