#include "guards/guard_set.h"

namespace msjit {

int GuardSet::check(const Slots& slots, PyObject** registers) const {
  const int count = static_cast<int>(steps_.size());
  for (int i = 0; i < count; ++i) {
    const GuardStep& step = steps_[i];
    if (!step.kind) {
      PyObject* object = load_source(sources_[step.target], slots, registers);
      if (!object) return i;
      registers[step.target] = object;
    } else if (step.kind == &guard_global_missing) {
      if (_PyDict_GetItem_KnownHash(slots.globals, step.object.get(), step.number)) return i;
    } else if (!step.kind->check(step, registers[step.target], registers)) {
      return i;
    }
  }
  return -1;
}

int GuardSet::guard_count() const {
  int n = 0;
  for (const GuardStep& step : steps_) n += step.kind != nullptr;
  return n;
}

std::string GuardSet::describe(int index) const {
  const GuardStep& step = steps_[index];
  const std::string source = step.target >= 0 ? sources_[step.target].text : "";
  if (!step.kind) return source + " exists";
  return step.kind->describe(step, source, step.other >= 0 ? sources_[step.other].text : "");
}

std::vector<std::string> GuardSet::describe_all() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].kind) lines.push_back(describe(static_cast<int>(i)));
  return lines;
}

SourceId GuardBuilder::add_source(LoadKind kind, SourceId base, int index, Ref key,
                                  std::string text) {
  for (size_t i = 0; i < set_.sources_.size(); ++i) {
    const Source& known = set_.sources_[i];
    if (known.kind == kind && known.base == base && known.index == index && known.key == key)
      return static_cast<SourceId>(i);
  }
  Source source{kind, base, index, std::move(key), 0, std::move(text)};
  if (source.key && kind != LoadKind::kConst) source.hash = PyObject_Hash(source.key.get());
  const SourceId id = static_cast<SourceId>(set_.sources_.size());
  set_.sources_.push_back(std::move(source));
  GuardStep load;
  load.target = id;
  set_.steps_.push_back(std::move(load));
  return id;
}

void GuardBuilder::add_guard(GuardStep step) {
  for (const GuardStep& known : set_.steps_) {
    if (known.kind == step.kind && known.target == step.target && known.other == step.other &&
        known.number == step.number && known.version == step.version && known.object == step.object)
      return;
  }
  set_.steps_.push_back(std::move(step));
}

namespace {

// Loads the program made itself, whether or not it used what they gave: where one finds nothing,
// a name is unbound, an attribute or key is missing. Items are covered by a guard on the length.
bool may_find_nothing(LoadKind kind) {
  switch (kind) {
    case LoadKind::kLocal:
    case LoadKind::kGlobal:
    case LoadKind::kBuiltin:
    case LoadKind::kCellContents:
    case LoadKind::kInstanceAttr:
    case LoadKind::kDictItem: return true;
    default: return false;
  }
}

}  // namespace

GuardSet GuardBuilder::finish(const std::vector<SourceId>& used) {
  std::vector<bool> live(set_.sources_.size(), false);
  for (SourceId id : used)
    if (id >= 0) live[id] = true;
  for (size_t i = 0; i < live.size(); ++i)
    if (may_find_nothing(set_.sources_[i].kind)) live[i] = true;
  for (const GuardStep& step : set_.steps_) {
    if (!step.kind) continue;
    if (step.target >= 0) live[step.target] = true;
    if (step.other >= 0) live[step.other] = true;
  }
  for (size_t i = set_.sources_.size(); i-- > 0;)  // bases have smaller numbers
    if (live[i] && set_.sources_[i].base >= 0) live[set_.sources_[i].base] = true;
  std::vector<GuardStep> kept;
  for (GuardStep& step : set_.steps_)
    if (step.kind || live[step.target]) kept.push_back(std::move(step));
  set_.steps_ = std::move(kept);
  return std::move(set_);
}

}  // namespace msjit
