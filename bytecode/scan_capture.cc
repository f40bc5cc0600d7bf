#include "bytecode/scan_capture.h"

#include <fmt/core.h>

#include <algorithm>

#include "bytecode/library.h"
#include "kernels/core/registry.h"

namespace msjit {

extern const OpDef op_copy, op_transpose;

namespace {

constexpr int64_t kMinTurns = 4;  // of gradients, the last ones stand by themselves
constexpr int kMaxPeel = 3;

SymRef int_sym(int64_t value) { return make_const(Ref::steal(PyLong_FromLongLong(value))); }

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
  if (!run_body() || !check_lists()) return false;
  prepared_ = true;
  for (Sequence& sequence : sequences_)
    if (!place_sequence(&sequence)) return false;
  lists_.clear();
  carried_.clear();
  return run_body() && check_lists() && check_back() && leave() && build();
}

// One turn, from behind the header to the header.
bool ScanCapture::run_body() {
  body_ = fork_frame(frame_);
  body_.stops.push_back(header_);
  if (exit_ >= 0) body_.stops.push_back(exit_);
  mark_ = SymValue::next_serial();
  first_node_ = static_cast<int32_t>(x_.sink().graph()->nodes.size());
  first_step_ = x_.sizes().mark();
  joiner_ = std::make_unique<Joiner>(x_, mark_, first_node_, first_step_);
  for (Sequence& sequence : sequences_)
    if (!place_row(&sequence)) return false;
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
    const SymRef end = x_.sizes().binary(SizeOp::kAdd, count_, int_sym(first_turn_));
    if (!end || !x_.sizes().decide(SizeCompare::kGreaterEqual, rows, Sizes::expr(end)))
      return refuse("the loop goes beyond the end of a tensor");
    const SymRef slice =
        make_items(SymKind::kSlice, {int_sym(first_turn_), end, make_const(Ref::none())});
    if (!x_.subscript(whole, slice, &whole)) return false;
  }
  sequence->whole = whole->tensor;
  return true;
}

bool ScanCapture::place_row(Sequence* sequence) {
  Graph& graph = *x_.sink().graph();
  const Meta meta = row_meta(sequence->whole.meta());
  sequence->row = x_.sink().value(graph.add_placeholder(meta));
  x_.sizes().row(sequence->whole, &sequence->row);
  return true;
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
  const SymRef end = int_sym(first_turn_ - 1);
  return count_->kind == SymKind::kSize
             ? x_.sizes().binary(SizeOp::kAdd, count_, end)
             : int_sym(PyLong_AsLongLong(count_->object.get()) + first_turn_ - 1);
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
  auto built = build_scan(x_.sink(), first_node_, parts);
  if (!built.ok()) return refuse(built.error().message);
  Vals results = built.take();
  x_.sizes().scanned(first_step_, parts, Sizes::expr(count_), results);
  bind(std::span(results).first(carried_.size()));
  for (size_t i = 0; i < lists_.size(); ++i) lists_[i]->tensor = results[carried_.size() + i];
  frame_.pop();
  return true;
}

bool append_row(Executor& x, const SymRef& rows, const SymRef& item) {
  if (rows->tensor) return x.look(rows);
  rows->items.push_back(item);
  return true;
}

namespace {

bool rows_append(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  if (names || args.size() != 2) return x.look(args[0]);
  *out = make_const(Ref::none());
  return append_row(x, args[0], args[1]);
}

}  // namespace

BuiltinModel rows_method(const char* name) {
  return std::string_view(name) == "append" ? rows_append : nullptr;
}

namespace {

// list(rows) stacked: the items from before the loop, then those it has appended.
bool stack_rows(Executor& x, const SymRef& rows, SymRef* out) {
  if (rows->items.empty()) return *out = make_tensor(rows->tensor), true;
  Attrs first;
  first.push_back(AttrValue(int64_t{0}));
  Vals before;
  for (const SymRef& item : rows->items) {
    before.emplace_back();
    if (!x.to_val(item, &before.back())) return false;
  }
  SymRef stacked;
  if (!x.apply(*find_op("stack"), before, first, &stacked)) return false;
  const Val both[] = {stacked->tensor, rows->tensor};
  return x.apply(*find_op("concat"), both, first, out);
}

// Moves the first axis to `axis`.
bool move_first(Executor& x, int axis, SymRef* value) {
  IntList perm;
  for (int d = 0; d < (*value)->tensor.rank(); ++d)
    perm.push_back(d < axis ? d + 1 : d == axis ? 0 : d);
  Attrs attrs;
  attrs.push_back(AttrValue(std::move(perm)));
  return axis == 0 || x.apply(op_transpose, std::span(&(*value)->tensor, 1), attrs, value);
}

}  // namespace

bool join_rows(Executor& x, const OpDef& op, const SymRef& rows, const Attrs& attrs, SymRef* out) {
  const std::string_view name = op.name;
  const bool concat = name == "concat";
  if (!rows->tensor || (name != "stack" && !concat) || attrs[0].kind() != AttrValue::Kind::kInt)
    return x.look(rows);
  SymRef stacked;
  if (!stack_rows(x, rows, &stacked)) return false;
  const int rank = stacked->tensor.rank() - (concat ? 1 : 0);
  int64_t axis = attrs[0].as_int();
  if (axis < -rank || axis >= rank) return x.look(rows);
  axis += axis < 0 ? rank : 0;
  std::vector<SymRef> dims = x.sizes().dims(stacked->tensor);
  if (!move_first(x, static_cast<int>(axis), &stacked)) return false;
  *out = stacked;
  if (!concat)  // a stack has memory of its own
    return axis == 0 || x.apply(op_copy, std::span(&stacked->tensor, 1), {}, out);
  const SymRef count = dims[0];
  dims.erase(dims.begin());
  SymRef& merged = dims[static_cast<size_t>(axis)];
  const SymRef product = x.sizes().binary(SizeOp::kMul, count, merged);
  merged = product ? product : int_sym(-1);
  SymRef reshape;
  const Ref name_of = Ref::steal(PyUnicode_InternFromString("reshape"));
  return x.get_attr(stacked, name_of.get(), &reshape) &&
         x.call(reshape, {make_items(SymKind::kTuple, std::move(dims))}, nullptr, out);
}

// At a for loop: true with `captured` when it is a Scan now and the frame stands behind it; true
// without when its next turn is to be run.
bool Executor::capture_scan(SymFrame& frame, bool* captured) {
  const SymRef iterator = frame.peek(1);
  SymIterator& it = *iterator->iterator;
  const bool open = it.kind == IterKind::kTurns || it.kind == IterKind::kTensorRows;
  const auto key = ControlPlan::Key{frame.code, frame.pc};
  if (!open && is_large(frame, it) && !control_->scans[key].wanted) {
    control_->scans[key].wanted = control_->restart = true;
    return fail(BreakReason::kUnrollLimit);
  }
  if (!open && !control_->scans.count(key)) return true;
  ScanPlan& plan = control_->scans[key];
  SymRef count;
  int64_t start = 0;
  const bool able = !plan.refused && (open || plan.wanted) && handled_.empty() &&
                    fork_depth_ <= 16 && turns_left(it, &start, &count);
  if (able && frame.peeled[frame.pc]++ < plan.peel) return true;
  if (!able) return !open || it.position > 0 || fix_turns(iterator);
  forked_ = true;
  SymFrame* const self = current_;
  ScanCapture capture(*this, frame, plan, start, count);
  ++fork_depth_;
  scans_.push_back(&capture);
  const bool done = capture.run();
  scans_.pop_back();
  --fork_depth_;
  current_ = self;
  if (done) return *captured = true;
  if (control_->restart) return false;
  plan.why = capture.why;
  if (!capture.may_peel || ++plan.peel > kMaxPeel) plan.refused = true;
  control_->restart = true;
  return fail(BreakReason::kUnrollLimit, plan.why);
}

// Whether a loop that is unrolled would better be one node: by what its turns have made so far.
bool Executor::is_large(SymFrame& frame, const SymIterator& it) {
  constexpr int kManyOps = 2000;
  const bool able = it.kind == IterKind::kConstant ? PyRange_Check(it.object.get()) : it.of_tensor;
  if (!able) return false;
  int& begun = frame.begun[frame.pc];
  if (it.position == 0) begun = num_ops_;
  return num_ops_ - begun > kManyOps;
}

// How many turns a loop over this iterator still has, from which number on.
bool Executor::turns_left(const SymIterator& it, int64_t* start, SymRef* count) {
  SymRef end;
  if (it.kind == IterKind::kConstant) {
    if (!PyRange_Check(it.object.get())) return false;
    const Py_ssize_t size = PyObject_Size(it.object.get());
    const Ref at = Ref::steal(PySequence_GetItem(it.object.get(), it.position));
    const Ref next = Ref::steal(PySequence_GetItem(it.object.get(), it.position + 1));
    if (!at || !next) return PyErr_Clear(), false;
    *start = PyLong_AsLongLong(at.get());
    if (*start < 0 || PyLong_AsLongLong(next.get()) != *start + 1) return PyErr_Clear(), false;
    *count = int_sym(size - it.position);
    return size - it.position >= kMinTurns;
  }
  if (it.kind != IterKind::kTurns && it.kind != IterKind::kTensorRows) return false;
  *start = it.position;
  end = it.kind == IterKind::kTurns ? it.children[0] : sizes_.dims(it.children[0]->tensor)[0];
  if (!Sizes::expr(end) ||
      !sizes_.decide(SizeCompare::kGreaterEqual, Sizes::expr(end), size_const(*start + kMinTurns)))
    return false;
  *count = *start == 0 ? end : sizes_.binary(SizeOp::kSub, end, int_sym(*start));
  return *count != nullptr;
}

// The next turn of such an iterator by itself.
bool Executor::take_turn(SymIterator& it, SymRef* out, bool* done) {
  const SymRef of = it.children[0];
  const SizeExpr end = Sizes::expr(it.kind == IterKind::kTurns ? of : sizes_.dims(of->tensor)[0]);
  if (!end) return fail(BreakReason::kIterate, describe(*of));
  *done = !sizes_.decide(SizeCompare::kLess, size_const(it.position), end);
  if (*done) return true;
  *out = int_sym(it.position++);
  return it.kind == IterKind::kTurns || subscript(of, SymRef(*out), out);
}

// Turns an iterator whose end is open into one that can be unrolled.
bool Executor::fix_turns(const SymRef& iterator) {
  SymIterator& it = *iterator->iterator;
  const SymRef of = it.children[0];
  if (it.kind == IterKind::kTurns) {
    if (!look(of)) return false;
    it.kind = IterKind::kConstant;
    it.object = Ref::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyRange_Type),
                                                        of->object.get(), nullptr));
    it.children.clear();
    return it.object ? true : raise_python("range()");
  }
  SymRef rows;
  if (!iterate(of, &rows)) return false;
  it.kind = IterKind::kSequence;
  it.children = rows->iterator->children;
  return true;
}

namespace {

bool is_loop_next(const SymFrame& frame, int behind) {
  const int at = frame.pc + behind;
  return at < frame.code->size() && (*frame.code)[at].op == Op::kForIter;
}

}  // namespace

bool Executor::open_range(const SymFrame& frame, const std::vector<SymRef>& args, SymRef* out) {
  if (args.empty() || args.size() > 2 || !is_loop_next(frame, 2) ||
      (*frame.code)[frame.pc + 1].op != Op::kGetIter)
    return true;
  int64_t start = 0;
  if (args.size() == 2) {
    if (args[0]->kind != SymKind::kConst || !PyLong_CheckExact(args[0]->object.get())) return true;
    start = PyLong_AsLongLong(args[0]->object.get());
    if (start < 0) return PyErr_Clear(), true;
  }
  if (!look_open(args.back())) return false;
  if (args.back()->kind == SymKind::kSize)
    *out = new_iterator(IterKind::kTurns, {args.back()}, start);
  return true;
}

bool Executor::open_rows(const SymFrame& frame, const SymRef& tensor, SymRef* out) {
  if (tensor->kind == SymKind::kIterator && tensor->iterator->kind == IterKind::kTurns)
    return *out = tensor, true;
  if (!look(tensor)) return false;
  if (!tensor->is_tensor() || tensor->tensor.rank() == 0 || !is_loop_next(frame, 1)) return true;
  const auto plan = control_->scans.find({frame.code, frame.pc + 1});
  const bool wanted = plan != control_->scans.end() && plan->second.wanted;
  if (wanted || sizes_.dims(tensor->tensor)[0]->kind == SymKind::kSize)
    *out = new_iterator(IterKind::kTensorRows, {tensor});
  return true;
}

bool Executor::scan_row(const SymRef& tensor, const SymRef& key, SymRef* out) {
  if (!look(tensor)) return false;
  if (tensor->is_tensor()) {
    const auto is_turn = [](const SymRef& item) { return item->kind == SymKind::kTurn; };
    const SymRef turn = is_turn(key) ? key : *std::ranges::find_if(key->items, is_turn);
    for (ScanCapture* scan : scans_)
      if (scan->owns(turn)) return scan->row(tensor, key, out);
  }
  return fail(BreakReason::kUnsupported, "a number of a turn as an index of " + describe(*tensor));
}

void Executor::refuse_rows(const SymValue& rows) {
  if (!rows.tensor) return;
  rows.loop->refused = true;
  control_->restart = true;
}

// The region has become too large: the innermost for loop under way that may be one node is asked
// to be it, and the capture starts again.
bool Executor::ask_for_scan() {
  for (const SymFrame* frame = current_; frame; frame = frame->parent) {
    const Cfg& cfg = control_->cfg(*frame->code);
    for (size_t b = cfg.blocks().size(); b-- > 0;) {  // inner headers come later
      const int header = cfg.blocks()[b].begin;
      if (!cfg.blocks()[b].is_loop_header || (*frame->code)[header].op != Op::kForIter ||
          cfg.block_of(frame->pc) < 0 || !cfg.in_loop(header, frame->pc))
        continue;
      ScanPlan& plan = control_->scans[{frame->code, header}];
      if (plan.wanted || plan.refused) continue;
      plan.wanted = true;
      return control_->restart = true;
    }
  }
  return false;
}

}  // namespace msjit
