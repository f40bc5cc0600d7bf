// LoopBody: what the captures of while and for loops share. The body is run once on placeholders
// for the tensors it assigns; what it leaves must fit what it began with, and what is read behind
// the loop must be one of these tensors, or a value that the last turn made.
#pragma once

#include "bytecode/control.h"

namespace msjit {

class LoopBody {
 public:
  std::string why;
  bool may_peel = false;  // the values may settle in later turns

 protected:
  struct Carried {
    int slot;  // -1: known on the way out only
    SymRef initial, inside;
    ValueId next = -1;
    SymRef last;   // what the body leaves
    SymRef after;  // the value behind the loop
  };

  // `start`: the first instruction of a turn, where `header` is where it ends.
  LoopBody(Executor& x, SymFrame& frame, int start);
  ~LoopBody() = default;

  bool refuse(std::string text) {
    why = std::move(text);
    return false;
  }
  std::string name(int slot) const;
  Val placeholder(const Val& initial);
  // Placeholders for the tensors the loop assigns.
  void place_carried();
  // What a turn finds the second time must be what it found the first time.
  bool check_back();
  // The values behind the loop.
  bool leave();
  // Takes the initial values, placeholders and next values; false when one cannot be told apart.
  bool collect(Vals* initial, Vals* inside, Vals* next);
  // Given the results of the node, the frame goes on behind the loop.
  void bind(std::span<const Val> results);

  // The value behind the loop of one that the last turn made; null, with joiner_->why.
  SymRef behind(const SymRef& value);
  // Whether that is one only the loop knows, and what becomes of it.
  virtual bool behind_own(const SymRef&, SymRef*) { return false; }
  // A tensor that is no value of its own, so that it must not be carried on.
  virtual bool is_borrowed(const SymRef&) const { return false; }

  Executor& x_;
  SymFrame& frame_;
  const DecodedCode& code_;
  const int header_, start_;
  int exit_;
  SymFrame body_;
  std::unique_ptr<Joiner> joiner_;
  std::vector<Carried> carried_;

 private:
  std::vector<bool> find_stored() const;
  Carried* carried_slot(int slot);
  bool check_carried(Carried& carried, int slot, const SymRef& last);
  std::string text(const SymRef& value) const;
  bool is_placeholder(const SymRef& value) const;
  SymRef behind_tensor(const SymRef& value);
  SymRef after(Carried& c);

  std::vector<bool> stored_;
  std::vector<std::pair<int, SymRef>> after_slots_;
  SymRef result_;
};

}  // namespace msjit
