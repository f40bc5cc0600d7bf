// Executables share the memory of their intermediates.
#include "codegen/arenas.h"

#include <thread>

#include "codegen/graph_maker.h"

namespace msjit::testing {
namespace {

struct Made {
  std::shared_ptr<Executable> executable;
  std::vector<Tensor> inputs, expected;
};

// ((x @ x) @ x) @ x: two intermediates of rows * rows floats.
Made products(int64_t rows) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {rows, rows});
  Val y = x;
  for (int i = 0; i < 3; ++i) y = g.call("matmul", {y, x});
  g.output(y);
  Made made;
  made.executable = Executable::compile(*g.graph()).take();
  Tensor t = Tensor::empty({DType::kFloat32, false, {rows, rows}}).take();
  for (int64_t i = 0; i < rows * rows; ++i) t.data_as<float>()[i] = float(i % 7 - 3) / float(rows);
  made.inputs = {t};
  made.expected = interpret(*g.graph(), made.inputs).take();
  return made;
}

void expect_right(const Made& made) {
  std::vector<Tensor> outputs(1);
  TensorImpl* const input = made.inputs[0].impl();
  ASSERT_TRUE(made.executable->run({&input, 1}, outputs).ok());
  const int64_t n = outputs[0].numel();
  for (int64_t i = 0; i < n; ++i)
    ASSERT_NEAR(outputs[0].data_as<float>()[i], made.expected[0].data_as<float>()[i], 1e-5);
}

int64_t live_bytes() { return allocator_stats().live_bytes; }

TEST(Arenas, ExecutablesShareABlock) {
  const Made small = products(100), large = products(200), middle = products(150);
  const int64_t before = live_bytes();
  for (int i = 0; i < 3; ++i)
    for (const Made* one : {&small, &large, &middle}) expect_right(*one);
  const int64_t arena = 2 * 200 * 200 * 4;
  EXPECT_LE(live_bytes() - before, arena + arena / 4);
}

TEST(Arenas, ABlockGoesWithItsExecutable) {
  const int64_t before = live_bytes();
  { expect_right(products(300)); }
  EXPECT_LT(live_bytes() - before, 300 * 300 * 4);
}

// The block was made for one executable, and another one was the last to use it.
TEST(Arenas, ABlockGoesWithTheExecutableItWasMadeFor) {
  const Made small = products(130);
  const int64_t before = live_bytes();
  {
    const Made large = products(400);
    expect_right(large);
    expect_right(small);
  }
  EXPECT_LT(live_bytes() - before, 400 * 400 * 4);
  expect_right(small);
}

TEST(Arenas, ThreadsDoNotShareABlock) {
  const Made small = products(100), large = products(160);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) expect_right((i + t) % 2 ? small : large);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Arenas, MoreRunsThanPlaces) {
  std::vector<arenas::Lease> leases;
  const int user = 0;
  for (int i = 0; i < 100; ++i) {
    auto lease = arenas::take(1 << 16, -1, &user);
    ASSERT_TRUE(lease.ok());
    for (const arenas::Lease& other : leases)
      EXPECT_NE(other.block->data, lease.value().block->data);
    leases.push_back(lease.take());
  }
  for (arenas::Lease& lease : leases) arenas::give_back(std::move(lease));
  const int64_t before = live_bytes();
  arenas::forget(&user);
  EXPECT_LT(live_bytes(), before);
}

}  // namespace
}  // namespace msjit::testing
