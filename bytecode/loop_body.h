// LoopBody: what the captures of while loops (loop_capture.cc) and for loops (scan_capture.h)
// share. The body is run once on placeholders for the tensors that it assigns or writes to (the
// carried tensors). They may be in tuples, lists and dicts that it assigns, and in items and
// attributes that it replaces. What the body leaves must fit the placeholders. A value that is read
// behind the loop must be a carried tensor or a value that the last turn made.
#pragma once

#include "bytecode/arm_changes.h"
#include "bytecode/control.h"

namespace msjit {

class LoopBody {
 public:
  // Whether the body is about to write to a tensor from before the loop that it does not carry yet.
  // Then the slot that holds it is noted for the next run of the capture.
  bool learns_write(const SymRef& tensor);
  int fork_depth() const { return fork_depth_; }
  // Gives the tensors to which the body writes their content behind the loop. False: the executor
  // failed.
  bool write_behind();

  std::string why;
  bool may_peel = false;  // the values may have stable types after some turns: unroll one more

 protected:
  struct Carried {
    std::string name;  // empty: it is only read behind the loop, or a tensor that is written to
    SymRef initial, inside;  // of a number: its tensor, and a kScalar
    ValueId next = -1;
    SymRef last;               // the value at the end of the body
    SymRef after;              // the value behind the loop
    SymRef written;            // the tensor that is written to; no other value may show it
    Val content, placeholder;  // of that tensor, before the loop and at the beginning of a turn
  };

  // A local, item or attribute whose value a turn leaves for the next one.
  struct HandedOn {
    std::string name;
    int slot = -1;  // of a local; otherwise:
    SymRef owner;   // what has the item or attribute
    std::variant<int, std::string> part;
    bool was_changed = false;  // SymValue::changed of the owner before the loop
    SymRef initial, inside;    // before the loop; at the beginning of a turn
    SymRef last, after;        // at the end of the body; behind the loop
  };

  // A container of placeholders.
  struct Opened {
    SymRef copy, original;
    std::vector<SymRef> parts;  // what the copy held at the beginning of a turn
  };

  // A turn begins at `start` and ends where the frame is now: at the loop's header, or where the
  // test of the while loop with the header `loop` begins.
  LoopBody(Executor& x, SymFrame& frame, int start, LoopFacts& facts, int fork_depth,
           int loop = -1);
  ~LoopBody() = default;

  bool refuse(std::string text) {
    why = std::move(text);
    return false;
  }
  std::string name(int slot) const;
  Val placeholder(const Val& initial);
  // Makes tensors of the numbers that turns hand on. Called before the nodes of the body begin.
  bool prepare_numbers();
  // Makes placeholders for the tensors that the loop assigns. False: something that it replaces
  // cannot be carried.
  bool place_carried();
  // The same for the tensors to which it writes. False: one of them cannot be carried.
  bool place_written();
  // Takes the changes since `before` back, and finds the content of each tensor and the value of
  // each item and attribute at the body's end.
  bool take_changed(const ChangeMark& before);
  // Checks that the body has changed nothing else, but for lists that have grown. Items that it
  // replaces are noted for the next run of the capture.
  bool check_heap(const HeapMark& before, HeapMark::Allowed* allowed);
  // Checks that a second turn would find what the first one found: carried tensors of the same
  // dtype and shape, all else unchanged.
  bool check_back();
  // Finds the values behind the loop.
  bool leave();
  // Makes carried values that nothing reads, for the sake of the errors that the nodes noted since
  // `mark` may give. `read`: what the body gives besides its carried tensors.
  bool carry_checks(size_t mark, int32_t first_node, std::vector<ValueId> read);
  // Collects initial values, placeholders and next values of the carried tensors; false when two
  // tensors cannot be told apart.
  bool collect(Vals* initial, Vals* inside, Vals* next);
  // Gives the frame its values behind the loop, from the results of the node.
  void bind(std::span<const Val> results);

  // The value behind the loop for `value`, which the last turn made; null, with joiner_->why.
  SymRef behind(const SymRef& value);
  // Whether `value` is one that only the kind of loop knows (kTurn), and its value behind the loop.
  virtual bool behind_own(const SymRef&, SymRef*) { return false; }
  // An int that is `initial` in the first turn and grows by `step`; null: not in this kind of loop.
  virtual SymRef counter(const SymRef&, int64_t) { return nullptr; }
  // A bound on the bits of the number of turns; -1: there is none.
  virtual int bits_of_turns() const { return -1; }
  Carried* carried_value(const SymRef& inside);
  static bool is_number(const Carried& c) { return c.inside && !c.inside->is_tensor(); }
  // The tensor to which the body writes that this one is; null: it is none of them.
  Carried* carried_write(const SymRef& tensor);
  // Whether a value at the body's end may show a tensor to which the body writes. Later turns and
  // the code behind the loop would not see writes in it.
  bool shows_written_tensor(ValueId id) const;
  // Whether a tensor is only a row of another tensor, so that it cannot be carried.
  virtual bool is_borrowed(const SymRef&) const { return false; }

  Executor& x_;
  SymFrame& frame_;
  const DecodedCode& code_;
  const int header_, start_;
  const int loop_;    // the header in the control-flow graph
  const int exit_;    // where all ways out meet
  const int behind_;  // where the frame goes on
  SymFrame body_;
  std::unique_ptr<Joiner> joiner_;
  std::vector<Carried> carried_;
  std::vector<Heap::Overwritten> overwritten_;  // by the body

 private:
  std::vector<bool> find_stored() const;
  bool place_local(int slot);
  bool place_part(const LoopPlace& place);
  // Whether a copy stands for this container in the body, where a change of it would not show.
  bool is_opened(const SymRef& container) const;
  SymRef open(const SymRef& value, const std::string& name, int depth = 0);
  bool take_tensors(const ArmChanges& changes);
  bool take_attributes(const ArmChanges& changes);
  bool take_items();
  bool learn_part(const SymRef& owner, std::variant<int, std::string> part);
  SymRef open_number(int slot, const SymRef& initial);
  bool learn_number(int slot, const SymRef& before, const SymRef& last);
  bool stays_bounded(const Carried& number, const SymRef& last, bool* bounded);
  bool check_number(Carried& number, const SymRef& last);
  SymRef behind_number(const SymRef& value);
  bool learn_counter(int slot, const SymRef& before, const SymRef& last);
  bool check_local(int slot);
  bool check_value(const std::string& name, const SymRef& inside, const SymRef& last);
  bool check_tensor(Carried& carried, const SymRef& last);
  bool check_counter(const HandedOn& local, const SymRef& last);
  bool store_behind(const HandedOn& part);
  std::string text(const SymRef& value) const;
  bool is_placeholder(const SymRef& value) const;
  SymRef behind_container(const SymRef& value);
  SymRef behind_tensor(const SymRef& value);
  SymRef after(Carried& c);

  const int fork_depth_;
  LoopFacts& facts_;
  std::vector<bool> stored_;
  std::map<int, SymRef> numbers_;  // by slot: numbers before the loop, as tensors
  std::vector<HandedOn> handed_on_;
  std::vector<Opened> opened_;
  std::vector<std::pair<int, SymRef>> after_slots_;
  SymRef result_;
};

}  // namespace msjit
