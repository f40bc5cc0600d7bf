// Numbers that are known for each turn of a Scan: what the body reads of them, and loops over
// lists, tuples and arrays of numbers.
#include <algorithm>
#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/sequence.h"
#include "bytecode/values/turn_table.h"

namespace msjit {

// Whether the next item of a list, tuple or array is a number. It may not have been looked at yet.
bool walks_numbers(const SymIterator& leaf) {
  if (leaf.kind == &iter_array || leaf.kind == &iter_program_array) return true;
  if (leaf.kind != &iter_sequence && leaf.kind != &iter_reversed) return false;
  const SymRef& from = leaf.children[0];
  const int64_t at = leaf.kind == &iter_reversed ? leaf.count - 1 - leaf.position : leaf.position;
  if (leaf.of_tensor || from->kind == SymKind::kRows) return false;
  if (from->kind == SymKind::kConst)
    return at >= 0 && at < PyTuple_GET_SIZE(from->object.get()) &&
           is_known_number(PyTuple_GET_ITEM(from->object.get(), at));
  if (at < 0 || at >= static_cast<int64_t>(from->items.size())) return false;
  const SymRef& item = from->items[static_cast<size_t>(at)];
  return item->kind == SymKind::kNumber || item->kind == SymKind::kSize ||
         (item->object && is_known_number(item->object.get()));
}

// The items that such an iterator has left, `most` of them at most.
bool Executor::items_left(const SymIterator& leaf, int64_t most, std::vector<SymRef>* items) {
  SymIterator ahead = leaf;
  while (static_cast<int64_t>(items->size()) < most) {
    SymRef item;
    bool done = false;
    if (!ahead.kind->next(*this, ahead, &item, &done)) return false;
    if (done) break;
    items->push_back(std::move(item));
  }
  return true;
}

int64_t ScanCapture::known_turns() const {
  constexpr int64_t kMostTurns = 4096;
  const bool known = count_->kind == SymKind::kConst;
  const int64_t turns = known ? PyLong_AsLongLong(count_->object.get()) : -1;
  return turns <= kMostTurns ? turns : -1;
}

bool ScanCapture::table_row(const Tensor& numbers, SymRef* out) {
  const auto same = [&](const Sequence& known) {
    return known.numbers && known.numbers.dtype() == numbers.dtype() &&
           std::memcmp(known.numbers.data(), numbers.data(), numbers.nbytes()) == 0;
  };
  auto found = std::ranges::find_if(sequences_, same);
  if (found == sequences_.end()) {
    if (prepared_) return x_.fail(BreakReason::kUnrollLimit, "other numbers in other turns");
    Sequence fresh{nullptr, 0, nullptr, 1, {}, {}, numbers};
    if (!place_sequence(&fresh)) return false;
    place_row(&fresh);
    sequences_.push_back(std::move(fresh));
    found = sequences_.end() - 1;
  }
  return *out = make_tensor(found->row), true;
}

// The items of a list, tuple or array: numbers, one for each turn.
bool ScanCapture::known_item(const SymIterator& leaf, SymRef* out) {
  const SymRef turn = make_turn(sym_int(leaf.position), 1);
  std::vector<SymRef> items;
  bool known = false;
  if (!x_.items_left(leaf, known_turns(), &items)) return false;
  for (const SymRef& item : items)
    if (!x_.look_number(item)) return false;
  if (!table_of_turns(x_, turn, items, out, &known)) return false;
  if (!known && leaf.kind == &iter_sequence &&
      !item_of_turn(x_, leaf.children[0], turn, out, &known))
    return false;
  return known || refuse("the items of the loop are no numbers of one class");
}

}  // namespace msjit
