// Storage: a reference-counted block of bytes that tensors view, and the allocator behind it.
// Blocks are 64-byte aligned and come from per-thread caches by size class. So allocating the
// output of a small op costs no system call and no lock. Foreign memory (NumPy, DLPack) is held
// through a deleter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/core/device.h"
#include "kernels/core/result.h"

namespace msjit {

// Data derived from the bytes of a storage; destroyed with the storage (kernels/cpu/packed.h).
struct StorageCache {
  virtual ~StorageCache() = default;
};

struct StorageImpl {
  std::atomic<int32_t> refs{1};
  Device device;
  bool read_only = false;  // foreign memory its owner exported as read-only
  bool scratch = false;    // an executable's arena: written again and again without a new version
  uint64_t version = 0;    // bumped by every in-place write
  size_t bytes = 0;
  void* data = nullptr;
  void (*deleter)(void* context) = nullptr;  // null: `data` belongs to the caching allocator
  void* context = nullptr;
  std::atomic<StorageCache*> cache{nullptr};  // owned
  // Holders of the address outside (a buffer, DLPack) may write unnoticed. How many there are, and
  // how many there have been.
  std::atomic<int32_t> exports{0}, exports_ended{0};

  void begin_export() { exports.fetch_add(1); }
  void end_export() {
    exports_ended.fetch_add(1);
    exports.fetch_sub(1);
  }
};

// Owning handle.
class Storage {
 public:
  Storage() = default;
  explicit Storage(StorageImpl* impl) : impl_(impl) {}  // steals
  Storage(const Storage& other) : impl_(other.impl_) {
    if (impl_) impl_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Storage(Storage&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Storage() {
    if (impl_ && impl_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(impl_);
  }
  StorageImpl* operator->() const { return impl_; }
  StorageImpl* get() const { return impl_; }
  explicit operator bool() const { return impl_ != nullptr; }
  bool unique() const { return impl_->refs.load(std::memory_order_acquire) == 1; }

  // `[allocate] ...` MemoryError when the system refuses (2^60 bytes, say); never aborts.
  static Result<Storage> allocate(size_t bytes);
  static Storage foreign(void* data, size_t bytes, void (*deleter)(void*), void* context);

 private:
  static void destroy(StorageImpl* impl);
  StorageImpl* impl_ = nullptr;
};

// Figures of the caching allocator, for stats() and leak tests.
struct AllocatorStats {
  int64_t live_bytes;    // handed out now
  int64_t cached_bytes;  // kept for reuse
  int64_t live_blocks;
  int64_t peak_bytes;  // the most handed out since the peaks were reset, summed over threads
};
AllocatorStats allocator_stats();
void allocator_reset_peaks();
void allocator_trim();  // gives the calling thread's cached blocks back to the system

// Small fixed-size objects (tensor headers): a per-thread free list.
void* pool_allocate(size_t bytes);
void pool_free(void* block, size_t bytes);

}  // namespace msjit
