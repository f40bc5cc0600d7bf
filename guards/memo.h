// Memo: repeats a successful check of a guard program fast. Most guards of a real model follow from
// a few hundred words of memory: version tags of dictionaries and classes, type pointers, cell
// contents. While these words keep their values, the same loads give the same objects and the same
// checks pass. What cannot be reduced to words (tensors and numbers passed as arguments) still runs
// step by step.
//
// Two rules keep this sound.
// - Words are compared in the order of the program. So each word lies in an object that the words
//   before it proved alive.
// - An unchanged pointer proves an unchanged object only if nobody could have freed the object in
//   between. There are three such cases: the version of its holder is unchanged (Trust::kExact);
//   the memo holds the object (numbers, NumPy's too, and strings); a guard on identity pins its
//   address. Everything else is loaded and checked every time.
//
// A memo is made in the middle of a check, among borrowed pointers. Nothing may run code of the
// program there, and up to 3.11 an allocation that the collector counts may. Making weak references
// is such an allocation. So the memo holds the tensors it names until settle_all(), after the call,
// replaces the references by weak ones.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "guards/guard_set.h"

namespace msjit {

class Memo {
 public:
  static constexpr int kStale = -2;  // a word has changed: check everything
  // As GuardSet::check, or kStale.
  int check(const GuardSet& set, const Slots& slots, PyObject** registers);
  // After a full check that held: makes the memo or makes it again, unless it would not pay.
  static void update(const GuardSet& set, const Slots& slots, PyObject** registers,
                     std::shared_ptr<Memo>* memo);
  // Puts weak references into the memos made since the last call. May run Python code.
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
  // The lookups that matter in a dictionary. When its version changes they are done again.
  struct Table {
    PyObject* dict;
    std::vector<Lookup> lookups;
    bool string_keys;  // whether to check first that all keys are strings: lookups
                       // among other keys may run Python code
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
  std::vector<Table> tables_;                 // lookups to repeat when a version has changed
  std::unordered_map<size_t, int> table_of_;  // index of the version word -> table
  std::vector<int32_t> steps_;                // of the program, to run every time
  std::vector<std::pair<SourceId, PyObject*>> registers_;
  std::vector<Ref> held_;
  std::vector<Ref> unsettled_;  // tensors, until weak references tell of their death
  size_t deaths_ = 0;           // index of the word that changes when one of them dies
  int stale_ = 0;               // misses since the last hit
};

class MemoBuilder {
 public:
  MemoBuilder(const GuardSet& set, const Slots& slots, PyObject* const* registers, Memo* memo)
      : set_(set), slots_(slots), registers_(registers), memo_(memo) {}
  // Builds the memo. False: too few steps are saved.
  bool build();

  // The functions below serve the kinds of guards and loads. Each adds words that must keep their
  // values for a check to hold or a load to find the same object.
  void word(const void* address);  // eight bytes at an address keep their value
  void type_of(PyObject* object);
  void class_version(PyTypeObject* type);
  bool dict_version(PyObject* dict);  // any change; false: changes cannot be seen
  bool dict_lookup(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* found);
  bool string_keys(PyObject* dict);  // that it has no other keys; false: not known
  bool instance_dict_of(PyObject* object, PyObject** dict);
  // That the object keeps its attributes itself; false when a dictionary does.
  bool own_values(PyObject* object);
  // That it keeps its attributes itself, and the value among them under a str.
  bool own_lookup(PyObject* object, PyObject* key);
  void tensor_class(PyObject* tensor);  // that it keeps its class
  void tensor_metas();
  // The value under a str of a dictionary that shares its storage with an instance (3.13 and
  // later); false for other keys.
  bool shared_lookup(PyObject* dict, PyObject* key);
  // For loads alone: that a slot of the frame holds this object.
  void root(bool stack, int index, PyObject* object);
  const Slots& slots() const { return slots_; }
  // What an unchanged pointer to the object proves. The memo holds numbers and texts, which makes
  // their pointers exact.
  Trust by_pointer(PyObject* object);
  // As by_pointer(), where the place of the pointer was compared; a tensor there is held, and later
  // watched by a weak reference.
  Trust alive(PyObject* object);
  // What the lookup of `found` in `dict` proves, for a dictionary that often changes under other
  // keys.
  Trust changing_lookup(PyObject* dict, const Source& source, PyObject* found);
  // Whether every use of such an object is guarded on the object itself (or pins it by identity),
  // so that a later object at its address cannot pass for it.
  static bool is_stable(PyObject* object);
  PyObject* object(SourceId id) const { return registers_[id]; }
  // Whether the source is sure to find this very object again, which a compared address alone does
  // not say.
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
