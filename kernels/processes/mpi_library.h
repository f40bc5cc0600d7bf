// The MPI library of this machine, opened when the first group of processes is made; nothing is
// linked with it. Its functions are found by name. Handles (communicators, dtypes, reductions) are
// addresses of the library's objects, as in Open MPI. Another MPI, whose handles are numbers, is
// refused by name.
#pragma once

#include <string>

#include "kernels/core/dtype.h"
#include "kernels/core/result.h"

namespace msjit {

using MpiHandle = void*;

// What a receive or a wait reports, in Open MPI's memory layout.
struct MpiStatus {
  int source = 0, tag = 0, error = 0, cancelled = 0;
  size_t bytes = 0;
};

// name, result and parameters of each MPI function that is called
#define MSJIT_MPI_FUNCTIONS(F)                                                                    \
  F(Init_thread, int*, char***, int, int*)                                                        \
  F(Initialized, int*)                                                                            \
  F(Finalized, int*)                                                                              \
  F(Finalize)                                                                                     \
  F(Abort, MpiHandle, int)                                                                        \
  F(Error_string, int, char*, int*)                                                               \
  F(Comm_rank, MpiHandle, int*)                                                                   \
  F(Comm_size, MpiHandle, int*)                                                                   \
  F(Comm_dup, MpiHandle, MpiHandle*)                                                              \
  F(Comm_group, MpiHandle, MpiHandle*)                                                            \
  F(Comm_create_group, MpiHandle, MpiHandle, int, MpiHandle*)                                     \
  F(Comm_free, MpiHandle*)                                                                        \
  F(Comm_set_errhandler, MpiHandle, MpiHandle)                                                    \
  F(Group_incl, MpiHandle, int, const int*, MpiHandle*)                                           \
  F(Group_free, MpiHandle*)                                                                       \
  F(Barrier, MpiHandle)                                                                           \
  F(Bcast, void*, int, MpiHandle, int, MpiHandle)                                                 \
  F(Allreduce, const void*, void*, int, MpiHandle, MpiHandle, MpiHandle)                          \
  F(Reduce, const void*, void*, int, MpiHandle, MpiHandle, int, MpiHandle)                        \
  F(Reduce_scatter, const void*, void*, const int*, MpiHandle, MpiHandle, MpiHandle)              \
  F(Allgather, const void*, int, MpiHandle, void*, int, MpiHandle, MpiHandle)                     \
  F(Allgatherv, const void*, int, MpiHandle, void*, const int*, const int*, MpiHandle, MpiHandle) \
  F(Gather, const void*, int, MpiHandle, void*, int, MpiHandle, int, MpiHandle)                   \
  F(Scatter, const void*, int, MpiHandle, void*, int, MpiHandle, int, MpiHandle)                  \
  F(Alltoallv, const void*, const int*, const int*, MpiHandle, void*, const int*, const int*,     \
    MpiHandle, MpiHandle)                                                                         \
  F(Isend, const void*, int, MpiHandle, int, int, MpiHandle, MpiHandle*)                          \
  F(Irecv, void*, int, MpiHandle, int, int, MpiHandle, MpiHandle*)                                \
  F(Test, MpiHandle*, int*, MpiStatus*)                                                           \
  F(Iprobe, int, int, MpiHandle, int*, MpiStatus*)                                                \
  F(Recv, void*, int, MpiHandle, int, int, MpiHandle, MpiStatus*)                                 \
  F(Iallreduce, const void*, void*, int, MpiHandle, MpiHandle, MpiHandle, MpiHandle*)

struct MpiLibrary {
  std::string version;  // "Open MPI v4.1.4"
#define MSJIT_MPI_MEMBER(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  MSJIT_MPI_FUNCTIONS(MSJIT_MPI_MEMBER)
#undef MSJIT_MPI_MEMBER
  MpiHandle world = nullptr, no_request = nullptr, errors_return = nullptr;
  MpiHandle sum = nullptr, max = nullptr, min = nullptr, prod = nullptr;
  MpiHandle dtypes[kNumDTypes] = {};  // a dtype without arithmetic in MPI is moved as integers
};

// Opened once. RuntimeError when there is no MPI library, or when it is not Open MPI.
Result<const MpiLibrary*> mpi_library();

}  // namespace msjit
