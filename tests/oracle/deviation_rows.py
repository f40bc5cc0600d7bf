"""The table of intended deviations; what a row means stands in deviations.py."""
import deviation_rows_varied  # noqa: F401 - more rows
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
    "accepts says: MindSpore RuntimeError: For Round only support decimals equal 0*",
    "accepts says: MindSpore RuntimeError: *input shape cannot be 0*",
    "accepts says: MindSpore RuntimeError: could not create a primitive descriptor*",
    "accepts says: MindSpore ValueError: *inputs shape cannot be broadcast on CPU/GPU*",
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
    "class says: *, MindSpore IndexError (tuple index out of range)",
    "class says: IndexError (*", "class: a[0:2:1.5] | *", "class: after(*__setitem__* | f32[3,4]; 0; 'x'",
    "class: *(a, *) | i32[1,1,4,4]", "class: a.eigvals() | f32[2,3]", "class: ops.cummin(a, 2) | *", "class: ops.one_hot(a, * | f32[3]", "class: ops.group_norm(a, 2.0) | f32[4]",
    "class: ops.max(a, b) | f32[2,3]; (0, 0)", "class: ops.min(a, b) | f32[2,3]; (0, 0)", "class: a.prod(b) | f32[2,3]; (0, 0)",
    "class: ops.transpose(a, 1) | *", "class: ops.stack([a, b]) | *", "class: nn.*Loss(*reduction=*", "class: ops.*loss(a, b, reduction=None) | *", "class: nn.*Logits(sparse=True*",
    "class: nn.Dropout(keep_prob=0)(a) | *", "class: nn.AdaptiveAvgPool2d((2,2,2))(a) | *", "class: initializer('ones', *",
    "class: ops.tensor_scatter_elements(a, b, c, 2) | *", "class: ops.nll_loss(a, b) | f32[2,3]; f32[3]", "class: (lambda ps: nn.Adam(ps, 0.1)(*")
deviation(
    "Names that are no names of MindSpore's",
    """msjit's operators and some layers can be had under their own names as well, and so can names of MindSpore's
    earlier releases.""",
    "accepts says: MindSpore AttributeError: module 'mindspore*",
    "accepts says: MindSpore AttributeError: 'Tensor' object has no attribute*")
deviation(
    "Not offered",
    """Functions of MindSpore that msjit does not have. The list is not complete: it names what the samples call.""",
    "rejects says: AttributeError: 'msjit.Tensor' object has no attribute*",
    "rejects: ops.relu(input=a,inplace=False) | *")
deviation(
    "NaN",
    """NaN wins in relu, relu6, sign, maximum, minimum, clip and hardtanh, as on MindSpore's other devices; its CPU kernels drop
    it. softplus and mish of infinities and NaN follow the formula, and one NaN or positive infinity makes a whole row of softmax
    NaN.""",
    *["value: %s | %s[10]!" % (call, dtype) for dtype in ("f32", "f16", "f64") for call in (
        "*elu*", "*ReLU*", "ops.sign(a)", "P.Sign()(a)", "*oftplus*", "*ish*")],
    "value: a.sign() | f32[10]!", "value: nn.SoftShrink()(a) | f32[10]!", "value: nn.Hardtanh()(a) | f32[10]!",
    "value: ops.clip_by_value(a, * | f32[10]!", "value: nn.*oftmax()(a) | f32[10]!", "value: ops.*softmax(a) | f32[10]!",
    "value: *imum*(*b) | *!*")
deviation(
    "Division by zero and overflow",
    """Floats follow IEEE 754: the sign of a zero divisor counts, infinity divided is infinite, remainders are fmod's. Of
    integers, division and remainder by zero give 0, and powers wrap; MindSpore's CPU kernels give what the C++ conversion happens to.""",
    *["value: %s | *" % call for call in (
        "ops.floor_div(a, b)", "ops.floor_mod(a, b)", "ops.floor_divide(a, b)", "ops.remainder(a, b)", "a // b", "a % b",
        "P.FloorDiv()(a, b)", "P.FloorMod()(a, b)", "P.Mod()(a, b)", "a.floor_divide(b)", "a.remainder(b)", "ops.fmod(a, b)")],
    *["value: %s | *!*" % call for call in (
        "ops.div(a, b)", "ops.divide(a, b)", "ops.true_divide(a, b)", "a / b", "P.Div()(a, b)", "P.RealDiv()(a, b)",
        "ops.logaddexp(a, b)", "ops.hypot(a, b)")],
    *["value: %s | i*" % call for call in ("ops.pow(a, b)", "a.pow(b)", "P.Pow()(a, b)", "a ** b", "P.RealDiv()(a, b)")],
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
    "value: *ul*(a, b) | i8[3]; 2", "value: ops.clip_by_norm(a, 1.0) | i32[2,3]", "rejects: after(lambda a, b: a.*_(b), a, b)[0] | f32[3]; f32[2,3]", "value: descend(lambda ps: nn.Momentum(*use_nesterov=True))",
    "value: a.std(* | *", "value: a.var(* | *", "dtype: ops.full(*", "value: *BCELoss(a)(b, c) | f32[3]+*",
    "value: ops.binary_cross_entropy(a, b* | *")
deviation(
    "Gradients that MindSpore leaves out or takes for zero",
    """msjit differentiates what is computed: weights of losses, the targets of kl_div, on_value and off_value of one_hot, the
    mean and variance that LayerNorm also gives and batch_norm takes, start and end of linspace; cross entropy with
    labels that do not add up to 1; prod over all axes; powers at the border of their domain.""",
    *["gradient value: %s | *" % call for call in (
        "P.SoftmaxCrossEntropyWithLogits()(a, b)", "nn.BCELoss(*", "nn.BCEWithLogitsLoss(weight=*",
        "ops.binary_cross_entropy(a, b, c)", "P.BinaryCrossEntropy(*(a, b, c)", "P.SigmoidCrossEntropyWithLogits()(a, b)", "ops.binary_cross_entropy_with_logits(a, b, c, d)", "ops.kl_div(*", "nn.KLDivLoss(*", "P.LayerNorm(*",
        "ops.batch_norm(a, b, c, b, c)", "ops.one_hot(a, 3, b, c)", "ops.linspace(a, b, 3)", "ops.prod(a, b)", "P.ReduceProd()(a*",
        "ops.pow(a, b)", "a ** b", "P.Pow()(a, b)", "ops.pow(input=a, exponent=b)", "ops.std(a, 0, 1)", "ops.var(a, 0, 1)",
        "ops.tile(a, (0,))", "ops.gather(a, b, 0)", "P.Mod()(a, b)")],
    "gradient shape: *")
deviation(
    "What MindSpore's CPU kernels ignore or get wrong",
    """The gradient of SeLU is not that of its values, of numbers above 0 neither. Adagrad's update_slots=False leaves the
    accumulated squares as they are.""",
    "gradient value: nn.SeLU()(a) | *", "value: descend(lambda ps: nn.Adagrad(ps, update_slots=False))*")
deviation(
    "Rounding between dtypes",
    """Operands of two dtypes are converted to the wider one before anything is computed, forwards and backwards; MindSpore's CPU
    kernels compute some of it in the narrower one.""",
    "gradient value: *tan2*(a, b) | f32[3]; *", "gradient value: *BatchNorm*dtype=ms.float16*", "value: ops.hypot(a, b) | f*",
    "gradient value: *GroupNorm(4, 4)*(a) | f16*", "gradient value: ops.group_norm(a, 2) | f32[2,4]")
deviation(
    "Results of bool and integers",
    """Arithmetic on bool gives int32, and where a formula needs fractions integers are lifted to float32: leaky_relu, hardswish,
    hardsigmoid, hardtanh, inverse, and limits of clip that are fractions. MindSpore keeps the dtype and cuts the
    fractions off; any and argmin are bool and int32 throughout.""",
    *["dtype: %s | b[*" % call for call in (
        "nn.ReLU()(a)", "*abs(a)", "*abs()", "*trunc(a)", "*trunc()", "ops.relu(a)", "P.ReLU()(a)", "P.Abs()(a)", "P.Trunc()(a)", "ops.absolute(a)",
        "a.absolute()", "*floor_div*(a, b)", "P.FloorDiv()(a, b)", "ops.subtract(a, b)", "*remainder(*b)", "a - b", "a // b", "a.sub(b)", "a.subtract(b)",
        "a.floor_divide(b)", "*eaky*", "nn.Hardtanh()(a)")],
    *["dtype: %s | %s" % (call, kind) for kind in ("i*", "u8*") for call in ("*eaky*elu*(a*",)] + ["dtype: *LeakyReLU()(a) | i*"],
    *["dtype: %s | i*" % call for call in (
        "*ardswish(a)", "*ardsigmoid(a)", "*HSwish()(a)", "*HSigmoid()(a)", "nn.Hardtanh()(a)", "ops.hardtanh(a*", "ops.inv(a)", "P.Inv()(a)", "ops.clip_by_value(a*",
        "a.masked_fill(b, 2.5)")],
    "dtype: ops.fmod(a, b) | b*", "dtype: *any*(a) | u8[4]", "dtype: a.any() | u8[4]", "dtype: P.ReduceAny()(a) | u8[4]", "dtype: *argmin(* | f32[]*",
    "dtype: *ogits*(a, b) | f32[2,3]; f16[2,3]", "dtype: *Logits*(a, b) | f32[2,3]; f16[2,3]")
deviation(
    "More is accepted",
    """Where MindSpore wants a Tensor, a tuple, a float or one dtype throughout, msjit also takes a number beside a Tensor, one int for
    a tuple of one, an int for a float, or operands of different dtypes, which are promoted. Arrays of NumPy are operands of the
    operators of Tensor, and the methods that reduce take what NumPy's functions pass to them. The calls that MindSpore accepts mean the same here.""",
    *["accepts: %s | *; f32[*" % call for call in ("ops.equal(a, b)", "ops.less(a, b)", "ops.eq(a, b)", "ops.lt(a, b)", "P.Equal()(a, b)", "P.Less()(a, b)")],
    *["accepts: %s | 2*" % call for call in ("ops.equal(a, b)", "ops.less(a, b)", "ops.eq(a, b)", "ops.lt(a, b)", "P.Equal()(a, b)", "P.Less()(a, b)")],
    *["accepts: %s | 2; 3" % call for call in (
        "ops.bitwise_*(a, b)", "P.Bitwise*()(a, b)", "P.Mod()(a, b)", "ops.fmod(a, b)")],
    "accepts: a * b | 2; b[3]", "accepts: * | f32[2]; np.ones(2, np.float32)", "accepts: a[b] | f32[3,4]; np.array([0, 1])", "accepts: a[b] | f32[3,4]; u8[2]<3",
    "accepts: *logaddexp(* | *", "accepts: ops.isclose(a, b) | *", "accepts: ops.stack([a, b]) | *", "accepts: P.Stack(1)((a, b)) | *",
    "accepts: *scatter*(a, b, c* | *; i32[*", "accepts: P.TensorScatter*()(a, b, c) | *; i32[2]", "accepts: nn.*(a, b) | f32[2,3]*; f16[2,3]*",
    "accepts: nn.SoftmaxCrossEntropyWithLogits(*)(a, b) | *", "accepts: nn.CrossEntropyLoss()(a, b) | f32[3,4]; i64[3]<4", "accepts: P.OneHot()(a, 3, b, c) | *; 1.0; 0.0",
    "accepts: after(*ssign*a, b)[0] | f32[3]p; 2*", "accepts: *ssign*(a, b) | f32[3]p; 2*",
    *["accepts: %s | *" % call for call in (
        "ops.reshape(a, -1)", "ops.reshape(a, 6)", "ops.broadcast_to(a, 3)", "ops.tile(a, 2)", "ops.flip(a, 0)", "ops.cast(a, 'float32')", "ops.cast(a, int)",
        "ops.zeros((2,), a)", "ops.ones((2,), a)", "ops.full(a, 1.5)", "ops.fill(ms.float32, a, 2)", "ops.clamp(a, b, c)", "ops.clip(a, b, c)",
        "nn.ELU(2)(a)", "*(nn.BatchNorm*(3, eps=0))(a)", "fixed(nn.Dense(3, 4, activation=ops.relu))(a)", "a.prod(*")],
    *["accepts: %s" % call for call in (
        "parameters_of(fixed(nn.Dense(3, 4, activation=ops.relu)))", "ops.range(0,1,0.5)", "ops.linspace(0,1,2.5)", "initializer(*",
        "descend(lambda ps: nn.*(ps, [0.1,0.05]*", "(lambda ps: nn.*([Tensor([1.0,2.0],ms.float32)]))(*")],
    *["accepts: %s | f32[2,3]; None" % call for call in ("P.Reduce*()(a, b)", "ops.logsumexp(a, b)", "ops.prod(a, b, keep_dims=True)")],
    "accepts: ops.logsumexp(a, b, keep_dims=True) | *", "accepts: ops.sqrt(input=a) | *", "accepts: ops.floor_div(input=a, other=b) | *",
    "accepts: * | f32[]*", "accepts: ops.var(a, b) | f32[2,3]; [0]", "accepts: ops.std(a, b) | f32[2,3]; [0]", "accepts: a.std(b) | f32[2,3]; [0]",
    "accepts: nn.MaxPool2d(2, 2)(a) | f32[0,2,4,4]", "accepts: ops.cumsum(a, b) | f32[0,3]; 0", "accepts: *.max(*b) | f32[0,3]; 1", "accepts: *.min(*b) | f32[0,3]; 1",
    "accepts: ops.dot(a, b) | *", "accepts: a.dot(b) | *", "accepts: ops.elu(a, 2) | *", "accepts: ops.kl_div(a, b) | f32[2,3]; *", "accepts: *ddN*([a, b]) | f32[2]; i32[2]",
    "accepts: ops.addn([a, b]) | f32[2]; i32[2]", "accepts: ops.conv2d(a, b, pad_mode='pad',padding=(1,2,0,1)) | *", "accepts: ops.median(a, 1, 0) | *", "accepts: P.Flatten()(a) | i32[]",
    "accepts: * ~", "accepts: ops.repeat_interleave(a, 0) | *", "accepts: a.a*(axis=0, keepdims=True) | *", "accepts: ops.repeat_elements(a, 0,0) | *", "accepts: ops.narrow(a, 0,0,0) | *")
deviation(
    "Wrong arguments that MindSpore overlooks",
    """Axes of a tensor without axes, values out of their range, unknown names, lists where methods want a Tensor, and sizes that
    cannot be made raise here as they do in the rest of MindSpore. The initial value of max and min counts without an axis, too.""",
    *["rejects: %s | *" % call for call in (
        "nn.LogSigmoid()(a)", "nn.AdaptiveAvgPool2d(0)(a)", "ops.adaptive_avg_pool2d(a, 0)", "training(nn.BatchNorm1d(3))(a)", "nn.BCEWithLogitsLoss(reduction='Mean')(a, b)",
        "a.add(b)", "a.sub(b)", "ops.cross_entropy(a, b*", "ops.nll_loss(a, b, reduction='bogus')", "ops.fill(ms.float32, a, 2)", "ops.reshape(a, b)", "ops.stack(a)")],
    *["rejects: %s | f32[]; 1" % call for call in ("ops.max(a, b)", "ops.min(a, b)", "ops.arg*(a, b)", "a.arg*(b)")],
    *["rejects: %s" % call for call in ("type(nn.*[True]).__name__", "kind(initializer(init.HeNormal(mode='bogus')*", "kind(initializer(*rthogonal*")],
    "rejects: a[b] | f32[3,4]; b[]", "value: a.max(initial=3.0) | f32[2,3]", "shape: ops.fill(ms.float32, a, 2) | 2")
deviation(
    "Values that MindSpore checks or cannot take",
    """binary_cross_entropy does not look at its values: outside [0, 1] they give NaN. kl_div of negative targets is what the formula
    gives. assign_value of a number sets all elements, where MindSpore ends the process. Arrays of NumPy compare element by
    element.""",
    "accepts: ops.binary_cross_entropy(a, b) | *", "value: ops.kl_div(a, b) | *", "accepts: after(*assign_value(b), a, b)[0] | *", "type: a == b | f32[2]; np*", "type: a != b | f32[2]; np*",
    "accepts: ops.cross_entropy(a, b) | f32[0]; f32[0]")
deviation(
    "Creation and types",
    """Tensor takes the name of a dtype or int for one, wrong names are ValueErrors.
    The number in the name of a Parameter without one, Parameter#2, counts those that the program has made; an attribute `name` that is
    set later is kept as it is, also None. typeof gives the types of this library, scalar_cast takes any; fast_gelu is the tanh form of
    GELU; Parameters have the attributes of Tensors.""",
    "accepts: Tensor([1, 2], *)", "value: Parameter(Tensor([1.0]), name=*", "value: ops.typeof(a) | *",
    "accepts: ops.scalar_cast(*", "accepts: a.is_leaf | f32[2,3]p", "accepts: a.grad | f32[2,3]p",
    "accepts: kind(ops.standard_normal(3))", "accepts: P.LinSpace()(0.0,1.0,3)", "accepts: a.new_full(* | *", "accepts: a.item((0,1)) | *", "class: a.item(* | *")
deviation(
    "mint and numpy",
    """The functions are those of ops, with the same promotion of dtypes, and take numbers where ops or NumPy does; where of two ints is
    int64.""",
    "accepts: mint.equal(a, b) | f32[3]; 2", "accepts: m*.isclose(a, b) | f32[3]; i32[3]", "accepts: mnp.* | 2.5", "accepts: mnp.*(a, b) | f32[3]; 2", "accepts: mnp.*(a, b) | f32[3]; i32[3]",
    "value: mnp.std(* | i32[2,3]", "value: mnp.var(* | i32[2,3]", "dtype: mnp.argmin(a) | 2.5", "class: m*.*(a) | 2.5")
deviation(
    "Orders and sizes that MindSpore's CPU backend stops at",
    """MindSpore's documentation has `diff` of any order and one sorted vector for values of any shape; its CPU backend stops at
    orders above 1 and at other shapes. msjit computes them.""",
    "accepts: ops.diff(a, * | *", "accepts: ops.searchsorted(a, b* | *")
deviation(
    "Axes of tensor_dot",
    """MindSpore multiplies what it reshapes without comparing the sizes of the axes that are summed over; msjit raises ValueError
    where they differ, as NumPy does.""",
    "rejects: ops.tensor_dot(a, b, 2) | f32[2,3]; f32[3,2]")
deviation(
    "Gradients of slices with end_mask, and of elements multiplied or divided at one index twice",
    """The gradient that MindSpore's CPU backend gives for a strided slice with end_mask belongs to other elements than the slice
    has; that of tensor_scatter_mul and tensor_scatter_div leaves out the other factors at the same index. msjit gives the
    derivatives.""",
    "gradient value: ops.strided_slice(a, (0, 0), (2, 3), (1, 1), 1, 2) | *",
    "gradient value: P.StridedSlice(0, 2)(a, *) | *",
    "gradient value: ops.tensor_scatter_mul(a, b, c) | f32[3,4]+; i32[2,2]<3; *",
    "gradient value: ops.tensor_scatter_div(a, b, c) | f32[3,4]+; i32[2,2]<3; *")
deviation(
    "Infinite operands of logaddexp2, and operands of two dtypes",
    """MindSpore subtracts two infinities of one sign, which gives NaN, and computes in the narrower of two dtypes of floats. msjit
    gives the infinity, as NumPy does, and computes in the wider one.""",
    "value: ops.logaddexp2(a, b) | *")
