// Work on images without the interpreter's lock: what `msjit.dataset.vision` is made of.
#pragma once

#include "guards/py/error.h"

namespace msjit {

bool add_images(PyObject* module);  // the submodule `images`

}  // namespace msjit
