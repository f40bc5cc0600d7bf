// Iteration over ranges and sequences. Loops unroll while capturing, but for those that are one
// node (scan_capture.h).
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/builtins/sets.h"
#include "bytecode/library.h"

namespace msjit {

SymRef Executor::new_iterator(IterKind kind, std::vector<SymRef> children, int64_t position) {
  SymRef sym = make_sym(SymKind::kIterator);
  sym->born = root_step_;
  sym->iterator =
      std::make_unique<SymIterator>(SymIterator{kind, std::move(children), {}, position});
  return sym;
}

bool Executor::iterate(const SymRef& value, SymRef* out) {
  if (!look(value)) return false;
  if (value->kind == SymKind::kIterator) {
    const SymIterator& it = *value->iterator;
    if (it.kind == IterKind::kDictView) return dict_iterator(it.children[0], it.object, out);
    *out = value;
    return true;
  }
  if (value->kind == SymKind::kVars) {
    SymRef dict;
    return vars_all(*this, value, &dict) && iterate(dict, out);
  }
  if (value->kind == SymKind::kDict)
    return dict_iterator(value, Ref::steal(PyUnicode_InternFromString("keys")), out);
  if (heap_.items(value)) {
    *out = new_iterator(IterKind::kSequence, {value});
    return true;
  }
  if (value->kind == SymKind::kConst &&
      (PyRange_Check(value->object.get()) || PyUnicode_CheckExact(value->object.get()) ||
       PyBytes_CheckExact(value->object.get()))) {
    *out = new_iterator(IterKind::kConstant, {});
    (*out)->iterator->object = value->object;
    return true;
  }
  if (value->kind == SymKind::kTensor) {
    if (value->tensor.rank() == 0) return fail(BreakReason::kRaises, "iteration over a 0-d tensor");
    std::vector<SymRef> rows;
    if (!look(sizes_.dims(value->tensor)[0])) return false;
    for (int64_t i = 0; i < value->tensor.shape()[0]; ++i) {
      SymRef row;
      if (!subscript(value, make_const(Ref::steal(PyLong_FromLongLong(i))), &row)) return false;
      rows.push_back(std::move(row));
    }
    *out = new_iterator(IterKind::kSequence, {make_items(SymKind::kTuple, std::move(rows))});
    (*out)->iterator->of_tensor = true;
    return true;
  }
  if (shadow_of(value)) {
    std::vector<SymRef> parts = {value};
    if (!set_items(*this, value, &parts)) return false;
    *out = new_iterator(IterKind::kSet, std::move(parts));
    (*out)->iterator->removals = value->removals;
    return true;
  }
  if (value->kind == SymKind::kObject) return instance_iter(*this, value, out);
  if (is_enum_class(value)) {
    std::vector<SymRef> members;
    if (!enum_members(*this, value, &members)) return false;
    *out = new_iterator(IterKind::kComputed, {make_items(SymKind::kTuple, std::move(members))});
    return true;
  }
  return fail(BreakReason::kIterate, describe(*value));
}

bool Executor::dict_iterator(const SymRef& dict, Ref method, SymRef* out) {
  if (!heap_.dict_all(dict)) return fail(BreakReason::kObjectType, heap_.error);
  *out = new_iterator(IterKind::kDict, {dict});
  SymIterator& it = *(*out)->iterator;
  it.object = std::move(method);
  it.count = static_cast<int64_t>(dict->entries.size());
  it.removals = dict->removals;
  return true;
}

namespace {

// One entry of a dict as its keys(), values() or items() show it, read when it is taken.
bool next_entry(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  const SymRef& dict = it.children[0];
  if (it.count != static_cast<int64_t>(dict->entries.size()))
    return x.fail(BreakReason::kRaises, "iteration over a dict that changed its size");
  if (it.removals != dict->removals)
    return x.fail(BreakReason::kIterate, "a dict that lost keys meanwhile");
  *done = it.position >= it.count;
  if (*done) return true;
  const auto& [key, item] = dict->entries[it.position++];
  switch (PyUnicode_READ_CHAR(it.object.get(), 0)) {
    case 'k': *out = key; break;
    case 'v': *out = item; break;
    default: *out = make_items(SymKind::kTuple, {key, item});
  }
  return true;
}

}  // namespace

// The others ask what they run over again.
static bool stays_exhausted(IterKind kind) {
  return kind != IterKind::kZip && kind != IterKind::kEnumerate && kind != IterKind::kMap &&
         kind != IterKind::kFilter && kind != IterKind::kStarMap && kind != IterKind::kAccumulate;
}

bool Executor::next(const SymRef& sym, SymRef* out, bool* done) {
  // What a builtin takes from an iterator is as long as a loop of instructions.
  ++steps_;
  if (!within_limits()) return fail(BreakReason::kUnrollLimit);
  if (sym->kind == SymKind::kObject) return instance_next(*this, sym, out, done);
  SymIterator& it = *sym->iterator;
  if (it.generator) return resume_generator(sym, make_const(Ref::none()), out, done);
  *done = it.exhausted;
  if (it.exhausted) return true;
  for (const auto& [list, items] : it.taken)
    if (list->items != items) return fail(BreakReason::kIterate, "a list that changed meanwhile");
  if (!take_next(it, out, done)) return false;
  it.exhausted = *done && stays_exhausted(it.kind);
  return true;
}

bool Executor::take_next(SymIterator& it, SymRef* out, bool* done) {
  switch (it.kind) {
    case IterKind::kSequence:
    case IterKind::kComputed:
    case IterKind::kReversed: {
      const std::vector<SymRef>& items = *heap_.items(it.children[0]);
      const int64_t size = static_cast<int64_t>(items.size());
      const bool forward = it.kind != IterKind::kReversed;
      const int64_t index = forward ? it.position : it.count - 1 - it.position;
      *done = index < 0 || index >= size;
      if (*done) return true;
      *out = items[index];
      ++it.position;
      return true;
    }
    case IterKind::kConstant: {
      *done = it.position >= PyObject_Size(it.object.get());
      if (*done) return true;
      *out = make_const(Ref::steal(PySequence_GetItem(it.object.get(), it.position++)));
      return true;
    }
    case IterKind::kDict: return next_entry(*this, it, out, done);
    case IterKind::kSet: {
      const SymRef& set = it.children[0];
      const size_t size = it.children.size() - 1;
      if (static_cast<size_t>(PySet_GET_SIZE(shadow_of(set).get())) != size)
        return fail(BreakReason::kRaises, "iteration over a set that changed its size");
      if (it.removals != set->removals) return fail(BreakReason::kIterate, "a set that changed");
      *done = static_cast<size_t>(it.position) >= size;
      if (!*done) *out = it.children[static_cast<size_t>(++it.position)];
      return true;
    }
    case IterKind::kGenerator: break;
    case IterKind::kZip: {
      std::vector<SymRef> row;
      for (const SymRef& child : it.children) {
        SymRef item;
        if (!next(child, &item, done)) return false;
        if (*done) return true;
        row.push_back(std::move(item));
      }
      *done = it.children.empty();
      *out = make_items(SymKind::kTuple, std::move(row));
      return true;
    }
    case IterKind::kEnumerate: {
      SymRef item;
      if (!next(it.children[0], &item, done)) return false;
      if (*done) return true;
      SymRef count = make_const(Ref::steal(PyLong_FromLongLong(it.position++)));
      *out = make_items(SymKind::kTuple, {std::move(count), std::move(item)});
      return true;
    }
    case IterKind::kDictView: return fail(BreakReason::kRaises, "next() of a dict view");
    case IterKind::kTurns:
    case IterKind::kTensorRows: return take_turn(it, out, done);
    default: return next_lazy(*this, it, out, done);
  }
  return fail(BreakReason::kInternal, "a generator among the iterators");
}

bool Executor::unpack(const SymRef& value, std::vector<SymRef>* out) {
  if (!look(value)) return false;
  if (const std::vector<SymRef>* items = heap_.items(value)) {
    *out = *items;
    return true;
  }
  if (value->kind == SymKind::kDict) {
    if (!heap_.dict_all(value)) return fail(BreakReason::kObjectType, heap_.error);
    for (const auto& [key, item] : value->entries) out->push_back(key);
    return true;
  }
  SymRef iterator;
  if (!iterate(value, &iterator)) return raise_ends();
  for (;;) {
    SymRef item;
    bool done = false;
    if (!next(iterator, &item, &done)) return raise_ends();
    if (done) return true;
    if (out->size() > 4096) return fail(BreakReason::kUnrollLimit);
    out->push_back(std::move(item));
  }
}

bool exec_GetIter(Executor& x, SymFrame& f, const Instr&) {
  SymRef iterator;
  if (!x.open_rows(f, f.peek(1), &iterator)) return false;
  if (!iterator && !x.iterate(f.peek(1), &iterator)) return false;
  f.peek(1) = std::move(iterator);
  return true;
}

bool exec_ForIter(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef iterator = f.peek(1);
  if (!x.look(iterator)) return false;
  if (!is_iterator(iterator)) return x.fail(BreakReason::kLoopIterator, describe(*iterator));
  bool captured = false;
  if (iterator->kind == SymKind::kIterator && !x.capture_scan(f, &captured)) return false;
  if (captured) return f.next = i.target, true;
  SymRef item;
  bool done = false;
  if (!x.next(iterator, &item, &done)) return false;
  if (done) {
    f.pop();
    f.next = i.target;
  } else {
    f.push(std::move(item));
  }
  return true;
}

}  // namespace msjit
