// NumPy arrays that captured code makes of known values. NumPy itself computes them while
// capturing. Views share the memory of the array they show, so a store is seen through all of them.
// Where one leaves a region, it is copied, and views are made of the copy again.
#pragma once

#include <functional>
#include <span>

#include "bytecode/exec.h"

namespace msjit {

struct ModelRow;

bool is_array(const SymRef& value);

PyTypeObject* ndarray_type();  // null when NumPy is not loaded
bool is_ndarray(PyObject* object);
Py_ssize_t count_of(PyObject* array);  // its number of elements
// The kind and size of an array's elements, as its dtype names them; '?' where it is not native.
struct Elements {
  char kind = '?';
  long bits = 0;
};
Elements elements_of(PyObject* array);

// An object of the loaded numpy module that is NumPy's own, borrowed; null when there is none.
PyObject* of_numpy(const char* name);
// Whether a function's __module__ is in numpy, as opposed to a function that a program has put
// there.
bool is_of_numpy(PyObject* function);

// An array, number, text, dtype, None, slice, or list or tuple of these. Empty: something else.
Ref known_value(Executor& x, const SymRef& value, int depth = 0);
// A dtype as NumPy's functions take it: a class of numbers, or a name.
Ref dtype_argument(Executor& x, const SymRef& value);

// What NumPy computes if it neither raises nor warns; otherwise empty, without an exception.
Ref quietly(const std::function<PyObject*()>& compute);

// A call of NumPy with known arguments. `arrays`: those among them that are arrays.
struct KnownCall {
  Ref function, args, keywords;
  std::vector<SymRef> arrays;
};
// Makes the result a value of the region. A view is kept with the call that made it. False: the
// result is too large, or of a class that msjit has no value for.
bool keep_result(Executor& x, const char* name, const Ref& result, const KnownCall& call,
                 SymRef* out);
// Both: a function that runs no code of the program, called with known arguments.
bool call_known(Executor& x, const char* name, PyObject* function, const std::vector<SymRef>& args,
                PyObject* names, SymRef* out);

// The names of NumPy's functions that take arrays.
std::span<const char* const> array_functions();
// Whether an array is among the arguments, or in a list or tuple there.
bool has_array(const std::vector<SymRef>& args);
// The name of a ufunc that is NumPy's own; null for others.
const char* name_of_ufunc(PyObject* ufunc);
std::span<const ModelRow> array_methods();
// A method of ndarray.
bool call_array_method(Executor& x, const char* method, const std::vector<SymRef>& args,
                       PyObject* names, SymRef* out);

}  // namespace msjit
