"""Losses that are negative log likelihoods or divergences."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_int
from ..common.error_names import ERRORS, rename
from ..common.tensor import check_tensor
from .loss_base import LossBase


class KLDivLoss(LossBase):
    """Kullback-Leibler divergence labels * (log(labels) - logits), where logits are log probabilities.

    reduction 'batchmean' divides the sum by the size of the batch. Raises ValueError for two shapes and for another reduction, TypeError for
    anything but Tensors.
    """

    def __init__(self, reduction="mean"):
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.reduction = reduction

    def construct(self, logits, labels):
        return ops.kl_div(logits, labels, self.reduction)


class CTCLoss(LossBase):
    """Connectionist temporal classification loss (Graves et al. 2006) of log probabilities (T, N, C) or (T, C).

    It is -log of the probability of all alignments of the targets to the T steps. targets is (N, S) or, joined, (sum of target_lengths,); blank
    is the class of no label. reduction 'mean' divides each loss by its target length first. zero_infinity makes infinite losses 0. Raises
    ValueError for a blank outside [0, C) and for another reduction, TypeError for targets that are not int32 or int64.
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def construct(self, log_probs, targets, input_lengths, target_lengths):
        single = check_tensor(log_probs, "ctc_loss").ndim == 2
        if single:
            log_probs = ops.expand_dims(log_probs, 1)
            if check_tensor(targets, "ctc_loss").ndim == 1:
                targets = ops.expand_dims(targets, 0)
        loss = ops.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
                            self.zero_infinity)[0]
        return ops.squeeze(loss, 0) if single and self.reduction == "none" else loss


class GaussianNLLLoss(LossBase):
    """Gaussian negative log likelihood 0.5 * (log(v) + (logits - labels)^2 / v), where v = max(var, eps).

    full adds the constant 0.5 * log(2 pi). reduction is 'mean', 'sum' or 'none'. Raises ValueError for an eps that is not positive and shapes
    that do not broadcast, TypeError for an eps that is no float.
    """

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(reduction)
        if not isinstance(eps, float):
            raise TypeError("[gaussian_nll_loss] eps must be a float, got %s" % type(eps).__name__)
        if not eps > 0:
            raise ValueError("[gaussian_nll_loss] eps must be positive, got %s" % (eps,))
        if not isinstance(full, bool):
            raise TypeError("[gaussian_nll_loss] full must be a bool, got %s" % type(full).__name__)
        self.full, self.eps = full, eps

    def construct(self, logits, labels, var):
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """Poisson negative log likelihood: exp(x) - target * x, or x - target * log(x + eps) without log_input.

    full adds Stirling's approximation of log(target!) for targets above 1. reduction is 'mean', 'sum' or 'none'. Raises ValueError for shapes
    that do not broadcast, TypeError for anything but Tensors.
    """

    def __init__(self, log_input=True, full=False, eps=1e-08, reduction="mean"):
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input, target):
        check_tensor(input, "poisson_nll_loss")
        target = ops.cast(check_tensor(target, "poisson_nll_loss"), input.dtype)
        try:
            loss = ops.exp(input) - target * input if self.log_input else input - target * ops.log(input + self.eps)
        except ERRORS as error:
            rename(error, "poisson_nll_loss")
            raise
        if self.full:
            large = ops.maximum(target, 1)
            stirling = (large + 0.5) * ops.log(large) - large + 0.5 * math.log(2 * math.pi)
            loss = loss + ops.where(target > 1, stirling, ops.zeros_like(stirling))
        return self.get_loss(loss)


class SampledSoftmaxLoss(LossBase):
    """Softmax cross entropy over the true classes and a sample of the others.

    It is called with weights (classes, size), biases (classes,), labels (N, num_true) and logits (N, size). sampled_values
    holds (sampled classes (num_sampled,), expected counts of the true classes (N, num_true), expected counts of the sampled
    ones (num_sampled,)). Without it each call draws classes with equal probability; remove_accidental_hits leaves out those
    of the labels.
    """

    def __init__(self, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=True, seed=0,
                 reduction="none"):
        super().__init__(reduction)
        where = "sampled_softmax_loss"
        for what, value in (("num_sampled", num_sampled), ("num_classes", num_classes), ("num_true", num_true), ("seed", seed)):
            check_int(value, where, what)
        if num_true < 1 or seed < 0 or num_sampled > num_classes or num_true > num_classes:
            raise ValueError("[%s] num_sampled, num_classes, num_true and seed, got %s, %s, %s and %s, expected 0 or more and "
                             "no more than num_classes" % (where, num_sampled, num_classes, num_true, seed))
        if not isinstance(sampled_values, (list, tuple, type(None))):
            raise TypeError("[%s] sampled_values must be a tuple, got %s" % (where, type(sampled_values).__name__))
        if sampled_values is not None and len(sampled_values) != 3:
            raise ValueError("[%s] sampled_values must have 3 items, got %d" % (where, len(sampled_values)))
        self.sampler = ops.UniformCandidateSampler(num_true, num_sampled, True, num_classes, seed, remove_accidental_hits)
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values = None if sampled_values is None else tuple(sampled_values)

    def construct(self, weights, biases, labels, logits):
        if labels.dtype not in (mstype.int32, mstype.int64):
            raise TypeError("[sampled_softmax_loss] dtype of labels, got %s, expected int32 or int64" % (labels.dtype,))
        labels = labels.reshape(-1, self.num_true)
        drawn = self.sampled_values
        if drawn is None:
            drawn = self.sampler(ops.cast(labels, mstype.int64))
        sampled, true_count, sampled_count = drawn
        rows = ops.embedding(labels, weights)  # (N, num_true, size)
        true = ops.sum(rows * ops.expand_dims(logits, 1), -1) + ops.embedding(labels, biases.reshape(-1, 1)).squeeze(-1)
        other = ops.matmul(logits, ops.swapaxes(ops.embedding(sampled, weights), 0, 1)) \
            + ops.embedding(sampled, biases.reshape(-1, 1)).squeeze(-1)
        scores = ops.cat((true - ops.log(true_count), other - ops.log(sampled_count)), 1)
        return -ops.sum(ops.log(ops.softmax(scores, 1)[:, :self.num_true] + 1e-20), 1) / self.num_true
