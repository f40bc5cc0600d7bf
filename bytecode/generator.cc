// Generators made and consumed inside a region. Their frame runs symbolically, interleaved with the
// consumer's, up to the next item. A generator that is not finished when the region ends cannot be
// rebuilt; the region then ends before it was made.
#include <cstring>

#include "bytecode/instance.h"
#include "bytecode/values/iterators.h"
#include "bytecode/versions/version.h"

namespace msjit {

const IterKind iter_generator = {.next = nullptr};  // Executor::next() resumes the generator

SymRef Executor::new_generator(SymFrame frame) {
  SymRef sym = new_iterator(iter_generator, {});
  sym->iterator->generator = std::make_shared<SymGenerator>();
  sym->iterator->generator->frame = std::move(frame);
  generators_.push_back(sym);
  return sym;
}

const char* generator_name(const SymGenerator& generator) {
  const char* name = utf8_text(generator.frame.code->code()->co_name);
  return name ? name : "?";
}

namespace {

bool is_delegating(const SymFrame& frame) {
  const int at = frame.suspended_at;
  return (*frame.code)[at].op == Op::kYieldFrom ||
         (at > 0 && (*frame.code)[at - 1].op == Op::kSend);
}

// Prepares the frame for what its `yield` does next: give the value `sent`, or raise `thrown`.
// False, and failed: it cannot.
bool prepare_yield(Executor& x, SymGenerator& generator, const SymRef& sent, const SymRef& thrown) {
  SymFrame& frame = generator.frame;
  if (thrown) {
    if (is_delegating(frame)) return x.fail(BreakReason::kGenerator, "throw() through yield from");
    frame.pc = frame.suspended_at;
  } else if (generator.started) {
    frame.push(sent);
  } else if (!sent->is_const(Py_None)) {
    return x.fail(BreakReason::kRaises, "a value sent to a new generator");
  }
  return true;
}

bool is_stop_iteration(const SymRef& exception) {
  return PyType_IsSubtype(type_of(*exception),
                          reinterpret_cast<PyTypeObject*>(PyExc_StopIteration));
}

}  // namespace

// Raises an exception at the instruction where the frame is suspended.
bool Executor::run_from_handler(SymFrame& frame, const SymRef& exception) {
  SymFrame* const caller = current_;
  current_ = &frame;
  const bool raises = !raise(exception, type_of(*exception)->tp_name) && raised_;
  const bool caught = raises && unwind(frame);
  current_ = caller;
  if (!caught) return raises && !has_handler() ? fail(BreakReason::kRaises, raised_text_) : false;
  frame.pc = frame.next;
  return run(frame);
}

// Runs a generator to its next item. `sent` is the value of its `yield`. At the end, `out` is the
// value it returned.
bool Executor::resume_generator(const SymRef& sym, const SymRef& sent, SymRef* out, bool* done,
                                const SymRef& thrown) {
  // Keeps the frame alive while it runs, even if the value is dropped.
  const std::shared_ptr<SymGenerator> generator = sym->iterator->generator;
  SymFrame& frame = generator->frame;
  if (generator->running) return fail(BreakReason::kRaises, "a generator that runs already");
  *done = generator->finished;
  if (thrown && (generator->finished || !generator->started)) {
    generator->finished = true;
    return raise(thrown, type_of(*thrown)->tp_name);
  }
  if (generator->finished) return *out = make_const(Ref::none()), true;
  if (depth_ >= limits_.inline_depth)
    return fail(BreakReason::kInlineDepth, generator_name(*generator));
  if (!prepare_yield(*this, *generator, sent, thrown)) return false;
  generator->started = generator->running = true;
  ++sym->iterator->position;  // so that HeapMark sees the change
  frame.parent = current_;
  ++depth_;
  const bool ran = thrown ? run_from_handler(frame, thrown) : run(frame);
  --depth_;
  generator->running = false;
  if (!ran) {
    generator->finished = true;
    // A StopIteration that leaves a generator becomes a RuntimeError.
    return raised_ && is_stop_iteration(raised_) ? raise_ends() : false;
  }
  *done = generator->finished = frame.result != nullptr;
  *out = *done ? frame.result : std::move(frame.yielded);
  frame.yielded = nullptr;
  for (const Handled& handled : handled_)
    if (handled.frame == &frame)
      return fail(BreakReason::kGenerator, "a yield in an exception handler");
  return true;
}

// Dropping a generator that is suspended in a `try` runs its handlers. So such a generator must
// neither outlive the region nor be dropped in it.
SymRef Executor::unfinished_generator() const {
  for (const SymRef& sym : generators_) {
    const SymGenerator& generator = *sym->iterator->generator;
    if (generator.started && !generator.finished &&
        generator.frame.code->handler(generator.frame.suspended_at))
      return sym;
  }
  return nullptr;
}

bool exec_YieldValue(Executor&, SymFrame& f, const Instr&) {
  f.suspended_at = f.pc;
  f.yielded = f.pop();
  return true;
}

namespace {

// One step of `yield from`: an item of the inner iterator, or at its end what it returned.
bool delegate(Executor& x, const SymRef& iterator, const SymRef& sent, SymRef* out, bool* done) {
  if (iterator->kind == SymKind::kIterator && iterator->iterator->generator)
    return x.resume_generator(iterator, sent, out, done);
  if (!sent->is_const(Py_None)) return x.fail(BreakReason::kGenerator, "send() through yield from");
  if (iterator->kind == SymKind::kObject)  // its StopIteration may carry a value
    return x.fail(BreakReason::kGenerator, "yield from " + describe(*iterator));
  if (!x.next(iterator, out, done)) return false;
  if (*done) *out = make_const(Ref::none());
  return true;
}

}  // namespace

bool exec_GetYieldFromIter(Executor& x, SymFrame& f, const Instr&) {
  SymRef iterator;
  if (!x.iterate(f.peek(1), &iterator)) return false;
  f.peek(1) = std::move(iterator);
  return true;
}

// The instruction runs again after each item, with the sent value on top.
bool exec_YieldFrom(Executor& x, SymFrame& f, const Instr&) {
  const SymRef sent = f.pop();
  SymRef item;
  bool done = false;
  if (!x.look(f.peek(1)) || !delegate(x, f.peek(1), sent, &item, &done)) return false;
  if (done) {
    f.peek(1) = std::move(item);
    return true;
  }
  f.suspended_at = f.pc;
  f.yielded = std::move(item);
  f.next = f.pc;
  return true;
}

bool exec_Send(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef sent = f.pop();
  SymRef item;
  bool done = false;
  if (!x.look(f.peek(1)) || !delegate(x, f.peek(1), sent, &item, &done)) return false;
  if (done) {
    f.pop();
    f.next = i.target;
  }
  f.push(std::move(item));
  return true;
}

namespace {

using Args = const std::vector<SymRef>&;

// The generator has returned a value: raises StopIteration. Always false.
bool ended_with(Executor& x, const SymRef& value, const char* where) {
  std::vector<SymRef> result;
  if (!value->is_const(Py_None)) result.push_back(value);
  return x.raise_new(PyExc_StopIteration, std::move(result), where);
}

bool generator_send(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool done = false;
  if (names || args.size() != 2 || !x.look(args[1]))
    return x.fail(BreakReason::kCallUnknown, "generator.send with these arguments");
  if (!x.resume_generator(args[0], args[1], out, &done)) return false;
  return !done || ended_with(x, *out, "generator.send");
}

bool generator_next(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> with_none = args;
  with_none.push_back(make_const(Ref::none()));
  return generator_send(x, with_none, names, out);
}

// The exception of throw(): its argument is an exception made in the region, or an exception class.
// Up to 3.11 contextlib calls it with a class, an instance and a traceback; nothing in a region can
// look at the traceback.
bool thrown_value(Executor& x, Args args, SymRef* out) {
  if (args.size() == 2) return raised_value(x, args[1], out);
  if (args.size() != 4 || version::kThrowWarns || !x.look(args[1]) || !x.look(args[2]) ||
      !x.look(args[3]) || args[1]->kind != SymKind::kConst || !args[2]->cls ||
      !args[1]->object.is(args[2]->cls.get()))
    return x.fail(BreakReason::kCallUnknown, "generator.throw with these arguments");
  return raised_value(x, args[2], out);
}

bool generator_throw(Executor& x, Args args, PyObject* names, SymRef* out) {
  SymRef exception;
  if (names) return x.fail(BreakReason::kCallUnknown, "generator.throw with these arguments");
  if (!thrown_value(x, args, &exception)) return false;
  if (PyType_IsSubtype(type_of(*exception), reinterpret_cast<PyTypeObject*>(PyExc_StopIteration)))
    return x.fail(BreakReason::kGenerator, "throw() of a StopIteration");
  bool done = false;
  if (!x.resume_generator(args[0], nullptr, out, &done, exception)) return false;
  return !done || ended_with(x, *out, "generator.throw");
}

// close() raises GeneratorExit in a generator that is suspended in a `try` block.
bool generator_close(Executor& x, Args args, PyObject* names, SymRef* out) {
  SymGenerator& generator = *args[0]->iterator->generator;
  if (names || args.size() != 1 || generator.running)
    return x.fail(BreakReason::kGenerator, generator_name(generator));
  *out = make_const(Ref::none());
  if (!generator.started || generator.finished ||
      !generator.frame.code->handler(generator.frame.suspended_at))
    return generator.finished = true;
  SymRef result;
  bool done = false, ran = false;
  {
    const Executor::Catching catching(x);
    SymRef leaves = make_sym(SymKind::kObject);
    leaves->cls = Ref::share(PyExc_GeneratorExit);
    leaves->born = x.root_step();
    leaves->attributes.emplace_back("args", make_items(SymKind::kTuple, {}));
    ran = x.resume_generator(args[0], nullptr, &result, &done, leaves);
  }
  if (!ran) return x.take_raised(PyExc_GeneratorExit) ? true : x.raise_on();
  if (done && result->is_const(Py_None))
    return true;  // from 3.13 on close() gives what it returned
  return x.fail(BreakReason::kGenerator, generator_name(generator));
}

}  // namespace

BuiltinModel find_generator_method(const SymRef& self, const char* name) {
  if (!self->iterator->generator) return nullptr;
  if (std::strcmp(name, "send") == 0) return generator_send;
  if (std::strcmp(name, "__next__") == 0) return generator_next;
  if (std::strcmp(name, "throw") == 0) return generator_throw;
  return std::strcmp(name, "close") == 0 ? generator_close : nullptr;
}

}  // namespace msjit
