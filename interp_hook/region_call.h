// Calls of an entry's compiled graph: where its inputs come from, and what a region with loops
// watches while other code runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "interp_hook/entry.h"

namespace msjit {

inline constexpr int kInlineTensors = 16;  // more inputs or outputs than that are allocated

// The values of the open sizes in this call.
class SizesNow {
 public:
  SizesNow(const Entry& entry, PyObject* const* registers)
      : count_(entry.open ? static_cast<size_t>(entry.open->count()) : 0) {
    if (count_) entry.open->load(registers, sizes_);
  }
  std::span<const int64_t> all() const { return {sizes_, count_}; }
  bool operator==(const SizesNow& other) const { return std::ranges::equal(all(), other.all()); }

 private:
  size_t count_;
  int64_t sizes_[kMaxSizeSymbols];
};

// What a region with loops has read: its guards, sizes and inputs. After a loop has let other code
// run, outdated() says whether one of them has changed.
class LoopWatch {
 public:
  LoopWatch(const Entry& entry, const Slots& slots, PyObject* const* registers,
            const SizesNow& sizes)
      : entry_(entry), slots_(slots), registers_(registers), sizes_(sizes) {}
  void note_inputs(std::span<const Tensor> inputs);
  bool outdated() const;

 private:
  struct Input {
    Tensor tensor;
    Storage storage;
    uint64_t version;
  };
  const Entry& entry_;
  const Slots& slots_;
  PyObject* const* registers_;
  const SizesNow& sizes_;
  std::vector<Input> inputs_;
};

inline constexpr char kNumberRaises[] =
    "computing a Python number for the region raises, or gives no float";

// Loads the inputs and calls the region. `watch`: of a region with loops. `run`: receives a run
// that still has to write over inputs; null: there is none. False: the region failed, and `error`
// says why.
bool call_region(Entry& entry, PyObject* const* registers, std::span<Tensor> outputs,
                 LoopWatch* watch, EntryRun* run, std::string* error);

// Notes that a result may be a view of an input or of an earlier result.
void note_views(const Entry& entry, PyObject* const* registers, const std::vector<Ref>& earlier,
                PyObject* result);

}  // namespace msjit
