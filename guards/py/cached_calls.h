// What functools.lru_cache remembers, read without a call of the function. Its C implementation
// keeps a dict of results, and for a bounded cache a dict of links that hold the results.
#pragma once

#include <functional>

#include "guards/py/ref.h"

namespace msjit {

// Whether an object is what lru_cache returns.
bool is_cached_function(PyObject* object);
// The remembered result whose key is this very object, borrowed; null when there is none. `hint`:
// its place among the keys when it was last seen.
PyObject* cached_result(PyObject* function, PyObject* key, Py_ssize_t hint);
// Looks for a key that `fits`, and gives it, borrowed, and its place. False: there is none.
bool find_cached(PyObject* function, const std::function<bool(PyObject* key)>& fits, PyObject** key,
                 Py_ssize_t* place);

}  // namespace msjit
