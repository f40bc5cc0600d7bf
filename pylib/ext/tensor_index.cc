// len(x), iteration, x[...] and x[...] = v. This file converts Python's index objects to
// IndexItems; kernels/eager/indexing does the rest.
#include "guards/py/host_call.h"
#include "kernels/eager/indexing.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

struct ParsedIndex {
  InlineVec<IndexItem, 4> items;
  std::vector<Tensor> tensors;
};

bool add_int(int64_t value, ParsedIndex* out) {
  IndexItem item;
  item.start = value;
  out->items.push_back(item);
  return true;
}

bool add_index(PyObject* object, ParsedIndex* out) {
  int64_t value;
  if (int_from_object(object, "getitem", "index", &value)) return add_int(value, out);
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
  PyErr_Clear();
  return fail(index_error("[getitem] index, got an int beyond 64 bits, expected one that fits"));
}

// A bound too large for an int64 is clamped, as for a list.
bool slice_bound(PyObject* bound, int64_t* value, bool* present) {
  *present = bound != Py_None;
  if (!*present || int_from_object(bound, "getitem", "bound of a slice", value)) return true;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
  PyErr_Clear();
  *value = host::call(host::program, PyNumber_AsSsize_t, bound, nullptr);
  return *value != -1 || !PyErr_Occurred();
}

bool add_slice(PyObject* object, ParsedIndex* out) {
  auto* slice = reinterpret_cast<PySliceObject*>(object);
  IndexItem item;
  item.kind = IndexItem::Kind::kSlice;
  bool has_step;
  if (!slice_bound(slice->start, &item.start, &item.has_start) ||
      !slice_bound(slice->stop, &item.stop, &item.has_stop) ||
      !slice_bound(slice->step, &item.step, &has_step))
    return false;
  item.step = std::max<int64_t>(item.step, -INT64_MAX);
  out->items.push_back(item);
  return true;
}

void add_kind(IndexItem::Kind kind, ParsedIndex* out) {
  IndexItem item;
  item.kind = kind;
  out->items.push_back(item);
}

bool add_positions(Tensor positions, ParsedIndex* out) {
  IndexItem item;
  item.kind = IndexItem::Kind::kTensor;
  item.tensor = static_cast<int>(out->tensors.size());
  out->tensors.push_back(std::move(positions));
  out->items.push_back(item);
  return true;
}

// Replaces a bool mask by the positions of its true elements: one index tensor for each dimension.
bool add_mask(const Shape& shape, const Tensor& mask, ParsedIndex* out) {
  int dim = 0;
  for (const IndexItem& item : out->items)
    dim += item.kind != IndexItem::Kind::kNewAxis && item.kind != IndexItem::Kind::kEllipsis;
  bool after_ellipsis = false;
  for (const IndexItem& item : out->items)
    after_ellipsis |= item.kind == IndexItem::Kind::kEllipsis;
  for (int d = 0; d < mask.rank() && !after_ellipsis; ++d)
    if (dim + d >= shape.rank() || shape[dim + d] != mask.dim(d))
      return fail(index_error(
          "[getitem] shape of a bool index, got {}, expected it to match the tensor of shape {}",
          mask.shape().str(), shape.str()));
  auto positions = mask_positions(mask);
  if (!positions.ok()) return fail(positions.take_error());
  for (Tensor& p : positions.value()) add_positions(std::move(p), out);
  return true;
}

bool add_tensor(const Shape& shape, const Tensor& tensor, ParsedIndex* out) {
  if (is_integer(tensor.dtype())) {
    if (tensor.rank() > 0) return add_positions(tensor, out);
    Tensor here;
    if (!host_tensor(tensor, &here)) return false;
    int64_t value = dispatch_dtype(tensor.dtype(), [&](auto tag) {
      return static_cast<int64_t>(*here.data_as<typename decltype(tag)::type>());
    });
    return add_int(value, out);
  }
  if (!is_bool(tensor.dtype()))
    return fail(index_error("[getitem] dtype of an index tensor, got {}, expected an int or bool",
                            dtype_name(tensor.dtype())));
  if (tensor.rank() > 0) return add_mask(shape, tensor, out);
  Tensor here;
  if (!host_tensor(tensor, &here)) return false;
  if (!*here.data_as<bool>())
    return fail(index_error("[getitem] bool index, got False, expected True or a tensor"));
  add_kind(IndexItem::Kind::kNewAxis, out);
  return true;
}

bool add_item(const Shape& shape, PyObject* object, ParsedIndex* out) {
  if (PySlice_Check(object)) return add_slice(object, out);
  if (object == Py_None) return add_kind(IndexItem::Kind::kNewAxis, out), true;
  if (object == Py_Ellipsis) return add_kind(IndexItem::Kind::kEllipsis, out), true;
  if (PyLong_Check(object) && !PyBool_Check(object)) return add_index(object, out);
  Tensor tensor;
  if (is_tensor(object) || PyBool_Check(object) || PyList_Check(object) || PyTuple_Check(object) ||
      is_array_like(object)) {
    if (!tensor_from_object(object, "getitem", &tensor)) return false;
    // An empty list has no dtype of its own.
    if (tensor.numel() == 0 && (PyList_Check(object) || PyTuple_Check(object)) &&
        !cast_tensor(Tensor(tensor), DType::kInt64, &tensor))
      return false;
    return add_tensor(shape, tensor, out);
  }
  if (PyIndex_Check(object)) return add_index(object, out);
  return fail(
      index_error("[getitem] index, got {}, expected an int, slice, None, Ellipsis, bool, Tensor, "
                  "list or tuple",
                  type_name(object)));
}

bool parse_index(const Tensor& x, PyObject* key, ParsedIndex* out) {
  if (!PyTuple_Check(key)) return add_item(x.shape(), key, out);
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  if (count > 2 * kMaxRank)
    return fail(
        index_error("[getitem] number of indices, got {}, expected at most {}", count, x.rank()));
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!add_item(x.shape(), PyTuple_GET_ITEM(key, i), out)) return false;
  return true;
}

Ref get(PyObject* self, PyObject* key) {
  ParsedIndex index;
  Tensor x = tensor_of(self);  // parsing may run Python code
  if (!parse_index(x, key, &index)) return {};
  return sharing_with(self, wrap_result(get_item(x, index.items, index.tensors)));
}

int set(PyObject* self, PyObject* key, PyObject* value) {
  if (!value)
    return fail(type_error("[setitem] deletion, got del x[...], expected an assignment")), -1;
  ParsedIndex index;
  Tensor x = tensor_of(self), source;
  const bool good = is_tensor(value) || is_number(value) || PyList_Check(value) ||
                    PyTuple_Check(value) || is_array_like(value);
  if (!good)
    return fail(type_error(
               "[setitem] value, got {}, expected a Tensor, number, list, tuple or array",
               type_name(value))),
           -1;
  if (!parse_index(x, key, &index) || !operand_from_object(value, "setitem", &source)) return -1;
  auto written = set_item(x, index.items, index.tensors, source, shares_tracked(self));
  if (!written.ok()) return fail(written.take_error()), -1;
  return !written.value() || replace_shared(self, written.take()) ? 0 : -1;
}

Py_ssize_t length(PyObject* self) {
  const Tensor& x = tensor_of(self);
  if (x.rank() == 0)
    return fail(type_error("[len] tensor, got one of 0 dimensions, expected at least 1")), -1;
  return x.dim(0);
}

Ref item_at(PyObject* self, Py_ssize_t at) {
  const Tensor& x = tensor_of(self);
  if (x.rank() == 0)
    return Ref::steal(
        raise(*type_error("[iter] tensor, got one of 0 dimensions, expected at least 1")));
  if (at < 0 || at >= x.dim(0))
    return Ref::steal(raise(*index_error(
        "[getitem] index of dimension 0, got {}, expected one in [0, {})", at, x.dim(0))));
  IndexItem item;
  item.start = at;
  return sharing_with(self, wrap_result(get_item(x, {&item, 1}, {})));
}

Ref iterate(PyObject* self) {
  if (tensor_of(self).rank() == 0)
    return Ref::steal(
        raise(*type_error("[iter] tensor, got one of 0 dimensions, expected at least 1")));
  return Ref::steal(PySeqIter_New(self));
}

// `v in x`: whether any element equals v.
int contains(PyObject* self, PyObject* value) {
  Ref equal = Ref::steal(host::call(host::program, PyObject_RichCompare, self, value, Py_EQ));
  if (!equal) return -1;
  if (!is_tensor(equal.get())) return host::call(host::program, PyObject_IsTrue, equal.get());
  Tensor t;
  if (!host_tensor(tensor_of(equal.get()), &t)) return -1;
  for (int64_t i = 0, n = t.numel(); i < n; ++i)
    if (t.data_as<bool>()[i]) return 1;
  return 0;
}

PyMappingMethods g_mapping;
PySequenceMethods g_sequence;

}  // namespace

void fill_index_slots(PyTypeObject* type) {
  g_mapping.mp_length = entry<length>;
  g_mapping.mp_subscript = entry<get>;
  g_mapping.mp_ass_subscript = entry<set>;
  g_sequence.sq_length = entry<length>;
  g_sequence.sq_item = entry<item_at>;
  g_sequence.sq_contains = entry<contains>;
  type->tp_as_mapping = &g_mapping;
  type->tp_as_sequence = &g_sequence;
  type->tp_iter = entry<iterate>;
}

}  // namespace msjit
