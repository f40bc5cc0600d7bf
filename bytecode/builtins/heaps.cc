// Functions of heapq on lists. They compare the items with `<` in the order in which CPython does,
// so that equal items end up where they would.
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"

namespace msjit {
namespace {

// A heap on a copy of a list's items. The list gets them when nothing has failed.
class HeapOf {
 public:
  HeapOf(Executor& x, const std::vector<SymRef>& items) : x_(x), before_(items), items_(items) {}

  bool push(const SymRef& item) {
    items_.push_back(item);
    return sift_down(0, items_.size() - 1);
  }

  bool pop(SymRef* out) {
    SymRef last = items_.back();
    items_.pop_back();
    if (items_.empty()) return *out = std::move(last), true;
    return replace(std::move(last), out);
  }

  bool replace(SymRef item, SymRef* out) {
    *out = std::exchange(items_[0], std::move(item));
    return sift_up(0);
  }

  // An exception in the middle would leave the list as it is then.
  bool less(const SymRef& a, const SymRef& b, bool* out) {
    SymRef answer;
    return (x_.compare(a, b, Py_LT, &answer) && x_.truth(answer, out)) || x_.raise_ends();
  }

  // Gives the list the items, unless a comparison has changed it meanwhile.
  bool keep(const SymRef& list) {
    if (list->items != before_) return x_.fail(BreakReason::kRaises, "heapq");
    list->items = items_;
    note_change(list);
    return true;
  }

  bool order() {
    for (size_t i = items_.size() / 2; i-- > 0;)
      if (!sift_up(i)) return false;
    return true;
  }

 private:
  // Moves the item at `at` towards the root, to where its parent is not larger.
  bool sift_down(size_t start, size_t at) {
    while (at > start) {
      const size_t parent = (at - 1) / 2;
      bool smaller = false;
      if (!less(items_[at], items_[parent], &smaller)) return false;
      if (!smaller) break;
      std::swap(items_[at], items_[parent]);
      at = parent;
    }
    return true;
  }

  // Moves the item at `at` to a leaf, along the smaller children, and from there back.
  bool sift_up(size_t at) {
    const size_t start = at, end = items_.size();
    while (at < end / 2) {
      size_t child = 2 * at + 1;
      if (child + 1 < end) {
        bool first = false;
        if (!less(items_[child], items_[child + 1], &first)) return false;
        child += !first;
      }
      std::swap(items_[at], items_[child]);
      at = child;
    }
    return sift_down(start, at);
  }

  Executor& x_;
  const std::vector<SymRef> before_;
  std::vector<SymRef> items_;
};

constexpr size_t kMost = 2048;  // CPython orders longer lists in another way

// The items of the list that is the first argument; null, with the region ended, for others.
const std::vector<SymRef>* heap_items(Executor& x, const char* name, Args args, PyObject* names,
                                      size_t count) {
  if (!positional(x, name, args, names, count, count) || !x.look(args[0])) return nullptr;
  const bool list = args[0]->kind == SymKind::kList && !args[0]->cls;
  if (list && args[0]->items.size() <= kMost) return &args[0]->items;
  wrong_arguments(x, name);
  return nullptr;
}

bool model_heappush(Executor& x, Args args, PyObject* names, SymRef* out) {
  const auto* const items = heap_items(x, "heappush", args, names, 2);
  if (!items) return false;
  HeapOf heap(x, *items);
  return heap.push(args[1]) && heap.keep(args[0]) && (*out = sym_none(), true);
}

bool model_heappop(Executor& x, Args args, PyObject* names, SymRef* out) {
  const auto* const items = heap_items(x, "heappop", args, names, 1);
  if (!items) return false;
  if (items->empty()) return x.raise_new(PyExc_IndexError, "index out of range");
  HeapOf heap(x, *items);
  return heap.pop(out) && heap.keep(args[0]);
}

bool model_heapify(Executor& x, Args args, PyObject* names, SymRef* out) {
  const auto* const items = heap_items(x, "heapify", args, names, 1);
  if (!items) return false;
  HeapOf heap(x, *items);
  return heap.order() && heap.keep(args[0]) && (*out = sym_none(), true);
}

bool model_heapreplace(Executor& x, Args args, PyObject* names, SymRef* out) {
  const auto* const items = heap_items(x, "heapreplace", args, names, 2);
  if (!items) return false;
  if (items->empty()) return x.raise_new(PyExc_IndexError, "index out of range");
  HeapOf heap(x, *items);
  return heap.replace(args[1], out) && heap.keep(args[0]);
}

bool model_heappushpop(Executor& x, Args args, PyObject* names, SymRef* out) {
  const auto* const items = heap_items(x, "heappushpop", args, names, 2);
  bool smaller = false;
  if (!items) return false;
  HeapOf heap(x, *items);
  if (!items->empty() && !heap.less((*items)[0], args[1], &smaller)) return false;
  if (!smaller) return *out = args[1], true;
  return heap.replace(args[1], out) && heap.keep(args[0]);
}

const ModelRow kHeaps[] = {{"heappush", model_heappush},
                           {"heappop", model_heappop},
                           {"heapify", model_heapify},
                           {"heapreplace", model_heapreplace},
                           {"heappushpop", model_heappushpop}};

}  // namespace

const ModelTable models_heapq = {"heapq", kHeaps, {}};

}  // namespace msjit
