// contiguous(), is_contiguous() and stride() of tensors in captured code. What the first returns,
// the tensor itself or a copy, depends on the strides that eager code would have. They are known
// where the tensor, or the tensor that it is a view of, is made in the region, or is a contiguous
// tensor of the program: a guard sees to it that it is one at later calls. At others the region
// ends.
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/shared_tensors.h"
#include "bytecode/tensor_write.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

// A tensor with the strides that eager code gives to this value; its elements are not computed.
// False: they are not known.
bool laid_out(Executor& x, ValueId id, Tensor* out) {
  const Graph& graph = *x.sink().graph();
  const Node& node = graph.producer(id);
  if (node.kind == NodeKind::kInput)
    return x.heap().guard_contiguous(id) && lay_out_owner(graph.meta(id), out);
  if (node.kind != NodeKind::kOp || node.is_control()) return false;
  if (makes_memory(graph, node)) return lay_out_owner(graph.meta(id), out);
  Tensor source;
  const bool hands_on = node.op->has(kView) || std::string_view(node.op->name) == "cast";
  if (!hands_on || !laid_out(x, node.inputs[0], &source)) return false;
  const TensorVec views = eager_views(node, source);
  if (views.empty()) return false;
  *out = views[static_cast<uint32_t>(id - node.first_output)];
  return true;
}

// Whether views of a value end there: it has memory of its own.
bool is_root(const Graph& graph, const Node& node) {
  return node.kind == NodeKind::kInput || makes_memory(graph, node);
}

// Guards what the strides depend on where sizes are open: whether a size is 1, because a dimension
// of one element is contiguous with any stride; and all sizes where a part of a tensor is taken or
// a view is reshaped.
void guard_layout(Executor& x, ValueId id) {
  const Graph& graph = *x.sink().graph();
  const SizeExpr one = Sizes::expr(make_const(Ref::steal(PyLong_FromLong(1))));
  for (;; id = graph.producer(id).inputs[0]) {
    const Node& node = graph.producer(id);
    const Val value = x.sink().value(id);
    for (const SymRef& dim : x.sizes().dims(value))
      if (dim->kind == SymKind::kSize) x.sizes().decide(SizeCompare::kEqual, Sizes::expr(dim), one);
    if (is_root(graph, node)) return;
    const std::string_view op(node.op->name);
    const bool moves_axes =
        op == "transpose" || op == "swapaxes" || op == "expand_dims" || op == "squeeze";
    const bool reshapes = op == "reshape" || op == "flatten";
    if (moves_axes || (reshapes && is_root(graph, graph.producer(node.inputs[0])))) continue;
    x.sizes().specialise_shape(x.sink().value(node.inputs[0]));
    x.sizes().specialise_shape(value);
  }
}

// A tensor with the strides of this one. Ends the region where they are not known.
bool find_layout(Executor& x, const char* name, const SymRef& tensor, Tensor* out) {
  const ValueId id = tensor->tensor.id();
  const bool made = tensor->source == kNoSource && !tensor->object && !tensor->joined;
  const bool given = x.sink().graph()->producer(id).kind == NodeKind::kInput && !tensor->joined;
  return ((made || given) && laid_out(x, id, out)) ||
         x.fail(BreakReason::kUnsupported,
                fmt::format("{}() of a tensor whose strides are not known", name));
}

bool find_contiguous(Executor& x, const char* name, const SymRef& tensor, bool* is_contiguous) {
  Tensor found;
  if (!find_layout(x, name, tensor, &found)) return false;
  *is_contiguous = found.contiguous();
  if (x.sizes().open()) guard_layout(x, tensor->tensor.id());
  return true;
}

bool method_contiguous(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool is_contiguous = false;
  if (!positional(x, "contiguous", args, names, 1, 1) ||
      !find_contiguous(x, "contiguous", args[0], &is_contiguous))
    return false;
  if (is_contiguous) return *out = args[0], true;
  return x.apply(*find_op("copy"), std::span(&args[0]->tensor, 1), {}, out);
}

bool method_is_contiguous(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool is_contiguous = false;
  if (!positional(x, "is_contiguous", args, names, 1, 1) ||
      !find_contiguous(x, "is_contiguous", args[0], &is_contiguous))
    return false;
  return *out = make_const(Ref::share(is_contiguous ? Py_True : Py_False)), true;
}

// The strides in elements. They depend on all sizes.
bool method_stride(Executor& x, Args args, PyObject* names, SymRef* out) {
  Tensor found;
  if (!positional(x, "stride", args, names, 1, 1) || !find_layout(x, "stride", args[0], &found))
    return false;
  const Graph& graph = *x.sink().graph();
  for (ValueId id = args[0]->tensor.id();; id = graph.producer(id).inputs[0]) {
    x.sizes().specialise_shape(x.sink().value(id));
    if (is_root(graph, graph.producer(id))) break;
  }
  std::vector<SymRef> strides;
  for (int64_t stride : found.strides()) strides.push_back(sym_int(stride));
  return *out = make_items(SymKind::kTuple, std::move(strides)), true;
}

// A Tensor is its own value.
bool method_value(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "value", args, names, 1, 1) && (*out = args[0], true);
}

const ModelRow kLayoutMethods[] = {{"contiguous", method_contiguous},
                                   {"is_contiguous", method_is_contiguous},
                                   {"stride", method_stride},
                                   {"value", method_value}};

}  // namespace

std::span<const ModelRow> tensor_layout_methods() { return kLayoutMethods; }

}  // namespace msjit
