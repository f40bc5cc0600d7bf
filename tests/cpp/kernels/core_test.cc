// Promotion, the allocator, signatures, attributes, axes and the number of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "kernels/core/op.h"
#include "kernels/core/tensor.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/serial_scope.h"

namespace msjit {
namespace {

using enum DType;

TEST(Promotion, OfTensors) {
  // Rows and columns in the order of the enumeration; figures of MindSpore.
  constexpr int kCommon = 10;  // bool to float64, in their order
  constexpr DType kTable[kCommon][kCommon] = {
      {kBool, kUInt8, kInt8, kInt16, kInt32, kInt64, kFloat16, kBFloat16, kFloat32, kFloat64},
      {kUInt8, kUInt8, kInt16, kInt16, kInt32, kInt64, kFloat16, kBFloat16, kFloat32, kFloat64},
      {kInt8, kInt16, kInt8, kInt16, kInt32, kInt64, kFloat16, kBFloat16, kFloat32, kFloat64},
      {kInt16, kInt16, kInt16, kInt16, kInt32, kInt64, kFloat16, kBFloat16, kFloat32, kFloat64},
      {kInt32, kInt32, kInt32, kInt32, kInt32, kInt64, kFloat16, kBFloat16, kFloat32, kFloat64},
      {kInt64, kInt64, kInt64, kInt64, kInt64, kInt64, kFloat16, kBFloat16, kFloat32, kFloat64},
      {kFloat16, kFloat16, kFloat16, kFloat16, kFloat16, kFloat16, kFloat16, kFloat32, kFloat32,
       kFloat64},
      {kBFloat16, kBFloat16, kBFloat16, kBFloat16, kBFloat16, kBFloat16, kFloat32, kBFloat16,
       kFloat32, kFloat64},
      {kFloat32, kFloat32, kFloat32, kFloat32, kFloat32, kFloat32, kFloat32, kFloat32, kFloat32,
       kFloat64},
      {kFloat64, kFloat64, kFloat64, kFloat64, kFloat64, kFloat64, kFloat64, kFloat64, kFloat64,
       kFloat64},
  };
  for (int a = 0; a < kCommon; ++a) {
    for (int b = 0; b < kCommon; ++b) {
      EXPECT_EQ(promote(static_cast<DType>(a), false, static_cast<DType>(b), false), kTable[a][b])
          << dtype_name(static_cast<DType>(a)) << " " << dtype_name(static_cast<DType>(b));
    }
  }
}

TEST(Promotion, OfScalars) {
  for (int i = 0; i < kNumDTypes; ++i) {
    DType d = static_cast<DType>(i);
    EXPECT_EQ(promote(d, false, kBool, true), d);
    EXPECT_EQ(promote(d, false, kInt64, true), d == kBool ? kInt64 : d);
    EXPECT_EQ(promote(kFloat64, true, d, false), is_inexact(d) ? d : kFloat32);
  }
  EXPECT_EQ(promote(kInt64, true, kFloat64, true), kFloat32);
  EXPECT_EQ(promote(kInt64, true, kBool, true), kInt64);
}

TEST(Promotion, OfComplexNumbers) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType d = static_cast<DType>(i);
    const bool wide = d == kFloat64 || d == DType::kComplex128;
    for (bool swapped : {false, true}) {
      const auto with = [&](DType c) {
        return swapped ? promote(c, false, d, false) : promote(d, false, c, false);
      };
      EXPECT_EQ(with(DType::kComplex64), wide ? DType::kComplex128 : DType::kComplex64);
      EXPECT_EQ(with(DType::kComplex128), DType::kComplex128);
    }
    EXPECT_EQ(promote(d, false, DType::kComplex128, true),
              is_complex(d) ? d : DType::kComplex64);  // a Python number lifts the kind alone
  }
}

TEST(Promotion, OfWideUnsignedIntegers) {
  for (DType u : {DType::kUInt16, DType::kUInt32, DType::kUInt64}) {
    for (int i = 0; i < kNumDTypes; ++i) {
      const DType d = static_cast<DType>(i);
      EXPECT_EQ(mixable(u, d), d == u || d == kBool);
      EXPECT_EQ(mixable(d, u), d == u || d == kBool);
    }
    EXPECT_EQ(promote(u, false, kBool, false), u);
    EXPECT_EQ(promote(u, false, kInt64, true), u);
    EXPECT_TRUE(is_integer(u) && is_unsigned(u) && !is_inexact(u));
  }
}

TEST(Allocator, RefusesTheImpossible) {
  auto refused = Storage::allocate(size_t{1} << 60);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kMemory);
  EXPECT_EQ(refused.error().message.rfind("[allocate] ", 0), 0u);
  EXPECT_FALSE(Storage::allocate(~size_t{0}).ok());
  EXPECT_FALSE(Tensor::empty(kFloat32, Shape{Dim{1} << 62, 8}).ok());
  EXPECT_FALSE(Tensor::empty(Meta{kFloat32, false, Shape{Dim{1} << 32, Dim{1} << 32}}).ok());
  EXPECT_EQ(Tensor::empty(kFloat32, Shape{-1}).error().kind, ErrorKind::kValue);
  EXPECT_TRUE(Tensor::empty(kFloat32, Shape{0, 5}).ok());
}

TEST(Allocator, ReusesBlocksAndKeepsCount) {
  allocator_trim();
  AllocatorStats before = allocator_stats();
  for (size_t bytes :
       {size_t{0}, size_t{1}, size_t{64}, size_t{1000}, size_t{1} << 20, size_t{100} << 20}) {
    void* first;
    {
      Storage storage = Storage::allocate(bytes).take();
      first = storage->data;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
      std::memset(first, 1, bytes);
      EXPECT_EQ(allocator_stats().live_bytes, before.live_bytes + static_cast<int64_t>(bytes));
      EXPECT_EQ(allocator_stats().live_blocks, before.live_blocks + 1);
    }
    if (bytes <= size_t{1} << 20) {
      EXPECT_EQ(Storage::allocate(bytes).take()->data, first);
    }
  }
  EXPECT_EQ(allocator_stats().live_bytes, before.live_bytes);
  EXPECT_GT(allocator_stats().cached_bytes, before.cached_bytes);
  allocator_trim();
  EXPECT_EQ(allocator_stats().cached_bytes, before.cached_bytes);  // other threads keep these
}

TEST(Allocator, RemembersTheMostBytes) {
  allocator_reset_peaks();
  const int64_t before = allocator_stats().peak_bytes;
  for (size_t bytes : {size_t{1} << 16, size_t{1} << 20, size_t{1} << 12})
    EXPECT_TRUE(Storage::allocate(bytes).ok());
  EXPECT_EQ(allocator_stats().peak_bytes, before + (int64_t{1} << 20));
  allocator_reset_peaks();
  EXPECT_EQ(allocator_stats().peak_bytes, before);
}

TEST(Allocator, BlocksMayDieInAnotherThread) {
  AllocatorStats before = allocator_stats();
  for (int i = 0; i < 3; ++i) {
    Storage storage = Storage::allocate(5000).take();
    std::thread([moved = std::move(storage)]() mutable { moved = Storage(); }).join();
  }
  EXPECT_EQ(allocator_stats().live_bytes, before.live_bytes);
  EXPECT_EQ(allocator_stats().live_blocks, before.live_blocks);
}

TEST(Allocator, ForeignMemoryGoesBackToItsOwner) {
  int freed = 0;
  double data[4];
  {
    Storage storage = Storage::foreign(
        data, sizeof(data), [](void* c) { ++*static_cast<int*>(c); }, &freed);
    Storage copy = storage;
    EXPECT_FALSE(copy.unique());
  }
  EXPECT_EQ(freed, 1);
}

TEST(Signature, Parses) {
  Signature s = Signature::parse(
      "x: Tensor, y: Tensor? = None, axis: int[]? = None, size: int[] = [2, -3], eps: float = "
      "1e-5, "
      "mode: str = \"a, b\", dtype: dtype = float16, keep: bool = True");
  EXPECT_EQ(s.num_tensors, 2);
  EXPECT_EQ(s.num_attrs, 6);
  EXPECT_EQ(s.params[1].kind, ParamKind::kOptionalTensor);
  EXPECT_TRUE(s.params[2].optional && s.params[2].default_value.is_none());
  EXPECT_EQ(s.params[3].default_value.str(), "[2, -3]");
  EXPECT_EQ(s.params[4].default_value.as_float(), 1e-5);
  EXPECT_EQ(s.params[5].default_value.as_string(), "a, b");
  EXPECT_EQ(s.params[6].default_value.as_dtype(), kFloat16);
  EXPECT_EQ(s.attr_index("mode"), 3);
  EXPECT_EQ(s.attr_index("x"), -1);
  EXPECT_TRUE(Signature::parse("parts: Tensor[]").variadic);
  EXPECT_DEATH(Signature::parse("x Tensor"), "malformed signature");
  EXPECT_DEATH(Signature::parse("x: tensor"), "malformed signature");
}

TEST(Attrs, CompareHashAndPrint) {
  EXPECT_EQ(AttrValue(1.0).str(), "1.0");
  EXPECT_EQ(AttrValue(1e300).str(), "1e+300");
  EXPECT_EQ(AttrValue("a\"b").str(), "\"a\\\"b\"");
  EXPECT_EQ(AttrValue(IntList{1, 2}).str(), "[1, 2]");
  EXPECT_FALSE(AttrValue(1) == AttrValue(true));
  EXPECT_FALSE(AttrValue(0.0) == AttrValue(-0.0));
  EXPECT_TRUE(AttrValue("mean") == AttrValue(std::string("mean")));
  EXPECT_EQ(hash_attrs({AttrValue("x"), AttrValue(3)}), hash_attrs({AttrValue("x"), AttrValue(3)}));
  EXPECT_NE(AttrValue(1).hash(), AttrValue(true).hash());
}

TEST(InferCtx, AxesFollowNumPy) {
  OpDef def;
  def.name = "op";
  Attrs none;
  InferCtx ctx(def, {}, none);
  EXPECT_EQ(ctx.axis(-1, 3).take(), 2);
  EXPECT_EQ(ctx.axis(3, 3).error().message, "[op] axis is out of range, got 3, expected -3 to 2");
  EXPECT_EQ(ctx.axes(AttrValue(IntList{2, -3}), 3).take(), (IntList{0, 2}));
  EXPECT_EQ(ctx.axes(AttrValue(IntList{0, -3}), 3).error().message,
            "[op] axes must be distinct, got [0, -3]");
  EXPECT_TRUE(ctx.axes(AttrValue(IntList{-1}), 0).take().empty());
  EXPECT_EQ(ctx.broadcast(Shape{2, 1}, Shape{3}).take().str(), "(2, 3)");
  EXPECT_EQ(ctx.broadcast(Shape{2}, Shape{3}).error().message,
            "[op] shapes cannot be broadcast, got (2,) and (3,)");
}

TEST(Threads, OneInASerialScope) {
  set_num_threads(3);
  {
    const SerialScope small(true);
    const SerialScope large(false);
    EXPECT_EQ(num_threads(), 1);
    std::thread([] { EXPECT_EQ(num_threads(), 3); }).join();
  }
  EXPECT_EQ(num_threads(), 3);
  set_num_threads(0);
}

}  // namespace
}  // namespace msjit
