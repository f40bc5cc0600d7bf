#include "bytecode/scan_capture.h"

#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "kernels/core/registry.h"

namespace msjit {

extern const OpDef op_transpose;

namespace {

bool is_whole_slice(const SymRef& key) {
  if (key->kind == SymKind::kSlice)
    return std::ranges::all_of(key->items,
                               [](const SymRef& part) { return part->is_const(Py_None); });
  if (key->kind != SymKind::kConst || !PySlice_Check(key->object.get())) return false;
  const auto* slice = reinterpret_cast<PySliceObject*>(key->object.get());
  return slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None;
}

Attrs moved_to_front(int axis, int rank) {
  IntList perm{axis};
  for (int d = 0; d < rank; ++d)
    if (d != axis) perm.push_back(d);
  Attrs attrs;
  attrs.push_back(AttrValue(std::move(perm)));
  return attrs;
}

}  // namespace

bool has_turn(const SymRef& key) {
  if (key->kind == SymKind::kTurn) return true;
  return key->kind == SymKind::kTuple && !key->cls &&
         std::ranges::any_of(key->items,
                             [](const SymRef& item) { return item->kind == SymKind::kTurn; });
}

ScanCapture::ScanCapture(Executor& x, SymFrame& frame, ScanPlan& plan, int64_t start, SymRef count)
    : LoopBody(x, frame, frame.pc + 1),
      plan_(plan),
      first_turn_(start),
      count_(std::move(count)),
      turn_(frame.peek(1)->iterator->kind == IterKind::kTensorRows ? nullptr
                                                                   : make_sym(SymKind::kTurn)) {}

bool ScanCapture::run() {
  const SourceLocation place = x_.sink().location();
  if (!run_body() || !check_lists()) return false;
  prepared_ = true;
  for (Sequence& sequence : sequences_)
    if (!place_sequence(&sequence)) return false;
  lists_.clear();
  carried_.clear();
  if (!run_body() || !check_lists() || !check_back() || !leave()) return false;
  x_.sink().set_location(place);
  return build();
}

// One turn, from behind the header to the header.
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
  place_carried();
  SymRef item = turn_;
  if (!item) {
    Sequence* rows = sequence(frame_.peek(1)->iterator->children[0], 0);
    if (!rows) return false;
    item = make_tensor(rows->row);
  }
  body_.push(std::move(item));
  body_.pc = start_;
  if (!x_.run(body_)) {
    why = break_text(x_.reason(), x_.detail());
    return false;
  }
  if (body_.result || body_.again || body_.pc != header_)
    return refuse("some turn leaves the loop before its end");
  if (const std::string what = heap.change(x_.heap(), &lists_); !what.empty())
    return refuse("the loop changes a " + what);
  return true;
}

// Takes what a turn has appended back out of the lists, which nobody may look at in the next run.
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
    stacked_.push_back(x_.sink().value(id));
  }
  return true;
}

// The tensor with its rows first, as many as the loop has turns.
bool ScanCapture::place_sequence(Sequence* sequence) {
  SymRef whole = sequence->tensor;
  if (sequence->axis > 0) {
    const Attrs attrs = moved_to_front(sequence->axis, whole->tensor.rank());
    if (!x_.apply(op_transpose, std::span(&whole->tensor, 1), attrs, &whole)) return false;
  }
  const SizeExpr rows = Sizes::expr(x_.sizes().dims(whole->tensor)[0]);
  const SizeExpr turns = Sizes::expr(count_);
  if (!rows || !turns) return refuse("the loop has an unknown number of turns");
  if (first_turn_ > 0 || !x_.sizes().decide(SizeCompare::kEqual, rows, turns)) {
    const SymRef end = x_.sizes().binary(SizeOp::kAdd, count_, sym_int(first_turn_));
    if (!end || !x_.sizes().decide(SizeCompare::kGreaterEqual, rows, Sizes::expr(end)))
      return refuse("the loop goes beyond the end of a tensor");
    const SymRef slice =
        make_items(SymKind::kSlice, {sym_int(first_turn_), end, make_const(Ref::none())});
    if (!x_.subscript(whole, slice, &whole)) return false;
  }
  sequence->whole = whole->tensor;
  return true;
}

void ScanCapture::place_row(Sequence* sequence) {
  Graph& graph = *x_.sink().graph();
  const Meta meta = row_meta(sequence->whole.meta());
  sequence->row = x_.sink().value(graph.add_placeholder(meta));
  x_.sizes().row(sequence->whole, &sequence->row);
}

ScanCapture::Sequence* ScanCapture::sequence(const SymRef& tensor, int axis) {
  for (Sequence& known : sequences_)
    if (known.tensor == tensor && known.axis == axis) return &known;
  if (prepared_ || !joiner_->existed(tensor) || axis >= tensor->tensor.rank()) {
    x_.fail(BreakReason::kUnrollLimit, "rows of a tensor made in the loop");
    return nullptr;
  }
  Sequence fresh{tensor, axis, {}, {}};
  if (!place_sequence(&fresh)) {
    if (!why.empty()) x_.fail(BreakReason::kUnrollLimit, why);
    return nullptr;
  }
  place_row(&fresh);
  return &sequences_.emplace_back(std::move(fresh));
}

bool ScanCapture::row(const SymRef& tensor, const SymRef& key, SymRef* out) {
  const std::vector<SymRef> keys =
      key->kind == SymKind::kTurn ? std::vector<SymRef>{key} : key->items;
  const auto at = std::ranges::find(keys, turn_);
  std::vector<SymRef> rest(keys.begin(), at);
  if (at == keys.end() || !std::ranges::all_of(rest, is_whole_slice))
    return x_.fail(BreakReason::kUnsupported, "a number of a turn as an index");
  Sequence* rows = sequence(tensor, static_cast<int>(rest.size()));
  if (!rows) return false;
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

SymRef ScanCapture::last_turn() {
  const SymRef end = sym_int(first_turn_ - 1);
  return count_->kind == SymKind::kSize
             ? x_.sizes().binary(SizeOp::kAdd, count_, end)
             : sym_int(PyLong_AsLongLong(count_->object.get()) + first_turn_ - 1);
}

bool ScanCapture::behind_own(const SymRef& value, SymRef* out) {
  if (value != turn_) return false;
  *out = last_turn();
  return true;
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
  frame_.pop();
  auto built = build_scan(x_.sink(), first_node_, parts);
  if (!built.ok()) return refuse(built.error().message);
  Vals results = built.take();
  if (!results.empty())  // else nothing is left of the loop
    x_.sizes().scanned(first_step_, parts, Sizes::expr(count_), results);
  bind(std::span(results).first(carried_.size()));
  for (size_t i = 0; i < lists_.size(); ++i) lists_[i]->tensor = results[carried_.size() + i];
  return true;
}

}  // namespace msjit
