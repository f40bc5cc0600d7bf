// How abc.ABCMeta answers isinstance() for abstract base classes: by the classes registered with
// them and by answers that it remembers. A remembered "yes" is final. A "no" is valid until the
// next class is registered anywhere.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

// abc.ABCMeta, if its own __instancecheck__ answers; null while module abc is not loaded, or where
// the program has replaced that method.
PyTypeObject* abstract_metaclass();
enum class Remembered { kNothing, kNo, kYes };
// What an abstract class remembers of another class. Runs no test.
Remembered remembered_subclass(PyObject* cls, PyTypeObject* type);
// A number that is different after each registration; -1 when there is none.
int64_t registrations();

}  // namespace msjit
