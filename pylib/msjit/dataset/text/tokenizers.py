"""Tokenizers: they split texts into arrays of tokens."""
import re
import unicodedata

import numpy as np

from ...common.tensor import Tensor
from ..vision.base import flag, integer, member
from .transforms import NormalizeForm, Texts, a_text, checked, compiled, folded


class _Tokenizer(Texts):
    """Splits one text; with_offsets adds where each token begins and ends, in bytes of UTF-8."""

    def __init__(self, with_offsets=False):
        self.with_offsets = flag(with_offsets, "with_offsets", type(self).__name__)

    def _clean(self, text):
        return text

    def _apply(self, value):
        if value.ndim:
            raise RuntimeError("[%s] rank, got %d, expected one text" % (type(self).__name__, value.ndim))
        text = self._clean(value.item())
        spans = self._spans(text) or [(0, 0)]
        tokens = np.array([text[a:b] for a, b in spans], np.str_)
        if not self.with_offsets:
            return tokens
        return (tokens,) + tuple(np.array([len(text[:span[i]].encode()) for span in spans], np.uint32) for i in (0, 1))


class WhitespaceTokenizer(_Tokenizer):
    """Splits a text at white space."""

    def _spans(self, text):
        return [m.span() for m in re.finditer(r"\S+", text)]


class UnicodeCharTokenizer(_Tokenizer):
    """Splits a text into its characters."""

    def _spans(self, text):
        return [(i, i + 1) for i in range(len(text))]


class RegexTokenizer(_Tokenizer):
    """Splits a text at matches of a pattern; matches of keep_delim_pattern become tokens themselves."""

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


class BasicTokenizer(_Tokenizer):
    """The first step of BERT's tokenizer: cleans a text, then splits it at white space, punctuation and around Chinese
    characters.

    lower_case folds case as Unicode's NFKC_Casefold and removes accents. preserve_unused_token keeps [CLS], [unused1], ... as they are.
    Offsets refer to the text after these changes.

    >>> import numpy as np
    >>> from msjit.dataset import text
    >>> [part.tolist() for part in text.BasicTokenizer(True, with_offsets=True)(np.array("Hé, 中"))]
    [['he', ',', '中'], [0, 2, 4], [2, 3, 7]]
    """

    def __init__(self, lower_case=False, keep_whitespace=False, normalization_form=NormalizeForm.NONE,
                 preserve_unused_token=True, with_offsets=False):
        super().__init__(with_offsets)
        where = type(self).__name__
        self.lower, self.keep_whitespace = flag(lower_case, "lower_case", where), flag(keep_whitespace, "keep_whitespace", where)
        self.form = member(normalization_form, NormalizeForm, "normalization_form", where)
        self.preserve = flag(preserve_unused_token, "preserve_unused_token", where)

    def _clean(self, text):
        parts, at = [], 0
        for match in _UNUSED.finditer(text) if self.preserve else ():
            parts += [self._cleaned(text[at:match.start()]), match.group()]
            at = match.end()
        return "".join(parts + [self._cleaned(text[at:])])

    def _cleaned(self, text):
        if self.lower:
            text = "".join(c for c in unicodedata.normalize("NFD", folded(text)) if unicodedata.category(c) != "Mn")
        elif self.form != NormalizeForm.NONE:
            text = unicodedata.normalize(self.form.name, text)
        return "".join(" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in text)

    def _spans(self, text):
        found, at = [], 0
        for match in _UNUSED.finditer(text) if self.preserve else ():
            found += self._split(text, at, match.start()) + [match.span()]
            at = match.end()
        return found + self._split(text, at, len(text))

    def _split(self, text, start, stop):
        """The spans of runs of white space and of other characters; punctuation and Chinese characters stand alone."""
        found, last = [], None
        for i in range(start, stop):
            char = text[i]
            kind = "space" if char.isspace() else None if _is_punctuation(char) or _is_chinese(char) else "word"
            if kind is not None and kind == last:
                found[-1] = (found[-1][0], i + 1)
            else:
                found.append((i, i + 1))
            last = kind
        return found if self.keep_whitespace else [span for span in found if not text[span[0]].isspace()]


class WordpieceTokenizer(Texts):
    """Splits each token into the longest pieces of the vocabulary, from its beginning on.

    with_offsets adds where each piece, or unknown token, begins and ends in its token, in bytes of UTF-8.

    >>> import numpy as np
    >>> from msjit.dataset import text
    >>> vocab = text.Vocab.from_list(["un", "##do", "[UNK]"])
    >>> [part.tolist() for part in text.WordpieceTokenizer(vocab, with_offsets=True)(np.array(["undo", "me"]))]
    [['un', '##do', '[UNK]'], [0, 2, 0], [2, 4, 2]]
    """

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]",
                 with_offsets=False):
        where = "WordpieceTokenizer"
        self.vocab, self.suffix = checked(vocab, where).vocab(), a_text(suffix_indicator, "suffix_indicator", where)
        self.longest = integer(max_bytes_per_token, "max_bytes_per_token", where, 0)
        self.unknown, self.with_offsets = a_text(unknown_token, "unknown_token", where), flag(with_offsets, "with_offsets", where)

    def _apply(self, value, starts=None):
        if value.ndim > 1:
            raise RuntimeError("[WordpieceTokenizer] rank, got %d, expected texts along one axis at most" % value.ndim)
        found, spans = [], []
        for number, token in enumerate(value.reshape(-1).tolist()):
            pieces, places = self._pieces(token)
            base = 0 if starts is None else int(starts[number])
            found += pieces
            spans += [(base + len(token[:start].encode()), base + len(token[:end].encode())) for start, end in places]
        tokens, spans = np.array(found or [""], np.str_), np.array(spans or [(0, 0)], np.uint32)
        return (tokens, spans[:, 0].copy(), spans[:, 1].copy()) if self.with_offsets else tokens

    def _pieces(self, token):
        """The pieces of a token, and their spans in it."""
        whole = [self.unknown or token], [(0, len(token))]
        if len(token.encode()) > self.longest:
            return whole
        start, found, places = 0, [], []
        while start < len(token):
            for end in range(len(token), start, -1):
                piece = (self.suffix if start else "") + token[start:end]
                if piece in self.vocab:
                    break
            else:
                return whole
            found.append(piece)
            places.append((start, end))
            start = end
        return found, places


class BertTokenizer(Texts):
    """Applies BasicTokenizer, then WordpieceTokenizer."""

    def __init__(self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]", lower_case=False,
                 keep_whitespace=False, normalization_form=NormalizeForm.NONE, preserve_unused_token=True,
                 with_offsets=False):
        self.basic = BasicTokenizer(lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets)
        self.pieces = WordpieceTokenizer(vocab, suffix_indicator, max_bytes_per_token, unknown_token, with_offsets)

    def _apply(self, value):
        found = self.basic._apply(value)
        return self.pieces._apply(found[0], found[1]) if self.basic.with_offsets else self.pieces._apply(found)


class PythonTokenizer(Texts):
    """Applies a Python function from a text to a list of tokens."""

    def __init__(self, tokenizer):
        if not callable(tokenizer):
            raise TypeError("[PythonTokenizer] tokenizer, got %s, expected a function" % type(tokenizer).__name__)
        self.tokenizer = tokenizer

    def __call__(self, *texts):
        if len(texts) == 1 and not isinstance(texts[0], (np.ndarray, Tensor)):
            raise TypeError("[PythonTokenizer] text, got %s, expected a NumPy array" % type(texts[0]).__name__)
        return super().__call__(*texts)

    def _apply(self, value):
        return np.array(self.tokenizer(value.item()), np.str_)
