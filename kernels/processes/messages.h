// Messages from one process of a group to another. Each is sent as two: first dtype and shape, then
// the elements. So a receiver that expects something else reports an error instead of reading
// garbage.
#pragma once

#include "kernels/core/tensor.h"
#include "kernels/processes/groups.h"

namespace msjit {

// Begins to send or receive; returns a number for `wait_message`. The tensor is kept alive until
// then. Until then it must not be written, or, for a receive, read.
Result<int64_t> begin_send(int group, const Tensor& data, int rank, int tag);
Result<int64_t> begin_receive(int group, const Tensor& data, int rank, int tag);

// A message on its way, taken out of the table. Its holder must wait for it.
struct Message {
  struct Header {
    int32_t dtype = 0, rank = 0;
    int64_t dims[kMaxRank] = {};
  };
  ProcessGroup group;
  bool receives = false;
  int other = 0;
  Tensor data, memory;  // memory: contiguous, with the elements of data
  Header header;
  MpiHandle requests[2] = {};
};
// RuntimeError for a number that was taken already.
Result<std::unique_ptr<Message>> take_message(int64_t number);
// ValueError or TypeError when a received tensor does not have the expected shape or dtype.
// RuntimeError when the other process has ended without sending it.
Status wait_message(std::unique_ptr<Message> message);

}  // namespace msjit
