// `_msjit._debug`: looks inside the bytecode front end, for tests and dumps. Nothing of the product
// depends on it.
#include "pylib/ext/jit_debug.h"

#include <chrono>
#include <new>

#include "bytecode/cfg.h"
#include "bytecode/decode.h"
#include "bytecode/versions/version.h"
#include "guards/cache.h"
#include "guards/py/compat.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "interp_hook/hook.h"
#include "interp_hook/stepper.h"
#include "pylib/ext/boundary.h"

namespace msjit {
namespace {

PyObject* text(const std::string& string) {
  return PyUnicode_FromStringAndSize(string.data(), Py_ssize_t(string.size()));
}

// The code of a function or a code object; null with TypeError set otherwise.
PyCodeObject* code_of(PyObject* object) {
  if (PyFunction_Check(object)) return compat::function_code(object);
  if (PyCode_Check(object)) return (PyCodeObject*)object;
  raise(PyExc_TypeError, "[_debug] expected a function or a code object");
  return nullptr;
}

PyObject* debug_dump_bytecode(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  return code ? text(dump_bytecode(code)) : nullptr;
}

PyObject* debug_cfg(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  if (!code) return nullptr;
  auto decoded = decode(code);
  if (!decoded.ok()) return raise(decoded.error());
  return text(Cfg(*decoded.value()).dump());
}

// live(code) -> for each instruction the names of the live local slots.
PyObject* debug_live(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  if (!code) return nullptr;
  auto decoded = decode(code);
  if (!decoded.ok()) return raise(decoded.error());
  const DecodedCode& d = *decoded.value();
  const Liveness live(d);
  Ref rows = Ref::steal(PyList_New(0));
  for (int i = 0; rows && i < d.size(); i++) {
    Ref row = Ref::steal(PyList_New(0));
    for (int s = 0; row && s < d.slot_count(); s++)
      if (live.live_before(i, s) && PyList_Append(row.get(), d.slot_name(s).get()) < 0)
        return nullptr;
    if (!row || PyList_Append(rows.get(), row.get()) < 0) return nullptr;
  }
  return rows.release();
}

// flows(code) -> whether the code decodes and its stack depths are known; other code is CPython's.
PyObject* debug_flows(PyObject*, PyObject* code) {
  if (!PyCode_Check(code))
    return PyErr_Format(PyExc_TypeError, "expected a code object, got %s", Py_TYPE(code)->tp_name);
  auto decoded = decode(reinterpret_cast<PyCodeObject*>(code));
  return PyBool_FromLong(decoded.ok() && decoded.value()->flows());
}

// opcode_row(number) -> canonical name of the first operation, "Unsupported", or None when
// unmapped.
PyObject* debug_opcode_row(PyObject*, PyObject* number) {
  const long opcode = PyLong_AsLong(number);
  if (opcode == -1 && PyErr_Occurred()) return nullptr;
  if (opcode == version::kExtendedArg) return text("ExtendedArg");
  Ref code = Ref::steal((PyObject*)PyCode_NewEmpty("<debug>", "row", 1));
  if (!code) return nullptr;
  version::RawInstr raw;
  raw.opcode = int(opcode);
  raw.arg = 1;
  version::Emitter emitter((PyCodeObject*)code.get());
  emitter.begin(raw);
  if (!version::emit(raw, emitter)) Py_RETURN_NONE;
  return text(emitter.instrs().empty() ? "Folded" : op_name(emitter.instrs()[0].op));
}

PyObject* debug_ops(PyObject*, PyObject*) {
  Ref names = Ref::steal(PyList_New(0));
  for (int op = 0; names && op < kOpCount; op++) {
    const Ref name = Ref::steal(text(op_name(Op(op))));
    if (!name || PyList_Append(names.get(), name.get()) < 0) return nullptr;
  }
  return names.release();
}

// The request of resume_after, for the door that runs its frame.
struct StepRun {
  long left = 0;        // instructions to step before CPython takes over
  bool finish = false;  // return natively rather than through a RETURN_VALUE
  long stepped = 0;
  bool handed_over = false;
};
thread_local StepRun* step_run = nullptr;

PyObject* give_back(StepRun& run, FrameView& frame, const DecodedCode& code, int index) {
  run.handed_over = true;
  return hand_over(frame, code, index);
}

PyObject* step_door(FrameView& frame) {
  StepRun& run = *step_run;
  auto decoded = decode(frame.code());
  if (!decoded.ok()) return frame.resume();
  const DecodedCode& code = *decoded.value();
  if (!frame.prologue() || !frame.enter()) return nullptr;
  for (int index = code.entry();;) {
    if (run.stepped >= run.left && code[index].is_exit()) return give_back(run, frame, code, index);
    Step did = step(frame, code, index);
    run.stepped++;
    switch (did.kind) {
      case Step::kNext: index = did.next; break;
      case Step::kRaise: return unwind(frame, code, index);
      case Step::kHandOver: return give_back(run, frame, code, did.next);
      case Step::kReturn:
        if (run.finish || !code[index].is_exit()) return frame.finish(std::move(did.value));
        if (code[index].op != Op::kReturnConst) frame.push(std::move(did.value));
        return hand_over(frame, code, index);
    }
  }
}

// Steps a number of instructions that varies from frame to frame, then lets CPython run the rest.
PyObject* varying_door(FrameView& frame) {
  static thread_local unsigned frames_seen = 0;
  StepRun run;
  frames_seen++;
  run.left = long(frames_seen * 2654435761u >> 8) % (frames_seen % 4 ? 40 : 100000);
  run.finish = frames_seen % 3 == 0;
  StepRun* outer = std::exchange(step_run, &run);
  PyObject* result = step_door(frame);
  step_run = outer;
  return result;
}

// step_always(code): from now on every frame of the code runs partly in the stepper.
PyObject* debug_step_always(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  if (!code || !hook::initialize()) return nullptr;
  // Never disarmed, not even at exit.
  static const HookArm* const armed_for_good = new (std::nothrow) HookArm;
  if (!armed_for_good) return PyErr_NoMemory();
  if (!hook::mark(code, varying_door)) return nullptr;
  Py_RETURN_NONE;
}

// resume_after(f, n, finish, args, kwargs) -> (result, stepped, handed over): steps n instructions
// of this call of f, then lets CPython run the rest.
PyObject* debug_resume_after(PyObject*, PyObject* arguments) {
  PyObject *function, *args, *keywords;
  StepRun run;
  int finish = 0;
  if (!PyArg_ParseTuple(arguments, "O!lpO!O!", &PyFunction_Type, &function, &run.left, &finish,
                        &PyTuple_Type, &args, &PyDict_Type, &keywords))
    return nullptr;
  run.finish = finish;
  if (!hook::initialize()) return nullptr;
  StepRun* outer = std::exchange(step_run, &run);
  NextFrame request(compat::function_code(function), step_door);
  const Ref result = Ref::steal(host::call(host::program, PyObject_Call, function, args, keywords));
  step_run = outer;
  if (!result) return nullptr;
  return Py_BuildValue("OlO", result.get(), run.stepped, run.handed_over ? Py_True : Py_False);
}

// check_cost(f, args, times) -> (ns for each of that many checks of the latest entry at the start
// of f, bytes of the entry); None when there is no entry or its guards do not hold.
PyObject* debug_check_cost(PyObject*, PyObject* arguments) {
  PyObject *function, *args;
  int times = 0;
  if (!PyArg_ParseTuple(arguments, "O!O!i", &PyFunction_Type, &function, &PyTuple_Type, &args,
                        &times))
    return nullptr;
  CodeState* state = find_code_state(compat::function_code(function));
  auto decoded = decode(compat::function_code(function));
  if (!state || !state->start || state->start->entries.empty() || !decoded.ok()) Py_RETURN_NONE;
  std::vector<PyObject*> locals(decoded.value()->slot_count());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) locals[i] = PyTuple_GET_ITEM(args, i);
  if (PyObject* closure = PyFunction_GET_CLOSURE(function))
    for (Py_ssize_t i = 0, n = PyTuple_GET_SIZE(closure); i < n; ++i)
      locals[locals.size() - n + i] = PyTuple_GET_ITEM(closure, i);
  PyObject* const builtins = compat::function_builtins(function);
  if (!builtins) Py_RETURN_NONE;
  const Slots slots{as_slots(locals.data()), nullptr, PyFunction_GET_GLOBALS(function), builtins};
  const RegionRun keep;
  const EntryBase& entry = *state->start->entries.front();
  std::vector<PyObject*> registers(entry.guards.register_count());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i)
    if (entry.guards.check(slots, registers.data()) >= 0) Py_RETURN_NONE;
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  return Py_BuildValue("dL", taken.count() / times, static_cast<long long>(entry.bytes()));
}

PyMethodDef kMethods[] = {
    {"check_cost", entry<debug_check_cost>, METH_VARARGS,
     "Time of the guards of a captured function."},
    {"dump_bytecode", entry<debug_dump_bytecode>, METH_O,
     "Canonical instructions of a function or code."},
    {"cfg", entry<debug_cfg>, METH_O, "Control-flow graph of a function or code."},
    {"live", entry<debug_live>, METH_O, "Live local slots before each instruction."},
    {"flows", entry<debug_flows>, METH_O, "Whether a code object's stack depths are known."},
    {"opcode_row", entry<debug_opcode_row>, METH_O, "How a raw opcode is mapped."},
    {"ops", entry<debug_ops>, METH_NOARGS, "Names of all canonical operations."},
    {"resume_after", entry<debug_resume_after>, METH_VARARGS, "Runs a call partly in the stepper."},
    {"step_always", entry<debug_step_always>, METH_O,
     "Runs every later frame of a code partly in the stepper."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "msjit._msjit._debug",
                       nullptr,
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace

bool add_debug_module(PyObject* parent) {
  return compat::add_object(parent, "_debug", Ref::steal(PyModule_Create(&kModule))) == 0;
}

}  // namespace msjit
