// The processes of this program that MPI has started, and groups of them. A group is a number: 0
// holds all processes. Every member of a group makes the same collective calls in the same order.
// Callers see to it that two threads do not use a group at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/core/result.h"
#include "kernels/processes/mpi_library.h"

namespace msjit {

struct ProcessWorld {
  int rank = 0, size = 1;
  std::string library;
};

struct ProcessGroup {
  const MpiLibrary* mpi = nullptr;
  MpiHandle comm = nullptr;
  int rank = 0, size = 0;
  std::vector<int> ranks;  // the members' ranks in the world
};

// Joins the other processes; a second call gives the same. RuntimeError without Open MPI, where
// another part of the program has ended MPI, and in a child of the process that joined.
Result<ProcessWorld> join_processes();
// Tells the others that this process has come to its end and calls nothing more.
Status say_farewell();
// Leaves them for good, when all have said farewell.
Status leave_processes();
// Ends every process of the world.
[[noreturn]] void abort_processes(int status);

// Called by the members alone, with the same ranks and tag. ValueError for bad ranks, or where this
// process is none of them.
Result<int> make_process_group(std::span<const int64_t> ranks, int tag);
Status free_process_group(int group);
// RuntimeError for a group that is not there.
Result<ProcessGroup> process_group(int group);

// Waits for a request. RuntimeError where one of `members`, which it cannot do without, has said
// farewell some seconds ago; the request is then left as it is.
struct Waited {
  Status status;
  bool left = false;
};
Waited wait_request(const ProcessGroup& group, MpiHandle* request, std::span<const int> members,
                    const char* where);

// What an MPI function has returned.
Status check_mpi(const MpiLibrary& mpi, int code, const char* where);

}  // namespace msjit
