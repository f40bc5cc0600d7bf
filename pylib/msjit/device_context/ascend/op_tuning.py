"""Settings of operators of NPUs: taken, so that a program for them runs here too, and forgotten."""
from .._elsewhere import setting

aclnn_cache, aoe_job_type, aoe_tune_mode, op_compile = [setting(__name__, name) for name in ("aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile")]
__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]
