// Operations on images that run without the GIL; `msjit.dataset.vision` is built on them.
#pragma once

#include "guards/py/error.h"

namespace msjit {

bool add_images(PyObject* module);  // the submodule `images`

}  // namespace msjit
