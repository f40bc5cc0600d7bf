// Heap: the one read path. Every look at a Python object of the running program goes through it,
// and installs the guard that makes the answer hold; pending writes stay in the SymValues until the
// region's exit.
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

  // The value of a source whose object is `object` now. No guard but on aliasing of mutable
  // objects.
  SymRef from_source(SourceId id, PyObject* object);
  SymRef from_local(int slot, const std::string& name);
  SymRef from_stack(int index);
  SymRef from_constant(Ref object, const std::string& text);  // an object some guard pins
  // Global or builtin of a function whose globals are `globals` (found at `globals_source` when
  // they are not the frame's own); null when unbound.
  SymRef global(PyObject* globals, SourceId globals_source, PyObject* builtins, PyObject* name);

  // A builtin, as a function with these globals finds it; null when there is none.
  SymRef builtin(PyObject* builtins, SourceId globals_source, PyObject* name);

  // Notes the new value of a global. False where its dict is looked at in other ways too.
  // A null value deletes it.
  bool set_global(PyObject* globals, SourceId globals_source, PyObject* name, SymRef value);
  // Whether a global is there. False too where that cannot be told.
  bool is_global(PyObject* globals, SourceId globals_source, PyObject* name);
  struct GlobalWrite {
    PyObject* globals;
    SourceId source;  // as in global()
    Ref name;
    SymRef value;
  };
  const std::vector<GlobalWrite>& global_writes() const { return global_writes_; }
  // How often something was changed that no SymValue shows.
  void note_effect() { ++effects_; }
  size_t effects() const { return effects_ + printed_.size() + arm_changes(); }
  // Tensors that an arm or a loop body has given another value, in order.
  struct Renewed {
    SymRef tensor;
    Val before;
    bool changed;  // as it was before
  };
  std::vector<Renewed>& renewed() { return renewed_; }
  // Attributes that an arm or a loop body has stored, in order, and how it was before.
  struct Stored {
    SymRef object;
    std::string name;
    SymRef before;
    size_t num_written;
    bool changed;
  };
  std::vector<Stored>& stored() { return stored_; }
  size_t arm_changes() const { return renewed_.size() + stored_.size(); }

  // Makes a kLazy value one of the looked-at kinds. The reason of a failure is in `error`.
  bool realize(const SymRef& value);
  // The same, but an int that differs between calls stays open.
  bool realize_open(const SymRef& value);

  // The same, and so does a float (numbers.h).
  bool realize_number(const SymRef& value);

  // Items of a tuple, list or constant tuple; null when it is none of these. Realizes `value`.
  const std::vector<SymRef>* items(const SymRef& value);
  // Value of a key in a kDict; null and found=false when missing (guarded).
  SymRef dict_get(const SymRef& dict, const SymRef& key);
  bool dict_all(const SymRef& dict);  // makes `entries` complete
  // The items of an instance of a class derived from dict (table_objects.h), a kDict; null with
  // `error` when it cannot be looked into.
  SymRef table_of(const SymRef& object);
  void dict_set(const SymRef& dict, const SymRef& key, const SymRef& value);
  // Makes a value this very object; not one that is handed in. False: it cannot be.
  bool pin(const SymRef& value);
  // That a tuple of floats of the program is this very one. False: it is none, or may not last.
  bool pin_floats(const SymRef& tuple);
  // Looks at a value that is to be a key. False when it is none whose hash and equality are known.
  bool pin_key(const SymRef& key);
  // Takes a key out of a dict whose entries are complete; null when it is not there.
  SymRef dict_remove(const SymRef& dict, const SymRef& key);

  // Instance attribute from the pending writes or the instance dict; null when missing (guarded).
  SymRef instance_attr(const SymRef& object, PyObject* name);
  // That the names in an instance dict compare without Python code. False, and `error`: they do
  // not.
  bool guard_attributes_plain(const SymRef& object) {
    return guard_keys_plain(object->source, existing_dict(object->object.get()), true);
  }
  // What a member descriptor (a slot of __slots__ and the like) shows; null when it is empty.
  SymRef member(const SymRef& object, PyObject* descriptor);
  // That no gradients are asked for, or that they are: the region holds a step that would be
  // recorded otherwise than its operators, or ends before one.
  void guard_no_gradients();
  void guard_gradients();
  // That this thread is in no scope of a gradient transform or no_grad, or that it is in one.
  void guard_outside_scopes(bool outside);
  // That the context names the same level of PSJit as now.
  void guard_syntax_level();
  // That no class is registered with an abstract base class from now on.
  void guard_registrations();
  // That the thread handles no exception. False: it does.
  bool guard_unhandled();
  bool is_plain() const { return plain_; }  // holds such a step, or a whole gradient transform
  // Values that may be Parameters', as gradient transforms see them.
  const std::vector<ValueId>& parameters() const { return parameters_; }
  // That the Parameters met so far are as many objects: a gradient by one is not by another.
  void guard_parameters_differ();
  // That nobody listens to what a code object does. False when somebody does.
  bool guard_unwatched(PyCodeObject* code);
  // Guards a function value's code.
  void guard_function(const SymRef& function);
  // Where a function known by identity finds its globals; kNoSource: those of the outermost frame.
  SourceId globals_source(const SymRef& function);
  SymRef globals_of(const SymFunction& fresh);
  // An attribute of a function known by identity; null when it has none that can be guarded.
  SymRef function_attr(const SymRef& function, PyObject* name);
  // The object that an object known by identity, or immutable, points to at an address of its own.
  SymRef part(const SymRef& owner, PyObject** at, const std::string& name);
  // Globals, defaults, keyword defaults or closure of a guarded function; null when it has none.
  SymRef function_part(const SymRef& function, const LoadKind& part);
  SymRef cell_contents(const SymRef& cell);
  // That a value keeps its class; that it is this very object.
  void guard_exact_type(const SymRef& value);
  void guard_identity(const SymRef& value);
  // That a value keeps its class, and the class all that lookups on it find.
  bool guard_type_of(const SymRef& value);
  // Pins what lookups on a class that is itself pinned find. False when it has no version tag.
  bool guard_class_version(PyTypeObject* type);
  // What a lookup on a pinned class found under a name, as it is (no descriptor binding).
  SymRef class_attr(PyTypeObject* type, PyObject* name, PyObject* found);

  // Calls f with every value of the program met so far.
  template <class F>
  void visit(F f) const {
    for (const auto& [id, value] : by_source_) f(value);
  }
  const std::vector<SymRef>& tensors() const { return tensors_; }  // those of them that are tensors
  GuardBuilder& guards() { return guards_; }
  const std::vector<SourceId>& inputs() const { return inputs_; }
  // A size or a number as an input of the graph.
  Val scalar_input(const SymRef& value);
  // The dtype and shape of an array of the program, under a guard, and what it holds, as an input
  // of the graph (program_arrays.h). False: it cannot be one.
  bool array_meta(const SymRef& array, Meta* out);
  bool array_input(const SymRef& array, Val* out);
  const std::vector<ScalarInput>& scalars() const { return scalars_; }
  GraphSink* sink() { return sink_; }
  const Slots& slots() const { return slots_; }
  // Tensors of the program with a new value: in memory of its own, or in the memory they have.
  struct TensorWrite {
    SymRef tensor;
    bool replaces;
    bool recorded;               // what is read from it has the gradients of what was written
    std::vector<SourceId> same;  // where else it was found
  };
  const std::vector<TensorWrite>& tensor_writes() const { return tensor_writes_; }
  // A value that a write has replaced: no node from `node` on may read it or look into it.
  struct Overwritten {
    ValueId value;
    int32_t node;
    int step;  // of the outermost frame
  };
  std::vector<Overwritten>& overwritten() { return overwritten_; }
  const std::vector<Overwritten>& overwritten() const { return overwritten_; }
  // A tensor made in the region whose memory a write has taken over: it must not leave the region.
  void note_taken(const SymRef& tensor) { taken_.push_back(tensor); }
  const std::vector<SymRef>& taken() const { return taken_; }
  void note_tensor_write(const SymRef& tensor, bool replaces, bool recorded);
  // That a tensor of the program has this value from now on, in an arm or for good.
  void note_value(const SymRef& tensor, const Val& value);
  void note_same_tensor(const SymRef& written, const SymRef& other);  // under a guard
  // What print() was given, in program order, and its keywords as a dict or empty. All lines of a
  // region go to one file; null: what sys.stdout is then.
  struct Printed {
    SymRef file;
    std::vector<SymRef> values;
    Ref keywords;
  };
  std::vector<Printed>& printed() { return printed_; }
  const std::vector<Printed>& printed() const { return printed_; }
  // Sources of changed objects must not alias others of their type, nor share the dict that keeps
  // their names with others that were looked at. False when one does now.
  bool guard_aliasing();
  const std::vector<SymRef>& mutables() const { return mutables_; }
  std::string error;

 private:
  static constexpr Py_ssize_t kMaxItems = 4096;  // longer containers are not looked into

  const SymRef* written_global(PyObject* globals, PyObject* name) const;
  SymRef unbound(const LoadKind& kind, int index, const std::string& name);
  bool realize_container(const SymRef& value, PyTypeObject* type);
  bool realize_tensor(const SymRef& value);
  bool is_known_parameter(const SymRef& value);
  bool realize_object(const SymRef& value);
  void specialise_number(const SymRef& value);
  bool realize_slice(const SymRef& value);
  bool realize_set(const SymRef& value);
  bool lasts(const SymRef& value) const;
  bool realize_factory(const SymRef& dict);
  bool guard_keys_plain(SourceId source, PyObject* dict, bool of_instance);
  SourceId class_source(PyTypeObject* type);
  bool guard_namespaces();
  struct Namespace {
    PyObject* object;
    bool changed = false;
    bool is_dict = false;  // looked at as one
  };
  bool guard_apart_from(SourceId id, const Namespace& changed, SourceId other_id,
                        const Namespace& other);

  GraphSink* sink_;
  Sizes* sizes_;
  Slots slots_;
  GuardBuilder guards_;
  std::unordered_map<SourceId, SymRef> by_source_;
  std::unordered_map<PyObject*, SymRef> by_object_;  // lists, dicts, cells and instances met so far
  std::unordered_set<PyObject*> owned_dicts_;        // of the instances looked at
  std::unordered_map<SourceId, PyObject*> namespaces_;  // what a name was looked up in
  std::unordered_map<PyObject*, SourceId> globals_;     // of pinned functions
  std::vector<SymRef> tensors_;
  std::vector<SymRef> mutables_;
  std::vector<Printed> printed_;
  std::vector<GlobalWrite> global_writes_;
  std::vector<TensorWrite> tensor_writes_;
  std::vector<Overwritten> overwritten_;
  std::vector<ValueId> parameters_;
  std::unordered_map<PyObject*, SymRef> parameter_of_;  // the first value of each met so far
  std::vector<SymRef> taken_;
  std::vector<Renewed> renewed_;
  std::vector<Stored> stored_;
  size_t effects_ = 0;
  bool plain_ = false;
  std::vector<SourceId> inputs_;
  std::vector<ScalarInput> scalars_;
};

// Whether two keys are the same dict key.
bool same_key(const SymRef& a, const SymRef& b);
// Whether a key is of a class whose equality is known: numbers, texts, tuples of such, classes,
// functions, pinned members of enumerations.
bool is_plain_key(const SymRef& key);

using host::has_plain_names;

}  // namespace msjit
