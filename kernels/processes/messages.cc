#include "kernels/processes/messages.h"

#include <limits>
#include <unordered_map>

namespace msjit {
namespace {

std::unordered_map<int64_t, std::unique_ptr<Message>>& pending() {
  static auto& table = *new std::unordered_map<int64_t, std::unique_ptr<Message>>;
  return table;
}

Message::Header header_of(const Tensor& t) {
  Message::Header header;
  header.dtype = static_cast<int32_t>(t.dtype());
  header.rank = t.rank();
  for (int i = 0; i < t.rank(); ++i) header.dims[i] = t.dim(i);
  return header;
}

std::string text_of(const Message::Header& header) {
  if (header.dtype < 0 || header.dtype >= kNumDTypes || header.rank < 0 || header.rank > kMaxRank)
    return "something else";
  return fmt::format(
      "{} {}", dtype_name(static_cast<DType>(header.dtype)),
      Shape(std::span<const int64_t>(header.dims, static_cast<size_t>(header.rank))).str());
}

Result<std::unique_ptr<Message>> prepared(int group, const Tensor& data, int rank,
                                          const char* where) {
  auto message = std::make_unique<Message>();
  MSJIT_TRY(message->group, process_group(group));
  if (rank < 0 || rank >= message->group.size)
    return value_error("[{}] rank, got {}, expected one from 0 to {}", where, rank,
                       message->group.size - 1);
  if (rank == message->group.rank)
    return value_error("[{}] rank, got {}, the process itself, expected another", where, rank);
  if (data.numel() > std::numeric_limits<int>::max())
    return value_error("[{}] elements, got {}, expected at most {}", where, data.numel(),
                       std::numeric_limits<int>::max());
  message->other = rank;
  message->data = data;
  MSJIT_TRY(message->memory, data.to_contiguous());
  return message;
}

int64_t remember(std::unique_ptr<Message> message) {
  static int64_t next = 0;
  pending()[++next] = std::move(message);
  return next;
}

}  // namespace

Result<int64_t> begin_send(int group, const Tensor& data, int rank, int tag) {
  MSJIT_TRY(auto message, prepared(group, data, rank, "send"));
  Message& m = *message;
  const MpiLibrary& mpi = *m.group.mpi;
  m.header = header_of(data);
  MSJIT_OK(
      check_mpi(mpi,
                mpi.Isend(&m.header, sizeof m.header, mpi.dtypes[static_cast<int>(DType::kUInt8)],
                          rank, tag, m.group.comm, &m.requests[0]),
                "send"));
  MSJIT_OK(check_mpi(mpi,
                     mpi.Isend(m.memory.data(), static_cast<int>(data.numel()),
                               mpi.dtypes[static_cast<int>(data.dtype())], rank, tag, m.group.comm,
                               &m.requests[1]),
                     "send"));
  return remember(std::move(message));
}

Result<int64_t> begin_receive(int group, const Tensor& data, int rank, int tag) {
  MSJIT_TRY(auto message, prepared(group, data, rank, "recv"));
  Message& m = *message;
  const MpiLibrary& mpi = *m.group.mpi;
  m.receives = true;
  MSJIT_OK(
      check_mpi(mpi,
                mpi.Irecv(&m.header, sizeof m.header, mpi.dtypes[static_cast<int>(DType::kUInt8)],
                          rank, tag, m.group.comm, &m.requests[0]),
                "recv"));
  MSJIT_OK(check_mpi(mpi,
                     mpi.Irecv(m.memory.data(), static_cast<int>(data.numel()),
                               mpi.dtypes[static_cast<int>(data.dtype())], rank, tag, m.group.comm,
                               &m.requests[1]),
                     "recv"));
  return remember(std::move(message));
}

Result<std::unique_ptr<Message>> take_message(int64_t number) {
  const auto found = pending().find(number);
  if (found == pending().end())
    return runtime_error("[wait] handle, got one that was waited for, expected a new one");
  auto message = std::move(found->second);
  pending().erase(found);
  return message;
}

Status wait_message(std::unique_ptr<Message> message) {
  Message& m = *message;
  const char* where = m.receives ? "recv" : "send";
  Waited waited[2];
  for (int i = 0; i < 2; ++i) {  // both, whatever the first gave
    waited[i] = wait_request(m.group, &m.requests[i], {&m.other, 1}, where);
    if (waited[i].left) {
      (void)message.release();  // MPI may still write there
      return std::move(waited[i].status);
    }
  }
  MSJIT_OK(std::move(waited[0].status));
  if (!m.receives) return std::move(waited[1].status);
  const Message::Header expected = header_of(m.data);
  const int rank = m.group.ranks[static_cast<size_t>(m.other)];
  const std::string got = text_of(m.header), wanted = text_of(expected);
  if (m.header.dtype != expected.dtype)
    return type_error("[recv] tensor from rank {}, got {}, expected {}", rank, got, wanted);
  if (got != wanted)
    return value_error("[recv] tensor from rank {}, got {}, expected {}", rank, got, wanted);
  MSJIT_OK(std::move(waited[1].status));
  if (!m.memory.same(m.data)) copy_strided(m.memory, m.data);
  return {};
}

}  // namespace msjit
