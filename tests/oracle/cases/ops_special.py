"""Special functions, windows of signals, diagonals and factors of matrices, counting."""
from samples import calls, case

BESSEL = "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1"
calls("ops.%s(a)", BESSEL, "f32[2,3]", "f64[3]", "f32[4]+", "f32[]", "i32[3]", "2.5", "Tensor([0.0, 9.0, 25.0, 100.0, -30.0])", "Tensor([inf, -inf, nan])")
calls("ops.%s(a)", "bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1", "f32[4]+", "f64[3]+", "f32[]+", "i32[3]",
      "Tensor([9.0, 25.0, 80.0])")
calls("ops.%s(Tensor([0.0]))", "bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0")
calls("ops.%s(a, b)", "igamma igammac", ("f32[2,3]+", "f32[2,3]+#1"), ("f32[2,1]+", "f32[3]+"),
      ("f32[3]", "f32[3]#1"), ("i32[3]", "i32[3]"), ("2.0", "f32[3]"), ("f32[3]+", "f64[3]+"),
      ("Tensor([1.0, 5.0, 50.0, 0.5])", "Tensor([100.0, 5.0, 40.0, 0.0])"))
case("P.Betainc()(a, b, c)", ("f32[3]+", "f32[3]+#1", "f32[3]u"), ("f64[3]+", "f64[3]+#1", "f64[3]u"), ("f32[3]", "f32[3]", "f32[3]"),
     gradient=False)
case("ms.grad(lambda x: P.Betainc()(a, b, x).sum())(c)", ("f32[3]+", "f32[3]+#1", "f32[3]u"), gradient=False)
calls("ops.%s(a)", "hann_window hamming_window kaiser_window", "5", "1", "0", "-1", "2.5", "8")
calls("ops.%s(6, False)", "hann_window hamming_window kaiser_window")
calls("ops.%s(5, dtype=ms.float32)", "hann_window hamming_window kaiser_window")
calls("ops.%s(5, dtype=ms.int32)", "hann_window hamming_window kaiser_window")
case("ops.kaiser_window(5, True, 3.0)")
case("ops.hamming_window(5, alpha=0.5, beta=0.5)")
calls("ops.%s(a)", "bartlett_window blackman_window", "Tensor(5)", "Tensor(1)", "5", "Tensor(6, ms.int32)", "Tensor(2.5)")
calls("ops.%s(Tensor(6), False, dtype=ms.float64)", "bartlett_window blackman_window")
case("ops.logspace(a, b, 5)", ("f32[]", "f32[]#1"), ("Tensor([1.0])", "Tensor([3.0])"), ("1", "3"), gradient=False)
case("ops.logspace(Tensor(0.0), Tensor(3.0), 4, 2)")
case("ops.logspace(Tensor(0.0), Tensor(3.0), 1, dtype=ms.float64)", gradient=False)
case("ops.matrix_diag(a)", "f32[3]", "f32[2,3]", "i32[2,2]")
case("ops.matrix_diag(a, Tensor(b, ms.int32))", ("f32[2,3]", "1"), ("f32[2,3]", "-2"), ("f32[3,2]", "[-1, 1]"), ("f32[2,2,3]", "[0, 1]"))
case("ops.matrix_diag(a, Tensor([-1, 1], ms.int32), Tensor(3, ms.int32), Tensor(3, ms.int32), Tensor(9.0), b)",
     *[("f32[3,3]", repr(align)) for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT", "x")])
case("ops.matrix_diag_part(a, Tensor(b, ms.int32), Tensor(9.0))", ("f32[3,4]", "0"), ("f32[2,4,3]", "1"), ("f32[3,4]", "[-1, 2]"),
     ("f32[4,3]", "[-2, 1]"), ("f32[3,3]", "[5, 6]"))
case("ops.matrix_diag_part(a, Tensor([-1, 2], ms.int32), Tensor(9.0), align=b)",
     *[("f32[3,4]", repr(align)) for align in ("LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")])
case("ops.matrix_set_diag(a, b)", ("f32[3,4]", "f32[3]"), ("f32[2,3,3]", "f32[2,3]"), ("f32[3,4]", "f32[2]"))
case("ops.matrix_set_diag(a, b, Tensor([-1, 0], ms.int32))", ("f32[3,3]", "f32[2,3]"))
case("ops.cond(a)", "f32[3,3]", "f64[3,2]", "f32[2,3,3]")
case("ops.cond(a, b)", *[("f64[3,3]", p) for p in ("1", "-1", "2", "-2", "inf", "'fro'", "'nuc'")])
case("ops.geqrf(a)", "f32[3,2]", "f64[2,3]", "f64[2,4,2]", "f32[3]", gradient=False)
case("ops.orgqr(*ops.geqrf(a))", "f32[3,2]", "f64[2,4,2]", gradient=False)
case("ops.orgqr(a, b)", ("f32[4,2]", "f32[2]"), ("f32[2,3]", "f32[2]"))
case("ops.lu_unpack(a, b)", ("f32[3,3]", "Tensor([2, 3, 3], ms.int32)"), ("f64[2,2,2]", "Tensor([[2, 2], [1, 2]], ms.int32)"),
     ("f32[2,3]", "Tensor([2, 2], ms.int32)"), ("f32[3,2]", "Tensor([3, 2], ms.int32)"))
case("ops.lu_solve(a, b, c)", ("f32[2,1]", "f32[2,2]+", "Tensor([2, 2], ms.int32)"), ("f32[3,2]", "f32[3,3]+", "Tensor([3, 2, 3], ms.int32)"),
     gradient=False)
case("ops.population_count(a)", "i16[2,3]", "Tensor([0, 255, -1, -32768], ms.int16)")
case("ops.nextafter(a, b)", ("f32[3]", "f32[3]#1"), ("f64[3]", "f64[3]#1"), ("f32[3]", "f64[3]"), gradient=False)
case("ops.coalesce(Tensor([[0, 0, 1], [1, 1, 2]]), a, Tensor([3, 3]))", "f32[3]", gradient=False)
case("ops.bounding_box_encode(a, b)", ("Tensor([[2.0, 2, 4, 5]])", "Tensor([[1.0, 2, 3, 4]])"), ("f32[2,3]", "f32[2,3]"), gradient=False)
case("ops.bounding_box_encode(a, b, (0.1, 0.2, 0.3, 0.4), (0.5, 1.0, 2.0, 3.0))", ("Tensor([[2.0, 2, 4, 5]])", "Tensor([[1.0, 2, 3, 4]])"),
     gradient=False)
case("ops.bounding_box_decode(a, b, (10, 12))", ("Tensor([[4.0, 1, 6, 3]])", "f32[1,4]"), ("Tensor([[4.0, 1, 6, 3]])", "Tensor([[9.0, 9, 9, -9]])"),
     gradient=False)
case("ops.check_valid(a, Tensor([8.0, 9.0, 1.0]))", "Tensor([[0.0, 0, 7, 7], [0, 0, 9, 7], [-1, 0, 2, 2]])", gradient=False)
calls("kind(ops.%s)", "choice_with_mask(Tensor([True,False,True]),3) choice_with_mask(Tensor([[True,False]]),1)"
      " multinomial_with_replacement(Tensor([[1.0,2.0]]),2,5,3,True) uniform_candidate_sampler(Tensor([[1],[3]]),1,3,False,4)"
      " log_uniform_candidate_sampler(Tensor([[1,7],[0,4]]),2,5,True,8)")
calls("ops.%s", "scalar_add(1,2) scalar_sub(1,2) scalar_mul(2,3) scalar_div(1,2) scalar_floordiv(7,2) scalar_mod(7,3) scalar_pow(2,3)"
      " scalar_lt(1,2) scalar_le(2,2) scalar_gt(1,2) scalar_ge(1,2) scalar_eq(1,1) scalar_uadd(2) scalar_usub(2)"
      " scalar_log(2.0) scalar_div(1,0) scalar_add(1,Tensor(2)) tuple_getitem((1,2),0) tuple_setitem((1,2),0,5) tuple_len((1,2))"
      " tuple_reversed((1,2)) list_getitem([1,2],1) list_setitem([1,2],0,5) list_len([1]) dict_getitem({'a':1},'a')"
      " make_list(1,2) make_slice(1,2,3) in_dict('a',{'a':1}) not_in_dict('a',{'a':1}) is_(None,None) is_not(None,1)"
      " make_range(1,4) shape_mul((2,3)) reduced_shape((2,3),(1,)) broadcast_gradient_args((2,3),(3,))"
      " broadcast_gradient_args((2,1,3),(4,1)) tensor_range(0,4,1) isconstant(3) is_sequence_shape_unknown((1,2))"
      " tuple_div((4,6),(2,3)) tuple_div((1,2),(3,4)) tuple_equal((1,2),(1,2)) list_equal([1],[1])")
