// Objects: loaded, refused when they are damaged, kept between processes, bounded.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "codegen/backend.h"
#include "codegen/object_cache.h"
#include "codegen/object_loader.h"
#include "kernels/core/scalar_program.h"

namespace msjit::testing {
namespace {

namespace fs = std::filesystem;

// out = in rem `divisor`, float32; the remainder is a call of the C library.
KernelSpec remainder_spec(double divisor) {
  KernelSpec spec;
  spec.dims = {16};
  for (const bool output : {false, true}) spec.operands.push_back({DType::kFloat32, output, {1}});
  ScalarNode load{ScalarOp::kInput, DType::kFloat32}, by{ScalarOp::kConst, DType::kFloat32};
  load.a = 0;
  by.imm_float = divisor;
  ScalarNode rest{ScalarOp::kRem, DType::kFloat32};
  rest.a = 0, rest.b = 1;
  spec.stages = {{{load, by, rest}, {{2, 1}}, {}}};
  return spec;
}

class Objects : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    const Backend* backend = load_backend(&error);
    if (!backend) GTEST_SKIP() << error;
    const KernelSpec spec = remainder_spec(3);
    ASSERT_TRUE(backend->compile({&spec, "kernel"}, &object_, &error)) << error;
  }
  std::string object_;
};

TEST_F(Objects, RunOnceLoaded) {
  auto loaded = LoadedObject::load(object_);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  float in[16], out[16];
  for (int i = 0; i < 16; ++i) in[i] = static_cast<float>(i) - 7.5f;
  void* operands[] = {in, out};
  loaded.value()->fn()(operands, 0, 16);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[i], std::fmod(in[i], 3.0f));
  EXPECT_GT(loaded.value()->bytes(), 0);
}

// Loads objects with random damage. It must end with an error, or with code, which is not run here.
TEST_F(Objects, ThatAreDamagedDoNoHarm) {
  for (size_t size = 0; size < object_.size(); size += 7)
    EXPECT_FALSE(LoadedObject::load(object_.substr(0, size)).ok());
  for (size_t at = 0; at < object_.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = object_;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      (void)LoadedObject::load(damaged).ok();
    }
  }
}

TEST(ObjectCache, KeysTellSpecsApart) {
  const std::string key = object_cache_key(remainder_spec(3));
  EXPECT_EQ(key, object_cache_key(remainder_spec(3)));
  EXPECT_NE(key, object_cache_key(remainder_spec(4)));
  KernelSpec other = remainder_spec(3);
  other.dims = {17};
  EXPECT_NE(key, object_cache_key(other));
  EXPECT_NE(object_cache_key(remainder_spec(0.0)), object_cache_key(remainder_spec(-0.0)));
}

class Directory {
 public:
  Directory() : path_(fs::temp_directory_path() / fmt::format("msjit-test-{}", getpid())) {
    fs::create_directory(path_);
  }
  ~Directory() { fs::remove_all(path_); }
  void write(const std::string& name, size_t bytes, time_t age) const {
    const std::string path = (path_ / name).string();
    std::ofstream(path) << std::string(bytes, 'x');
    const timespec at{std::time(nullptr) - age, 0}, times[] = {at, at};
    utimensat(AT_FDCWD, path.c_str(), times, 0);
  }
  bool has(const std::string& name) const { return fs::exists(path_ / name); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

TEST(ObjectCache, DropsWhatWasUsedLeastRecently) {
  const Directory directory;
  for (int i = 0; i < 10; ++i) directory.write(fmt::format("{}.msjit", i), 100, 1000 - i);
  directory.write("notes.txt", 5000, 100000);
  directory.write("a.msjit.123", 10, 7200);
  directory.write("b.msjit.124", 10, 0);
  object_cache_trim(directory.path(), 1000);
  EXPECT_TRUE(directory.has("0.msjit"));
  EXPECT_FALSE(directory.has("a.msjit.123")) << "of a process that died";
  EXPECT_TRUE(directory.has("b.msjit.124")) << "under way";
  object_cache_trim(directory.path(), 999);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(directory.has(fmt::format("{}.msjit", i)), i >= 3) << i;
  EXPECT_TRUE(directory.has("notes.txt"));
  object_cache_trim(directory.path() + "/none", 1);
}

}  // namespace
}  // namespace msjit::testing
