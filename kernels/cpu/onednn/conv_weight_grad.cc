// The gradient of a convolution by its weight.
#include <new>

#include "kernels/cpu/onednn/window_desc.h"
#include "kernels/cpu/serial_scope.h"

namespace msjit::onednn {
namespace {

// For a strided 1x1 convolution oneDNN first gathers the pixels that the stride reaches. If
// channels-last images have fewer channels than its blocks, it writes past its scratch memory there
// (uxlfoundation/oneDNN#6035).
bool gathers_too_much(const Window2d& w) {
  constexpr int64_t kLargestBlock = 16;
  return w.kernel[0] == 1 && w.kernel[1] == 1 && (w.stride[0] > 1 || w.stride[1] > 1) &&
         w.in_channels / w.groups < kLargestBlock;
}

// The gradient is float32, whatever the images are.
void build(Builder& builder, const Window2d& w, memory::data_type type, Orders last) {
  const auto make = [&](Orders orders) {
    return dnnl::convolution_backward_weights::primitive_desc(
        engine(), dnnl::algorithm::convolution_direct, wanted(input_dims(w), orders.in, type),
        any(weight_dims(w)), wanted(output_dims(w), orders.out, type), dims2(w.stride), gaps(w),
        dims2(w.pad_begin), dims2(w.pad_end),
        conv_desc(w, orders, false, dnnl::prop_kind::forward_training, type), user_scratchpad());
  };
  const auto desc = gathers_too_much(w) ? make({false, false}) : best_fit(w, last, make);
  memory::desc x = plain(input_dims(w), order_tag(last.in), type),
               dy = plain(output_dims(w), order_tag(last.out), type),
               dweight = plain(weight_dims(w), weight_tag(w));
  builder.add(desc, dnnl::convolution_backward_weights(desc),
              {{DNNL_ARG_SRC, builder.input(x, desc.src_desc())},
               {DNNL_ARG_DIFF_DST, builder.input(dy, desc.diff_dst_desc())},
               {DNNL_ARG_DIFF_WEIGHTS, builder.output(dweight, desc.diff_weights_desc())}});
}

struct Problem {
  Window2d w;
  DType dtype;
  Images x, dy;
};

Status compute(const Problem& p, float* dweight) {
  const Orders last{p.x.channels_last, p.dy.channels_last};
  return run_cached(window_key(Kind::kConvWeightGrad, p.w,
                               last.in | last.out << 1 | static_cast<int64_t>(p.dtype) << 3),
                    {p.x.data, p.dy.data, dweight},
                    [&](Builder& builder) { build(builder, p.w, data_type(p.dtype), last); });
}

int64_t image_size(const memory::dims& dims) { return dims[1] * dims[2] * dims[3]; }
int64_t weight_size(const Window2d& w) {
  return w.out_channels * (w.in_channels / w.groups) * w.kernel[0] * w.kernel[1];
}

// The problem of some of the images.
Problem part_of(const Problem& p, int64_t first, int64_t count) {
  const auto at = [&](Images all, const memory::dims& dims) {
    const int64_t bytes = first * image_size(dims) * int64_t{item_size(p.dtype)};
    return Images{static_cast<const char*>(all.data) + bytes, all.channels_last};
  };
  Problem part{p.w, p.dtype, at(p.x, input_dims(p.w)), at(p.dy, output_dims(p.w))};
  part.w.batch = count;
  return part;
}

// Into how many parts the images are divided: one for each thread, if adding up their gradients is
// little work beside reading the images.
int64_t num_parts(const Window2d& w) {
  const int64_t parts = std::min<int64_t>(num_threads(), w.batch);
  const int64_t images = w.batch * (image_size(input_dims(w)) + image_size(output_dims(w)));
  return parts * weight_size(w) <= images ? parts : 1;
}

// Threads that share one program of oneDNN wait for each other inside it, and never sleep while
// they wait. On a machine whose cores are busy that takes several times as long as one thread
// would. So each thread runs a program of its own on some of the images.
Status compute_in_parts(const Problem& p, int64_t parts, float* dweight) {
  const int64_t size = weight_size(p.w);
  MSJIT_TRY(Storage others, Storage::allocate((parts - 1) * size * int64_t{sizeof(float)}));
  const auto sums = [&](int64_t part) {
    return part == 0 ? dweight : static_cast<float*>(others->data) + (part - 1) * size;
  };
  InlineVec<Status, 8> results;
  for (int64_t part = 0; part < parts; ++part) results.push_back({});
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    const SerialScope serial(true);
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = part * p.w.batch / parts, last = (part + 1) * p.w.batch / parts;
      try {
        results[part] = compute(part_of(p, first, last - first), sums(part));
      } catch (const std::bad_alloc&) {  // it must not leave the parallel loop
        results[part] = memory_error("[onednn] not enough memory for the gradient of a weight");
      }
    }
  });
  for (Status& result : results) MSJIT_OK(std::move(result));
  parallel_for(size, kElementGrain, [&](int64_t begin, int64_t end) {
    for (int64_t part = 1; part < parts; ++part)
      for (int64_t i = begin; i < end; ++i) dweight[i] += sums(part)[i];
  });
  return {};
}

}  // namespace

bool has_conv_grads(const Window2d& w, DType dtype) {
  return dtype == DType::kFloat32 ||
         (dtype == DType::kBFloat16 && convolves(dtype) && !gathers_too_much(w));
}

Status conv_weight_grad(const Window2d& w, DType dtype, Images x, Images dy, float* dweight) {
  const SerialScope serial(operations(w) < kSmallWork);
  const Problem problem{w, dtype, x, dy};
  const int64_t parts = num_parts(w);
  return parts > 1 ? compute_in_parts(problem, parts, dweight) : compute(problem, dweight);
}

}  // namespace msjit::onednn
