// The tape node of a region: computes gradients by the region's compiled backward graphs.
#pragma once

#include "codegen/region.h"
#include "kernels/core/random.h"

namespace msjit {

std::vector<TensorImpl*> headers(std::span<const Tensor> tensors);

// `random`: the random state before the forward run. The outputs of the tape node are those of the
// region, then the extra outputs.
std::shared_ptr<CustomBackward> make_region_backward(
    std::shared_ptr<const RegionFunction> region, std::shared_ptr<RegionFunction::Variant> variant,
    RandomState random);

}  // namespace msjit
