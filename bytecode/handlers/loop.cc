// Iteration over ranges and sequences whose length is known: loops unroll while capturing.
#include <fmt/core.h>

#include "bytecode/exec.h"

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
    *out = it.kind == IterKind::kDictView ? new_iterator(IterKind::kSequence, it.children) : value;
    (*out)->born = value->born;
    return true;
  }
  if (heap_.items(value)) {
    *out = new_iterator(IterKind::kSequence, {value});
    return true;
  }
  if (value->kind == SymKind::kConst && PyRange_Check(value->object.get())) {
    *out = new_iterator(IterKind::kRange, {});
    (*out)->iterator->range = value->object;
    return true;
  }
  if (value->kind == SymKind::kTensor) {
    if (value->tensor.rank() == 0) return fail(BreakReason::kRaises, "iteration over a 0-d tensor");
    std::vector<SymRef> rows;
    for (int64_t i = 0; i < value->tensor.shape()[0]; ++i) {
      SymRef row;
      if (!subscript(value, make_const(Ref::steal(PyLong_FromLongLong(i))), &row)) return false;
      rows.push_back(std::move(row));
    }
    *out = new_iterator(IterKind::kSequence, {make_items(SymKind::kTuple, std::move(rows))});
    return true;
  }
  return fail(BreakReason::kIterate, describe(*value));
}

bool Executor::next(const SymRef& sym, SymRef* out, bool* done) {
  SymIterator& it = *sym->iterator;
  *done = false;
  switch (it.kind) {
    case IterKind::kSequence:
    case IterKind::kReversed: {
      const std::vector<SymRef>& items = *heap_.items(it.children[0]);
      const int64_t size = static_cast<int64_t>(items.size());
      if (it.position >= size) {
        *done = true;
        return true;
      }
      *out = items[it.kind == IterKind::kSequence ? it.position : size - 1 - it.position];
      ++it.position;
      return true;
    }
    case IterKind::kRange: {
      if (it.position >= PyObject_Size(it.range.get())) {
        *done = true;
        return true;
      }
      *out = make_const(Ref::steal(PySequence_GetItem(it.range.get(), it.position++)));
      return true;
    }
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
    case IterKind::kDictView: break;
  }
  return fail(BreakReason::kRaises, "next() of a dict view");
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
  if (!iterate(value, &iterator)) return false;
  for (;;) {
    SymRef item;
    bool done = false;
    if (!next(iterator, &item, &done)) return false;
    if (done) return true;
    if (out->size() > 4096) return fail(BreakReason::kUnrollLimit);
    out->push_back(std::move(item));
  }
}

bool exec_GetIter(Executor& x, SymFrame& f, const Instr&) {
  SymRef iterator;
  if (!x.iterate(f.peek(1), &iterator)) return false;
  f.peek(1) = std::move(iterator);
  return true;
}

bool exec_ForIter(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef iterator = f.peek(1);
  if (!x.look(iterator)) return false;
  if (iterator->kind != SymKind::kIterator)
    return x.fail(BreakReason::kLoopIterator, describe(*iterator));
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
