// The interface to devices, on a device that checks how it is used: order between streams,
// lifetimes, the caching allocator, fused kernels; and the errors if there is no GPU.
#include "kernels/device/device_api.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "codegen/chunks.h"
#include "codegen/device_launch.h"
#include "codegen/graph_maker.h"
#include "codegen/kernel_cache.h"
#include "codegen/region.h"
#include "device/device_graphs.h"
#include "device/fake_device.h"
#include "device/kernel_run.h"
#include "kernels/device/device_allocator.h"

namespace msjit::testing {
namespace {

using ::testing::HasSubstr;

#define EXPECT_OK(expr)                                                \
  do {                                                                 \
    auto done = (expr);                                                \
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message); \
  } while (0)
#define EXPECT_ERROR(expr, text)                        \
  do {                                                  \
    auto done = (expr);                                 \
    ASSERT_FALSE(done.ok());                            \
    EXPECT_THAT(done.error().message, HasSubstr(text)); \
  } while (0)

class DeviceTest : public ::testing::Test {
 protected:
  DeviceStream stream() { return device.create_stream().take(); }
  Status to_device(void* at, const std::vector<float>& from, DeviceStream s) {
    return device.copy(CopyKind::kToDevice, at, from.data(), from.size() * sizeof(float), s);
  }
  Status to_host(std::vector<float>* to, const void* at, DeviceStream s) {
    return device.copy(CopyKind::kToHost, to->data(), at, to->size() * sizeof(float), s);
  }
  FakeDevice device;
};

TEST_F(DeviceTest, CopiesAreDoneWhenSomebodyWaits) {
  const DeviceStream s = stream();
  void *a = device.allocate(16).take(), *b = device.allocate(16).take();
  const std::vector<float> in = {1, 2, 3, 4};
  std::vector<float> out(4, 0);
  EXPECT_OK(to_device(a, in, s));
  EXPECT_OK(device.copy(CopyKind::kWithin, b, a, 16, s));
  EXPECT_OK(to_host(&out, b, s));
  EXPECT_EQ(out[0], 0);
  EXPECT_ERROR(device.free(a), "queued work");
  EXPECT_OK(device.sync(s));
  EXPECT_EQ(out, in);
  EXPECT_ERROR(device.copy(CopyKind::kWithin, b, a, 17, s), "outside of all blocks");
  EXPECT_ERROR(device.copy(CopyKind::kWithin, b, &out, 16, s), "of the host");
  EXPECT_OK(device.free(a));
  EXPECT_ERROR(to_device(a, in, s), "has been freed");
  EXPECT_EQ(device.leaks(), "1 blocks, 1 streams");
}

TEST_F(DeviceTest, StreamsAreOrderedByEvents) {
  const DeviceStream s = stream(), t = stream();
  void* a = device.allocate(16).take();
  const std::vector<float> in = {1, 2, 3, 4};
  std::vector<float> out(4, 0);
  EXPECT_OK(to_device(a, in, s));
  EXPECT_ERROR(to_host(&out, a, t), "side by side");
  const DeviceEvent event = device.record(s).take();
  EXPECT_FALSE(device.is_done(event).take());
  EXPECT_OK(device.wait(t, event));
  EXPECT_OK(to_host(&out, a, t));
  EXPECT_OK(device.sync(t));
  EXPECT_EQ(out, in);
  EXPECT_TRUE(device.is_done(event).take());
  EXPECT_OK(device.destroy_event(event));
  EXPECT_OK(device.destroy_stream(s));
}

TEST_F(DeviceTest, HostsDoNotReadDeviceMemory) {
  auto* a = static_cast<volatile float*>(device.allocate(16).take());
  EXPECT_DEATH(std::printf("%f", static_cast<double>(*a)), "");
}

TEST_F(DeviceTest, FreedBlocksServeTheirStreamAtOnce) {
  const std::vector<float> in(250, 1);  // until the allocator has waited for what reads it
  DeviceAllocator allocator(device);
  const DeviceStream s = stream(), t = stream();
  void* a = allocator.allocate(1000, s).take();
  EXPECT_OK(to_device(a, in, s));
  EXPECT_OK(allocator.free(a));
  void* other = allocator.allocate(1000, t).take();
  EXPECT_NE(other, a);
  void* again = allocator.allocate(1024, s).take();
  EXPECT_EQ(again, a);
  EXPECT_OK(to_device(again, in, s));
  EXPECT_EQ(allocator.stats().requests, 2);
  EXPECT_EQ(allocator.stats().live_blocks, 2);
  EXPECT_ERROR(allocator.free(&device), "freed block");
  EXPECT_OK(allocator.free(again));
  EXPECT_ERROR(allocator.free(again), "freed block");
  EXPECT_OK(allocator.free(other));
  EXPECT_OK(allocator.trim());
  EXPECT_EQ(allocator.stats().cached_bytes, 0);
  EXPECT_EQ(device.leaks(), "2 streams");
}

// Without the event that free() records the device would call this a race.
TEST_F(DeviceTest, BlocksThatOtherStreamsUseComeBackWhenTheyAreDone) {
  const std::vector<float> in(1024, 1);
  DeviceAllocator allocator(device);
  const DeviceStream s = stream(), t = stream();
  void* a = allocator.allocate(4096, s).take();
  EXPECT_OK(to_device(a, in, t));
  EXPECT_OK(allocator.use_on(a, t));
  EXPECT_OK(allocator.free(a));
  void* b = allocator.allocate(4096, s).take();
  EXPECT_NE(a, b);
  EXPECT_OK(device.sync(t));
  void* c = allocator.allocate(4096, s).take();
  EXPECT_EQ(a, c);
  EXPECT_OK(to_device(c, in, s));
  EXPECT_OK(allocator.free(b));
  EXPECT_OK(allocator.free(c));
}

TEST_F(DeviceTest, CachedBlocksAreGivenBackWhenMemoryIsShort) {
  const std::vector<float> in = {1, 2};
  DeviceAllocator allocator(device);
  const DeviceStream s = stream(), t = stream();
  std::vector<void*> all;
  for (int i = 0; i < 3; ++i) all.push_back(allocator.allocate(size_t{16} << 20, s).take());
  EXPECT_OK(to_device(all[1], in, t));
  EXPECT_OK(allocator.use_on(all[1], t));
  for (void* block : all) EXPECT_OK(allocator.free(block));
  void* large = allocator.allocate(size_t{60} << 20, s).take();
  EXPECT_ERROR(allocator.allocate(size_t{60} << 20, s), "[fake] memory");
  EXPECT_OK(allocator.free(large));
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

// ---- fused kernels
// ---------------------------------------------------------------------------------------------------
KernelSpec only_spec(GraphMaker& g, bool open) {
  SpecCollector collector;
  auto region = RegionFunction::create(g.graph(), open);
  EXPECT_TRUE(region.ok());
  std::vector<KernelSpec> specs = collector.take();
  EXPECT_EQ(specs.size(), 1u);
  return specs[0];
}

TEST_F(DeviceTest, KernelsRunBetweenCopies) {
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {1000}), y = g.input(DType::kFloat32, {1000});
  g.output(g.call("add", {g.call("mul", {x, y}), x}));
  const KernelSpec spec = only_spec(g, true);
  ASSERT_EQ(spec.operands.size(), 3u);
  auto kernel = DeviceKernel::compile(device, spec);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  DeviceAllocator allocator(device);
  const DeviceStream s = stream();
  std::vector<float> a(77), b(77), out(77, 0);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = 0.5F * static_cast<float>(i);
    b[i] = 3 - static_cast<float>(i);
  }
  std::vector<void*> operands;
  for (int i = 0; i < 3; ++i) operands.push_back(allocator.allocate(77 * 4, s).take());
  const std::vector<int64_t> sizes = {77, 1, 1, 1};
  EXPECT_OK(to_device(operands[0], a, s));
  EXPECT_OK(to_device(operands[1], b, s));
  EXPECT_OK(kernel.value()->launch(operands, sizes, s));
  EXPECT_OK(to_host(&out, operands[2], s));
  EXPECT_ERROR(kernel.value()->launch(operands, {}, s), "expected 3 and 4");
  EXPECT_OK(device.sync(s));
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(out[i], a[i] * b[i] + a[i]) << i;
  for (void* operand : operands) EXPECT_OK(allocator.free(operand));
  EXPECT_OK(allocator.trim());
  EXPECT_ERROR(kernel.value()->launch(operands, sizes, s), "has been freed");
}

TEST_F(DeviceTest, ChunkedReductionsRunAsTwoKernels) {
  GraphMaker g;
  g.output(g.call("sum", {g.call("square", {g.input(DType::kFloat32, {300000})})}));
  SpecCollector collector;
  auto region = RegionFunction::create(g.graph(), false);
  const std::vector<KernelSpec> specs = collector.take();
  ASSERT_EQ(specs.size(), 2u);
  auto parts = DeviceKernel::compile(device, specs[0]),
       finish = DeviceKernel::compile(device, specs[1]);
  ASSERT_TRUE(parts.ok() && finish.ok());
  const DeviceStream s = stream();
  std::vector<float> in(300000, 0.5F), out(1, 0);
  void *x = device.allocate(in.size() * 4).take(), *y = device.allocate(4).take();
  void* scratch = device.allocate(64 * 8 * 2).take();
  // The operands of the graph's own kernel, then the partial results.
  std::vector<void*> operands;
  for (const KernelOperand& operand : specs[0].operands)
    operands.push_back(operand.output ? scratch : x);
  EXPECT_OK(to_device(x, in, s));
  EXPECT_OK(parts.value()->launch(operands, {}, s));
  operands.clear();
  for (const KernelOperand& operand : specs[1].operands)
    operands.push_back(operand.output ? y : scratch);
  EXPECT_OK(finish.value()->launch(operands, {}, s));
  EXPECT_OK(to_host(&out, y, s));
  EXPECT_OK(device.sync(s));
  EXPECT_NEAR(out[0], 75000, 0.1);
}

// ---- the driver
// ------------------------------------------------------------------------------------------------------
TEST(Cuda, SaysWhyThereIsNoDevice) {
  auto none = open_cuda("libmsjit_no_such_driver.so", 0);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("[cuda] driver library, got none"));
  EXPECT_EQ(none.error().kind, ErrorKind::kRuntime);
  // A library that is there, but is no driver.
  EXPECT_ERROR(open_cuda("libm.so.6", 0), "[cuda] driver, got one without cuInit");
}

class StubDriver : public ::testing::Test {
 protected:
  static Result<std::unique_ptr<DeviceApi>> open(const char* faults, int index = 0) {
    setenv("MSJIT_STUB_CUDA", faults, 1);
    return open_cuda(MSJIT_STUB_CUDA_LIBRARY, index);
  }
};

TEST_F(StubDriver, CausesAreNamed) {
  EXPECT_ERROR(open("version=11040"),
               "[cuda] driver, got one of CUDA 11.4, expected 11.8 or later");
  EXPECT_ERROR(open("init=100"), "[cuda] devices, got none, expected a GPU");
  EXPECT_ERROR(open("count=0"), "[cuda] devices, got none, expected a GPU");
  EXPECT_ERROR(open("init=803"), "[cuda] start of the driver, got stub error (803)");
  EXPECT_ERROR(open("major=7"), "got Stub GPU (sm_70), expected sm_80 or later");
  EXPECT_ERROR(open("", 3), "[cuda] device, got 3, expected one of 1");
}

TEST_F(StubDriver, WorkGoesThroughTheDriver) {
  auto opened = open("major=9");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  DeviceApi& api = *opened.value();
  EXPECT_EQ(api.traits().name, "Stub GPU");
  EXPECT_EQ(api.traits().arch, 90);
  DeviceAllocator allocator(api);
  const DeviceStream s = api.create_stream().take();
  void* a = allocator.allocate(16, s).take();
  const float in[4] = {1, 2, 3, 4};
  float out[4] = {};
  EXPECT_OK(api.copy(CopyKind::kToDevice, a, in, 16, s));
  EXPECT_OK(api.copy(CopyKind::kToHost, out, a, 16, s));
  EXPECT_OK(api.sync(s));
  EXPECT_EQ(out[3], 4);
  GraphMaker g;
  Val x = g.input(DType::kFloat32, {4});
  g.output(g.call("tanh", {g.call("mul", {x, x})}));
  auto kernel = DeviceKernel::compile(api, only_spec(g, false));  // the stub looks at the PTX
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_OK(kernel.value()->launch(std::vector<void*>{a, a}, {}, s));
  EXPECT_ERROR(api.load_module("no PTX"), "[cuda] PTX, got stub error (218)");
  EXPECT_ERROR(allocator.allocate(size_t{1} << 40, s), "[cuda] memory");
  EXPECT_OK(allocator.free(a));
  const DeviceEvent event = api.record(s).take();
  EXPECT_OK(api.wait(s, event));
  EXPECT_TRUE(api.is_done(event).take());
  EXPECT_OK(api.sync(event));
  EXPECT_OK(api.destroy_event(event));
  EXPECT_OK(api.destroy_stream(s));
}

}  // namespace
}  // namespace msjit::testing
