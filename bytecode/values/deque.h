#pragma once

#include "guards/py/ref.h"

namespace msjit {

PyTypeObject* deque_type();  // collections.deque; null when it cannot be had

}  // namespace msjit
