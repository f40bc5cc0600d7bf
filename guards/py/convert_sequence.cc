// Nested lists and tuples to tensors. Lists of plain numbers, the common case, are read in one
// walk. If an array or tensor is among the elements, every element is converted by itself and the
// parts are stacked.
#include <algorithm>

#include "guards/py/convert.h"

namespace msjit {
namespace {

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

bool ragged(const char* where, Py_ssize_t got, Py_ssize_t expected) {
  return fail(type_error("[{}] nested list, got rows of {} and {} elements, expected equal lengths",
                         where, expected, got));
}

// What a walk over a nested list of numbers finds out.
class Scan {
 public:
  explicit Scan(const char* where) : where_(where) {}
  Shape shape;
  DType kind = DType::kBool;  // bool, int64, uint64, float64 or complex128: the widest seen
  bool mixed = false;         // an element that is neither list nor number

  bool run(PyObject* list) {
    PyObject* level = list;
    do {
      if (shape.rank() == kMaxRank)
        return fail(value_error("[{}] nested list, got more than {} levels, expected at most {}",
                                where_, kMaxRank, kMaxRank));
      shape.push_back(PySequence_Fast_GET_SIZE(level));
      if (shape.back() == 0) break;
      level = PySequence_Fast_GET_ITEM(level, 0);
    } while (is_list(level));
    return walk(list, 0);
  }

 private:
  bool walk(PyObject* list, int depth) {
    Py_ssize_t size = PySequence_Fast_GET_SIZE(list);
    if (size != shape[depth]) return ragged(where_, size, shape[depth]);
    for (Py_ssize_t i = 0; i < size && !mixed; ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(list, i);
      if (is_list(item)) {
        if (depth + 1 == shape.rank())
          return fail(type_error(
              "[{}] nested list, got numbers and lists side by side, expected one of them",
              where_));
        if (!walk(item, depth + 1)) return false;
      } else if (!is_number(item) && !PyComplex_Check(item)) {
        mixed = true;
      } else if (depth + 1 != shape.rank()) {
        return fail(type_error(
            "[{}] nested list, got numbers and lists side by side, expected one of them", where_));
      } else if (!PyBool_Check(item)) {
        kind = wider(kind, kind_of(item));
      }
    }
    return true;
  }
  // An int beyond int64 makes the list one of uint64, as in NumPy.
  static DType kind_of(PyObject* item) {
    if (PyComplex_Check(item)) return DType::kComplex128;
    if (PyFloat_Check(item)) return DType::kFloat64;
    int overflow = 0;
    (void)PyLong_AsLongLongAndOverflow(item, &overflow);
    return overflow > 0 ? DType::kUInt64 : DType::kInt64;
  }
  const char* where_;
};

// Writes the numbers of a scanned list. Nothing called here runs Python code, so the list cannot
// change underneath.
bool fill(PyObject* list, int depth, const Shape& shape, DType kind, const char* where, char** to) {
  for (int64_t i = 0; i < shape[depth]; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(list, i);
    if (depth + 1 < shape.rank()) {
      if (!fill(item, depth + 1, shape, kind, where, to)) return false;
    } else if (kind == DType::kBool) {
      *(*to)++ = item == Py_True;
    } else if (kind == DType::kInt64) {
      int64_t value;
      if (!int_from_object(item, where, "element", &value)) return false;
      std::memcpy(*to, &value, 8);
      *to += 8;
    } else if (kind == DType::kUInt64) {
      const uint64_t value = PyLong_AsUnsignedLongLong(item);
      if (value == UINT64_MAX && PyErr_Occurred()) return false;
      std::memcpy(*to, &value, 8);
      *to += 8;
    } else if (kind == DType::kComplex128) {
      double parts[2] = {};
      if (PyComplex_Check(item))
        parts[0] = PyComplex_RealAsDouble(item), parts[1] = PyComplex_ImagAsDouble(item);
      else
        parts[0] = PyFloat_Check(item) ? PyFloat_AS_DOUBLE(item) : PyLong_AsDouble(item);
      if (parts[0] == -1.0 && PyErr_Occurred()) return false;
      std::memcpy(*to, parts, 16);
      *to += 16;
    } else {
      double value = PyFloat_Check(item) ? PyFloat_AS_DOUBLE(item) : PyLong_AsDouble(item);
      if (value == -1.0 && PyErr_Occurred()) return false;
      std::memcpy(*to, &value, 8);
      *to += 8;
    }
  }
  return true;
}

bool stack_parts(std::span<const Tensor> parts, const char* where, Tensor* out) {
  DType dtype = parts[0].dtype();
  bool weak = parts[0].meta().weak;
  for (const Tensor& part : parts) {
    if (!(part.shape() == parts[0].shape()))
      return fail(
          type_error("[{}] elements of the list, got shapes {} and {}, expected equal shapes",
                     where, parts[0].shape().str(), part.shape().str()));
    dtype = promote(dtype, weak, part.dtype(), part.meta().weak);
    weak = weak && part.meta().weak;
  }
  if (parts[0].rank() == kMaxRank)
    return fail(value_error("[{}] number of dimensions, got {}, expected at most {}", where,
                            kMaxRank + 1, kMaxRank));
  Shape shape = parts[0].shape();
  shape.insert(0, static_cast<int64_t>(parts.size()));
  auto whole = Tensor::empty(dtype, shape);
  if (!whole.ok()) return fail(whole.take_error());
  *out = whole.take();
  const int64_t step = parts[0].numel();
  for (size_t i = 0; i < parts.size(); ++i) {
    Tensor part;
    if (!cast_tensor(parts[i], dtype, &part)) return false;
    const Shape& inner = part.shape();
    if (step)
      copy_strided(part, Tensor::view(*out, inner, contiguous_strides(inner),
                                      static_cast<int64_t>(i) * step));
  }
  return true;
}

bool from_parts(PyObject* sequence, const char* where, Tensor* out) {
  if (Py_EnterRecursiveCall(" while reading a nested list")) return false;
  InlineVec<Tensor, 4> parts;
  bool good = true;
  for (Py_ssize_t i = 0; good && i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    Ref item = Ref::share(PySequence_Fast_GET_ITEM(sequence, i));  // conversion may run Python code
    parts.emplace_back();
    good = tensor_from_object(item.get(), where, &parts.back());
  }
  Py_LeaveRecursiveCall();
  return good && stack_parts(parts, where, out);
}

}  // namespace

bool tensor_from_sequence(PyObject* sequence, const char* where, Tensor* out, bool* doubles) {
  Scan scan(where);
  if (!scan.run(sequence)) return false;
  if (scan.mixed) return from_parts(sequence, where, out);
  const bool none = scan.shape.numel() == 0;
  auto whole = Tensor::empty(none ? DType::kFloat32 : scan.kind, scan.shape);
  if (!whole.ok()) return fail(whole.take_error());
  *out = whole.take();
  if (none) return true;
  char* to = out->data_as<char>();
  if (!fill(sequence, 0, scan.shape, scan.kind, where, &to)) return false;
  if (doubles && scan.kind == DType::kFloat64) return *doubles = true;
  return scan.kind != DType::kFloat64 || cast_tensor(Tensor(*out), DType::kFloat32, out);
}

}  // namespace msjit
