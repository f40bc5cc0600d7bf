// Products of 8-bit integers, summed exactly in 32 bits.
#include "kernels/cpu/onednn/program.h"
#include "kernels/cpu/serial_scope.h"

namespace msjit::onednn {
namespace {

void build(Builder& builder, const Int8Product& p, int64_t rows, bool bias, bool packed) {
  const auto type = p.is_unsigned ? memory::data_type::u8 : memory::data_type::s8;
  const memory::desc a = plain({rows, p.inner}, Tag::ab, type);
  // (cols, inner) in memory, read as its transpose.
  const memory::desc weight = plain({p.inner, p.cols}, Tag::ba, memory::data_type::s8);
  const memory::desc wanted = any({p.inner, p.cols}, memory::data_type::s8);
  const memory::desc out = plain({rows, p.cols}, Tag::ab);
  const memory::desc row = plain({1, p.cols}, Tag::ab);
  dnnl::primitive_attr attr = user_scratchpad();
  attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
  using Desc = dnnl::matmul::primitive_desc;
  const Desc desc =
      bias ? Desc(engine(), a, wanted, row, out, attr) : Desc(engine(), a, wanted, out, attr);
  std::vector<Arg> args = {
      {DNNL_ARG_SRC, builder.operand(a)},
      {DNNL_ARG_WEIGHTS, packed ? builder.packed(weight, desc.weights_desc())
                                : builder.input(weight, desc.weights_desc())},
      {DNNL_ARG_DST, builder.operand(out)},
      {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, builder.operand(vector(p.cols))}};
  if (bias) args.push_back({DNNL_ARG_BIAS, builder.operand(row)});
  builder.add(desc, dnnl::matmul(desc), std::move(args));
}

}  // namespace

// Older instructions add pairs of products in 16 bits, which may overflow.
bool multiplies_int8() { return has_isa(dnnl::cpu_isa::avx512_core_vnni); }

Status int8_matmul(const Int8Product& p, const void* a, const Tensor& weight, const float* scale,
                   const float* bias, float* out) {
  const SerialScope serial(2 * p.rows * p.inner * p.cols < kSmallWork);
  Key problem(Kind::kInt8Matmul);
  problem << p.inner << p.cols << p.is_unsigned << (bias != nullptr);
  const auto make = [&](bool packed, int64_t rows) -> Result<ProgramPtr> {
    Builder builder;
    build(builder, p, rows, bias != nullptr, packed);
    return builder.finish();
  };
  return run_weighted(
      [&](bool packed) { return problem.with(packed).with(p.rows); }, problem.hash(), &weight,
      operands_with(bias, {a, weight.data(), out, scale}),
      [&](bool packed, bool often) {
        const RowBlocks blocks(problem.with(packed), p.rows, {p.inner, 0, p.cols * 4, 0, 0});
        return blocks.make(often, [&](int64_t rows) { return make(packed, rows); });
      });
}

}  // namespace msjit::onednn
