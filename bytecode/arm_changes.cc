#include "bytecode/arm_changes.h"

#include <fmt/core.h>

#include <algorithm>

#include "bytecode/instance.h"
#include "bytecode/tensor_write.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

// The value of an attribute that the object is known to have.
SymRef& attribute(SymValue& object, const std::string& name) {
  return std::ranges::find(object.attributes, name, [](const auto& one) { return one.first; })
      ->second;
}

void take_tensors(Heap& heap, const ChangeMark& before, ArmChanges* changes) {
  for (auto& log = heap.renewed(); log.size() > before.renewed; log.pop_back()) {
    const Heap::Renewed& last = log.back();
    if (last.tensor->serial >= before.serial && last.tensor->source == kNoSource) continue;
    const auto is_known = [&](const auto& write) {
      return is_same_tensor(write.first, last.tensor);
    };
    if (std::ranges::none_of(changes->tensors, is_known))
      changes->tensors.emplace_back(last.tensor, last.tensor->tensor);
    last.tensor->tensor = last.before;
    last.tensor->changed = last.changed;
  }
}

void take_attributes(Heap& heap, const ChangeMark& before, ArmChanges* changes) {
  for (auto& log = heap.stored(); log.size() > before.stored; log.pop_back()) {
    const Heap::Stored& last = log.back();
    SymValue& object = *last.object;
    if (object.serial >= before.serial && object.source == kNoSource) continue;
    const auto is_known = [&](const auto& store) {
      return store.object == last.object && store.name == last.name;
    };
    if (std::ranges::none_of(changes->attributes, is_known))
      changes->attributes.push_back({last.object, last.name, attribute(object, last.name)});
    attribute(object, last.name) = last.before;
    object.written.resize(last.num_written);
    object.changed = last.changed;
  }
}

bool join_tensors(Joiner& joiner, const ArmChanges* arms, JoinedChanges* out) {
  for (int side : {0, 1})
    for (const auto& written : arms[side].tensors) {
      const SymRef& tensor = written.first;
      const auto is_this = [&](const auto& entry) { return is_same_tensor(entry.first, tensor); };
      if (std::ranges::any_of(out->tensors, is_this)) continue;
      SymRef values[2];
      for (int arm : {0, 1}) {
        const auto write = std::ranges::find_if(arms[arm].tensors, is_this);
        values[arm] = write == arms[arm].tensors.end() ? tensor : make_tensor(write->second);
      }
      SymRef both = joiner.join_written(values[0], values[1]);
      if (!both) {
        joiner.why = "a tensor that it writes to is " + joiner.why;
        return false;
      }
      out->tensors.emplace_back(tensor, std::move(both));
    }
  return true;
}

bool join_attributes(Joiner& joiner, const ArmChanges* arms, JoinedChanges* out) {
  for (int side : {0, 1})
    for (const ArmChanges::Attribute& stored : arms[side].attributes) {
      const auto is_this = [&](const ArmChanges::Attribute& other) {
        return other.object == stored.object && other.name == stored.name;
      };
      if (std::ranges::any_of(out->attributes, is_this)) continue;
      SymRef values[2];
      for (int arm : {0, 1}) {
        const auto store = std::ranges::find_if(arms[arm].attributes, is_this);
        values[arm] = store == arms[arm].attributes.end() ? attribute(*stored.object, stored.name)
                                                          : store->value;
      }
      SymRef both = joiner.join(values[0], true, values[1], true);
      if (!both) {
        joiner.why = fmt::format("attribute {} is {}", stored.name, joiner.why);
        return false;
      }
      out->attributes.push_back({stored.object, stored.name, std::move(both)});
    }
  return true;
}

}  // namespace

bool is_same_tensor(const SymRef& a, const SymRef& b) {
  return a == b || (a->object && a->object.get() == b->object.get());
}

ArmChanges take_changes(Heap& heap, const ChangeMark& before) {
  ArmChanges changes;
  take_tensors(heap, before, &changes);
  take_attributes(heap, before, &changes);
  return changes;
}

bool join_changes(Joiner& joiner, const ArmChanges* arms, JoinedChanges* out) {
  return join_tensors(joiner, arms, out) && join_attributes(joiner, arms, out);
}

bool make_changes(Executor& x, const JoinedChanges& changes) {
  std::vector<SymRef> values;  // copied before the first write, so they hold the If's outputs
  for (const auto& [tensor, both] : changes.tensors) {
    SymRef& value = values.emplace_back(both);
    if (tensor->source != kNoSource && !x.apply(op_copy, std::span(&both->tensor, 1), {}, &value))
      return false;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const SymRef& tensor = changes.tensors[i].first;
    if (tensor->source != kNoSource) {
      if (!write_tensor(x, tensor, values[i]->tensor, false, false)) return false;
      continue;
    }
    x.note_written(values[i]->tensor.id());
    x.renew(tensor, values[i]->tensor);
  }
  return std::ranges::all_of(changes.attributes, [&](const ArmChanges::Attribute& store) {
    return write_attribute(x, store.object, store.name.c_str(), store.value);
  });
}

}  // namespace msjit
