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

// Adds an integer tensor, or a list of ints as one, to the index tensors.
bool index_tensor(Executor& x, const SymRef& key, IndexItem* out, std::vector<Val>* tensors) {
  out->kind = IndexItem::Kind::kTensor;
  out->tensor = static_cast<int>(tensors->size());
  if (key->is_tensor()) {
    tensors->push_back(key->tensor);
    return is_integer(key->tensor.dtype()) ||
           x.fail(BreakReason::kTensorIndex,
                  fmt::format("{} tensor", dtype_name(key->tensor.dtype())));
  }
  Ref list = to_python(x, key);
  Tensor positions;
  if (!list || !tensor_from_object(list.get(), "getitem", &positions) ||
      !is_integer(positions.dtype()) || positions.rank() == 0) {
    PyErr_Clear();
    return x.fail(BreakReason::kTensorIndex, describe(*key));
  }
  tensors->push_back(x.sink().constant(positions));
  return true;
}

// An int or an open size as part of an index. A size is noted as number `part` of index item `at`.
bool index_size(Executor& x, const SymRef& value, int32_t at, int32_t part,
                std::vector<TracedSize>* sizes, int64_t* out) {
  if (!x.heap().realize_open(value)) return false;
  const SizeExpr expr = Sizes::expr(value);
  if (!expr) return false;
  *out = PyLong_AsLongLong(value->object.get());
  if (value->kind == SymKind::kSize) sizes->push_back({at, part, expr});
  return true;
}

// An index with open sizes in it. False: it is of another kind.
bool open_index_item(Executor& x, const SymRef& key, int32_t at, std::vector<TracedSize>* sizes,
                     IndexItem* out) {
  if (key->kind == SymKind::kSize) return index_size(x, key, at, 0, sizes, &out->start);
  if (key->kind != SymKind::kSlice) return false;
  const auto is_none = [](const SymRef& part) { return part->is_const(Py_None); };
  for (const SymRef& part : key->items)
    if (!x.heap().realize_open(part)) return false;
  out->kind = IndexItem::Kind::kSlice;
  out->has_start = !is_none(key->items[0]);
  out->has_stop = !is_none(key->items[1]);
  return (!out->has_start || index_size(x, key->items[0], at, 0, sizes, &out->start)) &&
         (!out->has_stop || index_size(x, key->items[1], at, 1, sizes, &out->stop)) &&
         (is_none(key->items[2]) || index_size(x, key->items[2], at, 2, sizes, &out->step));
}

bool index_item(Executor& x, const SymRef& given, int32_t at, std::vector<TracedSize>* sizes,
                IndexItem* out, std::vector<Val>* tensors) {
  using Kind = IndexItem::Kind;
  const SymRef key = plain_index(given);
  if (key->is_tensor() || key->kind == SymKind::kList) return index_tensor(x, key, out, tensors);
  if (x.sizes().open() && open_index_item(x, key, at, sizes, out)) return true;
  *out = {};
  if (key->is_const(Py_None)) return out->kind = Kind::kNewAxis, true;
  if (key->is_const(Py_Ellipsis)) return out->kind = Kind::kEllipsis, true;
  Ref constant = constant_object(key);
  auto int_of = [](PyObject* object, int64_t* value) {
    if (!PyLong_CheckExact(object)) return false;
    *value = PyLong_AsLongLong(object);
    if (*value != -1 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
  };
  if (constant && int_of(constant.get(), &out->start)) return out->kind = Kind::kInt, true;
  if (constant && PySlice_Check(constant.get())) {
    const auto* slice = reinterpret_cast<PySliceObject*>(constant.get());
    out->kind = Kind::kSlice;
    out->has_start = slice->start != Py_None;
    out->has_stop = slice->stop != Py_None;
    if ((!out->has_start || int_of(slice->start, &out->start)) &&
        (!out->has_stop || int_of(slice->stop, &out->stop)) &&
        (slice->step == Py_None || int_of(slice->step, &out->step)))
      return true;
  }
  return x.fail(BreakReason::kTensorIndex, describe(*key));
}

}  // namespace

// The dimensions that are indexed by tensors, and the tensor of each. False where ints between the
// index tensors move the result's dimensions to another place than the ops do.
bool index_axes(const IndexPlan& plan, IntList* axes, std::vector<int>* tensors) {
  int place = -1, last = -1;
  for (int d = 0; d < static_cast<int>(plan.tensor_of_dim.size()); ++d) {
    if (plan.tensor_of_dim[d] < 0) continue;
    place = place < 0 ? d : d == last + 1 ? place : 0;
    last = d;
    axes->push_back(d);
    tensors->push_back(plan.tensor_of_dim[d]);
  }
  return place == plan.result_axis;
}

namespace {

// The part of an index with tensors. Where ints between them would move the result to another place
// than the op does, CPython indexes.
bool take_items(Executor& x, const Val& from, const IndexPlan& plan, std::vector<Val> tensors,
                SymRef* out) {
  std::vector<Val> inputs = {from};
  IntList axes;
  std::vector<int> places;
  if (!index_axes(plan, &axes, &places))
    return x.fail(BreakReason::kTensorIndex, "mixed with ints");
  for (int place : places) inputs.push_back(tensors[place]);
  Attrs attrs;
  attrs.push_back(AttrValue(std::move(axes)));
  return x.apply(*find_op("index"), inputs, attrs, out);
}

}  // namespace

bool index_items(Executor& x, const SymRef& key, std::vector<IndexItem>* items,
                 std::vector<Val>* tensors) {
  std::vector<SymRef> keys = {key};
  if (!key->is_tensor())
    if (const std::vector<SymRef>* parts = x.heap().items(key);
        parts && key->kind != SymKind::kList)
      keys = *parts;
  std::vector<TracedSize> sizes;
  for (const SymRef& part : keys) {
    items->emplace_back();
    if (!x.look(part) || !index_item(x, part, 0, &sizes, &items->back(), tensors)) return false;
  }
  return true;
}

bool tensor_subscript(Executor& x, const SymRef& tensor, const SymRef& key, SymRef* out) {
  std::vector<SymRef> keys = {key};
  if (!key->is_tensor())
    if (const std::vector<SymRef>* parts = x.heap().items(key);
        parts && key->kind != SymKind::kList)
      keys = *parts;
  std::vector<IndexItem> items;
  std::vector<TracedSize> sizes;
  std::vector<Val> tensors;
  for (const SymRef& part : keys) {
    const int32_t at = static_cast<int32_t>(items.size());
    items.emplace_back();
    if (!x.look_open(part) || !index_item(x, part, at, &sizes, &items.back(), &tensors))
      return false;
  }
  auto plan = plan_index(tensor->tensor.shape(), items);
  if (!plan.ok()) return x.fail_op(plan.take_error());
  const auto first_node = static_cast<int32_t>(x.sink().graph()->nodes.size());
  auto indexed = [&] {
    const Sizes::Pause whole(x.sizes());
    return index_in_graph(tensor->tensor, items);
  }();
  if (!indexed.ok()) return x.fail_op(indexed.take_error());
  Val value = indexed.take();
  x.checking().note(*x.sink().graph(), first_node);
  x.sizes().indexed(tensor->tensor, std::move(items), std::move(sizes), &value);
  if (plan.value().advanced) return take_items(x, value, plan.value(), std::move(tensors), out);
  *out = make_tensor(std::move(value));
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
