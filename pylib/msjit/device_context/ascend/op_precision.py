"""Settings of operators of NPUs: taken, so that a program for them runs here too, and forgotten."""
from .._elsewhere import setting

conv_allow_hf32, matmul_allow_hf32, op_precision_mode, precision_mode = [setting(__name__, name) for name in ("conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode")]
__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]
