// ValueKind: the operations of one kind of symbolic value, as one row of functions. Rows are
// defined in values/<kind>.cc and listed in kinds.def. The executor's operations (exec.h) look at a
// value and then call a function of its row. A null function means that the kind lacks the
// operation; it ends the region with the reason that the operation gives.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

class ExitBuilder;
class Joiner;
struct Effect;
struct Recipe;

struct ValueKind {
  // For break reasons: a name, or a function where more can be said.
  const char* name = nullptr;
  std::string (*describe)(const SymValue& value) = nullptr;
  // The class of values without a `cls`. Null: not known.
  PyTypeObject* (*type)(const SymValue& value) = nullptr;
  // Whether an object of the program becomes a value of this kind when it is looked at. Null: only
  // regions make such values. The kinds are asked in their order; what none takes is a kObject.
  bool (*takes)(PyObject* object) = nullptr;
  // Looks at such an object: installs the guards, fills in the value and sets its kind. False, with
  // `error` of the heap: it cannot be looked at.
  bool (*read)(Heap& heap, const SymRef& value) = nullptr;
  // Not null: values of this kind cannot be looked at. The function ends the region; always false.
  bool (*refuse)(Executor& x, const SymRef& value) = nullptr;
  // The operations below are called before the value is looked at.
  bool asked_unread = false;
  // A tensor's operators return NotImplemented for such an operand.
  bool declined_by_tensors = false;
  // Whether the operators of such a value return NotImplemented for an instance of a class without
  // conversions. Null: not known.
  bool (*declines_instances)(const SymRef& value, BinaryOp op) = nullptr;
  // `match` can tell whether such a value is a sequence or a mapping: nothing that a program
  // registers changes that.
  bool matches_for_good = false;

  bool (*truth)(Executor& x, const SymRef& value, bool* out) = nullptr;
  bool (*length)(Executor& x, const SymRef& value, SymRef* out) = nullptr;
  bool (*iterate)(Executor& x, const SymRef& value, SymRef* out) = nullptr;
  bool (*contains)(Executor& x, const SymRef& container, const SymRef& item, bool* out) = nullptr;
  // The key may be an open size.
  bool (*subscript)(Executor& x, const SymRef& container, const SymRef& key, SymRef* out) = nullptr;
  // A null `value` deletes the item.
  bool (*set_item)(Executor& x, const SymRef& container, const SymRef& key,
                   const SymRef& value) = nullptr;
  bool (*attribute)(Executor& x, const SymRef& object, PyObject* name, SymRef* out) = nullptr;
  bool (*call)(Executor& x, const SymRef& callable, std::vector<SymRef> args, PyObject* names,
               SymRef* out) = nullptr;
  // The model of a method; null when there is none of that name.
  BuiltinModel (*method)(const SymRef& self, const char* name) = nullptr;

  // Operators with an operand of this kind. `known` stays false where the kind has no rule. Then
  // the other operand's kind is asked, and then the rules for numbers, texts, tensors and sequences
  // apply (handlers/arith.cc, compare.cc).
  bool (*binary)(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                 SymRef* out, bool* known) = nullptr;
  bool (*compare)(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                  bool* known) = nullptr;
  bool (*unary)(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) = nullptr;

  // A Python object of the same value, for CPython to compute with while capturing; empty when
  // there is none.
  Ref (*to_python)(Executor& x, const SymRef& value, int depth) = nullptr;
  // The object itself where it is constant all the way down (constant_object).
  Ref (*constant)(const SymRef& value) = nullptr;

  // Both arms of a branch have made such a value: the value that replaces both behind the branch.
  // Null, with `why` of the joiner: there is none.
  SymRef (*join)(Joiner& joiner, const SymRef& a, const SymRef& b) = nullptr;
  // The same, if only one arm has made such a value.
  SymRef (*join_one)(Joiner& joiner, int side, const SymRef& value) = nullptr;

  // Adds the recipe that builds a value of the region that leaves it, and returns its number. -1,
  // with `failure` of the builder: the value cannot leave.
  int (*rebuild)(ExitBuilder& exit, const SymRef& value) = nullptr;
  // Adds the effects that bring an object of the program up to date; `target` is its recipe. False:
  // as above.
  bool (*replay)(ExitBuilder& exit, const SymRef& value, int target) = nullptr;
};

#define MSJIT_VALUE(kind, row) extern const ValueKind value_##row;
#include "bytecode/values/kinds.def"

const ValueKind& kind_of(SymKind kind);
inline const ValueKind& kind_of(const SymRef& value) { return kind_of(value->kind); }
// The kind whose `read` looks at an object of the program.
const ValueKind& kind_to_read(PyObject* object);

// Calls `rule` of both operands' kinds. A kind that cannot be looked at goes first. False: one has
// failed.
template <class Rule, class Ask>
bool ask_operands(const SymRef& a, const SymRef& b, Rule ValueKind::*rule, const Ask& ask,
                  const bool* known) {
  Rule first = kind_of(a).*rule, second = kind_of(b).*rule;
  if (kind_of(b).refuse && !kind_of(a).refuse) std::swap(first, second);
  if (first && !ask(first)) return false;
  return *known || !second || second == first || ask(second);
}

// Whether a value cannot be looked at.
inline bool is_unknown(const SymValue& value) { return kind_of(value.kind).refuse != nullptr; }

// Functions used in several rows. `not_callable` raises TypeError.
bool declines_all(const SymRef& value, BinaryOp op);
bool not_callable(Executor& x, const SymRef& value, std::vector<SymRef> args, PyObject* names,
                  SymRef* out);
bool call_constant(Executor& x, const SymRef& callable, std::vector<SymRef> args, PyObject* names,
                   SymRef* out);
// Binds a method that has a model to `self`, by its name. The second function ends the region where
// there is no model.
bool bound_by_name(const SymRef& self, PyObject* name, SymRef* out);
bool method_attribute(Executor& x, const SymRef& self, PyObject* name, SymRef* out);
// The keys and items of a dict, alternating; the items of a list.
std::vector<SymRef> flat_entries(const SymValue& dict);

}  // namespace msjit
