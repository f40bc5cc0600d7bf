"""mindspore.scipy: linear algebra and minimisation, on the operators of msjit."""
from . import linalg, optimize

__all__ = ["linalg", "optimize"]
