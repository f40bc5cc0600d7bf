#include "device/fake_device.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstring>

#include "codegen/object_loader.h"
#include "device/block_emulator.h"

namespace msjit::testing {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kReserved = size_t{1} << 32;  // addresses; none is given twice

size_t pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

template <class Clock>
void join(Clock* clock, const Clock& other) {
  for (const auto& [stream, count] : other) {
    int64_t& mine = (*clock)[stream];
    mine = std::max(mine, count);
  }
}

template <class Clock>
bool comes_before(const Clock& used, const Clock& now) {
  for (const auto& [stream, count] : used) {
    const auto found = now.find(stream);
    if (found == now.end() || found->second < count) return false;
  }
  return true;
}

}  // namespace

struct FakeDevice::Module {
  std::unique_ptr<LoadedObject> object;
  Clock launches;
};

FakeDevice::FakeDevice(size_t capacity)
    : traits_{"fake", CodeKind::kEmulated, 80, 2},
      capacity_(capacity),
      cudnn_(MSJIT_STUB_CUDNN_LIBRARY) {
  memory_ = static_cast<char*>(
      mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  streams_[nullptr] = std::make_unique<Stream>();
  stub_queue_ = [this](void* to, const std::vector<StubUse>& uses, std::function<void()> work) {
    std::vector<Block*> blocks;
    for (const StubUse& use : uses) {
      auto found = find_block(use.memory, use.bytes);
      if (!found.ok()) return false;
      blocks.push_back(found.value());
    }
    Stream& stream = enqueue({to}, [this, work = std::move(work)] {
      open(true);
      work();
      open(false);
      return Status();
    });
    bool ordered = true;
    for (size_t i = 0; i < uses.size(); ++i)
      ordered = ordered && use(stream, *blocks[i], uses[i].writes).ok();
    return ordered;
  };
}

FakeDevice::~FakeDevice() { munmap(memory_, kReserved); }

std::string FakeDevice::leaks() const {
  std::string text;
  const auto add = [&](size_t count, const char* what) {
    if (count) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  size_t live = 0;
  for (const auto& [address, block] : blocks_) live += !block.freed;
  add(live, "blocks");
  add(streams_.size() - 1, "streams");
  add(events_.size(), "events");
  add(modules_.size(), "modules");
  return text;
}

// ---- memory
// ---------------------------------------------------------------------------------------------------------
// Each block is followed by a page that nobody may touch.
Result<void*> FakeDevice::allocate(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0) return internal_error("[fake] memory, got 0 bytes, expected some");
  if (live_bytes_ + bytes > capacity_)
    return memory_error("[fake] memory, got {} bytes asked, expected {} at most", bytes,
                        capacity_ - live_bytes_);
  char* at = memory_ + next_;
  next_ += pages(bytes) + kPage;
  live_bytes_ += bytes;
  blocks_.emplace(at, Block{bytes, false, {}, {}});
  return static_cast<void*>(at);
}

Status FakeDevice::free(void* memory) {
  const std::lock_guard lock(mutex_);
  MSJIT_TRY(Block * block, find_block(memory, 0));
  if (!comes_before(block->reads, host_) || !comes_before(block->writes, host_))
    return internal_error("[fake] freed memory, got a block that queued work uses");
  block->freed = true;
  live_bytes_ -= block->bytes;
  madvise(memory, pages(block->bytes), MADV_DONTNEED);
  return {};
}

Result<void*> FakeDevice::allocate_host(size_t bytes) { return ::operator new(bytes); }

Status FakeDevice::free_host(void* memory) {
  ::operator delete(memory);
  return {};
}

Result<FakeDevice::Block*> FakeDevice::find_block(const void* memory, size_t bytes) {
  auto* at = static_cast<char*>(const_cast<void*>(memory));
  if (at < memory_ || at >= memory_ + kReserved)
    return internal_error("[fake] address, got one of the host");
  auto found = blocks_.upper_bound(at);
  if (found == blocks_.begin())
    return internal_error("[fake] address, got one outside of all blocks");
  --found;
  if (at + bytes > found->first + found->second.bytes)
    return internal_error("[fake] address, got one outside of all blocks");
  if (found->second.freed) return internal_error("[fake] address, got one that has been freed");
  return &found->second;
}

void FakeDevice::open(bool readable) {
  for (const auto& [address, block] : blocks_)
    if (!block.freed)
      mprotect(address, pages(block.bytes), readable ? PROT_READ | PROT_WRITE : PROT_NONE);
}

// ---- order
// ----------------------------------------------------------------------------------------------------------
FakeDevice::Stream& FakeDevice::stream_of(DeviceStream stream) {
  return *streams_.at(stream.handle);
}

FakeDevice::Stream& FakeDevice::enqueue(DeviceStream to, std::function<Status()> work) {
  Stream& stream = stream_of(to);
  stream.queue.push_back(std::move(work));
  join(&stream.clock, host_);
  stream.clock[&stream] = ++stream.queued;
  return stream;
}

// Whether all earlier work on the block comes before what has just been queued.
Status FakeDevice::use(Stream& stream, Block& block, bool writes) {
  if (!comes_before(block.writes, stream.clock) ||
      (writes && !comes_before(block.reads, stream.clock)))
    return internal_error("[fake] order, got two streams that use a block side by side");
  (writes ? block.writes : block.reads)[&stream] = stream.queued;
  return {};
}

Status FakeDevice::run_until(Stream& stream, int64_t position) {
  while (stream.done < position) {
    const std::function<Status()> work = std::move(stream.queue.front());
    stream.queue.pop_front();
    ++stream.done;
    Status status = work();
    if (!status.ok() && stream.error.ok()) stream.error = std::move(status);
  }
  return {};
}

Status FakeDevice::sync(DeviceStream of) {
  const std::lock_guard lock(mutex_);
  Stream& stream = stream_of(of);
  MSJIT_OK(run_until(stream, stream.queued));
  join(&host_, stream.clock);
  return std::exchange(stream.error, Status());
}

Result<DeviceStream> FakeDevice::create_stream() {
  const std::lock_guard lock(mutex_);
  auto stream = std::make_unique<Stream>();
  void* const handle = stream.get();
  streams_[handle] = std::move(stream);
  return DeviceStream{handle};
}

Status FakeDevice::destroy_stream(DeviceStream stream) {
  const std::lock_guard lock(mutex_);
  if (!stream.handle || !streams_.count(stream.handle))
    return internal_error("[fake] stream, got none of this device");
  MSJIT_OK(sync(stream));
  ended_.push_back(std::move(streams_[stream.handle]));  // clocks still refer to it
  streams_.erase(stream.handle);
  return {};
}

Result<DeviceEvent> FakeDevice::record(DeviceStream of) {
  const std::lock_guard lock(mutex_);
  Stream& stream = stream_of(of);
  auto event = std::make_unique<Event>(Event{&stream, stream.queued, stream.clock});
  void* const handle = event.get();
  events_[handle] = std::move(event);
  return DeviceEvent{handle};
}

Status FakeDevice::wait(DeviceStream of, DeviceEvent handle) {
  const std::lock_guard lock(mutex_);
  const Event& event = *events_.at(handle.handle);
  Stream *other = event.stream, &stream = stream_of(of);
  const int64_t position = event.position;
  join(&stream.clock, event.clock);
  enqueue(of, [this, other, position] { return run_until(*other, position); });
  return {};
}

Status FakeDevice::sync(DeviceEvent handle) {
  const std::lock_guard lock(mutex_);
  const Event& event = *events_.at(handle.handle);
  MSJIT_OK(run_until(*event.stream, event.position));
  join(&host_, event.clock);
  return {};
}

Result<bool> FakeDevice::is_done(DeviceEvent handle) {
  const std::lock_guard lock(mutex_);
  const Event& event = *events_.at(handle.handle);
  const bool done = event.stream->done >= event.position;
  if (done) join(&host_, event.clock);
  return done;
}

Status FakeDevice::destroy_event(DeviceEvent event) {
  const std::lock_guard lock(mutex_);
  return events_.erase(event.handle) ? Status()
                                     : internal_error("[fake] event, got none of this device");
}

// ---- work
// -----------------------------------------------------------------------------------------------------------
Status FakeDevice::copy(CopyKind kind, void* to, const void* from, size_t bytes,
                        DeviceStream stream) {
  const std::lock_guard lock(mutex_);
  Block *target = nullptr, *source = nullptr;
  if (kind != CopyKind::kToHost) {
    MSJIT_TRY(target, find_block(to, bytes));
  }
  if (kind != CopyKind::kToDevice) {
    MSJIT_TRY(source, find_block(from, bytes));
  }
  Stream& queued = enqueue(stream, [this, to, from, bytes] {
    open(true);
    std::memcpy(to, from, bytes);
    open(false);
    return Status();
  });
  if (source) MSJIT_OK(use(queued, *source, false));
  if (target) MSJIT_OK(use(queued, *target, true));
  return {};
}

Result<DeviceModule> FakeDevice::load_module(std::string_view code) {
  const std::lock_guard lock(mutex_);
  MSJIT_TRY(auto object, LoadedObject::load(code));
  auto module = std::make_unique<Module>();
  module->object = std::move(object);
  void* const handle = module.get();
  modules_[handle] = std::move(module);
  return DeviceModule{handle};
}

Result<DeviceFunction> FakeDevice::find_function(DeviceModule module, const char* name) {
  const std::lock_guard lock(mutex_);
  if (std::strcmp(name, kKernelSymbol) != 0)
    return runtime_error("[fake] kernel, got {}, expected {}", name, kKernelSymbol);
  return DeviceFunction{module.handle};
}

Status FakeDevice::unload(DeviceModule module) {
  const std::lock_guard lock(mutex_);
  if (!comes_before(modules_.at(module.handle)->launches, host_))
    return internal_error("[fake] module, got one that queued work runs");
  modules_.erase(module.handle);
  return {};
}

Status FakeDevice::launch(DeviceFunction function, int64_t blocks, int,
                          std::span<void* const> parameters, DeviceStream to) {
  const std::lock_guard lock(mutex_);
  Module* module = modules_.at(function.handle).get();
  std::vector<int64_t> values;
  for (void* parameter : parameters) values.push_back(*static_cast<int64_t*>(parameter));
  const auto kernel = reinterpret_cast<EmulatedFn>(reinterpret_cast<void*>(module->object->fn()));
  std::vector<Block*> used;
  for (const int64_t value : values) {
    const auto* at = reinterpret_cast<const char*>(value);
    if (at < memory_ || at >= memory_ + kReserved) continue;  // not a pointer, but a number
    MSJIT_TRY(Block * block, find_block(at, 1));
    used.push_back(block);
  }
  Stream& stream = enqueue(to, [this, kernel, values, blocks]() mutable -> Status {
    std::vector<void*> pointers;
    for (int64_t& value : values) pointers.push_back(&value);
    open(true);
    const std::string error = run_emulated(kernel, pointers.data(), static_cast<int>(blocks), true);
    open(false);
    if (!error.empty()) return internal_error("[fake] {}", error);
    return {};
  });
  module->launches[&stream] = stream.queued;
  for (Block* block : used) MSJIT_OK(use(stream, *block, true));
  return {};
}

namespace {

template <class T>
void multiply(const DeviceProduct& p) {
  const auto *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
  auto* c = static_cast<T*>(p.c);
  for (int64_t batch = 0; batch < p.batch; ++batch, a += p.stride_a, b += p.stride_b)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j, ++c) {
        double sum = p.accumulates ? static_cast<double>(*c) : 0;
        for (int64_t k = 0; k < p.k; ++k)
          sum += static_cast<double>(a[p.transpose_a ? k * p.lda + i : i * p.lda + k]) *
                 static_cast<double>(b[p.transpose_b ? j * p.ldb + k : k * p.ldb + j]);
        *c = static_cast<T>(static_cast<float>(sum));
        if constexpr (std::is_same_v<T, double>) *c = sum;
      }
}

// Elements from the first to the last that a side shows.
int64_t reach(int64_t rows, int64_t columns, int64_t leading, int64_t stride, int64_t batch) {
  return (batch - 1) * stride + (rows - 1) * leading + columns;
}

}  // namespace

Status FakeDevice::product(const DeviceProduct& p, DeviceStream to) {
  const std::lock_guard lock(mutex_);
  if (!is_float(p.dtype)) return not_implemented_error("[fake] product of {}", dtype_name(p.dtype));
  const int64_t size = item_size(p.dtype);
  const auto bytes = [&](int64_t elements) { return static_cast<size_t>(elements * size); };
  const int64_t a = p.transpose_a ? reach(p.k, p.m, p.lda, p.stride_a, p.batch)
                                  : reach(p.m, p.k, p.lda, p.stride_a, p.batch);
  const int64_t b = p.transpose_b ? reach(p.n, p.k, p.ldb, p.stride_b, p.batch)
                                  : reach(p.k, p.n, p.ldb, p.stride_b, p.batch);
  MSJIT_TRY(Block * left, find_block(p.a, bytes(a)));
  MSJIT_TRY(Block * right, find_block(p.b, bytes(b)));
  MSJIT_TRY(Block * result, find_block(p.c, bytes(p.batch * p.m * p.n)));
  Stream& stream = enqueue(to, [this, p] {
    open(true);
    if (p.dtype == DType::kFloat32) multiply<float>(p);
    if (p.dtype == DType::kFloat64) multiply<double>(p);
    if (p.dtype == DType::kFloat16) multiply<Half>(p);
    if (p.dtype == DType::kBFloat16) multiply<BFloat16>(p);
    open(false);
    return Status();
  });
  MSJIT_OK(use(stream, *left, false));
  MSJIT_OK(use(stream, *right, false));
  return use(stream, *result, true);
}

Status FakeDevice::convolution(const DeviceConvolution& convolution,
                               const DeviceConvolutionData& data, const DeviceScratch& scratch,
                               DeviceStream stream) {
  const std::lock_guard lock(mutex_);
  static void* const stub = dlopen(MSJIT_STUB_CUDNN_LIBRARY, RTLD_NOW);
  if (stub) {
    const auto attach =
        reinterpret_cast<void (*)(const StubQueue*)>(dlsym(stub, "stub_cudnn_attach"));
    attach(&stub_queue_);
  }
  return cudnn_.convolve(convolution, data, scratch, stream);
}

}  // namespace msjit::testing
