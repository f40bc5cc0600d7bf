"""mindspore.scipy: linear algebra and minimisation, on the operators of msjit."""
from . import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]
