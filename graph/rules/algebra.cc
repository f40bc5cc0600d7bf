// Rules about numbers. Signed zeros decide what is allowed: x + 0 is not x when x is -0, x - 0 is.
#include <cmath>

#include "graph/rewrite.h"
#include "kernels/core/words.h"

namespace msjit {
namespace {

using namespace words;

// One operand, when the other is the neutral constant.
Val drop_neutral(const Match& m, double neutral) {
  if (m.is_constant(m.in(1), neutral)) return m.val(0);
  if (m.is_constant(m.in(0), neutral)) return m.val(1);
  return {};
}

Val add_zero(const Match& m) { return drop_neutral(m, is_float(m.meta().dtype) ? -0.0 : 0.0); }
Val mul_one(const Match& m) { return drop_neutral(m, 1); }
Val sub_zero(const Match& m) { return m.is_constant(m.in(1), 0) ? m.val(0) : Val(); }
Val div_one(const Match& m) { return m.is_constant(m.in(1), 1) ? m.val(0) : Val(); }

Val mul_minus_one(const Match& m) {
  if (!is_float(m.meta().dtype)) return {};
  for (int i = 0; i < 2; ++i)
    if (m.is_constant(m.in(i), -1)) return neg(m.val(1 - i));
  return {};
}

// Division by a power of two is multiplication by its exact inverse.
Val div_power_of_two(const Match& m) {
  double divisor;
  int exponent;
  if (!is_float(m.meta(m.in(0)).dtype) || !m.constant_value(m.in(1), &divisor)) return {};
  if (std::fabs(std::frexp(divisor, &exponent)) != 0.5 || exponent < -12 || exponent > 13)
    return {};
  const Meta& meta = m.meta(m.in(1));
  DType dtype = is_float(meta.dtype) ? meta.dtype : m.meta().dtype;
  return mul(m.val(0), m.sink()->constant(Tensor::scalar_of(dtype, 1 / divisor, meta.weak)));
}

// The kernel of pow gives the same bits for these exponents.
Val pow_two(const Match& m) { return m.is_constant(m.in(1), 2) ? square(m.val(0)) : Val(); }
Val pow_one(const Match& m) { return m.is_constant(m.in(1), 1) ? m.val(0) : Val(); }

// Whether negating this operand before the conversion to the result's dtype gives what negating it
// afterwards gives. It does not where an integer is converted: integers wrap at their own width.
bool negates_alike(const Match& m, ValueId id) {
  const DType dtype = m.meta(id).dtype;
  return is_float(dtype) || dtype == m.meta().dtype;
}

Val inner(const Match& m, std::string_view op) {
  const Node* node = m.maker(m.in(0), op);
  return node ? m.sink()->value(node->inputs[0]) : Val();
}

// f(f(x)) = x, f(f(x)) = f(x), f(-x) = f(x).
Val involution(const Match& m) { return inner(m, m.op().name); }
Val idempotent(const Match& m) { return m.maker(m.in(0), m.op().name) ? m.val(0) : Val(); }
Val even(const Match& m) {
  Val x = inner(m, "neg");
  if (!x) x = inner(m, "abs");
  return x && !is_unsigned(m.meta(m.in(0)).dtype) ? m.again({x}) : Val();
}

Val add_neg(const Match& m) {
  if (const Node* right = m.maker(m.in(1), "neg"); right && negates_alike(m, m.in(1)))
    return sub(m.val(0), m.sink()->value(right->inputs[0]));
  if (const Node* left = m.maker(m.in(0), "neg"); left && negates_alike(m, m.in(0)))
    return sub(m.val(1), m.sink()->value(left->inputs[0]));
  return {};
}

Val sub_neg(const Match& m) {
  const Node* right = m.maker(m.in(1), "neg");
  return right && negates_alike(m, m.in(1)) ? add(m.val(0), m.sink()->value(right->inputs[0]))
                                            : Val();
}

Val both_neg(const Match& m) {
  const Node *left = m.maker(m.in(0), "neg"), *right = m.maker(m.in(1), "neg");
  if (!left || !right || !negates_alike(m, m.in(0)) || !negates_alike(m, m.in(1))) return {};
  return m.again({m.sink()->value(left->inputs[0]), m.sink()->value(right->inputs[0])});
}

Val same_operands(const Match& m) { return m.in(0) == m.in(1) ? m.val(0) : Val(); }
Val where_same(const Match& m) { return m.in(1) == m.in(2) ? m.val(1) : Val(); }

// These nodes matter to differentiation, which is over when the pipeline runs. The plan copies an
// output where eager execution would give it storage of its own.
Val value_itself(const Match& m) { return m.val(0); }

}  // namespace

std::span<const Rule> algebra_rules() {
  static constexpr Rule kRules[] = {
      {"x + 0", "add", add_zero},
      {"x + -y", "add", add_neg},
      {"x - 0", "sub", sub_zero},
      {"x - -y", "sub", sub_neg},
      {"x * 1", "mul", mul_one},
      {"x * -1", "mul", mul_minus_one},
      {"-x * -y", "mul", both_neg},
      {"x / 1", "div", div_one},
      {"-x / -y", "div", both_neg},
      {"x / 2^k", "div", div_power_of_two},
      {"x ** 1", "pow", pow_one},
      {"x ** 2", "pow", pow_two},
      {"-(-x)", "neg", involution},
      {"not not x", "logical_not", involution},
      {"not not x", "invert", involution},
      {"abs(-x)", "abs", even},
      {"abs(abs(x))", "abs", idempotent},
      {"square(-x)", "square", even},
      {"cos(-x)", "cos", even},
      {"relu(relu(x))", "relu", idempotent},
      {"floor(floor(x))", "floor", idempotent},
      {"ceil(ceil(x))", "ceil", idempotent},
      {"max(x, x)", "maximum", same_operands},
      {"min(x, x)", "minimum", same_operands},
      {"x and x", "logical_and", same_operands},
      {"x or x", "logical_or", same_operands},
      {"where(c, x, x)", "where", where_same},
      {"stop_gradient(x)", "stop_gradient", value_itself},
      {"identity(x)", "identity", value_itself},
      {"copy(x)", "copy", value_itself},
  };
  return kRules;
}

}  // namespace msjit
