// Calls that wait for other processes. Every process must make them once, in the order of the
// program, and no graph promises that: they end the region, and the interpreter makes them.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

bool ends(Executor& x, const char* name) { return x.fail(BreakReason::kCollective, name); }

#define MSJIT_COLLECTIVE(name)                                                   \
  {                                                                              \
#name, [](Executor & x, Args, PyObject*, SymRef*) { return ends(x, #name); } \
  }

const ModelRow kModels[] = {MSJIT_COLLECTIVE(join_processes),
                            MSJIT_COLLECTIVE(leave_processes),
                            MSJIT_COLLECTIVE(abort_processes),
                            MSJIT_COLLECTIVE(make_process_group),
                            MSJIT_COLLECTIVE(free_process_group),
                            MSJIT_COLLECTIVE(agree),
                            MSJIT_COLLECTIVE(barrier),
                            MSJIT_COLLECTIVE(all_reduce),
                            MSJIT_COLLECTIVE(reduce),
                            MSJIT_COLLECTIVE(reduce_scatter),
                            MSJIT_COLLECTIVE(all_gather),
                            MSJIT_COLLECTIVE(broadcast),
                            MSJIT_COLLECTIVE(gather),
                            MSJIT_COLLECTIVE(scatter),
                            MSJIT_COLLECTIVE(all_to_all),
                            MSJIT_COLLECTIVE(begin_send),
                            MSJIT_COLLECTIVE(begin_receive),
                            MSJIT_COLLECTIVE(wait_message)};

}  // namespace

const ModelTable models_processes = {"msjit._msjit.processes", kModels, {}};

}  // namespace msjit
