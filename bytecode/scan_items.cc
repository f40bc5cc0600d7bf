// Iterators over which a Scan can run: over ranges and tensors, also wrapped in zip, enumerate and
// reversed. An iterator is left open only if nothing but the loop can get hold of it.
#include <algorithm>
#include <utility>

#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

bool wraps(const SymIterator& it) { return it.kind == &iter_zip || it.kind == &iter_enumerate; }

bool is_builtin(const SymRef& value, PyTypeObject& type) {
  return value->is_const(reinterpret_cast<PyObject*>(&type));
}

// Whether a call of this builtin gives a loop the items of its argument, one by one.
bool walks(const SymRef& callable) {
  return is_builtin(callable, PyZip_Type) || is_builtin(callable, PyEnum_Type) ||
         is_builtin(callable, PyReversed_Type);
}

// Whether an instruction reads only the stack items that it pops.
bool is_plain(const Instr& instr) {
  switch (instr.op) {
    case Op::kNop:
    case Op::kPushNull:
    case Op::kLoadConst:
    case Op::kLoadNone:
    case Op::kLoadInt:
    case Op::kLoadFast:
    case Op::kLoadGlobal:
    case Op::kLoadName:
    case Op::kLoadDeref:
    case Op::kLoadAttr:
    case Op::kLoadMethod:
    case Op::kSubscr:
    case Op::kUnary:
    case Op::kBinary:
    case Op::kBuildTuple:
    case Op::kBuildSlice:
    case Op::kCall: return true;
    default: return false;
  }
}

}  // namespace

bool any_leaf(const SymIterator& it, bool (*holds)(const SymIterator&)) {
  if (!wraps(it)) return holds(it);
  return std::ranges::any_of(it.children, [&](const SymRef& child) {
    return child->kind == SymKind::kIterator && any_leaf(*child->iterator, holds);
  });
}

// Looks ahead from the current call: the header of the for loop that takes the call's result,
// directly or through zip, enumerate and reversed; -1: something else may take it.
int Executor::loop_ahead(const SymFrame& frame) {
  const DecodedCode& code = *frame.code;
  // The stack index of the result, and the stack depth then. Items below it are those of now.
  int at = static_cast<int>(frame.stack.size()) - pops(code[frame.pc]);
  int size = at + 1;
  for (int i = frame.pc + 1; i + 1 < code.size(); ++i) {
    const Instr& instr = code[i];
    if (instr.op == Op::kGetIter && size == at + 1)
      return code[i + 1].op == Op::kForIter ? i + 1 : -1;
    if (!is_plain(instr)) return -1;
    const int base = size - pops(instr);
    size = base + pushes(instr);
    if (base > at) continue;
    if (instr.op != Op::kCall) return -1;
    const auto is_null = [&](int k) { return base + k < at && frame.stack[base + k]->is_null(); };
    const CallSlots slots = call_slots(instr, is_null);
    if (base + slots.callable >= at) return -1;
    const SymRef& callable = frame.stack[base + slots.callable];
    if (callable->kind == SymKind::kLazy) heap_.realize(callable);
    const bool first = at == base + slots.first;
    if (!walks(callable) || (!first && !is_builtin(callable, PyZip_Type))) return -1;
    at = base;
  }
  return -1;
}

bool Executor::open_range(const SymFrame& frame, const std::vector<SymRef>& args, SymRef* out) {
  if (args.empty() || args.size() > 3) return true;
  bool open = false;
  for (const SymRef& arg : args) {
    if (!look_open(arg)) return false;
    open |= arg->kind == SymKind::kSize;
    if (!Sizes::expr(arg)) return true;
  }
  int64_t step = 1;
  if (args.size() == 3 && (args[2]->kind != SymKind::kConst || !to_int(*this, args[2], &step)))
    return true;
  if (!open || step == 0 || step < -4096 || step > 4096 || loop_ahead(frame) < 0) return true;
  const SymRef start = args.size() == 1 ? sym_int(0) : args[0];
  const SymRef& end = args.size() == 1 ? args[0] : args[1];
  SymRef count =
      step > 0 ? sizes_.binary(SizeOp::kSub, end, start) : sizes_.binary(SizeOp::kSub, start, end);
  if (const int64_t stride = std::abs(step); count && stride > 1) {
    count = sizes_.binary(SizeOp::kAdd, count, sym_int(stride - 1));
    if (count) count = sizes_.binary(SizeOp::kFloorDiv, count, sym_int(stride));
  }
  if (!count) return true;
  *out = new_iterator(iter_turns, {count, start});
  (*out)->iterator->step = step;
  return true;
}

// An iterator over the rows of a tensor, or of a list to which another loop has appended.
bool Executor::open_rows(const SymFrame& frame, const SymRef& tensor, SymRef* out) {
  if (tensor->kind == SymKind::kIterator && any_leaf(*tensor->iterator, is_open_leaf))
    return *out = tensor, true;
  const bool rows = tensor->kind == SymKind::kRows && tensor->tensor && tensor->items.empty();
  if (!rows && !look(tensor)) return false;
  if (!rows && (!tensor->is_tensor() || tensor->tensor.rank() == 0)) return true;
  const bool now = (*frame.code)[frame.pc].op == Op::kGetIter;
  const int next = frame.pc + 1;
  const bool loops = now && next < frame.code->size() && (*frame.code)[next].op == Op::kForIter;
  const int header = now ? (loops ? next : -1) : loop_ahead(frame);
  if (header < 0) return true;
  const auto plan = control_->scans.find({frame.code, header});
  const bool wanted = plan != control_->scans.end() && plan->second.wanted;
  if (!wanted && sizes_.dims(tensor->tensor)[0]->kind != SymKind::kSize) return true;
  *out = new_iterator(iter_tensor_rows, {tensor});
  (*out)->iterator->step = 1;
  return true;
}

bool Executor::open_parts(const SymFrame& frame, const SymRef& callable,
                          std::vector<SymRef>* args) {
  if (!walks(callable)) return true;
  const size_t count = is_builtin(callable, PyZip_Type) ? args->size() : 1;
  for (size_t i = 0; i < std::min(count, args->size()); ++i) {
    SymRef& arg = (*args)[i];
    SymRef open;
    if (arg->kind == SymKind::kIterator) continue;
    if (!open_rows(frame, arg, &open)) return false;
    if (open) arg = open;
  }
  return true;
}

bool Executor::reverse_turns(const SymRef& iterator, SymRef* out) {
  const SymIterator& it = *iterator->iterator;
  if (!is_open_leaf(it) || it.position > 0 || it.reversed)
    return fail(BreakReason::kRaises, "reversed() of an iterator");
  std::vector<SymRef> children = it.children;
  if (it.kind == &iter_turns) {
    const SymRef last = sizes_.binary(SizeOp::kSub, it.children[0], sym_int(1));
    children[1] = last ? number_of_turn(it.children[1], it.step, last) : nullptr;
    if (!children[1]) return fail(BreakReason::kIterate, "a range of too many terms");
  }
  *out = new_iterator(*it.kind, std::move(children));
  (*out)->iterator->step = -it.step;
  (*out)->iterator->reversed = true;
  return true;
}

SymRef Executor::number_of_turn(const SymRef& first, int64_t step, const SymRef& turn) {
  const SymRef way = step == 1 ? turn : sizes_.binary(SizeOp::kMul, turn, sym_int(step));
  return way ? sizes_.binary(SizeOp::kAdd, first, way) : nullptr;
}

bool Executor::next_number(const SymIterator& leaf, SymRef* first, int64_t* step) {
  if (leaf.kind == &iter_constant) {
    const Ref at =
        Ref::steal(host::call(host::values, PySequence_GetItem, leaf.object.get(), leaf.position));
    const Ref next = Ref::steal(
        host::call(host::values, PySequence_GetItem, leaf.object.get(), leaf.position + 1));
    if (!at || !next) return PyErr_Clear(), false;
    *first = make_const(at);
    *step = PyLong_AsLongLong(next.get()) - PyLong_AsLongLong(at.get());
    return PyErr_Occurred() ? (PyErr_Clear(), false) : Sizes::expr(*first) != nullptr;
  }
  *step = leaf.step;
  SymRef begin = leaf.kind == &iter_turns ? leaf.children[1] : sym_int(0);
  if (leaf.kind == &iter_tensor_rows && *step < 0)
    begin = sizes_.binary(SizeOp::kSub, sizes_.dims(leaf.children[0]->tensor)[0], sym_int(1));
  *first = begin ? number_of_turn(begin, *step, sym_int(leaf.position)) : nullptr;
  return *first != nullptr;
}

// The number of turns that a loop over this iterator has left.
bool Executor::turns_left(const SymIterator& it, SymRef* count) {
  if (wraps(it)) {
    for (const SymRef& child : it.children) {
      SymRef own;
      if (child->kind != SymKind::kIterator || !turns_left(*child->iterator, &own)) return false;
      if (!*count || !sizes_.decide(SizeCompare::kLessEqual, Sizes::expr(*count), Sizes::expr(own)))
        *count = own;
    }
    return *count != nullptr;
  }
  if (it.kind == &iter_constant) {
    SymRef first;
    int64_t step = 0;
    if (!PyRange_Check(it.object.get()) || !next_number(it, &first, &step)) return false;
    *count = sym_int(host::call(host::values, PyObject_Size, it.object.get()) - it.position);
    return true;
  }
  if (walks_numbers(it)) {
    constexpr int64_t kMostItems = 4096;  // each has a guard
    std::vector<SymRef> items;
    if (!items_left(it, kMostItems + 1, &items)) return false;
    *count = sym_int(static_cast<int64_t>(items.size()));
    return items.size() <= kMostItems;
  }
  if (!is_open_leaf(it)) return false;
  const SymRef all =
      it.kind == &iter_turns ? it.children[0] : sizes_.dims(it.children[0]->tensor)[0];
  *count = it.position == 0 ? all : sizes_.binary(SizeOp::kSub, all, sym_int(it.position));
  return *count && Sizes::expr(*count);
}

namespace {
bool next_turn(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  return x.take_turn(it, out, done);
}
}  // namespace

// iter_turns: over a range with open sizes; children: the number of turns, the first number.
// iter_tensor_rows: over the rows of a tensor; step = -1: from the last one.
const IterKind iter_turns = {.next = next_turn};
const IterKind iter_tensor_rows = {.next = next_turn};

bool Executor::take_turn(SymIterator& it, SymRef* out, bool* done) {
  const SymRef of = it.children[0];
  if (of->kind == SymKind::kRows) return look(of);
  const SizeExpr end = Sizes::expr(it.kind == &iter_turns ? of : sizes_.dims(of->tensor)[0]);
  if (!end) return fail(BreakReason::kIterate, describe(*of));
  *done = !sizes_.decide(SizeCompare::kLess, size_const(it.position), end);
  if (*done) return true;
  int64_t step = 0;
  if (!next_number(it, out, &step)) return fail(BreakReason::kIterate, describe(*of));
  ++it.position;
  return it.kind == &iter_turns || subscript(of, SymRef(*out), out);
}

// Makes the length of an iterator constant, so that the loop can be unrolled.
bool Executor::fix_turns(const SymRef& iterator) {
  SymIterator& it = *iterator->iterator;
  if (wraps(it))
    return std::ranges::all_of(it.children, [&](const SymRef& child) {
      return child->kind != SymKind::kIterator || fix_turns(child);
    });
  if (!is_open_leaf(it)) return true;
  const SymRef of = it.children[0];
  if (it.kind == &iter_turns) return fix_range(it);
  SymRef rows;
  if (!iterate(of, &rows)) return false;
  it.kind = &iter_sequence;
  it.children = rows->iterator->children;
  if (it.step < 0) std::ranges::reverse(it.children[0]->items);
  return true;
}

bool Executor::fix_range(SymIterator& it) {
  SymRef first;
  int64_t step = 0;
  if (!look(it.children[0]) || !next_number(it, &first, &step) || !look(first)) return false;
  const int64_t left = PyLong_AsLongLong(it.children[0]->object.get()) - it.position;
  const int64_t end = PyLong_AsLongLong(first->object.get()) + step * std::max<int64_t>(left, 0);
  it.kind = &iter_constant;
  it.position = 0;
  it.object = Ref::steal(host::call(
      host::checked, PyObject_CallFunction, reinterpret_cast<PyObject*>(&PyRange_Type), "OLL",
      first->object.get(), static_cast<long long>(end), static_cast<long long>(step)));
  it.children.clear();
  return it.object ? true : raise_python("range()");
}

// The sum or product of the number of a turn and a loop-invariant int steps evenly from turn to
// turn, too.
bool Executor::turn_binary(const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out) {
  const bool left = a->kind == SymKind::kTurn;
  if (left == (b->kind == SymKind::kTurn)) return true;  // neither, or both
  const SymRef &turn = left ? a : b, &other = left ? b : a;
  if (is_unknown(*other)) return true;
  if (!look_open(other)) return false;
  ScanCapture* const scan = scan_of(turn);
  return !scan || scan->compute(turn, other, op, left, out);
}

}  // namespace msjit
