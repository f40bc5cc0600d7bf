#include "kernels/eager/saved_hooks.h"

#include "kernels/core/thread_stack.h"
#include "kernels/eager/state.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

thread_local constinit ThreadStack<std::shared_ptr<SavedHooks>> t_hooks;

// Runs a gradient rule on dtypes and shapes only and notes whose data it reads. A rule depends on
// nothing else, so it will read these values later.
class ProbeSink final : public OpSink {
 public:
  Val add(const Meta& meta) {
    metas_.push_back(std::make_unique<Meta>(meta));
    read_.push_back(false);
    return Val(this, static_cast<int32_t>(metas_.size() - 1));
  }
  bool is_read(const Val& value) const { return value && read_[value.id()]; }

  Result<Vals> apply(const OpDef& op, std::span<const Val> inputs, const Attrs& attrs) override {
    if (op.composite && !op.host_kernel()) return op.expand(this, inputs, attrs);
    std::vector<const Meta*> metas;
    for (const Val& value : inputs) {
      metas.push_back(value ? metas_[value.id()].get() : nullptr);
      if (value) read_[value.id()] = true;
    }
    InferCtx ctx(op, metas, attrs);
    MSJIT_OK(infer_outputs(ctx));
    Vals outputs;
    for (const Meta& meta : ctx.outputs) outputs.push_back(add(meta));
    return outputs;
  }
  const Meta& meta(const Val& value) const override { return *metas_[value.id()]; }
  Val constant(Tensor value) override { return add(value.meta()); }

 private:
  std::vector<std::unique_ptr<Meta>> metas_;  // pointers, so that they keep their addresses
  std::vector<bool> read_;
};

Status pack_read(const ProbeSink& sink, std::span<const Val> values,
                 std::span<const Tensor> tensors,
                 std::vector<std::shared_ptr<PackedTensor>>* packed) {
  packed->resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!sink.is_read(values[i]) || tensors[i].meta().weak) continue;  // weak: a number
    MSJIT_TRY((*packed)[i], t_hooks.top()->pack(tensors[i].detach()));
  }
  return {};
}

}  // namespace

void push_saved_hooks(std::shared_ptr<SavedHooks> hooks) {
  t_hooks.emplace(std::move(hooks));
  eager_state.hooked = true;
}

void pop_saved_hooks() {
  if (!t_hooks.empty()) t_hooks.pop();
  eager_state.hooked = !t_hooks.empty();
}

Result<std::unique_ptr<PackedTensors>> pack_tensors(const OpDef& op, std::span<const Tensor> in,
                                                    const Attrs& attrs, std::span<const Tensor> out,
                                                    std::span<const bool> wanted) {
  auto packed = std::make_unique<PackedTensors>();
  if (!op.vjp) return packed;
  ProbeSink sink;
  Vals inputs, outputs, grads;
  for (const Tensor& t : in) inputs.push_back(t ? sink.add(t.meta()) : Val());
  for (const Tensor& t : out) {
    outputs.push_back(sink.add(t.meta()));
    grads.push_back(sink.add(t.meta()));
  }
  Vjp vjp{&sink, &op, attrs, inputs, outputs, grads, wanted, Vals(in.size())};
  const TableScope tables(&sink, vjp.inputs);
  op.vjp(vjp);
  MSJIT_OK(sink.take_error());
  // The hooks may run ops; these are neither recorded nor handed to the hooks.
  const GradScope untracked(false);
  eager_state.hooked = false;
  Status status = pack_read(sink, inputs, in, &packed->inputs);
  if (status.ok()) status = pack_read(sink, outputs, out, &packed->outputs);
  eager_state.hooked = true;
  MSJIT_OK(std::move(status));
  return packed;
}

Result<Tensor> unpack_tensor(PackedTensor& packed, const Meta& meta) {
  const GradScope untracked(false);
  const bool hooked = eager_state.hooked;
  eager_state.hooked = false;
  Result<Tensor> tensor = packed.unpack();
  eager_state.hooked = hooked;
  if (!tensor.ok()) return tensor.take_error();
  if (tensor.value().dtype() == meta.dtype && tensor.value().shape() == meta.shape)
    return tensor.value().detach();
  return value_error("[saved_tensors_hooks] result of unpack_hook, got {}{}, expected {}{}",
                     dtype_name(tensor.value().dtype()), tensor.value().shape().str(),
                     dtype_name(meta.dtype), meta.shape.str());
}

}  // namespace msjit
