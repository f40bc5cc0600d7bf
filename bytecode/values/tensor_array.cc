#include "bytecode/values/tensor_array.h"

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/exit.h"
#include "bytecode/numpy_dtypes.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/build.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

bool array_refuse(Executor& x, const SymRef& value) {
  if (value->kind == SymKind::kTensorArray && drawn_in(value))
    return refuse_drawn(x, value, "a use of an array that is drawn anew in each call");
  return x.fail(BreakReason::kTensorValue, "a NumPy array of a tensor");
}

bool is_current(const SymValue& array) { return array.items[0]->tensor.id() == array.tensor.id(); }

// The number in the array. The array shows later writes to its tensor, so the number is known only
// if there was none.
bool number(Executor& x, const SymRef& array, PyTypeObject* type, SymRef* out) {
  return is_current(*array) ? number_of_tensor(x, array->items[0], type, out) : x.look(array);
}

bool model_item(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  return positional(x, "item", args, names, 1, 1) && number(x, args[0], nullptr, out);
}

// tolist() of a 0-d array is a number, of others nested lists.
bool model_tolist(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  if (args[0]->tensor.rank() != 0) return x.look(args[0]);
  return positional(x, "tolist", args, names, 1, 1) && number(x, args[0], nullptr, out);
}

// The dtype that NumPy takes a class or a text for. False: none of those known here.
bool dtype_of_numpy(PyObject* object, DType* out) {
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return *out = DType::kFloat64, true;
  const bool text =
      PyUnicode_CheckExact(object) && (PyUnicode_CompareWithASCIIString(object, "float32") == 0 ||
                                       PyUnicode_CompareWithASCIIString(object, "float64") == 0);
  if (!text && !is_numpy_scalar_type(object)) return false;
  return dtype_from_object(object, "astype", out) || (PyErr_Clear(), false);
}

// array.astype(dtype) of floats as floats, which rounds as a cast of the tensor does: a new array.
bool model_astype(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  const SymRef& array = args[0];
  DType wanted = DType::kFloat32;
  if (names || args.size() != 2 || x.strict() || !is_current(*array)) return x.look(array);
  if (!x.look(args[1])) return false;
  if (args[1]->kind != SymKind::kConst || !dtype_of_numpy(args[1]->object.get(), &wanted))
    return x.look(array);
  const DType from = array->tensor.dtype();
  const auto wide = [](DType d) { return d == DType::kFloat32 || d == DType::kFloat64; };
  const bool ints = is_integer(from) && !is_wide_unsigned(from) && wanted == DType::kFloat64;
  if (!wide(wanted) || (!wide(from) && !ints)) return x.look(array);
  Attrs attrs;
  attrs.push_back(AttrValue(wanted));
  SymRef cast;
  Val plain;
  if (!content_of_array(x, array, &plain)) return x.look(array);
  if (!x.apply(*find_op("cast"), std::span(&plain, 1), attrs, &cast)) return false;
  *out = make_items(SymKind::kTensorArray, {cast});
  (*out)->tensor = cast->tensor;
  (*out)->entries.emplace_back(array, nullptr);  // what it is a copy of
  return true;
}

constexpr ModelRow kMethods[] = {
    {"item", model_item}, {"tolist", model_tolist}, {"astype", model_astype}};

BuiltinModel array_method(const SymRef&, const char* name) { return find_row(kMethods, name); }

bool array_attribute(Executor& x, const SymRef& array, PyObject* name, SymRef* out) {
  const std::string_view text = utf8_text(name);
  const bool of_tensor = text == "shape" || text == "ndim" || text == "size";
  if (of_tensor && is_current(*array)) return x.get_attr(array->items[0], name, out);
  if (text == "dtype" && is_current(*array))
    if (PyObject* const dtype = numpy_dtype_named(dtype_name(array->tensor.dtype())))
      return *out = make_const(Ref::share(dtype)), true;
  return find_row(kMethods, utf8_text(name)) ? bound_by_name(array, name, out) : x.look(array);
}

Ref build_array(const Recipe& recipe, const Objects& objects) {
  const Ref convert =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString,
                            reinterpret_cast<PyObject*>(&g_tensor_type), "asnumpy"));
  return convert ? Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs, convert.get(),
                                         argument(recipe, objects, 0), nullptr))
                 : Ref();
}

// A new array that nothing shares memory with.
Ref build_copy(const Recipe& recipe, const Objects& objects) {
  const Ref shown = build_array(recipe, objects);
  return shown ? Ref::steal(
                     host::call(host::program, PyObject_CallMethod, shown.get(), "copy", nullptr))
               : Ref();
}

int array_rebuild(ExitBuilder& exit, const SymRef& value) {
  if (value->draw >= 0) {
    Recipe made{&recipe_drawn};
    made.index = value->draw;
    return exit.add(std::move(made));
  }
  if (!value->entries.empty()) return exit.add(made_by(build_copy), value->items);
  return exit.add(made_by(build_array), value->items);
}

}  // namespace

bool is_number_of_array(const SymValue& value) {
  return value.kind == SymKind::kTensorArray && value.tensor.rank() == 0 && is_current(value);
}

bool content_of_array(Executor& x, const SymRef& array, Val* out) {
  SymRef plain;
  if (array->kind != SymKind::kTensorArray || !is_current(*array) ||
      !x.apply(*find_op("stop_gradient"), std::span(&array->tensor, 1), {}, &plain))
    return false;
  return *out = plain->tensor, true;
}

SymRef array_now(const SymValue& array) {
  SymRef now = make_items(SymKind::kTensorArray, {make_past_tensor(array.tensor)});
  now->tensor = array.tensor;
  return now;
}

bool array_of_tensor(Executor& x, const SymRef& tensor, SymRef* out) {
  // For a tensor on a device the array would be a copy of its content now.
  if (!tensor->tensor.meta().device.is_host()) return array_refuse(x, tensor);
  // set_data gives the tensor other memory, and at the exit arrays are made before that.
  for (const Heap::TensorWrite& write : x.heap().tensor_writes())
    if (write.replaces && tensor->object && write.tensor->object == tensor->object)
      return array_refuse(x, tensor);
  *out = make_items(SymKind::kTensorArray, {tensor});
  (*out)->tensor = tensor->tensor;
  return true;
}

bool number_of_array(Executor& x, const SymRef& value, PyTypeObject* type, SymRef* out,
                     bool* known) {
  *known = value->kind == SymKind::kTensorArray && value->tensor.rank() == 0;
  return !*known || number(x, value, type, out);
}

const ValueKind value_tensor_array = {.name = "NumPy array of a tensor",
                                      .refuse = array_refuse,
                                      .asked_unread = true,
                                      .attribute = array_attribute,
                                      .method = array_method,
                                      .binary = computed_operator,
                                      .rebuild = array_rebuild};

}  // namespace msjit
