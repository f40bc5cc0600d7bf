// kComputed: a number or text that a program makes of numbers of tensors (kScalar): running totals,
// means, lines of a log. Such a value cannot be looked at while capturing. But its class is known,
// and its operands have exact builtin classes. So Python's own functions compute it at the region's
// exit, where it is exactly the program's object. If that raises, the region fails and the
// interpreter runs it.
#pragma once

#include "bytecode/capture.h"
#include "bytecode/exec.h"

namespace msjit {

// How a kComputed is made from its `items`: the build, number and object of its Recipe.
struct Computation {
  Build build;
  int64_t number = 0;
  Ref object;
};

// The operation and operands of a kComputed, for code that makes a tensor of it (computed_graph.h).
struct Computed {
  enum class Form { kOther, kBinary, kUnary, kCompare, kCall, kItem };
  Form form = Form::kOther;
  int64_t detail = 0;     // which operator or comparison
  const char* name = "";  // of a function of the builtins or of math
  const std::vector<SymRef>* operands = nullptr;
};
Computed computed_parts(const SymValue& value);

// Each of these leaves `known` false where it does not apply: at level STRICT, whose graphs hold no
// Python numbers; where no operand is such a number or text; where an operand is neither number nor
// text. Numbers of the program among the operands are not looked at: a guard on their class is
// enough.
bool computed_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out,
                     bool* known);
// A call of a builtin function, `object`.
bool computed_call(Executor& x, PyObject* object, const char* name, const std::vector<SymRef>& args,
                   PyObject* names, SymRef* out, bool* known);
// A ufunc that classifies a number: numpy.isnan(loss.asnumpy()).
bool computed_ufunc(Executor& x, PyObject* ufunc, const SymRef& arg, SymRef* out, bool* known);
// sum(items, start), numbers all of them.
bool computed_sum(Executor& x, PyObject* sum, const std::vector<SymRef>& items, const SymRef& start,
                  SymRef* out, bool* known);
// The text of one place in an f-string (`conversion` and `spec` as FormatValue has them; an empty
// spec may be null); and texts joined together.
bool computed_format(Executor& x, const SymRef& value, int conversion, Ref spec, SymRef* out,
                     bool* known);
bool computed_concat(Executor& x, const std::vector<SymRef>& texts, SymRef* out, bool* known);
// len(text) of a text that cannot be looked at.
bool computed_length(Executor& x, const SymRef& text, SymRef* out, bool* known);
// The item at an int that cannot be looked at: a number or text, if all items are of one class.
bool computed_item(Executor& x, const SymRef& index, const std::vector<SymRef>& items, SymRef* out,
                   bool* known);
// Whether this is a number or text that cannot be looked at: its text is made at the exit.
bool is_shown_later(const Executor& x, const SymRef& value);

// The operator rules of the kinds kComputed, kScalar and kTensorArray.
bool computed_operator(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                       SymRef* out, bool* known);
bool computed_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                      bool* known);
bool computed_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known);

}  // namespace msjit
