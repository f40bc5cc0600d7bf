// Python values to tensors and attributes. Every function that can fail returns false (or an empty
// Ref) with a Python exception set in the house format; `where` is the name in its brackets.
#pragma once

#include "guards/py/error.h"
#include "guards/py/objects.h"

namespace msjit {

// Raises what `error` says; always false.
inline bool fail(ErrorPtr error) {
  raise(*error);
  return false;
}
inline const char* type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

inline bool is_number(PyObject* object) { return PyFloat_Check(object) || PyLong_Check(object); }
// NumPy arrays and scalars, memoryviews, array.array: anything with elements to read, but not text.
bool is_array_like(PyObject* object);

// A NumPy scalar that stores its value in the object itself: a bool, integer or float.
bool is_numpy_scalar(PyObject* object);
bool is_numpy_scalar_class(const PyTypeObject* type);

// A Python number as a weak 0-d tensor: bool, int64 or float64.
bool tensor_from_number(PyObject* number, const char* where, Tensor* out);
// Shares the memory of an exporter of the buffer protocol where its layout allows (always copies
// when `copy`).
bool tensor_from_buffer(PyObject* exporter, const char* where, bool copy, Tensor* out);
// A number, (nested) list or tuple, array or tensor. Numbers and NumPy scalars come out weak.
bool tensor_from_object(PyObject* object, const char* where, Tensor* out);
// For an operand: as tensor_from_object(), but moves what has dimensions to the default device.
bool operand_from_object(PyObject* object, const char* where, Tensor* out);
// For a list or tuple beside a tensor in an operator: the elements in the tensor's dtype.
bool operand_from_sequence(PyObject* sequence, const char* where, DType dtype, Tensor* out);
bool place_on_default_device(Tensor* tensor);
// The elements of a (nested) list or tuple. Python numbers become bool, int64 or float32; arrays
// among them give their own dtype. Where `doubles` is given, floats stay float64 and it becomes
// true.
bool tensor_from_sequence(PyObject* sequence, const char* where, Tensor* out,
                          bool* doubles = nullptr);
// `tensor` converted to `dtype`, outside the tape; itself when it is already so.
bool cast_tensor(const Tensor& tensor, DType dtype, Tensor* out);

// msjit and NumPy dtypes, their names, and the types bool, int and float.
bool dtype_from_object(PyObject* object, const char* where, DType* out);
// As Tensor.astype reads it: `float` and "float" are float64 there, as NumPy has it.
bool astype_dtype(PyObject* object, DType* out);
// bool(object), which may be Python code and raise; null stands for `missing`.
bool truth_from_object(PyObject* object, bool missing, bool* out);
bool int_from_object(PyObject* object, const char* where, const char* what, int64_t* out);
// An int, or a sequence of ints.
bool ints_from_object(PyObject* object, const char* where, const char* what, IntList* out);
bool attr_from_object(const OpDef& op, const Param& param, PyObject* object, AttrValue* out);

Ref shape_tuple(std::span<const int64_t> values);
// One element as bool, int or float.
Ref element_to_python(DType dtype, const void* data);

}  // namespace msjit
