"""Special functions: mindspore.mint.special."""
from ..ops import erfc, exp2, expm1, log1p, round, sinc  # noqa: F401
from .functional_variants import log_softmax  # noqa: F401


__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
