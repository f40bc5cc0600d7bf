// GuardSet: the compiled conditions under which a capture holds, as one flat program of loads and
// checks over registers. GuardBuilder records it in the order the capture read things, so that
// every check precedes the loads that rely on it. A check runs no Python code, allocates nothing
// that may start a collection, and never fails with an error: anything unexpected is a failed
// guard. So the pointers that it borrows stay good until its caller runs or allocates something.
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

// A fact about numbers that a capture took for constant and that is otherwise in a later call.
struct ChangedSize {
  std::string source;  // path of the tensor or int
  int dim;             // -1: the int itself; kFloatDim: the float itself; kLengthDim: of a list
  std::string now;
};

// One kind of check, all of which stands in guards/kinds/<kind>.cc.
struct GuardKind {
  const char* name;
  // `object` is the loaded register; `registers` serve the kinds that relate two sources.
  bool (*check)(const GuardStep& step, PyObject* object, PyObject* const* registers);
  std::string (*describe)(const GuardStep& step, const std::string& source,
                          const std::string& other);
  // Adds to a memo the words of memory that imply the check; false, or no function: the check has
  // to run every time. `object` is known to be the very object that passed the check.
  bool (*watch)(const GuardStep& step, PyObject* object, MemoBuilder& memo) = nullptr;
  // The check has failed: adds the numbers that make `object` differ from the one captured. False,
  // or no function: more than numbers differs.
  bool (*changes)(const GuardStep& step, PyObject* object, const std::string& source,
                  std::vector<ChangedSize>* out) = nullptr;
};

// What a guard knows besides its source; each kind says which of these it uses.
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

// The kinds, one for each file in guards/kinds and named as it is: guard::length.
namespace guard {
#define MSJIT_GUARD_KIND(name) extern const GuardKind name;
#include "guard_kinds.inc"
#undef MSJIT_GUARD_KIND
}  // namespace guard

// set_context(jit_syntax_level=...): whether functions of PSJit that name no level are STRICT.
extern bool g_strict_by_context;

bool has_plain_keys(PyObject* dict);
// The dict in which a dict, an instance, a module... keeps its names; null when it has none.
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
  // Index of the failing step, or -1; fills those of `registers` (register_count() of them) that
  // finish() was told of.
  int check(const Slots& slots, PyObject** registers) const;
  // After a check that filled `registers`: whether another would hold and find the same objects.
  bool still_holds(const Slots& slots, PyObject* const* registers) const;
  // Where the program fails because of other dimensions or ints alone: what changed. False when
  // something else fails too.
  bool changes(const Slots& slots, PyObject** registers, std::vector<ChangedSize>* out) const;
  // Lets go of the program's objects (pin.h).
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
  std::vector<SourceId> used_;          // registers the owner reads
  mutable std::shared_ptr<Memo> memo_;  // how the last successful check can be repeated fast
};

class GuardBuilder {
 public:
  // Finds or adds a source; its load takes place here in the program. `text` names it for people.
  SourceId add_source(const LoadKind& kind, SourceId base, int index, Pin key, std::string text);
  // A check of what `source` finds; equal guards on one source are kept once.
  void add(const GuardKind& kind, SourceId source, GuardPayload payload = {});
  const Source& source(SourceId id) const { return set_.sources_[id]; }
  // Drops loads that cannot fail, that nothing checks and `used` does not name. The builder is
  // spent.
  GuardSet finish(std::vector<SourceId> used);

 private:
  GuardSet set_;
  std::unordered_multimap<size_t, int32_t> known_sources_, known_guards_;  // by hash
};

}  // namespace msjit
