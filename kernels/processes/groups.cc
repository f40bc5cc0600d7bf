#include "kernels/processes/groups.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

namespace msjit {
namespace {

constexpr int kThreadMultiple = 3;

struct World {
  const MpiLibrary* mpi = nullptr;  // null before join and after leave
  pid_t process = 0;
  bool left = false, ours = false;  // ours: MPI was started here
  std::vector<ProcessGroup> groups;
  MpiHandle farewells = nullptr;  // a communicator for nothing else
  std::vector<MpiHandle> said;    // sends on their way
  char word = 0;
};
World& world() {
  static auto& only = *new World;
  return only;
}

// A forked child has its parent's memory, but no connection.
Status joined_here(const World& w) {
  if (!w.mpi)
    return runtime_error("[communication] processes, got none that have joined, expected init()");
  if (w.process != getpid())
    return runtime_error(
        "[communication] process, got a child (fork) of one that called init(), "
        "expected the one that called it");
  return {};
}

Result<ProcessGroup> described(const MpiLibrary& mpi, MpiHandle comm, std::vector<int> ranks) {
  ProcessGroup group{&mpi, comm, 0, 0, std::move(ranks), std::make_shared<GroupState>()};
  MSJIT_OK(check_mpi(mpi, mpi.Comm_set_errhandler(comm, mpi.errors_return), "init"));
  MSJIT_OK(check_mpi(mpi, mpi.Comm_rank(comm, &group.rank), "init"));
  MSJIT_OK(check_mpi(mpi, mpi.Comm_size(comm, &group.size), "init"));
  return group;
}

// Uses its own communicators, so that messages of other parts of the program are not mistaken for
// ours.
Status join(World& w, const MpiLibrary& mpi) {
  int started = 0, ended = 0, threads = 0;
  MSJIT_OK(check_mpi(mpi, mpi.Finalized(&ended), "init"));
  if (ended || w.left)
    return runtime_error(
        "[init] MPI, got init() after MPI has ended, expected only one init() in a process");
  MSJIT_OK(check_mpi(mpi, mpi.Initialized(&started), "init"));
  if (!started)
    MSJIT_OK(check_mpi(mpi, mpi.Init_thread(nullptr, nullptr, kThreadMultiple, &threads), "init"));
  w.ours = !started;
  MpiHandle comm = nullptr;
  MSJIT_OK(check_mpi(mpi, mpi.Comm_dup(mpi.world, &comm), "init"));
  MSJIT_OK(check_mpi(mpi, mpi.Comm_dup(mpi.world, &w.farewells), "init"));
  MSJIT_TRY(auto all, described(mpi, comm, {}));
  for (int rank = 0; rank < all.size; ++rank) all.ranks.push_back(rank);
  w.groups.assign(1, all);
  w.mpi = &mpi;
  w.process = getpid();
  return {};
}

Status check_ranks(std::span<const int64_t> ranks, const ProcessGroup& all) {
  if (ranks.empty()) return value_error("[create_group] rank_ids, got none, expected one or more");
  std::vector<int64_t> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return value_error("[create_group] rank_ids, got a rank twice, expected different ones");
  for (int64_t rank : sorted)
    if (rank < 0 || rank >= all.size)
      return value_error("[create_group] rank_ids, got {}, expected ranks from 0 to {}", rank,
                         all.size - 1);
  if (!std::binary_search(sorted.begin(), sorted.end(), all.rank))
    return value_error(
        "[create_group] rank_ids, got none of this process, which is rank {}, expected "
        "to be called by members alone",
        all.rank);
  return {};
}

// The ranks of the given members that have said farewell, as "1, 2".
std::string ranks_gone(const ProcessGroup& group, std::span<const int> members) {
  std::string gone;
  for (const int member : members) {
    const int rank = group.ranks[static_cast<size_t>(member)];
    int said = 0;
    MpiStatus ignored;
    if (member == group.rank) continue;
    const int code = group.mpi->Iprobe(rank, 0, world().farewells, &said, &ignored);
    if (code == 0 && said) gone += (gone.empty() ? "" : ", ") + std::to_string(rank);
  }
  return gone;
}

}  // namespace

Status check_mpi(const MpiLibrary& mpi, int code, const char* where) {
  if (code == 0) return {};
  char text[512] = "";
  int length = 0;
  if (mpi.Error_string(code, text, &length) != 0) length = 0;
  return runtime_error("[{}] MPI says: {}", where, std::string(text, static_cast<size_t>(length)));
}

Result<ProcessWorld> join_processes() {
  World& w = world();
  if (!w.mpi) {
    MSJIT_TRY(const MpiLibrary* mpi, mpi_library());
    MSJIT_OK(join(w, *mpi));
  }
  MSJIT_OK(joined_here(w));
  return ProcessWorld{w.groups[0].rank, w.groups[0].size, w.mpi->version};
}

Status say_farewell() {
  World& w = world();
  MSJIT_OK(joined_here(w));
  if (!w.said.empty()) return {};
  const ProcessGroup& all = w.groups[0];
  w.said.resize(static_cast<size_t>(all.size));
  for (int rank = 0; rank < all.size; ++rank)
    if (rank != all.rank)
      MSJIT_OK(check_mpi(*w.mpi,
                         w.mpi->Isend(&w.word, 1, w.mpi->dtypes[static_cast<int>(DType::kUInt8)],
                                      rank, 0, w.farewells, &w.said[static_cast<size_t>(rank)]),
                         "release"));
  return {};
}

Status leave_processes() {
  World& w = world();
  MSJIT_OK(say_farewell());
  const MpiLibrary& mpi = *w.mpi;
  const ProcessGroup all = w.groups[0];
  for (int rank = 0; rank < all.size; ++rank) {
    if (rank == all.rank) continue;
    char word = 0;
    MSJIT_OK(check_mpi(mpi,
                       mpi.Recv(&word, 1, mpi.dtypes[static_cast<int>(DType::kUInt8)], rank, 0,
                                w.farewells, nullptr),
                       "release"));
    MSJIT_OK(wait_request(all, &w.said[static_cast<size_t>(rank)], {}, "release").status);
  }
  for (ProcessGroup& group : w.groups)
    if (group.comm) MSJIT_OK(check_mpi(mpi, mpi.Comm_free(&group.comm), "release"));
  MSJIT_OK(check_mpi(mpi, mpi.Comm_free(&w.farewells), "release"));
  w.groups.clear();
  w.mpi = nullptr;
  w.left = true;
  return w.ours ? check_mpi(mpi, mpi.Finalize(), "release") : Status();
}

Waited wait_request(const ProcessGroup& group, MpiHandle* request, std::span<const int> members,
                    const char* where) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kLook = std::chrono::milliseconds(20);
  constexpr auto kGrace = std::chrono::seconds(2);  // for what was on its way before the farewell
  Clock::time_point looked = Clock::now();
  std::optional<Clock::time_point> since;
  for (uint32_t turn = 1;; ++turn) {
    int done = 0;
    MpiStatus ignored;
    const int code = group.mpi->Test(request, &done, &ignored);
    if (code != 0 || done) return {check_mpi(*group.mpi, code, where)};
    if (turn % 1024 != 0 || members.empty() || Clock::now() - looked < kLook) continue;
    looked = Clock::now();
    const std::string gone = ranks_gone(group, members);
    if (gone.empty()) continue;
    if (!since) since = looked;
    if (looked - *since > kGrace)
      return {runtime_error("[{}] rank {}, got the end of its program, expected it to take part",
                            where, gone),
              true};
  }
}

void abort_processes(int status) {
  const World& w = world();
  if (w.mpi && w.process == getpid()) w.mpi->Abort(w.mpi->world, status);
  std::_Exit(status);
}

Result<int> make_process_group(std::span<const int64_t> ranks, int tag) {
  World& w = world();
  MSJIT_OK(joined_here(w));
  const MpiLibrary& mpi = *w.mpi;
  const ProcessGroup all = w.groups[0];
  MSJIT_OK(check_ranks(ranks, all));
  const std::vector<int> members(ranks.begin(), ranks.end());
  MpiHandle whole = nullptr, part = nullptr, comm = nullptr;
  MSJIT_OK(check_mpi(mpi, mpi.Comm_group(all.comm, &whole), "create_group"));
  MSJIT_OK(check_mpi(mpi,
                     mpi.Group_incl(whole, static_cast<int>(members.size()), members.data(), &part),
                     "create_group"));
  MSJIT_OK(check_mpi(mpi, mpi.Comm_create_group(all.comm, part, tag, &comm), "create_group"));
  MSJIT_OK(check_mpi(mpi, mpi.Group_free(&part), "create_group"));
  MSJIT_OK(check_mpi(mpi, mpi.Group_free(&whole), "create_group"));
  MSJIT_TRY(const ProcessGroup made, described(mpi, comm, members));
  w.groups.push_back(made);
  return static_cast<int>(w.groups.size()) - 1;
}

Status free_process_group(int group) {
  World& w = world();
  MSJIT_TRY(ProcessGroup found, process_group(group));
  if (group == 0)
    return value_error("[destroy_group] group, got that of all processes, expected another");
  w.groups[static_cast<size_t>(group)].comm = nullptr;
  return check_mpi(*found.mpi, found.mpi->Comm_free(&found.comm), "destroy_group");
}

Result<ProcessGroup> process_group(int group) {
  const World& w = world();
  MSJIT_OK(joined_here(w));
  if (group < 0 || static_cast<size_t>(group) >= w.groups.size() ||
      !w.groups[static_cast<size_t>(group)].comm)
    return runtime_error("[communication] group, got number {}, expected one that was made", group);
  return w.groups[static_cast<size_t>(group)];
}

}  // namespace msjit
