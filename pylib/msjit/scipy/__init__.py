"""mindspore.scipy: linear algebra, cosine transforms and minimisation."""
from . import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]
