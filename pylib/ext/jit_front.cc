#include "pylib/ext/jit_front.h"

#include "guards/cache.h"
#include "guards/py/compat.h"
#include "guards/py/host_call.h"
#include "interp_hook/driver.h"
#include "pylib/ext/boundary.h"

namespace msjit {

thread_local int GraphCall::depth = 0;

namespace {

// Functions of msjit.psjit, given to set_front_end(). They live as long as the module.
PyObject* check_function = nullptr;
PyObject* refuse_function = nullptr;

Ref call(PyObject* function, std::initializer_list<PyObject*> arguments) {
  if (!function) {
    PyErr_SetString(PyExc_SystemError, "[jit] msjit is not imported yet");
    return {};
  }
  return host::call(host::program, compat::vectorcall, function, arguments.begin(),
                    arguments.size(), nullptr);
}

// (code, offset, "file:line" of what it called or an empty text)
Ref place_object(const UserPlace& place) {
  const Ref offset = Ref::steal(PyLong_FromLong(place.offset)), beyond = text_object(place.beyond);
  if (!offset || !beyond) return {};
  return Ref::steal(PyTuple_Pack(3, place.code, offset.get(), beyond.get()));
}

SourceCheck check_inlined(const InlinedCode& inlined) {
  CodeState* const state = code_state(reinterpret_cast<PyCodeObject*>(inlined.code.get()));
  if (state && state->in_language) return SourceCheck::kKnown;
  if (!check_source(inlined.code.get(), SyntaxLevel::kStrict, &inlined.call))
    return SourceCheck::kFailed;
  // Without a state the result cannot be noted. kPassed would make the driver capture and ask again
  // without end.
  if (!state) return SourceCheck::kKnown;
  state->in_language = true;
  return SourceCheck::kPassed;
}

void refuse(const UserPlace& place, const std::string& function, const char* reason,
            const std::string& text) {
  const Ref at = place_object(place);
  const Ref name = text_object(function), kind = text_object(reason), what = text_object(text),
            cure = text_object(break_cure_of(reason, true));
  if (!at || !name || !kind || !what || !cure) return;
  if (call(refuse_function, {at.get(), name.get(), kind.get(), what.get(), cure.get()}))
    PyErr_SetString(PyExc_SystemError, text.c_str());  // it should have raised
}

Ref set_front_end(PyObject*, const Args& args) {
  static const char* const names[] = {"check", "refuse", nullptr};
  PyObject* values[2];
  if (!parse_args(args, "set_front_end", names, 2, values)) return {};
  check_function = Ref(Ref::share(values[0])).release();
  refuse_function = Ref(Ref::share(values[1])).release();
  return Ref::none();
}

Ref set_strict_syntax(PyObject*, PyObject* strict) {
  const int value = host::call(host::program, PyObject_IsTrue, strict);
  if (value < 0) return {};
  g_strict_by_context = value;
  return Ref::none();
}

Ref captured(PyObject*) { return Ref::share(Py_False); }  // bytecode/builtins/own.cc

Ref in_graph_call(PyObject*) { return Ref::share(GraphCall::under_way() ? Py_True : Py_False); }

}  // namespace

bool check_source(PyObject* function, SyntaxLevel level, const UserPlace* call_place) {
  const Ref place = call_place ? place_object(*call_place) : Ref::none();
  PyObject* const strict = level == SyntaxLevel::kStrict ? Py_True : Py_False;
  return place && call(check_function, {function, strict, place.get()});
}

void add_front_end() { g_front_end = {check_inlined, refuse}; }

PyMethodDef g_front_end_functions[] = {
    method<set_front_end>("set_front_end",
                          "set_front_end(check, refuse): the functions of msjit.psjit that check a "
                          "function's source and raise CompileError for a break"),
    method1<set_strict_syntax>("set_strict_syntax",
                               "whether PSJit functions that name no syntax level are STRICT"),
    method0<in_graph_call>("in_graph_call",
                           "in_graph_call()\n--\n\nWhether a PSJit function is under way on this "
                           "thread, or being captured."),
    method0<captured>("captured",
                      "captured()\n--\n\nWhether this call is being captured, not run."),
    {nullptr}};

}  // namespace msjit
