#include "pylib/ext/auto_cast.h"

#include "guards/py/convert.h"
#include "kernels/core/auto_cast.h"
#include "kernels/core/thread_stack.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"
#include "pylib/ext/tensor.h"

namespace msjit {

thread_local constinit DType auto_cast_dtype = DType::kBool;

namespace {

thread_local constinit ThreadStack<DType> t_outer;

Ref push_auto_cast(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"dtype", nullptr};
  PyObject* a[1];
  if (!parse_args(args, "push_auto_cast", kNames, 1, a)) return {};
  DType dtype;
  if (!dtype_from_object(a[0], "push_auto_cast", &dtype)) return {};
  t_outer.emplace(auto_cast_dtype);
  pause_captures(true);
  auto_cast_dtype = dtype;
  return Ref::none();
}

Ref pop_auto_cast(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {nullptr};
  if (!parse_args(args, "pop_auto_cast", kNames, 0, nullptr)) return {};
  if (t_outer.empty()) return Ref::none();
  auto_cast_dtype = t_outer.top();
  t_outer.pop();
  pause_captures(false);
  return Ref::none();
}

}  // namespace

Status run_auto_cast(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                     TensorVec* out) {
  if (op.has(kInPlace)) return run_op(op, in, attrs, out);
  EagerSink& sink = eager_sink();
  Vals given;
  for (const Tensor& t : in) given.push_back(t ? Val(&sink, t) : Val());
  const AutoCastCall call = auto_cast(op, given, auto_cast_dtype);
  MSJIT_OK(sink.take_error());
  MSJIT_TRY(Vals results, sink.apply(op, call.inputs, attrs));
  if (call.bias) results[0] = add_bias(op, results[0], call.bias);
  MSJIT_OK(sink.take_error());
  for (const Val& result : results) out->push_back(result.tensor());
  return {};
}

PyMethodDef g_auto_cast_functions[] = {
    method<push_auto_cast>("push_auto_cast",
                           "push_auto_cast(dtype)\n--\n\nThis thread's operators compute in this "
                           "dtype where they may, from now on. Nothing is captured until "
                           "that ends."),
    method<pop_auto_cast>("pop_auto_cast",
                          "pop_auto_cast()\n--\n\nTakes the last such dtype away again."),
    {nullptr}};

}  // namespace msjit
