#include "kernels/cpu/onednn/program.h"

#include <omp.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace msjit::onednn {

// Never destroyed: it must outlive every thread's table of programs.
const dnnl::engine& engine() {
  static const dnnl::engine* instance = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *instance;
}

namespace {

dnnl_stream_t stream() {
  static thread_local dnnl::stream instance(engine());
  return instance.get();
}

// A number for each pair of layouts that has occurred, valid in all threads.
int layout_number(const memory::desc& plain, const memory::desc& packed) {
  static std::mutex mutex;
  static auto* known = new std::vector<std::pair<memory::desc, memory::desc>>;
  std::lock_guard lock(mutex);
  for (size_t i = 0; i < known->size(); ++i)
    if ((*known)[i].first == plain && (*known)[i].second == packed) return static_cast<int>(i) + 1;
  known->emplace_back(plain, packed);
  return static_cast<int>(known->size());
}

}  // namespace

// -- Programs

Status Program::run_steps(std::span<void* const> operands) {
  Storage scratch;
  if (scratch_bytes_ > 0) {
    MSJIT_TRY(scratch, Storage::allocate(scratch_bytes_));
    char* base = static_cast<char*>(scratch->data);
    for (const Temporary& t : temporaries_)
      dnnl_memory_set_data_handle(t.value.get(), base + t.offset);
  }
  for (size_t i = 0; i < operands.size(); ++i)
    dnnl_memory_set_data_handle(operands_[i].get(), operands[i]);
  for (const Step& step : steps_) {
    dnnl_status_t status = dnnl_primitive_execute(
        step.primitive.get(), stream(), static_cast<int>(step.args.size()), step.args.data());
    if (status != dnnl_success)
      return internal_error("[onednn] a primitive failed with status {}", static_cast<int>(status));
  }
  return {};
}

Status Program::run_parts(std::span<void* const> operands) {
  InlineVec<void*, 8> moved;
  for (void* operand : operands) moved.push_back(operand);
  for (const Part& part : parts_) {
    for (size_t i = 0; i < operands.size(); ++i)
      if (row_bytes_[i] != 0)
        moved[i] = static_cast<char*>(operands[i]) + part.first * row_bytes_[i];
    MSJIT_OK(part.program->run(std::span<void* const>(moved.data(), moved.size())));
  }
  return {};
}

memory Builder::operand(const memory::desc& desc) {
  return program_->operands_.emplace_back(desc, engine(), nullptr);
}

memory Builder::temporary(const memory::desc& desc) {
  memory fresh(desc, engine(), nullptr);
  program_->temporaries_.push_back({fresh, program_->scratch_bytes_});
  program_->scratch_bytes_ += (desc.get_size() + 63) / 64 * 64;
  return fresh;
}

memory Builder::input(const memory::desc& plain, const memory::desc& wanted) {
  memory given = operand(plain);
  if (plain == wanted) return given;
  memory converted = temporary(wanted);
  reorder(given, converted);
  return converted;
}

memory Builder::packed(const memory::desc& plain, const memory::desc& wanted) {
  if (plain == wanted) return operand(plain);
  Builder conversion;
  memory from = conversion.operand(plain), to = conversion.operand(wanted);
  conversion.reorder(from, to);
  program_->pack = conversion.finish();
  program_->packed_bytes = wanted.get_size();
  program_->layout = layout_number(plain, wanted);
  return operand(wanted);
}

memory Builder::output(const memory::desc& plain, const memory::desc& written) {
  memory target = operand(plain);
  if (plain == written) return target;
  memory raw = temporary(written);
  results_.push_back({raw, target});
  return raw;
}

ProgramPtr Builder::finish() {
  for (auto& [raw, target] : results_) reorder(raw, target);
  return std::move(program_);
}

void Builder::append(const dnnl::primitive& primitive, const std::vector<Arg>& args) {
  Program::Step step{primitive, {}};
  for (const Arg& arg : args) step.args.push_back({arg.index, arg.value.get()});
  program_->steps_.push_back(std::move(step));
}

void Builder::reorder(const memory& from, const memory& to) {
  dnnl::reorder::primitive_desc desc(engine(), from.get_desc(), engine(), to.get_desc(),
                                     user_scratchpad());
  add(desc, dnnl::reorder(desc), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

memory::data_type data_type(DType dtype) {
  switch (dtype) {
    case DType::kBFloat16: return memory::data_type::bf16;
    case DType::kFloat16: return memory::data_type::f16;
    default: return memory::data_type::f32;
  }
}

bool has_isa(dnnl::cpu_isa wanted) {
  static const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  const auto has = static_cast<unsigned>(isa), bits = static_cast<unsigned>(wanted);
  return (has & bits) == bits;
}

// -- The table

namespace {

// Each primitive has code of its own, about 40 KB.
constexpr size_t kUsualPrimitives = 2048, kMaxPrimitives = 16384;
constexpr size_t kMaxEntries = 16384;

// When it is full, the least recently used quarter is dropped. A program that is built again after
// it was dropped makes the table larger: the sizes of images that a training goes through in turn
// may need more programs than usual, and without them each step would build its programs anew.
class Table {
 public:
  Program* find(const Key& key) {
    auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    found->second.used = ++clock_;
    return found->second.program.get();
  }
  Program* keep(const Key& key, ProgramPtr program) {
    if (dropped_.erase(key.hash()) > 0)
      limit_ = std::min(limit_ + program->num_primitives(), kMaxPrimitives);
    if (primitives_ >= limit_ || entries_.size() >= kMaxEntries) drop_oldest();
    Entry& entry = entries_[key];
    primitives_ += program->num_primitives();
    if (entry.program) primitives_ -= entry.program->num_primitives();
    entry = {std::move(program), ++clock_};
    return entry.program.get();
  }
  size_t primitives() const { return primitives_; }

 private:
  struct Entry {
    ProgramPtr program;
    uint64_t used = 0;
  };
  void drop_oldest() {
    std::vector<uint64_t> times;
    for (const auto& [key, entry] : entries_) times.push_back(entry.used);
    const auto limit = times.begin() + static_cast<ptrdiff_t>(times.size() / 4);
    std::nth_element(times.begin(), limit, times.end());
    if (dropped_.size() >= kMaxEntries) dropped_.clear();
    std::erase_if(entries_, [&](const auto& item) {
      if (item.second.used >= *limit) return false;
      dropped_.insert(item.first.hash());
      primitives_ -= item.second.program->num_primitives();
      return true;
    });
  }
  std::unordered_map<Key, Entry, KeyHash> entries_;
  std::unordered_set<uint64_t> dropped_;  // hashes of their keys
  size_t primitives_ = 0;
  size_t limit_ = kUsualPrimitives;
  uint64_t clock_ = 0;
};

Table& table() {
  static thread_local const auto instance = std::make_unique<Table>();  // see make_thread_cache()
  return *instance;
}

}  // namespace

ThreadScope::ThreadScope() : before_(omp_get_max_threads()) {
  if (before_ != num_threads()) omp_set_num_threads(num_threads());
}
ThreadScope::~ThreadScope() {
  if (before_ != omp_get_max_threads()) omp_set_num_threads(before_);
}

Program* known_program(const Key& key) { return table().find(key); }

Program* keep_program(const Key& key, ProgramPtr program) {
  return table().keep(key, std::move(program));
}

ErrorPtr building_failed(const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory)
    return memory_error("[onednn] not enough memory to build a primitive");
  return internal_error("[onednn] cannot build a primitive: {}", error.what());
}

int64_t cached_primitives() { return static_cast<int64_t>(table().primitives()); }

Operands operands_with(const void* last, Operands operands) {
  if (last) operands.push_back(last);
  return operands;
}

Result<Storage> packed_weight(const Tensor& weight, uint64_t form, Program* program,
                              packed::Found found) {
  if (!found.due) return found.layout == program->layout ? std::move(found.copy) : Storage();
  if (program->layout == 0) return packed::keep(weight, form, 0, 0, {}), Storage();
  uint64_t version = weight.storage()->version;
  Storage copy = packed::find_layout(weight, program->layout);
  if (!copy) {
    MSJIT_TRY(copy, packed::allocate(program->packed_bytes));
    const void* conversion[] = {weight.data(), copy ? copy->data : nullptr};
    if (copy) MSJIT_OK(program->pack->run(pointers(conversion)));
  }
  packed::keep(weight, form, program->layout, version, copy);
  return copy;
}

// -- Rows

namespace {

constexpr int kFirstSizes = 8;  // numbers of rows that get a program when first met, per family
constexpr int kMostSizes = 64;  // numbers of rows that may get a program at all
constexpr int kOften = 16;      // runs after which a number of rows counts as frequent
constexpr size_t kMaxFamilies = 4096;

int& own_sizes(const Key& family) {
  static thread_local const auto counts = std::make_unique<std::unordered_map<Key, int, KeyHash>>();
  if (counts->size() >= kMaxFamilies) counts->clear();
  return (*counts)[family];
}

}  // namespace

bool RowBlocks::gets_own(bool often) const {
  int& count = own_sizes(family_);
  if (count >= (often ? kMostSizes : kFirstSizes)) return false;
  ++count;
  return true;
}

bool RowBlocks::add(Program* block, int64_t first, Program* whole) const {
  if (first > 0 && block->layout != whole->layout) return false;
  whole->layout = block->layout;
  whole->pack = block->pack;
  whole->packed_bytes = block->packed_bytes;
  whole->row_bytes_ = row_bytes_;
  whole->runs_left_ = own_sizes(family_) < kMostSizes ? kOften : 0;
  whole->parts_.push_back({block->shared_from_this(), first});
  return true;
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

}  // namespace msjit::onednn
