// A device for tests. Its memory is protected: an access by the host is a page fault. Queued work
// is done as late as the rules allow, when somebody waits for it, so code that forgets to wait sees
// old bytes. The device refuses what would be a race on a real device:
// - two streams use a block, and no event or sync orders them;
// - freed or foreign memory is used;
// - a block is freed, or a module unloaded, while work that uses it is queued.
// A launch counts as a write to all its operands. Kernels run by emulation of a GPU's threads.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "device/stub/stub_cudnn.h"
#include "kernels/device/cudnn.h"
#include "kernels/device/device_api.h"

namespace msjit::testing {

class FakeDevice final : public DeviceApi {
 public:
  explicit FakeDevice(size_t capacity = size_t{64} << 20);
  ~FakeDevice() override;

  const DeviceTraits& traits() const override { return traits_; }
  Result<void*> allocate(size_t bytes) override;
  Status free(void* memory) override;
  Result<void*> allocate_host(size_t bytes) override;
  Status free_host(void* memory) override;
  Status copy(CopyKind kind, void* to, const void* from, size_t bytes,
              DeviceStream stream) override;
  Result<DeviceStream> create_stream() override;
  Status destroy_stream(DeviceStream stream) override;
  Status sync(DeviceStream stream) override;
  Result<DeviceEvent> record(DeviceStream stream) override;
  Status wait(DeviceStream stream, DeviceEvent event) override;
  Status sync(DeviceEvent event) override;
  Result<bool> is_done(DeviceEvent event) override;
  Status destroy_event(DeviceEvent event) override;
  Result<DeviceModule> load_module(std::string_view code) override;
  Result<DeviceFunction> find_function(DeviceModule module, const char* name) override;
  Status unload(DeviceModule module) override;
  Status launch(DeviceFunction function, int64_t blocks, int threads,
                std::span<void* const> parameters, DeviceStream stream) override;
  Status product(const DeviceProduct& product, DeviceStream stream) override;
  // Through the project's own cuDNN code, on a stub of that library.
  Status convolution(const DeviceConvolution& convolution, const DeviceConvolutionData& data,
                     const DeviceScratch& scratch, DeviceStream stream) override;

  // What has not been freed, as "2 blocks, 1 module"; "" if nothing.
  std::string leaks() const;

 private:
  struct Stream;
  struct Module;
  using Clock = std::map<const Stream*, int64_t>;  // how many items of each stream come before
  struct Event {
    Stream* stream;
    int64_t position;
    Clock clock;
  };
  struct Stream {
    std::deque<std::function<Status()>> queue;
    int64_t queued = 0, done = 0;
    Clock clock;
    Status error;
  };
  struct Block {
    size_t bytes;
    bool freed = false;
    Clock reads, writes;
  };

  Stream& stream_of(DeviceStream stream);
  Stream& enqueue(DeviceStream stream, std::function<Status()> work);
  Status run_until(Stream& stream, int64_t position);
  Result<Block*> find_block(const void* memory, size_t bytes);
  Status use(Stream& stream, Block& block, bool writes);
  void open(bool readable);  // all live blocks, while queued work runs

  std::recursive_mutex mutex_;  // calls come from any thread
  DeviceTraits traits_;
  char* memory_;
  size_t capacity_, next_ = 0, live_bytes_ = 0;
  std::map<char*, Block> blocks_;  // by address, the freed ones too
  std::map<void*, std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Stream>> ended_;
  std::map<void*, std::unique_ptr<Event>> events_;
  std::map<void*, std::unique_ptr<Module>> modules_;
  Clock host_;
  Cudnn cudnn_;
  StubQueue stub_queue_;
};

}  // namespace msjit::testing
