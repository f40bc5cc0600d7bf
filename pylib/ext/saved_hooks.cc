// saved_tensors_hooks: Python functions that pack and unpack the tensors that the tape keeps.
#include "kernels/eager/saved_hooks.h"

#include "guards/py/host_call.h"
#include "pylib/ext/autograd.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/custom_gradient.h"
#include "pylib/ext/jit.h"

namespace msjit {
namespace {

Ref call_hook(PyObject* hook, PyObject* argument) {
  return outlive_interpreter([&] {
    return Ref::steal(
        host::call(host::program, PyObject_CallFunctionObjArgs, hook, argument, nullptr));
  });
}

class PythonPacked final : public PackedTensor {
 public:
  PythonPacked(std::shared_ptr<Kept> hook, Ref object)
      : hook_(std::move(hook)), object_(std::move(object)) {}

  Result<Tensor> unpack() override {
    const GilAcquire locked;
    Ref result = call_hook(hook_->get(), object_.get());
    if (!result) return runtime_error(kHookRaised);
    if (is_tensor(result.get())) return Tensor(tensor_of(result.get()));
    return type_error("[saved_tensors_hooks] result of unpack_hook, got {}, expected a Tensor",
                      type_name(result.get()));
  }

 private:
  std::shared_ptr<Kept> hook_;
  Kept object_;
};

class PythonHooks final : public SavedHooks {
 public:
  PythonHooks(Ref pack, Ref unpack)
      : pack_(std::move(pack)), unpack_(std::make_shared<Kept>(std::move(unpack))) {}

  Result<std::shared_ptr<PackedTensor>> pack(const Tensor& tensor) override {
    const GilAcquire locked;
    Ref given = wrap_tensor(tensor);
    Ref packed = given ? call_hook(pack_.get(), given.get()) : Ref();
    if (!packed) return runtime_error(kHookRaised);
    return std::shared_ptr<PackedTensor>(
        std::make_shared<PythonPacked>(unpack_, std::move(packed)));
  }

 private:
  Kept pack_;
  std::shared_ptr<Kept> unpack_;
};

Ref push_hooks(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"pack_hook", "unpack_hook", nullptr};
  PyObject* a[2];
  if (!parse_args(args, "push_saved_hooks", kNames, 2, a)) return {};
  push_saved_hooks(std::make_shared<PythonHooks>(Ref::share(a[0]), Ref::share(a[1])));
  pause_captures(true);
  return Ref::none();
}

Ref pop_hooks(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {nullptr};
  if (!parse_args(args, "pop_saved_hooks", kNames, 0, nullptr)) return {};
  pop_saved_hooks();
  pause_captures(false);
  return Ref::none();
}

}  // namespace

PyMethodDef g_saved_hooks_functions[] = {
    method<push_hooks>(
        "push_saved_hooks",
        "push_saved_hooks(pack_hook, unpack_hook)\n--\n\nWhat this thread's tape "
        "keeps goes through these functions from now on. Nothing is captured until that ends."),
    method<pop_hooks>("pop_saved_hooks",
                      "pop_saved_hooks()\n--\n\nTakes the last pair of functions away again."),
    {nullptr}};

}  // namespace msjit
