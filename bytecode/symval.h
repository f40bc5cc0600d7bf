// SymValue: what the executor knows of one Python object while it runs a function symbolically.
// Exactly one SymValue stands for one Python identity, so aliasing and `is` come out right. A value
// read from the program begins as kLazy, which needs no guard. Heap::realize() looks at the object:
// it installs the guards and turns the value into another kind in place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bytecode/numbers.h"
#include "graph/size_expr.h"
#include "guards/guard_set.h"
#include "guards/py/text.h"
#include "kernels/core/value.h"

namespace msjit {

enum class SymKind : uint8_t {
#define MSJIT_VALUE(kind, row) kind,
#include "bytecode/values/kinds.def"
};

struct Computation;  // values/computed.h
struct ScanPlan;

struct SymValue;
using SymRef = std::shared_ptr<SymValue>;

struct SymFunction {
  Ref code;
  Ref globals;
  SourceId globals_source = kNoSource;
  Ref qualified_name;                                 // may be empty: that of the code
  SymRef defaults, kwdefaults, annotations, closure;  // null when absent
};

struct IterKind;      // values/iterators.h
struct SymGenerator;  // exec.h

struct SymIterator {
  const IterKind* kind;
  std::vector<SymRef> children;  // what it iterates over
  Ref object;                    // a constant it iterates over; of a dict: name of the method
  int64_t position = 0;          // items taken; of enumerate: the next count
  int64_t count = 0;             // size of the container when the iterator was made
  int removals = 0;              // `removals` of the container at that time
  bool exhausted = false;        // it has reached its end and stays there
  bool of_tensor = false;        // the sequence is the rows of a tensor
  bool reversed = false;         // iter_turns, iter_tensor_rows: made by reversed()
  std::shared_ptr<SymGenerator> generator;
  int64_t upcoming = 0, step = 0;
  // Lists that were read as a whole, where CPython would read them item by item, and their items
  // then.
  std::vector<std::pair<SymRef, std::vector<SymRef>>> taken;
};

struct SymValue {
  SymKind kind = SymKind::kNull;
  bool pinned = false;  // kObject: guarded to be this very object
  bool joined = false;  // made by joining arms: a kTensor that may be the same object as another
                        // value; a kScalar that was a number in either arm
  bool past = false;  // kTensor: what a tensor held at some time, which later writes do not change
  SourceId source = kNoSource;  // where it is found when the region begins
  int born = 0;   // step of the outermost frame that made an iterator; the region can end there
                  // if the iterator cannot be rebuilt
  int draw = -1;  // kScalar: which of the numbers that the region draws (drawn_numbers.h); kChoice:
                  // the one that picks
  int64_t at_least = INT64_MIN, at_most = INT64_MAX;  // kScalar, an int: what is known of it
  bool changed = false;  // an object of the program with pending writes
  Ref object;            // the object itself, of values read from the program and constants
  Ref shadow;            // kSet: a real set with the same hash table
  Ref cls;               // class of an instance made in the region; of a named tuple
  Val tensor;  // kTensor, kScalar; kSize, kNumber: once it is a graph input; kRows: the stacked
               // rows, after the loop
  ScanPlan* loop = nullptr;                        // kRows
  SizeExpr size;                                   // kSize
  NumberExpr number;                               // kNumber
  std::shared_ptr<const Computation> computation;  // kComputed
  std::vector<SymRef> items;  // kLazy: items appended to a list that is not looked into
  std::vector<std::pair<SymRef, SymRef>> entries;  // kDict
  bool keys_known = true;                          // kDict: `entries` is complete
  int removals = 0;  // kDict: number of keys taken out so far; kSet, kDeque: of changes
  std::vector<std::pair<std::string, SymRef>> attributes;  // kObject: read or written ones
  std::vector<std::string> written;  // kObject: names with pending writes, in order
  std::unique_ptr<SymFunction> function;
  std::unique_ptr<SymIterator> iterator;
  uint64_t serial = next_serial();  // later values have larger ones

  static uint64_t next_serial();
  bool is_const(PyObject* o) const { return kind == SymKind::kConst && object.is(o); }
  bool is_null() const { return kind == SymKind::kNull; }
  bool is_tensor() const { return kind == SymKind::kTensor; }
};

// Values may refer to each other in cycles. All values made while a SymArena lives are emptied at
// its end, so that they are freed.
class SymArena {
 public:
  SymArena();
  ~SymArena();
  SymArena(const SymArena&) = delete;
  SymArena& operator=(const SymArena&) = delete;
  std::vector<SymRef> live_tensors() const;  // the values made so far that are tensors

 private:
  friend SymRef make_sym(SymKind kind);
  std::vector<std::weak_ptr<SymValue>> made_;
  SymArena* outer_;
};

SymRef make_sym(SymKind kind);
SymRef make_const(Ref object);  // an empty one is CPython out of memory: throws bad_alloc
SymRef make_tensor(Val value);
SymRef make_past_tensor(Val value);
SymRef make_items(SymKind kind, std::vector<SymRef> items);
const SymRef& null_sym();

// The value has been changed: an object of the program has a pending write.
inline void note_change(const SymRef& value) { value->changed = value->source != kNoSource; }

// A list of the program that nothing has looked into. Appending to it needs no guard on its length,
// which may grow from call to call.
bool is_unread_list(const SymValue& value);

// Short text for break reasons: "tensor", "list", "int 3", "function foo".
std::string describe(const SymValue& value);
std::string describe_object(PyObject* object);

// The same, with the values of numbers: "the int 3".
std::string describe_value(const SymRef& value);

// The class of a looked-at value; null when nothing is known of it.
PyTypeObject* type_of(const SymValue& value);

// The Python object of a value that is constant all the way down: numbers, strings, tuples and
// slices of them. Empty for other values.
Ref constant_object(const SymRef& value);

}  // namespace msjit
