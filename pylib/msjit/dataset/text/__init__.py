"""Transforms of texts; mindspore.dataset.text's names."""
from ... import _paths
from ...absent import names as _absent_names
from .tokenizers import (
    BasicTokenizer, BertTokenizer, PythonTokenizer, RegexTokenizer, UnicodeCharTokenizer, WhitespaceTokenizer,
    WordpieceTokenizer,
)
from .transforms import (
    AddToken, CaseFold, Lookup, Ngram, NormalizeForm, NormalizeUTF8, RegexReplace, SlidingWindow, ToNumber, Truncate,
    TruncateSequencePair, to_bytes, to_str,
)
from .vectors import CharNGram, FastText, GloVe, ToVectors, Vectors
from .vocab import Vocab

globals().update(_absent_names(__name__, """FilterWikipediaXML JiebaMode JiebaTokenizer SPieceTokenizerLoadType
    SPieceTokenizerOutType SentencePieceModel SentencePieceTokenizer SentencePieceVocab UnicodeScriptTokenizer""",
                         "PythonTokenizer takes a function of the program's own"))


_paths.reach(__name__)
