// Tensors made in captured code from known values, and from numbers made of tensors.
#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/known_arrays.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/program_arrays.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/tensor_array.h"
#include "guards/open_sizes.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "kernels/core/registry.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

bool apply_attr(Executor& x, const char* op, const Val& in, AttrValue attr, SymRef* out) {
  Attrs attrs;
  attrs.push_back(std::move(attr));
  return x.apply(*find_op(op), std::span(&in, 1), attrs, out);
}

constexpr int64_t kMaxConstant = 1 << 16;  // elements of a tensor that a capture keeps

// A new tensor with the elements of another one, in `dtype` if that is given.
bool converted_copy(Executor& x, const Val& from, const SymRef& dtype, SymRef* out) {
  DType wanted = from.dtype();
  if (dtype && !dtype_from_object(dtype->object.get(), "Tensor", &wanted))
    return x.raise_python("Tensor()");
  Attrs attrs;
  attrs.push_back(AttrValue(wanted));
  if (wanted == from.dtype()) return x.apply(op_copy, std::span(&from, 1), {}, out);
  return x.apply(*find_op("cast"), std::span(&from, 1), attrs, out);
}

// Tensor(float(t)) and the like: a tensor of the number, without gradient. Where the number would
// be rounded on the way, CPython makes it.
bool tensor_of_number(Executor& x, const SymRef& number, const SymRef& dtype, SymRef* out) {
  const DType from = number->tensor.dtype();
  PyTypeObject* const type = type_of(*number);
  const bool exact = type == &PyBool_Type    ? is_bool(from)
                     : type == &PyLong_Type  ? is_integer(from)
                     : type == &PyFloat_Type ? is_float(from)
                                             : false;
  if (!exact || (number->tensor.meta().weak && !is_drawn(*number)) ||
      (dtype && (dtype->kind != SymKind::kConst || Py_TYPE(dtype->object.get()) != &g_dtype_type)))
    return x.look(number);
  DType wanted = is_bool(from) ? DType::kBool : is_integer(from) ? DType::kInt64 : DType::kFloat32;
  if (dtype && !dtype_from_object(dtype->object.get(), "Tensor", &wanted))
    return x.raise_python("Tensor()");
  if (is_drawn(*number) && item_size(wanted) < item_size(DType::kFloat32)) return x.look(number);
  SymRef value;
  if (!apply_attr(x, "cast", number->tensor, AttrValue(wanted), &value) ||
      !apply_attr(x, "reshape", SymRef(value)->tensor, AttrValue(IntList()), &value) ||
      !x.apply(*find_op("stop_gradient"), std::span(&SymRef(value)->tensor, 1), {}, &value))
    return false;
  return x.apply(op_copy, std::span(&SymRef(value)->tensor, 1), {}, out);
}

// Open ints lie within +-2**31. Guards that they are below 2**31, so that int32 holds them.
bool fit_int32(Executor& x, std::span<const SymRef> ints) {
  const SizeExpr limit = size_const(kLargestOpenInt);
  return std::ranges::all_of(ints, [&](const SymRef& number) {
    const SizeExpr size = Sizes::expr(number);
    return size && x.sizes().decide(SizeCompare::kLess, size, limit) &&
           x.sizes().decide(SizeCompare::kGreaterEqual, size, size_const(-kLargestOpenInt));
  });
}

// Tensor(n) and Tensor([n, 1]) of open numbers, all ints or all floats: a tensor made of the graph
// inputs for them. `known` is false for others.
bool tensor_of_open(Executor& x, const SymRef& data, const SymRef& dtype, SymRef* out,
                    bool* known) {
  const bool is_list =
      data->kind == SymKind::kList || (data->kind == SymKind::kTuple && !data->cls);
  const std::span<const SymRef> numbers =
      is_list ? std::span<const SymRef>(data->items) : std::span(&data, 1);
  const auto of = [](const SymRef& number, SymKind open, PyTypeObject* type) {
    return number->kind == open ||
           (number->kind == SymKind::kConst && Py_TYPE(number->object.get()) == type);
  };
  const auto all = [&](SymKind open, PyTypeObject* type) {
    return std::ranges::all_of(numbers, [&](const SymRef& n) { return of(n, open, type); }) &&
           std::ranges::any_of(numbers, [&](const SymRef& n) { return n->kind == open; });
  };
  const bool ints = all(SymKind::kSize, &PyLong_Type);
  *known = x.sizes().open() && (ints || all(SymKind::kNumber, &PyFloat_Type));
  if (!*known) return true;
  DType wanted = ints ? DType::kInt64 : DType::kFloat32;
  if (dtype && !dtype_from_object(dtype->object.get(), "Tensor", &wanted))
    return x.raise_python("Tensor()");
  // Other dtypes round differently, or cannot hold the numbers.
  *known =
      wanted == DType::kFloat32 || (ints && (wanted == DType::kInt64 || wanted == DType::kFloat64 ||
                                             (wanted == DType::kInt32 && fit_int32(x, numbers))));
  if (!*known) return true;
  std::vector<Val> parts;
  for (const SymRef& number : numbers) {
    Val scalar;
    SymRef part;
    if (!x.to_val(number, &scalar) || !apply_attr(x, "cast", scalar, AttrValue(wanted), &part) ||
        !apply_attr(x, "reshape", SymRef(part)->tensor,
                    AttrValue(is_list ? IntList({1}) : IntList()), &part))
      return false;
    parts.push_back(part->tensor);
  }
  Attrs first_axis;
  first_axis.push_back(AttrValue(int64_t{0}));
  if (parts.size() > 1) return x.apply(*find_op("concat"), parts, first_axis, out);
  return x.apply(op_copy, parts, {}, out);
}

bool model_tensor(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords given(args, names);
  const auto argument = [&](size_t place, const char* name) {
    SymRef value = given.take(name);
    return value || given.positional.size() <= place ? value : given.positional[place];
  };
  SymRef data = argument(0, "input_data");
  SymRef dtype = argument(1, "dtype");
  const auto refuse = [&] {
    return x.fail(BreakReason::kMakeTensor, data ? describe(*data) : "these arguments");
  };
  if (!data || !given.empty() || given.positional.size() > 2) return refuse();
  if (!default_device().is_host()) return refuse();  // CPython makes tensors on a device
  if (dtype && !x.look(dtype)) return false;
  if (dtype && dtype->kind == SymKind::kConst && dtype->object.get() == Py_None) dtype = {};
  if (!number_of_turn(x, SymRef(data), &data)) return false;
  if (data->kind == SymKind::kScalar) return tensor_of_number(x, data, dtype, out);
  if (data->kind == SymKind::kList && data->items.size() == 1 &&
      data->items[0]->kind == SymKind::kTurn) {
    SymRef number;
    return number_of_turn(x, data->items[0], &number) && tensor_of_number(x, number, dtype, out) &&
           apply_attr(x, "reshape", SymRef(*out)->tensor, AttrValue(IntList({1})), out);
  }
  const bool usual_dtype =
      !dtype || (dtype->kind == SymKind::kConst && Py_TYPE(dtype->object.get()) == &g_dtype_type);
  if (Val held; data->kind == SymKind::kTensorArray && usual_dtype && !x.strict() &&
                content_of_array(x, data, &held))
    return converted_copy(x, held, dtype, out);
  if (!x.look_number(data)) return false;
  if (data->kind == SymKind::kList || data->kind == SymKind::kTuple)
    for (const SymRef& item : std::vector<SymRef>(data->items))
      if (item->kind == SymKind::kLazy && !x.look_number(item)) return false;
  if (Val held; usual_dtype && !x.strict() && is_program_array(*data))
    return x.heap().array_input(data, &held) ? converted_copy(x, held, dtype, out) : refuse();
  bool known = false;
  if (usual_dtype && !tensor_of_open(x, data, dtype, out, &known)) return false;
  if (known) return true;
  if (!x.look(data)) return false;
  const bool number = is_array(data) || (data->kind == SymKind::kConst &&
                                         (is_number(data->object.get()) || is_numpy_scalar(data) ||
                                          PyTuple_CheckExact(data->object.get())));
  if (!number && !data->is_tensor() && data->kind != SymKind::kList &&
      data->kind != SymKind::kTuple)
    return refuse();
  if (!usual_dtype) return refuse();
  if (data->is_tensor()) return converted_copy(x, data->tensor, dtype, out);
  const Ref value = is_numpy_scalar(data) || is_array(data) ? data->object : to_python(x, data);
  if (!value) return refuse();
  auto* type = reinterpret_cast<PyObject*>(&g_tensor_type);
  Ref made = Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs, type, value.get(),
                                   dtype ? dtype->object.get() : nullptr, nullptr));
  if (!made) return x.raise_python("Tensor()");
  const Tensor& tensor = tensor_of(made.get());
  if (tensor.numel() > kMaxConstant) return refuse();
  const Val constant = x.sink().constant(tensor);  // shared by equal constants: copied
  return x.apply(op_copy, std::span(&constant, 1), {}, out);
}

const ModelRow kTensorModels[] = {{"Tensor", model_tensor}};

}  // namespace

const ModelTable models_tensor = {"msjit", kTensorModels, {}};

}  // namespace msjit
