"""Primitives: scattering, segments, pooling, linear algebra, boxes, windows; each with its attributes."""
from samples import calls, case

I2, I3 = "Tensor([0, 2], ms.int32)", "Tensor([[0], [2]], ms.int32)"
SQUARE = "Tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])"


def after(call, *variants):
    """What a Parameter holds after the call, and its result."""
    case("after(lambda a, b: %s, Parameter(a), b)" % call, *variants, gradient=False)


# -- elementwise ------------------------------------------------------------------------------------------------------
calls("P.%s()(a, b)", "Fmax Fmin Heaviside Hypot TruncateDiv TruncateMod Xdivy Xlogy NextAfter", ("f32[2,3]", "f32[3]+"), ("f64[3]", "f64[3]+#1"))
calls("P.%s()(a, b)", "Gcd Lcm LeftShift RightShift", ("i32[2,3]+", "i32[3]+#1"), ("i64[3]+", "i64[3]+#1"), gradient=False)
calls("P.%s()(a, b)", "TruncateDiv TruncateMod", ("i32[2,3]", "i32[3]+"), gradient=False)
calls("P.%s()(a, b)", "Igamma Igammac", ("f32[2,3]+", "f32[3]+#1"), ("f64[3]+", "f64[3]+#1"), gradient=False)
case("P.Zeta()(a, b)", ("f32[3]+", "f32[3]+#1"), ("f64[3]+", "f64[3]+#1"), gradient=False)
calls("P.%s()(a)", "Digamma Lgamma Sinc", "f32[2,3]+", "f64[3]+")
calls("P.%s()(a)", "Erfinv", "f32[2,3]u")
case("P.Polygamma()(Tensor(1, ms.int32), a)", "f32[2,3]+")
case("P.Polar()(a, b)", ("f32[3]+", "f32[3]"), gradient=False)
case("P.PopulationCount()(a)", "i16[4]", "u16[3]", "u8[3]", "i64[3]", gradient=False)
case("P.Mvlgamma(2)(a)", "Tensor([1.5, 2.5, 4.0])")
case("P.Logit(%s)(a)" % "1e-3", "f32[2,3]u", "f64[3]u")
case("P.CeLU(2.0)(a)", "f32[2,3]", "f16[3]")
case("P.IsClose(equal_nan=True)(a, b)", ("f32[3]!", "f32[3]!"), ("i32[3]", "i32[3]"), gradient=False)
calls("P.%s()(a, b, c)", "Lerp", ("f32[2,3]", "f32[2,3]#1", "f32[3]"), ("f32[2,3]", "f32[2,3]#1", "0.3"))
calls("P.%s()(a, b, c, d)", "Addcdiv Addcmul", ("f32[2,3]", "f32[2,3]#1", "f32[3]+", "Tensor(0.5)"))
case("P.AccumulateNV2()((a, b))", ("f32[2,3]", "f32[2,3]#1"), ("i32[3]", "i32[3]#1"))
case("P.Fills()(a, 2.0)", "f32[2,3]", "i32[3]", gradient=False)
case("P.CheckNumerics()(a)", "f32[2,3]", "f16[2]")
case("P.ScalarCast()(a, ms.float32)", "2", "True", "2.5", gradient=False)
case("P.ScalarToTensor()(a)", "2", "2.5", "True", gradient=False)
case("P.ScalarToTensor()(a, ms.int32)", "2.5", gradient=False)
case("P.TupleToArray()(a)", "(1, 2)", "(1.5, 2.0)", gradient=False)
calls("P.%s()((2, 3), ms.int32)", "Ones Zeros")
case("P.Eye()(2, 3, ms.float16)")
case("P.FloatStatus()(a)", "f32[3]", "f32[3]!", "f16[2]", gradient=False)
case("P.Pack(1)((a, b))", ("f32[2,3]", "f32[2,3]#1"))
case("P.Unpack(1)(a)", "f32[2,3]")
case("P.InvertPermutation()(a)", "(2, 0, 1)", "(0,)", "(0, 0)", "(2, 1)", "(-1, 0)", "[1, 0]", "(1.0, 0.0)", "()", gradient=False)
case("P.TransposeView()(a, (1, 0))", "f32[2,3]")

# -- scattering -------------------------------------------------------------------------------------------------------
for _name in "ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterSub ScatterUpdate".split():
    after("P.%s()(a, %s, b)" % (_name, I2), ("f32[3,2]", "f32[2,2]+"), ("f32[3]", "f32[2]+"), ("i32[3]", "i32[2]+"))
for _name in "Add Div Max Min Mul Sub Update".split():
    after("P.ScatterNd%s()(a, %s, b)" % (_name, I3), ("f32[3,2]", "f32[2,2]+"), ("i32[3]", "i32[2]+"))
for _name in "Div Max Min Mul Sub".split():
    case("P.TensorScatter%s()(a, %s, b)" % (_name, I3), ("f32[3,2]", "f32[2,2]+"), ("i32[3]", "i32[2]+"))
calls("P.TensorScatterElements(1, reduction=%s)(a, Tensor([[0], [2]], ms.int32), b)", "'none' 'add'", ("f32[2,3]", "f32[2,1]"), gradient=False)
case("P.IndexFill()(a, 1, Tensor([0, 2], ms.int32), Tensor(5.0))", "f32[2,3]")
after("P.IndexAdd(axis=0)(a, %s, b)" % I2, ("f32[3,2]", "f32[2,2]"))
after("P.InplaceIndexAdd(axis=0)(a, %s, b)" % I2, ("f32[3,2]", "f32[2,2]"))
calls("P.Inplace%s((0, 2))(a, b)", "Add Sub Update", ("f32[3,2]", "f32[2,2]"), ("f32[3]", "f32[2]"), gradient=False)
case("P.MaskedScatter()(a, b, c)", ("f32[2,3]", "b[2,3]", "f32[6]"), gradient=False)
calls("P.Segment%s()(a, Tensor([0, 0, 1, 3], ms.int32))", "Max Mean Min Prod Sum", "f32[4,2]+", "f64[4]+", gradient=False)
calls("P.UnsortedSegment%s()(a, Tensor([2, 0, 2, 1], ms.int32), 3)", "Max Min Prod Sum", "f32[4,2]+", "i32[4]", gradient=False)
case("P.SearchSorted()(a, b)", ("Tensor([1.0, 2.0, 4.0])", "f32[2,3]"), gradient=False)

# -- reductions, order, sets ------------------------------------------------------------------------------------------
calls("P.%s(1)(a)", "Cummax Cummin", "f32[2,3]", "i32[2,3]", gradient=False)
case("P.EuclideanNorm()(a, Tensor([1], ms.int32))", "f32[2,3]", gradient=False)
case("P.EuclideanNorm(True)(a, Tensor([0, 1], ms.int32))", "f32[2,3]", gradient=False)
case("P.LpNorm([1])(a)", "f32[2,3]")
case("P.LpNorm([0, 1], 3, True)(a)", "f32[2,3]")
case("P.L2Normalize(1)(a)", "f32[2,3]")
case("P.L2Normalize(axis=0, epsilon=1e-2)(a)", "f32[2,3]", "f16[3]", gradient=False)
case("P.ReduceStd([1])(a)", "f32[2,3]", gradient=False)
case("P.ReduceStd(axis=[0], unbiased=False, keep_dims=True)(a)", "f32[2,3]", gradient=False)
case("P.Renorm(2, 0, 1.0)(a)", "f32[2,3]", "f32[3,2,2]")
case("P.Quantile(1)(a, Tensor([0.25, 0.5]))", "f32[2,3]", gradient=False)
case("P.Quantile(keep_dims=True, ignore_nan=True)(a, 0.5)", "f32[2,3]", gradient=False)
case("P.HistogramFixedWidth(4)(a, Tensor([-2.0, 2.0]))", "f32[2,3]", "f32[7]", gradient=False)
case("P.UniqueConsecutive()(a)[0]", "i32[6]<2", gradient=False)
case("P.UniqueConsecutive(return_inverse=True, return_counts=True)(a)", "i32[6]<2", gradient=False)
case("P.UniqueConsecutive(return_inverse=True)(a)[:2]", "i32[6]<2", gradient=False)
case("len(P.UniqueConsecutive()(a))", "i32[6]<2", gradient=False)
case("P.UniqueConsecutive(True, True, 0)(a)", "Tensor([[1, 2], [1, 2], [3, 4]])", gradient=False)
case("P.UniqueWithPad()(a, Tensor(9, ms.int32))", "i32[6]<3", gradient=False)
case("P.ConfusionMatrix(3)(a, b)", ("i32[5]<3", "i32[5]<3#1"), gradient=False)
case("P.ReverseSequence(1)(a, Tensor([1, 3], ms.int32))", "f32[2,3]")
case("P.ReverseSequence(seq_dim=0, batch_dim=1)(a, Tensor([1, 2, 2], ms.int32))", "f32[2,3]")
case("P.LogSoftmaxExt()(a, 1)", "f32[2,3]", gradient=False)

# -- linear algebra ---------------------------------------------------------------------------------------------------
calls("P.%s()(a)", "MatrixInverse MatrixDeterminant LogMatrixDeterminant Cholesky", SQUARE, gradient=False)
case("P.MatrixInverse(adjoint=True)(a)", "Tensor([[1.0, 2.0], [3.0, 5.0]])", gradient=False)
case("P.Cholesky(upper=True)(a)", SQUARE, gradient=False)
case("P.CholeskyInverse()(a)", "Tensor([[2.0, 0.0], [1.0, 3.0]])", gradient=False)
case("P.CholeskyInverse(upper=True)(a)", "Tensor([[2.0, 1.0], [0.0, 3.0]])", gradient=False)
case("P.CholeskySolve()(a, b)", ("f32[2,2]", "Tensor([[2.0, 0.0], [1.0, 3.0]])"), gradient=False)
case("P.CholeskySolve(True)(a, b)", ("f32[2,2]", "Tensor([[2.0, 1.0], [0.0, 3.0]])"), gradient=False)
case("P.MatrixSolve()(a, b)", (SQUARE, "f32[3,2]"), gradient=False)
case("P.MatrixSolve(adjoint=True)(a, b)", ("Tensor([[1.0, 2.0], [3.0, 5.0]])", "f32[2,2]"), gradient=False)
calls("P.MatrixTriangularSolve(%s)(a, b)", "lower=True lower=False lower=True,adjoint=True", ("Tensor([[1.0, 2.0], [3.0, 5.0]])", "f32[2,2]"), gradient=False)
case("P.MatrixPower(3)(a)", "f32[2,2]", "f32[2,3,3]")
case("P.MatrixPower(-2)(a)", SQUARE)
case("P.MatrixBandPart()(a, 0, 1)", "f32[3,3]", "f32[2,2,3]")
case("P.Trace()(a)", "f32[3,3]", "f32[2,3]", "i32[2,2]")
case("P.Diag()(a)", "f32[3]", "i32[2]")
case("P.DiagPart()(a)", "f32[3,3]")
case("P.Ger()(a, b)", ("f32[3]", "f32[2]"))
case("P.Cross(1)(a, b)", ("f32[2,3]", "f32[2,3]#1"))
case("P.Cdist(1.0)(a, b)", ("f32[2,3]", "f32[4,3]"), gradient=False)
case("P.Pdist(1.0)(a)", "f32[3,2]", gradient=False)
case("P.Einsum('ij,jk->ik')((a, b))", ("f32[2,3]", "f32[3,2]"), gradient=False)
case("P.TridiagonalMatMul()(a, b, c, d)", ("f32[1,3]", "f32[1,3]#1", "f32[1,3]#2", "f32[3,2]"), gradient=False)
case("P.Eig()(a)[0]", "Tensor([[2.0, 0.0], [1.0, 3.0]])", gradient=False)
case("P.Svd(compute_uv=False)(a)[0]", "f32[3,2]", gradient=False)
case("P.Geqrf()(a)", "f32[3,2]", gradient=False)

case("P.MatrixLogarithm()(a)", "Tensor(np.array([[1+2j, 2+1j], [4+1j, 5+2j]]), ms.complex64)", "Tensor(np.array([[3, 1, 0], [1, 4, 2j], [0, 1, 5]]), ms.complex128)", gradient=False)
calls("kind(P.%s([1.0, 1.4, 1.5, 1.0])(a))", "FractionalMaxPool FractionalAvgPool", "f32[2,7,8,3]", gradient=False)

# -- networks ---------------------------------------------------------------------------------------------------------
case("P.AdaptiveAvgPool2D((2, 3))(a)", "f32[1,2,4,6]", "f32[2,4,4]")
case("P.AdaptiveAvgPool2D((None, 2))(a)", "f32[1,2,4,4]")
case("P.AdaptiveAvgPool3D((2, 1, 2))(a)", "f32[1,2,4,3,4]", gradient=False)
case("P.AdaptiveMaxPool2D((2, 2))(a)", "f32[1,2,4,4]", gradient=False)
case("P.AvgPool3D(2, 2)(a)", "f32[1,2,4,4,4]", gradient=False)
case("P.AvgPool3D(kernel_size=2, strides=1, pad_mode='same', count_include_pad=False)(a)", "f32[1,1,3,3,3]", gradient=False)
case("P.AvgPool3D(2, 2, 'pad', 1, False, False)(a)", "f32[1,1,4,4,4]", gradient=False)
case("P.MaxPool3D(2, 2)(a)", "f32[1,2,4,4,4]", gradient=False)
case("P.MaxPool3D(kernel_size=2, strides=1, pad_mode='same')(a)", "f32[1,1,3,3,3]", gradient=False)
case("P.Conv3D(2, 2)(a, b)", ("f32[1,3,4,4,4]", "f32[2,3,2,2,2]"), gradient=False)
case("P.Conv3D(2, 3, pad_mode='pad', pad=1, stride=2)(a, b)", ("f32[1,3,4,4,4]", "f32[2,3,3,3,3]"), gradient=False)
case("P.Conv3DTranspose(2, 3, 2)(a, b)", ("f32[1,2,3,3,3]", "f32[2,3,2,2,2]"), gradient=False)
case("P.Conv2DTranspose(3, 2)(a, b, (1, 3, 4, 4))", ("f32[1,2,3,3]", "f32[2,3,2,2]"), gradient=False)
case("P.Conv2DBackpropInput(2, 2)(a, b, (1, 3, 4, 4))", ("f32[1,2,3,3]", "f32[2,3,2,2]"), gradient=False)
case("P.DepthwiseConv2dNative(1, 2)(a, b)", ("f32[1,3,4,4]", "f32[1,3,2,2]"), gradient=False)
case("P.BatchNorm(True)(a, b, c, d, d)[0]", ("f32[2,3,2,2]", "f32[3]+", "f32[3]", "f32[3]+#1"), gradient=False)
case("P.BatchNorm(epsilon=1e-3)(a, b, c, c, d)[0]", ("f32[2,3]", "f32[3]+", "f32[3]", "f32[3]+#1"), gradient=False)
case("P.RmsNorm(1e-5)(a, b)", ("f32[2,3]", "f32[3]"), gradient=False)
calls("P.BinaryCrossEntropy(%s)(a, b, c)", "'mean' 'sum' 'none'", ("f32[2,3]u", "f32[2,3]u#1", "f32[2,3]+"))
case("P.BinaryCrossEntropy()(a, b)", ("f32[2,3]u", "f32[2,3]u#1"))
case("P.SigmoidCrossEntropyWithLogits()(a, b)", ("f32[2,3]", "f32[2,3]u"))
case("P.SparseSoftmaxCrossEntropyWithLogits()(a, b)", ("f32[2,3]", "i32[2]<3"))
case("P.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(a, b)", ("f32[2,3]", "i32[2]<3"), gradient=False)
calls("P.GridSampler2D(%s)(a, b)", "'bilinear','zeros',False 'nearest','border',True 'bilinear','reflection',True", ("f32[1,2,3,3]", "f32[1,2,2,2]"), gradient=False)
calls("P.GridSampler3D(%s)(a, b)", "'bilinear','zeros',False 'nearest','border',True", ("f32[1,2,3,3,3]", "f32[1,2,2,2,3]"), gradient=False)
case("P.AffineGrid()(a, (1, 1, 2, 3))", "f32[1,2,3]", gradient=False)
case("P.AffineGrid(align_corners=True)(a, (1, 1, 2, 3))", "f32[1,2,3]", gradient=False)
case("P.ResizeBicubic()(a, Tensor([3, 5], ms.int32))", "f32[1,2,4,4]", gradient=False)
case("P.ResizeBicubic(align_corners=True)(a, Tensor([3, 5], ms.int32))", "f32[1,2,4,4]", gradient=False)
calls("P.ResizeNearestNeighborV2(%s)(a, Tensor([3, 5], ms.int32))", "False align_corners=True half_pixel_centers=True", "f32[1,2,4,4]", gradient=False)
calls("P.ResizeBilinearV2(%s)(a, Tensor([3, 5], ms.int32))", "False align_corners=True half_pixel_centers=True", "f32[1,2,4,4]", gradient=False)
case("P.ResizeNearestNeighbor((3, 5), True)(a)", "f32[1,2,4,4]", gradient=False)
case("P.ExtractImagePatches([1, 1, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1])(a)", "f32[1,2,3,3]", gradient=False)
case("P.SpaceToBatch(2, [[0, 0], [0, 0]])(a)", "f32[1,2,4,4]")
case("P.BatchToSpace(2, [[0, 1], [0, 0]])(a)", "f32[4,2,2,2]")
case("P.SpaceToBatchND([2, 2], [[0, 0], [0, 0]])(a)", "f32[1,2,4,4]")
case("P.BatchToSpaceND([2, 2], [[0, 1], [0, 0]])(a)", "f32[4,2,2,2]")
calls("kind(P.%s(0.5)(a))", "Dropout2D Dropout3D", "f32[1,2,3,3]", "f32[1,2,2,3,3]", "f32[2,3]", gradient=False)
case("P.STFT(4, 2, 4, False, True, True)(a, Tensor([1.0, 1.0, 1.0, 1.0]))", "f32[8]", gradient=False)
calls("P.FFTWithSize(%s)(a)", "1,False,False 2,True,False 1,False,False,'ortho'", "c64[2,4]", gradient=False)
case("P.FFTWithSize(1, False, True)(a)", "f32[2,4]", gradient=False)

# -- boxes ------------------------------------------------------------------------------------------------------------
BOXES, OTHERS = "Tensor([[2.0, 1.0, 6.0, 5.0], [0.0, 0.0, 3.0, 4.0]])", "Tensor([[1.0, 1.0, 5.0, 6.0], [0.0, 1.0, 3.0, 3.0]])"
calls("P.IOU(%s)(a, b)", "'iou' 'iof'", (BOXES, OTHERS), gradient=False)
case("P.BoundingBoxEncode()(a, b)", (BOXES, OTHERS), gradient=False)
case("P.BoundingBoxEncode(means=(0.1, 0.2, 0.0, 0.0), stds=(2.0, 2.0, 1.0, 0.5))(a, b)", (BOXES, OTHERS), gradient=False)
case("P.BoundingBoxDecode((8, 8))(a, b)", (BOXES, "f32[2,4]u"), gradient=False)
case("P.BoundingBoxDecode(max_shape=(8, 8), means=(0.1, 0.0, 0.0, 0.0), stds=(2.0, 1.0, 1.0, 1.0), wh_ratio_clip=0.1)(a, b)", (BOXES, "f32[2,4]"), gradient=False)
case("P.CheckValid()(a, Tensor([8.0, 5.0, 1.0]))", "Tensor([[2.0, 1.0, 6.0, 5.0], [0.0, 0.0, 3.0, 4.0]], ms.float16)", BOXES, gradient=False)
case("P.NonMaxSuppressionV3()(a, Tensor([0.5, 0.9]), Tensor(2, ms.int32), Tensor(0.1), Tensor(0.0))", BOXES, gradient=False)
case("P.CropAndResize()(a, Tensor([[0.1, 0.2, 0.9, 0.8]]), Tensor([0], ms.int32), (2, 3))", "f32[1,4,4,2]", gradient=False)
case("P.CropAndResize('nearest', 0.5)(a, Tensor([[0.0, 0.0, 1.2, 1.0]]), Tensor([0], ms.int32), (3, 3))", "f32[1,4,4,2]", gradient=False)
case("P.CombinedNonMaxSuppression()(Tensor([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.1, 1.0, 1.1]]]]), Tensor([[[0.9, 0.3], [0.8, 0.6]]]), Tensor(2, ms.int32), Tensor(3, ms.int32),"
     " Tensor(0.5), Tensor(0.2))", gradient=False)

# -- sparse rows of optimizers ----------------------------------------------------------------------------------------
for _call, _count in (("P.SparseApplyAdagrad(0.1)(a, b, %s, %s)", 2), ("P.SparseApplyAdagradV2(0.1, 1e-6)(a, b, %s, %s)", 2),
                      ("P.SparseApplyAdagradV2(lr=0.1, epsilon=1e-6, update_slots=False)(a, b, %s, %s)", 2),
                      ("P.SparseApplyFtrl(0.1, 0.1, 0.1, -0.5)(a, b, c, %s, %s)", 3), ("P.SparseApplyFtrlV2(0.1, 0.1, 0.1, 0.1, -0.5)(a, b, c, %s, %s)", 3),
                      ("P.SparseApplyProximalAdagrad()(a, b, 0.1, 0.1, 0.1, %s, %s)", 2), ("P.FusedSparseProximalAdagrad()(a, b, Tensor(0.1), Tensor(0.1), Tensor(0.1), %s, %s)", 2),
                      ("P.FusedSparseFtrl(0.1, 0.1, 0.1, -0.5)(a, b, c, %s, %s)", 3),
                      ("P.FusedSparseAdam()(a, b, c, Tensor(0.9), Tensor(0.99), Tensor(0.1), Tensor(0.9), Tensor(0.99), Tensor(1e-8), %s, %s)", 3),
                      ("P.FusedSparseLazyAdam()(a, b, c, Tensor(0.9), Tensor(0.99), Tensor(0.1), Tensor(0.9), Tensor(0.99), Tensor(1e-8), %s, %s)", 3)):
    _given = "abc"[:_count]
    case("after(lambda %s: %s, %s)" % (", ".join(_given), _call % ("Tensor([[0.5, -2.0], [1.0, 0.5]])", I2), ", ".join("Parameter(%s)" % g for g in _given)),
         ("f32[3,2]+", "f32[3,2]+#1", "f32[3,2]+#2")[:_count], gradient=False)
case("after(lambda a, b: P.ApplyKerasMomentum(use_nesterov=True)(a, b, Tensor(0.1), Tensor([0.5, -2.0]), Tensor(0.9)), Parameter(a), Parameter(b))",
     ("f32[2]", "f32[2]#1"), gradient=False)

# -- sparse tensors ---------------------------------------------------------------------------------------------------
AT = "Tensor([[0, 1], [1, 2]], ms.int64)"
case("P.Coalesce()(Tensor([[0, 0, 1], [1, 1, 0]], ms.int64), a, Tensor([2, 2], ms.int64))", "f32[3]", gradient=False)
case("P.SparseTensorDenseMatmul()(%s, a, (3, 4), b)" % AT, ("f32[2]", "f32[4,2]"), gradient=False)
case("P.SparseTensorDenseMatmul(adjoint_st=True)(%s, a, (3, 4), b)" % AT, ("f32[2]", "f32[3,2]"), gradient=False)

# -- draws: kinds of results ------------------------------------------------------------------------------------------
calls("kind(P.%s)", "UniformInt(seed=1)((2,3),Tensor(1,ms.int32),Tensor(5,ms.int32)) StandardLaplace(seed=1)((2,3)) Gamma(seed=1)((2,),Tensor(1.0),Tensor(2.0))"
      " Poisson(seed=1)((2,),Tensor([1.0,2.0])) Multinomial(seed=1)(Tensor([[0.1,0.9]]),2) RandomShuffle(seed=1)(Tensor([1.0,2.0])) Randperm(4)(Tensor([4],ms.int32))")

# -- operands by name -------------------------------------------------------------------------------------------------
calls("P.%s()(input=a)", "Abs Cos Sigmoid Square Neg", "f32[2,3]")
calls("P.%s()(input=a, other=b)", "Add Mul Maximum Less Equal", ("f32[2,3]", "f32[3]"))
case("P.Pow()(input=a, exponent=b)", ("f32[3]+", "f32[3]"))
case("P.Select()(condition=a, input=b, other=c)", ("b[3]", "f32[3]", "f32[3]#1"))
case("P.MatMul(transpose_b=True)(input=a, mat2=b)", ("f32[2,3]", "f32[4,3]"))
case("P.Cast()(input_x=a, dtype=ms.int32)", "f32[3]", gradient=False)
case("P.Reshape()(input=a, shape=(3, 2))", "f32[2,3]")
case("P.Transpose()(input=a, dims=(1, 0))", "f32[2,3]")
case("P.StridedSlice()(input_x=a, begin=(0, 1), end=(2, 3), strides=(1, 1))", "f32[2,3]")
case("P.LayerNorm()(input_x=a, gamma=b, beta=c)[0]", ("f32[2,3]", "f32[3]+", "f32[3]"), gradient=False)
case("P.UnsortedSegmentSum()(input_x=a, segment_ids=Tensor([0, 1], ms.int32), num_segments=2)", "f32[2,3]")
case("P.Round()(input=a, decimals=1)", "f32[2,3]", gradient=False)
case("P.ScalarToTensor()(x=2, dtype=ms.int32)")
calls("P.ScaleAndTranslate('%s')(a, Tensor([4, 3], ms.int32), Tensor([1.3, 0.6], ms.float32), Tensor([0.2, -0.3], ms.float32))",
      "lanczos1 lanczos3 gaussian box triangle keyscubic mitchellcubic sinc", "f32[1,3,4,2]", "i32[2,3,4,1]")
calls("P.ExtractGlimpse(%s, uniform_noise=False, noise='zero')(a, Tensor([2, 3], ms.int32), b)", "True,True False,False True,False False,True",
      ("f32[2,3,4,1]", "f32[2,2]"), ("f32[1,3,4,2]", "f32[1,2]"), ("f32[3,4,1]", "f32[1,2]"))
# -- attributes and operands in other forms ----------------------------------------------------------------------------
case("P.SplitV([1, -1, 2], 1, 3)(a)", "i32[2,6]", gradient=False)
case("P.MatrixSolveLs()(a, b, Tensor(0.25, ms.float64))", ("f32[4,3]", "f32[4,2]"), gradient=False)
case("P.FractionalAvgPool([1.0, 1.5, 1.5, 1.0])(a)[0] * 0", "i64[1,6,6,2]", "f32[1,6,6,2]", gradient=False)
case("a.to('CPU', dtype=ms.float16)", "f32[3]", gradient=False)
case("a.to(device='CPU')", "f32[3]", gradient=False)
case("a.set_const_arg()", "f32[3]", gradient=False)
case("tuple(ms.get_current_device())[0] + ms.get_current_device().device_target")
case("ms.numpy.copysign(a, b)", ("i32[3]", "i32[3]#1"), ("i32[3]", "f32[3]#1"), ("f32[3]", "i32[3]#1"), gradient=False)
case("[ms.train.CheckpointConfig().crc_check, ms.train.CheckpointConfig().enc_key, ms.train.CheckpointConfig().format, ms.train.CheckpointConfig().map_param_inc]")
case("(lambda stat: [P.SGD()(ms.Parameter(a, name='v'), b, Tensor(0.1), ms.Parameter(a * 0.5, name='m'), Tensor(0.9), stat), stat])(ms.Parameter(c, name='s'))",
     ("f32[4]", "f32[4]#1", "f32[4]#2"), gradient=False)
