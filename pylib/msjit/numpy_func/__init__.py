"""Functions under NumPy's names, made of those of ops; operands may be numbers and sequences. Bound by msjit.numpy."""
from . import elementwise, shapes, sums
from .elementwise import *  # noqa: F403
from .shapes import *  # noqa: F403
from .sums import *  # noqa: F403

__all__ = elementwise.__all__ + shapes.__all__ + sums.__all__
