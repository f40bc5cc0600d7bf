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


class Texts:
    """A transform of one column of texts."""

    implementation = None

    def __call__(self, text):
        value = _array(text)
        if value.dtype.kind == "S":
            value = np.char.decode(value, "utf-8")
        if value.dtype.kind != "U":
            raise RuntimeError("[%s] dtype, got %s, expected texts" % (type(self).__name__, value.dtype))
        return self._apply(value)


class _EachText(Texts):
    """The same function of each text."""

    def _apply(self, value):
        return np.array([self._one(t) for t in value.reshape(-1).tolist()], np.str_).reshape(value.shape)


def compiled(text, where):
    """A regular expression."""
    if not isinstance(text, str):
        raise TypeError("[%s] pattern, got %s, expected a str" % (where, type(text).__name__))
    try:
        return re.compile(text)
    except re.error as error:
        raise RuntimeError("[%s] pattern, got %r (%s), expected a regular expression" % (where, text, error)) from None


def a_text(value, name, where):
    """A str."""
    if not isinstance(value, str):
        raise TypeError("[%s] %s, got %s, expected a str" % (where, name, type(value).__name__))
    return value


def checked(vocab, where):
    """A Vocab."""
    if not isinstance(vocab, Vocab):
        raise TypeError("[%s] vocab, got %s, expected a Vocab" % (where, type(vocab).__name__))
    return vocab


class Lookup:
    """Numbers of words; unknown ones take that of unknown_token."""

    implementation = None

    def __init__(self, vocab, unknown_token=None, data_type=mstype.int32):
        self.words, self.data_type = checked(vocab, "Lookup").vocab(), numpy_type(data_type, "Lookup")
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


# Characters without a look of their own, which NFKC_Casefold leaves out; those of the category Cf come in addition.
_IGNORED = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")


def folded(text):
    """A text as Unicode's NFKC_Casefold has it."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c for c in _IGNORED.sub("", text) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", text.casefold())


class CaseFold(_EachText):
    """Lower case, and one form of characters that are alike, as Unicode's NFKC_Casefold has it."""

    def _one(self, text):
        return folded(text)


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
        self.pattern, self.count = compiled(pattern, "RegexReplace"), 0 if replace_all else 1
        self.replace = re.sub(r"\$(\d)", r"\\\1", replace)

    def _one(self, text):
        return self.pattern.sub(self.replace, text, self.count)


class ToNumber(Texts):
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
        return first[:a - rest // 2], second[:b - (rest + 1) // 2]


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


class Ngram(Texts):
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


class AddToken(Texts):
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
