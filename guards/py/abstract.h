// Abstract base classes, as abc.ABCMeta answers isinstance() for them: by what was registered, and
// by answers that it remembers. A remembered "yes" stands for good, a "no" until the next class is
// registered anywhere.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

// abc.ABCMeta where it answers itself; null while its module is not loaded, or changed.
PyTypeObject* abstract_metaclass();
enum class Remembered { kNothing, kNo, kYes };
// What an abstract class remembers of another class. Asks nobody.
Remembered remembered_subclass(PyObject* cls, PyTypeObject* type);
// Another number after each registration; -1 when it cannot be had.
int64_t registrations();

}  // namespace msjit
