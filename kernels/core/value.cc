#include "kernels/core/value.h"

#include "kernels/core/op.h"

namespace msjit {

const Meta& Val::meta() const {
  // A poisoned value must still answer calls while its error is being returned.
  static const Meta kPoisoned{};
  return *this ? sink_->meta(*this) : kPoisoned;
}

void OpSink::poison(ErrorPtr error) {
  if (!error_) error_ = std::move(error);
}

Status OpSink::take_error() {
  if (!error_) return {};
  return Status(std::move(error_));
}

// Attributes that a call leaves out take their defaults.
static Attrs with_defaults(const OpDef& op, const Attrs& given) {
  Attrs attrs = given;
  uint32_t index = 0;
  for (const Param& param : op.signature.params) {
    if (!param.is_tensor() && index++ >= given.size()) attrs.push_back(param.default_value);
  }
  return attrs;
}

Vals call_multi(OpSink* sink, const OpDef& op, std::span<const Val> inputs, const Attrs& attrs) {
  if (static_cast<int>(attrs.size()) < op.signature.num_attrs) [[unlikely]]
    return call_multi(sink, op, inputs, with_defaults(op, attrs));
  size_t num_outputs = op.num_outputs > 0 ? op.num_outputs : 1;
  // An input with a sink but without a value is poisoned. One without a sink is an absent optional
  // input.
  for (const Val& input : inputs) {
    if (input.sink() && !input) return Vals(num_outputs, Val(sink, Tensor()));
  }
  auto result = sink->apply(op, inputs, attrs);
  if (result.ok()) return result.take();
  sink->poison(result.take_error());
  return Vals(num_outputs, Val(sink, Tensor()));
}

Val call_in(OpSink* sink, const OpDef& op, std::span<const Val> inputs, const Attrs& attrs) {
  return call_multi(sink, op, inputs, attrs)[0];
}

Val call(const OpDef& op, std::initializer_list<Val> inputs, Attrs attrs) {
  for (const Val& input : inputs) {
    if (input.sink()) {
      return call_in(input.sink(), op, {inputs.begin(), inputs.size()}, attrs);
    }
  }
  return Val();
}

}  // namespace msjit
