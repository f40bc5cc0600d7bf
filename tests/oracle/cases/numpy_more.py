"""mindspore.numpy: windows, convolution, histograms, polynomials, grids and functions that call functions."""
from samples import calls, case

calls("mnp.%s(a)", "bartlett blackman hamming hanning", "5", "1", "0", "4.0")
calls("mnp.%s(a, b)", "convolve correlate", ("f32[5]", "f32[3]"), ("i32[4]", "i32[3]"), ("f32[2]", "f32[4]"), ("[1.0, 2]", "[3.0]"), gradient=False)
calls("mnp.%s(a, b, mode='same')", "convolve correlate", ("f32[5]", "f32[3]"), ("f32[4]", "f32[2]"), ("f32[2]", "f32[3]"), gradient=False)
calls("mnp.%s(a, b, mode='full')", "convolve correlate", ("f32[5]", "f32[3]"), ("f32[2]", "f32[3]"), gradient=False)
case("mnp.convolve(a, b, mode='x')", ("f32[5]", "f32[3]"))
case("mnp.histogram(a, 4)", "f32[7]", "i32[6]", "f32[2,3]", gradient=False)
case("mnp.histogram(a, 4, (-1, 1))", "f32[7]", gradient=False)
case("mnp.histogram(a, Tensor([-1.0, 0.0, 2.0]))", "f32[7]", gradient=False)
case("mnp.histogram(a, 4, weights=b)", ("f32[5]", "f32[5]#1"), gradient=False)
case("mnp.histogram(a, 4, density=True)", "f32[7]", gradient=False)
case("mnp.histogram(a, b)", ("f32[5]", "'auto'"), ("f32[5]", "2.5"), gradient=False)
case("mnp.histogram_bin_edges(a, 5)", "f32[7]", "i32[6]", "Tensor([2.0, 2.0])", gradient=False)
case("mnp.histogram2d(a, b, 3)", ("f32[6]", "f32[6]#1"), gradient=False)
case("mnp.histogramdd(a, 3)", "f32[6,2]", gradient=False)
case("mnp.histogramdd(a, (2, 3))", "f32[6,2]", gradient=False)
calls("mnp.%s(a, b)", "polyadd polysub", ("f32[3]", "f32[2]"), ("i32[2]", "i32[4]"), ("[1, 2]", "[3.0]"))
case("mnp.polymul(a, b)", ("f32[3]", "f32[2]"), ("i32[2]", "i32[4]"), ("[1, 2]", "[3.0]"), gradient=False)
case("mnp.polyder(a)", "f32[4]", "i32[4]", "f32[1]")
case("mnp.polyder(a, 2)", "f32[4]", "[1, 2, 3, 4]")
case("mnp.polyint(a)", "f32[3]", "i32[3]")
case("mnp.polyint(a, 2, [3, 4])", "f32[3]")
case("mnp.interp(a, Tensor([-1.0, 0.0, 1.5]), b)", ("f32[6]", "f32[3]"), ("f32[2,3]", "f32[3]"), ("f32[]", "f32[3]"), gradient=False)
case("mnp.interp(a, [1, 2, 3], [3, 2, 0], left=-9, right=9)", "f32[6]", gradient=False)
case("mnp.unwrap(a * 4)", "f32[7]", "f32[2,5]")
case("mnp.unwrap(a * 4, axis=0)", "f32[3,5]")
case("mnp.gradient(a)", "f32[5]", "f32[3,4]", "i32[4]", gradient=False)
case("mnp.gradient(a, 2)", "f32[5]", gradient=False)
case("mnp.gradient(a, axis=0)", "f32[3,4]", gradient=False)
case("mnp.ediff1d(a)", "f32[5]", "i32[2,3]", gradient=False)
case("mnp.ediff1d(a, to_end=b, to_begin=b)", ("f32[5]", "f32[2]"), gradient=False)
calls("mnp.geomspace(%s)", "1,256,9 1,1000,4 2,32,4,False 1,10,0", gradient=False)
case("mnp.corrcoef(a)", "f32[3,5]", gradient=False)
case("mnp.corrcoef(a, b)", ("f32[5]", "f32[5]#1"), gradient=False)
calls("mnp.%s(a)", "nancumsum nanstd nanvar", "f32[2,3]", "Tensor([[1.0, nan], [3.0, 5.0]])")
calls("mnp.%s(a, axis=0)", "nancumsum nanstd nanvar", "f32[2,3]", "Tensor([[1.0, nan], [3.0, 5.0]])")
calls("mnp.%s", "indices((2,3)) indices((2,3),sparse=True) ix_(Tensor([0,1]),Tensor([2,4])) mgrid[0:3,0:2] mgrid[0:1:3j] mgrid[0:1:0.5]"
      " mgrid[2:5] ogrid[0:3,0:2] ogrid[0:3] mgrid[0:2,0:1:2j] diag_indices(3) diag_indices(2,3) tril_indices_from(Tensor([[1,2],[3,4]]))"
      " triu_indices_from(Tensor([[1,2],[3,4]]),1) unravel_index([22,41,37],(7,6)) unravel_index(5,(2,3),order='F')"
      " unravel_index(-1,(2,3)) ravel_multi_index(Tensor([[3,6,6],[4,5,1]]),(7,6)) ravel_multi_index((3,1),(7,6))"
      " ravel_multi_index((9,-1),(7,6),'wrap') array_equiv([1,2],[[1,2],[1,2]]) array_equiv([1,2],[1,3]) array_equiv([1,2],[1,2,3])"
      " array_str(Tensor([1,2])) array_str([1,2]) asfarray([1,2]) asfarray([1,2],ms.float64) asfarray([1,2],ms.int32)"
      " intersect1d([1,3,4,3],[3,1,2,1]) intersect1d([1,3,4,3],[3,1,2,1],return_indices=True) setdiff1d([1,2,3,2,4,1],[3,4,5,6])"
      " promote_types(ms.float32,ms.float64) promote_types(ms.int8,ms.float16) result_type(1,2.0) result_type(ms.int8,3)")
case("mnp.apply_along_axis(lambda x: x * 2, 1, a)", "f32[2,3]", "i32[2,3]", gradient=False)
case("mnp.apply_along_axis(lambda x: x[0] + x[-1], 0, a)", "f32[2,3]", "f32[2,3,4]", gradient=False)
case("mnp.apply_along_axis(lambda x: ops.stack([x, x + 1]), 1, a)", "f32[2,3]", gradient=False)
case("mnp.apply_over_axes(mnp.sum, a, [0, 2])", "f32[2,3,4]", gradient=False)
case("mnp.piecewise(a, [a < 0], [-1])", "f32[6]", gradient=False)
case("mnp.choose(a, [[0, 1, 2], [10, 11, 12]])", "[0, 1, 0]", "[1, 5, -1]")
case("mnp.choose(a, [[0, 1, 2], [10, 11, 12]], mode='wrap')", "[0, 3, -1]")
