// DeviceAllocator: keeps the memory of one device for reuse, because asking the driver is slow and
// waits for all queued work. It is stream-ordered: a block belongs to the stream it was allocated
// for. A freed block serves the next allocation of its stream at once, because work queued there
// comes after all earlier uses. A block that other streams have used too is reused when these are
// done.
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
  int64_t cached_bytes = 0;  // kept for reuse; includes those that wait for other streams
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

  // A request for 0 bytes gets a block too. MemoryError when the device has no memory left even
  // after all cached blocks were given back.
  Result<void*> allocate(size_t bytes, DeviceStream stream);
  // Says that another stream than the block's own has queued work that uses it.
  Status use_on(void* memory, DeviceStream stream);
  Status free(void* memory);
  // Waits for the work that uses cached blocks and gives them back to the device.
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
