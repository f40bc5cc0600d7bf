// What the stub of cuDNN asks of the device whose memory it works on.
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
// Puts work on a stream; false where a use is none of the device's.
using StubQueue =
    std::function<bool(void* stream, const std::vector<StubUse>& uses, std::function<void()> work)>;
// The library exports `void stub_cudnn_attach(const StubQueue*)`, which counts from then on.

}  // namespace msjit::testing
