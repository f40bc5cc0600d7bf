"""Transforms of texts: tokenizers, Lookup, Ngram, ... Texts are arrays of Python's characters."""
import re
import unicodedata
from enum import IntEnum

import numpy as np

from ...common import dtype as mstype
from ..vision.base import integer
from ..vision.values import numpy_type
from .vocab import Vocab


class NormalizeForm(IntEnum):
    """Unicode's normal forms."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


def _array(value):
    return value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)


class _Texts:
    """A transform of one column of texts."""

    implementation = None

    def __call__(self, text):
        value = _array(text)
        if value.dtype.kind == "S":
            value = np.char.decode(value, "utf-8")
        if value.dtype.kind != "U":
            raise RuntimeError("[%s] dtype, got %s, expected texts" % (type(self).__name__, value.dtype))
        return self._apply(value)


class _EachText(_Texts):
    """The same function of each text."""

    def _apply(self, value):
        return np.array([self._one(t) for t in value.reshape(-1).tolist()], np.str_).reshape(value.shape)


class _Tokenizer(_Texts):
    """Splits one text; with_offsets also gives where each token begins and ends, in bytes of UTF-8."""

    def __init__(self, with_offsets=False):
        if not isinstance(with_offsets, bool):
            raise TypeError("[%s] with_offsets, got %s, expected a bool"
                            % (type(self).__name__, type(with_offsets).__name__))
        self.with_offsets = with_offsets

    def _apply(self, value):
        if value.ndim:
            raise RuntimeError("[%s] rank, got %d, expected one text" % (type(self).__name__, value.ndim))
        text = value.item()
        spans = self._spans(text) or [(0, 0)]
        tokens = np.array([text[a:b] for a, b in spans], np.str_)
        if not self.with_offsets:
            return tokens
        return (tokens,) + tuple(np.array([len(text[:span[i]].encode()) for span in spans], np.uint32) for i in (0, 1))


class WhitespaceTokenizer(_Tokenizer):
    """Split at white space."""

    def _spans(self, text):
        return [m.span() for m in re.finditer(r"\S+", text)]


class UnicodeCharTokenizer(_Tokenizer):
    """A token for each character."""

    def _spans(self, text):
        return [(i, i + 1) for i in range(len(text))]


class RegexTokenizer(_Tokenizer):
    """Split at matches of a pattern; those that match keep_delim_pattern stay as tokens."""

    def __init__(self, delim_pattern, keep_delim_pattern="", with_offsets=False):
        super().__init__(with_offsets)
        self.delim, self.keep = _pattern(delim_pattern, "RegexTokenizer"), keep_delim_pattern
        self.keeps = re.compile(keep_delim_pattern) if keep_delim_pattern else None

    def _spans(self, text):
        at, found = 0, []
        for match in self.delim.finditer(text):
            if match.start() == match.end():
                continue
            if match.start() > at:
                found.append((at, match.start()))
            if self.keeps is not None and self.keeps.fullmatch(match.group()):
                found.append(match.span())
            at = match.end()
        return found + ([(at, len(text))] if at < len(text) else [])


def _pattern(text, where):
    if not isinstance(text, str):
        raise TypeError("[%s] pattern, got %s, expected a str" % (where, type(text).__name__))
    try:
        return re.compile(text)
    except re.error as error:
        raise RuntimeError("[%s] pattern, got %r (%s), expected a regular expression" % (where, text, error)) from None


_UNUSED = re.compile(r"\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\]")


def _is_punctuation(char):
    code = ord(char)
    return (33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
            or unicodedata.category(char).startswith("P"))


def _is_chinese(char):
    code = ord(char)
    return any(a <= code <= b for a, b in (
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
        (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))


class BasicTokenizer(_Texts):
    """BERT's first step: clean, lower, split at white space, punctuation and around Chinese characters."""

    def __init__(self, lower_case=False, keep_whitespace=False, normalization_form=NormalizeForm.NONE,
                 preserve_unused_token=True, with_offsets=False):
        if with_offsets:
            raise NotImplementedError("[%s] with_offsets, got True, expected False" % type(self).__name__)
        self.lower, self.keep_whitespace = lower_case, keep_whitespace
        self.form, self.preserve = NormalizeForm(normalization_form), preserve_unused_token

    def _apply(self, value):
        if value.ndim:
            raise RuntimeError("[%s] rank, got %d, expected one text" % (type(self).__name__, value.ndim))
        return np.array(self._tokens(value.item()) or [""], np.str_)

    def _tokens(self, text):
        found, at = [], 0
        for match in _UNUSED.finditer(text) if self.preserve else ():
            found += self._split(text[at:match.start()]) + [match.group()]
            at = match.end()
        return found + self._split(text[at:])

    def _split(self, text):
        if self.lower:
            text = "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if unicodedata.category(c) != "Mn")
        elif self.form != NormalizeForm.NONE:
            text = unicodedata.normalize(self.form.name, text)
        tokens, word = [], ""
        for char in text:
            control = unicodedata.category(char) in ("Cc", "Cf") and char not in "\t\n\r"
            if char.isspace() or control or _is_punctuation(char) or _is_chinese(char):
                tokens, word = tokens + ([word] if word else []), ""
                if not control and (not char.isspace() or self.keep_whitespace):
                    tokens.append(char)
            else:
                word += char
        return tokens + ([word] if word else [])


class WordpieceTokenizer(_Texts):
    """Each token as the longest pieces of the vocabulary, from its beginning on."""

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]",
                 with_offsets=False):
        if with_offsets:
            raise NotImplementedError("[WordpieceTokenizer] with_offsets, got True, expected False")
        self.vocab, self.suffix = _vocab(vocab, "WordpieceTokenizer").vocab(), suffix_indicator
        self.longest = integer(max_bytes_per_token, "max_bytes_per_token", "WordpieceTokenizer", 0)
        self.unknown = unknown_token

    def _apply(self, value):
        found = []
        for token in value.reshape(-1).tolist():
            found += self._pieces(token)
        return np.array(found or [""], np.str_)

    def _pieces(self, token):
        if len(token.encode()) > self.longest:
            return [self.unknown or token]
        start, found = 0, []
        while start < len(token):
            for end in range(len(token), start, -1):
                piece = (self.suffix if start else "") + token[start:end]
                if piece in self.vocab:
                    break
            else:
                return [self.unknown or token]
            found.append(piece)
            start = end
        return found


def _vocab(vocab, where):
    if not isinstance(vocab, Vocab):
        raise TypeError("[%s] vocab, got %s, expected a Vocab" % (where, type(vocab).__name__))
    return vocab


class BertTokenizer(_Texts):
    """BasicTokenizer, then WordpieceTokenizer."""

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]", lower_case=False,
                 keep_whitespace=False, normalization_form=NormalizeForm.NONE, preserve_unused_token=True,
                 with_offsets=False):
        self.basic = BasicTokenizer(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)
        self.pieces = WordpieceTokenizer(vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def _apply(self, value):
        return self.pieces._apply(self.basic._apply(value))


class PythonTokenizer(_Texts):
    """A function of a text that gives a list of tokens."""

    def __init__(self, tokenizer):
        if not callable(tokenizer):
            raise TypeError("[PythonTokenizer] tokenizer, got %s, expected a function" % type(tokenizer).__name__)
        self.tokenizer = tokenizer

    def _apply(self, value):
        return np.array(self.tokenizer(value.item()), np.str_)


class Lookup:
    """Numbers of words; unknown ones take that of unknown_token."""

    implementation = None

    def __init__(self, vocab, unknown_token=None, data_type=mstype.int32):
        self.words, self.data_type = _vocab(vocab, "Lookup").vocab(), numpy_type(data_type, "Lookup")
        if unknown_token is not None and unknown_token not in self.words:
            raise ValueError("[Lookup] unknown_token, got %r, expected a word of the vocabulary" % (unknown_token,))
        self.unknown = None if unknown_token is None else self.words[unknown_token]

    def __call__(self, text):
        value = _array(text)
        found = [self.words.get(w.decode() if isinstance(w, bytes) else w, self.unknown)
                 for w in value.reshape(-1).tolist()]
        if None in found:
            raise RuntimeError("[Lookup] word, got %r, expected one of the vocabulary, or unknown_token to be given"
                               % value.reshape(-1).tolist()[found.index(None)])
        return np.array(found, self.data_type).reshape(value.shape)


class CaseFold(_EachText):
    """Lower case, as Unicode folds it."""

    def _one(self, text):
        return text.casefold()


class NormalizeUTF8(_EachText):
    """A normal form of Unicode."""

    def __init__(self, normalize_form=NormalizeForm.NFKC):
        if not isinstance(normalize_form, NormalizeForm):
            raise TypeError("[NormalizeUTF8] normalize_form, got %s, expected a NormalizeForm"
                            % type(normalize_form).__name__)
        self.form = normalize_form

    def _one(self, text):
        return text if self.form == NormalizeForm.NONE else unicodedata.normalize(self.form.name, text)


class RegexReplace(_EachText):
    """Matches of a pattern replaced: all, or the first."""

    def __init__(self, pattern, replace, replace_all=True):
        self.pattern, self.count = _pattern(pattern, "RegexReplace"), 0 if replace_all else 1
        self.replace = re.sub(r"\$(\d)", r"\\\1", replace)

    def _one(self, text):
        return self.pattern.sub(self.replace, text, self.count)


class ToNumber(_Texts):
    """Texts as numbers."""

    def __init__(self, data_type):
        self.data_type = numpy_type(data_type, "ToNumber")

    def _apply(self, value):
        whole = self.data_type.kind in "iu"
        try:
            numbers = [int(t) if whole else float(t) for t in value.reshape(-1).tolist()]
            if whole and numbers:
                info = np.iinfo(self.data_type)
                if min(numbers) < info.min or max(numbers) > info.max:
                    raise ValueError("out of the range of %s" % self.data_type)
            return np.array(numbers, self.data_type).reshape(value.shape)
        except ValueError as error:
            raise RuntimeError("[ToNumber] text, got one that is no number (%s), expected %s"
                               % (error, self.data_type)) from None


class Truncate:
    """The first max_seq_len tokens."""

    implementation = None

    def __init__(self, max_seq_len):
        self.length = integer(max_seq_len, "max_seq_len", "Truncate", 0)

    def __call__(self, value):
        return _array(value)[..., :self.length]


class TruncateSequencePair:
    """Two sequences cut at their ends, the longer one first, to max_length together."""

    implementation = None

    def __init__(self, max_length):
        self.length = integer(max_length, "max_length", "TruncateSequencePair", 0)

    def __call__(self, first, second):
        first, second = _array(first), _array(second)
        a, b = len(first), len(second)
        over = max(0, a + b - self.length)
        from_longer = min(over, abs(a - b))
        a, b = (a - from_longer, b) if a > b else (a, b - from_longer)
        rest = over - from_longer
        return first[:a - (rest + 1) // 2], second[:b - rest // 2]


class SlidingWindow:
    """Windows of `width` neighbours as rows."""

    implementation = None

    def __init__(self, width, axis=0):
        self.width = integer(width, "width", "SlidingWindow", 1)
        if axis not in (0, -1):
            raise ValueError("[SlidingWindow] axis, got %r, expected 0" % (axis,))

    def __call__(self, value):
        value = _array(value)
        if value.ndim != 1:
            raise RuntimeError("[SlidingWindow] rank, got %d, expected 1" % value.ndim)
        count = max(0, len(value) - self.width + 1)
        return np.array([value[i:i + self.width] for i in range(count)], value.dtype).reshape(count, self.width)


class Ngram(_Texts):
    """Runs of n tokens joined, for one n or several, after padding with (token, how many)."""

    def __init__(self, n, left_pad=("", 0), right_pad=("", 0), separator=" "):
        self.sizes = [integer(i, "n", "Ngram", 1) for i in (n if isinstance(n, (list, tuple)) else [n])]
        self.left, self.right, self.separator = left_pad, right_pad, separator

    def _apply(self, value):
        if value.ndim != 1:
            raise RuntimeError("[Ngram] rank, got %d, expected 1" % value.ndim)
        tokens, found = value.tolist(), []
        for size in self.sizes:
            padded = ([self.left[0]] * min(self.left[1], size - 1) + tokens
                      + [self.right[0]] * min(self.right[1], size - 1))
            runs = [self.separator.join(padded[i:i + size]) for i in range(len(padded) - size + 1)]
            found += runs or [""]
        return np.array(found, np.str_)


class AddToken(_Texts):
    """A token before, or behind, the others."""

    def __init__(self, token, begin=True):
        if not isinstance(token, str) or not isinstance(begin, bool):
            raise TypeError("[AddToken] token and begin, got %r and %r, expected a str and a bool" % (token, begin))
        self.token, self.begin = token, begin

    def _apply(self, value):
        token = np.full(value.shape[:-1] + (1,), self.token)
        return np.concatenate([token, value] if self.begin else [value, token], -1)


def to_str(array, encoding="utf8"):
    """Texts of bytes."""
    if not isinstance(array, np.ndarray):
        raise TypeError("[to_str] array, got %s, expected a NumPy array" % type(array).__name__)
    return array if array.dtype.kind == "U" else np.char.decode(array, encoding)


def to_bytes(array, encoding="utf8"):
    """Bytes of texts."""
    if not isinstance(array, np.ndarray):
        raise TypeError("[to_bytes] array, got %s, expected a NumPy array" % type(array).__name__)
    return array if array.dtype.kind == "S" else np.char.encode(array, encoding)
