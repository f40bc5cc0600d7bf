"""Pretrained word vectors: Vectors, GloVe, FastText, CharNGram, and ToVectors, which looks words up."""
import os
import re

import numpy as np

from ..vision.base import flag, integer, number
from .transforms import Texts, a_text


def _fields(line):
    parts = line.rstrip("\r\n").rstrip(" ").split(" ")
    return parts[0], parts[1:]


class Vectors:
    """Words and their vectors, from a file with a word and its numbers in each line; made by from_file.

    >>> import os, tempfile
    >>> import numpy as np
    >>> from msjit.dataset import text
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> _ = open(path, "w").write("up 1 0\\ndown -1 0\\n")
    >>> text.ToVectors(text.Vectors.from_file(path))(np.array(["down", "left"])).tolist()
    [[-1.0, 0.0], [0.0, 0.0]]
    """

    _name = None  # the pattern that file names must match, and its form in error texts

    def __init__(self):
        self._rows, self.dimension = {}, 0

    @classmethod
    def from_file(cls, file_path, max_vectors=None):
        """Reads the first max_vectors words of a file; None or 0 means all. A first line with two numbers is skipped.

        Raises RuntimeError for a file that does not exist, a name that such files do not have, or vectors of different lengths.
        """
        where = cls.__name__
        a_text(file_path, "file_path", where)
        limit = integer(max_vectors, "max_vectors", where, 0, 2147483647) if max_vectors is not None else 0
        if not os.path.isfile(file_path) or cls._name is not None and not re.fullmatch(cls._name[0], os.path.basename(file_path)):
            raise RuntimeError("[%s] file_path, got %s, expected a file that is there%s"
                               % (where, file_path, "" if cls._name is None else ", named %s" % cls._name[1]))
        made = cls()
        with open(file_path, encoding="utf-8") as file:
            for count, line in enumerate(file):
                word, values = _fields(line)
                if count == 0 and len(values) == 1:
                    continue
                made._add(word, values, count, where)
                if limit and len(made._rows) == limit:
                    break
        return made

    def _add(self, word, values, count, where):
        self.dimension = self.dimension or len(values)
        if len(values) != self.dimension or len(values) < 2:
            raise RuntimeError("[%s] numbers of line %d, got %d, expected %d, two at least, as in the lines before"
                               % (where, count + 1, len(values), self.dimension))
        try:
            self._rows.setdefault(word, np.array(values, np.float32))
        except ValueError as error:
            raise RuntimeError("[%s] numbers of line %d, got others (%s), expected floats" % (where, count + 1, error)) from None

    def _vector(self, word):
        """The vector of a word, or None."""
        return self._rows.get(word)


class GloVe(Vectors):
    """Word vectors from a file named glove.6B.*.txt (Pennington et al. 2014)."""

    _name = (r"glove\.6B\..*\.txt", "glove.6B.*.txt")


class FastText(Vectors):
    """Word vectors from a file named *.vec (Bojanowski et al. 2017)."""

    _name = (r".*\.vec", "*.vec")


class CharNGram(Vectors):
    """Vectors of runs of two to four characters; the vector of a word is their mean (Hashimoto et al. 2017)."""

    def _vector(self, word):
        characters, found = ["#BEGIN#"] + list(word) + ["#END#"], []
        for size in (2, 3, 4):
            runs = ("%dgram-%s" % (size, "".join(characters[i:i + size])) for i in range(len(characters) - size + 1))
            found += [self._rows[run] for run in runs if run in self._rows]
        return np.mean(found, 0, dtype=np.float32) if found else None


class ToVectors(Texts):
    """Replaces each word by its vector, float32; unknown words get unk_init, by default zeros.

    lower_case_backup also tries the word in lower case.
    """

    def __init__(self, vectors, unk_init=None, lower_case_backup=False):
        if not isinstance(vectors, Vectors):
            raise TypeError("[ToVectors] vectors, got %s, expected Vectors, GloVe, FastText or CharNGram" % type(vectors).__name__)
        if unk_init is not None and not isinstance(unk_init, (list, tuple)):
            raise TypeError("[ToVectors] unk_init, got %s, expected a list of numbers" % type(unk_init).__name__)
        self.vectors, self.lower_case_backup = vectors, flag(lower_case_backup, "lower_case_backup", "ToVectors")
        self.unk_init = None if not unk_init else np.array([number(v, "unk_init", "ToVectors") for v in unk_init], np.float32)

    def _apply(self, value):
        if value.ndim > 1:
            raise RuntimeError("[ToVectors] rank, got %d, expected texts along one axis at most" % value.ndim)
        size = self.vectors.dimension
        unknown = np.zeros(size, np.float32) if self.unk_init is None else self.unk_init
        if len(unknown) != size:
            raise RuntimeError("[ToVectors] length of unk_init, got %d, expected %d, that of the vectors" % (len(unknown), size))
        found = [self._one(word, unknown) for word in value.reshape(-1).tolist()]
        return np.array(found, np.float32).reshape(value.shape + (size,))

    def _one(self, word, unknown):
        found = self.vectors._vector(word)
        if found is None and self.lower_case_backup:
            found = self.vectors._vector(word.lower())
        return unknown if found is None else found
