// Operators that move data: which results are views, values of the copies, errors, gradients.
#include <cmath>

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/layout.h"
#include "kernels/op_test.h"

namespace msjit {
namespace {

using namespace op_test;

constexpr DType kF64 = DType::kFloat64;

bool shares(const Tensor& a, const Tensor& b) { return a.storage().get() == b.storage().get(); }

TEST(Views, ShareStorage) {
  Tensor x = iota({2, 3, 4});
  EXPECT_TRUE(shares(run("reshape", {x}, {ints({4, -1})}), x));
  EXPECT_TRUE(shares(run("transpose", {x}, {ints({2, 0, 1})}), x));
  EXPECT_TRUE(shares(run("swapaxes", {x}, {AttrValue(0), AttrValue(-1)}), x));
  EXPECT_TRUE(shares(run("expand_dims", {x}, {AttrValue(1)}), x));
  EXPECT_TRUE(shares(run("flatten", {x}), x));
  EXPECT_TRUE(shares(run("broadcast_to", {x}, {ints({5, 2, 3, 4})}), x));
  EXPECT_TRUE(shares(run("select_index", {x}, {AttrValue(1), AttrValue(1)}), x));
  EXPECT_TRUE(shares(run("slice", {x}, {ints({0, 1}), ints({2, 3}), ints({1, 2})}), x));
  EXPECT_TRUE(shares(run_all("split", {x}, {ints({1, 2}), AttrValue(1)})[1], x));
  EXPECT_TRUE(shares(run_all("unstack", {x})[1], x));
  EXPECT_FALSE(shares(run("copy", {x}), x));
  Tensor turned = run("transpose", {x}, {ints({2, 1, 0})});
  EXPECT_FALSE(shares(run("reshape", {turned}, {ints({24})}), x));
  EXPECT_TRUE(shares(run("reshape", {turned}, {ints({2, 2, 3, 2})}), x));
  EXPECT_FALSE(shares(run("slice", {x}, {ints({1}), ints({-1}), ints({-1})}), x));
}

TEST(Views, ReshapeOfAnyLayout) {
  Tensor x = layout::permute(iota({2, 3, 4}), std::array<int, 3>{1, 0, 2});
  Tensor copy = x.to_contiguous().take();
  for (AttrValue shape :
       {ints({24}), ints({3, 8}), ints({3, 2, 2, 2}), ints({6, 4}), ints({3, 1, 2, 4, 1})})
    EXPECT_TRUE(close(run("reshape", {x}, {shape}), run("reshape", {copy}, {shape})));
}

TEST(Views, Errors) {
  Tensor x = random({2, 3});
  EXPECT_EQ(error_of("reshape", {x}, {ints({4, 2})}),
            "ValueError: [reshape] element counts must match, got 6 for shape (2, 3) and 8 for "
            "shape (4, 2)");
  EXPECT_EQ(error_of("reshape", {x}, {ints({4, -1})}),
            "ValueError: [reshape] cannot infer the size for -1, got 6 elements and shape [4, -1]");
  EXPECT_EQ(error_of("transpose", {x}, {ints({0, 0})}),
            "ValueError: [transpose] perm must name each axis once, got [0, 0]");
  EXPECT_EQ(error_of("select_index", {x}, {AttrValue(2), AttrValue(0)}),
            "IndexError: [select_index] index 2 is out of bounds for axis 0 with size 2");
  EXPECT_EQ(error_of("select_index", {random({})}, {AttrValue(0), AttrValue(0)}),
            "ValueError: [select_index] x has a wrong rank, got 0, expected at least 1");
  EXPECT_EQ(run("squeeze", {x}, {ints({0})}).shape(), (Shape{2, 3}));
  EXPECT_EQ(error_of("broadcast_to", {x}, {ints({4, 3})}),
            "ValueError: [broadcast_to] cannot broadcast shape (2, 3), got target [4, 3]");
  EXPECT_EQ(error_of("tile", {x}, {ints({int64_t{1} << 60, 1})}).substr(0, 11), "MemoryError");
  EXPECT_EQ(error_of("pad", {x}, {ints({-1, 0}), ints({0, 0})}),
            "ValueError: [pad] padding must not be negative, got [-1, 0] and [0, 0]");
}

TEST(Slices, Bounds) {
  Tensor x = iota({5});
  auto slice = [&](int64_t begin, int64_t end, int64_t step) {
    return values_of(run("slice", {x}, {ints({begin}), ints({end}), ints({step})}));
  };
  EXPECT_EQ(slice(1, 4, 2), (Doubles{1, 3}));
  EXPECT_EQ(slice(-2, INT64_MAX, 1), (Doubles{3, 4}));
  EXPECT_EQ(slice(4, -1, -2), (Doubles{4, 2, 0}));
  EXPECT_EQ(slice(3, 3, 1), Doubles{});
  EXPECT_EQ(slice(0, 5, INT64_MAX), Doubles{0});
  EXPECT_EQ(slice(4, -1, INT64_MIN), Doubles{4});
}

TEST(Copies, Values) {
  Tensor x = iota({2, 2});
  EXPECT_EQ(values_of(run("tile", {x}, {ints({2, 2})})),
            (Doubles{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(values_of(run("repeat_interleave", {x}, {AttrValue(2), AttrValue(1)})),
            (Doubles{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(values_of(run("flip", {x}, {ints({1})})), (Doubles{1, 0, 3, 2}));
  EXPECT_EQ(values_of(run("roll", {x}, {ints({1, 1}), ints({0, 1})})), (Doubles{3, 2, 1, 0}));
  EXPECT_EQ(values_of(run("pad", {x}, {ints({0, 1}), ints({1, 0}), AttrValue(9)})),
            (Doubles{9, 0, 1, 9, 2, 3, 9, 9, 9}));
  EXPECT_EQ(values_of(run("concat", {x, x}, {AttrValue(1)})), (Doubles{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(values_of(run("stack", {x, x}, {AttrValue(2)})), (Doubles{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(values_of(run("tril", {x})), (Doubles{0, 0, 2, 3}));
  EXPECT_EQ(values_of(run("triu", {x}, {AttrValue(1)})), (Doubles{0, 1, 0, 0}));
  Tensor index = make({3}, {0, 2, 7}, DType::kInt32);
  EXPECT_EQ(values_of(run("one_hot", {index}, {AttrValue(3)})),
            (Doubles{1, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(Ordering, SortAndTopk) {
  Tensor x = make({2, 4}, {3, 1, 2, 1, NAN, 5, -1, 7});
  std::vector<Tensor> up = run_all("sort", {x});
  EXPECT_EQ(values_of(up[1]), (Doubles{1, 3, 2, 0, 2, 1, 3, 0}));
  std::vector<Tensor> top = run_all("topk", {x}, {AttrValue(2)});
  EXPECT_EQ(values_of(top[1]), (Doubles{0, 2, 0, 3}));
  EXPECT_EQ(top[1].dtype(), DType::kInt32);
  EXPECT_EQ(values_of(run("argsort", {make({3}, {2, 3, 1})}, {AttrValue(0), AttrValue(true)})),
            (Doubles{1, 0, 2}));
}

TEST(Indexing, NumpyPlacement) {
  Tensor x = iota({2, 3, 4});
  Tensor i = make({2}, {1, 0}, DType::kInt64), j = make({2}, {-1, 0}, DType::kInt32);
  Tensor adjacent = run("index", {x, i, j}, {ints({0, 1})});
  EXPECT_EQ(adjacent.shape(), (Shape{2, 4}));
  EXPECT_EQ(values_of(adjacent), (Doubles{20, 21, 22, 23, 0, 1, 2, 3}));
  Tensor apart = run("index", {x, i, j}, {ints({0, 2})});
  EXPECT_EQ(apart.shape(), (Shape{2, 3}));
  EXPECT_EQ(values_of(apart), (Doubles{15, 19, 23, 0, 4, 8}));
  EXPECT_EQ(run("index", {x, make({2, 2}, {0, 1, 2, 0}, DType::kInt64)}, {ints({1})}).shape(),
            (Shape{2, 2, 2, 4}));
}

TEST(Indexing, WritesAndOverlap) {
  Tensor x = iota({4});
  run("slice_assign", {x, layout::slice_axis(x, 0, 0, 3)}, {ints({1}), ints({4}), ints({1})});
  EXPECT_EQ(values_of(x), (Doubles{0, 0, 1, 2}));
  Tensor grid = iota({2, 3, 2});
  Tensor i = make({2}, {0, 1}, DType::kInt64), j = make({2}, {1, 0}, DType::kInt64);
  run("index_assign", {grid, make({}, {-1}), i, j}, {ints({0, 2})});
  EXPECT_EQ(values_of(grid), (Doubles{0, -1, 2, -1, 4, -1, -1, 7, -1, 9, -1, 11}));
  Tensor twice = make({3}, {1, 1, 2}, DType::kInt64);
  Tensor sums = run("index_update", {make({3}, {0, 0, 0}), make({3}, {1, 2, 4}), twice},
                    {ints({0}), AttrValue(true)});
  EXPECT_EQ(values_of(sums), (Doubles{0, 3, 4}));
}

TEST(Indexing, Errors) {
  Tensor x = random({2, 3});
  Tensor far = make({2}, {0, 3}, DType::kInt64);
  EXPECT_EQ(error_of("index", {x, far}, {ints({1})}),
            "IndexError: [index] index 3 is out of bounds for axis 1 with size 3");
  EXPECT_EQ(error_of("gather", {x, far}, {AttrValue(0)}),
            "IndexError: [gather] index 3 is out of bounds for axis 0 with size 2");
  EXPECT_EQ(error_of("index", {x, make({2}, {0, 1}, DType::kBool)}, {ints({0})}).substr(0, 14),
            "NotImplemented");
  Tensor before = run("copy", {x});
  EXPECT_EQ(error_of("index_assign", {x, make({}, {7}), far}, {ints({0})}).substr(0, 10),
            "IndexError");
  EXPECT_TRUE(close(x, before));  // nothing was written
}

TEST(Indexing, Nonzero) {
  Tensor mask = make({2, 3}, {0, 1, 1, 0, 0, 1}, DType::kBool);
  EXPECT_EQ(values_of(indexing::nonzero(mask).take()), (Doubles{0, 1, 0, 2, 1, 2}));
}

TEST(ShapeOps, Gradients) {
  Tensor x = random({3, 4}, kF64), y = random({3, 4}, kF64);
  check_gradients("reshape", {x}, {ints({2, 6})});
  check_gradients("transpose", {x}, {ints({1, 0})});
  check_gradients("swapaxes", {x}, {AttrValue(0), AttrValue(1)});
  check_gradients("broadcast_to", {x}, {ints({2, 3, 4})});
  check_gradients("expand_dims", {x}, {AttrValue(-1)});
  check_gradients("flatten", {x});
  check_gradients("slice", {x}, {ints({2, 0}), ints({-1, 4}), ints({-1, 2})});
  check_gradients("slice_update", {x, random({2, 1}, kF64)},
                  {ints({0, 1}), ints({2, 3}), ints({1, 1})});
  check_gradients("select_index", {x}, {AttrValue(-1), AttrValue(1)});
  check_gradients("split", {x}, {ints({1, 3}), AttrValue(1)});
  check_gradients("unstack", {x}, {AttrValue(1)});
  check_gradients("concat", {x, y}, {AttrValue(1)});
  check_gradients("stack", {x, y}, {AttrValue(1)});
  check_gradients("tile", {x}, {ints({2, 1, 3})});
  check_gradients("repeat_interleave", {x}, {AttrValue(3), AttrValue(1)});
  check_gradients("flip", {x});
  check_gradients("pad", {x}, {ints({1, 0}), ints({0, 2}), AttrValue(2)});
  check_gradients("roll", {x}, {ints({2, -1}), ints({0, 1})});
  check_gradients("tril", {x});
  check_gradients("triu", {x}, {AttrValue(-1)});
  check_gradients("sort", {x}, {AttrValue(0)});
  check_gradients("topk", {x}, {AttrValue(2)});
}

TEST(Indexing, Gradients) {
  Tensor x = random({3, 4}, kF64), i = make({2}, {2, 0}, DType::kInt64);
  check_gradients("gather", {x, make({2, 2}, {1, 0, 1, 2}, DType::kInt32)}, {AttrValue(0)});
  check_gradients("embedding", {i, x});
  check_gradients("index", {x, i, make({2}, {1, 1}, DType::kInt64)}, {ints({0, 1})});
  check_gradients("index_update", {x, random({2, 4}, kF64), i}, {ints({0}), AttrValue(false)});
  check_gradients("index_update", {x, random({4}, kF64), i}, {ints({0}), AttrValue(true)});
  Tensor along = make({2, 4}, {0, 1, 2, 0, 1, 2, 0, 1}, DType::kInt64);
  check_gradients("gather_elements", {x, along}, {AttrValue(0)});
  for (const char* reduction : {"none", "add"})
    check_gradients("scatter_elements", {x, along, random({2, 4}, kF64)},
                    {AttrValue(0), AttrValue(reduction)});
}

}  // namespace
}  // namespace msjit
