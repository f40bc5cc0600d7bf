// Tensors in captured code: attributes known from dtype and shape, basic indexing, and methods of
// the C type that are no ops. To add a method: write the model, add its row to kTensorMethods.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/tensor_array.h"
#include "graph/ir.h"
#include "guards/py/convert.h"
#include "kernels/core/index_plan.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

SymRef integer(int64_t value) { return make_const(Ref::steal(PyLong_FromLongLong(value))); }

bool apply_attr(Executor& x, const char* op, const SymRef& tensor, AttrValue attr, SymRef* out) {
  Attrs attrs;
  attrs.push_back(std::move(attr));
  return x.apply(*find_op(op), std::span(&tensor->tensor, 1), attrs, out);
}

}  // namespace

bool tensor_attr(Executor& x, const SymRef& tensor, const char* name, SymRef* out, bool* known) {
  const Meta& meta = tensor->tensor.meta();
  const std::string_view text(name);
  *known = true;
  if (text == "shape") {
    *out = make_items(SymKind::kTuple, x.sizes().dims(tensor->tensor));
  } else if (text == "dtype") {
    *out = make_const(Ref::share(dtype_object(meta.dtype)));
  } else if (text == "ndim") {
    *out = integer(meta.shape.rank());
  } else if (text == "size") {
    *out = x.sizes().numel(tensor->tensor);
  } else if (text == "itemsize") {
    *out = integer(item_size(meta.dtype));
  } else if (text == "nbytes") {
    return x.binary(x.sizes().numel(tensor->tensor), integer(item_size(meta.dtype)), BinaryOp::kMul,
                    false, out);
  } else if (text == "T") {
    IntList perm;
    for (int i = meta.shape.rank(); i-- > 0;) perm.push_back(i);
    return apply_attr(x, "transpose", tensor, AttrValue(std::move(perm)), out);
  } else if (text == "data") {
    return x.apply(*find_op("stop_gradient"), std::span(&tensor->tensor, 1), {}, out);
  } else if (text == "device" && device_of(*x.sink().graph()).is_host()) {
    *out = make_const(Ref::steal(PyUnicode_FromString(meta.device.str().c_str())));
  } else if (text == "has_init") {
    *out = sym_bool(false);
  } else if (text == "requires_grad") {
    return tensor_requires_grad(x, tensor, out);
  } else {
    *known = false;
  }
  return true;
}

namespace {

bool method_astype(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out) {
  DType dtype;
  if (names || args.size() != 2 || !x.look(args[1]) || args[1]->kind != SymKind::kConst ||
      !astype_dtype(args[1]->object.get(), &dtype)) {
    PyErr_Clear();
    return x.fail(BreakReason::kOpArguments, "astype");
  }
  if (dtype == args[0]->tensor.dtype())
    return *out = args[0], true;  // the same tensor object, as in eager code
  return apply_attr(x, "cast", args[0], AttrValue(dtype), out);
}

// float(), long() and the like.
template <DType kTo>
bool method_cast(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "a conversion", args, names, 1, 1)) return false;
  const Meta& meta = args[0]->tensor.meta();
  if (meta.dtype == kTo && !meta.weak) return *out = args[0], true;  // the same tensor object
  return apply_attr(x, "cast", args[0], AttrValue(kTo), out);
}

bool method_copy(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "copy", args, names, 1, 1) &&
         x.apply(*find_op("copy"), std::span(&args[0]->tensor, 1), {}, out);
}

bool method_numel(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "numel", args, names, 1, 1)) return false;
  return *out = x.sizes().numel(args[0]->tensor), true;
}

bool method_dim(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "dim", args, names, 1, 1)) return false;
  return *out = integer(args[0]->tensor.rank()), true;
}

bool method_item(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return x.fail(BreakReason::kTensorValue, "item()");
  return number_of_tensor(x, args[0], nullptr, out);
}

bool method_asnumpy(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (x.strict()) return x.fail(BreakReason::kTensorValue, "asnumpy()");
  return positional(x, "asnumpy", args, names, 1, 1) && array_of_tensor(x, args[0], out);
}

// A list of a tensor's numbers is known only when the region runs.
bool method_tolist(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1 || args[0]->tensor.rank() != 0)
    return x.fail(BreakReason::kTensorValue, "tolist()");
  return number_of_tensor(x, args[0], nullptr, out);
}

const ModelRow kTensorMethods[] = {{"astype", method_astype},
                                   {"to", method_astype},
                                   {"item", method_item},
                                   {"copy", method_copy},
                                   {"numel", method_numel},
                                   {"dim", method_dim},
                                   {"half", method_cast<DType::kFloat16>},
                                   {"bfloat16", method_cast<DType::kBFloat16>},
                                   {"float", method_cast<DType::kFloat32>},
                                   {"double", method_cast<DType::kFloat64>},
                                   {"int", method_cast<DType::kInt32>},
                                   {"long", method_cast<DType::kInt64>},
                                   {"bool", method_cast<DType::kBool>},
                                   {"asnumpy", method_asnumpy},
                                   {"numpy", method_asnumpy},
                                   {"tolist", method_tolist}};

}  // namespace

BuiltinModel find_tensor_method(const char* name) {
  for (const auto rows : {std::span<const ModelRow>(kTensorMethods), tensor_layout_methods(),
                          tensor_write_methods(), gradient_methods()})
    for (const ModelRow& row : rows)
      if (std::strcmp(row.name, name) == 0) return row.model;
  return nullptr;
}

}  // namespace msjit
