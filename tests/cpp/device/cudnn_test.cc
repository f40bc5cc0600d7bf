// Convolutions by cuDNN, on a stub of that library that checks what it is given; and routines as
// the device runs them.
#include <gmock/gmock.h>

#include "device/fake_device.h"
#include "kernels/device/device_allocator.h"
#include "kernels/device/routine.h"

namespace msjit::testing {
namespace {

using ::testing::HasSubstr;

class CudnnTest : public ::testing::Test {
 protected:
  CudnnTest() : allocator_(device_), stream_(device_.create_stream().take()) {
    c_.batch = 1;
    c_.in_channels = c_.out_channels = c_.groups = 2;
    for (int i = 0; i < 2; ++i) {
      c_.in[i] = 3;
      c_.out[i] = c_.kernel[i] = 2;
      c_.stride[i] = c_.dilation[i] = 1;
    }
  }
  ~CudnnTest() override {
    for (void* block : blocks_) EXPECT_TRUE(allocator_.free(block).ok());
    EXPECT_TRUE(allocator_.trim().ok());
    EXPECT_TRUE(device_.destroy_stream(stream_).ok());
    EXPECT_EQ(device_.leaks(), "");
  }
  void* put(const std::vector<float>& values) {
    void* block = room(values.size());
    EXPECT_TRUE(
        device_.copy(CopyKind::kToDevice, block, values.data(), values.size() * 4, stream_).ok());
    EXPECT_TRUE(device_.sync(stream_).ok());
    return block;
  }
  void* room(size_t count) {
    blocks_.push_back(allocator_.allocate(count * 4, stream_).take());
    return blocks_.back();
  }
  std::vector<float> get(const void* from, size_t count) {
    std::vector<float> out(count);
    EXPECT_TRUE(device_.copy(CopyKind::kToHost, out.data(), from, count * 4, stream_).ok());
    EXPECT_TRUE(device_.sync(stream_).ok());
    return out;
  }
  Status run(const DeviceConvolutionData& data) {
    return device_.convolution(
        c_, data,
        [&](size_t bytes) -> Result<void*> {
          asked_.push_back(bytes);
          return room(bytes);
        },
        stream_);
  }

  FakeDevice device_;
  DeviceAllocator allocator_;
  DeviceStream stream_;
  DeviceConvolution c_;
  std::vector<void*> blocks_;
  std::vector<size_t> asked_;
};

TEST_F(CudnnTest, EachChannelIsConvolvedWithItsOwn) {
  std::vector<float> image(18);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i);
  void *x = put(image), *w = put({1, 0, 0, 1, 0, 2, 0, 0}), *bias = put({100, 200}), *y = room(8);
  c_.has_bias = true;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(run({x, w, y, bias}).ok());
  EXPECT_EQ(get(y, 8), (std::vector<float>{104, 106, 110, 112, 220, 222, 226, 228}));
  EXPECT_EQ(asked_, (std::vector<size_t>{64, 64}));  // the scratch memory of the one that is taken

  c_.has_bias = false;
  c_.kind = DeviceConvolution::kWeightGrad;
  void *dy = put({1, 0, 0, 0, 0, 0, 0, 1}), *dw = room(8);
  ASSERT_TRUE(run({x, dw, dy, nullptr}).ok());
  EXPECT_EQ(get(dw, 8), (std::vector<float>{0, 1, 3, 4, 13, 14, 16, 17}));

  c_.kind = DeviceConvolution::kInputGrad;
  void* dx = room(18);
  ASSERT_TRUE(run({dx, w, dy, nullptr}).ok());
  EXPECT_EQ(get(dx, 18),
            (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}));
}

TEST_F(CudnnTest, WhatItDoesNotDoIsLeftToTheHost) {
  void* memory = room(4096);
  c_.in_channels = c_.out_channels = c_.groups = 9;
  const Status unsupported = run({memory, memory, memory, nullptr});
  ASSERT_FALSE(unsupported.ok());
  EXPECT_EQ(unsupported.error().kind, ErrorKind::kNotImplemented);
  EXPECT_THAT(unsupported.error().message,
              HasSubstr("[cudnn] algorithms, got not supported (3000)"));

  Cudnn none("libmsjit_no_such_library.so");
  const Status absent = none.convolve(c_, {memory, memory, memory, nullptr}, nullptr, stream_);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().kind, ErrorKind::kNotImplemented);

  c_.groups = 1;
  c_.out[0] = 7;  // no size that these windows give
  const Status wrong = run({memory, memory, memory, nullptr});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().kind, ErrorKind::kRuntime);
  EXPECT_THAT(wrong.error().message, HasSubstr("[cudnn] algorithms, got stub error (2000)"));
}

// Loops, branches, variables, and a value that two branches compute on their own.
void triangle_routine(devices::RoutineMaker& m, const devices::RoutineKey& key) {
  const Sym i = m.point();
  const auto sum = m.variable(m.whole(0));
  m.loop(m.whole(0), i + 1, [&](Sym j) { m.set(sum, m.get(sum) + j * key[0]); });
  const auto left = m.variable(i);
  m.repeat([&] { return m.get(left) > 2; }, [&] { m.set(left, m.get(left) - 2); });
  m.when(i < 3, [&] { m.set(sum, m.get(sum) + (i + 7)); });
  m.when(i >= 3, [&] { m.set(sum, m.get(sum) + (i + 7) * 100); });
  m.store(0, DType::kInt64, i, m.get(sum) * m.number(0) + m.get(left));
}

TEST_F(CudnnTest, RoutinesRunAtEveryPoint) {
  devices::Context at(device_, {DeviceType::kCuda, 0}, stream_);
  void* out = room(2 * 600);
  for (const int64_t factor : {1, 2}) {
    ASSERT_TRUE(devices::launch(at, triangle_routine, {factor}, {out}, {10}, 600).ok());
    std::vector<int64_t> got(600);
    ASSERT_TRUE(device_.copy(CopyKind::kToHost, got.data(), out, 4800, stream_).ok());
    ASSERT_TRUE(device_.sync(stream_).ok());
    for (int64_t i = 0; i < 600; ++i) {
      const int64_t sum = factor * i * (i + 1) / 2 + (i < 3 ? i + 7 : (i + 7) * 100);
      EXPECT_EQ(got[static_cast<size_t>(i)], sum * 10 + (i <= 2 ? i : 2 - i % 2)) << i;
    }
  }
}

}  // namespace
}  // namespace msjit::testing
