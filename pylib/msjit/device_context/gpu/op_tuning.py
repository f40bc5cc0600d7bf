"""Settings of operators of GPUs: taken, so that a program for them runs here too, and forgotten."""
from .._elsewhere import setting

conv_dgrad_algo, conv_fprop_algo, conv_wgrad_algo = [setting(__name__, name) for name in ("conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo")]
__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]
