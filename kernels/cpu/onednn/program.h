// Program: a few oneDNN primitives run in order, a computation and the reorders around it. It is
// built once per problem and kept in a table of the calling thread. Only this folder uses oneDNN.
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

// Everything that a program depends on, the number of threads included.
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

// Operands are bound by position.
class Program : public std::enable_shared_from_this<Program> {
 public:
  // Of a program that takes its weight packed: the program that packs plain bytes into that layout.
  std::shared_ptr<Program> pack;
  size_t packed_bytes = 0;
  int layout = 0;  // 0: it takes the plain bytes

  Status run(std::span<void* const> operands) {
    return parts_.empty() ? run_steps(operands) : run_parts(operands);
  }
  size_t num_primitives() const { return steps_.size(); }  // without those of its parts
  // True once: when it has run so often that building another program for the problem pays
  // (RowBlocks).
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
  // Another program that computes the rows from `first` on.
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
  InlineVec<int64_t, 8> row_bytes_;  // bytes per row of each operand, 0 = it has no rows
  int runs_left_ = 0;                // until outworn() is true; 0 = it never is
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
  // An operand in the layout that a primitive wants to read.
  memory input(const memory::desc& plain, const memory::desc& wanted);
  // The weight in the layout that a primitive wants; the program's `pack` converts it once.
  memory packed(const memory::desc& plain, const memory::desc& wanted);
  // An operand in the layout that a primitive writes; finish() converts it.
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

// oneDNN asks OpenMP for the number of threads. During a oneDNN call this makes OpenMP answer with
// ours.
class ThreadScope {
 public:
  ThreadScope();
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;

 private:
  int before_;
};

// A program with so little work runs on the calling thread. A second idle core would save a third
// of its 10 us; a core that another program keeps busy costs about 60 us more.
inline constexpr int64_t kSmallWork = int64_t{1} << 20;  // operations

// Null when there is none. A program stays valid until the next keep_program().
Program* known_program(const Key& key);
Program* keep_program(const Key& key, ProgramPtr program);
ErrorPtr building_failed(const dnnl::error& error);

// The program of `key`. `build(bool often)` makes it the first time, and once more (`often`) when
// it is outworn.
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

// oneDNN takes mutable pointers even for what it only reads.
inline std::span<void* const> pointers(std::span<const void* const> operands) {
  return {const_cast<void* const*>(operands.data()), operands.size()};
}

// Runs the program of `key`, made by `build(Builder&)`. Operands are in the order in which `build`
// named them.
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

// The packed bytes of a weight for `program`; empty when the plain bytes are to be used. `form` is
// a hash of everything that decides the layout.
Result<Storage> packed_weight(const Tensor& weight, uint64_t form, Program* program,
                              packed::Found found);

// run_cached() for programs whose second operand is a weight, which is read packed when that pays.
// `key(packed)` and `build(packed, often)` make the packed or the plain program; both give equal
// bits.
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
bool has_isa(dnnl::cpu_isa wanted);        // whether oneDNN may use these instructions here

// -- Rows

// For a problem whose rows are all computed alike and whose number of rows changes from call to
// call. Making a program takes 0.1 to 0.3 ms. The first numbers of rows get programs of their own,
// and so do numbers that come often. For other numbers, programs for blocks of rows are combined;
// all numbers share these. Both ways give equal bits.
class RowBlocks {
 public:
  // `family` is the key of the problem without its rows; `row_bytes` as in Program.
  RowBlocks(Key family, int64_t rows, InlineVec<int64_t, 8> row_bytes)
      : family_(family), rows_(rows), row_bytes_(std::move(row_bytes)) {}

  // The program; `build(rows)` makes one for exactly so many rows.
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
  // False when the block wants another layout of the weight than the blocks before it.
  bool add(Program* block, int64_t first, Program* whole) const;

  static constexpr int64_t kSmall = 32, kLarge = kSmall * kSmall;
  Key family_;
  int64_t rows_;
  InlineVec<int64_t, 8> row_bytes_;
};

// -- Descriptors

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
