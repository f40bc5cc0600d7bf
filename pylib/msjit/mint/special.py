"""msjit.mint.special"""
from ..ops import erfc, exp2, expm1, log1p, log_softmax, round, sinc  # noqa: F401
