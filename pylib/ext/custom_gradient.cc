#include "pylib/ext/custom_gradient.h"

#include <memory>
#include <string>
#include <vector>

#include "guards/py/host_call.h"
#include "kernels/eager/ordered_steps.h"
#include "kernels/eager/tape.h"
#include "pylib/ext/autograd.h"
#include "pylib/ext/boundary.h"

namespace msjit {
namespace {

// A tuple of Tensors; a null handle is None.
Ref tensor_tuple(std::span<const Tensor> tensors) {
  Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; tuple && i < tensors.size(); ++i) {
    Ref item = tensors[i] ? wrap_tensor(tensors[i]) : Ref::none();
    if (!item) return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.release());
  }
  return tuple;
}

// A step of the tape whose gradient is `function(inputs, outputs, gradients of outputs)`. Backward
// passes run without the GIL, and the step may be destroyed without it.
class PythonBackward final : public CustomBackward {
 public:
  PythonBackward(std::string name, Ref function, bool reads)
      : name_(std::move(name)), function_(std::move(function)), reads_(reads) {}

  const char* name() const override { return name_.c_str(); }
  bool reads_input(size_t, const BackwardRequest&) const override { return reads_; }
  bool reads_output(size_t, const BackwardRequest&) const override { return reads_; }

  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                  const BackwardRequest& request) override {
    const GilAcquire locked;
    std::vector<Tensor> grads;
    if (!ask(inputs, outputs, request.output_grads, &grads))
      return runtime_error("[{}] the gradient raises", name_);
    return grads;
  }

 private:
  bool ask(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           std::span<const Tensor> output_grads, std::vector<Tensor>* grads) const {
    Ref in = tensor_tuple(inputs), out = tensor_tuple(outputs), given = tensor_tuple(output_grads);
    if (!in || !out || !given) return false;
    Ref result = outlive_interpreter([&] {
      return Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs, function_.get(),
                                   in.get(), out.get(), given.get(), nullptr));
    });
    return result && read_tensors(result.get(), name_, "gradients", true, grads);
  }

  const std::string name_;
  Kept function_;
  const bool reads_;
};

// record_gradient(name, function, inputs, outputs, reads=True) -> new Tensors with the values of
// `outputs`. If an input is tracked, they are recorded as the results of one step with the gradient
// `function`. `reads`: the function reads the values of inputs and outputs, so these must not be
// written to before it runs.
Ref record_gradient(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"name",    "function", "inputs",
                                           "outputs", "reads",    nullptr};
  PyObject* a[5];
  std::vector<Tensor> inputs, outputs;
  if (!parse_args(args, "record_gradient", kNames, 4, a)) return {};
  const char* name = PyUnicode_Check(a[0]) ? PyUnicode_AsUTF8(a[0]) : nullptr;
  if (!name) {
    PyErr_Clear();
    return Ref::steal(
        raise(*type_error("[record_gradient] name, got {}, expected a str", type_name(a[0]))));
  }
  if (!read_tensors(a[2], "record_gradient", "input", false, &inputs) ||
      !read_tensors(a[3], "record_gradient", "output", false, &outputs))
    return {};
  for (Tensor& t : outputs) t = t.detach();
  if (any_tracked(inputs)) {
    if (!succeeded(check_history(name, inputs))) return {};
    record_ordered(
        std::make_shared<PythonBackward>(name, Ref::share(a[1]), !a[4] || a[4] == Py_True), inputs,
        outputs);
  }
  Ref made = tensor_tuple(outputs);
  for (PyObject* sources : {a[3], a[2]})
    if (made && (PyTuple_Check(sources) || PyList_Check(sources)))
      note_sharing(
          {PySequence_Fast_ITEMS(sources), static_cast<size_t>(PySequence_Fast_GET_SIZE(sources))},
          made.get());
  return made;
}

bool holds_tracked(PyObject* value) {
  if (is_tensor(value)) return is_tracked(tensor_of(value));
  if (PyTuple_Check(value) || PyList_Check(value)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
      if (holds_tracked(PySequence_Fast_GET_ITEM(value, i))) return true;
  } else if (PyDict_Check(value)) {
    PyObject* item = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(value, &at, nullptr, &item);)
      if (holds_tracked(item)) return true;
  }
  return false;
}

// records(args, kwargs): whether a call with these arguments has to be recorded, because a gradient
// transform is active or the user tracks an argument.
Ref records(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"args", "kwargs", nullptr};
  PyObject* a[2];
  if (!parse_args(args, "records", kNames, 2, a)) return {};
  const bool recorded =
      gradients_asked() || (grad_recording() && (holds_tracked(a[0]) || holds_tracked(a[1])));
  return Ref::share(recorded ? Py_True : Py_False);
}

// become(tensor, other): gives the Python object `tensor` the value and the history of `other`.
// Results computed from it earlier keep the old history. Only for the result of an operation.
Ref become(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"tensor", "other", nullptr};
  PyObject* a[2];
  if (!parse_args(args, "become", kNames, 2, a)) return {};
  if (!is_tensor(a[0]) || !is_tensor(a[1]))
    return Ref::steal(raise(*type_error("[become] operands, got {} and {}, expected Tensors",
                                        type_name(a[0]), type_name(a[1]))));
  const Tensor &old = tensor_of(a[0]), &other = tensor_of(a[1]);
  if (!(old.shape() == other.shape()) || old.dtype() != other.dtype())
    return Ref::steal(raise(*value_error("[become] other must have the same shape and dtype")));
  if (!old.autograd() || !old.autograd()->node)
    return Ref::steal(raise(*not_implemented_error(
        "[register_hook] tensor, got an input or Parameter, expected the result of an operation")));
  tensor_of(a[0]) = Tensor(other);
  return Ref::share(a[0]);
}

}  // namespace

PyMethodDef g_custom_gradient_functions[] = {
    method<record_gradient>(
        "record_gradient",
        "record_gradient(name, function, inputs, outputs, reads=True)\n--\n\nRecords a "
        "step whose gradient is a function."),
    method<records>("records",
                    "records(args, kwargs)\n--\n\nWhether a call with these arguments is recorded "
                    "where gradients are its own."),
    method<become>("become",
                   "become(tensor, other)\n--\n\nLets a tensor object stand for another tensor."),
    {nullptr}};

}  // namespace msjit
