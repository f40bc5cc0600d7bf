// Memo: how a successful check of a guard program is repeated fast. Most guards of a real model
// follow from a few hundred words of memory: version tags of dictionaries and classes, type
// pointers, cell contents. While these words keep their values, the same loads give the same
// objects and the same checks pass. What cannot be reduced to words (tensors and numbers passed as
// arguments) is still run step by step.
//
// Two rules keep this sound. Words are compared in the order of the program, so that each lies in
// an object that the words before it proved alive. And an unchanged pointer proves an unchanged
// object only if nobody could have freed it in between: the holder's version is unchanged (exact),
// or the memo holds the object (numbers, NumPy's too, and strings), or its address is pinned by a
// guard on identity; all else is loaded and checked every time.
//
// A memo is made in the midst of a check, among borrowed pointers: nothing may run code of the
// program there, and up to 3.11 every allocation that the collector counts may. So it holds the
// tensors it names, until settle_all() puts weak references in their place behind the call.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "guards/guard_set.h"

namespace msjit {

class Memo {
 public:
  static constexpr int kStale = -2;  // the words say nothing: check everything
  // As GuardSet::check, or kStale.
  int check(const GuardSet& set, const Slots& slots, PyObject** registers);
  // After a full check that held: makes or remakes the memo unless it would not pay.
  static void update(const GuardSet& set, const Slots& slots, PyObject** registers,
                     std::shared_ptr<Memo>* memo);
  // Finishes the memos made since the last time. May run Python code.
  static void settle_all();
  int64_t bytes() const;

 private:
  friend class MemoBuilder;
  struct Word {
    const uint64_t* at;
    uint64_t value;
  };
  struct Root {  // slots.locals[index] or slots.stack[index] is this object
    bool stack;
    int index;
    PyObject* object;
  };
  struct Lookup {
    PyObject* key;
    Py_hash_t hash;
    PyObject* found;  // null: missing
  };
  // What is asked of a dictionary whose version may change for other reasons.
  struct Table {
    PyObject* dict;
    std::vector<Lookup> lookups;
    bool string_keys;  // comes first: lookups among other keys may run Python code
  };

  static const Word* first_changed(const Word* word, const Word* end);
  bool words_hold();
  bool recheck(size_t word);
  void settle();
  bool watch_deaths(const std::vector<Ref>& tensors);  // false: no memory

  PyObject* globals_ = nullptr;
  PyObject* builtins_ = nullptr;
  std::vector<Root> roots_;
  std::vector<Word> words_;
  std::vector<Table> tables_;                 // rechecked by lookups
  std::unordered_map<size_t, int> table_of_;  // word -> table
  std::vector<int32_t> steps_;                // of the program, to run every time
  std::vector<std::pair<SourceId, PyObject*>> registers_;
  std::vector<Ref> held_;
  std::vector<Ref> unsettled_;  // tensors, until weak references tell of their death
  size_t deaths_ = 0;           // the word that changes when one of them dies
  int stale_ = 0;               // misses since the last hit
};

class MemoBuilder {
 public:
  MemoBuilder(const GuardSet& set, const Slots& slots, PyObject* const* registers, Memo* memo)
      : set_(set), slots_(slots), registers_(registers), memo_(memo) {}
  // False: nothing is gained.
  bool build();

  // For the kinds of guards and loads: conditions under which a check holds, or a load finds the
  // same object.
  void word(const void* address);  // eight bytes at an address keep their value
  void type_of(PyObject* object);
  void class_version(PyTypeObject* type);
  bool dict_version(PyObject* dict);  // false: its changes cannot be seen
  bool dict_lookup(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* found);
  bool string_keys(PyObject* dict);  // it has no other keys; false: not so, or by chance
  bool instance_dict_of(PyObject* object, PyObject** dict);
  // That the object keeps its attributes itself; false when a dictionary does.
  bool own_values(PyObject* object);
  // And which value it has for a str.
  bool own_lookup(PyObject* object, PyObject* key);
  void tensor_class(PyObject* tensor);  // that it keeps its class
  void tensor_metas();
  // That a dictionary that shares the keys of a class has the same value for a str; false for other
  // keys.
  bool shared_lookup(PyObject* dict, PyObject* key);
  // For loads alone: that a slot of the frame holds this object.
  void root(bool stack, int index, PyObject* object);
  const Slots& slots() const { return slots_; }
  // What a compared pointer to the object proves. Values are held by the memo, which makes it
  // exact.
  Trust by_pointer(PyObject* object);
  // The same where the place was compared; a tensor is held and watched.
  Trust alive(PyObject* object);
  // What finding the object in a dictionary that changes for other reasons too proves.
  Trust changing_lookup(PyObject* dict, const Source& source, PyObject* found);
  // Objects of which every guard asks the object itself (or pins it by identity), so that another
  // one at the same address cannot pass for it.
  static bool is_stable(PyObject* object);
  PyObject* object(SourceId id) const { return registers_[id]; }
  // Whether the source will find this very object again: for what a compared address does not tell.
  bool is_exact(SourceId id) const { return trust_[id] == Trust::kExact; }

 private:
  Memo::Table* table_of(PyObject* dict, const void* version);
  Trust trust_load(const Source& source, PyObject* object);
  bool only_tensor_class(PyTypeObject* type);
  bool covers(const GuardStep& step);
  void finish();

  const GuardSet& set_;
  Slots slots_;
  PyObject* const* registers_;
  Memo* memo_;
  std::vector<Trust> trust_;
  std::unordered_map<const void*, size_t> word_at_;
};

}  // namespace msjit
