"""Settings of operators of GPUs: taken, so that a program for them runs here too, and forgotten."""
from .._elsewhere import setting

conv_allow_tf32, matmul_allow_tf32 = [setting(__name__, name) for name in ("conv_allow_tf32", "matmul_allow_tf32")]
__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]
