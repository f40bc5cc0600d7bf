// Running a scan by ops that the tape can record: rows are taken and stacked by operators.
#pragma once

#include "graph/scan.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {

using RunOneOp = Status (*)(const OpDef&, std::span<const Tensor>, const Attrs&, TensorVec*);
Status run_scan_by_ops(const Node& node, std::span<const Tensor> in, const RunSubgraph& run,
                       RunOneOp run_op, std::vector<Tensor>* out);

}  // namespace msjit
