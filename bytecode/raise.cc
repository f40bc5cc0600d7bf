// Exceptions of captured code. They go to a handler in the region (in this frame or a caller's), or
// to a model that catches them. An exception that nothing in the region catches ends it, and
// CPython raises it.
#include <algorithm>

#include "bytecode/instance.h"
#include "bytecode/versions/version.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"

namespace msjit {

bool Executor::has_handler() const {
  if (catching_ > 0) return true;
  for (const SymFrame* frame = current_; frame; frame = frame->parent)
    if (frame->code->handler(frame->pc)) return true;
  return false;
}

bool Executor::raise(const SymRef& exception, const std::string& what) {
  if (!has_handler()) return fail(BreakReason::kRaises, what);
  raised_ = exception;
  raised_text_ = what;
  return false;
}

bool Executor::raise_new(PyObject* type, const std::string& message) {
  if (!has_handler()) return fail(BreakReason::kRaises, message);
  return raise_new(type, {make_const(interned_text(message))}, message);
}

bool Executor::raise_new(PyObject* type, std::vector<SymRef> args, const std::string& what) {
  if (!has_handler()) return fail(BreakReason::kRaises, what);
  SymRef exception = make_sym(SymKind::kObject);
  exception->cls = Ref::share(type);
  exception->born = root_step_;
  exception->attributes.emplace_back("args", make_items(SymKind::kTuple, std::move(args)));
  return raise(exception, what);
}

bool Executor::raise_python(const std::string& what) {
  // Lack of memory now, or a call that the gate (host_call.h) has refused, is no exception of the
  // program.
  if (!has_handler() || PyErr_ExceptionMatches(PyExc_MemoryError) ||
      PyErr_ExceptionMatches(PyExc_SystemError))
    return PyErr_Clear(), fail(BreakReason::kRaises, what);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref owned[] = {Ref::steal(type), Ref::steal(value), Ref::steal(traceback)};
  Ref args =
      value ? Ref::steal(host::call(host::checked, PyObject_GetAttrString, value, "args")) : Ref();
  PyErr_Clear();
  if (!args || !PyTuple_CheckExact(args.get())) return fail(BreakReason::kRaises, what);
  std::vector<SymRef> symbols;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i)
    symbols.push_back(make_const(Ref::share(PyTuple_GET_ITEM(args.get(), i))));
  return raise_new(type, std::move(symbols), what);
}

SymRef Executor::take_raised(PyObject* type) {
  if (!raised_ || !PyType_IsSubtype(type_of(*raised_), reinterpret_cast<PyTypeObject*>(type)))
    return nullptr;
  return std::move(raised_);
}

bool Executor::raise_on() {
  if (!raised_ || has_handler()) return false;
  return fail(BreakReason::kRaises, raised_text_);
}

bool Executor::raise_ends() { return raised_ ? fail(BreakReason::kRaises, raised_text_) : false; }

// Moves a frame to the handler of its current instruction and pushes what CPython pushes. False
// when there is no handler: the frame is left, and at the outermost one the region ends.
bool Executor::unwind(SymFrame& frame) {
  const HandlerRange* handler = frame.code->handler(frame.pc);
  const size_t depth = handler ? static_cast<size_t>(handler->depth) : 0;
  std::erase_if(handled_, [&](const Handled& h) { return h.frame == &frame && h.level >= depth; });
  if (!handler) return frame.parent ? false : fail(BreakReason::kRaises, raised_text_);
  SymRef exception = std::move(raised_);
  raised_ = nullptr;
  frame.stack.resize(depth);
  if (handler->lasti) frame.push(make_const(Ref::steal(PyLong_FromLong(0))));
  if (version::kHandlerItems > 1) {  // traceback, value and type: the old ones, then the new
    handled_.push_back({&frame, depth, exception});
    for (int i = 0; i < 3; ++i) frame.push(make_const(Ref::none()));
    SymRef traceback = make_sym(SymKind::kObject);
    traceback->cls = Ref::share(reinterpret_cast<PyObject*>(&PyTraceBack_Type));
    traceback->born = root_step_;
    frame.push(std::move(traceback));
    frame.push(exception);
    frame.push(make_const(exception->cls));
  } else {
    frame.push(std::move(exception));
  }
  frame.next = handler->target;
  return true;
}

int Executor::exit_before(int step) const {
  const auto above = std::upper_bound(exits_.begin(), exits_.end(), step);
  return above == exits_.begin() ? -1 : above[-1];
}

}  // namespace msjit
