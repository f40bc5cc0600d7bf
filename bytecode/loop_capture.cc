// Loops left by a test on a tensor. On arrival at the header the body is run once on placeholders
// for the tensors it assigns; all ways back to the header and out of the loop are joined, with a
// flag that tells them apart, and become the body of a While. What the body assigns must be tensors
// that keep dtype and shape; a loop whose first turns differ (a number becomes a tensor) is entered
// later, after they were unrolled.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/control.h"
#include "graph/control.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

constexpr int kMaxPeel = 3;

class LoopCapture {
 public:
  LoopCapture(Executor& x, SymFrame& frame)
      : x_(x), frame_(frame), code_(*frame.code), header_(frame.pc), body_(fork_frame(frame)) {
    body_.stops.push_back(header_);
    exit_ = x.control().cfg(code_).loop_exit(header_);
    body_.stops.push_back(exit_);
    body_.loop_header = header_;
    body_.loop_exit = exit_;
    stored_ = find_stored();
  }

  // False with `why`, or with the executor failed.
  bool run() {
    place_carried();
    const uint64_t mark = SymValue::next_serial();
    Graph& graph = *x_.sink().graph();
    const int32_t first_node = static_cast<int32_t>(graph.nodes.size());
    const int32_t first_step = x_.sizes().mark();
    Joiner joiner(x_, mark, first_node, first_step);
    joiner_ = &joiner;
    HeapMark heap(x_.heap(), frame_);
    if (!x_.run(body_)) {
      why = x_.reason() == BreakReason::kTensorBranch ? x_.detail()
                                                      : break_text(x_.reason(), x_.detail());
      return false;
    }
    if (const std::string what = heap.change(x_.heap()); !what.empty())
      return refuse("the loop changes a " + what);
    if (!body_.again) return refuse("the loop has no way out that depends on a tensor");
    if (!check_back() || !leave()) return false;
    return build(first_node, first_step);
  }
  std::string why;
  bool may_peel = false;  // the values may settle in later turns

 private:
  struct Carried {
    int slot;  // -1: known on the way out only
    SymRef initial, inside;
    ValueId next = -1;
    SymRef last;   // what the body leaves
    SymRef after;  // the value behind the loop
  };

  bool refuse(std::string text) {
    why = std::move(text);
    return false;
  }
  std::string name(int slot) const {
    const char* text = utf8_text(code_.slot_name(slot).get());
    return text ? text : "?";
  }

  // Local slots stored to on the ways from the header to the exit.
  std::vector<bool> find_stored() const {
    const Cfg& cfg = x_.control().cfg(code_);
    std::vector<bool> stored(size_t(code_.slot_count())), seen(cfg.blocks().size());
    std::vector<int> work{cfg.block_of(header_)};
    while (!work.empty()) {
      const int b = work.back();
      work.pop_back();
      const BasicBlock& block = cfg.blocks()[size_t(b)];
      if (seen[size_t(b)] || block.begin == exit_) continue;
      seen[size_t(b)] = true;
      for (int i = block.begin; i < block.end; ++i)
        if (code_[i].op == Op::kStoreFast || code_[i].op == Op::kLoadFastAndClear)
          stored[size_t(code_[i].arg)] = true;
      work.insert(work.end(), block.successors.begin(), block.successors.end());
    }
    return stored;
  }

  Val placeholder(const Val& initial) {
    Val value = x_.sink().value(x_.sink().graph()->add_placeholder(initial.meta()));
    x_.sizes().placeholder(initial, &value);
    return value;
  }

  // Placeholders for the tensors the loop assigns.
  void place_carried() {
    for (int s = 0; s < code_.slot_count(); ++s) {
      if (!stored_[size_t(s)] || !x_.control().live(code_, header_, s)) continue;
      const SymRef initial = x_.slot(frame_, s);
      if (!x_.heap().realize(initial) || !initial->is_tensor()) continue;
      if (initial->object && !is_exact_tensor(initial->object.get())) continue;
      SymRef inside = make_tensor(placeholder(initial->tensor));
      inside->joined = true;
      body_.slots[s] = inside;
      carried_.push_back({s, initial, inside});
    }
  }

  Carried* carried_slot(int slot) {
    for (Carried& c : carried_)
      if (c.slot == slot) return &c;
    return nullptr;
  }

  // What the header finds the second time must be what it found the first time.
  bool check_back() {
    for (int s = 0; s < code_.slot_count(); ++s) {
      if (!x_.control().live(code_, header_, s)) continue;
      const SymRef last = body_.slots[s];
      if (Carried* c = carried_slot(s)) {
        may_peel = true;
        if (!last || !last->is_tensor() || !can_join(last->tensor.meta(), c->inside->tensor.meta()))
          return refuse(fmt::format("the loop changes {}: it is {} before it and {} in it", name(s),
                                    c->inside->tensor.meta().str(), text(last)));
        c->last = last;
        if ((c->next = joiner_->leaving(0, last)) < 0)
          return refuse(fmt::format("{} is {}", name(s), joiner_->why));
        continue;
      }
      if (!last) continue;  // a local of the outermost frame that the body leaves alone
      const SymRef before = x_.slot(frame_, s);
      if (before != last && !Joiner::same(before, last)) {
        may_peel = true;
        return refuse(
            fmt::format("the loop changes {}, which is {} before it", name(s), text(before)));
      }
    }
    if (body_.stack.size() != frame_.stack.size())
      return refuse("the loop leaves values under way");
    for (size_t i = 0; i < body_.stack.size(); ++i)
      if (!Joiner::same(frame_.stack[i], body_.stack[i]))
        return refuse("the loop changes a value under way");
    return true;
  }

  std::string text(const SymRef& value) const {
    if (!value) return "nothing";
    if (value->is_tensor()) return value->tensor.meta().str();
    return x_.limits().whole ? describe_value(value) : describe(*value);
  }
  // The values behind the loop.
  bool leave() {
    for (int s = 0; exit_ >= 0 && s < code_.slot_count(); ++s) {
      if (!x_.control().live(code_, exit_, s)) {
        if (stored_[size_t(s)]) after_slots_.emplace_back(s, null_sym());
        continue;
      }
      const SymRef value = behind(body_.slots[s]);
      if (body_.slots[s] && !value) return refuse(fmt::format("{} is {}", name(s), joiner_->why));
      after_slots_.emplace_back(s, value);
    }
    if (!body_.result) return true;
    result_ = behind(body_.result);
    return result_ ? true : refuse("the result is " + joiner_->why);
  }

  // What a carried tensor was when the last turn began.
  bool is_placeholder(const SymRef& value) const {
    return std::any_of(carried_.begin(), carried_.end(),
                       [&](const Carried& c) { return c.inside == value; });
  }

  SymRef behind(const SymRef& value) {
    if (!value) return value;
    for (Carried& c : carried_)
      if (c.last == value) return after(c);
    if (value->kind == SymKind::kConst || value->is_null()) return value;
    if (joiner_->existed(value) && !is_placeholder(value)) return value;
    if (value->kind == SymKind::kTuple || value->kind == SymKind::kList) {
      SymRef copy = make_sym(value->kind);
      for (const SymRef& item : value->items) {
        copy->items.push_back(behind(item));
        if (!copy->items.back()) return nullptr;
      }
      return copy;
    }
    if (!value->is_tensor()) {
      joiner_->why = describe(*value);
      return nullptr;
    }
    Carried extra{
        -1, joiner_->filler(value->tensor), nullptr, joiner_->leaving(0, value), value, nullptr};
    if (!extra.initial || extra.next < 0) return nullptr;
    extra.inside = make_tensor(placeholder(extra.initial->tensor));
    carried_.push_back(std::move(extra));
    return after(carried_.back());
  }

  SymRef after(Carried& c) {
    if (!c.after) {
      c.after = make_tensor(c.inside->tensor);  // build() gives the real one
      c.after->joined = c.last->joined || joiner_->existed(c.last);
    }
    return c.after;
  }

  bool build(int32_t first_node, int32_t first_step) {
    Vals initial, inside, next;
    for (Carried& c : carried_) {
      // What comes in is handed on by a body that leaves it alone.
      if (c.slot >= 0 && c.initial->source == kNoSource &&
          !x_.claim(c.initial->tensor.id(), c.initial))
        return refuse("two equal tensors, of which the loop takes one");
      initial.push_back(c.initial->tensor);
      inside.push_back(c.inside->tensor);
      next.push_back(x_.sink().value(c.next));
    }
    auto results = build_while(x_.sink(), first_node, initial, inside, body_.again, next);
    if (!results.ok()) return refuse(results.error().message);
    Vals given = initial, outcome = results.take();
    given.insert(given.end(), inside.begin(), inside.end());
    given.push_back(body_.again);
    given.insert(given.end(), next.begin(), next.end());
    x_.sizes().built(TraceStep::Kind::kWhile, first_step, given, outcome);
    for (size_t i = 0; i < carried_.size(); ++i) {
      Carried& c = carried_[i];
      after(c)->tensor = outcome[i];
      for (size_t k = 0; k < i; ++k)
        if (carried_[k].next == c.next) c.after->joined = carried_[k].after->joined = true;
    }
    for (auto& [slot, value] : after_slots_) frame_.slots[slot] = value;
    frame_.result = result_;
    if (exit_ >= 0) frame_.pc = exit_;
    return true;
  }

  Executor& x_;
  SymFrame& frame_;
  const DecodedCode& code_;
  const int header_;
  int exit_;
  SymFrame body_;
  std::vector<bool> stored_;
  Joiner* joiner_ = nullptr;
  std::vector<Carried> carried_;
  std::vector<std::pair<int, SymRef>> after_slots_;
  SymRef result_;
};

}  // namespace

// At the header of a loop that tests on tensors leave: true with `captured` when it is a While now
// and the frame stands behind it; true without when it is to be unrolled.
bool Executor::capture_loop(SymFrame& frame, bool* captured) {
  const auto found = control_->loops.find({frame.code, frame.pc});
  if (found == control_->loops.end() || frame.loop_header == frame.pc) return true;
  ControlPlan::Loop& loop = found->second;
  if (loop.refused || frame.peeled[frame.pc]++ < loop.peel) return true;
  if (!handled_.empty()) return true;
  if (fork_depth_ > 16) return fail(BreakReason::kTensorBranch, "loops nested too deeply");
  forked_ = true;
  SymFrame* const self = current_;
  LoopCapture capture(*this, frame);
  ++fork_depth_;
  if (!capture.run()) {
    current_ = self;
    if (control_->restart) return false;
    if (loop.why.empty()) loop.why = capture.why;
    if (!capture.may_peel || ++loop.peel > kMaxPeel) loop.refused = true;
    control_->restart = true;
    return fail(BreakReason::kTensorBranch, loop.why);
  }
  --fork_depth_;
  current_ = self;
  *captured = true;
  return true;
}

}  // namespace msjit
