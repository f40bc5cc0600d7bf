#include "bytecode/scan_capture.h"

#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/tensor_write.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/turn_table.h"
#include "kernels/core/registry.h"

namespace msjit {

extern const OpDef op_transpose;

namespace {

int64_t step_of(const SymRef& turn) { return PyLong_AsLongLong(turn->items[1]->object.get()); }

Attrs moved_to_front(int axis, int rank) {
  IntList perm{axis};
  for (int d = 0; d < rank; ++d)
    if (d != axis) perm.push_back(d);
  Attrs attrs;
  attrs.push_back(AttrValue(std::move(perm)));
  return attrs;
}

}  // namespace

bool is_whole_slice(const SymRef& key) {
  if (key->kind == SymKind::kSlice)
    return std::ranges::all_of(key->items,
                               [](const SymRef& part) { return part->is_const(Py_None); });
  if (key->kind != SymKind::kConst || !PySlice_Check(key->object.get())) return false;
  const auto* slice = reinterpret_cast<PySliceObject*>(key->object.get());
  return slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None;
}

bool has_turn(const SymRef& key) {
  if (key->kind == SymKind::kTurn) return true;
  return key->kind == SymKind::kTuple && !key->cls &&
         std::ranges::any_of(key->items,
                             [](const SymRef& item) { return item->kind == SymKind::kTurn; });
}

ScanCapture::ScanCapture(Executor& x, SymFrame& frame, ScanPlan& plan, SymRef count, int fork_depth)
    : LoopBody(x, frame, plan.loop < 0 ? frame.pc + 1 : frame.pc, plan.facts, fork_depth,
               plan.loop),
      plan_(plan),
      count_(std::move(count)) {}

bool ScanCapture::run() {
  const SourceLocation place = x_.sink().location();
  const size_t checks = x_.checking().mark();
  if (!prepare_numbers() || !run_body() || !check_lists()) return false;
  x_.checking().take(checks);
  prepared_ = true;
  for (Sequence& sequence : sequences_)
    if (!place_sequence(&sequence)) return false;
  lists_.clear();
  if (!run_body() || !check_lists() || !check_back() || !leave()) return false;
  std::vector<ValueId> read;
  for (const Val& value : stacked_) read.push_back(value.id());
  if (!carry_checks(checks, first_node_, std::move(read))) return false;
  x_.sink().set_location(place);
  return build();
}

// Runs one turn, from behind the header to the header.
bool ScanCapture::run_body() {
  body_ = fork_frame(frame_);
  body_.stops.push_back(header_);
  if (exit_ >= 0) body_.stops.push_back(exit_);
  const uint64_t mark = SymValue::next_serial();
  first_node_ = static_cast<int32_t>(x_.sink().graph()->nodes.size());
  first_step_ = x_.sizes().mark();
  joiner_ = std::make_unique<Joiner>(x_, mark, first_node_, first_step_);
  for (Sequence& sequence : sequences_) place_row(&sequence);
  HeapMark heap(x_.heap(), frame_);
  const ChangeMark before(x_.heap(), mark);
  turns_.clear();
  if (!place_carried() || !place_written()) return false;
  if (is_for_loop()) {
    SymRef given;
    if (!item(frame_.peek(1), &given)) return false;
    body_.push(std::move(given));
  } else {
    body_.counted = start_;
  }
  body_.pc = start_;
  x_.met_unbound();
  if (!x_.run(body_)) {
    may_peel = x_.met_unbound();  // the first turns may assign it
    why = break_text(x_.reason(), x_.detail());
    return false;
  }
  if (body_.result || body_.again || body_.pc != header_)
    return refuse("some turn leaves the loop before its end");
  if (!take_changed(before)) return false;
  HeapMark::Allowed allowed;
  if (!check_heap(heap, &allowed)) return false;
  lists_ = std::move(allowed.grown);
  return true;
}

// Takes the items that the turn has appended out of the lists again, and makes the lists kRows: in
// the next run they cannot be looked at.
bool ScanCapture::check_lists() {
  stacked_.clear();
  for (const SymRef& list : lists_) {
    if (prepared_ && list->kind != SymKind::kRows)
      return refuse("the loop appends to other lists in other turns");
    const SymRef item = list->items.back();
    list->items.pop_back();
    list->kind = SymKind::kRows;
    list->loop = &plan_;
    if (!x_.heap().realize(item) || !item->is_tensor())
      return refuse("the loop appends to a list: " + describe(*item));
    const ValueId id = joiner_->leaving(0, item);
    if (id < 0) return refuse("what the loop appends is " + joiner_->why);
    if (shows_written_tensor(id))
      return refuse("what the loop appends is a view of a tensor that it writes to");
    stacked_.push_back(x_.sink().value(id));
  }
  return true;
}

// Makes the tensor whose axis 0 are the rows of all turns.
bool ScanCapture::place_sequence(Sequence* sequence) {
  if (sequence->numbers) {  // nothing to slice
    sequence->whole = x_.sink().constant(sequence->numbers);
    return true;
  }
  if (!sequence->tensor) {
    SymRef numbers;
    if (!count_up(*sequence, &numbers)) return false;
    return sequence->whole = numbers->tensor, true;
  }
  SymRef whole =
      sequence->tensor->is_tensor() ? sequence->tensor : make_tensor(sequence->tensor->tensor);
  if (sequence->axis > 0) {
    const Attrs attrs = moved_to_front(sequence->axis, whole->tensor.rank());
    if (!x_.apply(op_transpose, std::span(&whole->tensor, 1), attrs, &whole)) return false;
  }
  if (!slice_rows(*sequence, &whole)) return false;
  sequence->whole = whole->tensor;
  return true;
}

// Slices out of a tensor the rows that the turns use, in their order.
bool ScanCapture::slice_rows(const Sequence& sequence, SymRef* whole) {
  Sizes& sizes = x_.sizes();
  const SymRef rows = sizes.dims((*whole)->tensor)[0], none = make_const(Ref::none());
  const SymRef last_turn = sizes.binary(SizeOp::kSub, count_, sym_int(1));
  SymRef low = sequence.first, high;
  if (last_turn) high = x_.number_of_turn(low, sequence.step, last_turn);
  if (high && sequence.step < 0) std::swap(low, high);
  SymRef end = high ? sizes.binary(SizeOp::kAdd, high, sym_int(1)) : nullptr;
  if (!end || !Sizes::expr(rows)) return refuse("the loop has an unknown number of turns");
  const auto holds = [&](SizeCompare op, const SymRef& a, const SymRef& b) {
    return sizes.decide(op, Sizes::expr(a), Sizes::expr(b));
  };
  if (holds(SizeCompare::kLess, low, sym_int(0))) {  // the rows are counted from the end
    low = sizes.binary(SizeOp::kAdd, low, rows);
    end = sizes.binary(SizeOp::kAdd, end, rows);
    if (!low || !end || holds(SizeCompare::kLess, low, sym_int(0)) ||
        holds(SizeCompare::kGreater, end, rows))
      return refuse("the loop goes beyond the beginning of a tensor");
  }
  const bool whole_tensor = std::abs(sequence.step) == 1 &&
                            holds(SizeCompare::kEqual, low, sym_int(0)) &&
                            holds(SizeCompare::kEqual, end, rows);
  if (!whole_tensor) {
    if (holds(SizeCompare::kGreater, end, rows))
      return refuse("the loop goes beyond the end of a tensor");
    if (!x_.subscript(*whole, make_items(SymKind::kSlice, {low, end, none}), whole)) return false;
  }
  const SymRef step = sym_int(sequence.step);
  return sequence.step == 1 ||
         x_.subscript(*whole, make_items(SymKind::kSlice, {none, none, step}), whole);
}

// Makes a tensor of the numbers of all turns. They are small, so that a float holds them exactly.
bool ScanCapture::count_up(const Sequence& sequence, SymRef* whole) {
  const SymRef end = x_.number_of_turn(sequence.first, sequence.step, count_);
  const auto is_small = [&](const SymRef& bound) {
    constexpr int64_t kMost = int64_t{1} << 24;
    return x_.sizes().decide(SizeCompare::kLess, Sizes::expr(bound), size_const(kMost)) &&
           x_.sizes().decide(SizeCompare::kGreater, Sizes::expr(bound), size_const(-kMost));
  };
  if (!end || !Sizes::expr(end) || !Sizes::expr(sequence.first))
    return refuse("the loop has an unknown number of turns");
  if (!is_small(end) || !is_small(sequence.first)) return refuse("the loop has too many turns");
  Attrs attrs;
  std::vector<TracedSize> sizes;
  for (const SymRef& bound : {sequence.first, end}) {
    if (bound->kind == SymKind::kSize)
      sizes.push_back({static_cast<int32_t>(attrs.size()), -1, bound->size});
    attrs.push_back(AttrValue(int64_t{PyLong_AsLongLong(bound->object.get())}));
  }
  attrs.push_back(AttrValue(sequence.step));
  attrs.push_back(AttrValue(DType::kInt32));
  x_.sizes().set_attr_sizes(std::move(sizes));
  const bool done = x_.apply(*find_op("arange"), {}, attrs, whole);
  x_.sizes().set_attr_sizes({});
  return done;
}

void ScanCapture::place_row(Sequence* sequence) {
  Graph& graph = *x_.sink().graph();
  const Meta meta = row_meta(sequence->whole.meta());
  sequence->row = x_.sink().value(graph.add_placeholder(meta));
  x_.sizes().row(sequence->whole, &sequence->row);
}

ScanCapture::Sequence* ScanCapture::sequence(const SymRef& tensor, int axis, const SymRef& first,
                                             int64_t step) {
  for (Sequence& known : sequences_)
    if (!known.numbers && known.tensor == tensor && known.axis == axis && known.step == step &&
        same_expr(Sizes::expr(known.first), Sizes::expr(first)))
      return &known;
  const bool is_row = !tensor || (joiner_->existed(tensor) && axis < tensor->tensor.rank());
  if (prepared_ || !is_row) return refuse("rows of a tensor made in the loop"), nullptr;
  Sequence fresh{tensor, axis, first, step, {}, {}};
  if (!place_sequence(&fresh)) return nullptr;
  place_row(&fresh);
  return &sequences_.emplace_back(std::move(fresh));
}

bool ScanCapture::follows(const SymRef& turn, const SymRef& next) {
  if (!owns(next) || step_of(turn) != step_of(next)) return false;
  const SymRef after = x_.sizes().binary(SizeOp::kAdd, turn->items[0], sym_int(1));
  return after && same_expr(Sizes::expr(after), Sizes::expr(next->items[0]));
}

bool ScanCapture::stays_within(const SymRef& turn, const SymRef& size) const {
  const SymRef last_turn = x_.sizes().binary(SizeOp::kSub, count_, sym_int(1));
  const SymRef last =
      last_turn ? x_.number_of_turn(turn->items[0], step_of(turn), last_turn) : nullptr;
  if (!last || !Sizes::expr(last)) return false;
  const SymRef& low = step_of(turn) > 0 ? turn->items[0] : last;
  const SymRef& high = step_of(turn) > 0 ? last : turn->items[0];
  return x_.sizes().decide(SizeCompare::kGreaterEqual, Sizes::expr(low), size_const(0)) &&
         x_.sizes().decide(SizeCompare::kLess, Sizes::expr(high), Sizes::expr(size));
}

bool ScanCapture::position(const SymRef& turn, SymRef* out) {
  Sequence* const numbers = sequence(nullptr, 0, turn->items[0], step_of(turn));
  if (!numbers) return x_.fail(BreakReason::kUnrollLimit, why);
  return *out = make_tensor(numbers->row), true;
}

bool ScanCapture::row_at_position(const SymRef& tensor, const SymRef& key, SymRef* out) {
  SymRef positions;
  return x_.turns_as_tensors(key, &positions) && x_.subscript(tensor, positions, out);
}

bool ScanCapture::row(const SymRef& tensor, const SymRef& key, SymRef* out) {
  if (carried_write(tensor)) return row_at_position(tensor, key, out);  // it changes
  const std::vector<SymRef> keys =
      key->kind == SymKind::kTurn ? std::vector<SymRef>{key} : key->items;
  const auto at = std::ranges::find_if(keys, [&](const SymRef& item) { return owns(item); });
  std::vector<SymRef> rest(keys.begin(), at);
  if (at == keys.end() || !std::ranges::all_of(rest, is_whole_slice))
    return x_.fail(BreakReason::kUnsupported,
                   "this index, which contains the number of a loop turn,");
  Sequence* rows = sequence(tensor, static_cast<int>(rest.size()), (*at)->items[0], step_of(*at));
  if (!rows && (why.empty() || x_.control().restart)) return false;
  if (!rows)
    return why.clear(), row_at_position(tensor, key, out);  // not in every turn, or made here
  *out = make_tensor(rows->row);
  rest.insert(rest.end(), at + 1, keys.end());
  if (keys.size() == 1 || std::ranges::all_of(rest, is_whole_slice)) return true;
  const SymRef row = *out;
  return x_.subscript(row, make_items(SymKind::kTuple, std::move(rest)), out);
}

bool ScanCapture::is_borrowed(const SymRef& value) const {
  return value->is_tensor() && std::ranges::any_of(sequences_, [&](const Sequence& s) {
           return s.row.id() == value->tensor.id();
         });
}

bool ScanCapture::owns(const SymRef& turn) const {
  return turn->kind == SymKind::kTurn && std::ranges::find(turns_, turn) != turns_.end();
}

SymRef ScanCapture::make_turn(SymRef first, int64_t step) {
  turns_.push_back(make_items(SymKind::kTurn, {std::move(first), sym_int(step)}));
  return turns_.back();
}

bool ScanCapture::item(const SymRef& iterator, SymRef* out) {
  const SymIterator& it = *iterator->iterator;
  std::vector<SymRef> parts;
  if (it.kind == &iter_zip || it.kind == &iter_enumerate) {
    if (it.kind == &iter_enumerate) parts.push_back(make_turn(sym_int(it.position), 1));
    for (const SymRef& child : it.children)
      if (!item(child, &parts.emplace_back())) return false;
    *out = make_items(SymKind::kTuple, std::move(parts));
    return true;
  }
  if (walks_numbers(it)) return known_item(it, out);
  SymRef first;
  int64_t step = 0;
  if (!x_.next_number(it, &first, &step))
    return refuse("the first number or the step of the loop is not known");
  if (it.kind != &iter_tensor_rows) return *out = make_turn(first, step), true;
  Sequence* rows = sequence(it.children[0], 0, first, step);
  if (rows) *out = make_tensor(rows->row);
  return rows != nullptr;
}

bool ScanCapture::compute(const SymRef& turn, const SymRef& other, BinaryOp op, bool turn_left,
                          SymRef* out) {
  Sizes& sizes = x_.sizes();
  SymRef first = turn->items[0];
  int64_t step = step_of(turn), factor = 0;
  const bool number = other->kind == SymKind::kSize ||
                      (other->kind == SymKind::kConst && PyLong_CheckExact(other->object.get()));
  if (!number || !Sizes::expr(other)) return true;
  const SymRef &a = turn_left ? first : other, &b = turn_left ? other : first;
  if (op == BinaryOp::kMul) {
    constexpr int64_t kMaxStep = 4096;
    if (!to_int(x_, other, &factor) || factor == 0 || std::abs(factor * step) > kMaxStep)
      return true;
    first = sizes.binary(SizeOp::kMul, a, b);
    step *= factor;
  } else if (op == BinaryOp::kAdd) {
    first = sizes.binary(SizeOp::kAdd, a, b);
  } else if (op == BinaryOp::kSubtract) {
    first = sizes.binary(SizeOp::kSub, a, b);
    if (!turn_left) step = -step;
  } else {
    return true;
  }
  if (first) *out = make_turn(first, step);
  return true;
}

bool ScanCapture::behind_own(const SymRef& value, SymRef* out) {
  if (value->kind == SymKind::kTurnTable && owns(value->items[0]))
    return *out = number_in_turn(*value, known_turns() - 1), true;
  if (!owns(value)) return false;
  const SymRef last = x_.sizes().binary(SizeOp::kSub, count_, sym_int(1));
  *out = last ? x_.number_of_turn(value->items[0], step_of(value), last) : nullptr;
  if (!*out) joiner_->why = "an integer expression of too many terms";
  return true;
}

int ScanCapture::bits_of_turns() const {
  constexpr int kMostBits = 24;
  const SizeExpr most = size_const(int64_t{1} << kMostBits);
  return x_.sizes().decide(SizeCompare::kLess, Sizes::expr(count_), most) ? kMostBits : -1;
}

SymRef ScanCapture::counter(const SymRef& initial, int64_t step) {
  return make_turn(initial, step);
}

bool ScanCapture::build() {
  ScanParts parts;
  parts.length = PyLong_AsLongLong(count_->object.get());
  if (!collect(&parts.initial, &parts.inside, &parts.next)) return false;
  for (const Sequence& sequence : sequences_) {
    parts.sequences.push_back(sequence.whole);
    parts.rows.push_back(sequence.row);
  }
  parts.stacked = stacked_;
  if (is_for_loop()) frame_.pop();
  auto built = build_scan(x_.sink(), first_node_, parts);
  if (!built.ok()) return refuse(built.error().message);
  Vals results = built.take();
  x_.note_control(results);
  if (!results.empty())  // otherwise the loop has no effect and no node
    x_.sizes().scanned(first_step_, parts, Sizes::expr(count_), results);
  bind(std::span(results).first(carried_.size()));
  for (size_t i = 0; i < lists_.size(); ++i) lists_[i]->tensor = results[carried_.size() + i];
  return true;
}

}  // namespace msjit
