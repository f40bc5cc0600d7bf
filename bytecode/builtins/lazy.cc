// next() of the iterators that compute: map, filter and those of itertools.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

bool next_map(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  std::vector<SymRef> row;
  for (size_t i = 1; i < it.children.size(); ++i) {
    row.emplace_back();
    if (!x.next(it.children[i], &row.back(), done)) return false;
    if (*done) return true;
  }
  return x.call(it.children[0], std::move(row), nullptr, out);
}

bool next_filter(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  for (;;) {
    if (!x.next(it.children[1], out, done)) return false;
    if (*done) return true;
    SymRef answer = *out;
    if (!it.children[0]->is_const(Py_None) && !x.call(it.children[0], {*out}, nullptr, &answer))
      return false;
    bool keep = false;
    if (!x.truth(answer, &keep)) return false;
    if (keep) return true;
  }
}

}  // namespace

bool next_lazy(Executor& x, SymIterator& it, SymRef* out, bool* done) {
  switch (it.kind) {
    case IterKind::kMap: return next_map(x, it, out, done);
    case IterKind::kFilter: return next_filter(x, it, out, done);
    default: return x.fail(BreakReason::kInternal, "an iterator without next()");
  }
}

}  // namespace msjit
