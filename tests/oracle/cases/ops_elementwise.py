"""Elementwise functions, primitives and operators."""
from cases.kinds import BROADCAST, MIXED, ONE, SAME, SCALARS, SPECIAL, TWO
from samples import calls, case

calls("ops.%s(a)", """abs neg exp log sqrt rsqrt square sin cos tan asin acos atan sinh cosh asinh acosh atanh tanh sigmoid
    erf erfc expm1 log1p floor ceil round trunc sign reciprocal isnan isinf isfinite logical_not relu relu6 softsign silu mish
    hardswish hardsigmoid gelu leaky_relu elu softplus logsigmoid nan_to_num hardshrink absolute negative inv""", *ONE)
calls("ops.%s(a)", "log sqrt rsqrt log1p reciprocal acosh", "f32[2,3]+", "f64[5]+", "f16[5]+", "i32[5]+", "f32[3]0")
calls("ops.%s(a)", "asin acos atanh", "f32[2,3]u", "f64[5]u", "f16[5]u")
calls("ops.%s()", "abs neg exp sin relu sigmoid isnan logical_not square")
calls("ops.%s(a, a)", "abs neg exp sin tanh sigmoid isnan logical_not square floor", "f32[3]")
calls("ops.%s(a, bogus=1)", "abs neg exp sin tanh sigmoid isnan square", "f32[3]")

BINARY = """add sub mul div floor_div pow maximum minimum equal not_equal less less_equal greater greater_equal
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor mod"""
calls("ops.%s(a, b)", BINARY + " floor_mod atan2 fmod logaddexp subtract multiply divide true_divide floor_divide remainder"
      " eq ne lt le gt ge logaddexp2 hypot", *TWO)
calls("ops.%s(a)", "add mul less maximum pow logical_and", "f32[3]")
calls("ops.%s(a, a, a, a)", "add mul less maximum pow logical_and equal", "f32[3]")
case("ops.add(input=a, other=b)", ("f32[3]", "f32[3]#1"))
case("ops.pow(input=a, exponent=b)", ("f32[3]+", "f32[3]#1"), ("f32[3]", "2"), ("f32[3]", "-1"), ("f32[3]0", "0"))
calls("ops.pow(a, b)", "x", ("i32[5]", "2"), ("i32[5]", "i32[5]"), ("f32[5]", "0.5"), ("f32[5]", "3"), ("2", "i32[4]+"),
      ("2.0", "f32[4]"), ("i32[5]", "-1"))

OPERATORS = "+ - * / // % ** == != < <= > >= & | ^".split()
for _symbol in OPERATORS:
    case("a %s b" % _symbol, *TWO)
calls("%s a", "- + ~", *(["f32[2,3]", "i32[3]", "u8[3]", "b[3]", "f16[2]", "f32[]"]))
case("abs(a)", "f32[3]", "i32[3]", "b[3]", "u8[3]", "i8[6]!")
case("not a", "f32[]", "f32[1]", "f32[2]", "b[]", "i32[1]")
calls("%s(a)", "bool int float len", "f32[]", "f32[1]", "f32[2]", "i32[]", "b[1]", "f32[0]", "i64[1,1]")
case("a @ b", ("f32[2,3]", "f32[3,2]"), ("f32[3]", "f32[3]"), ("f32[2,3]", "f32[3]"), ("f32[2,3]", "f32[2]"))
calls("ops.%s(a, b)", "isclose", *(SAME + BROADCAST + MIXED + SPECIAL + [("f32[3]", "f32[3]"), ("f32[3]", "2.0")]))
calls("ops.isclose(a, b, equal_nan=%s)", "True False", ("f32[10]!", "f32[10]!"))

PRIMITIVE_UNARY = """Abs Neg Exp Log Sqrt Rsqrt Square Sin Cos Tan Asin ACos Atan Sinh Cosh Asinh Acosh Atanh Tanh Sigmoid Erf Erfc
    Expm1 Log1p Floor Ceil Round Rint Trunc Sign Reciprocal Inv LogicalNot IsNan IsInf IsFinite ReLU ReLU6 Softplus Softsign SiLU
    Mish HSwish HSigmoid GeLU Elu LeakyReLU NanToNum"""
calls("P.%s()(a)", PRIMITIVE_UNARY, *ONE)
calls("P.%s()()", PRIMITIVE_UNARY)
calls("P.%s()(a, a)", PRIMITIVE_UNARY, "f32[3]")
PRIMITIVE_BINARY = """Add Sub Mul Div RealDiv FloorDiv FloorMod Mod Pow Maximum Minimum Equal NotEqual Less LessEqual Greater
    GreaterEqual LogicalAnd LogicalOr LogicalXor BitwiseAnd BitwiseOr BitwiseXor Atan2 TensorAdd"""
calls("P.%s()(a, b)", PRIMITIVE_BINARY, *TWO)
calls("P.%s()(a)", PRIMITIVE_BINARY, "f32[3]")
calls("P.%s()(a, a, a)", PRIMITIVE_BINARY, "f32[3]")

METHODS_UNARY = """abs exp log sqrt rsqrt square sin cos tan asin acos atan sinh cosh asinh acosh atanh tanh sigmoid erf erfc expm1
    log1p floor ceil round trunc sign reciprocal isnan isinf isfinite logical_not neg negative absolute nan_to_num"""
calls("a.%s()", METHODS_UNARY, "f32[2,3]", "i32[3]", "b[3]", "f16[4]", "f32[]", "f32[10]!")
METHODS_BINARY = """add sub mul div floor_divide pow maximum minimum eq ne less lt le gt ge less_equal greater greater_equal equal
    not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor subtract multiply divide true_divide remainder
    atan2 logaddexp isclose"""
calls("a.%s(b)", METHODS_BINARY, *(SAME[:3] + SAME[6:] + BROADCAST + SCALARS[:24]
                                 + [("f32[3]", "None"), ("f32[3]", "'x'"), ("f32[3]", "[1.0, 2.0, 3.0]")]))
