#include "bytecode/verify.h"

#include <algorithm>
#include <span>

#include "bytecode/versions/version.h"

namespace msjit {
namespace {

bool is_slot(const DecodedCode& code, int slot) { return slot >= 0 && slot < code.slot_count(); }

bool is_cell(const DecodedCode& code, int slot) {
  return is_slot(code, slot) && code.slot_kind(slot) != SlotKind::kLocal;
}

bool is_constant(const DecodedCode& code, int index) {
  return index >= 0 && index < code.constant_count();
}

bool is_keyword_names(const DecodedCode& code, const Instr& call) {
  if (call.aux < 0) return true;
  if (!is_constant(code, call.aux)) return false;
  PyObject* names = code.constant(call.aux).get();
  if (!PyTuple_CheckExact(names) || PyTuple_GET_SIZE(names) > call.arg) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
    if (!PyUnicode_Check(PyTuple_GET_ITEM(names, i))) return false;
  return true;
}

bool operand_fits(const DecodedCode& code, const Instr& instr) {
  const Operand& operand = operand_of(instr.op);
  const int arg = instr.arg;
  switch (operand.kind) {
    case Operand::kRange: return arg >= operand.first && arg <= operand.last;
    case Operand::kConstant: return is_constant(code, arg);
    case Operand::kSlot: return is_slot(code, arg);
    case Operand::kCell: return is_cell(code, arg);
    case Operand::kName: return arg >= 0 && arg < code.name_count();
    case Operand::kFreeVariables: return arg == code.free_count();
    case Operand::kArguments:
      return arg >= operands::kCount.first && arg <= operands::kCount.last &&
             is_keyword_names(code, instr);
  }
  return false;
}

// The index of the call's item that may be NULL, counted from the lowest; -1: none.
int nullable_slot(const Instr& call) {
  switch (call.form) {
    case CallForm::kNullBelow: return 0;
    case CallForm::kNullAbove: return 1;
    default: return -1;
  }
}

}  // namespace

int exit_reach(const Instr& instr) {
  return version::kHandlerItems + (version::kHandlerItems > 1 ? 1 : 3) +
         (nullable_slot(instr) >= 0 ? 1 : 0);
}

Status verify_operands(const DecodedCode& code) {
  for (const Instr& instr : code.instrs()) {
    if (!operand_fits(code, instr))
      return internal_error("[decode] operand of {}, got {} at {}", op_name(instr.op), instr.arg,
                            instr.offset);
    const int flags = op_flags(instr.op);
    if (((flags & kOpYields) || (instr.flags & Instr::kOfGenerator)) && !code.is_generator())
      return internal_error("[decode] {} outside of a generator at {}", op_name(instr.op),
                            instr.offset);
    if ((flags & kOpJump) && instr.target < 0)
      return internal_error("[decode] {} without a target at {}", op_name(instr.op), instr.offset);
  }
  return {};
}

Status verify_stack(const DecodedCode& code, const Instr& instr, int depth) {
  if (depth < items_seen(instr))
    return internal_error("[decode] stack underflow at {}", instr.offset);
  if (depth - pops(instr) + pushes(instr) > code.stack_size())
    return internal_error("[decode] stack overflow at {}", instr.offset);
  return {};
}

namespace {

// Whether the instruction finds objects where it needs them. `items` are those that it pops or
// reads.
bool finds_objects(const Instr& instr, std::span<const StackItem> items) {
  const auto is_object = [](StackItem item) { return item <= StackItem::kObject; };
  switch (instr.op) {
    case Op::kPushExcInfo: return items[0] == StackItem::kException;
    case Op::kPopExcept: return version::kHandlerItems > 1 || items[0] == StackItem::kException;
    case Op::kPop:  // 3.8 drops what ends a body
      return version::kUnfolds || is_object(items[0]) ||
             (version::kPopsNull && items[0] != StackItem::kCode);
    case Op::kCopy: return is_object(items[0]);
    case Op::kCall:
    case Op::kCallEx: {
      const int nullable = nullable_slot(instr);
      const bool no_keywords = instr.op == Op::kCallEx && instr.form == CallForm::kNullAbove &&
                               items.back() == StackItem::kNull;
      if (no_keywords) items = items.first(items.size() - 1);
      for (int i = 0; i < int(items.size()); i++)
        if (i != nullable && !is_object(items[size_t(i)])) return false;
      return instr.op == Op::kCall || nullable < 0 || items[size_t(nullable)] == StackItem::kNull;
    }
    case Op::kReraise:
    case Op::kWithExceptStart:
      if (version::kHandlerItems == 1 && items.back() != StackItem::kException) return false;
      if (nullable_slot(instr) >= 0) items = items.subspan(2);  // __exit__ and its self or NULL
      break;
    case Op::kMakeFunction:
      if (items.end()[-1 - instr.aux] != StackItem::kCode) return false;
      break;
    default:
      if (op_flags(instr.op) & kOpNulls) return true;
      break;
  }
  return std::all_of(items.begin(), items.end(), is_object);
}

}  // namespace

Status step_items(const DecodedCode& code, const Instr& instr, StackItems* items) {
  const auto seen = size_t(items_seen(instr));
  if (!finds_objects(instr, std::span(*items).last(seen)))
    return internal_error("[decode] operands of {} at offset {}, got others than it takes",
                          op_name(instr.op), instr.offset);
  if (instr.op == Op::kSwap) {
    std::swap(items->back(), items->end()[-instr.arg]);
  } else if (instr.op == Op::kRot) {
    std::rotate(items->end() - instr.arg, items->end() - 1, items->end());
  } else if (instr.op == Op::kCopy) {
    items->push_back(items->end()[-instr.arg]);
  } else {
    items->resize(items->size() - size_t(pops(instr)));
    items->resize(items->size() + size_t(pushes(instr)), StackItem::kObject);
  }
  if (instr.op == Op::kPrepReraiseStar) items->back() = StackItem::kException;
  if (instr.op == Op::kPushExcInfo) items->end()[-2] = items->back() = StackItem::kException;
  if (instr.op == Op::kLoadConst && PyCode_Check(code.constant(instr.arg).get()))
    items->back() = StackItem::kCode;
  const int flags = op_flags(instr.op);
  if (flags & kOpGivesNull) items->back() = StackItem::kNull;
  if (flags & kOpMayGiveNull) items->back() = StackItem::kEither;
  if (instr.op == Op::kLoadMethod) items->end()[nullable_slot(instr) - 2] = StackItem::kEither;
  return {};
}

bool join_items(StackItems* into, const StackItems& other) {
  bool changed = false;
  for (size_t i = 0; i < into->size(); i++) {
    StackItem& item = (*into)[i];
    const bool objects = std::max(item, other[i]) <= StackItem::kObject;
    const StackItem both = item == other[i] ? item
                           : objects        ? StackItem::kObject
                                            : StackItem::kEither;
    changed |= both != item;
    item = both;
  }
  return changed;
}

}  // namespace msjit
