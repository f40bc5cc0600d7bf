// Steps of the tape whose gradient is code of the program: it may print, count, or call other
// processes. A backward walk comes to them in the reverse of the order in which they were recorded,
// as captured code does. So processes that run differently make the calls of their gradients in one
// order.
#pragma once

#include "kernels/eager/tape.h"

namespace msjit {

// record_custom() for such a step.
void record_ordered(std::shared_ptr<CustomBackward> backward, std::span<const Tensor> in,
                    std::span<Tensor> out);

}  // namespace msjit
