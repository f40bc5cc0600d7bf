// Numbers and texts that a program makes of numbers of tensors (kScalar): running totals, means,
// lines of a log. Nobody can look at such a value while capturing, but its class is known, and what
// it is made of has exact builtin classes. So Python's own functions compute it at the region's
// exit, where it is the object that the program would have. What raises there fails the region, and
// the interpreter runs it.
#pragma once

#include "bytecode/capture.h"
#include "bytecode/exec.h"

namespace msjit {

// How a kComputed is made of its `items`: a Recipe's build, number and object.
struct Computation {
  Build build;
  int64_t number = 0;
  Ref object;
};

// What a kComputed is made of, for those who make a tensor of it (computed_graph.h).
struct Computed {
  enum class Form { kOther, kBinary, kUnary, kCompare, kCall };
  Form form = Form::kOther;
  int64_t detail = 0;     // which operator or comparison
  const char* name = "";  // of a function of the builtins or of math
  const std::vector<SymRef>* operands = nullptr;
};
Computed computed_parts(const SymValue& value);

// Each of these leaves `known` false where it has no say: at level STRICT, whose graphs hold no
// Python numbers; where no operand is such a number or text, or
// something else than numbers and texts is among them. Numbers of the program that meet them need
// not be looked at: a guard on their class will do.
bool computed_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out,
                     bool* known);
// A call of a builtin function, `object`.
bool computed_call(Executor& x, PyObject* object, const char* name, const std::vector<SymRef>& args,
                   PyObject* names, SymRef* out, bool* known);
// A ufunc that says what kind of number it is given: numpy.isnan(loss.asnumpy()).
bool computed_ufunc(Executor& x, PyObject* ufunc, const SymRef& arg, SymRef* out, bool* known);
// sum(items, start), numbers all of them.
bool computed_sum(Executor& x, PyObject* sum, const std::vector<SymRef>& items, const SymRef& start,
                  SymRef* out, bool* known);
// What a place in an f-string shows (`conversion` and `spec` as FormatValue has them; an empty spec
// may be null), and texts put together.
bool computed_format(Executor& x, const SymRef& value, int conversion, Ref spec, SymRef* out,
                     bool* known);
bool computed_concat(Executor& x, const std::vector<SymRef>& texts, SymRef* out, bool* known);
// A number or text nobody can look at; it is shown at the exit.
bool is_shown_later(const Executor& x, const SymRef& value);

// Rules of kinds, for kScalar and kTensorArray too.
bool computed_operator(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                       SymRef* out, bool* known);
bool computed_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                      bool* known);
bool computed_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known);

}  // namespace msjit
