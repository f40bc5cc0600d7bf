"""Linear algebra, running values, statistics, scatters, segments, windows of one and three axes, image functions."""
from samples import calls, case


def each(pattern, texts, *variants):
    """The same samples for several texts of arguments, which may hold spaces."""
    for text in texts:
        case(pattern.replace("%s", text), *variants)


# -- element by element
for _name in ("erfinv", "logit"):
    case("ops.%s(a)" % _name, "f32[2,3]u", "f64[3]u")
calls("ops.%s(a)", "lgamma digamma", "f32[2,3]+", "f64[3]+")
calls("ops.%s(a)", "log2 log10 exp2 deg2rad rad2deg sinc frac signbit isposinf isneginf positive sgn", "f32[2,3]+", "f32[4]")
calls("ops.%s(a, b)", "xlogy xdivy ldexp fmax fmin logaddexp2 heaviside copysign hypot", ("f32[2,3]+", "f32[2,3]+#1"))
calls("ops.%s(a, b)", "gcd lcm bitwise_left_shift bitwise_right_shift truncate_div truncate_mod", ("i32[2,3]+", "i32[2,3]+#1"))
case("ops.lerp(a, b, 0.25)", ("f32[2,3]", "f32[2,3]#1"))
case("ops.lerp(a, b, c)", ("f32[2,3]", "f32[2,3]#1", "f32[2,3]u"))
calls("ops.%s(a, b, c, 2.0)", "addcmul addcdiv", ("f32[2,3]", "f32[2,3]+#1", "f32[2,3]+#2"))
calls("ops.polygamma(%s, a)", "Tensor(1) Tensor(2)", "f32[3]+")
case("ops.float_power(a, 2)", "f32[3]+")

# -- running values and statistics
for _name in ("cumprod", "cummax", "cummin", "logcumsumexp"):
    calls("ops.%s(a, %%s)" % _name, "0 1 -1 2", "f32[2,3]")
each("ops.diff(a%s)", ["", ", 2", ", axis=0", ", n=3", ", n=-1"], "f32[2,4]", "i32[3,4]")
calls("ops.%s(a)", "nansum nanmean", "f32[2,3]")
calls("ops.%s(a, 1)", "std_mean var_mean nansum nanmean", "f32[2,3]")
case("ops.std_mean(a, (0, 1), 1, True)", "f32[2,3]")
each("ops.count_nonzero(a%s)", ["", ", 0", ", (0, 1)", ", 1, True"], "f32[2,3]", "i32[2,3]")
each("ops.aminmax(a%s)", ["", ", axis=1", ", axis=1, keepdims=True"], "f32[2,3]")
each("ops.quantile(a, %s)", ["0.5", "0.3, 0", "0.7, 1, True", "Tensor([0.1, 0.9], ms.float32), 1", "2.0", "'x'"], "f32[3,4]")
each("ops.bucketize(a, %s)", ["[0.0, 1.0]", "[0.0, 1.0], right=True"], "f32[2,3]")
each("ops.searchsorted(a, b%s)", ["", ", right=True", ", side='right'", ", side='x'", ", out_int32=True"],
      ("Tensor([1.0, 2.0, 2.0, 5.0])", "f32[2,3]+"), ("Tensor([[1, 2, 4], [0, 0, 1]])", "i64[2,2]<5"))
each("ops.bincount(a%s)", ["", ", minlength=7", ", minlength=-1"], "i32[6]<5", "i32[2,3]<3")
case("ops.bincount(a, b)", ("i32[6]<5", "f32[6]"))
each("ops.histc(a%s)", ["", ", 4", ", 4, -1.0, 1.0", ", 0"], "f32[6]")
case("ops.cov(a)", "f32[3,4]")
each("ops.trapz(a%s)", ["", ", dx=2.0", ", dim=0"], "f32[3,4]")

# -- linear algebra
each("ops.tensor_dot(a, b, %s)", ["1", "2", "((1,), (0,))", "0", "5"], ("f32[2,3]", "f32[3,2]"), ("f32[3,3]", "f32[3,3]#1"))
calls("ops.%s(a, b)", "kron outer ger", ("f32[2]", "f32[3]"))
case("ops.kron(a, b)", ("f32[2,3]", "f32[2]"), ("f32[2,2]", "f32[3,2]"))
case("ops.cross(a, b)", ("f32[2,3]", "f32[2,3]#1"), ("f32[2,2]", "f32[2,2]#1"))
case("ops.mv(a, b)", ("f32[2,3]", "f32[3]"), ("f32[2,3]", "f32[2]"))
case("ops.addmv(a, b, c, beta=2, alpha=3)", ("f32[2]", "f32[2,3]", "f32[3]"))
case("ops.addr(a, b, c)", ("f32[2,3]", "f32[2]", "f32[3]"))
calls("ops.%s(a, b, c)", "baddbmm", ("f32[2,2,4]", "f32[2,2,3]", "f32[2,3,4]"))
case("ops.addbmm(a, b, c)", ("f32[2,4]", "f32[2,2,3]", "f32[2,3,4]"))
case("ops.batch_dot(a, b)", ("f32[2,3]", "f32[2,3]#1"), ("f32[2,2,3]", "f32[2,3,4]"))
calls("ops.%s(a @ a.swapaxes(-1, -2) + ops.eye(3, 3, ms.float32))", "cholesky inverse det slogdet logdet", "f32[3,3]")
case("ops.matrix_solve(a, b)", ("f32[3,3]+", "f32[3,2]"))
calls("ops.matrix_power(a, %s)", "0 1 3 -1", "f32[3,3]+")
case("ops.svd(a, compute_uv=False)", "f32[3,2]", "f32[2,4]", "f32[2,3,2]")
case("ops.pinv(a)", "f32[3,3]+")
case("ops.lstsq(a, b)", ("f32[4,2]", "f32[4,3]"))
case("ops.vander(a)", "f32[3]")
calls("ops.cdist(a, b, %s)", "2.0 1.0 3.0", ("f32[2,3]", "f32[4,3]"))
case("ops.pdist(a)", "f32[4,3]")
case("ops.dist(a, b)", ("f32[4]", "f32[4]#1"))
case("ops.cosine_similarity(a, b)", ("f32[2,3]", "f32[2,3]#1"))
case("ops.renorm(a, 2, 0, 1.0)", "f32[2,3]")
case("ops.trace(a)", "f32[3,4]", "i32[2,2]", "f32[3]")

# -- scatters and segments
for _how in ("add", "sub", "mul", "div", "max", "min"):
    case("ops.tensor_scatter_%s(a, b, c)" % _how, ("f32[3,4]+", "i32[2,1]<3", "f32[2,4]+#1"),
         ("f32[3,4]+", "i32[2,2]<3", "f32[2]+#1"), ("f32[3,4]+", "i32[2,1]<3", "f32[3]+#1"))
for _how in ("update", "add", "sub", "mul", "div", "max", "min"):
    case("after(ops.scatter_%s, a, b, c)" % _how, ("f32[3,4]p", "Tensor([0, 2], ms.int32)", "f32[2,4]+#1"), gradient=False)
    case("after(ops.scatter_nd_%s, a, b, c)" % _how, ("f32[3,4]p", "Tensor([[0], [2]], ms.int32)", "f32[2,4]+#1"),
         gradient=False)
for _how in ("sum", "max", "min", "prod"):
    case("ops.unsorted_segment_%s(a, b, 3)" % _how, ("f32[4,2]+", "Tensor([0, 1, 0, 2], ms.int32)"),
         ("f32[4,2]+", "Tensor([0, 1, 0, -1], ms.int32)"), ("i32[4]", "Tensor([0, 1, 0, 0], ms.int32)"))
case("ops.index_fill(a, 1, b, 2.0)", ("f32[2,3]", "Tensor([0, 2], ms.int32)"))
case("ops.unique_consecutive(a, True, True)", "Tensor([1, 1, 2, 2, 1])")
case("ops.unique_with_pad(a, 9)", "Tensor([1, 1, 2, 5, 2])")
each("ops.strided_slice(a, %s)", ["(0, 0), (2, 3), (1, 1)", "(0, 0), (2, 3), (1, 2)", "(0, 0), (2, 3), (1, 1), 1, 2",
                                   "(0, 1), (1, 3), (1, 1), shrink_axis_mask=1"], "f32[3,4]")
each("ops.gather(a, b, %s)", ["1, 1", "2, 1"], ("f32[2,3,4]", "i32[2,2]<3"))

# -- shapes
calls("ops.%s((a, b))", "hstack vstack dstack column_stack", ("f32[2,3]", "f32[2,3]#1"), ("f32[3]", "f32[3]#1"))
calls("ops.%s(a)", "atleast_1d atleast_2d atleast_3d", "f32[]", "f32[3]", "f32[2,3]")
each("ops.tensor_split(a, %s)", ["3", "(1, 2)", "2, 1"], "f32[4,3]")
each("ops.rot90(a, %s)", ["1, [0, 1]", "2, [0, 1]", "3, [1, 0]", "4, [0, 1]"], "f32[2,3]")
calls("ops.%s(a)", "fliplr flipud diagflat ravel", "f32[2,3]")
each("ops.diag_embed(a%s)", ["", ", 1", ", -1", ", 0, 0, 1", ", 0, 0, 2"], "f32[2,3]")
each("ops.tril_indices(%s)", ["3, 4", "3, 3, 1", "2, 4, -1"])
each("ops.triu_indices(%s)", ["3, 4", "3, 3, 1", "2, 4, -1"])
case("ops.block_diag(a, b)", ("f32[2,3]", "f32[1,2]"))
case("ops.reverse_sequence(a, b, 1)", ("f32[2,4]", "Tensor([2, 3], ms.int32)"))
each("ops.sequence_mask(a%s)", ["", ", 4"], "Tensor([1, 3], ms.int32)")
calls("ops.%s(a, 2)", "pixel_shuffle pixel_unshuffle", "f32[1,4,4,4]")
case("ops.channel_shuffle(a, 2)", "f32[1,4,2,2]")
case("ops.combinations(a, 2)", "f32[4]")
case("ops.cartesian_prod(a, b)", ("f32[2]", "f32[3]"))

# -- windows
each("ops.conv1d(a, b, %s)", ["None", "None, 2, 'same'", "None, 1, 'pad', 1", "None, 1, 'valid', 0, 2"],
      ("f32[2,3,7]", "f32[4,3,3]"))
each("ops.conv3d(a, b, %s)", ["None", "None, 2, 'same'", "None, 1, 'pad', 1", "None, 1, 'valid', 0, 2"],
      ("f32[1,2,5,5,5]", "f32[3,2,2,2,2]"))
each("ops.avg_pool1d(a, %s)", ["2, 2", "3, 2, 1", "2, 2, 0, True"], "f32[1,2,7]")
each("ops.max_pool3d(a, %s)", ["2", "3, 2, 1", "2, 1"], "f32[1,2,5,5,5]")
each("ops.avg_pool3d(a, %s)", ["2, 2", "3, 2, 1", "2, 1"], "f32[1,2,5,5,5]")
calls("ops.%s(a, 2)", "adaptive_avg_pool3d adaptive_max_pool3d", "f32[1,2,5,4,6]")
each("ops.adaptive_max_pool2d(a, %s)", ["2", "(3, 2)", "(None, 2)", "2, True"], "f32[1,2,5,4]")
calls("ops.%s(a, 2.0, 2)", "lp_pool1d", "f32[1,2,6]+")
calls("ops.%s(a, 2.0, 2)", "lp_pool2d", "f32[1,2,6,4]+")
each("ops.lrn(a%s)", ["", ", 1, 2.0, 0.5, 0.75"], "f32[1,4,2,2]")
each("ops.unfold(a, %s)", ["2", "2, 1, 1, 2", "(2, 3)"], "f32[2,3,4,5]")
case("ops.fold(a, Tensor([4, 5], ms.int32), [2, 2], [1, 1], [0, 0], [1, 1])", "f32[2,8,12]")

# -- images
each("ops.grid_sample(a, b%s)", ["", ", 'nearest'", ", 'bilinear', 'border'", ", 'bilinear', 'reflection', True",
                                  ", align_corners=True"], ("f32[2,2,4,5]", "f32[2,3,2,2]"))
each("ops.affine_grid(a, (2, 1, 3, 4)%s)", ["", ", True"], "f32[2,2,3]")
each("ops.iou(a, b%s)", ["", ", 'iof'"], ("Tensor([[0., 0, 2, 2], [1, 1, 3, 4]])", "Tensor([[0., 0, 1, 1], [2, 1, 3, 5]])"))
case("ops.crop_and_resize(a, b, c, (2, 3))", ("f32[1,4,5,2]", "Tensor([[0.1, 0.2, 0.8, 0.9]])", "Tensor([0], ms.int32)"))

# -- primitives
each("P.CumProd(%s)(a, 1)", ["", "True", "False, True", "True, True"], "f32[2,3]+")
each("P.StridedSlice(%s)(a, (0, 1), (2, 3), (1, 1))", ["", "1", "0, 2", "0, 0, 0, 0, 1"], "f32[3,4]")
calls("P.%s(2)(a)", "DepthToSpace SpaceToDepth", "f32[1,4,4,4]")
case("P.MirrorPad('SYMMETRIC')(a, Tensor([[1, 1], [2, 1]]))", "f32[2,3]")
case("P.InTopK(2)(a, b)", ("f32[2,3]", "Tensor([0, 2], ms.int32)"))
case("P.ReverseV2([0, 1])(a)", "f32[2,3]")
case("P.SquaredDifference()(a, b)", ("f32[2,3]", "f32[3]"))
case("P.DivNoNan()(a, b)", ("f32[3]", "Tensor([0., 1, 2])"))
case("P.MaxPoolWithArgmax(2, 2)(a)", "f32[1,2,4,4]")
case("P.Meshgrid()((a, b))", ("f32[2]", "f32[3]"))
case("P.SplitV([1, 2], 1, 2)(a)", "f32[2,3]")

# -- layers
for _text in ("Conv1dTranspose(3, 2, 3, 2, 'same')", "Conv1dTranspose(3, 2, 3, 2, 'valid')"):
    case("fixed(nn.%s)(a)" % _text, "f32[2,3,5]")
for _text in ("Conv2dTranspose(3, 2, 3, 2, 'same')", "Conv2dTranspose(3, 2, 3, 2, 'valid', has_bias=True)",
              "Conv2dTranspose(3, 2, 3, 2, 'pad', 1, 1)", "Conv2dTranspose(3, 3, 3, 1, 'pad', 1, 0, 2, 3)"):
    case("fixed(nn.%s)(a)" % _text, "f32[2,3,5,4]", gradient=False)
for _text in ("Conv3d(3, 2, 3, 2, 'same')", "Conv3d(3, 2, 2, 1, 'valid', has_bias=True)", "Conv3d(3, 3, 2, 1, 'pad', 1, 1, 3)",
              "Conv3dTranspose(3, 2, 3, 2, 'same')", "Conv3dTranspose(3, 2, 3, 2, 'valid')",
              "Conv3dTranspose(3, 2, 3, 2, 'pad', 1, output_padding=1)", "BatchNorm3d(3)", "MaxPool3d(2, 2)",
              "MaxPool3d(3, 2, 'same')", "MaxPool3d(2, 1, 'pad', 1, 1, True)", "AvgPool3d(2, 2)", "AvgPool3d(3, 2, 'same')",
              "AdaptiveAvgPool3d((2, 3, None))", "ReplicationPad3d(1)", "ConstantPad3d((1, 0, 2, 1, 0, 1), 2.0)"):
    case("fixed(nn.%s)(a)" % _text, "f32[2,3,4,5,4]", gradient="Transpose" not in _text)
for _text in ("MaxPool1d(2, 2)", "MaxPool1d(3, 2, 'same')", "MaxPool1d(2, 2, 'pad', 1, 1, True)", "AvgPool1d(2, 2)",
              "AvgPool1d(3, 2, 'same')", "AvgPool1d(3, 2, 'pad', 1)", "AdaptiveAvgPool1d(3)", "AdaptiveMaxPool1d(2)",
              "LPPool1d(2.0, 2)", "ReflectionPad1d((1, 2))", "ReplicationPad1d(2)", "ConstantPad1d((1, 2), 0.5)"):
    case("fixed(nn.%s)(a)" % _text, "f32[2,3,6]")
for _text in ("LPPool2d(2.0, 2)", "ReflectionPad2d(1)", "ReplicationPad2d((1, 2, 0, 1))", "ZeroPad2d(1)", "PixelShuffle(2)",
              "PixelUnshuffle(2)", "ChannelShuffle(2)", "Upsample((5, 3))", "LRN(1)", "ImageGradients()", "CentralCrop(0.5)",
              "Tril()", "Triu()", "ReduceLogSumExp(1)", "Unflatten(1, (2, 2))", "AdaptiveMaxPool2d(2, True)"):
    case("fixed(nn.%s)(a)" % _text, "f32[2,4,4,4]")
case("nn.Conv2dTranspose(1, 1, 2, 2, 'pad', 0, 1, has_bias=True, weight_init='ones', bias_init='ones')(a)", "f32[1,1,2,3]")
case("P.MaxPoolWithArgmax(2, 2)(a)", "f32[2,2,4,4]")
