#include "bytecode/loop_body.h"

#include <fmt/core.h>

#include <algorithm>

#include "bytecode/tensor_write.h"
#include "graph/control.h"
#include "graph/sharing.h"
#include "guards/py/objects.h"

namespace msjit {

extern const OpDef op_copy;

LoopBody::LoopBody(Executor& x, SymFrame& frame, int start, LoopFacts& facts, int fork_depth,
                   int loop)
    : x_(x),
      frame_(frame),
      code_(*frame.code),
      header_(frame.pc),
      start_(start),
      loop_(loop < 0 ? frame.pc : loop),
      exit_(x.control().cfg(code_).loop_exit(loop_)),
      behind_(loop < 0 ? exit_ : frame.pc),
      fork_depth_(fork_depth),
      facts_(facts) {
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
  std::vector<int> work{cfg.block_of(loop_)};
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
      return facts_.written.insert(s).second;
  return false;
}

bool LoopBody::place_written() {
  for (int s : facts_.written) {
    const SymRef tensor = x_.slot(frame_, s);
    if (!x_.heap().realize(tensor) || !tensor->is_tensor() || carried_write(tensor)) continue;
    const auto starts_from_it = [&](const Carried& c) {
      return c.initial && is_same_tensor(c.initial, tensor);
    };
    if (!may_carry(x_, tensor) || std::ranges::any_of(carried_, starts_from_it))
      return refuse(name(s) + " is a tensor that the loop writes to and others show");
    Carried written{{}, nullptr, nullptr};
    written.written = tensor;
    written.content = tensor->tensor;
    written.placeholder = placeholder(written.content);
    x_.note_written(written.placeholder.id());
    carry(x_, tensor, written.placeholder);
    carried_.push_back(std::move(written));
  }
  return true;
}

bool LoopBody::take_changed(const ChangeMark& before) {
  const ArmChanges changes = take_changes(x_.heap(), before);
  if (!take_attributes(changes) || !take_items() || !take_tensors(changes)) return false;
  auto& log = x_.heap().overwritten();
  if (seen_after_write(log, before.overwritten, *x_.sink().graph(), x_.gradient_scopes()) >= 0)
    return refuse("the loop writes to a tensor that a view holds");
  overwritten_.assign(log.begin() + static_cast<ptrdiff_t>(before.overwritten), log.end());
  log.resize(before.overwritten);
  return true;
}

bool LoopBody::take_tensors(const ArmChanges& changes) {
  for (const auto& [tensor, value] : changes.tensors) {
    Carried* const c = carried_write(tensor);
    if (!c) return refuse("the loop changes a tensor");
    c->last = make_tensor(value);
    if ((c->next = joiner_->leaving(0, c->last)) < 0)
      return refuse("a tensor that the loop writes to is " + joiner_->why);
  }
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
  return std::ranges::all_of(
      handed_on_, [&](const HandedOn& one) { return one.slot >= 0 || store_behind(one); });
}

std::string LoopBody::text(const SymRef& value) const {
  if (!value) return "nothing";
  if (value->is_tensor()) return value->tensor.meta().str();
  return x_.limits().whole ? describe_value(value) : describe(*value);
}

bool LoopBody::leave() {
  for (int s = 0; behind_ >= 0 && s < code_.slot_count(); ++s) {
    if (!x_.control().live(code_, behind_, s)) {
      if (stored_[size_t(s)]) after_slots_.emplace_back(s, null_sym());
      continue;
    }
    const SymRef value = behind(body_.slots[s]);
    if (body_.slots[s] && !value) return refuse(fmt::format("{} is {}", name(s), joiner_->why));
    after_slots_.emplace_back(s, value);
  }
  for (HandedOn& one : handed_on_) {
    if (one.slot >= 0) continue;
    one.after = behind(one.last);
    if (!one.after) return refuse(fmt::format("{} is {}", one.name, joiner_->why));
  }
  if (!body_.result) return true;
  result_ = behind(body_.result);
  return result_ ? true : refuse("the result is " + joiner_->why);
}

// Whether a value is what a carried tensor was at the beginning of the last turn, or holds such
// tensors.
bool LoopBody::is_placeholder(const SymRef& value) const {
  return std::ranges::any_of(carried_,
                             [&](const Carried& c) { return c.inside && c.inside == value; }) ||
         std::ranges::find(opened_, value, &Opened::copy) != opened_.end();
}

SymRef LoopBody::behind(const SymRef& value) {
  if (!value) return value;
  for (Carried& c : carried_)
    if (c.last == value) return after(c);
  SymRef own;
  if (behind_own(value, &own)) return own;
  if (value->kind == SymKind::kConst || value->is_null()) return value;
  if (joiner_->existed(value) && !is_placeholder(value)) return value;
  if (value->kind == SymKind::kTuple || value->kind == SymKind::kList ||
      value->kind == SymKind::kDict)
    return behind_container(value);
  return value->is_tensor() ? behind_tensor(value) : behind_number(value);
}

SymRef LoopBody::behind_container(const SymRef& value) {
  if (value->kind != SymKind::kTuple && (value->cls || !value->attributes.empty())) {
    joiner_->why = describe(*value);
    return nullptr;
  }
  SymRef copy = make_sym(value->kind);
  copy->cls = value->cls;
  for (const SymRef& item : value->items) {
    copy->items.push_back(behind(item));
    if (!copy->items.back()) return nullptr;
  }
  for (const auto& [key, item] : value->entries) {
    copy->entries.emplace_back(key, behind(item));
    if (!copy->entries.back().second) return nullptr;
  }
  return copy;
}

SymRef LoopBody::behind_tensor(const SymRef& value) {
  if (is_borrowed(value)) {
    joiner_->why = "a view of a tensor made outside the loop";
    return nullptr;
  }
  Carried extra{{},     joiner_->filler(value->tensor), nullptr, joiner_->leaving(0, value), value,
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
    if (is_number(c)) {
      c.after->kind = SymKind::kScalar;
      c.after->cls = c.inside->cls;
    }
  }
  return c.after;
}

bool LoopBody::collect(Vals* initial, Vals* inside, Vals* next) {
  for (Carried& c : carried_) {
    // A body that leaves a carried tensor unchanged hands the initial tensor on.
    if (!c.name.empty() && !is_number(c) && c.initial->source == kNoSource &&
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
    if (is_number(c))  // it has no tensor identity
      c.after->tensor = call_in(&x_.sink(), op_copy, std::span(&results[i], 1), {});
    for (size_t k = 0; k < i; ++k)
      if (carried_[k].next == c.next) c.after->joined = carried_[k].after->joined = true;
  }
  for (auto& [slot, value] : after_slots_) frame_.slots[slot] = value;
  frame_.result = result_;
}

}  // namespace msjit
