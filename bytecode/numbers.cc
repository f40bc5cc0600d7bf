#include "bytecode/numbers.h"

#include "guards/py/host_call.h"

namespace msjit {
namespace {

PyObject* power(PyObject* a, PyObject* b) {
  return host::call(host::checked, PyNumber_Power, a, b, Py_None);
}

using BinaryFunction = PyObject* (*)(PyObject*, PyObject*);
constexpr BinaryFunction kFunctions[kBinaryOpCount] = {host::through(PyNumber_Add),
                                                       host::through(PyNumber_And),
                                                       host::through(PyNumber_FloorDivide),
                                                       host::through(PyNumber_Lshift),
                                                       host::through(PyNumber_MatrixMultiply),
                                                       host::through(PyNumber_Multiply),
                                                       host::through(PyNumber_Remainder),
                                                       host::through(PyNumber_Or),
                                                       power,
                                                       host::through(PyNumber_Rshift),
                                                       host::through(PyNumber_Subtract),
                                                       host::through(PyNumber_TrueDivide),
                                                       host::through(PyNumber_Xor)};

Ref compute(const NumberNode& number, PyObject* const* registers, std::span<const int64_t> sizes) {
  switch (number.kind) {
    case NumberNode::Kind::kSource: return Ref::share(registers[number.source]);
    case NumberNode::Kind::kConst: return number.object;
    case NumberNode::Kind::kSize: {
      int64_t value = 0;
      if (!evaluate(*number.size, sizes, &value)) return {};
      return Ref::steal(PyLong_FromLongLong(value));
    }
    case NumberNode::Kind::kItem: {
      int64_t at = 0;
      if (!evaluate(*number.size, sizes, &at)) return {};
      // Heap::pin_floats has checked all items. Checking them again would take longer than the
      // whole call.
      return Ref::steal(host::call(host::checked, PySequence_GetItem, number.object.get(),
                                   static_cast<Py_ssize_t>(at)));
    }
    case NumberNode::Kind::kUnary: {
      const Ref a = compute(*number.a, registers, sizes);
      return a ? Ref::steal(host::call(host::values, PyNumber_Negative, a.get())) : Ref();
    }
    case NumberNode::Kind::kBinary:
    case NumberNode::Kind::kCall: break;
  }
  const Ref a = compute(*number.a, registers, sizes);
  const Ref b = a && number.b ? compute(*number.b, registers, sizes) : Ref();
  if (number.kind == NumberNode::Kind::kCall) {
    const bool made = a && (b || !number.b);
    return made ? Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs,
                                        number.object.get(), a.get(), b.get(), nullptr))
                : Ref();
  }
  return b ? Ref::steal(host::call(host::values, python_binary, number.binary, a.get(), b.get()))
           : Ref();
}

}  // namespace

PyObject* python_binary(BinaryOp op, PyObject* a, PyObject* b) {
  return host::call(host::checked, kFunctions[static_cast<int>(op)], a,
                    b);  // checked by the caller
}

Ref evaluate(const NumberNode& number, PyObject* const* registers, std::span<const int64_t> sizes) {
  Ref value = compute(number, registers, sizes);
  if (!value) PyErr_Clear();
  return value && PyFloat_CheckExact(value.get()) ? value : Ref();
}

void add_nodes(const NumberNode& number, std::unordered_set<const NumberNode*>* nodes) {
  nodes->insert(&number);
  for (const NumberExpr& part : {number.a, number.b})
    if (part) add_nodes(*part, nodes);
}

void add_sources(const NumberNode& number, std::vector<SourceId>* out) {
  if (number.kind == NumberNode::Kind::kSource) out->push_back(number.source);
  for (const NumberExpr& part : {number.a, number.b})
    if (part) add_sources(*part, out);
}

}  // namespace msjit
