// Python numbers that the turns of a loop hand on to each other: `lr *= 0.9`, `total +=
// float(loss)`. Such a number is carried as a float64 or int64 tensor, which has exactly Python's
// value (values/computed_graph.h). Behind the loop it is a Python number again.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "bytecode/loop_body.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/computed_graph.h"
#include "bytecode/values/turn_table.h"
#include "graph/control.h"
#include "kernels/core/registry.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

// A carried int stays within these bounds, so that sums of it fit 64 bits.
constexpr int kCarriedBits = 52;
constexpr int kBeyond = 64;

bool is_carried_class(PyTypeObject* type) { return type == &PyFloat_Type || type == &PyLong_Type; }

// The class of a float or int that a loop may carry; null for other values.
PyTypeObject* number_class(const SymRef& value) {
  switch (value->kind) {
    case SymKind::kConst:
    case SymKind::kSize:
    case SymKind::kNumber:
    case SymKind::kScalar:
    case SymKind::kComputed:
    case SymKind::kTurn:
    case SymKind::kTurnTable: break;
    default: return nullptr;
  }
  PyTypeObject* const type = type_of(*value);
  return is_carried_class(type) ? type : nullptr;
}

SymRef as_number(const Val& tensor, PyTypeObject* type) {
  SymRef value = make_sym(SymKind::kScalar);
  value->tensor = tensor;
  value->joined = true;
  value->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  if (type == &PyLong_Type) {
    value->at_least = -(int64_t{1} << kCarriedBits);
    value->at_most = int64_t{1} << kCarriedBits;
  }
  return value;
}

// Whether a value has been looked at, or need not be.
bool is_read(Executor& x, const SymRef& value) {
  return value->kind != SymKind::kLazy || x.heap().realize_number(value);
}

// A bound on the bits of what a turn adds to `inside`; kBeyond: it does something else.
bool added_bits(Executor& x, const SymRef& last, const SymRef& inside, int* bits) {
  *bits = last == inside ? 0 : kBeyond;
  if (last == inside || last->kind != SymKind::kComputed) return true;
  const Computed computed = computed_parts(*last);
  const bool sum = BinaryOp(computed.detail) == BinaryOp::kAdd;
  if (computed.form != Computed::Form::kBinary ||
      (!sum && BinaryOp(computed.detail) != BinaryOp::kSubtract))
    return true;
  const std::vector<SymRef> of = *computed.operands;
  for (size_t i : {0, 1}) {
    if (i == 1 && !sum) break;
    int before = 0, other = 0;
    if (!added_bits(x, of[i], inside, &before)) return false;
    if (before == kBeyond) continue;
    if (!int_bits(x, of[1 - i], &other)) return false;
    *bits = std::min(kBeyond, std::max(before, other) + 1);
    return true;
  }
  return true;
}

}  // namespace

// Makes the tensors of the numbers before the loop. They must not be part of its body.
bool LoopBody::prepare_numbers() {
  numbers_.clear();
  for (const int slot : facts_.numbers) {
    const SymRef initial = x_.slot(frame_, slot);
    SymRef tensor;
    if (!initial || !is_read(x_, initial) || !number_class(initial)) continue;
    if (!python_number(x_, initial, &tensor)) return false;
    if (tensor) numbers_.emplace(slot, std::move(tensor));
  }
  return true;
}

// The number as the body sees it; null: the local is not such a number.
SymRef LoopBody::open_number(int slot, const SymRef& initial) {
  const auto found = numbers_.find(slot);
  if (found == numbers_.end()) return nullptr;
  const Val& before = found->second->tensor;
  SymRef inside = as_number(placeholder(before), number_class(initial));
  carried_.push_back({name(slot), make_tensor(before), inside});
  return inside;
}

// Notes a local that holds other numbers in other turns, for the next run of the capture.
bool LoopBody::learn_number(int slot, const SymRef& before, const SymRef& last) {
  if (!before || !last || x_.strict() || !is_read(x_, before)) return false;
  PyTypeObject* const type = number_class(before);
  if (!type || number_class(last) != type || !facts_.numbers.insert(slot).second) return false;
  return x_.control().restart = true;
}

// Whether an int cannot leave its bounds in all turns.
bool LoopBody::stays_bounded(const Carried& c, const SymRef& last, bool* bounded) {
  int added = 0, bits = 0;
  const int turns = bits_of_turns();
  if (!int_bits(x_, last, &bits) || !added_bits(x_, last, c.inside, &added)) return false;
  const Node& before = x_.sink().graph()->producer(c.initial->tensor.id());
  const int64_t known =
      before.kind == NodeKind::kConstant ? before.constant.data_as<int64_t>()[0] : INT64_MAX;
  const int initial =
      std::bit_width(known < 0 ? 0 - static_cast<uint64_t>(known) : known + uint64_t{0});
  const bool grows_slowly = turns >= 0 && std::max(initial, added + turns) + 1 <= kCarriedBits;
  *bounded = std::max(initial, bits) <= kCarriedBits || grows_slowly;
  return true;
}

bool LoopBody::check_number(Carried& c, const SymRef& given) {
  SymRef last, tensor;
  PyTypeObject* const type = type_of(*c.inside);
  if (!given || !number_of_turn(x_, given, &last)) return refuse(c.name + " is no number");
  may_peel = number_class(last) != type;
  bool bounded = type == &PyFloat_Type;
  if (number_class(last) != type || !(bounded || stays_bounded(c, last, &bounded)) || !bounded ||
      !python_number(x_, last, &tensor) || !tensor ||
      !can_join(tensor->tensor.meta(), c.inside->tensor.meta()))
    return refuse(fmt::format("the loop changes {}, which is {} before it", c.name, type->tp_name));
  c.last = given;
  c.next = joiner_->leaving(0, make_tensor(tensor->tensor));
  return c.next >= 0 || refuse(fmt::format("{} is {}", c.name, joiner_->why));
}

// A number that the last turn has made and that is read behind the loop.
SymRef LoopBody::behind_number(const SymRef& value) {
  SymRef tensor;
  PyTypeObject* const type = number_class(value);
  joiner_->why = describe(*value);
  if (!type || x_.strict() || !python_number(x_, value, &tensor) || !tensor) return nullptr;
  const SymRef made = make_tensor(tensor->tensor);
  Carried extra{{},     joiner_->filler(made->tensor), nullptr, joiner_->leaving(0, made), value,
                nullptr};
  if (!extra.initial || extra.next < 0) return nullptr;
  extra.inside = as_number(placeholder(extra.initial->tensor), type);
  carried_.push_back(std::move(extra));
  return after(carried_.back());
}

}  // namespace msjit
