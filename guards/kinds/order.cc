#include "guards/kinds/order.h"

#include <fmt/core.h>

#include <bit>

namespace msjit {
namespace {

// The payload: the constant is in `number`; the operator and its outcome are in `version`.
constexpr uint32_t kHolds = 1;
int op_of(const GuardStep& step) { return static_cast<int>(step.version >> 1); }
double constant_of(const GuardStep& step) { return std::bit_cast<double>(step.number); }

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  const bool holds = in_order(PyFloat_AS_DOUBLE(object), op_of(step), constant_of(step));
  return holds == ((step.version & kHolds) != 0);
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  static const char* const kSigns[] = {"<", "<=", "==", "!=", ">", ">="};
  const std::string text = fmt::format("{} {} {}", source, kSigns[op_of(step)], constant_of(step));
  return step.version & kHolds ? text : fmt::format("not {}", text);
}

}  // namespace

GuardPayload order_payload(double value, int op, double constant) {
  const uint32_t holds = in_order(value, op, constant) ? kHolds : 0;
  return {.version = static_cast<uint32_t>(op) << 1 | holds,
          .number = std::bit_cast<int64_t>(constant)};
}

const GuardKind guard::order = {.name = "order", .check = check, .describe = describe};

bool in_order(double a, int op, double b) {
  switch (op) {
    case Py_LT: return a < b;
    case Py_LE: return a <= b;
    case Py_EQ: return a == b;
    case Py_NE: return a != b;
    case Py_GT: return a > b;
    default: return a >= b;
  }
}

}  // namespace msjit
