#include "bytecode/loop_body.h"

#include <fmt/core.h>

#include <algorithm>

#include "bytecode/tensor_write.h"
#include "graph/control.h"
#include "graph/sharing.h"
#include "guards/py/objects.h"

namespace msjit {

extern const OpDef op_copy;

LoopBody::LoopBody(Executor& x, SymFrame& frame, int start, std::set<int>& written, int fork_depth)
    : x_(x),
      frame_(frame),
      code_(*frame.code),
      header_(frame.pc),
      start_(start),
      exit_(x.control().cfg(code_).loop_exit(header_)),
      fork_depth_(fork_depth),
      written_slots_(written) {
  stored_ = find_stored();
}

std::string LoopBody::name(int slot) const {
  const char* text = utf8_text(code_.slot_name(slot).get());
  return text ? text : "?";
}

// The local slots to which the code between header and exit stores.
std::vector<bool> LoopBody::find_stored() const {
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

Val LoopBody::placeholder(const Val& initial) {
  Val value = x_.sink().value(x_.sink().graph()->add_placeholder(initial.meta()));
  x_.sizes().placeholder(initial, &value);
  return value;
}

void LoopBody::place_carried() {
  for (int s = 0; s < code_.slot_count(); ++s) {
    if (!stored_[size_t(s)] || !x_.control().live(code_, start_, s)) continue;
    const SymRef initial = x_.slot(frame_, s);
    if (!x_.heap().realize(initial) || !initial->is_tensor()) continue;
    if (initial->object && !is_exact_tensor(initial->object.get())) continue;
    SymRef inside = make_tensor(placeholder(initial->tensor));
    inside->joined = true;
    body_.slots[s] = inside;
    carried_.push_back({s, initial, inside});
  }
}

LoopBody::Carried* LoopBody::carried_slot(int slot) {
  for (Carried& c : carried_)
    if (c.slot == slot) return &c;
  return nullptr;
}

LoopBody::Carried* LoopBody::carried_write(const SymRef& tensor) {
  for (Carried& c : carried_)
    if (c.written && is_same_tensor(c.written, tensor)) return &c;
  return nullptr;
}

bool LoopBody::learns_write(const SymRef& tensor) {
  if (!joiner_ || !joiner_->existed(tensor) || carried_write(tensor)) return false;
  for (int s = 0; s < code_.slot_count(); ++s)
    if (const SymRef& held = frame_.slots[s];
        held && held->is_tensor() && is_same_tensor(held, tensor) && !stored_[size_t(s)])
      return written_slots_.insert(s).second;
  return false;
}

bool LoopBody::place_written() {
  for (int s : written_slots_) {
    const SymRef tensor = x_.slot(frame_, s);
    if (!x_.heap().realize(tensor) || !tensor->is_tensor() || carried_write(tensor)) continue;
    if (!may_carry(x_, tensor))
      return refuse(name(s) + " is a tensor that the loop writes to and others show");
    Carried written{-1, nullptr, nullptr};
    written.written = tensor;
    written.content = tensor->tensor;
    written.placeholder = placeholder(written.content);
    x_.note_written(written.placeholder.id());
    carry(x_, tensor, written.placeholder);
    carried_.push_back(std::move(written));
  }
  return true;
}

bool LoopBody::take_written(const ChangeMark& before) {
  const ArmChanges changes = take_changes(x_.heap(), before);
  if (!changes.attributes.empty()) return refuse("the loop changes an attribute");
  for (const auto& [tensor, value] : changes.tensors) {
    Carried* const c = carried_write(tensor);
    if (!c) return refuse("the loop changes a tensor");
    c->last = make_tensor(value);
    if ((c->next = joiner_->leaving(0, c->last)) < 0)
      return refuse("a tensor that the loop writes to is " + joiner_->why);
  }
  auto& log = x_.heap().overwritten();
  if (seen_after_write(log, before.overwritten, *x_.sink().graph(), x_.gradient_scopes()) >= 0)
    return refuse("the loop writes to a tensor that a view holds");
  overwritten_.assign(log.begin() + static_cast<ptrdiff_t>(before.overwritten), log.end());
  log.resize(before.overwritten);
  return true;
}

bool LoopBody::shows_written_tensor(ValueId id) const {
  const Graph& graph = *x_.sink().graph();
  return shows_overwritten(overwritten_, graph, id) ||
         std::ranges::any_of(
             carried_, [&](const Carried& c) { return c.written && may_share(graph, id, c.next); });
}

bool LoopBody::write_behind() {
  for (const Carried& c : carried_) {
    if (!c.written) continue;
    SymRef content = c.after;
    if (c.written->source == kNoSource) {  // nothing else shows it, so nothing sees old content
      x_.note_written(content->tensor.id());
      x_.renew(c.written, content->tensor);
      continue;
    }
    if (!x_.apply(op_copy, std::span(&content->tensor, 1), {}, &content) ||
        !write_tensor(x_, c.written, content->tensor, false, false))
      return false;
  }
  return true;
}

bool LoopBody::check_carried(Carried& c, int slot, const SymRef& last) {
  may_peel = true;
  if (!last || !last->is_tensor() || !can_join(last->tensor.meta(), c.inside->tensor.meta()))
    return refuse(fmt::format("the loop changes {}: it is {} before it and {} in it", name(slot),
                              c.inside->tensor.meta().str(), text(last)));
  if (is_borrowed(last)) {
    may_peel = false;
    return refuse(name(slot) + " is a view of a tensor made outside the loop");
  }
  c.last = last;
  if ((c.next = joiner_->leaving(0, last)) < 0)
    return refuse(fmt::format("{} is {}", name(slot), joiner_->why));
  return true;
}

bool LoopBody::check_back() {
  for (int s = 0; s < code_.slot_count(); ++s) {
    if (!x_.control().live(code_, start_, s)) continue;
    const SymRef last = body_.slots[s];
    if (Carried* c = carried_slot(s)) {
      if (!check_carried(*c, s, last)) return false;
      continue;
    }
    if (!last) continue;  // a local of the outermost frame that the body does not touch
    const SymRef before = x_.slot(frame_, s);
    if (before != last && !Joiner::same(before, last)) {
      may_peel = true;
      return refuse(
          fmt::format("the loop changes {}, which is {} before it", name(s), text(before)));
    }
  }
  if (body_.stack.size() != frame_.stack.size())
    return refuse("the loop body changes the number of values on the stack");
  for (size_t i = 0; i < body_.stack.size(); ++i)
    if (!Joiner::same(frame_.stack[i], body_.stack[i]))
      return refuse("the loop changes a value on the stack");
  return true;
}

std::string LoopBody::text(const SymRef& value) const {
  if (!value) return "nothing";
  if (value->is_tensor()) return value->tensor.meta().str();
  return x_.limits().whole ? describe_value(value) : describe(*value);
}

bool LoopBody::leave() {
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

// Whether a value is what a carried tensor was at the beginning of the last turn.
bool LoopBody::is_placeholder(const SymRef& value) const {
  return std::any_of(carried_.begin(), carried_.end(),
                     [&](const Carried& c) { return c.inside && c.inside == value; });
}

SymRef LoopBody::behind(const SymRef& value) {
  if (!value) return value;
  for (Carried& c : carried_)
    if (c.last == value) return after(c);
  SymRef own;
  if (behind_own(value, &own)) return own;
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
  if (value->is_tensor()) return behind_tensor(value);
  joiner_->why = describe(*value);
  return nullptr;
}

SymRef LoopBody::behind_tensor(const SymRef& value) {
  if (is_borrowed(value)) {
    joiner_->why = "a view of a tensor made outside the loop";
    return nullptr;
  }
  Carried extra{-1,     joiner_->filler(value->tensor), nullptr, joiner_->leaving(0, value), value,
                nullptr};
  if (!extra.initial || extra.next < 0) return nullptr;
  extra.inside = make_tensor(placeholder(extra.initial->tensor));
  carried_.push_back(std::move(extra));
  return after(carried_.back());
}

bool LoopBody::carry_checks(size_t mark, int32_t first_node, std::vector<ValueId> read) {
  for (const Carried& c : carried_) read.push_back(c.next);
  const std::vector<int32_t> nodes = x_.checking().take(mark);
  for (ValueId id : unread_values(*x_.sink().graph(), nodes, first_node, read))
    if (!behind_tensor(make_tensor(x_.sink().value(id)))) return refuse(joiner_->why);
  return true;
}

SymRef LoopBody::after(Carried& c) {
  if (!c.after) {
    c.after =
        make_tensor(c.written ? c.placeholder : c.inside->tensor);  // bind() sets the final value
    c.after->joined = c.last->joined || joiner_->existed(c.last);
  }
  return c.after;
}

bool LoopBody::collect(Vals* initial, Vals* inside, Vals* next) {
  for (Carried& c : carried_) {
    // A body that leaves a carried tensor unchanged hands the initial tensor on.
    if (c.slot >= 0 && c.initial->source == kNoSource &&
        !x_.claim(c.initial->tensor.id(), c.initial))
      return refuse(
          "the loop starts from one of two tensor objects that the region has merged into one "
          "value");
    initial->push_back(c.written ? c.content : c.initial->tensor);
    inside->push_back(c.written ? c.placeholder : c.inside->tensor);
    next->push_back(x_.sink().value(c.next));
    if (!c.written && shows_written_tensor(c.next))
      return refuse("a view of a tensor that the loop writes to outlives a turn");
  }
  return true;
}

void LoopBody::bind(std::span<const Val> results) {
  for (size_t i = 0; i < carried_.size(); ++i) {
    Carried& c = carried_[i];
    after(c)->tensor = results[i];
    for (size_t k = 0; k < i; ++k)
      if (carried_[k].next == c.next) c.after->joined = carried_[k].after->joined = true;
  }
  for (auto& [slot, value] : after_slots_) frame_.slots[slot] = value;
  frame_.result = result_;
}

}  // namespace msjit
