"""Primitives for losses, sequences, dropout masks and padding, and primitives that call Python functions."""
from .. import function_transforms as _transforms
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import activation_func as _ac
from . import extended_func as _e
from . import fractional_func as _f
from . import image_func as _im
from . import loss_func as _lo
from . import nn_func as _n
from . import pad_func as _p
from . import registry as _k
from . import sampling_func as _s
from . import statistics_func as _st
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_iterable as _iterable
from .argument_kinds import check_pair as _check_pair
from .argument_kinds import check_real as _real
from .argument_kinds import check_seeds as _check_seeds
from .argument_kinds import check_sizes as _check_sizes
from .nn_operations import _seed
from .primitive import REQUIRED as _REQUIRED
from .primitive import Primitive
from .primitive import rows as _rows
from .random_func import draw_uniform as _uniform

_MEAN = {"reduction": "mean"}


def _nll(p, logits, labels, weight):
    """Computes -weight[label] logits[i, label] for each row of log probabilities (n, classes); returns (loss, sum of the weights of the labels).

    labels (n,) holds integers; those equal to ignore_index do not count. reduction is 'mean', which divides by the sum of weights, 'sum' or 'none'.
    """
    picked = _k.gather(weight, labels, 0)
    picked = _k.where(_k.equal(labels, p.ignore_index), _k.zeros_like(picked), picked)
    return _n.nll_loss(logits, labels, weight, p.ignore_index, p.reduction), _k.sum(picked)


def _ctc_of_scores(p, x, labels_indices, labels_values, sequence_length):
    """Returns (loss of each sequence, gradient by the scores x (time, batch, classes)). labels_indices holds the (batch,
    position) of each of labels_values; the last class is the blank."""
    for operand in (x, labels_indices, labels_values, sequence_length):
        _check(operand, "CTCLoss")
    for option in ("preprocess_collapse_repeated", "ctc_merge_repeated", "ignore_longer_outputs_than_inputs"):
        if not isinstance(getattr(p, option), bool):
            raise TypeError("[CTCLoss] %s, got %s, expected a bool" % (option, type(getattr(p, option)).__name__))
    if labels_indices.ndim != 2:
        raise ValueError("[CTCLoss] rank of labels_indices, got %d, expected 2" % labels_indices.ndim)
    targets, lengths = _ctc_targets(labels_indices.asnumpy(), labels_values.asnumpy(), x.shape[1], p.preprocess_collapse_repeated)

    def loss(x):
        return _lo.ctc_of_rows(_ac.log_softmax(x, -1), _Tensor(targets), sequence_length, _Tensor(lengths), x.shape[2] - 1, False,
                               p.ctc_merge_repeated)[0]
    value, pull = _transforms.vjp(loss, x)
    # A sequence with more labels than steps has an infinite loss and no gradient, whether ignored or not, as in MindSpore.
    return value, _k.stop_gradient(pull(_k.cast(_k.isfinite(value), value.dtype))[0])


def _ctc_targets(places, values, batch, collapse):
    """Returns (labels as int32 rows (batch, longest), their lengths) of values at places (batch, number). With
    `collapse`, equal neighbours count once."""
    import numpy
    rows = [[] for _ in range(batch)]
    for (row, _), value in sorted(zip(map(tuple, places.tolist()), values.tolist())):
        if not (collapse and rows[row] and rows[row][-1] == value):
            rows[row].append(value)
    lengths = numpy.array([len(row) for row in rows], numpy.int32)
    targets = numpy.zeros((batch, max(1, lengths.max())), numpy.int32)
    for row, labels in zip(targets, rows):
        row[:len(labels)] = labels
    return targets, lengths


def _greedy(p, inputs, sequence_length):
    return _lo.ctc_greedy_decoder(inputs, sequence_length, p.merge_repeated)


def _ctc(p, log_probs, targets, input_lengths, target_lengths):
    """Returns (loss of each sequence, log probabilities of its prefixes (batch, time, 2 * longest + 1))."""
    if p.reduction != "none":
        raise ValueError("[%s] reduction, got %r, expected 'none'" % (p.name, p.reduction))
    return _lo.ctc_loss(log_probs, targets, input_lengths, target_lengths, p.blank, "none", p.zero_infinity)


def _pad(p, x, paddings, constant_value=None):
    """Pads x by mode 'constant', 'reflect', 'edge' or 'circular'; paddings lists (before, after) from the last axis on, as ops.pad.

    Without paddings_contiguous the numbers before each axis come first, then those after it. constant_value is 0 by default.
    """
    numbers = list(_check_sizes(paddings, p.name, "paddings"))
    if not p.paddings_contiguous:  # the numbers before each axis come first, then those after each axis
        half = len(numbers) // 2
        numbers = [n for pair in zip(numbers[:half], numbers[half:]) for n in pair]
    value = constant_value.item() if isinstance(constant_value, _Tensor) else constant_value
    mode = {"edge": "replicate"}.get(p.mode, p.mode)
    return _p.pad(x, numbers, mode, value if mode == "constant" else None)


_FRACTIONAL = {"pooling_ratio": _REQUIRED, "pseudo_random": False, "overlapping": False, "deterministic": False, "seed": 0, "seed2": 0}


def _largest(x, axis):
    return _k.max(x, axis)


def _fractional_solid(p, x, random_samples):
    """Takes the largest elements of output_shape windows of size ksize at random places in x (n, c, d, h, w); random_samples (n, c, 3) places them.

    Returns (elements, their indices in the flattened volume) (Graham 2014).
    """
    kernel, out = _f._sizes(p.name, p.ksize, 3, "ksize"), _f._sizes(p.name, p.output_shape, 3, "output_shape")
    return _f.fractional(p.name, x, kernel, out, random_samples)


def _fractional_plane(p, x, random_samples):
    """Takes the largest elements of output_shape windows of size ksize at random places in x (n, c, h, w); random_samples (n, c, 2) places them.

    Returns (elements, their indices in the flattened image) (Graham 2014).
    """
    kernel, out = _f._sizes(p.name, p.ksize, 2, "ksize"), _f._sizes(p.name, p.output_shape, 2, "output_shape")
    return _f.fractional(p.name, x, kernel, out, random_samples)


def _deformable(p, x, offsets):
    """Samples x (n, c, h, w) at places moved by offsets, for a deformable convolution (Dai et al. 2017): (n, c, h' kh, w' kw).

    offsets is (n, 3 groups kh kw, h', w'): rows, columns and, if modulated, factors (Zhu et al. 2019). strides, pads and dilations are 4 ints.
    Raises ValueError for other numbers of them.
    """
    for what, value in (("strides", p.strides), ("pads", p.pads), ("dilations", p.dilations)):
        if len(_check_sizes(value, p.name, what)) != 4:
            raise ValueError("[%s] %s, got %r, expected 4 ints" % (p.name, what, value))
    if len(_check_sizes(p.ksize, p.name, "ksize")) != 2:
        raise ValueError("[%s] ksize, got %r, expected 2 ints" % (p.name, p.ksize))
    if _check(x, p.name).ndim != 4 or _check(offsets, p.name).ndim != 4:
        raise ValueError("[%s] ranks of x and offsets, got %d and %d, expected 4" % (p.name, x.ndim, _check(offsets, p.name).ndim))
    return _e.deformed(x, offsets, p.ksize, p.strides[2:], (p.pads[0], p.pads[2]), p.dilations[2:], p.deformable_groups, p.modulated)


def _block(p, x, forward):
    size, edges = p.block_size, p.paddings if forward else p.crops
    what = "paddings" if forward else "crops"
    edges = [_check_pair(pair, p.name, "a pair of " + what) for pair in _iterable(edges, p.name, what, "two pairs of ints")]
    return (_im.space_to_batch_nd if forward else _im.batch_to_space_nd)(x, [size, size], edges)


def _no_repeat(p, state_seq, log_probs):
    """Writes the lowest number over the scores of words that would repeat an n-gram of ngram_size words.

    state_seq (..., length) holds the words so far, log_probs (..., words) the scores; returns a copy of these. The values are read, so a graph ends
    here.
    """
    import numpy
    if not _check(state_seq, p.name).ndim or not _check(log_probs, p.name).ndim:
        raise ValueError("[%s] ranks of state_seq and log_probs, got %d and %d, expected at least 1" % (p.name, state_seq.ndim, log_probs.ndim))
    if log_probs.dtype not in _mstype.float_type:
        raise TypeError("[%s] dtype of log_probs, got %s, expected a float" % (p.name, log_probs.dtype))
    _check_index(p.ngram_size, p.name, "ngram_size")
    words, scores = state_seq.asnumpy(), log_probs.asnumpy().copy()
    n = p.ngram_size
    least = numpy.finfo(scores.dtype).min
    for row, out in zip(words.reshape(-1, words.shape[-1]), scores.reshape(-1, scores.shape[-1])):
        last = row[len(row) - n + 1:]
        for i in range(len(row) - n + 1):
            if (row[i:i + n - 1] == last).all():
                out[row[i + n - 1]] = least
    return _Tensor(scores)


def _edits(first, second):
    row = list(range(len(second) + 1))
    for i, one in enumerate(first, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(second, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


def _edit_distance(p, hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape):
    """Counts the insertions, deletions and replacements from each hypothesis to its truth (Levenshtein 1966); normalize divides by the truth's
    length.

    Both are sequences as (coordinates, values, shape), where the last coordinate is the place in the sequence. Returns float32 of the shape without
    the last axis; an empty truth gives infinity, or 0 for an empty hypothesis. The values are read, so a graph ends here.
    """
    import numpy
    shape = tuple(max(a, b) for a, b in zip(hypothesis_shape.tolist()[:-1], truth_shape.tolist()[:-1]))

    def sequences(indices, values):
        found = {}
        for place, value in zip(indices.asnumpy().tolist(), values.asnumpy().tolist()):
            found.setdefault(tuple(place[:-1]), []).append(value)
        return found
    given, wanted = sequences(hypothesis_indices, hypothesis_values), sequences(truth_indices, truth_values)
    out = numpy.zeros(shape, numpy.float32)
    for place in numpy.ndindex(shape):
        first, second = given.get(place, []), wanted.get(place, [])
        count = float(_edits(first, second))
        if p.normalize:
            count = count / len(second) if second else (numpy.inf if first else 0.0)
        out[place] = count
    return _Tensor(out)


def _keep_mask(p, shape, keep_prob):
    """Draws one bit for each element, whether it is kept, eight bits to a uint8; the count is rounded up to a multiple of 128."""
    import numpy
    sizes = _check_sizes(shape, p.name)
    _check_seeds(p.name, p.Seed0, p.Seed1), _real(keep_prob, p.name, "keep_prob")
    total = 1
    for size in sizes:
        total *= size
    count = -(-total // 128) * 128
    drawn = _uniform((count,), _mstype.float32, _seed(p.Seed0, p.Seed1)).asnumpy()
    return _Tensor(numpy.packbits(drawn < float(keep_prob), bitorder="little"))


def _masked(p, x, mask, keep_prob):
    """Sets elements of x to 0 where the bit of a mask of DropoutGenMask is 0, and divides the others by keep_prob. The result has the shape of x."""
    import numpy
    if _check(mask, p.name).dtype != _mstype.uint8 or mask.size * 8 < _check(x, p.name).size:
        raise ValueError("[%s] mask, got %d elements of %s, expected bits for %d elements in uint8" % (p.name, mask.size, mask.dtype, x.size))
    _real(keep_prob, p.name, "keep_prob")
    bits = numpy.unpackbits(mask.asnumpy(), bitorder="little")[:x.size].astype(bool)
    return _k.where(_Tensor(bits.reshape(tuple(x.shape))), x / float(keep_prob), _k.zeros_like(x))


def _randperm(p, n):
    """Returns a random order of the numbers 0 to n - 1, followed by `pad` up to max_length: (max_length,), of dtype.

    Raises ValueError for an n above max_length.
    """
    count, longest = int(_real(n, p.name, "n")), _check_index(p.max_length, p.name, "max_length")
    if count > longest:
        raise ValueError("[%s] n, got %d, expected at most max_length, %d" % (p.name, count, longest))
    return _k.concat([_k.cast(_s.randperm(count), p.dtype), _k.full((longest - count,), p.pad, p.dtype)])


def _fixed_width(p, x, range):
    """Counts the elements of x in each of nbins equal parts of range, (low, high); elements outside count in the first or last part. Returns
    (nbins,).
    """
    low, high = range.tolist()
    inside = _k.clip(x, low, high)
    return _k.cast(_st.histc(inside, p.nbins, low, high), p.dtype)


def _python_call(p, *inputs):
    """Calls the Python function fn with the inputs as NumPy arrays; returns a tuple of Tensors of the dtypes out_types. No gradient flows through
    it.
    """
    values = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)) else inputs
    if not callable(p.fn):
        raise TypeError("[%s] fn, got %s, expected a function" % (p.name, type(p.fn).__name__))
    made = p.fn(*[v.asnumpy() if isinstance(v, _Tensor) else v for v in values])
    made = made if isinstance(made, (tuple, list)) else (made,)
    return tuple(_k.cast(_Tensor(item), kind) for item, kind in zip(made, p.out_types))


class Morph(Primitive):
    """Makes a primitive of the Python function fn, with the gradient function bprop_fn.

    infer_shape and infer_dtype describe the result; they are not called. bprop_fn(*inputs, output, gradient) returns a
    gradient for each input, as a Cell's bprop does.
    """

    def __init__(self, fn, infer_shape, infer_dtype, bprop_fn=None):
        super().__init__()
        for what, value in (("fn", fn), ("infer_shape", infer_shape), ("infer_dtype", infer_dtype)):
            if not callable(value):
                raise TypeError("[%s] %s, got %s, expected a function" % (self.name, what, type(value).__name__))
        from ..custom_function import with_gradient
        self._run = fn if bprop_fn is None else with_gradient(fn, bprop_fn)

    def __call__(self, *args):
        return self._run(*args)


class CopyWithSlice(Primitive):
    """Writes y, which broadcasts to the shape of x, to x, a Parameter or a view of one, in place, in the dtype of x; returns x.

    Raises ValueError for a y that does not broadcast to x, TypeError for anything but Tensors.
    """

    def __call__(self, x, y):
        _check(x, self.name), _check(y, self.name)
        x[...] = y if y.dtype == x.dtype else _k.cast(y, x.dtype)
        return x


class TupleToTensor(Primitive):
    """Converts a tuple or list of n numbers to a Tensor (n,) of dtype; by default ints give int64, a float among them float32, bools bool.

    Raises TypeError for anything else.
    """

    def __call__(self, input_tuple, dtype=None):
        if not isinstance(input_tuple, (tuple, list)):
            raise TypeError("[%s] argument, got %s, expected a tuple" % (self.name, type(input_tuple).__name__))
        return _Tensor(list(input_tuple)) if dtype is None else _Tensor(list(input_tuple), dtype)


class ListToTensor(TupleToTensor):
    """Converts a list or tuple of n numbers to a Tensor (n,), as TupleToTensor does."""


def _fractional_mean(p, x):
    """Pools x (n, h, w, c) by the means of regions whose sizes vary, as FractionalMaxPool does by the largest; means of integers are cut."""
    pooled, rows, columns = _f.fractional_pool(p.name, p, x, _k.mean)
    return _k.cast(pooled, x.dtype), rows, columns


_MULTILABEL = """Computes the hinge loss of rows x (n, classes) with several labels: the sum over pairs of max(0, 1 - (x[label] - x[other])).

The sum is divided by the number of classes. target (n, classes), int32, holds the labels of each row, ended by -1. Returns (loss, int32 mask of the
labels). reduction is 'mean', 'sum' or 'none'."""
_SCATTER_ADD = """Returns a copy of x with elements added along an axis: out[indices[i][j]][j] += updates[i][j] for axis 0 of a matrix.

indices, integers, and updates have the rank of x. Raises IndexError for an index outside the axis, ValueError for an axis that x does not have."""
_LOG_SOFTMAX = """Computes x - log(sum(exp(x))) along the axis dim, of x cast to dtype where one is given. The result has the shape of x.

Without dim it is axis 0 of tensors of 0, 1 and 3 axes, and axis 1 of others. Raises ValueError for an axis that x does not have."""
_FRACTIONAL_MAX = """Takes the largest elements of regions of x (n, h, w, c) whose sizes vary, so that an axis shrinks by pooling_ratio (Graham 2014).

Returns (elements, bounds of the rows, bounds of the columns), the bounds int64. pseudo_random and overlapping choose the regions; seeds make them the
same in each call."""
_SUMMARY = """Does nothing. In MindSpore it records %s in a SummaryRecord, and without one does nothing either."""

__all__ = ["Morph", "CopyWithSlice", "TupleToTensor", "ListToTensor"] + _rows(globals(), (
    ("NLLLoss", {"reduction": "mean", "ignore_index": -100}, _nll),
    ("MultiMarginLoss", {"p": 1, "margin": 1.0, "reduction": "mean"}, lambda p, x, target, weight=None:
     _lo.multi_margin_loss(x, target, p.p, p.margin, weight, p.reduction), _lo.multi_margin_loss),
    ("MultilabelMarginLoss", _MEAN, lambda p, x, target:
     (_lo.multilabel_margin_loss(x, target, p.reduction), _k.cast(_lo._targets(target)[2], _mstype.int32)), _MULTILABEL),
    ("SoftMarginLoss", _MEAN, lambda p, x, target: _lo.soft_margin_loss(x, target, p.reduction), _lo.soft_margin_loss),
    ("TripletMarginLoss", {"p": 2, "swap": False, "eps": 1e-06, "reduction": "mean"}, lambda p, x, positive, negative, margin:
     _lo.triplet_margin_loss(x, positive, negative, float(_real(margin, p.name, "margin")), p.p, p.eps, p.swap, p.reduction), _lo.triplet_margin_loss),
    ("CTCGreedyDecoder", {"merge_repeated": True}, _greedy, _lo.ctc_greedy_decoder),
    ("CTCLoss", {"preprocess_collapse_repeated": False, "ctc_merge_repeated": True, "ignore_longer_outputs_than_inputs": False},
     _ctc_of_scores),
    ("CTCLossV2", {"blank": 0, "reduction": "none", "zero_infinity": False}, _ctc),
    ("PadV3", {"mode": "constant", "paddings_contiguous": True}, _pad),
    ("FractionalMaxPool", _FRACTIONAL, lambda p, x: _f.fractional_pool(p.name, p, x, _largest), _FRACTIONAL_MAX),
    ("FractionalAvgPool", _FRACTIONAL, _fractional_mean),
    ("FractionalMaxPoolWithFixedKsize", {"ksize": _REQUIRED, "output_shape": _REQUIRED, "data_format": "NCHW"}, _fractional_plane),
    ("FractionalMaxPool3DWithFixedKsize", {"ksize": _REQUIRED, "output_shape": _REQUIRED, "data_format": "NCDHW"},
     _fractional_solid),
    ("DeformableOffsets", {"strides": _REQUIRED, "pads": _REQUIRED, "ksize": _REQUIRED, "dilations": (1, 1, 1, 1),
                           "data_format": "NCHW", "deformable_groups": 1, "modulated": True}, _deformable),
    ("SpaceToBatch", {"block_size": _REQUIRED, "paddings": _REQUIRED}, lambda p, x: _block(p, x, True), _im.space_to_batch_nd),
    ("BatchToSpace", {"block_size": _REQUIRED, "crops": _REQUIRED}, lambda p, x: _block(p, x, False), _im.batch_to_space_nd),
    ("NoRepeatNGram", {"ngram_size": 1}, _no_repeat), ("EditDistance", {"normalize": True}, _edit_distance),
    ("DropoutGenMask", {"Seed0": 0, "Seed1": 0}, _keep_mask), ("DropoutDoMask", {}, _masked),
    ("Randperm", {"max_length": 1, "pad": -1, "dtype": _mstype.int32}, _randperm),
    ("HistogramFixedWidth", {"nbins": _REQUIRED, "dtype": "int32"}, _fixed_width),
    ("Quantile", {"dim": None, "keep_dims": False, "ignore_nan": False}, lambda p, x, q:
     (_st.nanquantile if p.ignore_nan else _st.quantile)(x, q, p.dim, p.keep_dims), _st.quantile),
    ("LogSoftmaxExt", {}, lambda p, x, dim=None, dtype=None: _ac.log_softmax(
        x if dtype is None else _k.cast(x, dtype), (0 if _check(x, p.name).ndim in (0, 1, 3) else 1) if dim is None else dim),
     _LOG_SOFTMAX),
    ("RmsNorm", {"epsilon": 1e-6}, lambda p, x, gamma: _e.rms_norm(x, gamma, p.epsilon), _e.rms_norm),
    ("ScatterAddWithAxis", {"axis": 0}, lambda p, x, indices, updates: _k.scatter_elements(
        x, indices, updates, p.axis, "add"), _SCATTER_ADD),
    ("Reusing", {}, lambda p, x: x, "Returns x itself."),
    ("MoveTo", {}, lambda p, x, to="CPU", blocking=True: _e.move_to(x, to, blocking), _e.move_to),
    ("PyFunc", {"fn": _REQUIRED, "in_types": _REQUIRED, "in_shapes": _REQUIRED, "out_types": _REQUIRED, "out_shapes": _REQUIRED,
                "stateful": True}, _python_call),
    ("ImageSummary", {}, lambda p, name, value: None, _SUMMARY % "images"),
    ("TensorSummary", {}, lambda p, name, value: None, _SUMMARY % "a tensor"),
    ("HistogramSummary", {}, lambda p, name, value: None, _SUMMARY % "a histogram"),
))
