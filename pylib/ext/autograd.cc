#include "pylib/ext/autograd.h"

#include <memory>
#include <vector>

#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "kernels/core/thread_stack.h"
#include "kernels/cpu/packed.h"
#include "kernels/eager/tape.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/custom_gradient.h"

namespace msjit {

bool read_tensors(PyObject* sequence, const std::string& where, const char* what, bool optional,
                  std::vector<Tensor>* out) {
  if (!PyTuple_Check(sequence) && !PyList_Check(sequence))
    return fail(type_error("[{}] {}, got {}, expected a tuple", where, what, type_name(sequence)));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
    if (is_tensor(item))
      out->push_back(tensor_of(item));
    else if (item == Py_None && optional)
      out->emplace_back();
    else
      return fail(type_error("[{}] {}, got {}, expected a Tensor", where, what, type_name(item)));
  }
  return true;
}
namespace {

// Gradient scopes opened from Python, which closes each of them in a `finally`.
thread_local constinit ThreadStack<GradScope> t_scopes;

Ref push_grad_scope(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"recording", nullptr};
  PyObject* a[1];
  if (!parse_args(args, "push_grad_scope", kNames, 0, a)) return {};
  bool recording = true;
  if (!truth_from_object(a[0], true, &recording)) return {};
  t_scopes.emplace(recording);
  return Ref::none();
}
Ref pop_grad_scope(PyObject*) {
  if (t_scopes.empty())
    return Ref::steal(
        raise(*runtime_error("[pop_grad_scope] open scopes, got 0, expected at least 1")));
  t_scopes.pop();
  return Ref::none();
}
Ref level(PyObject*) { return Ref::steal(PyLong_FromLong(grad_level())); }
Ref recording(PyObject*) { return Ref::share(grad_recording() ? Py_True : Py_False); }

// gradients(outputs, seeds, wrt, create_graph=False) -> tuple of Tensors
Ref gradients_function(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"outputs", "seeds", "wrt", "create_graph", nullptr};
  PyObject* a[4];
  if (!parse_args(args, "gradients", kNames, 3, a)) return {};
  std::vector<Tensor> outputs, seeds, wrt;
  bool create_graph = false;
  if (!truth_from_object(a[3], false, &create_graph)) return {};
  if (!read_tensors(a[0], "grad", "output", false, &outputs) ||
      !read_tensors(a[2], "grad", "input", false, &wrt))
    return {};
  if (a[1] != Py_None && !read_tensors(a[1], "grad", "seed", true, &seeds)) return {};
  if (!seeds.empty() && seeds.size() != outputs.size())
    return Ref::steal(raise(
        *value_error("[grad] number of seeds, got {}, expected {}", seeds.size(), outputs.size())));
  auto result = gradients(outputs, seeds, wrt, create_graph);
  if (!result.ok()) return Ref::steal(raise_of_walk(result.error()));
  Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(wrt.size())));
  for (size_t i = 0; tuple && i < wrt.size(); ++i) {
    Ref item = wrap_tensor(std::move(result.value()[i]));
    if (!item) return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.release());
  }
  return tuple;
}

bool need_tensor(PyObject* object, const char* where) {
  return is_tensor(object) ||
         fail(type_error("[{}] argument, got {}, expected a Tensor", where, type_name(object)));
}

// mark_parameter(tensor, requires_grad=True): a Parameter, tracked inside grad transforms only.
Ref mark_parameter_function(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"tensor", "requires_grad", nullptr};
  PyObject* a[2];
  if (!parse_args(args, "mark_parameter", kNames, 1, a) || !need_tensor(a[0], "mark_parameter"))
    return {};
  bool requires_grad = true;
  if (!truth_from_object(a[1], true, &requires_grad)) return {};
  mark_parameter(tensor_of(a[0]), requires_grad);
  return Ref::none();
}

Ref alias(PyObject*, PyObject* tensor) {
  if (!need_tensor(tensor, "alias")) return {};
  return wrap_tensor(grad_input(tensor_of(tensor)));
}
Ref stand_in_function(PyObject*, PyObject* tensor) {
  if (!need_tensor(tensor, "stand_in")) return {};
  return wrap_tensor(stand_in(tensor_of(tensor)));
}
Ref is_tracked_function(PyObject*, PyObject* tensor) {
  if (!need_tensor(tensor, "is_tracked")) return {};
  return Ref::share(is_tracked(tensor_of(tensor)) ? Py_True : Py_False);
}
Ref detach(PyObject*, PyObject* tensor) {
  if (!need_tensor(tensor, "detach")) return {};
  return wrap_tensor(tensor_of(tensor).detach());
}
Ref is_floating(PyObject*, PyObject* tensor) {
  if (!need_tensor(tensor, "is_floating")) return {};
  return Ref::share(is_float(tensor_of(tensor).dtype()) ? Py_True : Py_False);
}
// A weight in another dtype, from the cache of converted weights (kernels/cpu/packed.h). A tracked
// weight goes through astype(), which the tape records.
Ref cast_weight(PyObject*, PyObject* args) {
  PyObject *tensor = nullptr, *wanted = nullptr;
  DType dtype;
  if (!PyArg_ParseTuple(args, "OO:cast_weight", &tensor, &wanted) ||
      !need_tensor(tensor, "cast_weight") || !dtype_from_object(wanted, "cast_weight", &dtype))
    return {};
  if (is_tracked(tensor_of(tensor)))
    return Ref::steal(
        host::call(host::program, PyObject_CallMethod, tensor, "astype", "O", wanted));
  auto made = packed::cast(tensor_of(tensor), dtype);
  return made.ok() ? wrap_tensor(made.take()) : Ref::steal(raise(*made.take_error()));
}
Ref live_nodes(PyObject*) { return Ref::steal(PyLong_FromLongLong(live_tape_nodes())); }

}  // namespace

PyMethodDef g_autograd_functions[] = {
    method<push_grad_scope>("push_grad_scope",
                            "push_grad_scope(recording=True)\n--\n\nOpens a gradient scope."),
    method0<pop_grad_scope>("pop_grad_scope",
                            "pop_grad_scope()\n--\n\nCloses the innermost scope."),
    method0<level>("grad_level", "grad_level()\n--\n\nNumber of enclosing gradient scopes."),
    method0<recording>("grad_recording", "grad_recording()\n--\n\nFalse inside no_grad."),
    method<gradients_function>(
        "gradients",
        "gradients(outputs, seeds, wrt, create_graph=False)\n--\n\nReverse walk of the tape."),
    method<mark_parameter_function>(
        "mark_parameter",
        "mark_parameter(tensor, requires_grad=True)\n--\n\nMakes a tensor a parameter."),
    method1<stand_in_function>(
        "stand_in", "stand_in(tensor)\n--\n\nAnother Tensor with the same data and history."),
    method1<alias>("alias", "alias(tensor)\n--\n\nA fresh leaf on the same data."),
    method1<is_tracked_function>(
        "is_tracked", "is_tracked(tensor)\n--\n\nWhether an op on the tensor would be recorded."),
    method1<detach>("detach", "detach(tensor)\n--\n\nThe same data without history."),
    method1<is_floating>("is_floating",
                         "is_floating(tensor)\n--\n\nWhether the elements are floats."),
    {"cast_weight", entry<cast_weight>, METH_VARARGS,
     "cast_weight(tensor, dtype)\n--\n\nIts values in another dtype, to be read only: the memory "
     "may be kept for later calls."},
    method0<live_nodes>("live_tape_nodes",
                        "live_tape_nodes()\n--\n\nTape nodes alive, for leak tests."),
    {nullptr}};

}  // namespace msjit
