// Executor: runs canonical instructions over SymValues and appends tensor work to a graph. A
// handler returns true to go on. fail() ends the region before the current instruction of the
// outermost frame. After a failure the region is executed again up to exactly that instruction, so
// handlers need not undo partial work.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bytecode/arrivals.h"
#include "bytecode/auto_casts.h"
#include "bytecode/capture.h"
#include "bytecode/checking_nodes.h"
#include "bytecode/gradient_scopes.h"
#include "bytecode/heap.h"

namespace msjit {

struct SymFrame {
  const DecodedCode* code = nullptr;
  std::vector<SymRef> slots;  // null pointer: an untouched slot of the outermost frame
  std::vector<SymRef> stack;
  int pc = 0;
  int next = 0;
  Ref globals;
  SourceId globals_source = kNoSource;  // where `globals` are found
  Ref builtins;
  SymFrame* parent = nullptr;
  bool own = false;       // code of msjit itself: its operations count for the user's calling line
  bool strict = false;    // in or called by a PSJit function of level STRICT: language.h
  SymRef result;          // set by ReturnValue
  SymRef yielded;         // set by YieldValue, until the consumer takes it
  int suspended_at = -1;  // the instruction that yielded
  // Of an arm or a loop body (control.h): the instructions where it ends, and its loop's header and
  // exit.
  std::vector<int> stops;
  int loop_header = -1, loop_exit = -1;
  std::map<int, int> peeled;         // by header: arrivals so far at a loop of the ControlPlan
  std::map<int, Arrivals> arrivals;  // by header
  int counted = -1;                  // of the body of a while loop over a counter: where it begins
  Val again;  // whether the loop goes on; set, at the end of a body, when its ways have been joined

  bool at_stop() const { return std::find(stops.begin(), stops.end(), pc) != stops.end(); }
  SymRef pop() {
    SymRef top = std::move(stack.back());
    stack.pop_back();
    return top;
  }
  void push(SymRef value) { stack.push_back(std::move(value)); }
  SymRef& peek(int from_top) { return stack[stack.size() - from_top]; }
};

// A generator between two items.
struct SymGenerator {
  SymFrame frame;
  bool started = false, running = false, finished = false;
};

struct ArmChanges;
struct ChangeMark;
class ControlPlan;
class HeapMark;
class LoopBody;
class ScanCapture;
struct ScanPlan;
struct BranchPath;

class Executor {
 public:
  Executor(const DecodedCode& code, const Slots& slots, const CaptureLimits& limits,
           ControlPlan* control, const std::vector<SizeHistory>* sizes);

  // Runs the outermost frame from `start` and stops before its `stop_step`-th instruction (0-based,
  // -1 = never). True: it returned, or stopped there. False: it failed; see reason() and
  // safe_step().
  bool run_root(int start, int depth, int stop_step);
  bool run(SymFrame& frame);
  // A jump on the value of a tensor, and a loop that such jumps leave (control.cc,
  // loop_capture.cc). `captured`: the loop is a While now.
  bool branch(SymFrame& frame, const SymRef& tested, const BranchPath& when_true,
              const BranchPath& when_false);
  bool capture_loop(SymFrame& frame, bool* captured);
  // A for loop as one Scan node, and rows of tensors in its body (scan_capture.cc).
  bool capture_scan(SymFrame& frame, bool* captured);
  bool note_turn(SymFrame& frame);  // while loops over a counter (scan_whiles.cc)
  bool capture_counted(SymFrame& frame, bool* captured);
  bool scan_row(const SymRef& tensor, const SymRef& key, SymRef* out);
  ScanCapture* scan_of(const SymRef& turn);  // the loop whose turn this is; null: none
  // `key` with the numbers of turns as tensors.
  bool turns_as_tensors(const SymRef& key, SymRef* out);
  // The iterator over a range or a tensor of open length, if a for loop takes it at once or through
  // zip, enumerate and reversed (scan_items.cc). Otherwise `out` stays null and the result is true.
  bool open_range(const SymFrame& frame, const std::vector<SymRef>& args, SymRef* out);
  bool open_rows(const SymFrame& frame, const SymRef& tensor, SymRef* out);
  // The same for the arguments of zip, enumerate and reversed, replaced in place.
  bool open_parts(const SymFrame& frame, const SymRef& callable, std::vector<SymRef>* args);
  // Takes the next item of an iterator of open length outside of a captured loop.
  bool take_turn(SymIterator& it, SymRef* out, bool* done);
  // reversed() of an iterator of open length.
  bool reverse_turns(const SymRef& iterator, SymRef* out);
  // first + step * turn.
  SymRef number_of_turn(const SymRef& first, int64_t step, const SymRef& turn);
  // The next item of an iterator that zip and enumerate may wrap: a number or the index of a row,
  // and the step to the one after it.
  bool next_number(const SymIterator& leaf, SymRef* first, int64_t* step);
  // The items that an iterator over a list, tuple or array has left, `most` of them at most.
  bool items_left(const SymIterator& leaf, int64_t most, std::vector<SymRef>* items);
  // Arithmetic with the number of a turn. If the result is no such number, `out` stays null and the
  // result is true.
  bool turn_binary(const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out);
  // The list `rows` is asked for more than its rows: marks its loop to be unrolled and starts the
  // capture again.
  void refuse_rows(const SymValue& rows);
  ControlPlan& control() { return *control_; }
  bool forked() const { return forked_; }
  // Whether an op has returned its input itself. Then a result may be a view, or the same tensor.
  bool was_handed_on(ValueId id) const { return handed_on_.count(id) != 0; }
  std::vector<SymRef> live_tensors() const { return arena_.live_tensors(); }
  bool is_forked_now() const { return fork_depth_ > 0; }  // inside an arm or the body of a loop
  // Branches of which only one way is captured, because the other one raises.
  struct Assumed {
    Val tested;  // what the tensor holds at the branch; it may be written to later
    bool truth;
    std::string otherwise;
  };
  const std::vector<Assumed>& assumed() const { return assumed_; }
  // Assumes that a bool tensor made outside all arms is true in every call that the region serves.
  void assume_holds(const SymRef& test, std::string otherwise) {
    assumed_.push_back({test->tensor, true, std::move(otherwise)});
  }
  CheckingNodes& checking() { return checking_; }
  // Notes the control node that made these values.
  void note_control(std::span<const Val> results);
  // Gives a tensor made in the region another value.
  void renew(const SymRef& tensor, Val value);
  // Notes that a value which a control node gave, or from which a loop body starts, is the content
  // of a tensor that arms or turns write to. So it has memory of its own.
  void note_written(ValueId id) { written_.insert(id); }
  bool is_written(ValueId id) const { return written_.count(id) != 0; }
  // Called before a write to a tensor. False, and failed: the capture starts again, because a loop
  // whose body is being run has to carry that tensor.
  bool may_write_in_loops(const SymRef& tensor);
  // Whether the values that a tensor has in the body of a loop may have views. After the body it is
  // checked that none of them is used after a write.
  bool tracks_writes() const;
  // Notes that `id`, which an If hands on, stands for this value. False when it stands for another
  // one already: two tensors with one graph value could not be told apart.
  bool claim(ValueId id, const SymRef& value);
  const SymValue* owner(ValueId id) const;

  SymFrame& root() { return root_; }
  Heap& heap() { return heap_; }
  GraphSink& sink() { return sink_; }
  Sizes& sizes() { return sizes_; }
  GradientScopes& gradient_scopes() { return gradient_scopes_; }
  AutoCasts& auto_casts() { return auto_casts_; }
  int root_step() const { return root_step_; }                // current step of the outermost frame
  PyCodeObject* last_callee() const { return last_callee_; }  // Capture
  int last_call() const { return last_call_; }
  int start_depth() const { return start_depth_; }  // stack depth where the region begins
  bool begins_the_call() const { return begins_the_call_; }
  bool returned() const { return root_.result != nullptr; }
  // The last instruction of the outermost frame, at or before the failure, where a frame can be
  // resumed.
  int safe_step() const { return safe_step_; }

  // Ends the region; always false.
  bool fail(BreakReason reason, std::string detail = {});
  // Ends the region before an earlier step of the outermost frame. Behind that, a later capture can
  // look at a value that this one cannot. Always false.
  bool fail_before(int step, BreakReason reason, std::string detail);
  bool fail_op(Status status);  // a shape rule refused: the program raises this error
  // Ends the region because gradients are asked for; always false.
  bool fail_recorded(const std::string& detail);
  bool recorded() const { return recorded_; }
  // Ends the region at something that is remembered once it has been done (an isinstance() answer,
  // a new enum flag, a name that a module finds at its first use). A later capture can go on there.
  // Always false.
  bool fail_for_now(BreakReason reason, std::string detail) {
    for_now_ = true;
    return fail(reason, std::move(detail));
  }
  bool for_now() const { return for_now_; }
  // The same, for a name that a module finds at its first use.
  bool fail_at_first_use(const SymRef& module, PyObject* name, std::string detail) {
    first_use_ = {module->object, Ref::share(name)};
    return fail_for_now(BreakReason::kAttribute, std::move(detail));
  }
  const FirstUse& first_use() const { return first_use_; }
  // Ends the region because the thread is in a scope of no_grad; always false.
  bool fail_in_scope(const std::string& detail);
  bool in_scope() const { return in_scope_; }
  // Whether a failure since the last call was a name without a value.
  bool met_unbound() { return std::exchange(unbound_, false); }

  // The program raises here. Execution goes on at a handler inside the region; without one the
  // region ends before the instruction. Always false, like fail(). raise.cc
  bool raise(const SymRef& exception, const std::string& what);
  bool raise_new(PyObject* type, const std::string& message);
  bool raise_new(PyObject* type, std::vector<SymRef> args, const std::string& what);
  bool raise_python(const std::string& what);  // the exception CPython has just set
  bool has_handler() const;                    // whether the region catches what is raised now
  // For models that catch: while a Catching lives, exceptions go to the model.
  class Catching {
   public:
    explicit Catching(Executor& x) : x_(x) { ++x_.catching_; }
    ~Catching() { --x_.catching_; }
    Catching(const Catching&) = delete;
    Catching& operator=(const Catching&) = delete;

   private:
    Executor& x_;
  };
  // The exception being raised, taken when it is a `type`; else null.
  SymRef take_raised(PyObject* type);
  // After a failed call: lets its exception propagate if something in the region catches it. Always
  // false.
  bool raise_on();
  // After a failed call in a model that must not be left half-done: the exception ends the region.
  // Always false.
  bool raise_ends();
  BreakReason reason() const { return reason_; }
  const std::string& detail() const { return detail_; }
  const std::string& place() const { return place_; }
  int line() const { return line_; }
  PyCodeObject* callee() const { return callee_; }
  // The user's own line at the failure.
  const UserPlace& user_place() const { return user_place_; }
  std::vector<InlinedCode> take_inlined() { return std::move(inlined_); }

  // Looks at a value, which installs its guards. False, and failed, when it cannot be looked at.
  bool look(const SymRef& value);
  // The same for callers that handle sizes: an int that differs between calls stays open (kSize).
  bool look_open(const SymRef& value);
  bool look_number(const SymRef& value);  // and a float (kNumber)
  bool look_fixed(const SymRef& value);   // as look(), and the sizes in a tuple or slice are fixed
  // Whether the code that runs is the program's own and must be in the strict language.
  bool strict() const;
  // Whether the current code runs on one way only, or more than once: in an arm, or a loop's body.
  bool in_arm() const;
  // False, and failed, unless a call of other processes can be part of the graph here.
  bool may_call_processes(const Attrs& attrs);
  // Notes a value that the region computes whether used or not, because computing it may raise.
  void add_demand(SymRef value) { demands_.push_back(std::move(value)); }
  const std::vector<SymRef>& demands() const { return demands_; }
  // The result of `use` for the item at `position`, which only a run of the graph knows. choice.cc
  using ItemUse = std::function<bool(const SymRef& item, SymRef* out)>;
  bool choose(const SymRef& position, const std::vector<SymRef>& items, size_t from,
              const ItemUse& use, SymRef* out);
  SymRef slot(SymFrame& frame, int index);  // null sym when unbound

  // --- operations the handlers share; defined beside their handlers ---
  bool get_attr(const SymRef& object, PyObject* name, SymRef* out);
  bool set_attr(const SymRef& object, PyObject* name, const SymRef& value);
  bool call(const SymRef& callable, std::vector<SymRef> args, PyObject* keyword_names, SymRef* out);
  bool call_function(PyObject* function, const SymRef& fresh, std::vector<SymRef> args,
                     PyObject* keyword_names, SymRef* out, bool strict = false);
  bool call_op(PyObject* op, std::vector<SymRef> args, PyObject* keyword_names, SymRef* out);
  bool apply(const OpDef& op, std::span<const Val> inputs, const Attrs& attrs, SymRef* out);
  // The same for an operator that the program calls: automatic mixed precision may cast its inputs.
  bool apply_called(const OpDef& op, std::span<const Val> inputs, const Attrs& attrs,
                    std::vector<TracedSize> attr_sizes, SymRef* out);
  bool binary(const SymRef& a, const SymRef& b, BinaryOp op, bool in_place, SymRef* out);
  bool compare(const SymRef& a, const SymRef& b, int op, SymRef* out);
  bool unary(const SymRef& value, UnaryOp op, SymRef* out);
  bool contains(const SymRef& container, const SymRef& item, bool* out);
  bool set_item(const SymRef& container, const SymRef& key, const SymRef& value);
  bool del_item(const SymRef& container, const SymRef& key);
  bool truth(const SymRef& value, bool* out);
  // len(value); instances with a __len__ of their own end the region
  bool length(const SymRef& value, int64_t* out);
  bool length(const SymRef& value, SymRef* out);  // the same as an int, or an open size
  bool subscript(const SymRef& container, const SymRef& key, SymRef* out);
  bool iterate(const SymRef& value, SymRef* out);              // iter(value)
  bool next(const SymRef& iterator, SymRef* out, bool* done);  // next(iterator)
  bool unpack(const SymRef& value, std::vector<SymRef>* out);  // all items of an iterable
  bool to_val(const SymRef& value, Val* out);                  // tensor, or a number as weak scalar
  SymFrame& current() { return *current_; }
  bool dict_iterator(const SymRef& dict, Ref method, SymRef* out);
  SymRef new_iterator(const IterKind& kind, std::vector<SymRef> children, int64_t position = 0);
  SymRef new_generator(SymFrame frame);
  // `thrown`: an exception that the generator's `yield` raises, instead of receiving `sent`.
  bool resume_generator(const SymRef& generator, const SymRef& sent, SymRef* out, bool* done,
                        const SymRef& thrown = nullptr);
  bool run_from_handler(SymFrame& frame, const SymRef& exception);
  // A suspended generator whose destruction would run its code (a `finally` block); null when there
  // is none.
  SymRef unfinished_generator() const;
  const CaptureLimits& limits() const { return limits_; }
  // The exceptions being handled, as sys.exc_info() sees them, the innermost last.
  struct Handled {
    const SymFrame* frame;
    size_t level;  // stack depth where the handler's items begin
    SymRef exception;
  };
  std::vector<Handled>& handled() { return handled_; }
  // The last instruction of the outermost frame, at or before `step`, where a region can end.
  int exit_before(int step) const;

 private:
  bool cannot_look(const SymRef& value);
  bool account(SymFrame& frame);
  bool too_long(BreakReason reason);
  bool at_long_loop(int header) const;
  bool within_limits() const;
  int root_loop() const;
  void note_inlined(const SymFrame& frame);
  UserPlace user_place_of(const SymFrame* frame, bool shown) const;
  bool run_arm(SymFrame* arm);
  bool can_assume(const HeapMark& heap, int32_t first_node) const;
  bool assume(SymFrame& frame, const SymRef& tested, bool truth, const BranchPath& path);
  bool may_fork(const SymFrame& frame, const SymRef& tested);
  bool arm_failed(const SymFrame& arm);
  bool take_arm(const SymFrame& arm, const HeapMark& heap, const ChangeMark& before,
                ArmChanges* changes);
  bool run_scan(SymFrame& frame, ScanPlan& plan, const SymRef& count, bool* captured);
  bool count_turns(SymFrame& frame, int start, int compare, int64_t step, SymRef* count);
  bool turns_left(const SymIterator& it, SymRef* count);
  bool has_many_turns(const SymRef& count);
  bool fix_turns(const SymRef& iterator);
  bool fix_range(SymIterator& it);
  int loop_ahead(const SymFrame& frame);
  bool is_large(SymFrame& frame, const SymIterator& it);
  bool ask_for_scan();
  static SourceLocation location(const SymFrame& frame);
  bool run_instrs(SymFrame& frame);
  bool unwind(SymFrame& frame);

  SymArena arena_;
  CaptureLimits limits_;
  std::shared_ptr<Graph> graph_;
  GraphSink sink_;
  Sizes sizes_;
  GradientScopes gradient_scopes_;
  AutoCasts auto_casts_;
  Heap heap_;
  ControlPlan* control_;
  std::unordered_map<ValueId, SymRef> owners_;
  int fork_depth_ = 0;
  std::vector<LoopBody*> loops_;     // whose bodies are being run, innermost last
  std::vector<ScanCapture*> scans_;  // those of them that are for loops
  std::vector<Assumed> assumed_;
  CheckingNodes checking_;
  std::unordered_set<ValueId> handed_on_, written_;
  bool forked_ = false;
  SymFrame root_;
  int depth_ = 0;
  int steps_ = 0;
  size_t counted_nodes_ = 0;
  int num_ops_ = 0;  // of the nodes counted
  int root_step_ = -1;
  int last_call_ = -1;
  PyCodeObject* last_callee_ = nullptr;
  int start_depth_ = 0;
  bool begins_the_call_ = false;
  int safe_step_ = 0;
  int stop_step_ = -1;
  std::map<int, int> turns_;  // of the loops of the outermost frame, by header
  bool stopped_ = false;
  SymFrame* current_ = nullptr;
  std::vector<int> exits_;  // steps of the outermost frame where a region can end
  std::vector<Handled> handled_;
  std::vector<SymRef> generators_;
  std::vector<SymRef> demands_;
  SymRef raised_;
  std::string raised_text_;
  int catching_ = 0;
  BreakReason reason_ = BreakReason::kInternal;
  bool recorded_ = false, in_scope_ = false, for_now_ = false, unbound_ = false;
  FirstUse first_use_;
  std::string detail_;
  std::string place_;
  int line_ = 0;
  PyCodeObject* callee_ = nullptr;
  UserPlace user_place_;
  std::vector<InlinedCode> inlined_;
  friend Result<Capture> capture_region(const DecodedCode&, int, const Slots&, int,
                                        const CaptureLimits&, const std::vector<SizeHistory>*,
                                        std::vector<int>*);
};

using Handler = bool (*)(Executor&, SymFrame&, const Instr&);
#define MSJIT_CANON(name, ...) bool exec_##name(Executor& x, SymFrame& f, const Instr& i);
#include "bytecode/isa.def"

// Objects made by jit(f). In captured code a call of one is a call of f. Set by the extension.
struct JitCallable {
  PyTypeObject* type = nullptr;
  PyObject* (*function)(PyObject* object) = nullptr;  // borrowed f
  enum class Level { kCallers, kContexts, kStrict };
  Level (*level)(PyObject* object) = nullptr;  // the level by which f is judged where it is inlined
};
extern JitCallable g_jit_callable;

// Model of a Python builtin: computes the call symbolically. Returns false after x.fail(). A
// builtin without a model ends the region.
using BuiltinModel = bool (*)(Executor& x, const std::vector<SymRef>& args, PyObject* keyword_names,
                              SymRef* out);
BuiltinModel find_builtin_model(PyObject* callable);
// Methods of lists, dicts, tuples and tensors, by name; args[0] is self.
BuiltinModel find_generator_method(const SymRef& self, const char* name);
BuiltinModel find_method_model(const SymRef& self, const char* name);

}  // namespace msjit
