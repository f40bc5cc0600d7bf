"""Transforms of texts: Lookup, Ngram, ... Texts are NumPy arrays of str."""
import re
import unicodedata
from enum import IntEnum

import numpy as np

from ...common import dtype as mstype
from ..vision.base import flag, integer
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
    """Base class of transforms of one column of texts."""

    implementation = None

    def __call__(self, *texts):
        if len(texts) != 1:
            raise RuntimeError("[%s] columns, got %d, expected 1" % (type(self).__name__, len(texts)))
        value = _array(texts[0])
        if value.dtype.kind == "S":
            value = np.char.decode(value, "utf-8")
        if value.dtype.kind != "U":
            raise RuntimeError("[%s] dtype, got %s, expected texts" % (type(self).__name__, value.dtype))
        return self._apply(value)


class _EachText(Texts):
    """Applies a function to each text."""

    def _apply(self, value):
        return np.array([self._one(t) for t in value.reshape(-1).tolist()], np.str_).reshape(value.shape)


def compiled(text, where):
    """Compiles a regular expression; named groups may be written (?<name>...)."""
    if not isinstance(text, str):
        raise TypeError("[%s] pattern, got %s, expected a str" % (where, type(text).__name__))
    try:
        return re.compile(re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", text))
    except re.error as error:
        raise RuntimeError("[%s] pattern, got %r (%s), expected a regular expression" % (where, text, error)) from None


def a_text(value, name, where):
    """Returns a str, or raises TypeError."""
    if not isinstance(value, str):
        raise TypeError("[%s] %s, got %s, expected a str" % (where, name, type(value).__name__))
    return value


def checked(vocab, where):
    """Returns a Vocab, or raises TypeError."""
    if not isinstance(vocab, Vocab):
        raise TypeError("[%s] vocab, got %s, expected a Vocab" % (where, type(vocab).__name__))
    return vocab


class Lookup:
    """Replaces words by their numbers in a vocabulary.

    Unknown words get the number of unknown_token; without one they raise RuntimeError.
    """

    implementation = None

    def __init__(self, vocab, unknown_token=None, data_type=mstype.int32):
        self.words, self.data_type = checked(vocab, "Lookup").vocab(), numpy_type(data_type, "Lookup")
        if unknown_token is not None and a_text(unknown_token, "unknown_token", "Lookup") not in self.words:
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


# Invisible characters that NFKC_Casefold removes, besides those of the category Cf.
_IGNORED = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")


def folded(text):
    """Folds a text as Unicode's NFKC_Casefold."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c for c in _IGNORED.sub("", text) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", text.casefold())


class CaseFold(_EachText):
    """Converts texts to lower case and to one form of equivalent characters, as Unicode's NFKC_Casefold."""

    def _one(self, text):
        return folded(text)


class NormalizeUTF8(_EachText):
    """Converts texts to a normal form of Unicode."""

    def __init__(self, normalize_form=NormalizeForm.NFKC):
        if not isinstance(normalize_form, NormalizeForm):
            raise TypeError("[NormalizeUTF8] normalize_form, got %s, expected a NormalizeForm"
                            % type(normalize_form).__name__)
        self.form = normalize_form

    def _one(self, text):
        return text if self.form == NormalizeForm.NONE else unicodedata.normalize(self.form.name, text)


class RegexReplace(_EachText):
    """Replaces all matches of a pattern, or the first.

    In `replace`, $1 or ${name} is a group and $0 the match.
    """

    def __init__(self, pattern, replace, replace_all=True):
        self.pattern = compiled(pattern, "RegexReplace")
        self.count = 0 if flag(replace_all, "replace_all", "RegexReplace") else 1
        self.replace = self._parts(a_text(replace, "replace", "RegexReplace"))

    @staticmethod
    def _parts(text):
        """The parts of a replacement: texts, and groups as tuples of their number or name."""
        found = []
        for match in re.finditer(r"\\(.)|\$(\d)|\$\{(\w+)\}|(.)", text, re.S):
            escaped, number, name, plain = match.groups()
            found.append((int(number),) if number else (name,) if name else escaped or plain)
        return found

    def _replaced(self, match):
        try:
            return "".join(part if isinstance(part, str) else match.group(*part) or "" for part in self.replace)
        except IndexError as error:
            raise RuntimeError("[RegexReplace] replace, got a group that is not there (%s), expected one of %r"
                               % (error, self.pattern.pattern)) from None

    def _one(self, text):
        return self.pattern.sub(self._replaced, text, self.count)


_WHOLE, _REAL = re.compile(r"\s*[+-]?\d+"), re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|\s*[+-]?(nan|inf)", re.I)


class ToNumber(Texts):
    """Converts texts to numbers. Only the number at the beginning counts, so "1.5" is 1 as an integer."""

    def __init__(self, data_type):
        self.data_type = numpy_type(data_type, "ToNumber")
        if self.data_type.kind not in "iuf":
            raise TypeError("[ToNumber] data_type, got %s, expected a type of numbers" % (data_type,))

    def _apply(self, value):
        whole = self.data_type.kind in "iu"
        try:
            numbers = [self._number(t, whole) for t in value.reshape(-1).tolist()]
            if whole and numbers:
                info = np.iinfo(self.data_type)
                if min(numbers) < info.min or max(numbers) > info.max:
                    raise ValueError("out of the range of %s" % self.data_type)
            return np.array(numbers, self.data_type).reshape(value.shape)
        except ValueError as error:
            raise RuntimeError("[ToNumber] text, got one that is no number (%s), expected %s"
                               % (error, self.data_type)) from None


    @staticmethod
    def _number(text, whole):
        match = (_WHOLE if whole else _REAL).match(text)
        if match is None:
            raise ValueError(repr(text))
        return int(match.group()) if whole else float(match.group())


class Truncate:
    """Keeps the first max_seq_len tokens."""

    implementation = None

    def __init__(self, max_seq_len):
        self.length = integer(max_seq_len, "max_seq_len", "Truncate", 1, 2147483647)

    def __call__(self, value):
        value = _array(value)
        if value.ndim not in (1, 2):
            raise RuntimeError("[Truncate] rank, got %d, expected 1 or 2" % value.ndim)
        return value[..., :self.length]


class TruncateSequencePair:
    """Shortens two sequences at their ends, the longer one first, to max_length tokens together."""

    implementation = None

    def __init__(self, max_length):
        self.length = integer(max_length, "max_length", "TruncateSequencePair", 0)

    def __call__(self, *columns):
        if len(columns) != 2:
            raise RuntimeError("[TruncateSequencePair] columns, got %d, expected 2" % len(columns))
        first, second = [_array(column) for column in columns]
        a, b = len(first), len(second)
        over = max(0, a + b - self.length)
        from_longer = min(over, abs(a - b))
        a, b = (a - from_longer, b) if a > b else (a, b - from_longer)
        rest = over - from_longer
        return first[:a - rest // 2], second[:b - (rest + 1) // 2]


class SlidingWindow:
    """Returns all windows of `width` neighbouring tokens, as rows."""

    implementation = None

    def __init__(self, width, axis=0):
        self.width = integer(width, "width", "SlidingWindow", 1)
        if axis not in (0, -1):
            raise (ValueError if isinstance(axis, int) else TypeError)("[SlidingWindow] axis, got %r, expected 0" % (axis,))

    def __call__(self, value):
        value = _array(value)
        if value.ndim != 1:
            raise RuntimeError("[SlidingWindow] rank, got %d, expected 1" % value.ndim)
        count = max(0, len(value) - self.width + 1)
        return np.array([value[i:i + self.width] for i in range(count)], value.dtype)  # without windows the result has one axis, as in MindSpore


class Ngram(Texts):
    """Joins each run of n tokens to one text, for one n or several, after padding with (token, how many)."""

    def __init__(self, n, left_pad=("", 0), right_pad=("", 0), separator=" "):
        self.sizes = n if isinstance(n, list) else [n]
        if not self.sizes or not all(isinstance(i, int) and not isinstance(i, bool) and i > 0 for i in self.sizes):
            raise ValueError("[Ngram] n, got %r, expected an int above 0 or a list of them" % (n,))
        self.left, self.right = self._pad(left_pad, "left_pad"), self._pad(right_pad, "right_pad")
        self.separator = a_text(separator, "separator", "Ngram")

    @staticmethod
    def _pad(value, name):
        pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], int)
        if not pair or value[1] < 0:
            raise ValueError("[Ngram] %s, got %r, expected (token, how many)" % (name, value))
        return value

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
    """Adds a token before or after the others."""

    def __init__(self, token, begin=True):
        if not isinstance(token, str) or not isinstance(begin, bool):
            raise TypeError("[AddToken] token and begin, got %r and %r, expected a str and a bool" % (token, begin))
        self.token, self.begin = token, begin

    def _apply(self, value):
        if value.ndim not in (1, 2):
            raise RuntimeError("[AddToken] rank, got %d, expected 1 or 2" % value.ndim)
        token = np.full(value.shape[:-1] + (1,), self.token)
        return np.concatenate([token, value] if self.begin else [value, token], -1)


def to_str(array, encoding="utf8"):
    """Decodes an array of bytes to texts."""
    if not isinstance(array, np.ndarray):
        raise TypeError("[to_str] array, got %s, expected a NumPy array" % type(array).__name__)
    return array if array.dtype.kind == "U" else np.char.decode(array, encoding)


def to_bytes(array, encoding="utf8"):
    """Encodes an array of texts to bytes."""
    if not isinstance(array, np.ndarray):
        raise ValueError("[to_bytes] array, got %s, expected a NumPy array" % type(array).__name__)
    return array if array.dtype.kind == "S" else np.char.encode(array, encoding)
