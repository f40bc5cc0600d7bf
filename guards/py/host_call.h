// host_call: the one gate for calls of CPython that could run code of the program: the __eq__ or
// __hash__ of an object, a metaclass, a module's __getattr__. Each call names the reason why no
// such code runs, or why it may. During capture that code would run once, where the program runs it
// at every call. During a check it could free objects that the check has borrowed. `make lint`
// refuses such calls outside the gate (tests/tools/check_host_calls.py).
#pragma once

#include <string>
#include <type_traits>

#include "guards/py/ref.h"

namespace msjit::host {

// Whether an object, with all it holds, is of exact builtin classes whose operators, texts and
// hashes are CPython's own: numbers (NumPy's too), texts, containers of these, functions and
// classes without a metaclass of the program.
bool is_value(PyObject* object);
// Whether a class is written in C and no program can give it a method.
inline bool is_static(PyObject* object) {
  return !(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

// The reasons. Those with `admits` are verified at run time: a call that does not meet its reason
// is not made.
struct Values {
  static constexpr const char* kText = "operands that are plain values";
  static bool admits(PyObject* object) { return is_value(object); }
};
// For an object whose own class answers, and is written in C. It is not asked for anything about
// the objects it holds.
struct Static {
  static constexpr const char* kText = "an object of a static class";
  static bool admits(PyObject* object) { return is_static(object); }
};
// For an object that msjit has just made, or that a guard or test before the call has checked.
struct Checked {};
// For calls that the program itself makes at this place: an argument of an operator is converted, a
// region's exit makes or changes an object, an error is shown. Code of the program may run, and no
// pointer borrowed before is used afterwards.
struct Program {};

inline constexpr Values values;
inline constexpr Static of_static;
inline constexpr Checked checked;
inline constexpr Program program;

// Sets the SystemError of a refused call, which then returns the C API's sign of an error. Executor
// never takes a SystemError for an exception of the program.
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

// Marks a function that is stored now and called through the gate later.
template <class Function>
constexpr Function through(Function function) {
  return function;
}

// Whether two objects are equal values; false, without an error, for all others.
bool equal_values(PyObject* a, PyObject* b);
// The repr of a value, for people; "?" for objects whose repr could be code of the program.
std::string text_of(PyObject* object);
// What a class or its bases have under a name, borrowed, as _PyType_Lookup finds it. A class may
// have names that are no exact str and compare by code of the program. In such a class only exact
// names are found; whoever relies on a name being missing must ask has_plain_names() first.
PyObject* find_on_class(PyTypeObject* type, PyObject* name);
// Whether all names of a class and its bases are exact str.
bool has_plain_names(PyTypeObject* type);
// The value under an exact str in a dictionary, borrowed. Keys of other classes are not compared.
PyObject* find_name(PyObject* dict, const char* name);

}  // namespace msjit::host
