// Tensors made in captured code from values that are known, and x[...] = value on those that the
// region itself has made: the write gives a new value to the same object, which nobody else sees.
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "guards/py/convert.h"
#include "kernels/core/index_plan.h"
#include "kernels/core/registry.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_copy;

bool index_items(Executor& x, const SymRef& key, std::vector<IndexItem>* items);  // tensor.cc

namespace {

constexpr int64_t kMaxConstant = 1 << 16;  // elements of a tensor that a capture keeps

bool model_tensor(Executor& x, Args args, PyObject* names, SymRef* out) {
  Keywords given(args, names);
  const auto argument = [&](size_t place, const char* name) {
    SymRef value = given.take(name);
    return value || given.positional.size() <= place ? value : given.positional[place];
  };
  const SymRef data = argument(0, "input_data");
  SymRef dtype = argument(1, "dtype");
  const auto refuse = [&] {
    return x.fail(BreakReason::kMakeTensor, data ? describe(*data) : "these arguments");
  };
  if (!data || !given.empty() || given.positional.size() > 2) return refuse();
  if (!x.look(data) || (dtype && !x.look(dtype))) return false;
  if (dtype && dtype->kind == SymKind::kConst && dtype->object.get() == Py_None) dtype = {};
  if (data->is_tensor() && !dtype) return x.apply(op_copy, std::span(&data->tensor, 1), {}, out);
  const bool number = data->kind == SymKind::kConst &&
                      (is_number(data->object.get()) || PyTuple_CheckExact(data->object.get()));
  if (!number && data->kind != SymKind::kList && data->kind != SymKind::kTuple) return refuse();
  if (dtype && (dtype->kind != SymKind::kConst || Py_TYPE(dtype->object.get()) != &g_dtype_type))
    return refuse();
  const Ref value = to_python(x, data);
  if (!value) return refuse();
  auto* type = reinterpret_cast<PyObject*>(&g_tensor_type);
  Ref made = Ref::steal(PyObject_CallFunctionObjArgs(
      type, value.get(), dtype ? dtype->object.get() : nullptr, nullptr));
  if (!made) return x.raise_python("Tensor()");
  const Tensor& tensor = tensor_of(made.get());
  if (tensor.numel() > kMaxConstant) return refuse();
  const Val constant = x.sink().constant(tensor);  // equal ones are the same
  return x.apply(op_copy, std::span(&constant, 1), {}, out);
}

const ModelRow kModels[] = {{"Tensor", model_tensor}};

}  // namespace

// Whether a tensor is one that an op of the region has made for itself and nobody looks into.
bool is_private(Executor& x, const SymRef& tensor) {
  if (tensor->source != kNoSource || tensor->joined || tensor->object) return false;
  const Graph& graph = *x.sink().graph();
  const ValueId id = tensor->tensor.id();
  const Node& made = graph.producer(id);
  if (made.kind != NodeKind::kOp || made.is_control() || made.op->has(kView)) return false;
  bool fresh = made.op->has(kElementwise);
  for (const char* name : {"zeros", "ones", "full", "zeros_like", "ones_like", "full_like",
                           "arange", "eye", "matmul", "concat", "stack", "slice_update", "copy"})
    fresh |= std::string_view(made.op->name) == name;
  for (const Node& node : graph.nodes)
    for (ValueId input : node.inputs)
      if (input == id && (node.kind != NodeKind::kOp || node.is_control() || node.op->has(kView)))
        return false;
  return fresh && std::string_view(made.op->name) != "cast";
}

const ModelTable models_tensor = {"msjit", kModels, {}};

bool tensor_set_item(Executor& x, const SymRef& tensor, const SymRef& key, const SymRef& value) {
  const auto refuse = [&] { return x.fail(BreakReason::kInPlace, "x[...] = value"); };
  if (!is_private(x, tensor) || x.sizes().any() || x.forked()) return refuse();
  std::vector<IndexItem> items;
  Val source;
  if (!index_items(x, key, &items) || !x.to_val(value, &source)) return false;
  auto planned = plan_index(tensor->tensor.shape(), items);
  if (!planned.ok()) return x.fail_op(planned.take_error());
  const IndexPlan& plan = planned.value();
  if (plan.advanced || plan.shape.numel() == 0 || source.rank() > plan.shape.rank())
    return refuse();
  Shape slot = plan.shape;  // with the dimensions that an int took, and without the new ones
  for (size_t i = plan.new_axes.size(); i-- > 0;) slot.erase(static_cast<int>(plan.new_axes[i]));
  for (int64_t axis : plan.squeeze) slot.insert(static_cast<int>(axis), 1);
  source = words::cast(source, tensor->tensor.dtype());
  source = words::reshape(words::broadcast_to(source, plan.shape), slot);
  if (Status status = x.sink().take_error(); !status.ok()) return refuse();
  const Val inputs[] = {tensor->tensor, source};
  Attrs attrs;
  for (const IntList& part : {plan.begin, plan.end, plan.step}) attrs.push_back(AttrValue(part));
  SymRef updated;
  if (!x.apply(*find_op("slice_update"), inputs, attrs, &updated)) return false;
  tensor->tensor = updated->tensor;
  x.heap().note_effect();
  return true;
}

}  // namespace msjit
