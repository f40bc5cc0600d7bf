"""Functions under NumPy's names, built on those of ops. Operands may be numbers and sequences. msjit.numpy collects them."""
from . import applied, elementwise, fft, grids, histograms, named, padding, polynomials, shapes, signals, sums
from .applied import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .grids import *  # noqa: F403
from .histograms import *  # noqa: F403
from .named import *  # noqa: F403
from .padding import *  # noqa: F403
from .polynomials import *  # noqa: F403
from .shapes import *  # noqa: F403
from .signals import *  # noqa: F403
from .sums import *  # noqa: F403

__all__ = (elementwise.__all__ + shapes.__all__ + sums.__all__ + applied.__all__ + grids.__all__ + histograms.__all__ + named.__all__
           + padding.__all__ + polynomials.__all__ + signals.__all__)
