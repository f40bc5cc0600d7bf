// x[...] of a tensor. Masks whose elements are known become positions.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/known_arrays.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/program_arrays.h"
#include "graph/ir.h"
#include "guards/py/convert.h"
#include "kernels/core/index_plan.h"
#include "kernels/core/registry.h"
#include "kernels/eager/indexing.h"

namespace msjit {
namespace {

using Kind = IndexItem::Kind;

// The items that an index is made of so far.
struct IndexParts {
  std::vector<IndexItem> items;
  std::vector<TracedSize> sizes;
  std::vector<Val> tensors;

  bool add(Kind kind) {
    items.emplace_back().kind = kind;
    return true;
  }
  bool add_int(int64_t value) {
    items.emplace_back().start = value;
    return true;
  }
  bool add_tensor(Val positions) {
    items.emplace_back().kind = Kind::kTensor;
    items.back().tensor = static_cast<int>(tensors.size());
    tensors.push_back(std::move(positions));
    return true;
  }
};

bool refuse(Executor& x, const SymRef& key) {
  return x.fail(BreakReason::kTensorIndex, describe(*key));
}

// Replaces a known mask by the positions of its true elements: one index tensor for each dimension.
// `from`: the indexed tensor.
bool add_mask(Executor& x, const Val& from, const SymRef& key, const Tensor& mask,
              IndexParts* out) {
  int dim = 0;
  for (const IndexItem& item : out->items) {
    if (item.kind == Kind::kEllipsis) return refuse(x, key);
    dim += item.kind != Kind::kNewAxis;
  }
  x.sizes().specialise_shape(from);
  const Shape shape = from.shape();
  for (int d = 0; d < mask.rank(); ++d)
    if (dim + d >= shape.rank() || shape[dim + d] != mask.dim(d)) return refuse(x, key);
  auto positions = mask_positions(mask);
  if (!positions.ok()) return x.fail_op(positions.take_error());
  for (Tensor& each : positions.value()) out->add_tensor(x.sink().constant(std::move(each)));
  return true;
}

// Adds a list, tuple, bool or array whose elements are known.
bool add_known(Executor& x, const Val& from, const SymRef& key, IndexParts* out) {
  const Ref known = is_array(key) ? key->object : to_python(x, key);
  Tensor made;
  if (!known || !tensor_from_object(known.get(), "getitem", &made) || !made.device().is_host())
    return PyErr_Clear(), refuse(x, key);
  if (is_bool(made.dtype()) && made.rank() > 0) return add_mask(x, from, key, made, out);
  if (is_bool(made.dtype()))
    return *made.data_as<bool>() ? out->add(Kind::kNewAxis) : refuse(x, key);
  return is_integer(made.dtype()) && made.rank() > 0
             ? out->add_tensor(x.sink().constant(std::move(made)))
             : refuse(x, key);
}

// Adds an integer tensor, or an array of the program. An array of one number would be an int, which
// makes a view.
bool add_unknown(Executor& x, const SymRef& key, IndexParts* out) {
  Val positions = key->tensor;
  if (!key->is_tensor() &&
      (x.strict() || !x.heap().array_input(key, &positions) || positions.rank() == 0))
    return refuse(x, key);
  if (!is_integer(positions.dtype()))
    return x.fail(BreakReason::kTensorIndex,
                  fmt::format("{} tensor", dtype_name(positions.dtype())));
  return out->add_tensor(std::move(positions));
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

bool add_item(Executor& x, const Val& from, const SymRef& given, IndexParts* out) {
  const SymRef key = plain_index(given);
  if (key->is_tensor() || is_program_array(*key)) return add_unknown(x, key, out);
  IndexItem item;
  if (x.sizes().open() &&
      open_index_item(x, key, static_cast<int32_t>(out->items.size()), &out->sizes, &item))
    return out->items.push_back(item), true;
  if (key->is_const(Py_None)) return out->add(Kind::kNewAxis);
  if (key->is_const(Py_Ellipsis)) return out->add(Kind::kEllipsis);
  const bool sequence = key->kind == SymKind::kList || key->kind == SymKind::kTuple;
  const Ref constant = sequence || is_array(key) ? Ref() : constant_object(key);
  if (!constant || PyBool_Check(constant.get()) || PyTuple_CheckExact(constant.get()))
    return add_known(x, from, key, out);
  auto int_of = [](PyObject* object, int64_t* value) {
    if (!PyLong_CheckExact(object)) return false;
    *value = PyLong_AsLongLong(object);
    if (*value != -1 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
  };
  int64_t value = 0;
  if (int_of(constant.get(), &value)) return out->add_int(value);
  if (!PySlice_Check(constant.get())) return refuse(x, key);
  const auto* slice = reinterpret_cast<PySliceObject*>(constant.get());
  item = {};
  item.kind = Kind::kSlice;
  item.has_start = slice->start != Py_None;
  item.has_stop = slice->stop != Py_None;
  if ((item.has_start && !int_of(slice->start, &item.start)) ||
      (item.has_stop && !int_of(slice->stop, &item.stop)) ||
      (slice->step != Py_None && !int_of(slice->step, &item.step)))
    return refuse(x, key);
  return out->items.push_back(item), true;
}

// Adds all parts of an index.
bool add_all(Executor& x, const Val& from, const SymRef& key, IndexParts* out) {
  std::vector<SymRef> keys = {key};
  const bool tuple = key->kind == SymKind::kTuple ||
                     (key->kind == SymKind::kConst && PyTuple_CheckExact(key->object.get()));
  if (const std::vector<SymRef>* parts = tuple ? x.heap().items(key) : nullptr) keys = *parts;
  return std::ranges::all_of(
      keys, [&](const SymRef& part) { return x.look_open(part) && add_item(x, from, part, out); });
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

// The part of an index with tensors. Tensors without axes are positions, which give a view. Where
// ints between the others would move the result to another place than the op does, CPython indexes.
bool take_items(Executor& x, const Val& from, const IndexPlan& plan, std::vector<Val> tensors,
                SymRef* out) {
  std::vector<Val> inputs = {from};
  IntList axes;
  std::vector<int> places;
  const bool placed = index_axes(plan, &axes, &places);
  for (int place : places) inputs.push_back(tensors[place]);
  const bool positions = std::all_of(inputs.begin() + 1, inputs.end(),
                                     [](const Val& index) { return index.rank() == 0; });
  if (!placed && !positions) return x.fail(BreakReason::kTensorIndex, "mixed with ints");
  Attrs attrs;
  attrs.push_back(AttrValue(std::move(axes)));
  return x.apply(*find_op(positions ? "select_at" : "index"), inputs, attrs, out);
}

}  // namespace

bool index_items(Executor& x, const Val& from, const SymRef& key, std::vector<IndexItem>* items,
                 std::vector<Val>* tensors) {
  IndexParts index;
  if (!add_all(x, from, key, &index)) return false;
  for (const TracedSize& open : index.sizes) x.sizes().specialise(open.expr);
  *items = std::move(index.items);
  *tensors = std::move(index.tensors);
  return true;
}

bool tensor_subscript(Executor& x, const SymRef& tensor, const SymRef& key, SymRef* out) {
  IndexParts index;
  if (!add_all(x, tensor->tensor, key, &index)) return false;
  auto& items = index.items;
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
  if (value.id() != tensor->tensor.id())  // otherwise only tensors index
    x.sizes().indexed(tensor->tensor, std::move(items), std::move(index.sizes), &value);
  if (plan.value().advanced)
    return take_items(x, value, plan.value(), std::move(index.tensors), out);
  *out = make_tensor(std::move(value));
  return true;
}

}  // namespace msjit
