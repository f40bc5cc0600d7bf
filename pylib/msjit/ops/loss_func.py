"""Losses that are made of other operators, and greedy decoding for CTC, under MindSpore's names and argument orders."""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_number as _number
from ..common.checks import check_same_shape as _same_shape
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor
from ..common.tensor import check_tensor as _tensor
from . import registry as _k
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_operand as _operand
from .argument_kinds import check_real as _real
from .math_func import clamp as _clamp
from .nn_func import reduce_loss as _reduce

_REDUCTIONS = ("none", "mean", "sum")
_IMPOSSIBLE = -1e30  # in place of log(0); it is finite so that gradients are 0 and not NaN


def _check_reduction(where, reduction):
    if reduction not in _REDUCTIONS:
        raise ValueError("[%s] reduction, got %r, expected 'mean', 'sum' or 'none'" % (where, reduction))


def gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction="mean"):
    """Gaussian negative log likelihood 0.5 * (log(v) + (x - target)^2 / v), where v = max(var, eps).

    full adds the constant 0.5 * log(2 pi).
    """
    where = "gaussian_nll_loss"
    for value in (x, target, var):
        _tensor(value, where)
    if not isinstance(full, bool):
        raise TypeError("[%s] full must be a bool, got %s" % (where, type(full).__name__))
    if not isinstance(eps, float) or eps <= 0:
        raise ValueError("[%s] eps must be a positive float, got %s" % (where, eps))
    _check_reduction(where, reduction)
    if x.shape != var.shape and x.shape[:-1] == var.shape:
        var = _k.expand_dims(var, -1)
    var = _k.maximum(var, eps)
    try:
        loss = 0.5 * (_k.log(var) + _k.square(x - target) / var)
    except _ERRORS as error:
        _rename(error, "gaussian_nll_loss")
        raise
    if full:
        loss = loss + 0.5 * _math.log(2 * _math.pi)
    return _reduce(loss, reduction)


def hinge_embedding_loss(inputs, targets, margin=1.0, reduction="mean"):
    """Hinge embedding loss: x where the target is positive, max(0, margin - x) where it is negative, for targets 1 and -1. The shapes broadcast.

    reduction is 'mean' (the default), 'sum' or 'none', which keeps the shape. Raises ValueError for another reduction and for shapes that do not
    broadcast.
    """
    where = "hinge_embedding_loss"
    _tensor(inputs, where), _tensor(targets, where)
    margin = _number(margin, where, "margin")
    _check_reduction(where, reduction)
    zero = _k.zeros_like(inputs)
    try:
        loss = _k.where(targets > 0, inputs, zero) + _k.where(targets < 0, _k.maximum(margin - inputs, 0), zero)
    except _ERRORS as error:
        _rename(error, "hinge_embedding_loss")
        raise
    return _reduce(loss, reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """Ranking loss max(0, -target (input1 - input2) + margin), for targets 1 (input1 is to rank higher) and -1. The shapes broadcast.

    reduction is 'mean' (the default), 'sum' or 'none', which keeps the shape. Raises ValueError for another reduction and for shapes that do not
    broadcast, TypeError for different dtypes of the inputs.
    """
    where = "margin_ranking_loss"
    _number(margin, where, "margin", float)
    for value in (input1, input2, target):
        if _tensor(value, where).dtype != input1.dtype:
            raise TypeError("[%s] dtypes, got %s and %s, expected the same" % (where, input1.dtype, value.dtype))
    try:
        return _reduce(_clamp(-target * (input1 - input2) + margin, 0), reduction)
    except _ERRORS as error:
        _rename(error, "margin_ranking_loss")
        raise


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean"):
    """Mean over the classes (the last axis) of the binary cross entropy of sigmoid(input) with the target, 0 or 1; weight scales the classes.

    reduction is 'mean' (the default), 'sum' or 'none', which leaves one loss for each row. Raises ValueError for another reduction and for tensors
    without axes, TypeError for anything but Tensors.
    """
    where = "multilabel_soft_margin_loss"
    if not _tensor(input, where).ndim:
        raise ValueError("[%s] rank of input, got 0, expected at least 1" % where)
    _tensor(target, where)
    if weight is not None:
        _operand(weight, where, "weight")
    try:
        loss = target * _k.softplus(-input) + (1 - target) * _k.softplus(input)
        if weight is not None:
            loss = loss * weight
    except _ERRORS as error:
        _rename(error, where)
        raise
    return _reduce(_k.sum(loss, -1) / input.shape[-1], reduction)


def _scores(where, input, classes, axis):
    try:
        return _k.gather_elements(input, classes, axis)
    except _ERRORS as error:
        _rename(error, where)
        raise


def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction="mean"):
    """Multi-class hinge loss of input (N, C) and target classes (N,).

    The loss of a row x is the sum over classes i other than t of weight[t] * max(0, margin - x[t] + x[i])^p, divided by C.
    """
    where = "multi_margin_loss"
    _tensor(input, where), _tensor(target, where)
    if p not in (1, 2):
        raise ValueError("[%s] p, got %r, expected 1 or 2" % (where, p))
    margin = _number(margin, where, "margin")
    _check_reduction(where, reduction)
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError("[%s] shapes of input and target, got %s and %s, expected (N, C) and (N,)"
                         % (where, input.shape, target.shape))
    at = _k.expand_dims(target, 1)
    gap = _k.relu(margin - _scores(where, input, at, 1) + input)
    loss = gap if p == 1 else gap * gap
    if weight is not None:
        loss = loss * _k.expand_dims(_k.gather(weight, target, 0), 1)
    wrong = _k.not_equal(at, _k.arange(0, input.shape[1], 1, dtype=target.dtype))
    return _reduce(_k.sum(_k.where(wrong, loss, _k.zeros_like(loss)), 1) / input.shape[1], reduction)


def _targets(target):
    """For rows of classes that end at the first -1: (mask of valid positions, class at each position or 0, mask of
    classes among the targets)."""
    counts = _k.equal(_k.cumsum(_k.cast(_k.less(target, 0), _mstype.int32), -1), 0)
    at = _k.where(counts, target, _k.zeros_like(target))
    chosen = _k.equal(_k.expand_dims(at, -1), _k.arange(0, target.shape[-1], 1, dtype=target.dtype))
    return counts, at, _k.any(_k.logical_and(chosen, _k.expand_dims(counts, -1)), [-2], False)


def multilabel_margin_loss(input, target, reduction="mean"):
    """Multi-label hinge loss of input (C,) or (N, C) and rows of target classes that end at their first -1.

    The loss of a row x is the sum over its targets t and all other classes i of max(0, 1 - x[t] + x[i]), divided by C.
    """
    where = "multilabel_margin_loss"
    _same_shape(where, input, target, ("input", "target"))
    if input.ndim not in (1, 2):
        raise ValueError("[%s] rank of input, got %d, expected 1 or 2" % (where, input.ndim))
    _check_reduction(where, reduction)
    classes = input.shape[-1]
    counts, at, chosen = _targets(target)
    other = _k.logical_not(_k.expand_dims(chosen, -2))
    gap = _k.relu(1 - _k.expand_dims(_scores(where, input, at, -1), -1) + _k.expand_dims(input, -2))
    pairs = _k.logical_and(_k.expand_dims(counts, -1), other)
    return _reduce(_k.sum(_k.where(pairs, gap, _k.zeros_like(gap)), (-2, -1)) / classes, reduction)


def soft_margin_loss(input, target, reduction="mean"):
    """Logistic loss log(1 + exp(-target input)), for targets 1 and -1, of the shape of input.

    reduction is 'mean' (the default), 'sum' or 'none', which keeps the shape. Raises ValueError for another reduction and for a target of another
    shape.
    """
    _same_shape("soft_margin_loss", input, target, ("input", "target"))
    return _reduce(_k.softplus(-target * input), reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction="mean"):
    """Triplet loss max(0, d(anchor, positive) - d(anchor, negative) + margin).

    d(x, y) is the p-norm of x - y + eps over the last axis. With swap, the second distance is the smaller one of d(anchor,
    negative) and d(positive, negative). Raises TypeError for anything but Tensors and for a margin, p or eps that is no number.
    """
    where = "triplet_margin_loss"
    for value in (anchor, positive, negative):
        _tensor(value, where)
    _operand(margin, where, "margin"), _real(p, where, "p"), _operand(eps, where, "eps")
    _check_reduction(where, reduction)
    try:
        near, far = _distance(anchor, positive, p, eps), _distance(anchor, negative, p, eps)
        if swap:
            far = _k.minimum(far, _distance(positive, negative, p, eps))
        return _reduce(_k.maximum(near - far + margin, 0), reduction)
    except _ERRORS as error:
        _rename(error, "triplet_margin_loss")
        raise


def _distance(x, y, p, eps):
    gap = _k.abs(x - y + eps)
    if p == 1:
        return _k.sum(gap, -1)
    if p == 2:
        return _k.sqrt(_k.sum(_k.square(gap), -1))
    return _k.pow(_k.sum(_k.pow(gap, float(p)), -1), 1.0 / p)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """Cosine loss: 1 - cos for pairs labelled 1, max(0, cos - margin) for pairs labelled -1.

    cos is the cosine of the angle between input1 and input2 along axis 1.
    """
    where = "cosine_embedding_loss"
    for value in (input1, input2, target):
        _tensor(value, where)
    if not -1 <= _number(margin, where, "margin") <= 1:
        raise ValueError("[%s] margin must be in [-1, 1], got %s" % (where, margin))
    if input1.dtype != input2.dtype:
        raise TypeError("[%s] dtypes, got %s and %s, expected the same" % (where, input1.dtype, input2.dtype))
    if input1.shape != input2.shape:
        raise ValueError("[%s] shapes, got %s and %s, expected the same" % (where, input1.shape, input2.shape))
    if input1.ndim < 2 or target.shape != input1.shape[:1] + input1.shape[2:]:
        raise ValueError("[%s] shape of target, got %s, expected that of input1 without axis 1" % (where, target.shape))
    if input1.dtype in (_mstype.int32, _mstype.int64):
        input1, input2 = _k.cast(input1, _mstype.float32), _k.cast(input2, _mstype.float32)
    norms = _k.sqrt(_k.sum(_k.square(input1), 1)) * _k.sqrt(_k.sum(_k.square(input2), 1))
    cosine = _k.sum(input1 * input2, 1) / norms
    zero = _k.zeros_like(cosine)
    loss = _k.where(_k.equal(target, 1), 1 - cosine, zero)
    return _reduce(loss + _k.where(_k.equal(target, -1), _k.maximum(cosine - margin, 0), zero), reduction)


# -- connectionist temporal classification ---------------------------------------------------------------------------


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Connectionist temporal classification loss (Graves et al. 2006): the negative log likelihood of label sequences
    over all alignments.

    Returns (loss, log alpha), where alpha are the forward variables (N, T, 2 S + 1).

    log_probs (T, N, C): logarithms of probabilities; targets (N, S), or all sequences joined (sum of target_lengths,).
    'mean' divides by the lengths of the targets first. A sequence that cannot be aligned costs infinity, or 0 with
    zero_infinity.
    """
    where = "ctc_loss"
    _check_ctc(where, log_probs, targets, blank, reduction, zero_infinity)
    batch = log_probs.shape[1]
    input_lengths = _lengths(input_lengths, where, "input_lengths", batch)
    target_lengths = _lengths(target_lengths, where, "target_lengths", batch)
    if targets.ndim == 1:
        targets = _rows(targets, target_lengths)
    elif targets.ndim != 2 or targets.shape[0] != batch:
        raise ValueError("[%s] shape of targets, got %s, expected (%d, S)" % (where, targets.shape, batch))
    loss, alphas = ctc_of_rows(log_probs, _k.cast(targets, _mstype.int32), input_lengths, target_lengths, blank, zero_infinity)
    if reduction == "mean":
        loss = loss / _k.cast(_k.maximum(target_lengths, 1), loss.dtype)
    return _reduce(loss, reduction), alphas


def ctc_of_rows(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, merge=True):
    """CTC of targets (N, S): returns (the loss of each row, log forward variables).

    With `merge`, labels repeated without a blank between them count as one label, as in CTC. Without it each one counts.
    """
    alphas = _ctc_alphas(log_probs, targets, input_lengths, blank, merge)
    ends = _k.expand_dims(2 * target_lengths, 1)
    last = _k.gather_elements(alphas[-1], ends, 1)
    before = _k.gather_elements(alphas[-1], _k.maximum(ends - 1, 0), 1)
    before = _k.where(ends > 0, before, _k.full_like(before, _IMPOSSIBLE))
    loss = -_k.squeeze(_k.logaddexp(last, before), [1])
    impossible = loss > -0.5 * _IMPOSSIBLE
    loss = _k.where(impossible, _k.full_like(loss, 0.0 if zero_infinity else _math.inf), loss)
    alphas = _k.swapaxes(alphas, 0, 1)
    return loss, _k.where(alphas < 0.5 * _IMPOSSIBLE, _k.full_like(alphas, -_math.inf), alphas)


def _ctc_alphas(log_probs, targets, input_lengths, blank, merge):
    """The log forward variables (T, N, 2 S + 1); steps past the length of an input repeat its last step."""
    steps, batch, _ = log_probs.shape
    gaps = _k.full_like(targets, blank)
    labels = _k.stack((gaps, targets), 2).reshape(batch, -1)
    labels = _k.concat((labels, _k.full((batch, 1), blank, dtype=_mstype.int32)), 1)  # blank, label, blank, ..., blank
    width = labels.shape[1]
    # An alignment may skip the blank between two labels unless they are the same.
    skip = _k.concat((_k.full((batch, 2), blank, dtype=_mstype.int32), labels[:, :width - 2]), 1) if width > 2 else labels
    is_label = _k.not_equal(labels, blank)
    skips = _k.logical_and(is_label, _k.not_equal(labels, skip)) if merge else is_label
    rows = _k.gather_elements(log_probs, _k.broadcast_to(labels, (steps, batch, width)), 2)
    edge = _k.full((batch, 2), _IMPOSSIBLE, dtype=log_probs.dtype)
    nothing = _k.full((batch, width), _IMPOSSIBLE, dtype=log_probs.dtype)
    alive = _k.expand_dims(input_lengths, 1)
    alpha = _k.concat((rows[0][:, :2], nothing[:, 2:]), 1)
    alphas = [alpha]
    for t in range(1, steps):
        padded = _k.concat((edge, alpha), 1)
        stayed = alpha if merge else _k.where(is_label, nothing, alpha)
        reached = _k.logaddexp(stayed, padded[:, 1:width + 1])
        reached = _k.logaddexp(reached, _k.where(skips, padded[:, :width], nothing))
        alpha = _k.where(alive > t, _k.maximum(reached + rows[t], _IMPOSSIBLE), alpha)
        alphas.append(alpha)
    return _k.stack(alphas, 0)


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    """Decodes CTC scores greedily: the best class of each step, without blanks; merge_repeated joins repeated classes.

    Returns (coordinates (n, 2) of the decoded classes, the classes, (batch, longest), minus the sum of the greatest
    scores). inputs is (time, batch, classes), and the last class is the blank; the first three results are int64. No
    gradient. Raises TypeError for anything but Tensors and for a merge_repeated that is no bool.
    """
    import numpy
    if _tensor(inputs, "ctc_greedy_decoder").ndim != 3:
        raise ValueError("[ctc_greedy_decoder] rank of inputs, got %d, expected 3" % inputs.ndim)
    if tuple(_tensor(sequence_length, "ctc_greedy_decoder").shape) != (inputs.shape[1],):
        raise ValueError("[ctc_greedy_decoder] shape of sequence_length, got %s, expected (%d,)"
                         % (tuple(sequence_length.shape), inputs.shape[1]))
    if not isinstance(merge_repeated, bool):
        merge_repeated = bool(_check_index(merge_repeated, "ctc_greedy_decoder", "merge_repeated"))
    scores, blank = inputs.asnumpy(), inputs.shape[2] - 1
    rows, total = [], numpy.zeros((inputs.shape[1], 1), scores.dtype)
    for b, steps in enumerate(sequence_length.tolist()):
        best = scores[:steps, b].argmax(1)
        total[b, 0] = -scores[:steps, b].max(1).sum()
        before = numpy.concatenate([[-1], best[:-1]])
        rows.append(best[(best != blank) & ~(merge_repeated & (best == before))])
    places = [(b, t) for b, row in enumerate(rows) for t in range(len(row))]
    longest = max([len(row) for row in rows] + [0])
    return (Tensor(numpy.array(places, numpy.int64).reshape(-1, 2)), Tensor(numpy.concatenate(rows).astype(numpy.int64)),
            Tensor(numpy.array([len(rows), longest], numpy.int64)), Tensor(total))


def _check_ctc(where, log_probs, targets, blank, reduction, zero_infinity):
    _tensor(log_probs, where), _tensor(targets, where)
    if not isinstance(zero_infinity, bool):
        raise TypeError("[%s] zero_infinity must be a bool, got %s" % (where, type(zero_infinity).__name__))
    if isinstance(blank, bool) or not isinstance(blank, int):
        raise TypeError("[%s] blank must be an int, got %s" % (where, type(blank).__name__))
    _check_reduction(where, reduction)
    if log_probs.dtype not in (_mstype.float32, _mstype.float64):
        raise TypeError("[%s] dtype of log_probs, got %s, expected float32 or float64" % (where, log_probs.dtype))
    if targets.dtype not in (_mstype.int32, _mstype.int64):
        raise TypeError("[%s] dtype of targets, got %s, expected int32 or int64" % (where, targets.dtype))
    if log_probs.ndim != 3:
        raise ValueError("[%s] rank of log_probs, got %d, expected 3" % (where, log_probs.ndim))
    if not 0 <= blank < log_probs.shape[2]:
        raise ValueError("[%s] blank, got %d, expected a class below %d" % (where, blank, log_probs.shape[2]))


def _lengths(value, where, what, batch):
    """Lengths as an int32 Tensor (batch,)."""
    if isinstance(value, (tuple, list)):
        value = Tensor(list(value), _mstype.int32)
    if _tensor(value, where).dtype not in (_mstype.int32, _mstype.int64):
        raise TypeError("[%s] dtype of %s, got %s, expected int32 or int64" % (where, what, value.dtype))
    if value.size != batch or value.ndim > 1:
        raise ValueError("[%s] shape of %s, got %s, expected (%d,)" % (where, what, value.shape, batch))
    return _k.cast(value, _mstype.int32).reshape(batch)


def _rows(targets, lengths):
    """Converts joined sequences to rows (N, S); elements after the end of a sequence are arbitrary."""
    starts = _k.cumsum(lengths, 0) - lengths
    longest = max(max(lengths.tolist()), 1)
    at = _k.expand_dims(starts, 1) + _k.arange(0, longest, 1, dtype=_mstype.int32)
    return _k.gather(targets, _k.minimum(at, targets.shape[0] - 1), 0)


__all__ = ["ctc_greedy_decoder", "gaussian_nll_loss", "hinge_embedding_loss", "margin_ranking_loss", "multilabel_soft_margin_loss",
           "multi_margin_loss", "multilabel_margin_loss", "soft_margin_loss", "triplet_margin_loss",
           "cosine_embedding_loss", "ctc_loss"]
