// Models of the methods of numpy.random.RandomState, and so of numpy.random.rand() and the like. A
// call with known arguments gives a number, or an array whose dtype and shape are the same each
// time. While capturing, another generator makes such a call to find these out.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/known_arrays.h"
#include "bytecode/values/tensor_array.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/legacy_generator.h"

namespace msjit {
namespace {

// Methods that only draw and compute.
const char* const kDrawing[] = {"beta",
                                "binomial",
                                "chisquare",
                                "exponential",
                                "gamma",
                                "gumbel",
                                "laplace",
                                "normal",
                                "poisson",
                                "rand",
                                "randint",
                                "randn",
                                "random",
                                "random_sample",
                                "uniform",
                                "standard_normal",
                                "permutation",
                                "choice",
                                "standard_exponential"};

// A generator of our own; null without memory.
PyObject* spare_generator() {
  static PyObject* const made =
      host::call(host::checked, PyObject_CallFunctionObjArgs,
                 reinterpret_cast<PyObject*>(legacy_generator_type()), Py_None, nullptr);
  if (!made) PyErr_Clear();
  return made;
}

// The arguments of a call as objects, without the generator. False: they are not known.
bool known_arguments(Executor& x, Args args, PyObject* names, Draw* draw) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t count = args.size() - keywords;
  draw->arguments = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(count - 1))));
  draw->keywords = keywords ? allocated(Ref::steal(PyDict_New())) : Ref();
  for (size_t i = 1; i < args.size(); ++i) {
    if (!x.look(args[i])) return false;
    Ref value = to_python(x, args[i]);
    if (!value) {
      PyErr_Clear();
      return x.fail(BreakReason::kCallUnknown, "a draw of NumPy with " + describe(*args[i]));
    }
    if (i < count)
      PyTuple_SET_ITEM(draw->arguments.get(), static_cast<Py_ssize_t>(i - 1), value.release());
    else if (host::call(host::values, PyDict_SetItem, draw->keywords.get(),
                        PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i - count)),
                        value.get()) < 0)
      return x.raise_python("a draw of NumPy");
  }
  return true;
}

SymRef drawn_array(Executor& x, const Draw& draw) {
  const int index = static_cast<int>(x.heap().draws().size());
  const SymRef tensor = make_tensor(x.heap().draw_input(draw));
  SymRef made = make_items(SymKind::kTensorArray, {tensor});
  made->tensor = tensor->tensor;
  made->draw = index;
  made->born = std::max(x.root_step(), 0);
  return made;
}

// Finds out what the call gives. False: something that no graph can take.
bool find_result(PyObject* result, Draw* draw) {
  draw->is_array = is_ndarray(result);
  if (PyFloat_CheckExact(result)) return draw->meta = Meta{DType::kFloat64, true, {}}, true;
  if (PyLong_CheckExact(result)) return draw->meta = Meta{DType::kInt64, true, {}}, true;
  Tensor elements;
  if (!draw->is_array || !tensor_from_buffer(result, "Tensor", true, &elements))
    return PyErr_Clear(), false;
  draw->meta = elements.meta();
  return elements.numel() > 0;
}

}  // namespace

bool is_legacy_method(PyObject* object) {
  static const PyTypeObject* type = nullptr;
  static std::vector<PyObject*> methods;  // the class is never freed
  PyTypeObject* const now = legacy_generator_type();
  if (now && now != type) {
    type = now;
    for (const char* name : kDrawing)
      if (PyObject* const found = host::find_name(now->tp_dict, name)) methods.push_back(found);
  }
  return type && std::ranges::find(methods, object) != methods.end();
}

bool call_legacy(Executor& x, PyObject* method, Args args, PyObject* names, SymRef* out) {
  const auto refuse = [&](const char* why) {
    return x.fail(BreakReason::kCallUnknown, fmt::format("a draw of NumPy ({})", why));
  };
  if (args.empty() || !x.look(args[0])) return args.empty() ? refuse("no generator") : false;
  const SymRef& self = args[0];
  if (x.strict() || self->kind != SymKind::kObject || self->source == kNoSource ||
      type_of(*self) != legacy_generator_type() || !spare_generator())
    return refuse(describe(*self).c_str());
  if (x.in_arm()) return refuse("in a branch or a loop on a tensor");
  Draw draw{Draw::Kind::kCall, self->source};
  draw.function = Ref::share(method);
  if (!known_arguments(x, args, names, &draw)) return false;
  const Ref result = draw_by_call(draw, spare_generator());
  if (!result) return PyErr_Clear(), x.fail(BreakReason::kRaises, "a draw of NumPy");
  if (!find_result(result.get(), &draw)) return refuse(Py_TYPE(result.get())->tp_name);
  *out = draw.is_array ? drawn_array(x, draw) : drawn_number(x, draw);
  return true;
}

}  // namespace msjit
