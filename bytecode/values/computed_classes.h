// What is known of a kComputed before it is made: its class, and whether making it may raise.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "bytecode/exec.h"

namespace msjit {

// numpy.generic, which stands for every class of NumPy's numbers; null while nothing has loaded it.
PyTypeObject* numpy_number();
// The classes that can be computed with. A class is named by its index here; kNumPyPlace is that of
// NumPy's.
std::array<PyTypeObject*, 5> computable_classes();
inline constexpr int kNumPyPlace = 4;
bool is_computable(PyTypeObject* type);
bool is_number_class(PyTypeObject* type);
bool is_numpy_class(PyTypeObject* type);
bool is_int_class(PyTypeObject* type);

// The class of `a op b` for numbers; null: not known, or Python raises.
PyTypeObject* class_of_numbers(PyTypeObject* a, PyTypeObject* b, const SymRef& right, BinaryOp op);
// `a`, `b`: the classes of the two numbers.
bool numbers_may_raise(Executor& x, PyTypeObject* a, PyTypeObject* b, const SymRef& left,
                       const SymRef& right, BinaryOp op);
// The class of the result of a builtin function; null: not known here.
PyTypeObject* class_of_call(PyObject* function, std::string_view name,
                            const std::vector<PyTypeObject*>& args);
// The name of a function that gives numbers, as class_of_call knows it.
const char* function_name(PyObject* function);
bool call_may_raise(PyObject* function, const std::vector<PyTypeObject*>& args);

}  // namespace msjit
