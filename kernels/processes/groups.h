// The processes of this program that MPI has started, and groups of them. A group is a number;
// group 0 holds all processes. All members of a group make the same collective calls in the same
// order. A call may consist of several messages, which threads must not mix: it holds the group's
// lock.
#pragma once

#include <mutex>
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

// What the copies of a ProcessGroup have in common.
struct GroupState {
  std::recursive_mutex lock;  // a call may consist of other calls
  int64_t calls = 0;          // so far; the same number on all members
};

struct ProcessGroup {
  const MpiLibrary* mpi = nullptr;
  MpiHandle comm = nullptr;
  int rank = 0, size = 0;
  std::vector<int> ranks;  // the members' ranks in the world
  std::shared_ptr<GroupState> state;
};

// Joins the other processes; a second call returns the same answer. RuntimeError without Open MPI,
// when another part of the program has ended MPI, and in a forked child of the process that joined.
Result<ProcessWorld> join_processes();
// Tells the other processes that this one has ended its work and makes no more calls.
Status say_farewell();
// Ends MPI in this process, after all processes have said farewell.
Status leave_processes();
// Ends every process of the world.
[[noreturn]] void abort_processes(int status);

// Called by the members only, with equal ranks and tag. ValueError for bad ranks, or when this
// process is not among them.
Result<int> make_process_group(std::span<const int64_t> ranks, int tag);
Status free_process_group(int group);
// RuntimeError when there is no such group.
Result<ProcessGroup> process_group(int group);

// Waits for a request. RuntimeError when one of `members`, which the request depends on, said
// farewell some seconds ago; the request is then left as it is.
struct Waited {
  Status status;
  bool left = false;
};
Waited wait_request(const ProcessGroup& group, MpiHandle* request, std::span<const int> members,
                    const char* where);

// Turns the return code of an MPI function into a Status.
Status check_mpi(const MpiLibrary& mpi, int code, const char* where);

}  // namespace msjit
