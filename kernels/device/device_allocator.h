// DeviceAllocator: the memory of one device, kept for reuse, because asking its driver is slow and
// waits for all its work. Stream-ordered: a block belongs to the stream it was allocated for, and
// what is freed is at once free for that stream's next allocation, since work queued there comes
// after all that used it. A block that other streams have used too comes back when they are done.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "kernels/device/device_api.h"

namespace msjit {

struct DeviceMemoryStats {
  int64_t live_bytes = 0;    // handed out now
  int64_t cached_bytes = 0;  // kept for reuse, those that wait for other streams included
  int64_t live_blocks = 0;
  int64_t peak_bytes = 0;  // the most handed out at a time
  int64_t requests = 0;    // made to the device
};

class DeviceAllocator {
 public:
  explicit DeviceAllocator(DeviceApi& api) : api_(api) {}
  // All blocks must have been freed.
  ~DeviceAllocator();
  DeviceAllocator(const DeviceAllocator&) = delete;

  // `bytes` of 0 are a block too. MemoryError when the device has none left, whatever is cached
  // having been given back first.
  Result<void*> allocate(size_t bytes, DeviceStream stream);
  // Another stream than its own has work queued that uses the block.
  Status use_on(void* memory, DeviceStream stream);
  Status free(void* memory);
  // Gives what is cached back to the device, once its work is done.
  Status trim();
  DeviceMemoryStats stats() const;

 private:
  struct Block {
    size_t bytes;
    DeviceStream stream;
    std::vector<DeviceStream> others;
  };
  struct Waiting {
    void* memory;
    Block block;
    std::vector<DeviceEvent> events;
  };
  using Key = std::pair<void*, size_t>;  // a stream's handle, bytes

  Status release_finished(bool wait);
  Status trim_locked();
  Result<void*> request(size_t bytes);
  Status keep(void* memory, Block block);

  DeviceApi& api_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, Block> live_;
  std::map<Key, std::vector<void*>> free_;
  std::deque<Waiting> waiting_;
  DeviceMemoryStats stats_;
};

}  // namespace msjit
