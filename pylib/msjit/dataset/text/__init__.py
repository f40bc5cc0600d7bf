"""Transforms of texts; mindspore.dataset.text's names."""
from .tokenizers import (
    BasicTokenizer, BertTokenizer, PythonTokenizer, RegexTokenizer, UnicodeCharTokenizer, WhitespaceTokenizer,
    WordpieceTokenizer,
)
from .transforms import (
    AddToken, CaseFold, Lookup, Ngram, NormalizeForm, NormalizeUTF8, RegexReplace, SlidingWindow, ToNumber, Truncate,
    TruncateSequencePair, to_bytes, to_str,
)
from .vocab import Vocab
