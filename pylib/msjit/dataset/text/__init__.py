"""Transforms of texts; mindspore.dataset.text's names."""
from .transforms import (
    AddToken, BasicTokenizer, BertTokenizer, CaseFold, Lookup, Ngram, NormalizeForm, NormalizeUTF8, PythonTokenizer,
    RegexReplace, RegexTokenizer, SlidingWindow, ToNumber, Truncate, TruncateSequencePair, UnicodeCharTokenizer,
    WhitespaceTokenizer, WordpieceTokenizer, to_bytes, to_str,
)
from .vocab import Vocab
