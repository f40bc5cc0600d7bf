// EQUAL: a value of an exact builtin immutable type that equals the captured one. Floats and
// complex numbers are compared by their bits, because arithmetic tells 0.0 from -0.0 and a NaN must
// equal itself.
#include <cstring>

#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/open_sizes.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

struct Range {  // which the public headers do not show
  PyObject_HEAD PyObject *start, *stop, *step;
};

// Equal ranges may differ in their attributes: range(0, 5, 2) == range(0, 6, 2). Before 3.10 the
// attributes may be of a class derived from int with a comparison of its own.
bool same_range(PyObject* a, PyObject* b) {
  const auto *x = reinterpret_cast<const Range*>(a), *y = reinterpret_cast<const Range*>(b);
  return host::equal_values(x->start, y->start) && host::equal_values(x->stop, y->stop) &&
         host::equal_values(x->step, y->step);
}

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyObject* expected = step.object.address();
  if (object == expected) return true;
  if (Py_TYPE(object) != Py_TYPE(expected)) return false;
  if (PyFloat_CheckExact(object)) {
    const double a = PyFloat_AS_DOUBLE(object), b = PyFloat_AS_DOUBLE(expected);
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  if (PyComplex_CheckExact(object)) {
    const auto a = reinterpret_cast<const PyComplexObject*>(object)->cval,
               b = reinterpret_cast<const PyComplexObject*>(expected)->cval;
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  if (PyRange_Check(object)) return same_range(object, expected);
  return host::equal_values(object, expected);
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("{} == {}", source, host::text_of(step.object.address()));
}

bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }  // immutable

bool changes(const GuardStep& step, PyObject* object, const std::string& source,
             std::vector<ChangedSize>* out) {
  int64_t now = 0, then = 0;
  if (PyFloat_CheckExact(object) && PyFloat_CheckExact(step.object.address())) {
    out->push_back({source, kFloatDim, fmt::format("{}", PyFloat_AS_DOUBLE(object))});
    return true;
  }
  if (!small_int(object, &now) || !small_int(step.object.address(), &then)) return false;
  out->push_back({source, -1, std::to_string(now)});
  return true;
}

}  // namespace

const GuardKind guard::equal = {
    .name = "equal", .check = check, .describe = describe, .watch = watch, .changes = changes};

}  // namespace msjit
