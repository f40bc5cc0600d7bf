// Iteration. Loops are unrolled while capturing, except those that become one node
// (scan_capture.h).
#include "bytecode/instance.h"
#include "bytecode/stepping.h"
#include "bytecode/values/iterators.h"
#include "guards/py/host_call.h"

namespace msjit {

SymRef Executor::new_iterator(const IterKind& kind, std::vector<SymRef> children,
                              int64_t position) {
  SymRef sym = make_sym(SymKind::kIterator);
  sym->born = root_step_;
  sym->iterator =
      std::make_unique<SymIterator>(SymIterator{&kind, std::move(children), {}, position});
  return sym;
}

bool Executor::iterate(const SymRef& value, SymRef* out) {
  if (!look(value)) return false;
  const auto begin = kind_of(value).iterate;
  return begin ? begin(*this, value, out) : fail(BreakReason::kIterate, describe(*value));
}

bool Executor::dict_iterator(const SymRef& dict, Ref method, SymRef* out) {
  if (!heap_.dict_all(dict)) return fail(BreakReason::kObjectType, heap_.error);
  *out = new_iterator(iter_dict, {dict});
  SymIterator& it = *(*out)->iterator;
  it.object = std::move(method);
  it.count = static_cast<int64_t>(dict->entries.size());
  it.removals = dict->removals;
  return true;
}

bool Executor::next(const SymRef& sym, SymRef* out, bool* done) {
  // Items that a builtin takes from an iterator count like instructions of a loop.
  ++steps_;
  if (!within_limits()) return fail(BreakReason::kUnrollLimit);
  if (sym->kind == SymKind::kObject) return instance_next(*this, sym, out, done);
  SymIterator& it = *sym->iterator;
  if (it.generator) return resume_generator(sym, make_const(Ref::none()), out, done);
  *done = it.exhausted;
  if (it.exhausted) return true;
  for (const auto& [list, items] : it.taken)
    if (list->items != items) return fail(BreakReason::kIterate, "a list that changed meanwhile");
  if (!it.kind->next(*this, it, out, done)) return false;
  it.exhausted = *done && !it.kind->asks_again;
  return true;
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

Step step_get_iter(const Stepping& s) {
  const Ref iterable = s.frame.pop();
  return s.push(Ref::steal(host::call(host::program, PyObject_GetIter, iterable.get())));
}

Step step_for_iter(const Stepping& s) {
  PyObject* iterator = s.frame.peek(1).get();
  if (!Py_TYPE(iterator)->tp_iternext) return s.hand_over();  // no compiler makes such code
  Ref item = Ref::steal(host::call(host::program, Py_TYPE(iterator)->tp_iternext, iterator));
  if (item) return s.push(std::move(item));
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return s.raised();
    PyErr_Clear();
  }
  s.frame.drop(1);
  return s.jump();
}

}  // namespace msjit
