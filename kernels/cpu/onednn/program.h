// Programs: a few oneDNN primitives run in order - a computation and the reorders around it - built
// once per problem and kept in a table of the calling thread. Only this folder sees oneDNN.
#pragma once

#include <bit>
#include <cstring>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "kernels/core/inline_vec.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/packed.h"
#include "kernels/cpu/parallel.h"

namespace msjit::onednn {

using dnnl::memory;
using Tag = memory::format_tag;

const dnnl::engine& engine();

// -- Problems
// ------------------------------------------------------------------------------------------------

enum class Kind : int64_t {
  kMatmul,
  kInt8Matmul,
  kInnerProduct,
  kConv,
  kInt8Conv,
  kConvInputGrad,
  kConvWeightGrad,
  kPool,
  kPoolGrad,
  kMaxPoolGrad,
  kBatchNorm,
  kBatchNormGrad,
};

// All that a program depends on, the number of threads included.
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

// -- Programs
// ------------------------------------------------------------------------------------------------

// Operands are bound by position.
class Program : public std::enable_shared_from_this<Program> {
 public:
  // Of a program that takes its weight packed: from plain bytes to that layout.
  std::shared_ptr<Program> pack;
  size_t packed_bytes = 0;
  int layout = 0;  // 0: it takes the plain bytes

  Status run(std::span<void* const> operands) {
    return parts_.empty() ? run_steps(operands) : run_parts(operands);
  }
  size_t num_primitives() const { return steps_.size(); }  // its own
  // Whether it has run so often that a program of another make pays.
  bool outworn() { return runs_left_ > 0 && --runs_left_ == 0; }

 private:
  friend class Builder;
  friend class RowBlocks;
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl_exec_arg_t> args;
  };
  struct Temporary {
    memory value;
    size_t offset;
  };
  // Another program, for the rows from `first` on.
  struct Part {
    std::shared_ptr<Program> program;
    int64_t first;
  };
  Status run_steps(std::span<void* const> operands);
  Status run_parts(std::span<void* const> operands);

  std::vector<Step> steps_;
  std::vector<memory> operands_;
  std::vector<Temporary> temporaries_;
  size_t scratch_bytes_ = 0;
  std::vector<Part> parts_;          // instead of steps
  InlineVec<int64_t, 8> row_bytes_;  // of each operand, 0 = it has no rows
  int runs_left_ = 0;                // 0 = any number
};

using ProgramPtr = std::shared_ptr<Program>;

struct Arg {
  int index;
  memory value;
};

class Builder {
 public:
  // The next operand of run().
  memory operand(const memory::desc& desc);
  memory temporary(const memory::desc& desc);
  // An operand as a primitive wants to read it.
  memory input(const memory::desc& plain, const memory::desc& wanted);
  // The weight as a primitive wants to read it, converted once by the program's `pack`.
  memory packed(const memory::desc& plain, const memory::desc& wanted);
  // An operand as a primitive writes it; finish() converts it.
  memory output(const memory::desc& plain, const memory::desc& written);
  template <class Desc, class Primitive>
  void add(const Desc& desc, const Primitive& primitive, std::vector<Arg> args) {
    if (desc.scratchpad_desc().get_size() > 0)
      args.push_back({DNNL_ARG_SCRATCHPAD, temporary(desc.scratchpad_desc())});
    append(primitive, args);
  }
  ProgramPtr finish();

 private:
  void append(const dnnl::primitive& primitive, const std::vector<Arg>& args);
  void reorder(const memory& from, const memory& to);
  ProgramPtr program_ = std::make_shared<Program>();
  std::vector<std::pair<memory, memory>> results_;
};

// -- The table
// ------------------------------------------------------------------------------------------------

// oneDNN asks OpenMP for the number of threads: while one of its calls runs the answer is ours.
class ThreadScope {
 public:
  ThreadScope();
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;

 private:
  int before_;
};

// A program of so little work runs on the calling thread. Two idle cores would save a third of its
// 10 us; two that other programs keep busy cost some 60 us more.
inline constexpr int64_t kSmallWork = int64_t{1} << 20;  // operations

// Null where there is none. A program stays until the next one is kept.
Program* known_program(const Key& key);
Program* keep_program(const Key& key, ProgramPtr program);
ErrorPtr building_failed(const dnnl::error& error);

// The program of `key`. `build(bool often)` makes it: the first time, and once more for one that is
// outworn.
template <class Build>
Result<Program*> find_program(const Key& key, Build&& build) {
  Program* known = known_program(key);
  if (known && !known->outworn()) [[likely]]
    return known;
  try {
    MSJIT_TRY(ProgramPtr built, build(known != nullptr));
    return keep_program(key, std::move(built));
  } catch (const dnnl::error& error) {
    return building_failed(error);
  }
}

// oneDNN takes mutable pointers for what it only reads.
inline std::span<void* const> pointers(std::span<const void* const> operands) {
  return {const_cast<void* const*>(operands.data()), operands.size()};
}

// Runs the program of `key`, made by `build(Builder&)`, on operands in the order in which it named
// them.
template <class Build>
Status run_cached(const Key& key, std::initializer_list<const void*> operands, Build&& build) {
  ThreadScope threads;
  MSJIT_TRY(Program * program, find_program(key, [&](bool) -> Result<ProgramPtr> {
              Builder builder;
              build(builder);
              return builder.finish();
            }));
  return program->run(pointers({operands.begin(), operands.size()}));
}

using Operands = InlineVec<const void*, 4>;
Operands operands_with(const void* last, Operands operands);
constexpr int kWeightOperand = 1;

// The packed bytes of a weight for `program`; empty when there are none and there shall be none.
// `form` stands for all that decides the layout.
Result<Storage> packed_weight(const Tensor& weight, uint64_t form, Program* program,
                              packed::Found found);

// As run_cached, for programs whose second operand is a weight: it is read packed where that pays.
// `key(packed)` and `build(packed, often)` are those of either program; both give the same bits.
template <class KeyOf, class Build>
Status run_weighted(KeyOf&& key, uint64_t form, const Tensor* weight, Operands operands,
                    Build&& build) {
  ThreadScope threads;
  packed::Found found;
  if (weight) found = packed::find(*weight, form);
  if (found.due || found.copy) {
    MSJIT_TRY(Program * program,
              find_program(key(true), [&](bool often) { return build(true, often); }));
    MSJIT_TRY(Storage copy, packed_weight(*weight, form, program, std::move(found)));
    if (copy) {
      operands[kWeightOperand] = copy->data;
      return program->run(pointers(operands));
    }
  }
  MSJIT_TRY(Program * program,
            find_program(key(false), [&](bool often) { return build(false, often); }));
  return program->run(pointers(operands));
}

memory::data_type data_type(DType dtype);  // of float32 and the 16-bit floats
bool has_isa(dnnl::cpu_isa wanted);        // this machine, in oneDNN's eyes

// -- Rows
// ------------------------------------------------------------------------------------------------

// A problem that treats its rows one like the other, whose number may change from call to call. The
// first numbers get programs of their own, which take 0.1 to 0.3 ms to make; so do those that come
// often. Others are put together from programs for blocks of rows, which all numbers share. Both
// give the same bits.
class RowBlocks {
 public:
  // `family` is the key of the problem without its rows; `row_bytes` as in Program.
  RowBlocks(Key family, int64_t rows, InlineVec<int64_t, 8> row_bytes)
      : family_(family), rows_(rows), row_bytes_(std::move(row_bytes)) {}

  // The program; `build(rows)` makes one of its own for so many rows.
  template <class Build>
  Result<ProgramPtr> make(bool often, Build&& build) const {
    if (is_block(rows_) || gets_own(often)) return build(rows_);
    ProgramPtr whole = std::make_shared<Program>();
    for (int64_t first = 0; first < rows_;) {
      const int64_t size = next_block(rows_ - first);
      MSJIT_TRY(Program * block,
                find_program(family_.with(size), [&](bool) { return build(size); }));
      if (!add(block, first, whole.get())) return build(rows_);
      first += size;
    }
    return whole;
  }

 private:
  static bool is_block(int64_t rows) {
    return rows < kSmall || (rows % kSmall == 0 && rows <= kLarge);
  }
  static int64_t next_block(int64_t rows) {
    return rows >= kLarge ? kLarge : rows >= kSmall ? rows / kSmall * kSmall : rows;
  }
  bool gets_own(bool often) const;
  // False when the block asks for another layout of the weight than those before it.
  bool add(Program* block, int64_t first, Program* whole) const;

  static constexpr int64_t kSmall = 32, kLarge = kSmall * kSmall;
  Key family_;
  int64_t rows_;
  InlineVec<int64_t, 8> row_bytes_;
};

// -- Descriptors
// ------------------------------------------------------------------------------------------------

dnnl::primitive_attr user_scratchpad();
inline memory::desc plain(const memory::dims& dims, Tag tag,
                          memory::data_type type = memory::data_type::f32) {
  return {dims, type, tag};
}
inline memory::desc any(const memory::dims& dims, memory::data_type type = memory::data_type::f32) {
  return plain(dims, Tag::any, type);
}
inline memory::desc vector(int64_t size) { return plain({size}, Tag::x); }

}  // namespace msjit::onednn
