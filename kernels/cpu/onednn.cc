#include "kernels/cpu/onednn.h"

#include <omp.h>

#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "kernels/core/inline_vec.h"
#include "kernels/cpu/packed.h"
#include "kernels/cpu/parallel.h"

namespace msjit::onednn {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// Both outlive every thread's table of primitives.
const dnnl::engine& engine() {
  static const dnnl::engine* instance = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *instance;
}
dnnl_stream_t stream() {
  static thread_local dnnl::stream instance(engine());
  return instance.get();
}

// -- The table of primitives
// -------------------------------------------------------------------------------------

enum class Kind : int64_t {
  kMatmul,
  kInnerProduct,
  kConv,
  kConvInputGrad,
  kConvWeightGrad,
  kPool,
  kPoolGrad,
  kMaxPoolGrad,
  kBatchNorm,
  kBatchNormGrad,
  kLayerNorm,
  kLayerNormGrad,
  kSoftmax,
};

// All that a primitive depends on, the number of threads included.
class Key {
 public:
  explicit Key(Kind kind) { *this << static_cast<int64_t>(kind) << num_threads(); }
  Key& operator<<(int64_t word) {
    words_[size_++] = word;
    hash_ = (hash_ ^ static_cast<uint64_t>(word)) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
    return *this;
  }
  Key& operator<<(const int64_t (&pair)[2]) { return *this << pair[0] << pair[1]; }
  Key with(int64_t word) const { return Key(*this) << word; }
  friend bool operator==(const Key& a, const Key& b) {
    return a.size_ == b.size_ && std::memcmp(a.words_, b.words_, a.size_ * sizeof(int64_t)) == 0;
  }
  size_t hash() const { return hash_; }

 private:
  int64_t words_[28];
  int64_t size_ = 0;
  uint64_t hash_ = 0x243f6a8885a308d3u;
};
struct KeyHash {
  size_t operator()(const Key& key) const { return key.hash(); }
};

// A few primitives run in order: the computation and the reorders around it. Operands are bound by
// position.
class Program {
 public:
  // Of a program that takes its weight packed: from plain bytes to that layout.
  std::unique_ptr<Program> pack;
  size_t packed_bytes = 0;
  int layout = 0;  // 0: it takes the plain bytes

  Status run(std::span<void* const> operands) {
    Storage scratch;
    if (scratch_bytes_ > 0) {
      MSJIT_TRY(scratch, Storage::allocate(scratch_bytes_));
      char* base = static_cast<char*>(scratch->data);
      for (const Temporary& t : temporaries_)
        dnnl_memory_set_data_handle(t.value.get(), base + t.offset);
    }
    for (size_t i = 0; i < operands.size(); ++i)
      dnnl_memory_set_data_handle(operands_[i].get(), operands[i]);
    for (const Step& step : steps_) {
      dnnl_status_t status = dnnl_primitive_execute(
          step.primitive.get(), stream(), static_cast<int>(step.args.size()), step.args.data());
      if (status != dnnl_success)
        return internal_error("[onednn] a primitive failed with status {}",
                              static_cast<int>(status));
    }
    return {};
  }

 private:
  friend class Builder;
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> args;
  };
  struct Temporary {
    memory value;
    size_t offset;
  };
  std::vector<Step> steps_;
  std::vector<memory> operands_;
  std::vector<Temporary> temporaries_;
  size_t scratch_bytes_ = 0;
};

// A number for each pair of layouts met, the same in all threads.
int layout_number(const memory::desc& plain, const memory::desc& packed) {
  static std::mutex mutex;
  static auto* known = new std::vector<std::pair<memory::desc, memory::desc>>;
  std::lock_guard lock(mutex);
  for (size_t i = 0; i < known->size(); ++i)
    if ((*known)[i].first == plain && (*known)[i].second == packed) return static_cast<int>(i) + 1;
  known->emplace_back(plain, packed);
  return static_cast<int>(known->size());
}

struct Arg {
  int index;
  memory value;
};

class Builder {
 public:
  // The next operand of run().
  memory operand(const memory::desc& desc) {
    return program_.operands_.emplace_back(desc, engine(), nullptr);
  }
  memory temporary(const memory::desc& desc) {
    memory fresh(desc, engine(), nullptr);
    program_.temporaries_.push_back({fresh, program_.scratch_bytes_});
    program_.scratch_bytes_ += (desc.get_size() + 63) / 64 * 64;
    return fresh;
  }
  // An operand as a primitive wants to read it.
  memory input(const memory::desc& plain, const memory::desc& wanted) {
    memory given = operand(plain);
    if (plain == wanted) return given;
    memory converted = temporary(wanted);
    reorder(given, converted);
    return converted;
  }
  // The weight as a primitive wants to read it, converted once by the program's `pack`.
  memory packed(const memory::desc& plain, const memory::desc& wanted) {
    if (plain == wanted) return operand(plain);
    Builder conversion;
    memory from = conversion.operand(plain), to = conversion.operand(wanted);
    conversion.reorder(from, to);
    program_.pack = conversion.finish();
    program_.packed_bytes = wanted.get_size();
    program_.layout = layout_number(plain, wanted);
    return operand(wanted);
  }
  // An operand as a primitive writes it; finish() converts it.
  memory output(const memory::desc& plain, const memory::desc& written) {
    memory target = operand(plain);
    if (plain == written) return target;
    memory raw = temporary(written);
    results_.push_back({raw, target});
    return raw;
  }
  template <class Desc, class Primitive>
  void add(const Desc& desc, const Primitive& primitive, std::vector<Arg> args) {
    if (desc.scratchpad_desc().get_size() > 0)
      args.push_back({DNNL_ARG_SCRATCHPAD, temporary(desc.scratchpad_desc())});
    append(primitive, args);
  }
  std::unique_ptr<Program> finish() {
    for (auto& [raw, target] : results_) reorder(raw, target);
    return std::make_unique<Program>(std::move(program_));
  }

 private:
  void append(const dnnl::primitive& primitive, const std::vector<Arg>& args) {
    Program::Step step{primitive, {}};
    for (const Arg& arg : args) step.args.push_back({arg.index, arg.value.get()});
    program_.steps_.push_back(std::move(step));
  }
  void reorder(const memory& from, const memory& to) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::reorder::primitive_desc desc(engine(), from.get_desc(), engine(), to.get_desc(), attr);
    add(desc, dnnl::reorder(desc), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }
  Program program_;
  std::vector<std::pair<memory, memory>> results_;
};

using Table = std::unordered_map<Key, std::unique_ptr<Program>, KeyHash>;
constexpr size_t kMaxPrimitives = 1024;

Table& table() {
  static thread_local Table instance;
  return instance;
}

// oneDNN asks OpenMP for the number of threads: while one of its calls runs the answer is ours.
class ThreadScope {
 public:
  ThreadScope() : before_(omp_get_max_threads()) {
    if (before_ != num_threads()) omp_set_num_threads(num_threads());
  }
  ~ThreadScope() {
    if (before_ != omp_get_max_threads()) omp_set_num_threads(before_);
  }
  ThreadScope(const ThreadScope&) = delete;

 private:
  int before_;
};

// The program of `key`, built with `build(Builder&)` the first time.
template <class Build>
Result<Program*> find_program(const Key& key, Build&& build) {
  Table& programs = table();
  auto found = programs.find(key);
  if (found == programs.end()) [[unlikely]] {
    if (programs.size() >= kMaxPrimitives) programs.clear();
    try {
      Builder builder;
      build(builder);
      found = programs.emplace(key, builder.finish()).first;
    } catch (const dnnl::error& error) {
      if (error.status == dnnl_out_of_memory)
        return memory_error("[onednn] not enough memory to build a primitive");
      return internal_error("[onednn] cannot build a primitive: {}", error.what());
    }
  }
  return found->second.get();
}

// oneDNN takes mutable pointers for what it only reads.
std::span<void* const> pointers(std::span<const void* const> operands) {
  return {const_cast<void* const*>(operands.data()), operands.size()};
}

template <class Build>
Status run_cached(const Key& key, std::initializer_list<const void*> operands, Build&& build) {
  ThreadScope threads;
  MSJIT_TRY(Program * program, find_program(key, build));
  return program->run(pointers({operands.begin(), operands.size()}));
}

using Operands = InlineVec<const void*, 4>;
Operands operands_with(const void* last, Operands operands) {
  if (last) operands.push_back(last);
  return operands;
}
constexpr int kWeightOperand = 1;

// The packed bytes of a weight for `program`; empty when there are none and there shall be none.
Result<Storage> packed_weight(const Tensor& weight, const Key& key, Program* program,
                              packed::Found found) {
  if (!found.due) return found.layout == program->layout ? std::move(found.copy) : Storage();
  if (program->layout == 0) return packed::keep(weight, key.hash(), 0, 0, {}), Storage();
  uint64_t version = weight.storage()->version;
  Storage copy = packed::find_layout(weight, program->layout);
  if (!copy) {
    MSJIT_TRY(copy, packed::allocate(program->packed_bytes));
    const void* conversion[] = {weight.data(), copy ? copy->data : nullptr};
    if (copy) MSJIT_OK(program->pack->run(pointers(conversion)));
  }
  packed::keep(weight, key.hash(), program->layout, version, copy);
  return copy;
}

// As run_cached, for programs whose second operand is a weight: it is read packed where that pays.
// `build(Builder&, bool packed)` makes either program; both give the same bits.
template <class Build>
Status run_weighted(const Key& key, const Tensor* weight, Operands operands, Build&& build) {
  ThreadScope threads;
  packed::Found found;
  if (weight) found = packed::find(*weight, key.hash());
  if (found.due || found.copy) {
    MSJIT_TRY(Program * program, find_program(key.with(1), [&](Builder& b) { build(b, true); }));
    MSJIT_TRY(Storage copy, packed_weight(*weight, key, program, std::move(found)));
    if (copy) {
      operands[kWeightOperand] = copy->data;
      return program->run(pointers(operands));
    }
  }
  MSJIT_TRY(Program * program, find_program(key, [&](Builder& b) { build(b, false); }));
  return program->run(pointers(operands));
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

memory::data_type data_type(DType dtype) {
  return dtype == DType::kBFloat16 ? memory::data_type::bf16 : memory::data_type::f32;
}
memory::desc plain(const memory::dims& dims, Tag tag) {
  return {dims, memory::data_type::f32, tag};
}
memory::desc any(const memory::dims& dims) { return plain(dims, Tag::any); }
memory::desc vector(int64_t size) { return plain({size}, Tag::x); }

// -- Matrix product
// ----------------------------------------------------------------------------------------------

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

// Packed and plain weights give the same bits in the brgemm kernels, and only these gain by it.
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
  memory::desc bias_desc = matrices_desc(row, type, batched);
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

bool has_avx512() {
  static const bool available = [] {
    dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
    return isa >= dnnl::cpu_isa::avx512_core && isa != dnnl::cpu_isa::avx2_vnni;
  }();
  return available;
}

// Without AVX-512 oneDNN has no brgemm matmul, and its gemm sums the last rows in another order:
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

// -- Windows
// -----------------------------------------------------------------------------------------------------

memory::dims input_dims(const Window2d& w) { return {w.batch, w.in_channels, w.in[0], w.in[1]}; }
memory::dims output_dims(const Window2d& w) {
  return {w.batch, w.out_channels, w.out[0], w.out[1]};
}
memory::dims weight_dims(const Window2d& w) {
  int64_t in = w.in_channels / w.groups;
  if (w.groups == 1) return {w.out_channels, in, w.kernel[0], w.kernel[1]};
  return {w.groups, w.out_channels / w.groups, in, w.kernel[0], w.kernel[1]};
}
Tag weight_tag(const Window2d& w) { return w.groups == 1 ? Tag::oihw : Tag::goihw; }
memory::dims dims2(const int64_t (&pair)[2]) { return {pair[0], pair[1]}; }
memory::dims gaps(const Window2d& w) { return {w.dilation[0] - 1, w.dilation[1] - 1}; }

Key window_key(Kind kind, const Window2d& w, int64_t variant) {
  Key key(kind);
  key << variant << w.batch << w.in_channels << w.out_channels << w.groups << w.in << w.out
      << w.kernel << w.stride << w.dilation << w.pad_begin << w.pad_end;
  return key;
}

dnnl::convolution_forward::primitive_desc conv_desc(const Window2d& w, bool bias,
                                                    dnnl::prop_kind prop) {
  memory::dims stride = dims2(w.stride), begin = dims2(w.pad_begin), end = dims2(w.pad_end);
  auto algorithm = dnnl::algorithm::convolution_direct;
  memory::desc x = any(input_dims(w)), weight = any(weight_dims(w)), y = any(output_dims(w));
  if (bias)
    return {engine(), prop,   algorithm, x,     weight, vector(w.out_channels),
            y,        stride, gaps(w),   begin, end,    user_scratchpad()};
  return {engine(), prop, algorithm, x, weight, y, stride, gaps(w), begin, end, user_scratchpad()};
}

void build_conv(Builder& builder, const Window2d& w, bool bias, bool packed) {
  auto desc = conv_desc(w, bias, dnnl::prop_kind::forward_inference);
  memory::desc weight = plain(weight_dims(w), weight_tag(w)), wanted = desc.weights_desc();
  std::vector<Arg> args = {
      {DNNL_ARG_SRC, builder.input(plain(input_dims(w), Tag::nchw), desc.src_desc())},
      {DNNL_ARG_WEIGHTS, packed ? builder.packed(weight, wanted) : builder.input(weight, wanted)},
      {DNNL_ARG_DST, builder.output(plain(output_dims(w), Tag::nchw), desc.dst_desc())}};
  if (bias) args.push_back({DNNL_ARG_BIAS, builder.operand(vector(w.out_channels))});
  builder.add(desc, dnnl::convolution_forward(desc), std::move(args));
}

void build_conv_input_grad(Builder& builder, const Window2d& w) {
  auto hint = conv_desc(w, false, dnnl::prop_kind::forward_training);
  dnnl::convolution_backward_data::primitive_desc desc(
      engine(), dnnl::algorithm::convolution_direct, any(input_dims(w)), any(weight_dims(w)),
      any(output_dims(w)), dims2(w.stride), gaps(w), dims2(w.pad_begin), dims2(w.pad_end), hint,
      user_scratchpad());
  builder.add(
      desc, dnnl::convolution_backward_data(desc),
      {{DNNL_ARG_DIFF_DST, builder.input(plain(output_dims(w), Tag::nchw), desc.diff_dst_desc())},
       {DNNL_ARG_WEIGHTS, builder.input(plain(weight_dims(w), weight_tag(w)), desc.weights_desc())},
       {DNNL_ARG_DIFF_SRC, builder.output(plain(input_dims(w), Tag::nchw), desc.diff_src_desc())}});
}

void build_conv_weight_grad(Builder& builder, const Window2d& w) {
  auto hint = conv_desc(w, false, dnnl::prop_kind::forward_training);
  dnnl::convolution_backward_weights::primitive_desc desc(
      engine(), dnnl::algorithm::convolution_direct, any(input_dims(w)), any(weight_dims(w)),
      any(output_dims(w)), dims2(w.stride), gaps(w), dims2(w.pad_begin), dims2(w.pad_end), hint,
      user_scratchpad());
  builder.add(
      desc, dnnl::convolution_backward_weights(desc),
      {{DNNL_ARG_SRC, builder.input(plain(input_dims(w), Tag::nchw), desc.src_desc())},
       {DNNL_ARG_DIFF_DST, builder.input(plain(output_dims(w), Tag::nchw), desc.diff_dst_desc())},
       {DNNL_ARG_DIFF_WEIGHTS,
        builder.output(plain(weight_dims(w), weight_tag(w)), desc.diff_weights_desc())}});
}

dnnl::pooling_forward::primitive_desc pool_desc(
    const Window2d& w, Pool kind, dnnl::prop_kind prop = dnnl::prop_kind::forward_inference) {
  auto algorithm = kind == Pool::kMax       ? dnnl::algorithm::pooling_max
                   : kind == Pool::kAverage ? dnnl::algorithm::pooling_avg_exclude_padding
                                            : dnnl::algorithm::pooling_avg_include_padding;
  return {engine(),
          prop,
          algorithm,
          plain(input_dims(w), Tag::nchw),
          plain(output_dims(w), Tag::nchw),
          dims2(w.stride),
          dims2(w.kernel),
          gaps(w),
          dims2(w.pad_begin),
          dims2(w.pad_end),
          user_scratchpad()};
}

void build_pool(Builder& builder, const Window2d& w, Pool kind) {
  auto desc = pool_desc(w, kind);
  builder.add(desc, dnnl::pooling_forward(desc),
              {{DNNL_ARG_SRC, builder.operand(desc.src_desc())},
               {DNNL_ARG_DST, builder.operand(desc.dst_desc())}});
}

// The forward pass is run again for the positions of the maxima, which it leaves in a workspace.
void build_max_pool_grad(Builder& builder, const Window2d& w) {
  auto forward = pool_desc(w, Pool::kMax, dnnl::prop_kind::forward_training);
  memory x = builder.operand(forward.src_desc());
  memory positions = builder.temporary(forward.workspace_desc());
  builder.add(forward, dnnl::pooling_forward(forward),
              {{DNNL_ARG_SRC, x},
               {DNNL_ARG_DST, builder.temporary(forward.dst_desc())},
               {DNNL_ARG_WORKSPACE, positions}});
  dnnl::pooling_backward::primitive_desc desc(
      engine(), dnnl::algorithm::pooling_max, forward.src_desc(), forward.dst_desc(),
      dims2(w.stride), dims2(w.kernel), gaps(w), dims2(w.pad_begin), dims2(w.pad_end), forward,
      user_scratchpad());
  builder.add(desc, dnnl::pooling_backward(desc),
              {{DNNL_ARG_DIFF_DST, builder.operand(desc.diff_dst_desc())},
               {DNNL_ARG_DIFF_SRC, builder.operand(desc.diff_src_desc())},
               {DNNL_ARG_WORKSPACE, positions}});
}

void build_pool_grad(Builder& builder, const Window2d& w, Pool kind) {
  auto algorithm = kind == Pool::kAverage ? dnnl::algorithm::pooling_avg_exclude_padding
                                          : dnnl::algorithm::pooling_avg_include_padding;
  dnnl::pooling_backward::primitive_desc desc(
      engine(), algorithm, plain(input_dims(w), Tag::nchw), plain(output_dims(w), Tag::nchw),
      dims2(w.stride), dims2(w.kernel), gaps(w), dims2(w.pad_begin), dims2(w.pad_end),
      pool_desc(w, kind), user_scratchpad());
  builder.add(desc, dnnl::pooling_backward(desc),
              {{DNNL_ARG_DIFF_DST, builder.operand(desc.diff_dst_desc())},
               {DNNL_ARG_DIFF_SRC, builder.operand(desc.diff_src_desc())}});
}

// -- Normalisation
// -----------------------------------------------------------------------------------------------

using Flags = dnnl::normalization_flags;

dnnl::batch_normalization_forward::primitive_desc batch_norm_desc(const BatchNorm& p,
                                                                  bool given_stats) {
  memory::desc x = plain({p.batch, p.channels, 1, p.inner}, Tag::nchw);
  Flags flags = Flags::use_scale | Flags::use_shift;
  if (given_stats) flags |= Flags::use_global_stats;
  auto prop = given_stats ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
  return {engine(), prop, x, x, p.epsilon, flags, user_scratchpad()};
}

void build_batch_norm(Builder& builder, const BatchNorm& p) {
  auto desc = batch_norm_desc(p, !p.training);
  builder.add(desc, dnnl::batch_normalization_forward(desc),
              {{DNNL_ARG_SRC, builder.operand(desc.src_desc())},
               {DNNL_ARG_SCALE, builder.operand(vector(p.channels))},
               {DNNL_ARG_SHIFT, builder.operand(vector(p.channels))},
               {DNNL_ARG_MEAN, builder.operand(desc.mean_desc())},
               {DNNL_ARG_VARIANCE, builder.operand(desc.variance_desc())},
               {DNNL_ARG_DST, builder.operand(desc.dst_desc())}});
}

void build_batch_norm_grad(Builder& builder, const BatchNorm& p) {
  auto hint = batch_norm_desc(p, false);
  memory::desc x = hint.src_desc();
  dnnl::batch_normalization_backward::primitive_desc desc(
      engine(), dnnl::prop_kind::backward, x, x, x, p.epsilon, Flags::use_scale | Flags::use_shift,
      hint, user_scratchpad());
  builder.add(desc, dnnl::batch_normalization_backward(desc),
              {{DNNL_ARG_SRC, builder.operand(x)},
               {DNNL_ARG_SCALE, builder.operand(vector(p.channels))},
               {DNNL_ARG_MEAN, builder.operand(desc.mean_desc())},
               {DNNL_ARG_VARIANCE, builder.operand(desc.variance_desc())},
               {DNNL_ARG_DIFF_DST, builder.operand(x)},
               {DNNL_ARG_DIFF_SRC, builder.operand(x)},
               {DNNL_ARG_DIFF_SCALE, builder.operand(vector(p.channels))},
               {DNNL_ARG_DIFF_SHIFT, builder.operand(vector(p.channels))}});
}

dnnl::layer_normalization_forward::primitive_desc layer_norm_desc(int64_t rows, int64_t width,
                                                                  float epsilon) {
  memory::desc x = plain({rows, width}, Tag::ab);
  return {engine(),
          dnnl::prop_kind::forward_training,
          x,
          x,
          plain({rows}, Tag::a),
          epsilon,
          Flags::use_scale | Flags::use_shift,
          user_scratchpad()};
}

void build_layer_norm(Builder& builder, int64_t rows, int64_t width, float epsilon) {
  auto desc = layer_norm_desc(rows, width, epsilon);
  builder.add(desc, dnnl::layer_normalization_forward(desc),
              {{DNNL_ARG_SRC, builder.operand(desc.src_desc())},
               {DNNL_ARG_SCALE, builder.operand(vector(width))},
               {DNNL_ARG_SHIFT, builder.operand(vector(width))},
               {DNNL_ARG_MEAN, builder.operand(desc.mean_desc())},
               {DNNL_ARG_VARIANCE, builder.operand(desc.variance_desc())},
               {DNNL_ARG_DST, builder.operand(desc.dst_desc())}});
}

void build_layer_norm_grad(Builder& builder, int64_t rows, int64_t width, float epsilon) {
  auto hint = layer_norm_desc(rows, width, epsilon);
  memory::desc x = hint.src_desc();
  dnnl::layer_normalization_backward::primitive_desc desc(
      engine(), dnnl::prop_kind::backward, x, x, x, plain({rows}, Tag::a), epsilon,
      Flags::use_scale | Flags::use_shift, hint, user_scratchpad());
  memory source = builder.operand(x), scale = builder.operand(vector(width));
  // The shift has no part in the gradient, yet an argument for it is asked for.
  builder.add(desc, dnnl::layer_normalization_backward(desc),
              {{DNNL_ARG_SRC, source},
               {DNNL_ARG_SCALE, scale},
               {DNNL_ARG_SHIFT, scale},
               {DNNL_ARG_MEAN, builder.operand(desc.mean_desc())},
               {DNNL_ARG_VARIANCE, builder.operand(desc.variance_desc())},
               {DNNL_ARG_DIFF_DST, builder.operand(x)},
               {DNNL_ARG_DIFF_SRC, builder.operand(x)},
               {DNNL_ARG_DIFF_SCALE, builder.operand(vector(width))},
               {DNNL_ARG_DIFF_SHIFT, builder.operand(vector(width))}});
}

}  // namespace

Status matmul(DType dtype, const Matrices& a, const Matrices& b, const void* bias, void* out,
              const Tensor* weight) {
  bool inner_product = wants_inner_product(dtype, a, weight);
  Key key(inner_product ? Kind::kInnerProduct : Kind::kMatmul);
  key << static_cast<int64_t>(dtype) << a.batch << a.rows << a.cols << a.batch_stride
      << a.row_stride << a.col_stride << b.batch << b.cols << b.batch_stride << b.row_stride
      << b.col_stride << (bias != nullptr);
  auto build = [&](Builder& builder, bool packed) {
    if (inner_product)
      build_inner_product(builder, a, b, bias, packed);
    else
      build_matmul(builder, dtype, a, b, bias, packed);
  };
  return run_weighted(key, weight, operands_with(bias, {a.data, b.data, out}), build);
}

bool has_bfloat16() { return has_avx512(); }

Status conv_forward(const Window2d& w, const float* x, const Tensor& weight, const float* bias,
                    float* y) {
  Key key = window_key(Kind::kConv, w, bias != nullptr);
  auto build = [&](Builder& builder, bool packed) { build_conv(builder, w, bias, packed); };
  return run_weighted(key, &weight, operands_with(bias, {x, weight.data(), y}), build);
}

Status conv_input_grad(const Window2d& w, const float* dy, const float* weight, float* dx) {
  return run_cached(window_key(Kind::kConvInputGrad, w, 0), {dy, weight, dx},
                    [&](Builder& builder) { build_conv_input_grad(builder, w); });
}

Status conv_weight_grad(const Window2d& w, const float* x, const float* dy, float* dweight) {
  return run_cached(window_key(Kind::kConvWeightGrad, w, 0), {x, dy, dweight},
                    [&](Builder& builder) { build_conv_weight_grad(builder, w); });
}

Status pool_forward(const Window2d& w, Pool kind, const float* x, float* y) {
  return run_cached(window_key(Kind::kPool, w, static_cast<int64_t>(kind)), {x, y},
                    [&](Builder& builder) { build_pool(builder, w, kind); });
}

Status max_pool_grad(const Window2d& w, const float* x, const float* dy, float* dx) {
  return run_cached(window_key(Kind::kMaxPoolGrad, w, 0), {x, dy, dx},
                    [&](Builder& builder) { build_max_pool_grad(builder, w); });
}

Status average_pool_grad(const Window2d& w, Pool kind, const float* dy, float* dx) {
  return run_cached(window_key(Kind::kPoolGrad, w, static_cast<int64_t>(kind)), {dy, dx},
                    [&](Builder& builder) { build_pool_grad(builder, w, kind); });
}

static Key batch_norm_key(Kind kind, const BatchNorm& p) {
  Key key(kind);
  key << p.batch << p.channels << p.inner << std::bit_cast<int32_t>(p.epsilon) << p.training;
  return key;
}

Status batch_norm(const BatchNorm& p, const float* x, const float* scale, const float* shift,
                  float* mean, float* variance, float* y) {
  return run_cached(batch_norm_key(Kind::kBatchNorm, p), {x, scale, shift, mean, variance, y},
                    [&](Builder& builder) { build_batch_norm(builder, p); });
}

Status batch_norm_grad(const BatchNorm& p, const float* x, const float* scale, const float* mean,
                       const float* variance, const float* dy, float* dx, float* dscale,
                       float* dshift) {
  return run_cached(batch_norm_key(Kind::kBatchNormGrad, p),
                    {x, scale, mean, variance, dy, dx, dscale, dshift},
                    [&](Builder& builder) { build_batch_norm_grad(builder, p); });
}

static Key layer_norm_key(Kind kind, int64_t rows, int64_t width, float epsilon) {
  Key key(kind);
  key << rows << width << std::bit_cast<int32_t>(epsilon);
  return key;
}

Status layer_norm(int64_t rows, int64_t width, float epsilon, const float* x, const float* scale,
                  const float* shift, float* mean, float* variance, float* y) {
  return run_cached(layer_norm_key(Kind::kLayerNorm, rows, width, epsilon),
                    {x, scale, shift, mean, variance, y},
                    [&](Builder& builder) { build_layer_norm(builder, rows, width, epsilon); });
}

Status layer_norm_grad(int64_t rows, int64_t width, float epsilon, const float* x,
                       const float* scale, const float* mean, const float* variance,
                       const float* dy, float* dx, float* dscale, float* dshift) {
  return run_cached(layer_norm_key(Kind::kLayerNormGrad, rows, width, epsilon),
                    {x, scale, mean, variance, dy, dx, dscale, dshift}, [&](Builder& builder) {
                      build_layer_norm_grad(builder, rows, width, epsilon);
                    });
}

Status softmax(int64_t outer, int64_t length, int64_t inner, bool logarithm, const float* x,
               float* y) {
  Key key(Kind::kSoftmax);
  key << outer << length << inner << logarithm;
  return run_cached(key, {x, y}, [&](Builder& builder) {
    auto algorithm = logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
    memory::desc data = plain({outer, length, inner}, Tag::abc);
    if (inner == 1) data = plain({outer, length}, Tag::ab);
    dnnl::softmax_forward::primitive_desc desc(engine(), dnnl::prop_kind::forward_inference,
                                               algorithm, data, data, 1, user_scratchpad());
    builder.add(desc, dnnl::softmax_forward(desc),
                {{DNNL_ARG_SRC, builder.operand(data)}, {DNNL_ARG_DST, builder.operand(data)}});
  });
}

int64_t cached_primitives() { return static_cast<int64_t>(table().size()); }

}  // namespace msjit::onednn
