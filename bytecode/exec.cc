#include "bytecode/control.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/value_kind.h"

#include <fmt/core.h>

#include <cstring>

#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

#define MSJIT_CANON(name, ...) exec_##name,
constexpr Handler kHandlers[] = {
#include "bytecode/isa.def"
};

const char* code_file(PyCodeObject* code) {
  const char* file = utf8_text(code->co_filename);
  return file ? file : "?";
}

std::shared_ptr<Graph> named_graph(const DecodedCode& code) {
  auto graph = std::make_shared<Graph>();
  const char* name = utf8_text(code.code()->co_name);
  graph->name = name ? name : "?";
  return graph;
}

}  // namespace

Executor::Executor(const DecodedCode& code, const Slots& slots, const CaptureLimits& limits,
                   ControlPlan* control, const std::vector<SizeHistory>* sizes)
    : limits_(limits),
      graph_(named_graph(code)),
      sink_(graph_),
      sizes_(&sink_, sizes),
      gradient_scopes_(&sink_, &sizes_),
      heap_(&sink_, &sizes_, slots),
      control_(control) {
  sink_.set_merging(false);  // equal ops stay two tensors, and a view belongs to one of them
  root_.code = &code;
  root_.globals = Ref::share(slots.globals);
  root_.builtins = Ref::share(slots.builtins);
  root_.strict = limits.strict;
}

bool Executor::fail(BreakReason reason, std::string detail) {
  raised_ = nullptr;
  reason_ = reason;
  unbound_ |= reason == BreakReason::kUnboundName;
  detail_ = std::move(detail);
  line_ = (*root_.code)[root_.pc].line;
  user_place_ = user_place_of(current_ ? current_ : &root_, limits_.whole);
  SymFrame* frame = current_;
  if (frame && frame->parent) {
    place_ = fmt::format("{}:{}", code_file(frame->code->code()), (*frame->code)[frame->pc].line);
    callee_ = nullptr;
    // The outermost callee of the program. msjit's own are skipped; they call functions that may
    // have policies of their own.
    for (SymFrame* outer = frame; outer->parent; outer = outer->parent)
      if (!is_own(outer->globals.get())) callee_ = outer->code->code();
  }
  return false;
}

// The innermost frame of user code: not msjit's. If the place is `shown` in an error, frames of
// Python's library and of installed packages are skipped too, unless there are no others.
UserPlace Executor::user_place_of(const SymFrame* frame, bool shown) const {
  while (frame->parent && is_own(frame->globals.get())) frame = frame->parent;
  const SymFrame *const innermost = frame, *user = frame;
  if (shown)
    while (user && (is_own(user->globals.get()) || in_library(code_file(user->code->code()))))
      user = user->parent;
  if (user) frame = user;
  UserPlace place{frame->code->code(), (*frame->code)[frame->pc].op_offset, {}};
  if (frame != innermost)
    place.beyond = fmt::format("{}:{}", code_file(innermost->code->code()),
                               (*innermost->code)[innermost->pc].line);
  return place;
}

void Executor::note_inlined(const SymFrame& frame) {
  if (last_call_ != root_step_ && !is_own(frame.globals.get())) {
    last_call_ = root_step_;
    last_callee_ = frame.code->code();
  }
  if (!frame.strict || is_own(frame.globals.get())) return;
  PyCodeObject* const code = frame.code->code();
  for (const InlinedCode& known : inlined_)
    if (known.code.get() == reinterpret_cast<PyObject*>(code)) return;
  inlined_.push_back(
      {Ref::share(reinterpret_cast<PyObject*>(code)), user_place_of(frame.parent, true)});
}

bool Executor::fail_before(int step, BreakReason reason, std::string detail) {
  fail(reason, std::move(detail));
  if (const int exit = exit_before(step); exit >= 0) safe_step_ = exit;
  return false;
}

bool Executor::fail_recorded(const std::string& detail) {
  recorded_ = true;
  return fail(BreakReason::kRecorded, detail);
}

bool Executor::fail_in_scope(const std::string& detail) {
  in_scope_ = true;
  return fail(BreakReason::kRecorded, detail);
}

bool Executor::fail_op(Status status) {
  const ErrorKind kind = status.error().kind;
  if (kind != ErrorKind::kInternal && kind != ErrorKind::kMemory && has_handler()) {
    sizes_.close();  // with other sizes the op might not raise
    return raise_new(exception_type(kind), status.error().message);
  }
  return fail(BreakReason::kOpError, status.error().message);
}

bool Executor::cannot_look(const SymRef& value) {
  const auto refuse = kind_of(value).refuse;
  return refuse ? refuse(*this, value) : fail(BreakReason::kObjectType, heap_.error);
}

bool Executor::look(const SymRef& value) { return heap_.realize(value) || cannot_look(value); }

bool Executor::look_open(const SymRef& value) {
  return heap_.realize_open(value) || cannot_look(value);
}

bool Executor::look_number(const SymRef& value) {
  return heap_.realize_number(value) || cannot_look(value);
}

bool Executor::strict() const {
  return current_ && current_->strict && !is_own(current_->globals.get());
}

bool Executor::in_arm() const {
  if (fork_depth_ > 0) return true;
  for (const SymFrame* frame = current_; frame; frame = frame->parent)
    if (!frame->stops.empty()) return true;
  return false;
}

SymRef Executor::slot(SymFrame& frame, int index) {
  SymRef& slot = frame.slots[index];
  // At the start of a call the cells of its variables are fresh, so they are like cells made in the
  // region.
  if (!slot && &frame == &root_ && begins_the_call_ &&
      frame.code->slot_kind(index) == SlotKind::kCell && frame.code->captured_parameter(index) < 0)
    slot = make_sym(SymKind::kCell);
  if (!slot) {
    const char* name = utf8_text(frame.code->slot_name(index).get());
    slot = heap_.from_local(index, name ? name : "?");
  }
  return slot;
}

bool Executor::run_root(int start, int depth, int stop_step) {
  stop_step_ = stop_step;
  start_depth_ = depth;
  begins_the_call_ = start == root_.code->entry();
  root_.slots.resize(root_.code->slot_count());
  for (int i = 0; i < depth; ++i) root_.stack.push_back(heap_.from_stack(i));
  root_.pc = start;
  return run(root_);
}

// The cost of an instruction of the program. An instruction of msjit's own package costs 1, because
// its loops always end; a gradient transform visits every Parameter of a network.
constexpr int kStep = 8;

// Counts the instruction and decides whether the outermost frame stops here. False: a limit is
// reached.
bool Executor::account(SymFrame& frame) {
  steps_ += frame.own ? 1 : kStep;
  for (; counted_nodes_ < graph_->nodes.size(); ++counted_nodes_)
    num_ops_ += graph_->nodes[counted_nodes_].num_ops();
  if (!within_limits()) [[unlikely]]
    return too_long(num_ops_ > (limits_.whole ? limits_.max_ops : limits_.loop_ops)
                        ? BreakReason::kGraphSize
                        : BreakReason::kUnrollLimit);
  if (&frame != &root_) return true;
  ++root_step_;
  const Instr& instr = (*frame.code)[frame.pc];
  const bool forced = limits_.break_every > 0 && root_step_ > 0 && instr.is_exit() &&
                      root_step_ >= limits_.break_every;
  if (root_step_ == stop_step_ || forced) {
    stopped_ = true;
    if (forced) fail(BreakReason::kForced);
    return true;
  }
  if (instr.is_exit()) {
    safe_step_ = root_step_;
    exits_.push_back(root_step_);
  }
  return root_step_ == 0 || !at_long_loop(frame.pc) || fail(BreakReason::kUnrollLimit);
}

bool Executor::at_long_loop(int header) const {
  const std::vector<int>& known = control_->long_loops;
  return std::find(known.begin(), known.end(), header) != known.end();
}

// The region has become too large. If a loop of the outermost frame is the cause, its turns become
// regions: the capture starts again and ends at the loop's header.
bool Executor::too_long(BreakReason reason) {
  if (ask_for_scan()) return fail(reason);
  if (const int header = root_loop(); header >= 0) {
    control_->long_loops.push_back(header);
    control_->restart = true;
  }
  return fail(reason);
}

bool Executor::within_limits() const {
  const int many_ops = limits_.whole ? limits_.max_ops : limits_.loop_ops, steps = steps_ / kStep;
  if (steps <= limits_.unroll && num_ops_ <= std::min(many_ops, limits_.max_ops)) return true;
  const int allowed = limits_.unroll + limits_.unroll_per_op * num_ops_;
  return num_ops_ <= limits_.max_ops && steps <= allowed && root_loop() < 0;
}

// Looks for a loop of the outermost frame that is in its third turn or later and whose turns may
// be regions of their own. Returns its header, or -1 if there is no such loop.
int Executor::root_loop() const {
  if (limits_.whole) return -1;
  const Cfg& cfg = control_->cfg(*root_.code);
  for (const auto& [header, turns] : turns_)
    if (turns >= 2 && cfg.is_loop_header(header) && cfg.in_loop(header, root_.pc)) return header;
  return -1;
}

bool Executor::run(SymFrame& frame) {
  SymFrame* const caller = current_;
  current_ = &frame;
  const bool done = run_instrs(frame);
  if (done || raised_) current_ = caller;
  return done;
}

SourceLocation Executor::location(const SymFrame& frame) {
  const SymFrame* shown = &frame;
  while (shown->own && shown->parent) shown = shown->parent;
  return {code_file(shown->code->code()), (*shown->code)[shown->pc].line};
}

bool Executor::run_instrs(SymFrame& frame) {
  frame.own = is_own(frame.globals.get());
  while (!frame.result && !frame.yielded && !frame.again) {
    if (!control_->loops.empty()) [[unlikely]] {
      bool captured = false;
      if (!capture_loop(frame, &captured)) return false;
      if (captured && (frame.result || frame.again || frame.at_stop())) break;
    }
    if (control_->counted) [[unlikely]] {
      bool captured = false;
      if (!capture_counted(frame, &captured)) return false;
    }
    if (!account(frame)) return false;
    if (stopped_) return true;
    const Instr& instr = (*frame.code)[frame.pc];
    sink_.set_location(location(frame));
    frame.next = frame.pc + 1;
    if (!kHandlers[static_cast<int>(instr.op)](*this, frame, instr))
      if (!raised_ || !unwind(frame)) return false;
    if (&frame == &root_ && frame.next <= frame.pc) [[unlikely]]
      if (++turns_[frame.next] > limits_.turns && limits_.turns) {
        frame.pc = frame.next;
        return too_long(BreakReason::kUnrollLimit);
      }
    if (frame.next <= frame.pc && (*frame.code)[frame.next].op != Op::kForIter) [[unlikely]]
      if (!frame.result && !frame.again && !note_turn(frame)) return false;
    if (!frame.result && !frame.again) frame.pc = frame.next;
    if (frame.at_stop()) break;
  }
  return true;
}

bool Executor::apply(const OpDef& op, std::span<const Val> inputs, const Attrs& attrs,
                     SymRef* out) {
  if (const char* odd = odd_tensor_class_name())
    return fail(BreakReason::kObjectType, fmt::format("Tensor with a {} of the program's", odd));
  if (op.has(kInPlace)) return fail(BreakReason::kInPlace, op.name);
  if (op.has(kCollective) && !may_call_processes(attrs)) return false;
  if (attrs.empty() && op.signature.num_attrs > 0) {
    Attrs defaults;
    for (const Param& param : op.signature.params)
      if (!param.is_tensor()) defaults.push_back(param.default_value);
    return apply(op, inputs, defaults, out);
  }
  const auto first_node = static_cast<int32_t>(graph_->nodes.size());
  auto result = sink_.apply(op, inputs, attrs);
  if (!result.ok()) return fail_op(result.take_error());
  Vals values = result.take();
  checking_.note(*graph_, first_node);
  for (const Val& value : values)
    for (const Val& input : inputs)
      if (input && value.id() == input.id()) handed_on_.insert(input.id());
  if (op.num_outputs == 1) {
    *out = make_tensor(std::move(values[0]));
    return true;
  }
  std::vector<SymRef> items;
  for (Val& value : values) items.push_back(make_tensor(std::move(value)));
  *out = make_items(SymKind::kTuple, std::move(items));
  return true;
}

bool Executor::to_val(const SymRef& value, Val* out) {
  if (is_drawn(*value)) return *out = value->tensor, true;
  if (!look_number(value)) return false;
  if (value->kind == SymKind::kNumber || (value->kind == SymKind::kSize && sizes_.open())) {
    *out = heap_.scalar_input(value);
    return true;
  }
  if (!look(value)) return false;
  if (const SymRef plain = plain_value(*this, value); plain != value) return to_val(plain, out);
  if (value->is_tensor()) {
    *out = value->tensor;
    return true;
  }
  if (is_numpy_scalar(value)) {
    Tensor scalar;
    if (!tensor_from_object(value->object.get(), "jit", &scalar))
      return PyErr_Clear(), fail(BreakReason::kOpArguments, describe(*value));
    *out = sink_.constant(std::move(scalar));
    return true;
  }
  if (value->kind == SymKind::kConst) {
    PyObject* object = value->object.get();
    if (PyBool_Check(object)) {
      *out = sink_.constant(Tensor::scalar<bool>(object == Py_True, true));
      return true;
    }
    if (PyLong_CheckExact(object)) {
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
      if (overflow) return fail(BreakReason::kOpArguments, "an int beyond 64 bits");
      *out = sink_.constant(Tensor::scalar<int64_t>(number, true));
      return true;
    }
    if (PyFloat_CheckExact(object)) {
      *out = sink_.constant(Tensor::scalar<double>(PyFloat_AS_DOUBLE(object), true));
      return true;
    }
  }
  return fail(BreakReason::kOpArguments, describe(*value));
}

}  // namespace msjit
