// What the stub of cuDNN needs from the device whose memory it works on.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace msjit::testing {

struct StubUse {
  const void* memory;
  size_t bytes;
  bool writes;
};
// Queues work on a stream. False if a use is of memory that is not the device's.
using StubQueue =
    std::function<bool(void* stream, const std::vector<StubUse>& uses, std::function<void()> work)>;
// The library exports `void stub_cudnn_attach(const StubQueue*)`. The stub uses that queue from
// then on.

}  // namespace msjit::testing
