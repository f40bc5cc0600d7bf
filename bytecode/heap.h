// Heap: the one read path. Every look at a Python object of the running program goes through it and
// installs the guard that makes the answer hold. Pending writes (changes that the region makes)
// stay in the SymValues until the region's exit.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "bytecode/capture.h"
#include "bytecode/object_kinds.h"
#include "bytecode/sizes.h"
#include "bytecode/symval.h"
#include "graph/graph_sink.h"
#include "guards/py/host_call.h"

namespace msjit {

class Heap {
 public:
  Heap(GraphSink* sink, Sizes* sizes, Slots slots) : sink_(sink), sizes_(sizes), slots_(slots) {}

  // The value of a source whose object is `object` now. Installs no guard, except that a mutable
  // object met before under another name is guarded to be the same one.
  SymRef from_source(SourceId id, PyObject* object);
  SymRef from_local(int slot, const std::string& name);
  SymRef from_stack(int index);
  SymRef from_constant(Ref object, const std::string& text);  // an object that a guard pins
  // A global or builtin as a function with these globals finds it; null when unbound.
  // `globals_source` says where the globals are found; kNoSource: they are those of the frame.
  SymRef global(PyObject* globals, SourceId globals_source, PyObject* builtins, PyObject* name);

  // A builtin, as a function with these globals finds it; null when there is none.
  SymRef builtin(PyObject* builtins, SourceId globals_source, PyObject* name);

  // Notes the new value of a global; a null value deletes it. False where the dict of globals was
  // also looked at as a dict.
  bool set_global(PyObject* globals, SourceId globals_source, PyObject* name, SymRef value);
  // Whether a global is there. Also false where that cannot be known.
  bool is_global(PyObject* globals, SourceId globals_source, PyObject* name);
  struct GlobalWrite {
    PyObject* globals;
    SourceId source;  // as in global()
    Ref name;
    SymRef value;
  };
  const std::vector<GlobalWrite>& global_writes() const { return global_writes_; }
  // Counts changes that no SymValue shows.
  void note_effect() { ++effects_; }
  size_t effects() const { return effects_ + printed_.size() + arm_changes(); }
  // Log of the tensors to which an arm or a loop body has given another value, in order.
  struct Renewed {
    SymRef tensor;
    Val before;
    bool changed;  // SymValue::changed before
  };
  std::vector<Renewed>& renewed() { return renewed_; }
  // Log of the attributes that an arm or a loop body has stored, in order, with the state before.
  struct Stored {
    SymRef object;
    std::string name;
    SymRef before;
    size_t num_written;
    bool changed;
  };
  std::vector<Stored>& stored() { return stored_; }
  size_t arm_changes() const { return renewed_.size() + stored_.size(); }

  // Looks at a value: turns a kLazy value into another kind, and open sizes and floats into
  // constants, under guards. False: it cannot be looked at; the reason is in `error`.
  bool realize(const SymRef& value);
  // The same, but an int that differs between calls stays open.
  bool realize_open(const SymRef& value);

  // The same, and a float that differs stays open too (numbers.h).
  bool realize_number(const SymRef& value);

  // Parts of realize() that the rows of values/ call for their kinds of objects.
  static constexpr Py_ssize_t kMaxItems = 4096;  // longer containers are not looked into
  bool read_tensor(const SymRef& value);
  bool read_dict(const SymRef& value);
  bool read_instance(const SymRef& value);
  // Appends the items of a tuple or list to `items`, under a guard on their number. `item` is how
  // one is loaded.
  bool read_items(const SymRef& value, const LoadKind& item, std::vector<SymRef>* items);
  // Whether an object is likely to be the same one in the next call, which an argument is not.
  bool lasts(const SymRef& value) const;

  // Items of a tuple, list or constant tuple; null when it is none of these. Realizes `value`.
  const std::vector<SymRef>* items(const SymRef& value);
  // Value of a key in a kDict; null when the key is missing, which is guarded.
  SymRef dict_get(const SymRef& dict, const SymRef& key);
  bool dict_all(const SymRef& dict);  // reads all items, so that `entries` is complete
  // The items of an instance of a class derived from dict (table_objects.h), as a kDict; null with
  // `error` when it cannot be looked into.
  SymRef table_of(const SymRef& object);
  // The same of a class derived from list (list_objects.h), as a kList.
  SymRef list_of(const SymRef& object);
  void dict_set(const SymRef& dict, const SymRef& key, const SymRef& value);
  // Guards that a value is this very object in every call. False where it cannot be: an argument,
  // say, is a new object each time.
  bool pin(const SymRef& value);
  // Guards that a tuple of floats of the program is this very object. False: it is no such tuple,
  // or is unlikely to be the same in the next call.
  bool pin_floats(const SymRef& tuple);
  // Looks at a value that is to be a key. False when its hash and equality are not known without
  // Python code.
  bool pin_key(const SymRef& key);
  // Removes a key from a dict whose entries are complete; null when it is missing.
  SymRef dict_remove(const SymRef& dict, const SymRef& key);

  // An instance attribute, from the pending writes or the instance itself; null when it is missing,
  // which is guarded.
  SymRef instance_attr(const SymRef& object, PyObject* name);
  // Guards that the names in an instance dict compare without Python code. False with `error` when
  // they do not.
  bool guard_attributes_plain(const SymRef& object) {
    return guard_keys_plain(object->source, existing_dict(object->object.get()), true);
  }
  // The object that a member descriptor (a slot of __slots__, a part of a builtin object) reads;
  // null when the slot is empty.
  SymRef member(const SymRef& object, PyObject* descriptor);
  // Guards that no gradients are asked for: the region holds a step that would be recorded in
  // another way than its operators. guard_gradients() guards that they are asked for: the region
  // ends before such a step.
  void guard_no_gradients();
  void guard_gradients();
  // Guards that this thread is in no scope of a gradient transform or no_grad; or that it is in
  // one.
  void guard_outside_scopes(bool outside);
  // Guards that the context's level of PSJit is the one of now.
  void guard_syntax_level();
  // Guards that no class is registered with an abstract base class from now on.
  void guard_registrations();
  // Guards that the interpreter's limit of recursion is what it is now, which is returned.
  int guard_recursion_limit();
  // Guards that the thread is not handling an exception. False: it is.
  bool guard_unhandled();
  // Whether it guards that no gradients are asked for, or holds a whole gradient transform.
  bool is_plain() const { return plain_; }
  // Graph values that may be Parameters, as gradient transforms see them.
  const std::vector<ValueId>& parameters() const { return parameters_; }
  // Guards that the Parameters met so far are different objects. Otherwise the gradient by one
  // would also be by another.
  void guard_parameters_differ();
  // Guards that no monitoring tool listens to a code object. False when one does.
  bool guard_unwatched(PyCodeObject* code);
  // Guards a function value's code.
  void guard_function(const SymRef& function);
  // Where the globals of a function known by identity are found; kNoSource: they are those of the
  // outermost frame.
  SourceId globals_source(const SymRef& function);
  SymRef globals_of(const SymFunction& fresh);
  // An attribute of a function known by identity; null when it has none that can be guarded.
  SymRef function_attr(const SymRef& function, PyObject* name);
  // The object to which an object known by identity, or an immutable one, has a pointer at a fixed
  // address inside it; None where that is a null pointer.
  SymRef part(const SymRef& owner, PyObject** at, const std::string& name);
  // The globals, defaults, keyword defaults or closure of a guarded function; null when it has
  // none.
  SymRef function_part(const SymRef& function, const LoadKind& part);
  SymRef cell_contents(const SymRef& cell);
  // Guard that a value has its exact class; that it is this very object.
  void guard_exact_type(const SymRef& value);
  void guard_identity(const SymRef& value);
  // Guards that a value has its class, and that lookups on the class find what they find now.
  bool guard_type_of(const SymRef& value);
  // Guards what lookups find on a class that is itself pinned. False when the class has no version
  // tag.
  bool guard_class_version(PyTypeObject* type);
  // The object that a lookup of a name on a pinned class found, without binding descriptors.
  SymRef class_attr(PyTypeObject* type, PyObject* name, PyObject* found);

  // Calls f with every value of the program met so far.
  template <class F>
  void visit(F f) const {
    for (const auto& [id, value] : by_source_) f(value);
  }
  const std::vector<SymRef>& tensors() const { return tensors_; }  // those of them that are tensors
  GuardBuilder& guards() { return guards_; }
  const std::vector<SourceId>& inputs() const { return inputs_; }
  // Guards that an input of the region, a tensor of the program, is contiguous. False: it is not,
  // or it is no such tensor.
  bool guard_contiguous(ValueId input);
  // An open size or float as an input of the graph.
  Val scalar_input(const SymRef& value);
  // The number of items in a deque of the program, and its `maxlen`, under guards; -1: no limit.
  // False: the length differs between calls.
  bool deque_length(const SymRef& deque, int64_t* out);
  int64_t deque_limit(const SymRef& deque);
  // The dtype and shape of an array of the program, under a guard; and its elements as an input of
  // the graph (program_arrays.h). False: impossible.
  bool array_meta(const SymRef& array, Meta* out);
  bool array_input(const SymRef& array, Val* out);
  const std::vector<ScalarInput>& scalars() const { return scalars_; }
  // A drawn number as an input of the graph; its index is that of the last of draws().
  Val draw_input(const Draw& draw);
  const std::vector<Draw>& draws() const { return draws_; }
  GraphSink* sink() { return sink_; }
  const Sizes& sizes() const { return *sizes_; }
  const Slots& slots() const { return slots_; }
  // Tensors of the program that get a new value. `replaces`: in new memory, else in the memory they
  // have.
  struct TensorWrite {
    SymRef tensor;
    bool replaces;
    bool recorded;               // later reads have the history of the written value
    std::vector<SourceId> same;  // other sources of the same tensor
  };
  const std::vector<TensorWrite>& tensor_writes() const { return tensor_writes_; }
  // A graph value that a write has replaced. No node from `node` on may read it or look into it
  // through a view. After a recorded write, which changes no memory, backward passes may.
  struct Overwritten {
    ValueId value;
    int32_t node;
    int step;  // of the outermost frame, where the write is
    bool recorded = false;
  };
  std::vector<Overwritten>& overwritten() { return overwritten_; }
  const std::vector<Overwritten>& overwritten() const { return overwritten_; }
  // Notes a tensor made in the region whose memory a write takes over: it must not leave the
  // region.
  void note_taken(const SymRef& tensor) { taken_.push_back(tensor); }
  const std::vector<SymRef>& taken() const { return taken_; }
  void note_tensor_write(const SymRef& tensor, bool replaces, bool recorded);
  // Notes that a tensor of the program has this value from now on, in an arm or for good.
  void note_value(const SymRef& tensor, const Val& value);
  void note_same_tensor(const SymRef& written, const SymRef& other);  // guarded
  // The arguments of each print(), in program order, and its keywords as a dict or empty. All lines
  // of a region go to one file; null: the sys.stdout of that moment.
  struct Printed {
    SymRef file;
    std::vector<SymRef> values;
    Ref keywords;
  };
  std::vector<Printed>& printed() { return printed_; }
  const std::vector<Printed>& printed() const { return printed_; }
  // Installs the guards against aliasing. A changed object must differ from all others of its type.
  // It must not share the dict of its attributes with another object that was looked at. False when
  // that is not so now.
  bool guard_aliasing();
  const std::vector<SymRef>& mutables() const { return mutables_; }
  std::string error;

 private:
  const SymRef* written_global(PyObject* globals, PyObject* name) const;
  SymRef unbound(const LoadKind& kind, int index, const std::string& name);
  SymRef annotations(const SymRef& function);
  bool read_written_tensor(const SymRef& value, bool* known);
  bool guard_tensor_class(PyObject* tensor);
  bool is_known_parameter(const SymRef& value);
  void specialise_number(const SymRef& value);
  bool read_factory(const SymRef& dict);
  bool guard_keys_plain(SourceId source, PyObject* dict, bool of_instance);
  SourceId class_source(PyTypeObject* type);
  struct Namespace {
    PyObject* object;
    bool changed = false;
    bool is_dict = false;  // looked at as one
  };
  using Namespaces = std::unordered_map<SourceId, Namespace>;
  Namespaces find_namespaces();
  bool guard_namespaces(const Namespaces& all);
  bool guard_tables(Namespaces all);
  bool guard_apart_from(SourceId id, const Namespace& changed, SourceId other_id,
                        const Namespace& other);

  GraphSink* sink_;
  Sizes* sizes_;
  Slots slots_;
  GuardBuilder guards_;
  std::unordered_map<SourceId, SymRef> by_source_;
  std::unordered_map<PyObject*, SymRef> by_object_;     // mutable objects met so far
  std::unordered_set<PyObject*> owned_dicts_;           // the `__dict__` of each instance looked at
  std::unordered_map<SourceId, PyObject*> namespaces_;  // objects in which a name was looked up
  std::unordered_map<PyObject*, SourceId> globals_;     // of pinned functions
  std::vector<SymRef> tensors_;
  std::vector<SymRef> mutables_;
  std::vector<Printed> printed_;
  std::vector<GlobalWrite> global_writes_;
  std::vector<TensorWrite> tensor_writes_;
  std::vector<Overwritten> overwritten_;
  std::vector<ValueId> parameters_;
  std::unordered_map<PyObject*, SymRef> parameter_of_;  // the first value met of each
  std::vector<SymRef> taken_;
  std::vector<Renewed> renewed_;
  std::vector<Stored> stored_;
  size_t effects_ = 0;
  bool plain_ = false;
  std::vector<SourceId> inputs_;
  std::unordered_map<ValueId, SymRef> input_values_;  // those that are tensors of the program
  std::vector<ScalarInput> scalars_;
  std::vector<Draw> draws_;
};

// Whether two keys are the same dict key.
bool same_key(const SymRef& a, const SymRef& b);
// Whether a key is of a class whose equality is known: numbers, texts, tuples of these, classes,
// functions, pinned members of enumerations.
bool is_plain_key(const SymRef& key);

using host::has_plain_names;

}  // namespace msjit
