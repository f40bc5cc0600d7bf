"""Metrics of texts, of similarity and of overlap."""
import math
from collections import Counter

from .metrics import Metric, rearrange_inputs


class Perplexity(Metric):
    """Perplexity, exp of the mean negative log likelihood: update(probabilities (..., C), labels (...)).

    Labels equal to ignore_label do not count. Raises RuntimeError for shapes that do not fit and for eval() before update(), ValueError for
    labels outside [0, C).
    """

    def __init__(self, ignore_label=None):
        super().__init__()
        if ignore_label is not None and (isinstance(ignore_label, bool) or not isinstance(ignore_label, int)):
            raise TypeError("[Perplexity] ignore_label must be an int, got %s" % type(ignore_label).__name__)
        self.ignore_label = ignore_label
        self.clear()

    def clear(self):
        self._sum_metric, self._num_inst = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs):
        import numpy
        scores, labels = self._inputs(inputs, 2)
        if labels.size != scores.size / scores.shape[-1]:
            raise RuntimeError("[Perplexity] shapes of prediction and label, got %s and %s, expected (..., C) and (...)"
                               % (scores.shape, labels.shape))
        labels = labels.reshape(-1).astype(int)
        valid = labels if self.ignore_label is None else labels[labels != self.ignore_label]
        if valid.size and not 0 <= valid.min() <= valid.max() < scores.shape[-1]:
            raise ValueError("[Perplexity] labels, got %d to %d, expected 0 to %d" % (valid.min(), valid.max(), scores.shape[-1] - 1))
        at = labels if self.ignore_label is None else numpy.where(labels == self.ignore_label, 0, labels)
        chosen = scores.reshape(labels.size, -1)[numpy.arange(labels.size), at]
        count = labels.size
        if self.ignore_label is not None:
            ignored = labels == self.ignore_label
            count -= int(ignored.sum())
            chosen = numpy.where(ignored, 1.0, chosen)
        self._sum_metric -= float(numpy.log(numpy.maximum(1e-10, chosen)).sum())
        self._num_inst += count

    def eval(self):
        self._require(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)


class CosineSimilarity(Metric):
    """Similarities of all pairs of rows of the matrix (N, D) of the last update: 'cosine', x . y / (|x| |y|), or 'dot', x . y.

    eval() returns the array (N, N), with 0 on its diagonal if zero_diagonal; reduction 'sum' or 'mean' reduces each row of it. Raises ValueError
    for another rank, similarity or reduction, RuntimeError for eval() before update().
    """

    def __init__(self, similarity="cosine", reduction="none", zero_diagonal=True):
        super().__init__()
        for name, value, known in (("similarity", similarity, ("dot", "cosine")),
                                   ("reduction", reduction, ("none", "sum", "mean"))):
            if not isinstance(value, str):
                raise TypeError("[CosineSimilarity] %s must be a str, got %s" % (name, type(value).__name__))
            if value not in known:
                raise ValueError("[CosineSimilarity] %s, got %r, expected one of %s" % (name, value, known))
        if not isinstance(zero_diagonal, bool):
            raise TypeError("[CosineSimilarity] zero_diagonal must be a bool, got %s" % type(zero_diagonal).__name__)
        self.similarity, self.reduction, self.zero_diagonal = similarity, reduction, zero_diagonal
        self.clear()

    def clear(self):
        self.sqr_mtx_res = None

    @rearrange_inputs
    def update(self, inputs):
        rows = self._convert_data(inputs)
        if rows.ndim != 2:
            raise ValueError("[CosineSimilarity] rank of the input, got %d, expected 2" % rows.ndim)
        if self.similarity == "cosine":
            rows = rows / ((rows * rows).sum(axis=1, keepdims=True) ** 0.5)
        self.sqr_mtx_res = rows.dot(rows.T)

    def eval(self):
        self._require(self.sqr_mtx_res is not None)
        matrix = self.sqr_mtx_res.copy()
        if self.zero_diagonal:
            matrix[range(len(matrix)), range(len(matrix))] = 0
        if self.reduction == "none":
            return matrix
        return matrix.mean(axis=-1) if self.reduction == "mean" else matrix.sum(axis=-1)


class Dice(Metric):
    """Dice coefficient (Dice 1945): the sum over the updates of 2 x y / (x x + y y + smooth), divided by the number of samples (axis 0).

    update(predictions, labels) takes two arrays of one shape, and products are over all elements. Raises ValueError for different shapes and for
    a smooth that is no positive float, RuntimeError for eval() before update().
    """

    def __init__(self, smooth=1e-5):
        super().__init__()
        if not isinstance(smooth, float) or not smooth > 0:
            raise ValueError("[Dice] smooth must be a positive float, got %s" % (smooth,))
        self.smooth = smooth
        self.clear()

    def clear(self):
        self._dice_coeff_sum, self._samples_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs):
        y_pred, y = self._inputs(inputs, 2)
        if y_pred.shape != y.shape:
            raise ValueError("[Dice] shapes of prediction and label, got %s and %s, expected the same"
                             % (y_pred.shape, y.shape))
        self._samples_num += y.shape[0]
        x, y = y_pred.reshape(-1), y.reshape(-1)
        self._dice_coeff_sum += 2 * float(x.dot(y)) / float(x.dot(x) + y.dot(y) + self.smooth)

    def eval(self):
        self._require(self._samples_num)
        return self._dice_coeff_sum / float(self._samples_num)


def _grams(words, most):
    """Counts the runs of 1 to `most` words."""
    return Counter(tuple(words[j:j + n]) for n in range(1, most + 1) for j in range(len(words) - n + 1))


class BleuScore(Metric):
    """BLEU score (Papineni et al. 2002): update(candidates, references).

    Each candidate is a list of words, and its references are a list of such lists. n_gram is the greatest length of runs of words, 1 to 4,
    ValueError for another one; smooth adds 1 to the counts. Raises ValueError for lists of two lengths.
    """

    def __init__(self, n_gram=4, smooth=False):
        super().__init__()
        if isinstance(n_gram, bool) or not isinstance(n_gram, int):
            raise TypeError("[BleuScore] n_gram must be an int, got %s" % type(n_gram).__name__)
        if not 1 <= n_gram <= 4:
            raise ValueError("[BleuScore] n_gram must be from 1 to 4, got %d" % n_gram)
        if not isinstance(smooth, bool):
            raise TypeError("[BleuScore] smooth must be a bool, got %s" % type(smooth).__name__)
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self):
        self._hits, self._all = [0] * self.n_gram, [0] * self.n_gram
        self._length = self._reference = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs):
        if len(inputs) != 2:
            raise ValueError("[BleuScore] update takes 2 inputs, got %d" % len(inputs))
        candidates, references = inputs
        if len(candidates) != len(references):
            raise ValueError("[BleuScore] numbers of candidates and references, got %d and %d, expected the same"
                             % (len(candidates), len(references)))
        for candidate, known in zip(candidates, references):
            lengths = [len(reference) for reference in known]
            self._length += len(candidate)
            self._reference += min(lengths, key=lambda n: abs(len(candidate) - n))
            union = Counter()
            for reference in known:
                union |= _grams(reference, self.n_gram)
            found = _grams(candidate, self.n_gram)
            for counts, target in ((found & union, self._hits), (found, self._all)):
                for gram, count in counts.items():
                    target[len(gram) - 1] += count
        self._is_update = True

    def eval(self):
        import numpy
        self._require(self._is_update)
        if min(self._hits) == 0:
            return numpy.array(0.0)
        more = 1.0 if self.smooth else 0.0
        shares = [(hit + more) / (count + more) for hit, count in zip(self._hits, self._all)]
        mean = math.exp(sum(math.log(share) for share in shares) / self.n_gram)
        short = 1.0 if self._length > self._reference else math.exp(1 - self._reference / self._length)
        return numpy.float64(short * mean)
