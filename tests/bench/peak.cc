// usage: msjit_peak ROWS K0 K1 K2...
// The least time, in microseconds, that oneDNN alone needs for a chain of float32 matrix products
// without bias, one thread, weights stored plainly [in, out], transposed [out, in], or in oneDNN's
// own packed layout. Prints JSON.
#include <omp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <vector>

namespace {

using dnnl::memory;

struct Product {
  dnnl::matmul primitive;
  memory src, weights, dst;
};

Product make_product(const dnnl::engine& engine, int64_t m, int64_t k, int64_t n,
                     memory::format_tag layout) {
  const auto f32 = memory::data_type::f32;
  const auto plain = memory::format_tag::ab;
  const memory::desc src({m, k}, f32, plain), weights({k, n}, f32, layout), dst({m, n}, f32, plain);
  const dnnl::matmul::primitive_desc desc(engine, src, weights, dst);
  Product product{dnnl::matmul(desc), memory(src, engine), memory(desc.weights_desc(), engine),
                  memory(dst, engine)};
  for (memory* buffer : {&product.src, &product.weights, &product.dst}) {
    auto* data = static_cast<float*>(buffer->get_data_handle());
    const size_t count = buffer->get_desc().get_size() / sizeof(float);
    for (size_t i = 0; i < count; ++i) data[i] = 0.01f * static_cast<float>(i % 7);
  }
  return product;
}

double chain_us(const std::vector<int64_t>& sizes, memory::format_tag layout) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<Product> chain;
  for (size_t i = 1; i + 1 < sizes.size(); ++i) {
    chain.push_back(make_product(engine, sizes[0], sizes[i], sizes[i + 1], layout));
  }
  double best = 1e30;
  for (int round = 0; round < 60; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (Product& p : chain) {
      p.primitive.execute(
          stream, {{DNNL_ARG_SRC, p.src}, {DNNL_ARG_WEIGHTS, p.weights}, {DNNL_ARG_DST, p.dst}});
    }
    stream.wait();
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    if (spent.count() < best) best = spent.count();
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  omp_set_num_threads(1);
  std::vector<int64_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.size() < 3) return std::fprintf(stderr, "usage: msjit_peak ROWS K0 K1...\n"), 2;
  std::printf("{\"plain\": %.2f, \"transposed\": %.2f, \"packed\": %.2f}\n",
              chain_us(sizes, memory::format_tag::ab), chain_us(sizes, memory::format_tag::ba),
              chain_us(sizes, memory::format_tag::any));
}
