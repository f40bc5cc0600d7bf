// What a tape node of a region does: gradients by the region's compiled backward graphs.
#pragma once

#include "codegen/region.h"
#include "kernels/core/random.h"

namespace msjit {

std::vector<TensorImpl*> headers(std::span<const Tensor> tensors);

// `random`: the random state as it was before the forward run. The outputs of the node are those of
// the region and then the extra ones.
std::shared_ptr<CustomBackward> make_region_backward(
    std::shared_ptr<const RegionFunction> region, std::shared_ptr<RegionFunction::Variant> variant,
    RandomState random);

}  // namespace msjit
