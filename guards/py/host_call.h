// host_call: the one gate through which CPython is called where an object of the program could run
// code of the program: its __eq__, its __hash__, a metaclass, a module's __getattr__. Each call
// names the reason why that cannot happen, or why it may. A capture that let such code run would
// run it once where the program runs it at every call; a check that did would have its borrowed
// pointers pulled from under it. `make lint` refuses such calls outside the gate
// (tests/tools/check_host_calls.py).
#pragma once

#include <string>
#include <type_traits>

#include "guards/py/ref.h"

namespace msjit::host {

// Whether an object, with all it holds, is of exact builtin classes whose operators, texts and
// hashes are CPython's own: numbers (NumPy's too), texts, containers of such, functions and classes
// without a metaclass.
bool is_value(PyObject* object);
// Whether a class is written in C and no program can give it a method.
inline bool is_static(PyObject* object) {
  return !(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

// The reasons. Those with `admits` are looked after: a call that does not meet its own reason is
// not made.
struct Values {
  static constexpr const char* kText = "operands that are plain values";
  static bool admits(PyObject* object) { return is_value(object); }
};
// Of an object whose own class answers, and answers in C. What the object holds is not asked.
struct Static {
  static constexpr const char* kText = "an object of a static class";
  static bool admits(PyObject* object) { return is_static(object); }
};
// Of what msjit has made just now, or has checked by a guard or a test that stands before the call.
struct Checked {};
// The program itself makes this call at this place: an argument of an operator is converted, a
// region's exit makes an object or changes one, an error is shown. Its code may run, and nothing
// borrowed from before is used behind the call.
struct Program {};

inline constexpr Values values;
inline constexpr Static of_static;
inline constexpr Checked checked;
inline constexpr Program program;

// What a refused call answers: the C API's own sign of an error, with a SystemError set. Executor
// takes no SystemError for one of the program.
void refuse(const char* reason);

template <class Reason, class Argument>
bool admits(const Argument& argument) {
  if constexpr (std::is_convertible_v<Argument, PyObject*> &&
                !std::is_same_v<Argument, std::nullptr_t>)
    return !argument || Reason::admits(argument);
  return true;
}

template <class Reason, class Function, class... Arguments>
[[gnu::always_inline]] inline auto call(Reason, Function function, Arguments... arguments) {
  using Answer = decltype(function(arguments...));
  if constexpr (requires(PyObject * object) { Reason::admits(object); }) {
    if (!(admits<Reason>(arguments) && ...)) [[unlikely]] {
      refuse(Reason::kText);
      if constexpr (std::is_pointer_v<Answer>)
        return static_cast<Answer>(nullptr);
      else
        return static_cast<Answer>(-1);
    }
  }
  return function(arguments...);
}

// A function that is kept to be called through the gate later.
template <class Function>
constexpr Function through(Function function) {
  return function;
}

// Whether two objects are equal values; false, without an error, for all others.
bool equal_values(PyObject* a, PyObject* b);
// The text of a value, for people; "?" where it could be anything's.
std::string text_of(PyObject* object);
// What a class or its bases have under a name, borrowed, as _PyType_Lookup finds it. A class may
// hold names that are no exact str, whose equality is the program's: such a class is searched for
// exact names alone, and whoever relies on a missing one asks has_plain_names() first.
PyObject* find_on_class(PyTypeObject* type, PyObject* name);
// Whether all names of a class and its bases are exact str.
bool has_plain_names(PyTypeObject* type);
// What a dictionary has under an exact str, borrowed; keys of other classes are not compared.
PyObject* find_name(PyObject* dict, const char* name);

}  // namespace msjit::host
