"""Vocab, vectors of words and functions of texts under the module path where programs look for them."""
from .transforms import NormalizeForm, to_bytes, to_str  # noqa: F401
from .vectors import CharNGram, FastText, GloVe, Vectors  # noqa: F401
from .vocab import Vocab  # noqa: F401
