#include "kernels/core/storage.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

namespace msjit {
namespace {

// Size classes: multiples of 64 up to 1 KiB, then four per doubling up to 64 MiB; larger blocks
// go straight to the system.
constexpr size_t kAlign = 64;
constexpr int kSmallClasses = 16;
constexpr size_t kSmallLimit = kAlign * kSmallClasses;
constexpr int kDoublings = 16;
constexpr int kNumClasses = kSmallClasses + 4 * kDoublings;
constexpr size_t kLargestCached = kSmallLimit << kDoublings;
constexpr size_t kThreadCacheLimit = size_t{512} << 20;
constexpr size_t kHugePage = size_t{2} << 20;

// The header of a storage is in the 64 bytes before its data, so a storage is one block.
static_assert(sizeof(StorageImpl) <= kAlign);

// kNumClasses for a block that is not cached.
int size_class(size_t bytes) {
  if (bytes <= kSmallLimit) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / kAlign);
  if (bytes > kLargestCached) return kNumClasses;
  size_t last = bytes - 1;
  int log = 63 - __builtin_clzll(last);  // 2^log <= last < 2^(log + 1), log >= 10
  int quarter = static_cast<int>((last >> (log - 2)) & 3);
  return kSmallClasses + 4 * (log - 10) + quarter;
}

size_t class_bytes(int cls) {
  if (cls < kSmallClasses) return (cls + 1) * kAlign;
  int step = cls - kSmallClasses;
  size_t base = kSmallLimit << (step / 4);
  return base + (base / 4) * (step % 4 + 1);
}

void* system_allocate(size_t bytes) {
  size_t align = bytes >= kHugePage ? kHugePage : kAlign;
  if (bytes > SIZE_MAX - align) return nullptr;
  size_t rounded = (bytes + kAlign - 1) & ~(kAlign - 1);
  void* block = nullptr;
  if (posix_memalign(&block, align, rounded) != 0) return nullptr;
  if (bytes >= kHugePage) madvise(block, rounded, MADV_HUGEPAGE);
  return block;
}

struct FreeBlock {
  FreeBlock* next;
};

// Written by the owning thread only and read by allocator_stats() from any thread. So it is atomic,
// but needs no read-modify-write instructions.
class Counter {
 public:
  void add(int64_t delta) {
    value_.store(value_.load(std::memory_order_relaxed) + delta, std::memory_order_relaxed);
  }
  void set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
  int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

struct ThreadCache;

struct CacheList {
  std::mutex mutex;
  ThreadCache* head = nullptr;
  AllocatorStats retired{};  // sums of threads that ended
};
CacheList& cache_list() {
  static CacheList* list = new CacheList;  // outlives every thread
  return *list;
}

struct ThreadCache {
  FreeBlock* free[kNumClasses] = {};
  Counter cached;
  Counter live_bytes;
  Counter live_blocks;
  Counter peak_bytes;  // of live_bytes; a reset by another thread may get lost
  ThreadCache* next = nullptr;
  ThreadCache* previous = nullptr;

  ThreadCache() {
    CacheList& list = cache_list();
    std::lock_guard lock(list.mutex);
    next = list.head;
    if (next) next->previous = this;
    list.head = this;
  }
  ~ThreadCache();
  void trim() {
    for (FreeBlock*& head : free) {
      while (head) ::free(std::exchange(head, head->next));
    }
    cached.add(-cached.get());
  }
};

// Null before first use and after the thread's destructors ran.
thread_local ThreadCache* t_cache = nullptr;
thread_local bool t_dead = false;

ThreadCache::~ThreadCache() {
  trim();
  t_cache = nullptr;
  t_dead = true;
  CacheList& list = cache_list();
  std::lock_guard lock(list.mutex);
  list.retired.live_bytes += live_bytes.get();
  list.retired.live_blocks += live_blocks.get();
  list.retired.peak_bytes += peak_bytes.get();
  if (next) next->previous = previous;
  (previous ? previous->next : list.head) = next;
}

ThreadCache* make_thread_cache() {
  if (t_dead) return nullptr;
  // On the heap: the memory for thread_local variables of libraries that are opened later is small,
  // and other packages need some of it.
  static thread_local const std::unique_ptr<ThreadCache> cache(new (std::nothrow) ThreadCache);
  return t_cache = cache.get();
}

inline ThreadCache* thread_cache() { return t_cache ? t_cache : make_thread_cache(); }

void* block_allocate(size_t bytes) {
  int cls = size_class(bytes);
  ThreadCache* cache = thread_cache();
  if (cls == kNumClasses || !cache) return system_allocate(bytes);
  if (FreeBlock* block = cache->free[cls]) {
    cache->free[cls] = block->next;
    cache->cached.add(-static_cast<int64_t>(class_bytes(cls)));
    return block;
  }
  void* fresh = system_allocate(class_bytes(cls));
  if (!fresh) {
    cache->trim();
    fresh = system_allocate(class_bytes(cls));
  }
  return fresh;
}

void block_free(void* block, size_t bytes) {
  int cls = size_class(bytes);
  ThreadCache* cache = thread_cache();
  if (cls == kNumClasses || !cache) return ::free(block);
  int64_t size = static_cast<int64_t>(class_bytes(cls));
  if (cache->cached.get() + size > static_cast<int64_t>(kThreadCacheLimit)) return ::free(block);
  FreeBlock* entry = static_cast<FreeBlock*>(block);
  entry->next = cache->free[cls];
  cache->free[cls] = entry;
  cache->cached.add(size);
}

void count_storage(int64_t bytes, int64_t blocks) {
  if (ThreadCache* cache = thread_cache()) {
    cache->live_bytes.add(bytes);
    cache->live_blocks.add(blocks);
    const int64_t live = cache->live_bytes.get();
    if (live > cache->peak_bytes.get()) cache->peak_bytes.set(live);
    return;
  }
  CacheList& list = cache_list();
  std::lock_guard lock(list.mutex);
  list.retired.live_bytes += bytes;
  list.retired.live_blocks += blocks;
}

}  // namespace

Result<Storage> Storage::allocate(size_t bytes) {
  void* block = bytes <= SIZE_MAX / 2 ? block_allocate(bytes + kAlign) : nullptr;
  if (!block) return memory_error("[allocate] out of memory, got a request of {} bytes", bytes);
  StorageImpl* impl = new (block) StorageImpl;
  impl->bytes = bytes;
  impl->data = static_cast<char*>(block) + kAlign;
  count_storage(static_cast<int64_t>(bytes), 1);
  return Storage(impl);
}

Storage Storage::foreign(void* data, size_t bytes, void (*deleter)(void*), void* context) {
  void* block = block_allocate(sizeof(StorageImpl));
  if (!block) throw std::bad_alloc();
  StorageImpl* impl = new (block) StorageImpl;
  impl->bytes = bytes;
  impl->data = data;
  impl->deleter = deleter ? deleter : [](void*) {};
  impl->context = context;
  return Storage(impl);
}

void Storage::destroy(StorageImpl* impl) {
  delete impl->cache.load(std::memory_order_acquire);
  if (impl->deleter) {
    impl->deleter(impl->context);
    block_free(impl, sizeof(StorageImpl));
    return;
  }
  size_t bytes = impl->bytes;
  count_storage(-static_cast<int64_t>(bytes), -1);
  block_free(impl, bytes + kAlign);
}

AllocatorStats allocator_stats() {
  CacheList& list = cache_list();
  std::lock_guard lock(list.mutex);
  AllocatorStats sum = list.retired;
  for (ThreadCache* cache = list.head; cache; cache = cache->next) {
    sum.live_bytes += cache->live_bytes.get();
    sum.live_blocks += cache->live_blocks.get();
    sum.cached_bytes += cache->cached.get();
    sum.peak_bytes += cache->peak_bytes.get();
  }
  return sum;
}

void allocator_reset_peaks() {
  CacheList& list = cache_list();
  std::lock_guard lock(list.mutex);
  list.retired.peak_bytes = list.retired.live_bytes;
  for (ThreadCache* cache = list.head; cache; cache = cache->next)
    cache->peak_bytes.set(cache->live_bytes.get());
}

void allocator_trim() {
  if (ThreadCache* cache = thread_cache()) cache->trim();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void* pool_allocate(size_t bytes) {
  void* block = block_allocate(bytes);
  if (!block) throw std::bad_alloc();
  return block;
}

void pool_free(void* block, size_t bytes) { block_free(block, bytes); }

}  // namespace msjit
