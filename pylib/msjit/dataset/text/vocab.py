"""Vocab: a table of words and their numbers."""
import os

import numpy as np

from ..vision.base import integer


def _special(special_tokens, special_first, where):
    if special_tokens is None:
        return []
    if not isinstance(special_tokens, (list, tuple)) or not all(isinstance(t, str) for t in special_tokens):
        raise TypeError("[%s] special_tokens, got %r, expected a list of texts" % (where, special_tokens))
    if len(set(special_tokens)) != len(special_tokens):
        raise ValueError("[%s] special_tokens, got %r, expected each once" % (where, special_tokens))
    if not isinstance(special_first, bool):
        raise TypeError("[%s] special_first, got %s, expected a bool" % (where, type(special_first).__name__))
    return list(special_tokens)


class Vocab:
    """Words and their numbers; made by from_list, from_dict, from_file or from_dataset."""

    def __init__(self):
        self._ids, self._words = {}, {}

    @classmethod
    def _of(cls, pairs):
        made = cls()
        for word, number in pairs:
            made._ids[word], made._words[number] = number, word
        return made

    @classmethod
    def _numbered(cls, words, special_tokens, special_first, where):
        special = _special(special_tokens, special_first, where)
        both = sorted(set(words) & set(special))
        if both:
            raise ValueError("[%s] special_tokens, got %s that are words too, expected others" % (where, both))
        return cls._of((w, i) for i, w in enumerate(special + words if special_first else words + special))

    @classmethod
    def from_list(cls, word_list, special_tokens=None, special_first=True):
        """Makes a vocabulary that numbers words in the order of a list."""
        if not isinstance(word_list, list) or not all(isinstance(w, str) for w in word_list):
            raise TypeError("[Vocab.from_list] word_list, expected a list of texts")
        if len(set(word_list)) != len(word_list):
            raise ValueError("[Vocab.from_list] word_list, got a word twice, expected each once")
        return cls._numbered(list(word_list), special_tokens, special_first, "Vocab.from_list")

    @classmethod
    def from_dict(cls, word_dict):
        """Makes a vocabulary of a dict from words to numbers."""
        if not isinstance(word_dict, dict):
            raise TypeError("[Vocab.from_dict] word_dict, got %s, expected a dict" % type(word_dict).__name__)
        for word, number in word_dict.items():
            if not isinstance(word, str) or isinstance(number, bool) or not isinstance(number, int):
                raise TypeError("[Vocab.from_dict] an item, got %r: %r, expected a text and an int" % (word, number))
            if number < 0:
                raise ValueError("[Vocab.from_dict] number of %r, got %d, expected 0 or more" % (word, number))
        return cls._of(word_dict.items())

    @classmethod
    def from_file(cls, file_path, delimiter="", vocab_size=None, special_tokens=None, special_first=True):
        """Makes a vocabulary of a file with one word in each line, up to the delimiter."""
        if not isinstance(file_path, str):
            raise TypeError("[Vocab.from_file] file_path, got %s, expected a str" % type(file_path).__name__)
        if vocab_size is not None:
            integer(vocab_size, "vocab_size", "Vocab.from_file", 1, 2147483647)
        if not os.path.isfile(file_path):
            raise RuntimeError("[Vocab.from_file] file_path, got %s, expected a file that is there" % (file_path,))
        words = []
        with open(file_path, encoding="utf-8") as file:
            for line in file:
                line = line.rstrip("\r\n")
                words.append(line.split(delimiter)[0] if delimiter else line)
                if vocab_size is not None and len(words) == vocab_size:
                    break
        if len(set(words)) != len(words):
            raise RuntimeError("[Vocab.from_file] file, got a word twice in %s, expected each once" % file_path)
        return cls._numbered(words, special_tokens, special_first, "Vocab.from_file")

    @classmethod
    def from_dataset(cls, dataset, columns=None, freq_range=None, top_k=None, special_tokens=None, special_first=True):
        """Makes a vocabulary of the words of a dataset, the most frequent first.

        Words of the same frequency come in alphabetical order. freq_range is (least, greatest) frequency.
        """
        columns = [columns] if isinstance(columns, str) else columns or dataset.get_col_names()
        low, high = _frequencies(freq_range)
        if top_k is not None:
            integer(top_k, "top_k", "Vocab.from_dataset", 1, 2147483647)
        counts = {}
        for row in dataset.project(columns).create_tuple_iterator(num_epochs=1, output_numpy=True):
            for value in row:
                if value.dtype.kind not in "US":
                    raise RuntimeError("[Vocab.from_dataset] dtype of a column, got %s, expected texts" % (value.dtype,))
                for word in value.reshape(-1).tolist():
                    word = word.decode() if isinstance(word, bytes) else word
                    counts[word] = counts.get(word, 0) + 1
        words = [w for w, n in counts.items() if (low is None or n >= low) and (high is None or n <= high)]
        words.sort(key=lambda w: (-counts[w], w))
        return cls._numbered(words[:top_k], special_tokens, special_first, "Vocab.from_dataset")

    def vocab(self):
        """Returns the dict from words to numbers."""
        return dict(self._ids)

    def tokens_to_ids(self, tokens):
        """Returns the number of a word, or of each word of a list; -1 for unknown ones.

        A list of one word gives its number, as in MindSpore.
        """
        if isinstance(tokens, str):
            return self._ids.get(tokens, -1)
        found = [self._ids.get(str(t), -1) for t in _listed(tokens, "tokens", str)]
        return found[0] if len(found) == 1 else found

    def ids_to_tokens(self, ids):
        """Returns the word of a number, or of each number of a list; "" for unknown ones.

        A list of one number gives its word.
        """
        if isinstance(ids, (int, np.integer)):
            return self._words.get(integer(ids, "ids", "Vocab", 0, 2147483647), "")
        found = [self._words.get(integer(i, "ids", "Vocab", 0, 2147483647), "") for i in _listed(ids, "ids", (int, np.integer))]
        return found[0] if len(found) == 1 else found


def _frequencies(pair):
    """The checked (least, greatest) of a freq_range; None means no limit."""
    if pair is None:
        return None, None
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise (ValueError if isinstance(pair, tuple) else TypeError)("[Vocab.from_dataset] freq_range, got %r, expected (least, greatest)" % (pair,))
    for value in pair:
        if value is not None:
            integer(value, "freq_range", "Vocab.from_dataset", 0, 2147483647)
    if None not in pair and pair[0] > pair[1]:
        raise ValueError("[Vocab.from_dataset] freq_range, got %r, expected the smaller number first" % (pair,))
    return pair


def _listed(values, name, kind):
    if not isinstance(values, (list, tuple, np.ndarray)):
        raise TypeError("[Vocab] %s, got %s, expected a list" % (name, type(values).__name__))
    for value in values:
        if not isinstance(value, kind):
            raise TypeError("[Vocab] %s, got %r, expected texts or ints alone" % (name, value))
    return list(values)
