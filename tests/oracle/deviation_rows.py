"""The table of intended deviations; what a row means stands in deviations.py."""
from deviations import deviation

deviation(
    "Dtypes and cases that MindSpore's CPU backend has no kernel for",
    """The operators are declared in MindSpore, and other devices of MindSpore run them; its CPU backend stops where a kernel
    for a dtype is missing. msjit computes them: integers are lifted to float32 where the formula needs fractions, and bfloat16
    computes in float32. A program that runs on MindSpore's CPU backend does not get here.""",
    "accepts says: MindSpore TypeError: Select CPU operator*Unsupported data type*",
    "accepts says: MindSpore TypeError: *Kernel select failed*",
    "accepts says: MindSpore TypeError: For primitive[*must be a type of {*",
    "accepts says: MindSpore TypeError: For * the input dtype must be bfloat16, float16, float32*",
    "accepts says: MindSpore TypeError: *Sign, the type of input must be in*",
    "accepts says: MindSpore TypeError: *the dtype of 'input' must not be float64*",
    "accepts says: MindSpore RuntimeError: The kernel * unregistered*",
    "accepts says: MindSpore RuntimeError: KernelMod Init Failed*",
    "accepts says: MindSpore RuntimeError: Create kernelmod for op*",
    "accepts says: MindSpore RuntimeError: *is not supported on this device*",
    "accepts says: MindSpore RuntimeError: *does not support this kernel data type*",
    "accepts says: MindSpore RuntimeError: *unsupported reduce operation for bool*",
    "accepts says: MindSpore RuntimeError: *the dimension of output must not be*",
    "accepts says: MindSpore ValueError: EluIn Elu, alpha must be 1.0f*",
    "accepts says: MindSpore RuntimeError: *input shape cannot be 0*",
    "accepts says: MindSpore RuntimeError: could not create a primitive descriptor*",
    "accepts says: MindSpore RuntimeError: ------*",
    "gradient accepts says: MindSpore *")
deviation(
    "Classes of exceptions",
    """MindSpore's kernels report a wrong value or shape as RuntimeError when they reach it, others as what Python happens to raise
    (AttributeError for None, IndexError for a missing axis). msjit raises TypeError for types, ValueError for shapes and values
    and IndexError for indices, before anything is computed.""",
    "class says: *, MindSpore RuntimeError (*",
    "class says: *, MindSpore AttributeError (*",
    "class says: TypeError (* positional argument*",
    "class says: ValueError (*, MindSpore IndexError (tuple index out of range)")
deviation(
    "Names that are no names of MindSpore's",
    """msjit's operators and some layers can be had under their own names as well, and so can names of MindSpore's
    earlier releases.""",
    "accepts says: MindSpore AttributeError: module 'mindspore*",
    "accepts says: MindSpore AttributeError: 'Tensor' object has no attribute*")
deviation(
    "Not offered",
    """Functions of MindSpore that msjit does not have. The list is not complete: it names what the samples call.""",
    "rejects says: AttributeError: module 'msjit*",
    "class says: AttributeError (module 'msjit*",
    "rejects says: AttributeError: 'msjit.Tensor' object has no attribute*",
    "rejects says: NotImplementedError: *")
deviation(
    "NaN",
    """NaN wins in relu, relu6, sign, maximum, minimum, clip and hardtanh, as on MindSpore's other devices; its CPU kernels drop
    it. softplus and mish of infinities and NaN follow the formula.""",
    *["value: %s | %s[10]!" % (call, dtype) for dtype in ("f32", "f16", "f64") for call in (
        "*elu*", "*sign()(a)", "ops.sign(a)", "*ign()(a)", "*oftplus*", "*ish*")],
    "value: a.sign() | f32[10]!", "value: nn.SoftShrink()(a) | f32[10]!", "value: nn.Hardtanh()(a) | f32[10]!",
    "value: ops.clip_by_value(a, * | f32[10]!", "value: *imum*(*b) | *!*")
deviation(
    "Division by zero and overflow",
    """Floats follow IEEE 754: the sign of a zero divisor counts, infinity divided is infinite, remainders are fmod's. Of
    integers, division and remainder by zero give 0, powers wrap, and negative floats become 0 in unsigned integers; MindSpore's
    CPU kernels give what the C++ conversion happens to.""",
    *["value: %s | *" % call for call in (
        "ops.floor_div(a, b)", "ops.floor_mod(a, b)", "ops.floor_divide(a, b)", "ops.remainder(a, b)", "a // b", "a % b",
        "P.FloorDiv()(a, b)", "P.FloorMod()(a, b)", "P.Mod()(a, b)", "a.floor_divide(b)", "a.remainder(b)", "ops.fmod(a, b)")],
    *["value: %s | *!*" % call for call in (
        "ops.div(a, b)", "ops.divide(a, b)", "ops.true_divide(a, b)", "a / b", "P.Div()(a, b)", "P.RealDiv()(a, b)",
        "ops.logaddexp(a, b)", "ops.hypot(a, b)", "ops.isclose(a, b)")],
    *["value: %s | i*" % call for call in ("ops.pow(a, b)", "a.pow(b)", "P.Pow()(a, b)", "a ** b", "P.RealDiv()(a, b)")],
    "value: ops.cast(a, ms.uint8) | *",
    "gradient value: *mod(a, b) | f32[4]; f32[4]0", "gradient value: *Mod()(a, b) | f32[4]; f32[4]0",
    "gradient value: a % b | f32[4]; f32[4]0", "gradient value: ops.remainder(a, b) | f32[4]; f32[4]0")
deviation(
    "Reductions of nothing",
    """The sum of nothing is 0, its product 1, its mean NaN, any is false, and there is no largest element. MindSpore's CPU kernels
    return memory that was never written.""",
    "value: * | f32[0,3]*", "value: * | f32[0]; f32[0]", "rejects says: ValueError: *cannot reduce an empty axis*",
    "shape: a.*(b) | f32[0,3]*", "value: ops.dot(a, b) | f32[2,0]; f32[0,2]", "accepts: *arg* | f32[0,3]*", "accepts: *Arg* | f32[0,3]*")
deviation(
    "float64",
    "float64 is computed in float64; some of MindSpore's CPU kernels compute it in float32.",
    "precision: *", "gradient precision: *")
deviation(
    "MindSpore 2.10 on the CPU is wrong",
    """In-place methods of Tensor (add_ and kin) leave the tensor as it was; a number times int8 reads beyond it; use_nesterov of
    Momentum is ignored; the mean inside std and var of integers is rounded; full without a dtype gives int64; the weights of binary
    cross entropy are not broadcast.""",
    "value: after(lambda a, b: a.*_(b), a, b)[0] | *", "value: after(lambda a: a.add_(1), a)[0] | *",
    "value: *ul*(a, b) | i8[3]; 2", "value: a * b | i8[3]; 2", "value: descend(lambda ps: nn.Momentum(*use_nesterov=True))",
    "value: a.std(* | *", "value: a.var(* | *", "dtype: ops.full(*", "value: *BCELoss(a)(b, c) | f32[3]+*",
    "value: ops.binary_cross_entropy(a, b* | *")
