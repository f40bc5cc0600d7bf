// Messages from one process of a group to another. Each is two: what comes (dtype and shape), then
// the elements, so that a receiver that expects something else says so instead of reading garbage.
#pragma once

#include "kernels/core/tensor.h"
#include "kernels/processes/groups.h"

namespace msjit {

// Begins to send or receive; the answer is a number for `wait_message`. The tensor is kept until
// then, and must not be written (or, for a receive, read) before.
Result<int64_t> begin_send(int group, const Tensor& data, int rank, int tag);
Result<int64_t> begin_receive(int group, const Tensor& data, int rank, int tag);

// A message on its way, taken out of the table: whoever has it waits for it.
struct Message {
  struct Header {
    int32_t dtype = 0, rank = 0;
    int64_t dims[kMaxRank] = {};
  };
  ProcessGroup group;
  bool receives = false;
  int other = 0;
  Tensor data, memory;  // memory: contiguous, of the same elements
  Header header;
  MpiHandle requests[2] = {};
};
// RuntimeError for a number that was waited for already.
Result<std::unique_ptr<Message>> take_message(int64_t number);
// ValueError or TypeError where a received tensor is not of the expected shape or dtype,
// RuntimeError where the other process has come to its end without it.
Status wait_message(std::unique_ptr<Message> message);

}  // namespace msjit
