"""Tokenizers: texts as arrays of their parts."""
import re
import unicodedata

import numpy as np

from ..vision.base import integer
from .transforms import NormalizeForm, Texts, checked, compiled


class _Tokenizer(Texts):
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
        self.delim, self.keep = compiled(delim_pattern, "RegexTokenizer"), keep_delim_pattern
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


class BasicTokenizer(Texts):
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
        if self.keep_whitespace:
            return [part for run in re.findall(r"\s+|\S+", text)
                    for part in (self._words(run) if run.strip() else [" " * len(run)])]
        return self._words(text)

    @staticmethod
    def _words(text):
        tokens, word = [], ""
        for char in text:
            control = unicodedata.category(char) in ("Cc", "Cf") and char not in "\t\n\r"
            if char.isspace() or control or _is_punctuation(char) or _is_chinese(char):
                tokens, word = tokens + ([word] if word else []), ""
                if not control and not char.isspace():
                    tokens.append(char)
            else:
                word += char
        return tokens + ([word] if word else [])


class WordpieceTokenizer(Texts):
    """Each token as the longest pieces of the vocabulary, from its beginning on."""

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]",
                 with_offsets=False):
        if with_offsets:
            raise NotImplementedError("[WordpieceTokenizer] with_offsets, got True, expected False")
        self.vocab, self.suffix = checked(vocab, "WordpieceTokenizer").vocab(), suffix_indicator
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


class BertTokenizer(Texts):
    """BasicTokenizer, then WordpieceTokenizer."""

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]", lower_case=False,
                 keep_whitespace=False, normalization_form=NormalizeForm.NONE, preserve_unused_token=True,
                 with_offsets=False):
        self.basic = BasicTokenizer(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)
        self.pieces = WordpieceTokenizer(vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def _apply(self, value):
        return self.pieces._apply(self.basic._apply(value))


class PythonTokenizer(Texts):
    """A function of a text that gives a list of tokens."""

    def __init__(self, tokenizer):
        if not callable(tokenizer):
            raise TypeError("[PythonTokenizer] tokenizer, got %s, expected a function" % type(tokenizer).__name__)
        self.tokenizer = tokenizer

    def _apply(self, value):
        return np.array(self.tokenizer(value.item()), np.str_)
