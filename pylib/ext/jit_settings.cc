// Reports and limits of the bytecode JIT.
#include <limits>
#include <string_view>

#include "codegen/compile_queue.h"
#include "guards/py/host_call.h"
#include "interp_hook/config.h"
#include "interp_hook/driver.h"
#include "interp_hook/explain.h"
#include "interp_hook/hook.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/eager/unlocked.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"

namespace msjit {
namespace {

Ref parse_json(const std::string& text) {
  Ref json = Ref::steal(host::call(host::program, PyImport_ImportModule, "json"));
  Ref decoded = Ref::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
  return json && decoded ? Ref::steal(host::call(host::program, PyObject_CallMethod, json.get(),
                                                 "loads", "O", decoded.get()))
                         : Ref();
}

PyObject* explain_json(PyObject*, PyObject*) {
  return parse_json(explain_functions_json()).release();
}
PyObject* stats(PyObject*, PyObject*) { return parse_json(explain_totals_json()).release(); }

PyObject* explain_details(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  return code ? parse_json(explain_details_json(code)).release() : nullptr;
}

PyObject* wait_compiled(PyObject*, PyObject*) {
  without_lock([] { compile_queue_wait(); });
  return Ref::none().release();
}

// Marks all marked code again: the callback of an inert code object may have been disabled.
bool mark_again() {
  for (CodeState* state : all_code_states())
    if (FrameDoor door = hook::marked(state->code); door && !hook::mark(state->code, door))
      return false;
  return true;
}

PyObject* reset(PyObject*, PyObject*) {
  reset_code_states();
  if (!mark_again()) return nullptr;
  reset_eager_op_count();
  graph_op_count = 0;
  return Ref::none().release();
}

struct Setting {
  const char* name = nullptr;
  int* value = nullptr;
  int64_t* bytes = nullptr;  // instead of `value`

  int64_t get() const { return bytes ? *bytes : *value; }
  bool set(int64_t to) const {
    if (!bytes && to > std::numeric_limits<int>::max()) return false;
    if (bytes)
      *bytes = to;
    else
      *value = static_cast<int>(to);
    return true;
  }
};
Setting settings(int i) {
  JitConfig& c = jit_config();
  const Setting all[] = {{"inline_depth", &c.limits.inline_depth},
                         {"unroll", &c.limits.unroll},
                         {"max_ops", &c.limits.max_ops},
                         {"break_every", &c.limits.break_every},
                         {"max_entries_per_pc", &c.max_entries_per_pc},
                         {"idle_steps", &c.idle_steps},
                         {"pool_bytes", nullptr, &pool_limits().bytes}};
  return i < static_cast<int>(std::size(all)) ? all[i] : Setting{};
}

PyObject* config(PyObject*, PyObject*) {
  Ref values = Ref::steal(PyDict_New());
  for (int i = 0; values && settings(i).name; ++i) {
    Ref value = Ref::steal(PyLong_FromLongLong(settings(i).get()));
    if (!value || host::call(host::checked, PyDict_SetItemString, values.get(), settings(i).name,
                             value.get()) < 0)
      return nullptr;
  }
  if (values && host::call(host::checked, PyDict_SetItemString, values.get(), "enabled",
                           jit_config().enabled ? Py_True : Py_False) < 0)
    return nullptr;
  return values.release();
}

PyObject* set_config(PyObject*, PyObject* args) {
  const char* text = nullptr;
  long long value = 0;
  if (!PyArg_ParseTuple(args, "sL:set_config", &text, &value)) return nullptr;
  if (value < 0)
    return PyErr_Format(PyExc_ValueError, "[config] %s, got %lld, expected at least 0", text,
                        value);
  if (std::string_view(text) == "enabled") {
    jit_config().enabled = value != 0;
    return Ref::none().release();
  }
  for (int i = 0; settings(i).name; ++i) {
    if (std::string_view(settings(i).name) != text) continue;
    if (settings(i).set(value)) return Ref::none().release();
    return PyErr_Format(PyExc_ValueError, "[config] %s, got %lld, expected a smaller number", text,
                        value);
  }
  return PyErr_Format(PyExc_KeyError, "[config] unknown limit %s", text);
}

}  // namespace

void drop_all_captures() {
  drop_entries();
  if (!mark_again()) PyErr_Clear();
}

void pause_captures(bool begin) { begin ? begin_capture_pause() : end_capture_pause(); }

PyMethodDef g_settings_functions[] = {
    {"explain_json", entry<explain_json>, METH_NOARGS, "records of every function the JIT met"},
    {"explain_details", entry<explain_details>, METH_O,
     "guards, graph and plan of each region of a function"},
    {"stats", entry<stats>, METH_NOARGS, "totals over all functions"},
    {"wait_compiled", entry<wait_compiled>, METH_NOARGS, "waits until every graph has its kernels"},
    {"reset", entry<reset>, METH_NOARGS, "drops every compiled graph and every count"},
    {"config", entry<config>, METH_NOARGS, "the limits of the bytecode JIT"},
    {"set_config", entry<set_config>, METH_VARARGS, "sets one of them"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace msjit
