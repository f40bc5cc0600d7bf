// The matrix product.
#include "kernels/cpu/onednn/program.h"
#include "kernels/cpu/serial_scope.h"

namespace msjit::onednn {
namespace {

memory::desc matrices_desc(const Matrices& m, memory::data_type type, bool batched) {
  if (!batched) return {{m.rows, m.cols}, type, memory::dims{m.row_stride, m.col_stride}};
  return {
      {m.batch, m.rows, m.cols}, type, memory::dims{m.batch_stride, m.row_stride, m.col_stride}};
}

dnnl::matmul::primitive_desc matmul_desc(const memory::desc& a, const memory::desc& b,
                                         const memory::desc* bias, const memory::desc& out,
                                         const dnnl::primitive_attr& attr) {
  if (bias) return {engine(), a, b, *bias, out, attr};
  return {engine(), a, b, out, attr};
}

// Only oneDNN's brgemm kernels gain by packing, and only in them packed and plain weights give
// equal bits.
bool gains_by_packing(const dnnl::matmul::primitive_desc& desc) {
  return std::string_view(desc.impl_info_str()).starts_with("brg");
}

void build_matmul(Builder& builder, DType dtype, const Matrices& a, const Matrices& b, bool bias,
                  bool packed) {
  memory::data_type type = data_type(dtype);
  int64_t batch = std::max(a.batch, b.batch);
  bool batched = batch > 1;
  Matrices out{nullptr, batch, a.rows, b.cols, a.rows * b.cols, b.cols, 1};
  memory::desc a_desc = matrices_desc(a, type, batched);
  memory::desc b_desc = matrices_desc(b, type, batched);
  memory::desc out_desc = matrices_desc(out, type, batched);
  dnnl::primitive_attr attr = user_scratchpad();
  Matrices row{nullptr, 1, 1, b.cols, b.cols, b.cols, 1};
  memory::desc bias_desc = matrices_desc(row, data_type(bias_dtype(dtype)), batched);
  auto choose = [&](const memory::desc& weight) {
    return matmul_desc(a_desc, weight, bias ? &bias_desc : nullptr, out_desc, attr);
  };
  auto desc = choose(packed ? memory::desc(b_desc.get_dims(), type, Tag::any) : b_desc);
  if (packed && !gains_by_packing(desc)) {
    packed = false;
    desc = choose(b_desc);
  }
  std::vector<Arg> args = {{DNNL_ARG_SRC, builder.operand(a_desc)},
                           {DNNL_ARG_WEIGHTS, packed ? builder.packed(b_desc, desc.weights_desc())
                                                     : builder.operand(b_desc)},
                           {DNNL_ARG_DST, builder.operand(out_desc)}};
  if (bias) args.push_back({DNNL_ARG_BIAS, builder.operand(bias_desc)});
  builder.add(desc, dnnl::matmul(desc), std::move(args));
}

bool has_avx512() { return has_isa(dnnl::cpu_isa::avx512_core); }

// Without AVX-512 oneDNN has no brgemm matmul. Its gemm sums the last rows in another order, so
// equal rows would give unequal results. Its inner product has a brgemm kernel for AVX2.
bool wants_inner_product(DType dtype, const Matrices& a, const Tensor* weight) {
  return weight && dtype == DType::kFloat32 && a.rows > 1 && !has_avx512();
}

void build_inner_product(Builder& builder, const Matrices& a, const Matrices& b, bool bias,
                         bool packed) {
  memory::data_type type = memory::data_type::f32;
  memory::desc x = plain({a.rows, a.cols}, Tag::ab), y = plain({a.rows, b.cols}, Tag::ab);
  memory::desc weight{{b.cols, b.rows}, type, memory::dims{b.col_stride, b.row_stride}};
  memory::desc wanted = any({b.cols, b.rows});
  using Forward = dnnl::inner_product_forward;
  auto prop = dnnl::prop_kind::forward_inference;
  auto desc = bias ? Forward::primitive_desc(engine(), prop, x, wanted, vector(b.cols), y,
                                             user_scratchpad())
                   : Forward::primitive_desc(engine(), prop, x, wanted, y, user_scratchpad());
  wanted = desc.weights_desc();
  std::vector<Arg> args = {
      {DNNL_ARG_SRC, builder.input(matrices_desc(a, type, false), x)},
      {DNNL_ARG_WEIGHTS, packed ? builder.packed(weight, wanted) : builder.input(weight, wanted)},
      {DNNL_ARG_DST, builder.operand(y)}};
  if (bias) args.push_back({DNNL_ARG_BIAS, builder.operand(vector(b.cols))});
  builder.add(desc, Forward(desc), std::move(args));
}

}  // namespace

// Whether the brgemm kernel computes it: it treats all rows alike, however many there are.
static bool has_row_blocks(DType dtype, const Matrices& a, const Matrices& b) {
  return dtype == DType::kFloat32 && has_avx512() && a.batch == 1 && b.batch == 1 &&
         a.col_stride == 1 && a.row_stride >= a.cols;
}

Status matmul(DType dtype, const Matrices& a, const Matrices& b, const void* bias, void* out,
              const Tensor* weight) {
  const SerialScope serial(2 * std::max(a.batch, b.batch) * a.rows * a.cols * b.cols < kSmallWork);
  const bool inner_product = wants_inner_product(dtype, a, weight);
  const bool batched = std::max(a.batch, b.batch) > 1;
  Key problem(inner_product ? Kind::kInnerProduct : Kind::kMatmul);
  problem << static_cast<int64_t>(dtype) << a.batch << a.cols << a.row_stride << a.col_stride
          << b.batch << b.cols << b.row_stride << b.col_stride << (bias != nullptr);
  if (batched) problem << a.batch_stride << b.batch_stride;
  const bool in_blocks = has_row_blocks(dtype, a, b);
  const auto build = [&](bool packed, int64_t rows) -> Result<ProgramPtr> {
    Matrices part = a;
    part.rows = rows;
    Builder builder;
    if (inner_product)
      build_inner_product(builder, part, b, bias, packed);
    else
      build_matmul(builder, dtype, part, b, bias, packed);
    return builder.finish();
  };
  const auto key = [&](bool packed) { return problem.with(packed).with(a.rows); };
  const uint64_t form = in_blocks ? problem.hash() : key(true).hash();
  const int64_t size = item_size(dtype);
  return run_weighted(
      key, form, weight, operands_with(bias, {a.data, b.data, out}), [&](bool packed, bool often) {
        if (!in_blocks) return build(packed, a.rows);
        const RowBlocks blocks(problem.with(packed), a.rows,
                               {a.row_stride * size, 0, b.cols * size, 0});
        return blocks.make(often, [&](int64_t rows) { return build(packed, rows); });
      });
}

bool multiplies(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return true;
    case DType::kBFloat16: return has_avx512();
    case DType::kFloat16: return has_isa(dnnl::cpu_isa::avx512_core_fp16);
    default: return false;
  }
}

}  // namespace msjit::onednn
