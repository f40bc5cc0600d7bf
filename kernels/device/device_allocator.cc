#include "kernels/device/device_allocator.h"

#include <algorithm>
#include <bit>

namespace msjit {
namespace {

constexpr size_t kAlign = 512;  // alignment of what the driver returns; enough for any access

// Four sizes per doubling, so that blocks of similar sizes can replace each other.
size_t rounded(size_t bytes) {
  if (bytes <= 4 * kAlign) return std::max((bytes + kAlign - 1) / kAlign, size_t{1}) * kAlign;
  const size_t step = std::bit_floor(bytes - 1) / 4;  // a power of two
  if (bytes > SIZE_MAX - step) return bytes;
  return (bytes + step - 1) & ~(step - 1);
}

}  // namespace

DeviceAllocator::~DeviceAllocator() {
  const Status status = trim();
  (void)status;  // the device is going away
}

Result<void*> DeviceAllocator::allocate(size_t bytes, DeviceStream stream) {
  const size_t size = rounded(bytes);
  std::lock_guard lock(mutex_);
  MSJIT_OK(release_finished(false));
  void* memory = nullptr;
  if (auto found = free_.find({stream.handle, size}); found != free_.end()) {
    memory = found->second.back();
    found->second.pop_back();
    if (found->second.empty()) free_.erase(found);
    stats_.cached_bytes -= static_cast<int64_t>(size);
  } else {
    MSJIT_TRY(memory, request(size));
  }
  live_.emplace(memory, Block{size, stream, {}});
  stats_.live_bytes += static_cast<int64_t>(size);
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  ++stats_.live_blocks;
  return memory;
}

Result<void*> DeviceAllocator::request(size_t bytes) {
  ++stats_.requests;
  Result<void*> memory = api_.allocate(bytes);
  if (memory.ok() || memory.error().kind != ErrorKind::kMemory) return memory;
  MSJIT_OK(trim_locked());
  return api_.allocate(bytes);
}

Status DeviceAllocator::use_on(void* memory, DeviceStream stream) {
  std::lock_guard lock(mutex_);
  const auto found = live_.find(memory);
  if (found == live_.end()) return internal_error("[device] memory in use, got a freed block");
  Block& block = found->second;
  if (block.stream == stream || std::ranges::count(block.others, stream)) return {};
  block.others.push_back(stream);
  return {};
}

Status DeviceAllocator::free(void* memory) {
  std::lock_guard lock(mutex_);
  const auto found = live_.find(memory);
  if (found == live_.end()) return internal_error("[device] freed memory, got a freed block");
  Block block = std::move(found->second);
  live_.erase(found);
  stats_.live_bytes -= static_cast<int64_t>(block.bytes);
  stats_.cached_bytes += static_cast<int64_t>(block.bytes);
  --stats_.live_blocks;
  return keep(memory, std::move(block));
}

Status DeviceAllocator::keep(void* memory, Block block) {
  if (block.others.empty()) {
    free_[{block.stream.handle, block.bytes}].push_back(memory);
    return {};
  }
  Waiting waiting{memory, std::move(block), {}};
  Status status;
  for (const DeviceStream stream : waiting.block.others) {
    auto event = api_.record(stream);
    if (!event.ok()) {
      status = event.take_error();
      break;
    }
    waiting.events.push_back(event.take());
  }
  // If the events of a block could not be recorded, it is not reused before the device is idle.
  waiting_.push_back(std::move(waiting));
  return status;
}

// Blocks that other streams have used go to their own stream's list when these streams are done.
Status DeviceAllocator::release_finished(bool wait) {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    bool done = it->events.size() == it->block.others.size();
    for (const DeviceEvent event : it->events) {
      if (wait) {
        MSJIT_OK(api_.sync(event));
        continue;
      }
      MSJIT_TRY(const bool finished, api_.is_done(event));
      done = done && finished;
    }
    if (wait)
      for (const DeviceStream stream : it->block.others) MSJIT_OK(api_.sync(stream));
    if (!done && !wait) {
      ++it;
      continue;
    }
    for (const DeviceEvent event : it->events) MSJIT_OK(api_.destroy_event(event));
    free_[{it->block.stream.handle, it->block.bytes}].push_back(it->memory);
    it = waiting_.erase(it);
  }
  return {};
}

Status DeviceAllocator::trim() {
  std::lock_guard lock(mutex_);
  return trim_locked();
}

Status DeviceAllocator::trim_locked() {
  MSJIT_OK(release_finished(true));
  for (auto it = free_.begin(); it != free_.end(); it = free_.erase(it)) {
    MSJIT_OK(api_.sync(DeviceStream{it->first.first}));
    while (!it->second.empty()) {
      MSJIT_OK(api_.free(it->second.back()));
      stats_.cached_bytes -= static_cast<int64_t>(it->first.second);
      it->second.pop_back();
    }
  }
  return {};
}

DeviceMemoryStats DeviceAllocator::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace msjit
