// How a Python call of an operator becomes tensors and attributes, in two steps. bind_args()
// matches arguments with parameters by position and name. It looks at no value, so the symbolic
// executor uses it too. parse_call() converts the objects.
#pragma once

#include "guards/py/convert.h"

namespace msjit {

inline constexpr int kMaxParams = 16;

struct BoundArgs {
  int from[kMaxParams];  // argument of each parameter, keyword values following the positional
                         // ones; -1 = default
  int packed = -1;       // the last parameter, if it takes all remaining positional arguments:
                         // x.reshape(2, 3)
};

// Whether a Python number may be given for a tensor parameter. The op must have a second tensor;
// the condition of a choice cannot be a number; operands of logical ops may be bools alone. Lists,
// tuples and arrays never may. `number` is null where it is known not to be a bool.
bool takes_number(const OpDef& op, const Param& param, PyObject* number);

// `names`: tuple of keyword names, or null. `param_names` as in OpObject. False with TypeError set.
bool bind_args(const OpDef& op, PyObject* param_names, Py_ssize_t num_positional, PyObject* names,
               BoundArgs* out);

struct CallArgs {
  InlineVec<TensorImpl*, 4> inputs;  // borrowed from the arguments or from `made`; null = absent
  InlineVec<Tensor, 2> made;         // tensors made of numbers
  Attrs attrs;
};
bool parse_call(const OpObject& op, PyObject* const* args, Py_ssize_t num_positional,
                PyObject* names, CallArgs* out);

}  // namespace msjit
