// The ordered list of passes and the runner that names, times, dumps, disables (MSJIT_DISABLE),
// bisects (MSJIT_BISECT) and verifies them. A pass is `Result<bool>(Graph&)`: whether it changed
// anything.
#pragma once

#include "graph/ir.h"

namespace msjit {

using PassFn = Result<bool> (*)(Graph&);
struct PassInfo {
  const char* name;
  PassFn run;
  bool for_fusing = false;  // only of use where elementwise nodes are fused
};
std::span<const PassInfo> pipeline();
const PassInfo* find_pass(std::string_view name);
Status run_pass(const PassInfo& pass, Graph& graph);
Status run_pipeline(Graph& graph, bool fuses = true);
// Whether a log, a dump or MSJIT_BISECT follows the passes. Graphs must then go through them one by
// one, in the order of the program.
bool pipeline_is_watched();
// run_pipeline() for a sub-graph, without dumps.
Status run_pipeline_nested(Graph& graph, bool fuses = true);

}  // namespace msjit
