"""Functions under second names, shifted convolution, fractional pooling, greedy decoding."""
from samples import calls, case

calls("ops.%s(a)", "angle deepcopy dyn_shape soft_shrink tensor_exp tensor_expm1 shape_", "f32[2,3]", "i32[3]", gradient=False)
case("ops.accumulate_n([a, b])", ("f32[3]", "f32[3]#1"))
case("ops.mirror_pad(a, Tensor([[1, 1], [0, 1]]), b)", ("f32[2,3]", "'REFLECT'"), ("f32[2,3]", "'SYMMETRIC'"), ("f32[2,3]", "'x'"))
case("ops.intopk(a, b, 2)", ("f32[4,3]", "i32[4]<3"))
case("ops.bidense(a, b, c)", ("f32[2,3]", "f32[2,4]", "f32[5,3,4]"))
case("ops.sparse_segment_mean(a, b, Tensor([0, 0, 1], ms.int32))", ("f32[4,2]", "i32[3]<4"), gradient=False)
case("ops.deformable_conv2d(a, b, c, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0))", ("f32[1,2,4,4]", "f32[3,2,2,2]", "f32[1,12,3,3]"), gradient=False)
case("ops.deformable_conv2d(a, b, c, (2, 3), (1, 1, 2, 1), (1, 1, 1, 1), bias=Tensor([1.0]), deformable_groups=2)",
     ("f32[2,2,4,4]", "f32[1,2,2,3]", "f32[2,36,3,4]"), gradient=False)
case("ops.fractional_max_pool2d(a, 2, output_size=(2, 3), return_indices=True, _random_samples=Tensor([[[0.3, 0.7]]]))", "f32[1,1,5,6]", gradient=False)
case("ops.fractional_max_pool3d(a, (2, 1, 2), output_size=(2, 2, 2), return_indices=True, _random_samples=Tensor([[[0.3, 0.7, 0.1]]]))", "f32[1,1,4,5,4]",
     gradient=False)
case("ops.ctc_greedy_decoder(a, Tensor([4, 3], ms.int32))", "f32[4,2,3]", gradient=False)
case("ops.ctc_greedy_decoder(a, Tensor([4, 3], ms.int32), False)", "f32[4,2,3]", gradient=False)
case("after(lambda x: ops.inplace_index_add(x, Tensor([0, 2], ms.int32), b, 0), a)", ("f32[3,2]p", "f32[2,2]"), gradient=False)
# -- keywords ----------------------------------------------------------------------------------------------------------
case("ops.min(a, 1, True, initial=0.5)", "f32[2,3]", gradient=False)
case("ops.subtract(a, b, alpha=2)", ("f32[3]", "f32[3]#1"))
case("ops.true_divide(dividend=a, divisor=b)", ("f32[3]", "f32[3]+"))
case("ops.row_stack(tensors=(a, b))", ("f32[3]", "f32[3]#1"))
case("ops.mixed_precision_cast(dst_dtype=ms.float16, x=a)", "f32[3]", gradient=False)
case("ms.grad(lambda x: x * x, 0, None, False, False, True)(a, b)", ("f32[3]", "f32[3]#1"), gradient=False)
case("ms.value_and_grad(lambda x: x * x, sens_param=True)(a, b)", ("f32[3]", "f32[3]#1"), gradient=False)
