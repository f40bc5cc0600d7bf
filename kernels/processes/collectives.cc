#include "kernels/processes/collectives.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace msjit {
namespace {

constexpr int64_t kMost = std::numeric_limits<int>::max();  // elements of one MPI call
void* const kInPlace = reinterpret_cast<void*>(1);          // MPI_IN_PLACE

MpiHandle dtype_of(const ProcessGroup& g, const Tensor& t) {
  return g.mpi->dtypes[static_cast<int>(t.dtype())];
}

Result<MpiHandle> reduction(const ProcessGroup& g, const Tensor& t, Reduction op,
                            const char* where) {
  const bool ordered = op == Reduction::kMax || op == Reduction::kMin;
  const DType d = t.dtype();
  if (d == DType::kBool || d == DType::kFloat16 || d == DType::kBFloat16 ||
      (ordered && (d == DType::kComplex64 || d == DType::kComplex128)))
    return type_error("[{}] dtype, got {}, expected one that MPI reduces", where, dtype_name(d));
  switch (op) {
    case Reduction::kSum: return g.mpi->sum;
    case Reduction::kMax: return g.mpi->max;
    case Reduction::kMin: return g.mpi->min;
    case Reduction::kProd: return g.mpi->prod;
  }
  return internal_error("[{}] reduction", where);
}

// A tensor that MPI writes to: itself, or contiguous memory that is copied into it afterwards.
class Written {
 public:
  Status take(const Tensor& t) {
    target_ = memory_ = t;
    if (t.contiguous()) return {};
    MSJIT_TRY(memory_, t.to_contiguous());
    return {};
  }
  const Tensor& memory() const { return memory_; }
  Status done(Status status) {
    if (status.ok() && !memory_.same(target_)) copy_strided(memory_, target_);
    return status;
  }

 private:
  Tensor target_, memory_;
};

Status check_sizes(const char* where, const Tensor& from, int64_t from_size, const Tensor& to,
                   int64_t to_size) {
  if (from.dtype() != to.dtype())
    return type_error("[{}] dtype of the output, got {}, expected {}", where,
                      dtype_name(to.dtype()), dtype_name(from.dtype()));
  if (from.numel() != from_size)
    return value_error("[{}] elements of the input, got {}, expected {}", where, from.numel(),
                       from_size);
  if (to.numel() != to_size)
    return value_error("[{}] elements of the output, got {}, expected {}", where, to.numel(),
                       to_size);
  return {};
}

Status check_root(const ProcessGroup& g, int root, const char* where) {
  if (root >= 0 && root < g.size) return {};
  return value_error("[{}] rank, got {}, expected one from 0 to {}", where, root, g.size - 1);
}

// Counts and offsets in the form that MPI takes.
struct Parts {
  std::vector<int> counts, offsets;
  int64_t total = 0;
  Status take(const ProcessGroup& g, std::span<const int64_t> parts, const char* where) {
    if (static_cast<int>(parts.size()) != g.size)
      return value_error("[{}] counts, got {} of them, expected {}", where, parts.size(), g.size);
    for (const int64_t count : parts) {
      if (count < 0) return value_error("[{}] count, got {}, expected 0 or more", where, count);
      if (total > kMost - count)
        return value_error("[{}] elements, got more than {}, expected fewer", where, kMost);
      counts.push_back(static_cast<int>(count));
      offsets.push_back(static_cast<int>(total));
      total += count;
    }
    return {};
  }
};

Status check_count(int64_t count, const char* where) {
  if (count <= kMost) return {};
  return value_error("[{}] elements, got {}, expected at most {}", where, count, kMost);
}

// Calls `call(offset in bytes, count)` for ranges of elements small enough for one MPI call.
template <class Call>
Status in_stretches(const ProcessGroup& g, const Tensor& t, const char* where, Call call) {
  for (int64_t at = 0; at < t.numel(); at += kMost)
    MSJIT_OK(check_mpi(
        *g.mpi, call(at * item_size(t.dtype()), static_cast<int>(std::min(kMost, t.numel() - at))),
        where));
  return {};
}

char* bytes(const Tensor& t) { return static_cast<char*>(t.data()); }

}  // namespace

Result<bool> agree(int group, int64_t value) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  int64_t found[2] = {value, ~value};  // the largest, and ~ of the smallest
  MpiHandle dtype = g.mpi->dtypes[static_cast<int>(DType::kInt64)];
  if (group != 0) {  // all members of the world come here at the end, but not those of a group
    auto* shared = new int64_t[4]{value, ~value, 0, 0};  // MPI keeps it when a member has gone
    MpiHandle request = nullptr;
    MSJIT_OK(check_mpi(
        *g.mpi, g.mpi->Iallreduce(shared, shared + 2, 2, dtype, g.mpi->max, g.comm, &request),
        "agree"));
    std::vector<int> members(static_cast<size_t>(g.size));
    std::iota(members.begin(), members.end(), 0);
    Waited waited = wait_request(g, &request, members, "agree");
    const bool same = shared[2] == ~shared[3];
    if (!waited.left) delete[] shared;
    MSJIT_OK(std::move(waited.status));
    return same;
  }
  MSJIT_OK(
      check_mpi(*g.mpi, g.mpi->Allreduce(kInPlace, found, 2, dtype, g.mpi->max, g.comm), "agree"));
  return found[0] == ~found[1];
}

Status barrier(int group) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  return check_mpi(*g.mpi, g.mpi->Barrier(g.comm), "barrier");
}

Status all_reduce(int group, const Tensor& from, const Tensor& to, Reduction op) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  MSJIT_OK(check_sizes("all_reduce", from, from.numel(), to, from.numel()));
  MSJIT_TRY(MpiHandle how, reduction(g, from, op, "all_reduce"));
  MSJIT_TRY(const Tensor in, from.to_contiguous());
  Written out;
  MSJIT_OK(out.take(to));
  const Tensor& target = out.memory();
  const bool in_place = in.data() == target.data();
  return out.done(in_stretches(g, in, "all_reduce", [&](int64_t at, int count) {
    return g.mpi->Allreduce(in_place ? kInPlace : bytes(in) + at, bytes(target) + at, count,
                            dtype_of(g, in), how, g.comm);
  }));
}

Status reduce(int group, const Tensor& from, const Tensor& to, Reduction op, int root) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  MSJIT_OK(check_root(g, root, "reduce"));
  MSJIT_TRY(MpiHandle how, reduction(g, from, op, "reduce"));
  MSJIT_TRY(const Tensor in, from.to_contiguous());
  const bool here = g.rank == root;
  Written out;
  if (here) {
    MSJIT_OK(check_sizes("reduce", from, from.numel(), to, from.numel()));
    MSJIT_OK(out.take(to));
  }
  const bool in_place = here && in.data() == out.memory().data();
  Status status = in_stretches(g, in, "reduce", [&](int64_t at, int count) {
    return g.mpi->Reduce(in_place ? kInPlace : bytes(in) + at,
                         here ? bytes(out.memory()) + at : nullptr, count, dtype_of(g, in), how,
                         root, g.comm);
  });
  return here ? out.done(std::move(status)) : std::move(status);
}

Status reduce_scatter(int group, const Tensor& from, const Tensor& to, Reduction op,
                      std::span<const int64_t> counts) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  Parts parts;
  MSJIT_OK(parts.take(g, counts, "reduce_scatter"));
  MSJIT_OK(
      check_sizes("reduce_scatter", from, parts.total, to, counts[static_cast<size_t>(g.rank)]));
  MSJIT_TRY(MpiHandle how, reduction(g, from, op, "reduce_scatter"));
  MSJIT_TRY(const Tensor in, from.to_contiguous());
  Written out;
  MSJIT_OK(out.take(to));
  return out.done(
      check_mpi(*g.mpi,
                g.mpi->Reduce_scatter(in.data(), out.memory().data(), parts.counts.data(),
                                      dtype_of(g, in), how, g.comm),
                "reduce_scatter"));
}

Status all_gather(int group, const Tensor& from, const Tensor& to,
                  std::span<const int64_t> counts) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  Parts parts;
  MSJIT_OK(parts.take(g, counts, "all_gather"));
  MSJIT_OK(check_sizes("all_gather", from, counts[static_cast<size_t>(g.rank)], to, parts.total));
  MSJIT_TRY(const Tensor in, from.to_contiguous());
  Written out;
  MSJIT_OK(out.take(to));
  MpiHandle dtype = dtype_of(g, in);
  const int own = parts.counts[static_cast<size_t>(g.rank)];
  const bool even = std::all_of(counts.begin(), counts.end(), [&](int64_t n) { return n == own; });
  const int code =
      even ? g.mpi->Allgather(in.data(), own, dtype, out.memory().data(), own, dtype, g.comm)
           : g.mpi->Allgatherv(in.data(), own, dtype, out.memory().data(), parts.counts.data(),
                               parts.offsets.data(), dtype, g.comm);
  return out.done(check_mpi(*g.mpi, code, "all_gather"));
}

Status broadcast(int group, const Tensor& data, int root) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  MSJIT_OK(check_root(g, root, "broadcast"));
  Written out;
  MSJIT_OK(out.take(data));
  return out.done(in_stretches(g, data, "broadcast", [&](int64_t at, int count) {
    return g.mpi->Bcast(bytes(out.memory()) + at, count, dtype_of(g, data), root, g.comm);
  }));
}

Status gather(int group, const Tensor& from, const Tensor& to, int root) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  MSJIT_OK(check_root(g, root, "gather"));
  MSJIT_OK(check_count(from.numel(), "gather"));
  MSJIT_TRY(const Tensor in, from.to_contiguous());
  const int count = static_cast<int>(in.numel());
  MpiHandle dtype = dtype_of(g, in);
  if (g.rank != root)
    return check_mpi(
        *g.mpi, g.mpi->Gather(in.data(), count, dtype, nullptr, 0, dtype, root, g.comm), "gather");
  MSJIT_OK(check_sizes("gather", from, from.numel(), to, from.numel() * g.size));
  Written out;
  MSJIT_OK(out.take(to));
  return out.done(check_mpi(
      *g.mpi,
      g.mpi->Gather(in.data(), count, dtype, out.memory().data(), count, dtype, root, g.comm),
      "gather"));
}

Status scatter(int group, const Tensor& from, const Tensor& to, int root) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  MSJIT_OK(check_root(g, root, "scatter"));
  MSJIT_OK(check_count(to.numel(), "scatter"));
  Written out;
  MSJIT_OK(out.take(to));
  Tensor in = to;
  if (g.rank == root) {
    MSJIT_OK(check_sizes("scatter", from, to.numel() * g.size, to, to.numel()));
    MSJIT_TRY(in, from.to_contiguous());
  }
  const int count = static_cast<int>(to.numel());
  MpiHandle dtype = dtype_of(g, to);
  return out.done(check_mpi(*g.mpi,
                            g.mpi->Scatter(g.rank == root ? in.data() : nullptr, count, dtype,
                                           out.memory().data(), count, dtype, root, g.comm),
                            "scatter"));
}

Status all_to_all(int group, const Tensor& from, const Tensor& to, std::span<const int64_t> sent,
                  std::span<const int64_t> received) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  Parts out_parts, in_parts;
  MSJIT_OK(out_parts.take(g, sent, "all_to_all"));
  MSJIT_OK(in_parts.take(g, received, "all_to_all"));
  MSJIT_OK(check_sizes("all_to_all", from, out_parts.total, to, in_parts.total));
  MSJIT_TRY(const Tensor in, from.to_contiguous());
  Written out;
  MSJIT_OK(out.take(to));
  return out.done(
      check_mpi(*g.mpi,
                g.mpi->Alltoallv(in.data(), out_parts.counts.data(), out_parts.offsets.data(),
                                 dtype_of(g, in), out.memory().data(), in_parts.counts.data(),
                                 in_parts.offsets.data(), dtype_of(g, to), g.comm),
                "all_to_all"));
}

}  // namespace msjit
