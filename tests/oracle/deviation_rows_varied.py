"""Intended differences of the samples that variations.py makes, and of the calls that they are made of."""
from deviations import deviation


def heads(kind, names):
    """Lines for all samples of some calls: heads("accepts", "a.gcd mint.gcd")."""
    return ["%s: %s(*" % (kind, name) for name in names.split()]


deviation(
    "Which of two errors comes first",
    """Of arguments with more than one fault, and of numbers where a Tensor is wanted, MindSpore checks types before values in some functions
    and after them in others. msjit raises TypeError for types and ValueError for values, whichever it meets first.""",
    "class says ~: ValueError ([*, MindSpore TypeError (*", "class says ~: TypeError ([*, MindSpore ValueError (*", "class says ~: *, MindSpore NotImplementedError (*",
    "class says ~: TypeError ('* object is not iterable), MindSpore ValueError (*")
deviation(
    "Calls that only other devices of MindSpore take, or none of this release",
    """The functions are documented; on CPUs MindSpore 2.10 has no kernel for them, or stops at ranks, dtypes and spellings that the documentation has.
    msjit computes what the documentation says.""",
    "accepts says: MindSpore RuntimeError: Not implement exception*", "accepts says: MindSpore RuntimeError: Not found op * on device CPU*",
    "accepts says: MindSpore NotImplementedError: * only supports Ascend*", "accepts says: MindSpore ValueError: should not come here for *",
    "accepts says: MindSpore TypeError: For primitive[*], the input[*] supports types*", "accepts says: MindSpore TypeError: For Primitive[Gcd], the type of the input tensor*",
    "accepts says: MindSpore ValueError: For *, input should be *", "accepts says: MindSpore ValueError: For primitive[*ool*], the * of x m*",
    "accepts says: MindSpore ValueError: For primitive[*ool*], the * rank must be*", "accepts says: MindSpore ValueError: For *ool1d, the input must has 3 dim*",
    "accepts says: MindSpore ValueError: For primitive[PadV3], the input dims*", "accepts says: MindSpore RuntimeError: * should have 1 outputs, but got 2*",
    "accepts says: MindSpore RuntimeError: For primitive[LayerNorm]*", "accepts says: MindSpore RuntimeError: Cholesky expects*", "accepts says: MindSpore ValueError: For 'ScalarCast'*",
    "accepts says: MindSpore NotImplementedError: *is not implemented*", "accepts says: MindSpore ends the process*", "accepts says: MindSpore AttributeError: 'Registry' object*",
    "accepts says: MindSpore ValueError: For adaptive_*_pool1d input must have 3 dim*",
    "accepts says: MindSpore ValueError: For primitive[AvgPool3D], the x_rank*", "accepts says: MindSpore TypeError: For Tensor, the input_data is (2, None, 1)*",
    *heads("accepts", "a.take mnp.count_nonzero mnp.outer mint.nansum mint.kthvalue mint.searchsorted mint.nn.functional.adaptive_avg_pool2d fixed(nn.CentralCrop mnp.signbit mnp.vander mnp.select a.index_put a.eigvals"
           " shown(nn.AdaptiveMaxPool3d"))
deviation(
    "Numbers, lists and positions in mint and numpy",
    """Where mint and numpy of MindSpore want a Tensor, operands of one dtype or a keyword, msjit also takes numbers, lists, operands that it
    promotes, and the same arguments by position.""",
    *heads("accepts", "a.addcdiv a.allclose a.approximate_equal a.baddbmm a.bitwise_left_shift a.cholesky_inverse a.deg2rad a.gcd a.ger a.heaviside a.isclose a.item a.nanmean a.rad2deg a.std"
           " a.to ops.approximate_equal ops.fast_gelu ops.multi_margin_loss kind(ops.random_gamma kind(mint.normal mint.add mint.addcdiv mint.addmm mint.baddbmm mint.bitwise_and mint.bitwise_or mint.bitwise_xor mint.cdist mint.diag mint.div mint.eq mint.fmod mint.gcd"
           " mint.less mint.lt mint.nn.LayerNorm mint.nn.functional.log_softmax mint.nonzero mint.outer mint.special.log_softmax mint.sub mint.sum mint.xlogy nn.NLLLoss"),
    "accepts: mnp.*(* | [*", "accepts: mnp.*(x1=a, x2=b) | *", "accepts: mnp.hstack((a, b)) | *", "accepts: mnp.linspace(0, 1, 5, False, ms.float32)", "accepts: mnp.repeat(a, 0) | *")
deviation(
    "bool and narrow integers in variations",
    """As above: arithmetic on bool gives int32, formulas with fractions lift integers to float32, functions of numpy too, and where a mean or a sum of
    float16 is taken the result is float16.""",
    "dtype: * | b[* ~", "dtype: mnp.* | b[*", "dtype: mint.* | b[*", "dtype: fixed(mint.nn.Hard*", "dtype: mint.nn.functional.hard*", "dtype: mint.any(input=a* | u8*", "dtype: mnp.arc* | *8*",
    "value: mnp.*(x=a, dtype=ms.float32) | *", "dtype: mnp.* | f16*", "dtype: mnp.* | bf16*", "dtype: *.cross(* | f16*", "dtype: *.diagonal_scatter(*", "dtype: nn.*()(a) | * ~",
    "dtype: fixed(nn.L1Regularizer(0.1))(a) | f16*", "dtype: fixed(nn.Embedding(5,3,dtype=ms.float16))(a) | *",
    "dtype: mint.linalg.norm(A=a, ord=2, dim=None*", "value: *.sinc(*) | b[2,3] ~",
    *heads("dtype", "mnp.average mnp.copysign mnp.cumprod mnp.digitize mnp.divmod mnp.exp2 mnp.full mnp.nanstd mnp.nanvar mnp.polyder mnp.polyint mnp.polyval mnp.reciprocal mnp.trapz"
           " mnp.tril_indices mnp.triu_indices mnp.true_divide mnp.unravel_index"))
deviation(
    "Complex numbers and float16 in linear algebra and remainders",
    """msjit has no kernels for determinants, inverses, remainders and comparisons of complex numbers, and none of linear algebra in float16.""",
    "rejects says ~: TypeError: *complex*", "rejects says ~: TypeError: *Complex*", "rejects says ~: TypeError: *loat16*",
    "class says ~: TypeError (*complex*), MindSpore *")
deviation(
    "Values and shapes that MindSpore gets wrong here",
    """Its in-place methods, and the optimizers of mint.optim made of them, leave the tensor as it was, any of wide integers reads a part of them, choose and clip_by of numpy cut fractions off,
    functions of numpy compute float16 in it, or complex numbers in part; reductions of no elements lose their axes, means and variances of bool and
    integers are rounded, cbrt of 0 is NaN, and flip and select of numpy lose gradients. Signs of the vectors of a singular value decomposition are free, and
    so is what lies below a triangle.""",
    *heads("value", "after(lambda*_ a.byte a.cholesky_inverse a.choose a.hypot a.logaddexp2 a.select_scatter a.svd a.topk a.type_as mint.any mint.nn.functional.binary_cross_entropy_with_logits"
           " mnp.cbrt mnp.cross mnp.cumsum mnp.nancumsum mnp.diff mnp.flip mnp.gcd mnp.geomspace mnp.lcm mnp.logaddexp mnp.logaddexp2 mnp.nanmean mnp.nanstd mnp.nanvar mnp.rot90 mnp.std mnp.var"
           " fixed(nn.LGamma nn.BatchNorm2d"),
    "value: descend(lambda ps: opt.*", "value: a.dtype | c64*", "value: a.real | *", "value: a.imag | *",
    *heads("shape", "a.fold a.std a.var mnp.count_nonzero mnp.std mnp.var"), "type: mnp.array_split(*", "dtype: mnp.cov(* | f64*",
    "gradient value: P.NextAfter()(a, b) | *", *heads("gradient value", "a.nextafter fixed(mint.nn.GroupNorm fixed(nn.GroupNorm training(nn.GroupNorm mint.nn.functional.binary_cross_entropy mint.nn.functional.binary_cross_entropy_with_logits"
           " mint.nn.functional.nll_loss mnp.flip mnp.gcd mnp.lcm mnp.select"), "gradient dtype: *.real(a) | f32*", "gradient value: ops.bmm(a, b) | f32[0,3]*",
    "value: ops.rrelu(a) | *", "value: ops.select_scatter(* ~", "length: ops.vsplit(* ~")
deviation(
    "Layers that print what only MindSpore has, and arguments that they look at when they are called",
    """Sub-cells that exist for MindSpore's kernels alone (of SSIM and the like) are not printed. Arguments of wrong
    types and values are refused when a layer is made, where MindSpore waits for the first call or overlooks them.""",
    *heads("value", "shown(nn.MatInverse (shown(nn.IGamma (shown(nn.LBeta (shown(nn.MSSSIM (shown(nn.SSIM"),
    "rejects: nn.*(* ~", "rejects: mint.nn.*(*)", "rejects: fixed(nn.Dropout*", "rejects: fixed(nn.ChannelShuffle(2))(a) | f32[4,4]")
deviation(
    "Arguments of variations that MindSpore overlooks",
    """A tuple for a number, a fraction for a size or an index, a negative order, None for a dtype, rows of a Tensor for a sequence of tensors.""",
    "rejects: a.* ~", "rejects: ops.slice_scatter(* ~", "rejects: ops.matrix_norm(* ~", "rejects: mint.* ~", "rejects: mnp.* ~", "rejects: a.addmv(b, c, 2, 3) | *", "rejects: a.bitwise_right_shift(b) | i32[3]; 1.5", "rejects: a.resize(-1) | *", "rejects: a.to(None) | *",
    *heads("rejects", "mnp.cross mnp.polyval"))
deviation(
    "More classes of errors",
    """Tensor.eigvals is not offered; an index and a sequence of nothing are ValueErrors.""",
    "class says ~: *, MindSpore ends the process*", "class: after(lambda x: x.itemset(2.5), a)[0] | *", "class: fixed(mint.nn.BCELoss())(a, b) | *",
    "class: fixed(nn.Conv3d*", "class: mint.bitwise_*(a, b) | f32[2]; f32[3]", "class: mint.dstack(a) | *", "class: mint.einsum('ij', a, b) | *", "class: mint.linalg.vector_norm(a, 'x') | *",
    "class: mnp.stack(a) | *",
    *heads("class", "a.approximate_equal mint.nn.functional.normalize mnp.histogram mnp.logspace mnp.nanstd mnp.nanvar mnp.pad mnp.ravel_multi_index mnp.take mnp.tensordot ops.triplet_margin_loss nn.GroupNorm nn.InstanceNorm2d"))
