// GuardSet: the conditions under which a capture holds, as one flat program of loads and checks
// over registers. GuardBuilder records them in the order in which the capture read things, so every
// check precedes the loads that rely on it. A check runs no Python code, allocates nothing that may
// start a collection, and never fails with an error: anything unexpected is a failed guard. So the
// pointers it borrows stay good until its caller runs or allocates something.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "guards/source.h"
#include "kernels/core/tensor.h"

namespace msjit {

struct GuardStep;
class Memo;
class MemoBuilder;

// A number that a capture took for constant and that differs in a later call.
struct ChangedSize {
  std::string source;  // path of the tensor or int
  int dim;             // -1: the int itself; kFloatDim: the float itself; kLengthDim: of a list
  std::string now;
};

// One kind of check. All that is specific to it stands in guards/kinds/<kind>.cc.
struct GuardKind {
  const char* name;
  // `object` is what the loaded register holds; `registers` serve the kinds that relate two
  // sources.
  bool (*check)(const GuardStep& step, PyObject* object, PyObject* const* registers);
  std::string (*describe)(const GuardStep& step, const std::string& source,
                          const std::string& other);
  // Adds to a memo (memo.h) the words of memory that imply the check. `object` is known to be the
  // very object that passed the check. False, or no function: the check has to run every time.
  bool (*watch)(const GuardStep& step, PyObject* object, MemoBuilder& memo) = nullptr;
  // Called after the check has failed: adds to `out` the numbers by which `object` differs from the
  // captured one. False, or no function: they differ by more than numbers.
  bool (*changes)(const GuardStep& step, PyObject* object, const std::string& source,
                  std::vector<ChangedSize>* out) = nullptr;
};

// What a guard knows besides its source. The file of each kind says which of these it uses.
struct GuardPayload {
  SourceId other = kNoSource;  // a second register
  uint32_t version = 0;
  int64_t number = 0;
  Pin object;
  std::shared_ptr<const Meta> tensor;
};

// A load (kind null) into register `target`, or a check of register `target`.
struct GuardStep : GuardPayload {
  const GuardKind* kind = nullptr;
  SourceId target = kNoSource;
};

// The kinds. Each has a file of its name in guards/kinds: guard::length is in length.cc.
namespace guard {
#define MSJIT_GUARD_KIND(name) extern const GuardKind name;
#include "guard_kinds.inc"
#undef MSJIT_GUARD_KIND
}  // namespace guard

// set_context(jit_syntax_level=...): whether functions of PSJit that name no level are STRICT.
extern bool g_strict_by_context;

bool has_plain_keys(PyObject* dict);
// The dict in which an object keeps names: a dict itself, or the `__dict__` of an instance, a
// module... Null when it has none.
PyObject* names_of(PyObject* object);
// Whether an object has no such dict, or is the only one that refers to it.
bool has_unshared_names(PyObject* object);

inline constexpr Dim kOpenDim = -1;
inline constexpr int kFloatDim = -2;
inline constexpr int kLengthDim = -3;

class GuardSet {
 public:
  GuardSet();
  GuardSet(GuardSet&&) noexcept;
  GuardSet& operator=(GuardSet&&) noexcept;
  ~GuardSet();
  // Index of the failing step, or -1. On success it fills those of the register_count() `registers`
  // that finish() was told of.
  int check(const Slots& slots, PyObject** registers) const;
  // After a check that filled `registers`: whether a new check would hold and find the same
  // objects.
  bool still_holds(const Slots& slots, PyObject* const* registers) const;
  // Where the guards fail only because of other dimensions or ints: what changed. False when
  // something else fails too.
  bool changes(const Slots& slots, PyObject** registers, std::vector<ChangedSize>* out) const;
  // Replaces references to the program's objects by weak ones (pin.h).
  void weaken(EntryBase& entry);
  int64_t bytes() const;
  int register_count() const { return static_cast<int>(sources_.size()); }
  std::span<const SourceId> used() const { return used_; }  // what finish() was told of
  int guard_count() const;
  std::string describe(int step) const;
  std::string path(int step) const;  // of what the step looks at
  std::vector<std::string> describe_all() const;

 private:
  friend class GuardBuilder;
  friend class Memo;
  friend class MemoBuilder;
  int check_all(const Slots& slots, PyObject** registers) const;
  bool run_step(const GuardStep& step, const Slots& slots, PyObject** registers) const;

  std::vector<Source> sources_;
  std::vector<GuardStep> steps_;
  std::vector<SourceId> used_;  // registers that the entry reads: inputs, objects of the exit
  mutable std::shared_ptr<Memo> memo_;  // how the last successful check can be repeated fast
};

class GuardBuilder {
 public:
  // Finds or adds a source. A new one is loaded at this place in the program. `text` names it for
  // people.
  SourceId add_source(const LoadKind& kind, SourceId base, int index, Pin key, std::string text);
  // A check of what `source` finds; equal guards on one source are kept once.
  void add(const GuardKind& kind, SourceId source, GuardPayload payload = {});
  const Source& source(SourceId id) const { return set_.sources_[id]; }
  // Drops the loads that cannot fail, that no guard checks and that `used` does not name. The
  // builder cannot be used afterwards.
  GuardSet finish(std::vector<SourceId> used);

 private:
  GuardSet set_;
  std::unordered_multimap<size_t, int32_t> known_sources_, known_guards_;  // by hash
};

}  // namespace msjit
