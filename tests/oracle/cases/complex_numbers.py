"""Complex and wide unsigned numbers, Fourier transforms."""
from samples import calls, case

_ONE = ("c64[2,3]", "c128[3]")
calls("ops.%s(a)", "neg abs square sqrt rsqrt exp log log1p expm1 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh "
      "reciprocal sign sigmoid log2 log10 exp2 real imag conj angle view_as_real is_complex isreal sum mean prod any all "
      "zeros_like ones_like logical_not", *_ONE)
calls("ops.%s(a)", "real imag conj is_complex isreal", "f32[2,3]", "i32[3]", "u16[3]")
calls("ops.%s(a, b)", "add sub mul div equal not_equal", ("c64[2,3]", "c64[3]#1"), ("c128[2,3]", "c128[2,3]#1"))
calls("ops.%s(a, b)", "add sub equal", ("c64[3]", "f32[3]"), ("c64[3]", "f64[3]"), ("c64[3]", "i64[3]"), ("c64[3]", "u16[3]"))
case("ops.pow(a, b)", ("c64[3]", "c64[3]#1"))
calls("ops.%s(a, b)", "matmul mm", ("c64[2,3]", "c64[3,4]#1"), ("c128[2,3]", "c128[3,2]#1"))
calls("ops.%s(a, b)", "polar", ("f32[3]+", "f32[3]#1"), ("f64[2,3]+", "f64[3]#1"), ("i32[3]", "i32[3]"))
calls("ops.%s()(a, b)", "Complex", ("f32[3]", "f32[3]#1"), ("f64[3]", "f64[3]#1"), ("f32[3]", "f64[3]"))
calls("ops.%s()(a)", "Real Imag Conj Angle ComplexAbs", "c64[3]", "c128[2,2]")
calls("a.%s()", "conj real imag angle is_complex is_signed is_floating_point tolist", *_ONE)
calls("ops.cumsum(a, %s)", "0 1", "c64[2,3]", "u16[2,3]")
calls("repr(a) if %s else str(a)", "True False", *_ONE)
calls("a.astype(ms.%s)", "float32 int32 bool_ complex64 complex128", "c64[3]", "c128[3]", "u32[3]")
calls("ops.%s(a)", "neg square sum mean prod any all argmax zeros_like relu isnan isfinite trunc bitwise_not", "u16[3]", "u64[2,3]")
calls("ops.%s(a, b)", "add mul equal less greater_equal bitwise_and bitwise_or bitwise_xor floor_div fmod",
      ("u16[3]+", "u16[3]+#1"), ("u64[3]+", "u64[3]+#1"), ("u16[3]", "i32[3]"))
calls("ops.%s(a)", "fft ifft hfft irfft fft2 ifft2 irfft2 fftn ifftn irfftn hfft2 hfftn", "c64[3,4]", "c128[4,5]", "f32[3,4]")
calls("ops.%s(a)", "rfft ihfft rfft2 rfftn ihfft2 ihfftn fftshift ifftshift", "f32[3,4]", "f64[4,5]", "i32[2,3]")
calls("ops.%s(a, 6, 0, 'ortho')", "fft ifft rfft irfft hfft ihfft", "f32[3,4]")
calls("ops.%s(a, (2, 5), norm='forward')", "fft2 ifft2 rfft2 irfft2 fftn rfftn hfft2 ihfftn", "f32[3,4]")
for _text in ("0", "dim=5", "norm='x'", "2.0"):
    case("ops.fft(a, %s)" % _text, "f32[3]")
calls("ops.%s(7)", "fftfreq rfftfreq")
for _text in ("2, center=False", "normalized=True", "1, pad_mode='CONSTANT', return_complex=True"):
    case("ops.stft(a, 4, %s)" % _text, "f32[16]", "f64[2,12]")
calls("ops.%s(a)", "inverse det slogdet", "c64[2,2]", "c128[2,3,3]")
case("ops.svd(a, compute_uv=False)", "c64[3,2]", "c128[2,2]")
case("ops.matrix_solve(a, b)", ("c64[2,2]", "c64[2,3]#1"))
